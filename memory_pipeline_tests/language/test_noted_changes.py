"""Changes that are noted in passing, written out as statements."""

from __future__ import annotations

import pytest

from memory_pipeline.language.normalisation.changes import changed

CHANGES = {
    "Dr Asante has taken the water tablet away, she says I can do without": "I no longer take water tablet",
    "they've stopped my cholesterol pills": "I no longer take cholesterol pills",
    "handed the keys back on the 3rd because the landlord is selling": (
        "I moved out on the 3rd because the landlord is selling"
    ),
    "I'm in my aunt's spare room in Crewe now": "I live in Crewe now, in my aunt's spare room now",
    "no time to train so I gave my Snowdon place back": "I pulled out of Snowdon",
    "results were low so I'm up to 50 on the thyroid pill": "I take thyroid pill 50 now",
    "choir has moved to Mondays": "My choir is on Mondays now",
    "I'm in a small flat in Ghent now": "I live in Ghent now",
    "new job is Corvid Labs from 3 May": "I work at Corvid Labs from 3 May now",
    "first week at corvid done": "I started at Corvid",
    "Pastry chef at Lumo, start 3 May": "I work as a pastry chef at Lumo from 3 May",
    "our landlord changed, it's Mr Orban now": "My landlord is Mr Orban now",
    "Lea has pushed the audit, it is now for 3 May": "The audit was moved to 3 May",
    "they moved my exam to June instead of May": "they moved my exam to June",
    "no more cakes, only bread": "we no longer do cakes, we do only bread now",
    "down to 2 swims a week": "I swim 2 times a week now",
    "rowing now, twice a week": "I do rowing now, twice a week",
    "GP put the ramipril up to 10": "GP increased my ramipril to 10",
    "game night's changed to Mondays": "My game night is on Mondays now",
    "Turku is home now": "I live in Turku now",
    "first weekend as a Turku resident": "I live in Turku now",
    "we've settled into the new place in Turku": "I live in Turku now",
    "got the keys to my own flat in Turku": "I live in Turku now",
    "my new address is in Turku": "I live in Turku now",
    "the bakery has moved, we're now at Leith": "My bakery moved to Leith",
    "got a start at the docks": "I got a job at the docks",
    "me and Lea are done": "I broke up with Lea",
    "Lea and I have ended it": "I broke up with Lea",
    "me and lea have split": "I broke up with lea",
    "the doc's put me up to 100 on the sertraline": "the doc changed my sertraline to 100",
    "I caved, eating chicken again": "I eat chicken again",
    "not vegan any more": "I am no longer vegan",
    "ten days without a smoke": "I quit smoking",
    "somebody stole my Vespa last night": "My Vespa was stolen last night",
    "the whole flock went to a chap from Bala": "I no longer have my flock",
    "tuba I gave up last month": "I gave up tuba last month",
    "I've raised my rate to 9 euros": "My rate is 9 euros now",
    "we've decided against the camper": "I no longer plan to do the camper",
    "I've dropped the drums idea": "I no longer plan to do drums",
    "I'm not doing the half marathon after all": "I no longer plan to do the half marathon",
    "no need to collect the keys after all": "I no longer have to collect the keys",
    "the form is no longer needed": "I no longer have to do form",
    "I switched from law to nursing": "I study nursing now",
    "officially linguistics": "I study linguistics now",
    "nurse here in Turku": "I work as a nurse and I live in Turku",
    "left ankle is swollen": "My left ankle is swollen",
    "wrist good as gold": "My wrist is good as gold",
    "fully fit now": "I am fully fit again",
    "we're on 3.12 now": "We run version 3.12 now",
}
LEFT = [
    "no more questions",
    "we moved to Ghent",
    "I'm in Ghent now",
    "choir was lovely",
    "I'm in a hurry now",
    "me and Lea are done with the shed",
    "when I stopped smoking",
    "my nurse in Turku",
    "I'm not doing the dishes",
    "there is no need to worry",
    "now on Tuesdays",
    "ten days without rain",
    "the parcel went to a museum of modern art",
]


@pytest.mark.parametrize(("text", "statement"), CHANGES.items(), ids=CHANGES)
def test_a_noted_change_is_a_statement(text: str, statement: str) -> None:
    assert changed(text) == statement


@pytest.mark.parametrize("text", LEFT)
def test_other_sentences_are_left_alone(text: str) -> None:
    assert changed(text) == ""
