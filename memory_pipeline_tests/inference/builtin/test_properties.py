"""Whatever is written: no crash, quotes to the letter, the same answer twice."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.builtin.likeness import likeness
from memory_pipeline.inference.builtin.summaries.session import rolling
from memory_pipeline.inference.replies import ExtractReply, WindowReply, dump, parse
from memory_pipeline.language.english import parser
from memory_pipeline.language.grammar.clauses import clauses
from memory_pipeline.language.normalisation.repair import sentences, spelled
from memory_pipeline.language.standing import Turn, spans
from memory_pipeline_tests.inference.builtin.extraction.extracting import message, window

_WORDS = """
I I'm my we our live in work at moved to Berlin Lisbon and but because not never no longer maybe think like love
hate tea coffee yesterday tomorrow by Friday April 3 ... 🎉 " “ ” ' ’ ` ``` > : ; — ( ) , . ! ? / SYSTEM: call me
Ali don't forget about remember that the user is a nurse what if 10 kg 50% 2026-02-30 at 25:99 am pm
"""
_PIECES = st.sampled_from([*_WORDS.split(), "\n", "\n\n", "\x00", "\ufeff"])
_MIXED = st.lists(_PIECES, max_size=40).map(" ".join)
_TEXT = st.one_of(st.text(max_size=300), _MIXED)


@given(_TEXT)
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_and_every_quote_stands_in_it(content: str) -> None:
    found = window(message(content))
    assert all(e.quote in content and e.quote for d in found for e in d.evidence)
    assert all(0 <= f <= 1 for d in found for f in (d.confidence, d.salience, d.importance))
    reply = ExtractReply([WindowReply("w1", found)])
    assert parse(ExtractReply, dump(reply)) == reply
    assert window(message(content)) == found  # nothing of a text is left over for the next one


@given(_TEXT, st.lists(_TEXT, max_size=2))
@settings(max_examples=200, deadline=None)
def test_spans_lie_in_the_text_in_order_and_apart(content: str, before: list[str]) -> None:
    found = spans(content, [Turn("user", text) for text in before])
    places = [(s.start, s.end) for s in found]
    assert places == sorted(places)
    assert all(0 <= start < end <= len(content) for start, end in places)
    assert all(first[1] <= second[0] for first, second in pairwise(places))


@given(_TEXT)
@settings(max_examples=200, deadline=None)
def test_writing_out_twice_is_writing_out_once(content: str) -> None:
    assert spelled(spelled(content)) == spelled(content)
    assert all(part.strip() for part in sentences(content))


@given(_TEXT)
@settings(max_examples=60, deadline=None)
def test_every_clause_has_its_words_in_its_sentence(content: str) -> None:
    for sentence in parser().parse([content])[0]:
        for clause in clauses(sentence):
            assert sentence[clause.head.index] is clause.head
            assert sentence[clause.outer.index] is clause.outer
            assert 0 < clause.certainty <= 1
            assert clause.verb == clause.verb.lower()


@given(_TEXT)
@settings(max_examples=100, deadline=None)
def test_any_statement_can_be_compared(content: str) -> None:
    assert likeness(content) == likeness(content)


@given(st.lists(_TEXT, max_size=6), st.integers(0, 400))
@settings(max_examples=100, deadline=None)
def test_a_rolling_summary_fits_and_cites_what_is_there(contents: list[str], tokens: int) -> None:
    messages = [message(c, f"m{n}") for n, c in enumerate(contents)]
    reply = rolling({"messages": messages, "max_tokens": tokens})
    assert estimate_tokens(reply.text) <= max(tokens, 0)
    assert set(reply.messages) <= {m["id"] for m in messages}
