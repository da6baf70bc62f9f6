"""Endings that verbs tell, by what they do to their object; and what they end by its kind or by likeness."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from memory_pipeline.domain.consolidation.endings.ended_relations import ended, tells_end
from memory_pipeline.domain.consolidation.endings.ending_verbs import kinds_of, verb_endings
from memory_pipeline.domain.consolidation.endings.likely_endings import likely_ended
from memory_pipeline.domain.consolidation.plans.fulfilment import dropped_by
from memory_pipeline.domain.consolidation.supersession import Action, Candidate, decide
from memory_pipeline.domain.proposal import Operation
from memory_pipeline.domain.text import normalise
from memory_pipeline_tests.factories import NOON, POLICY, memory, proposal

LATER = NOON + timedelta(days=20)
KNOWN = {  # name: content, attribute, value
    "car": ("Has a Honda Civic.", "possession", "Honda Civic"),
    "dog": ("Has a beagle called Biscuit.", "pet", "beagle"),
    "pills": ("Takes sertraline 50 mg.", "medication", "sertraline 50 mg"),
    "keto": ("Is on keto.", None, None),
    "cello": ("Plays the cello.", "hobby", "cello"),
    "tabla": ("Plays tabla.", "hobby", "tabla"),
    "choir": ("Sings in a choir in Leeds.", "sing", "in a choir in Leeds"),
    "netflix": ("Pays for Netflix.", "pay", "for Netflix"),
    "kids": ("Has two kids.", "family", "kids"),
    "gym": ("Goes to the gym twice a week.", "go", "to the gym"),
    "bikes": ("Likes bikes.", "likes", "bikes"),
}
TOLD = [
    ("Sold the car.", "car"),
    ("Traded the Civic in for a van.", "car"),
    ("The Civic was written off.", "car"),
    ("Rehomed the dog.", "dog"),
    ("Found a new home for Biscuit.", "dog"),
    ("Came off the antidepressants.", "pills"),
    ("Benched the keto thing.", "keto"),
    ("Quit the choir.", "choir"),
    ("Bowed out of the choir after ten years.", "choir"),
    ("Hung up the cello.", "cello"),
    ("Put the cello on hold.", "cello"),
    ("Left tabla in October 2026.", "tabla"),
    ("Pulled the plug on Netflix after the price hike.", "netflix"),
    ("Let the Netflix lapse.", "netflix"),
    # near misses
    ("Stopped by the gym.", ""),
    ("Left the gym at 8.", ""),
    ("Almost quit the choir.", ""),
    ("Has not quit the choir.", ""),
    ("Is thinking of leaving the choir.", ""),
    ("Dropped the kids off at school.", ""),
    ("Brother sold the car.", ""),
    ("Sold the bikes.", ""),
    ("Sold the car insurance.", ""),
]


@pytest.mark.parametrize(("said", "over"), TOLD, ids=[said for said, _ in TOLD])
def test_a_verb_ends_what_it_names(said: str, over: str) -> None:
    known = [
        memory(content=content, attribute=attribute, value=value, subject="user", memory_id=name)
        for name, (content, attribute, value) in KNOWN.items()
    ]
    told = proposal(content=said, subject="user", attribute=None, value=None, observed_at=LATER)
    assert [m.memory_id for m in ended(told, known)] == over.split()


def test_who_sells_a_make_may_have_another_car() -> None:
    car = memory(content="Has a car.", attribute="possession", value="car", subject="user")
    told = proposal(content="Sold the Corolla.", subject="user", attribute=None, value=None, observed_at=LATER)
    assert ended(told, [car]) == []


def test_what_is_off_closes_what_was_planned_and_no_errand_about_it() -> None:
    plans = ["Has signed up for the Bath Half on 26 November 2026.", "Has to pay for the race."]
    assert dropped_by("Scratched from the race", plans) == [0]
    assert dropped_by("Ran the race", plans) == []


def test_a_note_of_several_things_does_not_end_with_one() -> None:
    note = memory(content="Salary 3,450, car loan 210, food 400.", attribute=None, value=None, subject="user")
    told = proposal(content="Shelved the car.", subject="user", attribute=None, value=None, observed_at=LATER)
    assert ended(told, [note]) == []


def test_a_verb_that_may_end_something_is_no_end_worth_knowing_by_itself() -> None:
    assert verb_endings(normalise("Shelved the novel."))
    assert not tells_end("Shelved the novel.")


@pytest.mark.parametrize(
    ("attribute", "content", "kind"),
    [("hobby", "Plays tabla.", "pursuit"), (None, "Drives a van.", "thing"), ("health", "Has asthma.", "body")],
)
def test_the_kind_of_a_memory(attribute: str | None, content: str, kind: str) -> None:
    assert kind in kinds_of(attribute, content)
    assert not kinds_of("name", "Is called Ana.")


class TestByLikeness:
    """An ending that shares no word with what it ends."""

    similarity = POLICY.similarity
    told = proposal(content="Gave up the instrument.", subject="user", attribute=None, value=None, observed_at=LATER)
    fiddle = memory(content="Practises Bach suites daily.", attribute="practise", value="Bach", memory_id="bach")
    other = memory(content="Runs a blog.", attribute="run", value="blog", memory_id="blog")

    def test_means_the_one_that_stands_out(self) -> None:
        near = [(self.fiddle, self.similarity.link), (self.other, 0.1)]
        assert likely_ended(self.told, near, self.similarity) == [self.fiddle]

    @pytest.mark.parametrize(("first", "second"), [(0.34, 0.1), (0.5, 0.4)])
    def test_means_none_where_none_does(self, first: float, second: float) -> None:
        assert likely_ended(self.told, [(self.fiddle, first), (self.other, second)], self.similarity) == []

    def test_means_nothing_of_another_kind(self) -> None:
        name = replace(self.fiddle, attribute="name")
        assert likely_ended(self.told, [(name, 0.9)], self.similarity) == []

    def test_means_no_other_part_of_a_body(self) -> None:
        ankle = replace(self.fiddle, attribute="health", content="Has a sprained ankle.", value="sprained ankle")
        better = replace(self.told, content="Their foot is all good again.")
        assert likely_ended(better, [(ankle, 0.6)], self.similarity) == []
        assert likely_ended(replace(better, content="Their joint is all good again."), [(ankle, 0.6)], self.similarity)

    def test_that_only_points_means_the_only_one(self) -> None:
        vague = replace(self.told, content="Gave it up.")
        assert likely_ended(vague, [(self.fiddle, 0.2)], self.similarity) == [self.fiddle]
        assert likely_ended(vague, [(self.fiddle, 0.1)], self.similarity) == []
        assert likely_ended(vague, [(self.fiddle, 0.3), (self.other, 0.2)], self.similarity) == []

    def test_is_for_the_judge_to_say(self) -> None:
        deed = replace(self.told, operation=Operation.CLOSE_OPEN_LOOP)
        found = decide(deed, [Candidate(self.fiddle, 0.6)], self.similarity)
        assert (found.action, found.targets, found.certain) == (Action.CONTRADICT, ("bach",), False)
