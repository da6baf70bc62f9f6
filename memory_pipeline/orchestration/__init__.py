"""The graph in Dagster: assets, checks, jobs, schedules and the inbox sensor. Nothing else imports dagster.

Modules that define assets do without postponed annotations: Dagster reads the annotation of ``context`` at run time.
"""

import warnings

import dagster as dg

# Back-fill policies and partition mappings are what Dagster's own guides recommend; it calls them beta.
warnings.filterwarnings("ignore", category=dg.BetaWarning)
warnings.filterwarnings("ignore", category=dg.PreviewWarning)
