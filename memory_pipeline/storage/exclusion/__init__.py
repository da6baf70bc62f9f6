"""Who may write what, and when: locks on one machine, leases on object storage, the fence of erasures."""
