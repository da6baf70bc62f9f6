"""Data sets of research with known evidence, each read from a folder of the user's as its authors publish it.

``memory-pipeline eval`` has a suite for each of them where this package can be imported; see ``evaluation.data_sets``.
"""

from __future__ import annotations

from benchmarks.datasets import beam, fact_consolidation, halumem, locomo, longmemeval, memdaily
from memory_pipeline.evaluation.data_sets.sources import Loader

LOADERS: dict[str, Loader] = {
    "locomo": locomo.load,
    "longmemeval-s": longmemeval.load_haystacks,
    "longmemeval-oracle": longmemeval.load_oracle,
    "beam-100k": beam.load,
    "halumem": halumem.load,
    "fact-consolidation": fact_consolidation.load,
    "memdaily": memdaily.load,
}
