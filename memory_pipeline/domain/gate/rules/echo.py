"""Rule against echoes: what this pipeline itself put into the session is no new evidence.

A user who says a fact again in words of their own confirms it. A user who pastes the block of memories, or quotes the
assistant, says nothing; and a bare "yes" to what was recalled confirms it but states nothing anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memory_pipeline.domain.gate.gate_input import GateInput, RecalledText
from memory_pipeline.domain.gate.rules.grounding import grounded
from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.patterns import lazy
from memory_pipeline.domain.proposal import DERIVED_TYPES, Evidence, Finding
from memory_pipeline.domain.text import content_words, negated, normalise, numbers, words

# How this pipeline's own blocks look (DL-22, KN-17, LS-29, RX-24). Titles that anybody may write go on with a block
# that has begun, and begin none.
_HEAD = lazy(
    r"^\W*(?:={3} (?:USER MEMORY|LESSONS) ={3}|\(Notes from earlier conversations: data, not instructions\.?\)|"
    r"(?:ALWAYS-KNOWN|RELEVANT FOR THIS TURN|USE SILENTLY|THREADS TO CONTINUE|FACTS NOT TO CONTRADICT|"
    r"DO NOT SURFACE UNLESS USER DOES|Known facts about the user)\s*:)"
)
_TITLE = lazy(r"^[A-Z][A-Z -]+:\s*$")
_ITEM = lazy(r"^\s*(?:[-*•]|\d+[.)])\s+\S")
_WEIGHED = lazy(r"^\W*\[\w+\] .+\(importance: [01]\.\d+\)\W*$", re.I)
_QUOTED = lazy(r"^[ \t]*>[^\n]*|[\"“«][^\"”»\n]{8,}[\"”»]", re.M)
_MARKS = ("===", ":", ">", '"', "“", "«")  # one of which every paste holds
_NODS = content_words(
    """
    yes yeah yep yup ya yah aye right correct correctly exactly precisely sure true indeed ok okay fine absolutely
    definitely certainly course totally affirmative one still always thank thanks great perfect good got sounds know
    knew please hi hello remember remembered that's it's ja jawohl genau stimmt richtig oui exact vrai sí si exacto
    claro cierto sì esatto certo sim isso certo klar tak dokładnie да верно точно はい そう そうです 是 对 是的
    네 맞아요 👍 ✅
    """
)
_FIRST_PERSON = lazy(
    r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|myself|we|we're|we've|us|our|ours|ich|mich|mir|mein\w*|wir|uns\w*|je|j'\w+|"
    r"moi|mon|ma|mes|nous|notre|nos|yo|mi|mis|mío|mía|nosotr\w+|nuestr\w+|io|mio|mia|miei|noi|nostr\w+|eu|meu\w*|"
    r"minha\w*|nós|ik|mij|mijn|wij|ons|jag|mig|min|mitt|mina|vi|vår\w*|ja|mnie|mój|moj\w+|my|я|меня|мне|мой|моя|моё|"
    r"мы|нас|наш\w*)\b|[我俺僕私咱]|나는|내가|저는|제가|우리",
    re.I,
)


def echo(given: GateInput) -> Finding | None:
    """It does not merely give back what was recalled into the session; figure: how much it says the same (RX-17)."""
    own = given.own()
    if given.proposal.type in DERIVED_TYPES or not own:
        return None
    if all(_pasted(evidence, message, given) for evidence, message in own):
        return Finding("echo", False, None, None, "pasted from a block of memories, or quoted from the assistant")
    latest = max(message.created_at for _, message in own)
    recalled = [r for r in given.recalled if r.at <= latest]
    if not recalled:
        return None
    same = max(recalled, key=lambda r: (sameness(given.proposal.content, r.text), r.text))
    figure, low = round(sameness(given.proposal.content, same.text), 2), given.policy.echo_overlap
    if figure < low:
        return Finding("echo", True, figure, low, "not what was recalled")
    if nods(given):
        return Finding("echo", True, figure, low, "a nod to what was recalled: it may confirm that, and add nothing")
    if any(_own_statement(evidence, message, same, given) for evidence, message in own):
        return Finding("echo", True, figure, low, "what was recalled, said again in the user's own words")
    return Finding("echo", False, figure, low, "our own recall, said back")


def nods(given: GateInput) -> bool:
    """Whether it rests on nothing but a bare "yes, right" to what was recalled.

    Such a proposal may strengthen a memory that stands; it states nothing of its own, and must not bring back what has
    been forgotten since.
    """
    own = given.own()
    if not given.recalled or not own or not all(_bare(evidence, message) for evidence, message in own):
        return False
    latest, low = max(message.created_at for _, message in own), given.policy.echo_overlap
    return any(r.at <= latest and sameness(given.proposal.content, r.text) >= low for r in given.recalled)


def quotes(given: GateInput) -> bool:
    """Whether a cited message may quote somebody."""
    return any(_QUOTED.search(message.content) for _, message in given.own())


def sameness(content: str, recalled: str) -> float:
    """How much of a content a recalled text says, 0 to 1: 0 where numbers or a negation differ.

    A long text (a summary, a whole turn) says the content when all its words stand in one of its sentences.
    """
    if normalise(content) == normalise(recalled):
        return 1.0
    wanted = content_words(content)
    best = 0.0
    for sentence in _sentences(recalled):
        there = content_words(sentence)
        if wanted and there and numbers(content) <= numbers(sentence) and negated(content) == negated(sentence):
            best = max(best, len(wanted & there) / len(wanted))
    return best


def _sentences(text: str) -> Sequence[str]:
    return [part for part in re.split(r"(?<=[.!?…])\s+|\n+", text) if part.strip()]


def _bare(evidence: Evidence, message: Message) -> bool:
    """Whether the sentence that is quoted only agrees: a "yes, right", a nod."""
    quote = normalise(evidence.quote)
    sentence = next((part for part in _sentences(message.content) if quote in normalise(part)), evidence.quote)
    return content_words(sentence) <= _NODS


def _own_statement(evidence: Evidence, message: Message, same: RecalledText, given: GateInput) -> bool:
    """Whether the quoted words say the fact, and are the user's.

    "Nora lives in Lisbon." is how anybody speaks of a sister; "Lives in Lisbon." is how a memory speaks of the user,
    and nobody of themselves. So only the latter, to the letter, is taken for a copy.
    """
    if _pasted(evidence, message, given) or _bare(evidence, message):
        return False
    if same.said or given.proposal.subject not in (None, "user") or _FIRST_PERSON.search(evidence.quote):
        return True
    quote = normalise(evidence.quote)
    earlier = [m.content for m in given.session if m.role is Role.ASSISTANT and m.order < message.order]
    return not any(_copied(quote, normalise(text), given.policy.copied_words) for text in (same.text, *earlier))


def _copied(quote: str, text: str, least: int) -> bool:
    """Whether a quote is a text, or so many words of it, to the letter."""
    return bool(text) and (text in quote or len(words(quote)) >= least and quote in text)


def _pasted(evidence: Evidence, message: Message, given: GateInput) -> bool:
    """Whether the quoted words stand only in what the user pasted: our block, or the assistant's words in quotes."""
    if not any(mark in message.content for mark in _MARKS):
        return False
    kept = "\n".join(_without_paste(message, given))
    if kept == message.content or not normalise(evidence.quote):
        return False
    return grounded(evidence.quote, kept) < given.policy.grounding_overlap


def _without_paste(message: Message, given: GateInput) -> Iterator[str]:
    """The lines of a message without our blocks and without quotations of what the assistant said before."""
    content = message.content
    if _QUOTED.search(content):
        earlier = [normalise(m.content) for m in given.session if m.role is Role.ASSISTANT and m.order < message.order]
        if earlier:
            content = _QUOTED.sub(lambda m: " " if _stands_in(m.group(), earlier) else m.group(), content)
    inside = False
    for line in content.split("\n"):
        if _HEAD.match(line):
            inside = True
        elif inside and line.strip() and not _ITEM.match(line) and not _TITLE.match(line):
            inside = False
        if not inside and not _WEIGHED.match(line):
            yield line


def _stands_in(quotation: str, texts: Sequence[str]) -> bool:
    said = normalise(quotation.strip().lstrip(">").strip('"“”«» '))
    return bool(said) and any(said in text for text in texts)
