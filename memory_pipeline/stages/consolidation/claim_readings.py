"""What proposals and their quotes claim, read for the gate with the English parser.

Only what a hosted model wrote is read. The embedded default writes its sentences from this very reading of the
messages: to read them again would double its work on the CPU and compare the parser with itself. What a user writes by
hand quotes nothing to be held against.
"""

from __future__ import annotations

from dataclasses import replace

from memory_pipeline.domain.gate import GateInput
from memory_pipeline.domain.gate.texts.language import english
from memory_pipeline.domain.proposal import DERIVED_TYPES, Proposal

_EMBEDDED = "builtin-"
_TURNS = 16  # before the cited message: a part that is played, or a text that is announced, began there


def read(given: GateInput) -> GateInput:
    """The input with whose wording it is; where that is a hosted model's and English, with its readings, too."""
    from memory_pipeline.language.claims import claimed, quoted

    given = replace(given, hosted=hosted(given.proposal.model))
    own = given.own()
    if not own or not _to_read(given.proposal) or not all(_english(given.proposal, m.content) for _, m in own):
        return given
    quotes = []
    for evidence, message in own:
        earlier = [m for m in given.session if m.order < message.order][-_TURNS:]
        quotes.append(quoted(message.content, evidence.quote, tuple((str(m.role), m.content) for m in earlier)))
    return replace(given, content=claimed(given.proposal.content), quotes=tuple(quotes))


def _to_read(proposal: Proposal) -> bool:
    return proposal.type not in DERIVED_TYPES and hosted(proposal.model)


def hosted(model: str) -> bool:
    """Whether a model's sentences are not written from the parser's reading of the messages."""
    return not model.startswith(_EMBEDDED)


def _english(proposal: Proposal, said: str) -> bool:
    """Whether both are English: a message that may be anything is, where the content is for certain."""
    from memory_pipeline.language.identify import ENGLISH, clear_language

    found, content = clear_language(said), english(proposal.content)
    return content is not False and found == ENGLISH or content is True and found is None
