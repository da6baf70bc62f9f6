"""The pages for people say what the code says, and none of their links leads nowhere."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml
from typer.main import get_command

from memory_pipeline.cli import app
from memory_pipeline.domain.proposal import MemoryType
from memory_pipeline.domain.reasons import Reason
from memory_pipeline.settings import Settings
from memory_pipeline.stages.plan.registry import STAGES

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
READ_IN_PLACE = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *PAGES]
TAG = re.compile(r"\b(?:DL|NM|KN|LS|RX)-\d+\b")
GATE = list(Reason)[: list(Reason).index(Reason.ADD)]
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_FENCED = re.compile(r"^```.*?^```", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^#+ (.*)$", re.MULTILINE)
_NAMED = re.compile(r'id="([^"]+)"')
_TYPED = re.compile(r"^(?:[A-Z_]+=\S+ )*memory-pipeline ([a-z-].*)$", re.MULTILINE)
_VARIABLE = re.compile(r"\bMEMORY_PIPELINE_[A-Z_]*[A-Z]\b")
_PATH = re.compile(r"`([\w*-]+/[\w.*/-]*)`")
_TEXT = {".py", ".toml", ".yaml", ".jinja", ".md"}


def script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def text(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def demo(page: Path) -> list[str]:
    block = re.search(r"<!-- demo:begin -->\n```text\n(.*?)\n```\n<!-- demo:end -->", text(page), re.DOTALL)
    assert block
    return block[1].split("\n")


def anchors(page: Path) -> set[str]:
    found = _FENCED.sub("", text(page))
    slugs = {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", h).strip().lower()) for h in _HEADING.findall(found)}
    return slugs | set(_NAMED.findall(found))


def broken(page: Path) -> Iterator[str]:
    for link in _LINK.findall(_FENCED.sub("", text(page))):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and target.suffix == ".md" and anchor not in anchors(target)):
            yield link


def unknown(page: Path) -> Iterator[str]:
    """Commands, options and variables that a page names and that do not exist, and Python that does not parse."""
    told = text(page)
    for line in _TYPED.findall(told):
        yield from _wrong_words(shlex.split(line, comments=True))
    known = {f"MEMORY_PIPELINE_{name.upper()}" for name in Settings.model_fields}
    yield from (name for name in _VARIABLE.findall(told) if name not in known)
    for block in re.findall(r"^```python\n(.*?)^```", told, re.DOTALL | re.MULTILINE):
        try:
            ast.parse(block)
        except SyntaxError:
            yield block.splitlines()[0]


def _wrong_words(words: list[str]) -> Iterator[str]:
    command: Any = get_command(app)
    path: list[str] = []
    while words and hasattr(command, "commands") and not words[0].startswith(("-", "[")):
        path.append(words.pop(0))
        if path[-1] not in command.commands:
            yield " ".join(path)
            return
        command = command.commands[path[-1]]
    known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
    yield from (" ".join([*path, word]) for word in words if word.startswith("-") and word not in known)


@pytest.mark.parametrize("name", ["cli.md", "settings.md"])
def test_pages_that_follow_from_code(name: str) -> None:
    assert text(DOCS / name) == script("reference").PAGES[name](), "run: python docs/reference.py"


@pytest.mark.parametrize("page", READ_IN_PLACE, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    assert list(broken(page)) == []


def test_a_link_that_leads_nowhere_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One thing\n[a](#one-thing) [b](#another) [c](gone.md) [d](page.md#one-thing)\n")
    assert list(broken(page)) == ["#another", "gone.md"]


def test_every_tag_in_the_code_is_a_requirement() -> None:
    known = {tag.upper() for tag in anchors(DOCS / "requirements.md")}
    folders = ("memory_pipeline", "memory_pipeline_tests", "benchmarks", "prompts", "docs", "examples")
    files = [p for folder in folders for p in (ROOT / folder).rglob("*") if p.suffix in _TEXT]
    cited = {tag for file in files for tag in TAG.findall(text(file))}
    assert len(cited) > 100
    assert cited - known == set()


def test_every_page_has_its_place() -> None:
    def pages(entries: Any) -> Iterator[str]:
        for entry in entries if isinstance(entries, list) else [entries]:
            if isinstance(entry, str):
                yield entry
            else:
                yield from (name for below in entry.values() for name in pages(below))

    listed = list(pages(yaml.safe_load(text(ROOT / "mkdocs.yml"))["nav"]))
    assert sorted(listed) == [page.name for page in PAGES]


@pytest.mark.parametrize("page", READ_IN_PLACE, ids=lambda page: page.name)
def test_what_pages_tell_to_type_exists(page: Path) -> None:
    assert list(unknown(page)) == []


def test_what_does_not_exist_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "`memory-pipeline run` `MEMORY_PIPELINE_COLOUR=1`\n\n"
        "```sh\nmemory-pipeline run --soon   # --later\nmemory-pipeline encoder paint\nX=1 memory-pipeline fly\n```\n"
        "```python\nfrom memory_pipeline import\n```\n"
    )
    assert list(unknown(page)) == [
        "run --soon",
        "encoder paint",
        "fly",
        "MEMORY_PIPELINE_COLOUR",
        "from memory_pipeline import",
    ]


def gone(page: Path) -> Iterator[str]:
    """Files and folders of the repository that a page names and that are not there; those of homes are others."""
    roots = (ROOT, ROOT / "memory_pipeline")
    for named in sorted(set(_PATH.findall(text(page)))):
        ours = any((root / named.split("/")[0]).is_dir() for root in roots)
        if ours and not any(True for root in roots for _ in root.glob(named)):
            yield named


@pytest.mark.parametrize("page", READ_IN_PLACE, ids=lambda page: page.name)
def test_files_that_pages_name_are_there(page: Path) -> None:
    assert list(gone(page)) == []


def test_a_file_that_is_gone_is_seen(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("`docs/gone.md` `docs/*.md` `stages/plan/registry.py` `stages/gone/` `inbox/taken/`\n")
    assert list(gone(page)) == ["docs/gone.md", "stages/gone/"]


def test_the_readme_is_short_and_shows_a_part_of_the_demo() -> None:
    assert len(text(ROOT / "README.md").splitlines()) <= 180
    assert demo(ROOT / "README.md") == list(script("demo_output").part(demo(DOCS / "first-run.md")))


@pytest.mark.parametrize(
    ("page", "names"),
    [
        ("architecture.md", [stage.name for stage in STAGES]),
        ("concepts.md", [kind.value for kind in MemoryType]),
        ("concepts.md", [reason.value for reason in GATE]),
    ],
)
def test_tables_are_complete(page: str, names: list[str]) -> None:
    shown = text(DOCS / page)
    assert [name for name in names if f"`{name}`" not in shown] == []


def test_tags_and_roles_on_finished_pages() -> None:
    class Page:
        url = "python/"
        file = type("File", (), {"src_uri": "python.md"})

    html = '<p title="DL-1">see :meth:<code>ask</code> (DL-34) <a href="#">NM-1</a> <code>KN-1</code></p>'
    shown = script("page_hooks").on_page_content(html, Page())
    assert shown == (
        '<p title="DL-1">see <code>ask</code> (<a href="../requirements/#dl-34">DL-34</a>) <a href="#">NM-1</a> '
        "<code>KN-1</code></p>"
    )
