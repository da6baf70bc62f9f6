"""Upkeep: time, erasure, bundles, roll-back, migrations, encoders, store maintenance."""
