"""What ``explain`` prints for people: one tree, from the memory down to the sentence that it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from memory_pipeline.cli.output import console

if TYPE_CHECKING:
    from rich.text import Text
    from rich.tree import Tree

_AROUND = 240  # characters of a message shown on each side of the quoted words
_LINKS = 12
_Row = Mapping[str, Any]


def print_explanation(found: _Row) -> None:
    """A memory's provenance, as ``MemoryReader.explain`` gives it."""
    from rich.tree import Tree

    memory = found["memory"]
    tree = Tree(_line((memory["content"], "bold"), (f"\n{_identity(memory)}", "dim")), guide_style="dim")
    _history(tree, found)
    shown = _proposals(tree, found)
    _sources(tree, found)
    rest = [m for m in found["messages"] if m["message_id"] not in shown]
    if rest and not found["sources"]:
        branch = tree.add(_line(("Rests on", "bold cyan")))
        _messages(branch, rest)
    _relatives(tree, found)
    _made(tree, found)
    console().print(tree)


def print_turns(turns: Sequence[_Row]) -> None:
    """Turns by sentence, as ``MemoryReader.explain_message`` gives them."""
    from rich.tree import Tree

    for turn in turns:
        tree = Tree(
            _line((f"{turn['role']}, {_time(turn['created_at'])}", "bold"), (f"\n{turn['session_id']}", "dim")),
            guide_style="dim",
        )
        for sentence in turn["sentences"]:
            mark, style = ("shown", "green") if sentence["shown"] else ("not shown", "yellow")
            branch = tree.add(_line(f"“{sentence['text']}” ", (mark, style), (f" · {sentence['reason']}", "dim")))
            for memory in sentence["memories"]:
                branch.add(_line(memory["content"], (f" ({memory['status']}, {memory['memory_id']})", "dim")))
        console().print(tree)


def _line(*parts: str | tuple[str, str]) -> Text:
    """Styled text; what users wrote is never read as markup."""
    from rich.text import Text

    return Text.assemble(*parts)


def _identity(memory: _Row) -> str:
    slot = " / ".join(str(memory[n]) for n in ("subject", "attribute", "value") if memory[n]) if memory["value"] else ""
    told = [memory["memory_id"], memory["type"], memory["status"], slot, f"first said {_time(memory['observed_at'])}"]
    if memory["pinned"]:
        told.append("pinned")
    return " · ".join(part for part in told if part)


def _time(at: datetime | str) -> str:
    moment = at if isinstance(at, datetime) else datetime.fromisoformat(at)
    return f"{moment:%Y-%m-%d %H:%M}"


def _history(tree: Tree, found: _Row) -> None:
    branch = tree.add(_line(("History", "bold cyan")))
    status = ""
    for version in found["versions"]:
        hand = [(" by hand", "magenta")] if version["cause"] == "manual" else []
        becomes = [f" → {version['status']}"] if version["status"] != status and status else []
        status = version["status"]
        branch.add(
            _line(
                f"{version['version']}  {_time(version['changed_at'])}  ",
                (version["change"], "bold"),
                *hand,
                *becomes,
                f"  {version['reason']}" if version["reason"] else "",
                (f"  (run {version['run_id']}, recorded {_time(version['recorded_at'])})", "dim"),
            )
        )


def _proposals(tree: Tree, found: _Row) -> set[str]:
    """Each proposal with its verdict, its window and its messages. Returns the ids of the messages shown."""
    verdicts = {v["proposal_id"]: v for v in found["verdicts"]}
    windows = {w["window_id"]: w for w in found["windows"]}
    shown: set[str] = set()
    for proposal in reversed(found["proposals"]):
        branch = tree.add(
            _line(
                ("Proposed", "bold cyan"),
                f"  {proposal['operation']} {proposal['type']}: {proposal['content']}",
                (f"  ({proposal['proposal_id']})", "dim"),
            )
        )
        _verdict(branch, verdicts.get(proposal["proposal_id"]))
        cited = {e["message_id"] for e in proposal["evidence"]}
        messages = [
            m for m in found["messages"] if m["message_id"] in cited and m["session_id"] == proposal["session_id"]
        ]
        quotes = [e["quote"] for e in proposal["evidence"]]
        window = windows.get(proposal["window_id"])
        _messages(branch.add(_window(window)) if window else branch, messages, quotes)
        shown |= cited
    return shown


def _verdict(branch: Tree, verdict: _Row | None) -> None:
    if verdict is None:
        return
    judge = " by the judge" if verdict["reply_key"] else ""
    passed = all(f["passed"] for f in verdict["findings"])
    gate = branch.add(
        _line(
            ("Gate", "cyan"),
            f"  {'passed' if passed else 'rejected'}, then {verdict['outcome']}: {verdict['reason']}{judge}",
        )
    )
    for finding in verdict["findings"]:
        figure = ""
        if finding["figure"] is not None:
            figure = f"  {finding['figure']:.4g}"
            figure += "" if finding["threshold"] is None else f" (asked for {finding['threshold']:.4g})"
        mark = ("✓ ", "green") if finding["passed"] else ("✗ ", "red")
        gate.add(_line(mark, finding["code"], figure, (f"  {finding['detail']}", "dim")))


def _window(window: _Row) -> Text:
    many = len(window["message_ids"])
    return _line(
        ("Window", "cyan"),
        f"  session {window['session_id']}, {_time(window['started_at'])} to {_time(window['ended_at'])}, "
        f"{many} message{'s' if many > 1 else ''}",
        (f"  ({window['window_id']})", "dim"),
    )


def _messages(branch: Tree, messages: Iterable[_Row], quotes: Sequence[str] | None = None) -> None:
    for message in messages:
        who = message["speaker"] or message["role"]
        said = [q for q in message["quotes"] if quotes is None or q in quotes] or message["quotes"]
        node = branch.add(
            _line(f"{_time(message['created_at'])}  ", (who, "bold"), (f"  ({message['message_id']})", "dim"))
        )
        node.add(quoted(message["content"], said, marked=not console().is_terminal))


def quoted(content: str, quotes: Sequence[str], *, marked: bool) -> Text:
    """A message with the quoted words highlighted; a long one is cut around them.

    Args:
        marked: put the words between » and «, too: where colours do not show.
    """
    from rich.text import Text

    folded = content.casefold()
    spans = sorted({(at, at + len(q)) for q in quotes if q.strip() and (at := folded.find(q.casefold())) >= 0})
    if not spans or len(folded) != len(content):
        told = "".join(f"\nquoted: “{q}”" for q in quotes if q.strip())
        return Text(content if len(content) <= 2 * _AROUND else content[: 2 * _AROUND] + "…") + Text(told, "yellow")
    low, high = max(spans[0][0] - _AROUND, 0), min(max(end for _, end in spans) + _AROUND, len(content))
    text = Text("…" if low else "")
    at = low
    for start, end in spans:
        start = max(start, at)
        if end <= start:
            continue
        text.append(content[at:start])
        text.append(f"»{content[start:end]}«" if marked else content[start:end], "bold yellow")
        at = end
    text.append(content[at:high] + ("…" if high < len(content) else ""))
    return text


def _sources(tree: Tree, found: _Row) -> None:
    if not found["derived_from"]:
        return
    branch = tree.add(_line(("Follows from", "bold cyan"), f"  {len(found['derived_from'])} memories"))
    by_id = {m["message_id"]: m for m in found["messages"]}
    for source in found["sources"]:
        node = branch.add(_brief(source))
        cited = dict.fromkeys(e["message_id"] for e in source["evidence"])
        _messages(node, [by_id[i] for i in cited if i in by_id], [e["quote"] for e in source["evidence"]])


def _brief(memory: _Row, before: str = "") -> Text:
    return _line(before, memory["content"], (f"  ({memory['memory_id']}, {memory['type']}, {memory['status']})", "dim"))


def _relatives(tree: Tree, found: _Row) -> None:
    own = found["memory"]["memory_id"]
    if found["superseded_by"]:
        tree.add(_line(("Replaced by", "bold cyan"), "  ") + _brief(found["superseded_by"]))
    for older in found["supersedes"]:
        tree.add(_line(("Took the place of", "bold cyan"), "  ") + _brief(older))
    if len(found["lineage"]) > 1:
        branch = tree.add(_line(("The chain of this fact", "bold cyan")))
        for member in found["lineage"]:
            here = "→ " if member["memory_id"] == own else ""
            branch.add(_brief(member, f"{here}{_time(member['observed_at'])}  "))
    if found["links"]:
        branch = tree.add(_line(("Linked with", "bold cyan")))
        for link in found["links"][:_LINKS]:
            branch.add(_brief(link, f"{link['relation']} {'→' if link['direction'] == 'out' else '←'} "))
        if len(found["links"]) > _LINKS:
            branch.add(_line((f"… and {len(found['links']) - _LINKS} more (--json)", "dim")))


def _made(tree: Tree, found: _Row) -> None:
    if found["model"] is None:
        tree.add(_line(("Made", "bold cyan"), f"  without a model, by run {found['run_id']}"))
        return
    branch = tree.add(
        _line(
            ("Made", "bold cyan"),
            f"  by {found['model']}, prompt {found['prompt_hash'][:12]}, run {found['run_id']}",
        )
    )
    spent = found["cost"]
    if spent is None:
        branch.add(_line(("cost not known: the reply is no longer kept", "dim")))
        return
    if not spent["tokens"]:
        branch.add(_line("cost nothing"))
        return
    branch.add(_line(f"cost {spent['tokens']:,} tokens, {spent['usd']:.6f} USD"))
    for reply in spent["replies"]:
        shared = f", shared with {reply['shared_by'] - 1} more" if reply["shared_by"] > 1 else ""
        branch.add(
            _line(
                f"{reply['stage']}: {reply['prompt_tokens']:,} + {reply['completion_tokens']:,} tokens, "
                f"{reply['usd']:.6f} USD{shared}",
                (f"  ({reply['model']}, {_time(reply['recorded_at'])})", "dim"),
            )
        )
