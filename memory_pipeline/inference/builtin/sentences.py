"""A message cut into statements, each a clause with its place in the message, and what kind of utterance it is.

Only ``Kind.STATEMENT`` says something about the world; questions, requests, suppositions, sarcasm and what others said
stay visible as such so that a reader can see why nothing was extracted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from memory_pipeline.inference.builtin.lexicon import NOT_NAMES, wordset
from memory_pipeline.inference.builtin.masking import GAP, mask
from memory_pipeline.inference.builtin.plain import EMOJI, plain
from memory_pipeline.inference.builtin.utterances import ASKING, QUESTION_START, Kind, clause_kind, whole_kind
from memory_pipeline.inference.builtin.verbs import FORMS
from memory_pipeline.inference.builtin.verbs import Kind as VerbKind


@dataclass(frozen=True, slots=True)
class Statement:
    """One clause.

    Attributes:
        start, end: its place in the message; ``message[start:end]`` is the quote.
        text: the clause in plain spelling, with the subject it shares with the clause before it filled in.
        lead: the conjunction before it, lower case, or "".
        sentence: number of its sentence in the message.
        until: where its sentence ends in the message.
    """

    start: int
    end: int
    text: str
    kind: Kind
    lead: str
    sentence: int
    until: int


_END = re.compile(rf"[.!?…]+[\"')\]]*(?=\s|$|[{EMOJI}])|\n+|[{EMOJI}]+|\s(?::['-]?[)(DP]+|;-?\))(?=\s|$)")
_LETTERS = re.compile(r"(?:[a-z]\.)+[a-z]")
_EMOJI = re.compile(f"[{EMOJI}]")
_ABBREVIATIONS = wordset(
    """
    mr mrs ms dr st prof sr jr vs etc approx dept inc ltd co corp no fig al est ave blvd mt ft e.g i.e a.m p.m
    u.s u.k jan feb mar apr jun jul aug sep sept oct nov dec mon tue wed thu fri min max
    """
)
_EDGE = re.compile(
    rf"^(?:[\s>*•·\-–—#,;:.!?)\]\"']|[{EMOJI}]|\d{{1,3}}[.)](?=\s)|\[[ x]?\])+|(?:[\s,;:(\[]|[{EMOJI}])+$"
)
_ADVERBS = (
    r"(?:(?:also|then|now|just|really|still|actually|currently|recently|usually|always|never|even|later|"
    r"finally|instead|"
    r"maybe|probably|definitely|honestly|unfortunately|luckily|personally|today|yesterday|tomorrow|by the way|"
    r"btw),?\s+)*"
)
_SUBJECT = (
    rf"{_ADVERBS}(?:i(?:['’](?:m|ve|ll|d))?\s|im\s|ive\s|my\s|we(?:['’](?:re|ve|ll|d))?\s|our\s|he(?:['’]s)?\s|"
    r"nobody\s|no\s+one\s|everyone\s|everybody\s|she(?:['’]s)?\s|they(?:['’](?:re|ve|ll))?\s|it(?:['’]s)?\s|you(?:['’](?:re|ve|ll))?\s|there(?:['’]s)?\s|"
    r"that(?:['’]s)?\s|this\s|these\s|please\s|the\s+\w+(?:\s\w+){0,4}?\s+(?:is|was|are|were|has|had)\s|"
    r"(?-i:[A-Z][\w'’-]+)\s(?:is|was|has|lives|works|loves|likes|hates|said|told|thinks|wants|comes|came|saw|"
    r"went|gets|got|makes|made|"
    r"runs|ran|takes|took|votes|goes|does|did|needs|keeps|says|does(?:n['’]t|\snot)|did(?:n['’]t|\snot))\s)"
)
_CUT = re.compile(
    rf"""(?P<hard>\s*;\s+|\s+[-–—]{{1,2}}\s+|\s*—\s*|:\s+(?={_SUBJECT})|\s*\((?={_SUBJECT})|(?<=[\w.!])\)\s+(?={_SUBJECT}))(?:(?:and|but|so)\s+(?={_SUBJECT}))?
    |,?\s+(?P<conj>and|but|so|plus|yet|because|since|although|though|cause|['’]cause|cuz|while|whereas|as|then|except|or|
        even\s+though|which\s+means|that['’]s\s+why)(?:\s+that)?,?\s+(?={_SUBJECT}|{ASKING})
    |,\s+(?P<comma>)(?={_SUBJECT}|{ASKING}|(?:don['’]t|never|remind|call|let|help|tell|give)\s)
    |,?\s+(?P<shared>and|but|then|and\s+then)\s+(?:{_ADVERBS})(?P<verb>[a-z]+(?:['’]t)?)\s
    |,?\s+(?P<cond>if|unless|whether|in\s+case|assuming|provided|unless|before|until|when|whenever|once|after)\s+
        (?=(?:i|we|my|you|he|she|they|it|the(?!\s+(?:end|beginning|start|middle)\s+of\b)|there|possible|needed)\b)
    """,
    re.I | re.X,
)
_STATIVE = wordset(
    """
    live work love hate like have am prefer use own drive speak need want will study do don't don’t go enjoy
    dislike got can't can’t can ended was were had
    """
)
_INFINITIVE = re.compile(
    r"\b(?:to|will|'ll|’ll|can|can't|should|must|might|may|could|would|let|help|gonna|don't|didn't|don’t|didn’t|not)\s+"
    r"(?:\w+\s+)?([a-z]+)\b",
    re.I,
)
_FIRST_PERSON = re.compile(r"(?:^|[,\s])(i|we)(?:['’](?:m|ve|ll|d|re))?\s", re.I)
# "Don't bring up my father, okay?" asks for a nod, not for an answer.
_TAGGED = re.compile(
    r"\W*(?:(?:please|and|so|also|just)\s+)*(?:do\s+not|don['’]t|never|stop|always|keep|call|use|avoid|forget|delete|remember)"
    r"\b.*,\s*(?:ok(?:ay)?|alright|all\s+right|please|deal|got\s+it)\s*\?+\W*",
    re.I | re.S,
)
_FINITE = VerbKind.S | VerbKind.PAST


def statements(text: str) -> list[Statement]:
    """The clauses of a message in order; an empty list for a message without prose of the user's own."""
    masked = mask(text)
    found: list[Statement] = []
    for number, (start, end) in enumerate(_sentences(masked)):
        found.extend(_clauses(text, masked, start, end, number))
    return found


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    for stop in _END.finditer(text):
        mark = stop.group()
        if mark[0] == "." and len(mark) == 1 and _abbreviated(text, stop.start()):
            continue
        if mark[0] == "\n" and len(mark) == 1 and _continues(text, stop.start(), stop.end()):
            continue
        if text[start : stop.end()].strip(" \n" + GAP):
            yield start, stop.end()
        start = stop.end()
    if text[start:].strip(" \n" + GAP):
        yield start, len(text)


def _abbreviated(text: str, dot: int) -> bool:
    before = text[max(0, dot - 8) : dot].rsplit(None, 1)[-1:] or [""]
    word = before[0].lower().lstrip("(\"'")
    numbered = word.isdigit() and text[:dot].rpartition("\n")[2].strip() == word
    return (
        numbered
        or word in _ABBREVIATIONS
        or bool(_LETTERS.fullmatch(word))
        or (len(word) == 1 and word.isalpha() and word != "i")
    )


def _continues(text: str, start: int, end: int) -> bool:
    following = text[end : end + 1]
    return following.islower() and text[start - 1 : start] not in {".", "!", "?", ":", ";"}


def _clauses(text: str, masked: str, start: int, end: int, number: int) -> Iterator[Statement]:
    sentence = masked[start:end]
    asked = "?" in sentence[-4:] and not _TAGGED.fullmatch(sentence)
    whole = whole_kind(sentence)
    pieces = list(_pieces(sentence))
    questions = [bool(QUESTION_START.match(sentence, a, b)) for a, b, _, _ in pieces]
    if asked and not any(questions):
        questions = [True] * len(pieces)
    kind = Kind.STATEMENT
    for n, (a, b, lead, shared) in enumerate(pieces):
        head = _EDGE.match(sentence[a:b])
        a += head.end() if head else 0
        while b > a and (sentence[b - 1] in " \t\n,;:([.!?)]…" or _EMOJI.fullmatch(sentence[b - 1])):
            b -= 1
        if b - a < 2 or not sentence[a:b].strip(GAP + " "):
            continue
        own = sentence[a:b]
        kind = whole or clause_kind(own, lead, kind, questions[n] or (asked and n > 0 and any(questions[:n])), n)
        yield Statement(start + a, start + b, (f"{shared} " if shared else "") + plain(own), kind, lead, number, end)


def _pieces(sentence: str) -> Iterator[tuple[int, int, str, str]]:
    """Start, end, conjunction and shared subject of each clause."""
    start, lead, shared = 0, "", ""
    position = 0
    while cut := _CUT.search(sentence, position):
        position = cut.end()
        subject = ""
        if cut.group("conj") == "and" and _joins_subjects(sentence[start : cut.start()]):
            continue
        if cut.group("comma") is not None and not _has_verb(sentence[start : cut.start()]):
            continue
        if cut.group("shared"):
            subject = _shared_subject(sentence[start : cut.start()], cut.group("verb").lower(), shared)
            if not subject:
                position = cut.start("verb")
                continue
            position = cut.start("verb")
        yield start, cut.start(), lead, shared
        start = position
        lead = (cut.group("conj") or cut.group("shared") or cut.group("cond") or "").lower()
        shared = subject
    yield start, len(sentence), lead, shared


def _has_verb(text: str) -> bool:
    return any("'" in w or "’" in w or w in FORMS for w in re.findall(r"[a-z'’]+", text.lower()))


def _joins_subjects(before: str) -> bool:
    """Whether "and" joins two subjects ("my wife Nora and I"): no verb stands before it."""
    words = [w.strip(",'’\"").lower() for w in before.split()]
    verbs = [w for w in words[1:] if "'" in w or "’" in w or ((f := FORMS.get(w)) and f.kind & _FINITE)]
    named = len(words) == 1 and before.strip(" ,.'’\"")[:1].isupper() and words[0] not in NOT_NAMES | FORMS.keys()
    return named or (len(words) <= 6 and words[:1] in (["my"], ["our"], ["me"]) and not verbs)


def _shared_subject(before: str, verb: str, shared: str) -> str:
    """The subject that a verb after "and" shares with the clause before it, or "" when it is no clause of its own."""
    person = _FIRST_PERSON.search(f" {before} ")
    subject = shared or (person.group(1) if person else "")
    if not subject:
        return ""
    known = FORMS.get(verb)
    after_infinitive = any((f := FORMS.get(w.lower())) and VerbKind.BASE in f.kind for w in _INFINITIVE.findall(before))
    if known and VerbKind.PAST in known.kind and VerbKind.BASE not in known.kind:
        return subject
    if verb in _STATIVE and not after_infinitive:
        return subject
    return ""
