"""Answers from memory alone: cited, dated, honest about changes, whose words they are, and what is not known."""

from __future__ import annotations

import re
from typing import Any

import pytest

from memory_pipeline.inference.builtin.answering.answer import answer
from memory_pipeline.inference.replies import AnswerReply
from memory_pipeline_tests.inference.builtin.remembered import CARPENTER, ENGINEER, NOW, memory, numbered, turn


def asked(question: str, items: list[dict[str, Any]]) -> AnswerReply:
    return answer({"question": question, "now": NOW, "items": items})


def told(question: str, *items: dict[str, Any]) -> AnswerReply:
    return asked(question, numbered(*items))


CARPENTERS = [
    ("Where do I live?", "^You live in Hamburg"),
    ("which city am I living in", "Hamburg"),
    ("do I live in Hamburg?", "^Yes: you live in Hamburg"),
    ("what's my name?", "Tessa"),
    ("do you remember my dog's name?", "Bo"),
    ("can you remind me where I work?", "Holzwerk"),
    ("how old am i", "37"),
    ("what do i do for work?", "carpenter"),
    ("who do I work for?", "Holzwerk"),
    ("What does my sister do?", "^Your sister Mira works as a dentist"),
    ("where does Mira live?", "Oslo"),
    ("where does my sister live?", "Oslo"),
    ("what's my sister's name?", "Mira"),
    ("who is Mira?", "sister"),
    ("who is Heike?", "neighbour"),
    ("what is my husband's job?", "pilot"),
    ("am I married?", "^Yes"),
    ("how many kids do I have?", "two"),
    ("what are my kids' names?", "Greta"),
    ("how old is my son?", r"\b6\b"),
    ("what is Greta allergic to?", "strawberries"),
    ("what am I allergic to?", "pollen.*hazelnuts|hazelnuts.*pollen"),
    ("do I have any allergies?", "^Yes.*hazelnuts"),
    ("what's my diet?", "pescatarian"),
    ("what medication do I take?", "levothyroxine"),
    ("how much levothyroxine do I take?", "50 mcg"),
    ("which instrument do I play?", "cello"),
    ("what sport do I play?", "badminton"),
    ("what do I do on Thursdays?", "badminton"),
    ("what languages do I speak?", "German.*Danish|Danish.*German"),
    ("do I speak danish?", "^Yes"),
    ("what car do I drive?", "Skoda"),
    ("what food do I hate?", "coriander"),
    ("do I like coriander?", "^No"),
    ("do I prefer tea or coffee?", "tea"),
    ("which editor do I use?", "Neovim"),
    ("how much rent do I pay?", "1,150"),
    ("when's my birthday?", "14 February"),
    ("what shoe size do I wear?", "39"),
    ("what do I still have to do?", "passport.*roofer|roofer.*passport"),
    ("what's on my to-do list?", "roofer"),
    ("what are my plans?", "Lisbon"),
    ("where am I going in January?", "Lisbon"),
    ("when does my passport need to be renewed?", "3 December"),
    ("do I have to call the roofer?", "roofer"),
    ("when did I visit Porto?", "May 2025"),
    ("where did I study?", "Lübeck"),
    ("which wrist did I break?", "left"),
    ("why did I choose oak?", "lasts longer"),
    ("what illness does my mother have?", "arthritis"),
    ("who is my boss?", "Rolf"),
    ("is my sister a dentist?", "^Yes"),
    ("do I have siblings?", "Mira"),
    ("what breed is my dog?", "corgi"),
    ("how do I like your answers?", "short"),
    ("what do you know about me?", "Tessa.*Hamburg|Hamburg.*Tessa"),
    ("who am I?", "Tessa"),
    ("what do you know about my sister?", "dentist"),
    ("tell me about Jonas", "pilot"),
]
CARPENTERS_UNKNOWN = [
    "how old is my sister?",
    "does my sister have kids?",
    "how old is my husband?",
    "when is my husband's birthday?",
    "how old is Greta?",
    "is Emil allergic to anything?",
    "do I have a girlfriend?",
    "am I allergic to penicillin?",
    "do I take aspirin?",
    "do I play the piano?",
    "do I speak Spanish?",
    "what phone do I have?",
    "what's my favourite colour?",
    "what's my salary?",
    "how tall am I?",
    "when did I visit Tokyo?",
    "have I ever been to Japan?",
    "am I going to Madrid?",
    "what's my blood type?",
    "what's my mother's name?",
    "what is my landlord's name?",
    "do I have a cat?",
    "what's my cat's name?",
    "how old is my dog?",
    "who is Kevin?",
    "what's my wife's name?",
    "where does my mother live?",
    "what is my husband allergic to?",
    "who gave me the sauna?",
    "what time is my flight to Lisbon?",
    "what is the capital of France?",
    "what do you know about quantum physics?",
    "what did you recommend about skiing?",
    "did I finish the sauna?",
    "did I call the roofer?",
    "have I renewed my passport?",
]
ENGINEERS = [
    ("what should you call me?", "Nico"),
    ("whats my job", "data engineer"),
    ("who is my girlfriend?", "Inês"),
    ("what can't I eat?", "gluten"),
    ("am I celiac?", "^Yes"),
    ("is my cat diabetic?", "^Yes"),
    ("do I still take ibuprofen?", "^No"),
    ("what dose of ramipril do I take?", "5 mg"),
    ("what are my health conditions?", "celiac"),
    ("when did my father die?", "2019"),
    ("where is my brother moving?", "Canada"),
    ("when is Luis moving to Canada?", "spring"),
    ("how many daughters does my brother have?", "two"),
    ("what are Luis's daughters called?", "Noa"),
    ("what music do I like?", "indie"),
    ("do I like flying?", "^No"),
    ("what's my favorite team?", "Benfica"),
    ("what's my favourite colour?", "teal"),
    ("do I have a motorbike?", "^No"),
    ("have I sold my motorbike?", "^Yes"),
    ("which keyboard did I buy?", "Yamaha"),
    ("what time is my dentist appointment?", "10:30"),
    ("what do I need to send to Marta?", "tax forms"),
    ("who is Marta?", "accountant"),
    ("what's the budget for the trip?", "2,400"),
    ("how many rooms does my apartment have?", "three"),
    ("when is standup?", "9:15"),
    ("why did we decide on Kafka?", "replay"),
    ("how much do I weigh?", "82"),
    ("what's my height?", r"1\.84"),
    ("do I drink alcohol?", "^No"),
    ("which topics should you avoid?", "divorce"),
    ("how much is my rent?", "870"),
    ("where does Inês work?", "bakery"),
    ("what time does my girlfriend start work?", "4 am"),
    ("how much did the bike repair cost?", "120"),
    ("how many people are in our team?", "seven"),
    ("who is my best mate?", "Bart"),
    ("what did the doctor say?", "ten kilos"),
    ("how long have I lived in Porto?", "March 2026"),
]
ENGINEERS_UNKNOWN = [
    "am I diabetic?",
    "what does my brother do for a living?",
    "do I speak English?",
    "what's my favourite film?",
    "how old is Inês?",
    "does Inês have allergies?",
    "where does my father live?",
    "what colour is my cat?",
    "is Miso a dog?",
    "do I have kids?",
    "what car do I drive?",
    "which bank do I use?",
    "which instrument do I play?",
    "what is my IBAN?",
    "what year was I born?",
    "what's my boss called?",
]


@pytest.mark.parametrize(("question", "says"), CARPENTERS)
def test_what_is_stated_is_answered(question: str, says: str) -> None:
    reply = asked(question, CARPENTER)
    assert reply.known and reply.citations
    assert re.search(says, reply.text)


@pytest.mark.parametrize("question", CARPENTERS_UNKNOWN)
def test_what_is_only_alike_is_no_answer(question: str) -> None:
    reply = asked(question, CARPENTER)
    assert (reply.known, reply.citations) == (False, [])
    assert reply.text.startswith("I do not know")


@pytest.mark.parametrize(("question", "says"), ENGINEERS)
def test_other_wordings(question: str, says: str) -> None:
    reply = asked(question, ENGINEER)
    assert reply.known and reply.citations
    assert re.search(says, reply.text)


@pytest.mark.parametrize("question", ["Who won the cup?", "?", "", *ENGINEERS_UNKNOWN])
def test_not_known(question: str) -> None:
    reply = asked(question, ENGINEER)
    assert (reply.known, reply.citations) == (False, [])


def test_an_answer_says_what_it_cites() -> None:
    reply = asked("What am I allergic to?", CARPENTER)
    said = [f"You are allergic to {what} (you told me 2 months ago)." for what in ("hazelnuts", "pollen")]
    assert reply == AnswerReply(text=" ".join(said), citations=["i20", "i21"], known=True)


def test_nothing_remembered_is_not_known() -> None:
    assert not told("Where do I live?").known


PAST = [
    (CARPENTER, "where did I live before?", "^You lived in Kiel .*until 1 October 2026"),
    (CARPENTER, "Where did I live before Hamburg?", "Kiel"),
    (CARPENTER, "what was my previous employer?", "Bauhaus"),
    (CARPENTER, "did I ever live in Kiel?", "lived in Kiel"),
    (CARPENTER, "did I use to smoke?", "^Yes: you smoked"),
    (ENGINEER, "where was I living before Porto?", "Lyon"),
    (ENGINEER, "what database did I use before?", "MySQL"),
    (ENGINEER, "who was I married to?", "Clara"),
    (ENGINEER, "who was my wife?", "Clara"),
]


@pytest.mark.parametrize(("items", "question", "says"), PAST)
def test_the_past_is_told_where_it_is_asked_for(items: list[dict[str, Any]], question: str, says: str) -> None:
    reply = asked(question, items)
    assert reply.known
    assert re.search(says, reply.text)


@pytest.mark.parametrize(("question", "was"), [("Where do I live?", "Kiel"), ("what's my diet?", "vegan")])
def test_the_past_is_not_told_where_it_is_not_asked_for(question: str, was: str) -> None:
    assert was not in asked(question, CARPENTER).text


STILL = [
    (CARPENTER, "do I still live in Kiel?", "^No, not any more: you lived in Kiel .* You live in Hamburg"),
    (CARPENTER, "am I still vegan?", "^No, not any more: you were vegan .* You are pescatarian"),
    (CARPENTER, "do I still smoke?", "^No, not any more: you smoked"),
    (ENGINEER, "am I still married to Clara?", "^No, not any more"),
]


@pytest.mark.parametrize(("items", "question", "says"), STILL)
def test_what_has_ended_is_a_no(items: list[dict[str, Any]], question: str, says: str) -> None:
    reply = asked(question, items)
    assert reply.known and reply.citations
    assert re.search(says, reply.text)


def test_whom_one_is_no_longer_with() -> None:
    gone = memory("Has a girlfriend called Paula.", "partner", "Paula", status="superseded", until="2026-10-01")
    over = memory("Broke up with Paula.", "relationship_status", "single", at="2026-10-01")
    reply = told("Am I still together with Paula?", gone, over)
    assert reply.text.startswith("No, not any more: you had a girlfriend called Paula")
    assert "You broke up with Paula" in reply.text
    assert not told("Am I together with Petra?", gone, over).known


def test_another_place_is_no_denial() -> None:
    home = memory("Lives in Barcelona.", "residence", "Barcelona")
    assert told("do I live in Spain?", home).text == "You live in Barcelona (you told me 2 months ago)."


def test_only_what_ended_is_known_and_nothing_after() -> None:
    reply = told("Where do I work?", memory("Works at Google.", "employer", "Google", status="superseded"))
    assert not reply.known
    assert reply.text.startswith("I do not know what holds now. You worked at Google")


def test_a_turn_behind_a_memory_that_no_longer_holds_is_no_answer() -> None:
    gone = memory("Works at Google.", "employer", "Google", status="contradicted", evidence=("m-1",))
    said = turn("I work at Google and my desk is by the window.", evidence=("m-1",))
    assert not told("Where do I work?", gone, said).known
    assert told("Where is my desk?", gone, said).known


def test_whose_words_they_are() -> None:
    said = turn("I put the spare key under the blue pot.")
    assert told("where is the spare key?", said).text == (
        'You said 2 months ago: "I put the spare key under the blue pot."'
    )
    advice = turn("I'd suggest the night train to Vienna.", role="assistant")
    assert told("which train did you suggest?", advice).text == (
        'I said 2 months ago: "I\'d suggest the night train to Vienna."'
    )


@pytest.mark.parametrize("question", ["which train do I take?", "where am I going?", "do I take the night train?"])
def test_the_assistants_words_are_never_the_users(question: str) -> None:
    advice = turn("I take the night train to Vienna.", role="assistant")
    assert told(question, advice).known is False


def test_memories_speak_before_turns() -> None:
    reply = told("where do I live?", turn("I live in a tiny place in Graz."), memory("Lives in Graz.", "residence"))
    assert reply.text == "You live in Graz (you told me 2 months ago)."
    assert reply.citations == ["i2"]


def test_the_last_of_what_is_one_at_a_time() -> None:
    first = memory("Is 29 years old.", "age", "29", at="2026-01-01")
    assert "30" in told("how old am I?", memory("Is 30 years old.", "age", "30"), first).text
    assert "29" not in told("how old am I?", memory("Is 30 years old.", "age", "30"), first).text


def test_a_later_change_replaces_what_it_names() -> None:
    before = memory("Deploys the app on Fly.io.", at="2026-03-01")
    moved = memory("Moved the app from Fly.io to Hetzner.", type="episodic_event", at="2026-09-01")
    assert "Hetzner" in told("where do we deploy the app?", before, moved).text


def test_who_lives_with_the_user_lives_where_the_user_does() -> None:
    assert "Leeds" in told("where do I live?", memory("Grandmother lives in Leeds with them.", subject="mother")).text


OTHER_LANGUAGES = [
    ("Onde moro?", "Mudámos para Guimarães no fim de semana.", True),
    ("我住在哪里？", "我上周搬到了上海，现在在一家医院当护士。", True),
    ("Bin ich gegen etwas allergisch?", "Ich bin allergisch gegen Katzen.", True),
    ("¿A qué soy alérgica?", "Soy alérgica a los cacahuetes.", True),
    ("Che lavoro faccio?", "Faccio l'elettricista a Bari.", True),
    ("Wat voor werk doe ik?", "Ik werk overdag als bakker.", True),
    ("En qué trabajo?", "Soy maestra en un colegio.", True),
    ("En qué trabajo?", "Soy alérgica a los gatos.", False),
    ("Wie heißt mein Hund?", "Mein Hund heißt Balu.", True),
    ("Wie heißt mein Hund?", "Ich wohne seit drei Jahren in Köln.", False),
    ("¿Cuándo es mi cumpleaños?", "Me gusta mucho el teatro de mi barrio.", False),
]


@pytest.mark.parametrize(("question", "said", "known"), OTHER_LANGUAGES)
def test_other_languages(question: str, said: str, known: bool) -> None:
    reply = told(question, turn(said))
    assert reply.known is known
    assert (said in reply.text) is known


def test_what_was_so_before_is_asked_for_in_other_languages_too() -> None:
    first, second = "Vivo en Sevilla con mi perro.", "Ya nos pasamos a Cádiz."
    turns = (turn(first, observed_at="2026-08-01T10:00:00+00:00"), turn(second))
    assert second in told("¿Dónde vivo ahora?", *turns).text
    assert first in told("¿Dónde vivía antes?", *turns).text
    assert not told("¿Dónde vivía antes?", turns[0]).known


class TestWhatComesNearest:
    """Nothing states the answer by its wording; what is near in meaning is named, and seldom passes for one."""

    def test_is_a_hint_beside_the_honest_not_known(self) -> None:
        reply = told("what gets me through the night shift?", {**memory("Drinks mate at work."), "near": 0.5})
        assert not reply.known and not reply.citations
        assert "What comes nearest" in reply.text and "mate" in reply.text

    def test_passes_for_an_answer_where_it_names_the_kind_of_thing_asked_for(self) -> None:
        near = {**memory("Takes always the aisle seat."), "near": 0.5}
        assert told("which seat do I like?", near).known
        assert not told("which seat do I like?", {**near, "near": 0.1}).known

    @pytest.mark.parametrize("question", ["what is the nurse's name?", "what's my salary at Kelo?"])
    def test_a_name_or_a_number_near_by_is_none(self, question: str) -> None:
        items = [
            {**turn("I phoned the nurse about Dad's falls, two this week."), "near": 0.7},
            {**turn("Starting at Kelo on 29 November, team of five."), "near": 0.7},
        ]
        assert not told(question, *items).known

    def test_what_is_far_is_not_mentioned(self) -> None:
        assert "nearest" not in told("what is my blood type?", {**memory("Plays the cello."), "near": 0.05}).text

    def test_what_a_question_takes_for_granted_is_told_as_asked_and_never_as_known(self) -> None:
        asked = {**turn(""), "sentences": (), "questions": ("Which phone case fits my Pixel 7?",), "near": 0.7}
        reply = told("which phone do I have?", asked)
        assert not reply.known and not reply.citations
        assert "You asked" in reply.text and "Pixel 7" in reply.text

    def test_of_equals_the_first_found_comes_first_and_of_the_past_the_earliest(self) -> None:
        one = {**memory("Rides a Vespa on Sundays."), "near": 0.4}
        other = {**memory("Cycles on Mondays to the harbour."), "near": 0.4}
        reply = told("how do I get about?", one, other)
        assert reply.text.index("Vespa") < reply.text.index("harbour")
        late = {**one, "observed_at": "2026-09-05T10:00:00+00:00"}
        reply = told("how did I get about before?", late, other)
        assert reply.text.index("harbour") < reply.text.index("Vespa")

    def test_several_are_told_best_first_and_one_message_once(self) -> None:
        reply = told(
            "where did I meet my coach?",
            {**memory("Was taught rowing in Kent.", evidence=("m1",)), "near": 0.5},
            {**turn("I was taught rowing in Kent by an old hand.", evidence=("m1",)), "near": 0.45},
            {**memory("Trains in Dover on Sundays.", evidence=("m2",)), "near": 0.42},
        )
        assert not reply.known
        assert reply.text.count("rowing") == 1
        assert reply.text.index("Kent") < reply.text.index("Dover")

    def test_comes_beside_what_no_longer_holds(self) -> None:
        gone = memory("Lives in Kent.", "residence", "Kent", status="superseded", until="2026-10-01")
        reply = told("where do I live?", gone, {**memory("Weekend as a Dover resident."), "near": 0.6})
        assert not reply.known
        assert "Kent" in reply.text and "Dover" in reply.text

    def test_a_corrected_figure_is_told_as_it_was_corrected(self) -> None:
        first = {**turn("My best is 3:42, on a flat course."), "near": 0.5}
        later = turn("My best is 3:41, not 3:42.", observed_at="2026-09-05T10:00:00+00:00")
        reply = told("what is my marathon time?", first, {**later, "near": 0.2})
        assert "3:41" in reply.text and "flat" not in reply.text

    def test_what_is_over_counts_where_the_past_is_asked_for(self) -> None:
        gone = {**memory("Shares a house in Cork with two nurses.", status="superseded"), "near": 0.3}
        assert "Cork" in told("where did I live before?", gone).text
        assert "Cork" not in told("where do I live?", gone).text


class TestWhatWasSaidSince:
    """An answer that something said later may have changed says so."""

    LATER = "2026-09-05T10:00:00+00:00"
    TOLD = memory("Has an interview at the museum on 21 November 2026.")

    def test_stands_beside_the_answer(self) -> None:
        since = {**turn("I am seeing them on Tuesday 1 December instead.", observed_at=self.LATER), "near": 0.25}
        reply = told("when is my interview?", self.TOLD, since)
        assert reply.known and len(reply.citations) == 2
        assert "21 November" in reply.text and "Since then" in reply.text and "1 December" in reply.text

    @pytest.mark.parametrize(
        ("said", "near", "at"),
        [
            ("I am seeing them on Tuesday 1 December.", 0.25, LATER),  # tells of no change
            ("I am seeing them on Tuesday 1 December instead.", 0.1, LATER),  # of something else
            ("I am seeing them on Tuesday 1 December instead.", 0.25, "2026-01-01T10:00:00+00:00"),  # before
            ("I take the bus instead.", 0.25, LATER),  # tells no time
        ],
    )
    def test_stands_there_only_where_it_tells_of_a_change_of_it(self, said: str, near: float, at: str) -> None:
        reply = told("when is my interview?", self.TOLD, {**turn(said, observed_at=at), "near": near})
        assert reply.known and "Since then" not in reply.text

    def test_what_somebody_else_changed_counts_where_it_is_near(self) -> None:
        own = memory("Takes losartan 50 mg every morning.", "medication", "losartan")
        raised = memory("Doctor raised losartan to 100 mg.", subject="doctor", observed_at=self.LATER)
        assert "100 mg" in told("how much losartan do I take?", own, {**raised, "near": 0.7}).text
        assert "100 mg" not in told("how much losartan do I take?", own, {**raised, "near": 0.4}).text


def test_a_thing_is_called_what_is_said_to_be_its_name() -> None:
    shop = turn("I own a barbershop in Atlanta.")
    assert not told("what is my barbershop called?", shop).known
    assert "Fade" in told("what is my barbershop called?", shop, turn("My barbershop is called Fade.")).text


class TestWhetherSomethingIsGoodForTheUser:
    """What restricts them is told; it is an answer where it is about the thing itself, or much like it."""

    COELIAC = memory("Is coeliac.", "health", "coeliac")
    SHELLFISH = memory("Is allergic to shellfish.", "allergy", "shellfish")

    @pytest.mark.parametrize(
        "question",
        [
            "can I have a normal pizza?",
            "is soup from a packet ok for me?",
            "would a lager suit me?",
            "should I eat this?",
        ],
    )
    def test_what_bears_on_it_is_told_beside_the_not_known(self, question: str) -> None:
        reply = told(question, {**self.COELIAC, "near": 0.2}, {**memory("Lives in Kent."), "near": 0.2})
        assert not reply.known and not reply.citations
        assert "coeliac" in reply.text and "Kent" not in reply.text

    def test_what_is_much_like_the_thing_is_an_answer(self) -> None:
        near, far = {**self.SHELLFISH, "near": 0.5}, {**self.SHELLFISH, "near": 0.2}
        assert told("can I eat prawns?", near).known
        assert not told("can I eat prawns?", far).known

    def test_a_wish_that_names_the_thing_is_an_answer(self) -> None:
        reply = told("is it fine to cook with wine for me?", memory("No recipes with wine in them for them."))
        assert reply.known and "wine" in reply.text

    def test_what_ails_them_is_told_beside_what_is_like_it(self) -> None:
        asthma = {**memory("Has asthma.", "health", "asthma"), "near": 0.2}
        candles = {**memory("Cannot have candles.", "eats", "candles", negated=True), "near": 0.5}
        reply = told("can I go to a bonfire?", candles, asthma)
        assert reply.known and "candles" in reply.text and "asthma" in reply.text

    def test_a_sentence_about_nobody_bears_on_it_and_one_about_a_friend_does_not(self) -> None:
        penicillin = "Amoxicillin is no good after what penicillin did."
        assert "penicillin" in told("can I take amoxicillin?", memory(penicillin)).text
        friend = memory("Friend Ben is allergic to amoxicillin.", "allergy", "amoxicillin", subject="friend ben")
        assert not told("can I take amoxicillin?", friend).known

    def test_what_says_yes_or_no_comes_first(self) -> None:
        reply = told("can I eat cheese?", memory("Cannot eat cheese.", "eats", "cheese", negated=True))
        assert reply.known and reply.text.startswith("No")

    def test_nothing_is_known_where_nothing_restricts(self) -> None:
        assert not told("can I eat prawns?", memory("Plays the cello.", "hobby", "cello")).known


def test_a_corrected_figure_takes_the_place_of_the_first() -> None:
    first = turn("I have 412 ewes on the hill.", observed_at="2026-09-01T10:00:00+00:00")
    later = turn("Counted again, it's 421 ewes not 412.", observed_at="2026-09-03T10:00:00+00:00")
    assert "421" in told("how many ewes do I have?", first, later).text


def test_a_question_in_the_past_tense_finds_what_was() -> None:
    was = memory("Was a school librarian.", "former_occupation", "school librarian")
    assert "librarian" in told("what work did I do?", was).text


def test_the_firm_that_one_is_with_is_the_employer() -> None:
    assert "Larch" in told("which brokerage am I with?", memory("Works at Larch.", "employer", "Larch")).text


def test_a_short_sentence_is_told_with_what_goes_on_about_it() -> None:
    said = turn(
        "My hip mostly.", "They are doing the left one.", "Anyway, the roof of the old barn has a leak as of this week."
    )
    reply = told("which hip hurts?", {**said, "near": 0.5})
    assert "left one" in reply.text and "barn" not in reply.text


def test_what_one_cannot_eat_is_a_list_however_it_is_asked_for() -> None:
    nuts = memory("Cannot eat nuts.", "eats", "nuts", negated=True)
    eggs = memory("Is allergic to eggs.", "allergy", "eggs", at="2026-08-01")
    reply = told("is there anything I can't eat?", nuts, eggs)
    assert reply.known and "nuts" in reply.text and "eggs" in reply.text


class TestBeforeSomething:
    """ "Before X" asks for what filled the attribute that X fills now."""

    NOW = memory("Takes apixaban.", "medication", "apixaban")

    def test_is_what_filled_the_same_attribute(self) -> None:
        was = memory("No longer takes warfarin.", "medication", "warfarin", negated=True)
        reply = told("what did I take before apixaban?", self.NOW, was, memory("Takes the bus.", "transport", "bus"))
        assert reply.known and reply.text.startswith("You took warfarin")
        assert "bus" not in reply.text

    def test_is_not_known_of_what_nothing_tells(self) -> None:
        assert not told("what did I take before apixaban?", self.NOW).known


class TestWhoSomebodyIs:
    @pytest.mark.parametrize("said", ["Priya my wife had a long day.", "My wife Priya had a long day."])
    def test_is_told_by_the_turn_that_introduces_them(self, said: str) -> None:
        works = memory("Wife works as a solicitor.", "occupation", "solicitor", subject="wife")
        assert "solicitor" in told("what is Priya's job?", turn(said), works).text
        assert not told("what is Priya's job?", works).known

    def test_goes_on_with_the_pronoun(self) -> None:
        seeing = turn("I'm seeing someone called Isla, she's a librarian.")
        assert told("what does Isla do for a living?", seeing).known
        assert not told("what do I do for a living?", seeing).known

    def test_of_somebody_is_not_that_somebody(self) -> None:
        daughter = memory("Has a daughter called Elif.", "family", "Elif")
        assert not told("who is my daughter's doctor?", daughter).known


@pytest.mark.parametrize(
    ("question", "said", "age"),
    [
        ("how old is my mother?", "My mother (72) lives with me now.", "72"),
        ("how old is Rory?", "I have the kids this week, Ava 9 and Rory 5.", "Rory 5"),
    ],
)
def test_an_age_stands_beside_a_name(question: str, said: str, age: str) -> None:
    reply = told(question, turn(said))
    assert reply.known and age in reply.text
    assert not told("how old is Wade?", turn(said)).known
    assert not told("how old is Wade?", turn("Wade, 5 km is enough.")).known


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what is my husband's job?", "Husband Kelvin is overseas for a month, pilot with Scoot."),
        ("what medicine do I take?", "Keeps high blood pressure under control with amlodipine."),
        ("which medicine am I on?", "They are off the warfarin and on Eliquis."),
        ("where do I study?", "4th year med student in Utrecht."),
    ],
)
def test_a_word_of_a_class_tells_the_attribute(question: str, said: str) -> None:
    reply = told(question, memory(said, subject="husband kelvin" if "Kelvin" in said else "user"))
    assert reply.known and said.rsplit(" ", 1)[1].rstrip(".") in reply.text


@pytest.mark.parametrize("moved", ["Has shifted from Kothrud to Baner.", "Relocated from Kothrud to Baner."])
def test_where_one_lived_is_told_by_where_one_moved_from(moved: str) -> None:
    assert "Kothrud" in told("where did I live before?", memory(moved)).text


def test_what_has_been_got_answers_whether_one_got_it() -> None:
    assert told("did I get the tickets?", turn("Tickets bought at last.")).text.startswith("Yes")


def test_what_is_gone_is_a_no_and_what_only_stands_before_another_noun_is_no_answer() -> None:
    gone = told("do I still have the Massey?", turn("The Massey's gone, a man from Mallow took it."))
    assert gone.known and not gone.text.startswith("Yes")
    assert not told("do we have a pool?", turn("I pay the pool man 190 euros a month.")).known
    assert told("do we have a pool?", turn("We have a small pool in the garden.")).text.startswith("Yes")


def test_a_question_for_one_of_two_things_gets_no_yes() -> None:
    assert told("do I rent or own?", memory("Rents a flat in Leeds.", "rent", "flat")).text.startswith("You rent")


def test_what_somebody_unknown_has_is_none_of_the_users_people() -> None:
    assert not told("how many kids do I have?", turn("btw my clan leader is 34 and has 3 kids")).known


def test_units_and_kinds_of_animals_are_known_by_other_names() -> None:
    dose = memory("Takes warfarin, 4 mg every evening.", "medication", "warfarin")
    assert "4 mg" in told("how many milligrams of warfarin do I take in the evening?", dose).text
    assert told("what kind of bird do we have?", memory("Has a parrot called Koko.", "pet", "parrot")).known
