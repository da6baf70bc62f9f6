"""The graph in Dagster: assets, checks, jobs, schedules and the inbox sensor. Nothing else imports dagster.

Modules that define assets do without postponed annotations: Dagster reads the annotation of ``context`` at run time.
A run that finds nothing to do does not load Dagster: ``run``, ``plan`` and what they import at module level do without.
"""

import warnings

# Back-fill policies and partition mappings are what Dagster's own guides recommend; it calls them beta. By their
# wording, because to name the classes would load Dagster.
warnings.filterwarnings("ignore", message=".* is currently in (beta|preview), ")
