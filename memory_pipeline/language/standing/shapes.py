"""Stretches of a message whose layout alone says that they were not said by the user: code, logs, data, quotations,
letters with their salutation and sign-off, and conversations with labelled speakers."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.standing.letters import letters
from memory_pipeline.language.standing.tables import words

_WHYS = ("", "quote", "dialogue", "data", "log", "mail", "code")
_FENCE = lazy(r"^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)", re.S | re.M)
_FENCE_INLINE = lazy(r"```[^`]+```")
_SIGNS = lazy(r"[`~>\"“„«{}<;=$|\[/]|\S:\s|['‘]\S|\n", re.I)
_QUOTED_LINE = lazy(r"^[ \t]*>(?! ?\d).*$", re.M)
_CODE_LINE = lazy(
    r"""^[ \t]*(?:
      (?:async[ ])?def[ ]\w+\(.*|class[ ]\w+[^.!?\n]{0,60}[:{]|(?:import[ ][\w.]+|from[ ][\w.]+[ ]import[ ]\S+).*
    | (?:public|private|protected|static|const|let|var|func|fn|void|return|export|elif|else)\b[^.!?\n]*[;{}=(:]+[^.?\n]*
    | (?:\#include|\#!|\$[ ]|>>>[ ]|//|/\*|\*/|@\w+\().*
    | \w[\w.\[\]]*[ ]?(?:=|\+=|:=)[ ]?[\w\[{("'].*[;)\]}"'0-9]
    | .*(?:[;{]|\)\s*=>.*|\{\s*\}|</\w+>|/>)
    | (?:SELECT|INSERT[ ]INTO|UPDATE|DELETE[ ]FROM|CREATE[ ]TABLE|FROM|WHERE|JOIN)\b[ ][\w*,."'() =<>]+
    | [})\]]+[;,]?
    )[ \t]*$""",
    re.X | re.M,
)
_VERSE = lazy(
    r"^[ \t]*[\[(]?(?:verse|chorus|pre-chorus|bridge|refrain|intro|outro|hook)(?: \d+)?[\])]?:?[ \t]*\n"
    r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+",
    re.I | re.M,
)
_SCENE = lazy(r"^[ \t]*(?:INT|EXT|INT\./EXT)\.[ ][^\n]*(?:\n|\Z)", re.M)
_CUE = lazy(r"^[ \t]*[A-Z][A-Z.'’ -]{1,24}(?: \([^)\n]{1,20}\))?[ \t]*\n(?=[ \t]*\S)", re.M)
_CODE_SIGN = lazy(r"[=(){};<>/\[\]$#*@]|import ")
_COMMENT = lazy(r"(?:(?<=\s)|^)(?://|/\*|#[ ]?(?=TODO|FIXME|noqa|type:)).*$", re.M)
_CODE_STATEMENT = lazy(r"(?:(?<=[.!?:] )|^)def \w+\([^\n]*$", re.M)
_MARKUP = lazy(r"<!--.*?-->|<(script|style|pre|code)\b.*?</\1>", re.S | re.I)
_LOG_LINE = lazy(
    r"""^[ \t]*(?:
      \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d\S*\]?[ ].*
    | (?:\[[^\]\n]{1,30}\][ ]?)?\[?(?:INFO|WARN(?:ING)?|ERROR|DEBUG|FATAL|TRACE|CRITICAL)\b.*
    | (?:[A-Z][a-z]{2}[ ]+\d{1,2}[ ])\d\d:\d\d:\d\d[ ].*
    | at[ ][\w.$<>]+\(.*\)
    | File[ ]".*",[ ]line[ ]\d+.* | \w*(?:Error|Exception)(?::[ ].*|$) | Caused[ ]by:.* | panic:.*
    | \d{1,3}(?:\.\d{1,3}){3}[ ]-[ ].*
    )$""",
    re.X | re.M,
)
_TRACE = lazy(
    r"^[ \t]*Traceback \(most recent.*?(?:^\w[\w.]*(?:Error|Exception|Exit|Interrupt)\b[^\n]*$|\Z)", re.S | re.M
)
_DATA_LINE = lazy(
    r"^[ \t]*(?:[\]}],?|[{\[]|\"[^\"\n]{1,60}\"\s*:.*|(?:[\w-]+,){2,}[\w -]*"
    r"|[^\s,|][^,\n]*(?:,[^\s,][^,\n]*){2,}|---)[ \t]*$",
    re.M,
)
_JSON = lazy(r"[{\[]\s*(?:\{\s*)?[\"'][\w -]{1,40}[\"']\s*:[^\n]*[}\]]")
_YAML_KEY = lazy(r"^([ \t]*)(?:- )?([\w.-]+):(?:[ \t]|$)")
_SPEAKER = lazy(
    r"^[ \t*_]*(?:\[?(?P<time>(?:\d{1,2}[./]\d{1,2}(?:[./]\d{2,4})?,? )?"
    r"\d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?)\]?(?: -)?[ \t]+)?"
    r"(?P<who>[^\W\d_][\w.’'-]{0,20}(?: [^\W\d_][\w.’'-]{0,20}){0,2})"
    r"(?: ?[\[(](?P<at>[^\])\n]{1,25})[\])])?[*_]*[ \t]*:[*_]*[ \t]+(?=\S)"
)
_SPEAKER_INLINE = lazy(
    r"(?:(?<=[.!?\"”] )|^)([A-Z][\w-]{0,15})"
    r"(?:(?<=\bQ)|(?<=\bA)|(?=: (?:I|My|We|You|What|How|Hi|Hello|No|Yes|Are|Do)\b)): "
)
_SPOKEN = lazy(
    r"(?<![\w’'-])(?:i|i['’](?:m|ve|ll|d)|im|my|me|you|your|we|our|user|hi|hello|yes|no)(?![\w’'-])|\?", re.I
)
_FIRST = lazy(r"(?<![\w-])(?:i|i['’]m|im|my|me|you|your|we|our|user|remember|ignore|is|are|was|am)(?!\w)", re.I)
_SINGLE = lazy(
    r"(?<![\w'’])['‘](?!(?:cause|til|em|n|s|twas|round|bout|\d)\b)(?=\S)"
    r"([^'’\n]{1,400}(?:['’]\w[^'’\n]{0,200}){0,12})(?<=\S)['’](?!\w)"
)
# "[shares an image: a photo of a cake]": what a program put beside the words.
_ASIDE = lazy(r"\[(?=\w)[^\[\]\n]{3,400}\](?!\()")
_ASIDE_WORDS = 3
_NAME_WORDS = 8


def shapes(text: str) -> list[tuple[int, int, str]]:
    """The foreign stretches as (start, end, why), in order, not overlapping.

    ``why`` is "code", "log", "data", "mail", "dialogue" or "quote". Whole stretches of several lines count as one.
    """
    if not _SIGNS.search(text):
        return []
    marks = bytearray(len(text))
    for why, found in (
        ("quote", _quotations(text)),
        ("quote", (m.span() for m in _VERSE.finditer(text)) if "\n" in text else ()),
        ("quote", _script(text)),
        ("quote", _asides(text)),
        ("dialogue", _dialogue(text)),
        ("data", _data(text)),
        ("log", _logs(text)),
        ("mail", letters(text)),
        ("quote", (m.span() for m in _QUOTED_LINE.finditer(text)) if ">" in text else ()),
        ("code", _code(text)),
    ):
        mark = _WHYS.index(why)
        for start, end in found:
            marks[start:end] = bytes([mark]) * (end - start)
    return [(*run.span(), _WHYS[run.group()[0]]) for run in re.finditer(rb"([^\0])\1*", marks, re.S)]


def _script(text: str) -> Iterator[tuple[int, int]]:
    """A screenplay: a scene heading, or at least two speakers in capitals above what they say."""
    cues = list(_CUE.finditer(text)) if "\n" in text else []
    scene = _SCENE.search(text)
    if not scene and len(cues) < 2:
        return
    for begun in [*([scene] if scene else []), *cues]:
        end = text.find("\n\n", begun.end())
        yield begun.start(), len(text) if end < 0 else end


def _asides(text: str) -> Iterator[tuple[int, int]]:
    """Captions and stage directions in brackets, unless they speak of the writer."""
    if "[" in text:
        for found in _ASIDE.finditer(text):
            if len(found.group().split()) >= _ASIDE_WORDS and not _SPOKEN.search(found.group()):
                yield found.span()


def _code(text: str) -> Iterator[tuple[int, int]]:
    if "<" in text:
        yield from (m.span() for m in _MARKUP.finditer(text))
    if "/" in text or "#" in text:
        yield from (m.span() for m in _COMMENT.finditer(text) if "://" not in m.group()[:4])
    if "def " in text:
        yield from (m.span() for m in _CODE_STATEMENT.finditer(text))
    if _CODE_SIGN.search(text):
        for line in _lines(text):
            shown = text[slice(*line)]
            if len(shown) < 400 and _CODE_SIGN.search(shown) and _CODE_LINE.match(shown) and not _prosaic(shown):
                yield line
    if "```" in text or "~~~" in text:
        yield from (m.span() for m in _FENCE_INLINE.finditer(text))
        yield from (m.span() for m in _FENCE.finditer(text))


def _prosaic(line: str) -> bool:
    """A sentence that only ends like code: "I live in Rome;"."""
    return line.rstrip().endswith(";") and len(line.split()) > 3 and not re.search(r"[=(){}<>\[\]]", line)


def _logs(text: str) -> Iterator[tuple[int, int]]:
    if "Traceback" in text:
        yield from (m.span() for m in _TRACE.finditer(text))
    for line in _lines(text):
        if _LOG_LINE.match(text[line[0] : min(line[1], line[0] + 400)]):
            yield line


def _data(text: str) -> Iterator[tuple[int, int]]:
    if "{" in text or "[" in text:
        yield from (m.span() for m in _JSON.finditer(text))
    if "\n" not in text:
        return
    rows: list[tuple[int, int]] = []
    for line in [*_lines(text), (len(text), len(text))]:
        shown = text[slice(*line)]
        if len(shown) < 400 and _DATA_LINE.match(shown) and (not rows or _same_columns(text[slice(*rows[-1])], shown)):
            rows.append(line)
            continue
        if len(rows) >= 3:
            yield rows[0][0], rows[-1][1]
        rows = []
    yield from _yaml(text)


def _same_columns(before: str, after: str) -> bool:
    return any(c in before + after for c in '{}[]"') or before.count(",") == after.count(",")


def _yaml(text: str) -> Iterator[tuple[int, int]]:
    """Nested keys: one that has no value, and deeper ones below it."""
    block: list[tuple[int, int, int, bool]] = []
    for start, end in [*_lines(text), (len(text), len(text))]:
        key = _YAML_KEY.match(text[start : min(end, start + 200)])
        if key:
            block.append((start, end, len(key.group(1)), text[start:end].rstrip().endswith(":")))
            continue
        if len(block) >= 3 and any(a[3] and b[2] > a[2] for a, b in zip(block, block[1:], strict=False)):
            yield block[0][0], block[-1][1]
        block = []


def _dialogue(text: str) -> Iterator[tuple[int, int]]:
    if ":" not in text:
        return
    turns: list[tuple[int, int, str, bool, str]] = []
    for start, end in _lines(text):
        label = _SPEAKER.match(text[start : min(end, start + 120)])
        if label:
            who = label.group("who").lower()
            timed = bool(label.group("time") or (label.group("at") and ":" in label.group("at")))
            if timed or who in words("speaker") or (who not in words("field") and label.group("who")[:1].isupper()):
                turns.append((start, end, who, timed, text[start + label.end() : end]))
    if _talk(turns, text):
        for n, (start, end, *_) in enumerate(turns):
            following = turns[n + 1][0] - 1 if n + 1 < len(turns) else end
            yield start, (following if "\n\n" not in text[start:following] else end)
    inline = list(_SPEAKER_INLINE.finditer(text))
    if len(inline) >= 2 and not any(m.group(1).lower() in words("field") - words("speaker") for m in inline):
        for label, after in zip(inline, [*inline[1:], None], strict=True):
            if after:
                yield label.start(), after.start()
            else:
                stop = lazy(r"[.!?](?=\s|$)|\n|$").search(text, label.end())
                yield label.start(), stop.end() if stop else len(text)


def _talk(turns: list[tuple[int, int, str, bool, str]], text: str) -> bool:
    """Whether labelled lines are a conversation rather than a form: stamped, or labels come back, or people speak."""
    if len(turns) < 2:
        return bool(turns) and turns[0][3] and bool(_SPOKEN.search(turns[0][4]))
    labels = {who for _, _, who, _, _ in turns}
    spoken = sum(bool(_SPOKEN.search(said)) for *_, said in turns)
    if any(timed for *_, timed, _ in turns) or (len(labels) < len(turns) and spoken):
        return True
    return 2 * spoken >= len(turns) and (len(labels & words("speaker")) >= 2 or spoken >= 2)


def _quotations(text: str) -> Iterator[tuple[int, int]]:
    """Quotations that say something; names and titles in quotation marks stay part of the sentence around them."""
    for opener, closer in (('"', '"'), ("“", "”"), ("„", "“”"), ("«", "»")):
        if opener in text:
            yield from _paired(text, opener, closer)
    if "'" in text or "‘" in text:
        yield from (m.span() for m in _SINGLE.finditer(text) if _speaks(m.group(1)))


def _paired(text: str, opener: str, closer: str) -> Iterator[tuple[int, int]]:
    place = 0
    while (start := text.find(opener, place)) >= 0:
        place = start + 1
        before, after = text[start - 1 : start], text[start + 1 : start + 2]
        inside = bool(before) and not before.isspace() and before not in "([:—–-"
        if opener == '"' and (inside or not after or after.isspace()):
            continue
        lead = text[max(0, start - 40) : start]  # a window, so that a long line of quotations stays cheap
        block = (start <= len(lead) or "\n" in lead) and not lead.rpartition("\n")[2].strip()
        block = block or lead.rstrip()[-1:] == ":"
        ends = [e for c in closer if (e := text.find(c, start + 1)) >= 0]
        end = min(ends) if ends else -1
        if end < 0:
            if block:
                yield start, len(text)
            return
        if "\n" in text[start:end] and not block:
            continue
        if "\n" in text[start:end] or _speaks(text[start + 1 : end]):
            yield start, end + 1
        place = end + 1


def _speaks(inner: str) -> bool:
    return bool(_FIRST.search(inner)) or len(inner.split()) > _NAME_WORDS or inner.rstrip()[-1:] in {".", "!", "?", ","}


def _lines(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end > start:
            yield start, end
        start = end + 1
