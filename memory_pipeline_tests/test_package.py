"""What importing the package means to an application: nothing heavy, nothing surprising."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memory_pipeline.settings import Settings

HEAVY = ("dagster", "lancedb", "pandas", "openai", "onnxruntime", "pyarrow", "duckdb", "dateparser", "spacy")
_SCRIPT = "import sys; from memory_pipeline import {name}; print(*(m for m in {heavy!r} if m in sys.modules))"


@pytest.mark.parametrize(
    "name", ["Memory", "MemoryReader", "MemoryCurator", "Settings", "MemoryPipelineError", "__version__"]
)
def test_importing_loads_no_engine(name: str) -> None:
    script = _SCRIPT.format(name=name, heavy=HEAVY)
    done = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
    assert done.stdout.split() == []


def test_the_public_names() -> None:
    import memory_pipeline

    for name in memory_pipeline.__all__:
        assert getattr(memory_pipeline, name).__doc__
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = memory_pipeline.nonsense


def test_every_setting_is_documented() -> None:
    page = (Path(__file__).parents[1] / "docs" / "settings.md").read_text(encoding="utf-8")
    assert [name for name in Settings.model_fields if f"| `{name.upper()}` |" not in page] == []
