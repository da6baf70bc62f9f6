"""The gate's rules, each in the module of its theme: from what the gate looks at to a finding, or none."""
