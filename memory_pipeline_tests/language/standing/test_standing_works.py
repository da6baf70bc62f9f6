"""Whose words: works shown for a verdict, letters to the assistant, what a question tells, mockery, games."""

from __future__ import annotations

import pytest

from memory_pipeline.language.standing import Standing, Turn, spans

OWN, FOREIGN, REQUEST, QUESTION = Standing.OWN, Standing.FOREIGN, Standing.REQUEST, Standing.QUESTION
HYPOTHETICAL, REPORTED, FILLER = Standing.HYPOTHETICAL, Standing.REPORTED, Standing.FILLER


def standing_of(message: str, part: str, before: tuple[Turn, ...] = ()) -> Standing:
    at = message.index(part)
    found = [s for s in spans(message, before) if s.start <= at < s.end]
    assert len(found) == 1, (part, found)
    return found[0].standing


WORKS = [
    (
        "I'm polishing chapter four of my crime novel. Tell me if the rhythm works:\n\n"
        "My name is Detective Ilse Brandt and I have been sober for nine years. I live above a butcher's.",
        ("My name is Detective", "I live above"),
    ),
    ("I've rewritten my vows. Be honest, too sappy?\n\nI met you in a laundrette. I own one sock.", ("I met", "I own")),
    ("Opening of my memoir, any good?\n\nI was nine when my father left.", ("I was nine",)),
    ("Is my CV any good for that?\n\nI worked at Lidl for 6 years.", ("I worked at Lidl",)),
    ("First page below.\n\nI am the last fisherman in Skye. I smoke forty a day.", ("I am the last", "I smoke")),
    ("poem for my writing group, feedback welcome\n\nI keep three hounds\nI never lie", ("I keep", "I never lie")),
    ("Short story, first draft\n\nI keep bees. My sister keeps grudges.", ("I keep bees", "My sister keeps")),
    ("Does the pacing drag here?\n\nI ran. I have always been the one who runs.", ("I ran", "I have always")),
    ("make this linkedin post less cringe:\n\nI'm thrilled that I've joined Accenture.", ("I'm thrilled",)),
    ("make my bio sound less smug:\nI run a gallery in Basel", ("I run a gallery",)),
    ("Which of these sounds better?\n(a) I feel tired most days\n(b) I am often exhausted", ("I feel", "I am often")),
    ("I need test data for a classifier, more like these:\n- I hate this phone\n- My daughter loves it", ("I hate",)),
    ("play devil's advocate: I think cars should be banned and I hate bikes", ("I think", "I hate bikes")),
    ("Rewrite in past tense. I go to school. My brother works in Rome.", ("I go to school", "My brother")),
    ("Fill in the verbs: I (be) a teacher and I (live) in London.", ("I (be)",)),
    ("what's this song called, it goes I've been a wild rover for many a year", ("I've been",)),
    ("there's this meme: I own a boat, dog edition", ("I own a boat",)),
    ("Ich wohne in Berlin und habe zwei Kinder. translate please", ("Ich wohne",)),
    ("he told me, quote, I have a new girlfriend, unquote.", ("I have a new girlfriend",)),
]


@pytest.mark.parametrize(("message", "parts"), WORKS)
def test_a_work_shown_for_a_verdict_or_an_exercise_is_not_the_users_word(message: str, parts: tuple[str, ...]) -> None:
    assert OWN not in {standing_of(message, part) for part in parts}


OWN_BESIDE_WORKS = [
    ("I'm writing a novel and I'm stuck.\n\nI have two kids and no time.", ("I'm writing a novel", "I have two kids")),
    ("my novel is finally done!\n\nI also quit smoking last week.", ("my novel is", "I also quit")),
    ("My thesis is due in May. Is that realistic?\n\nI work 30 hours a week.", ("My thesis", "I work 30")),
    ("My blog is about bees. Is it too niche?\n\nI have 200 readers.", ("My blog", "I have 200")),
    (
        "Write my wedding speech. I'm the father of the bride.\n\nShe's a vet in Kent.",
        ("I'm the father", "She's a vet"),
    ),
    ("I give a speech tomorrow! Tell me how to calm down:\n\nI shake and I sweat.", ("I give a speech", "I shake")),
    ("Tell me if this is realistic: I earn 3000 a month", ("I earn 3000",)),
    ("Tell me what's wrong with me: I sleep 4 hours", ("I sleep 4",)),
    ("please correct me if I'm wrong. I have two nephews", ("I have two nephews",)),
    ("Can you change the verb in my tattoo idea? I want Latin.", ("I want Latin",)),
    ("I'm Ana and I live in Porto. Correct?", ("I'm Ana",)),
]


@pytest.mark.parametrize(("message", "parts"), OWN_BESIDE_WORKS)
def test_speaking_of_ones_work_is_the_users_word(message: str, parts: tuple[str, ...]) -> None:
    assert {standing_of(message, part) for part in parts} == {OWN}


LETTERS_TO_THE_ASSISTANT = [
    (
        "Good morning,\n\nI am the treasurer of a rowing club in Henley and I would be grateful for your assistance. "
        "Please reply in British English and without any bullet points; I find them tiresome.\n\n"
        "Kind regards,\nRosalind Thackeray",
        ("I am the treasurer", "Please reply in British", "I find them tiresome", "Rosalind Thackeray"),
    ),
    ("Dear assistant,\n\nI am 82. Please write short paragraphs.\n\nYours,\nWilfred", ("I am 82", "Please", "Wilfred")),
    ("Hello there,\n\nI'm a vegetarian. We need five dinners.\n\nThanks!\nJo", ("I'm a vegetarian", "Jo")),
    (
        "Dear Sir or Madam,\n\nI wake at two. What might be done?\n\nWith kind regards,\nA. Lindqvist",
        ("I wake at two",),
    ),
    ("Greetings,\n\nI run a mill. Could you suggest a name?\n\nWarm regards\nUlf Persson", ("I run a mill", "Ulf")),
    ("I run a chess club. Please answer in French.\n\nKind regards,\nMarc Dubois", ("I run", "Marc Dubois")),
]


@pytest.mark.parametrize(("message", "parts"), LETTERS_TO_THE_ASSISTANT)
def test_a_letter_to_the_assistant_is_the_users_word(message: str, parts: tuple[str, ...]) -> None:
    assert {standing_of(message, part) for part in parts} == {OWN}


LETTERS_TO_OTHERS = [
    ("Hello,\n\nI moved to Porto. We miss you all!\n\nLove,\nAnna", "I moved"),
    ("Good afternoon,\n\nI am writing to complain. I have been your tenant for six years.\n\nSincerely,\nMo", "I have"),
    ("can you make this friendlier\n\nGood morning,\n\nI am on sick leave.\n\nBest regards,\nOle", "I am on"),
    ("Good morning, can you shorten this?\n\nDear Ann,\n\nI sold the boat.\n\nKind regards,\nTim", "I sold"),
    ("Dear friend,\n\nI am a prince. Please reply with your account.\n\nYours,\nPrince Okoye", "I am a prince"),
]


@pytest.mark.parametrize(("message", "part"), LETTERS_TO_OTHERS)
def test_a_letter_to_somebody_else_stays_foreign(message: str, part: str) -> None:
    assert standing_of(message, part) is FOREIGN


def test_the_name_under_a_letter_is_marked_as_a_signature() -> None:
    message = "Hello,\n\nI keep bees. Any tips?\n\nKind regards,\nHonor Pemberton"
    last = spans(message)[-1]
    assert (message[last.start : last.end], last.standing, last.why) == ("Honor Pemberton", OWN, "signed")
    assert standing_of(message, "Kind regards") is FILLER


TOLD_AND_ASKED = [
    ("did you know my sister is getting married?", "my sister", "did you"),
    ("did I tell you that I moved to Bonn?", "I moved", "did I tell"),
    ("can you believe my boss fired Anna?", "my boss", "can you"),
    ("guess what, I got the job!", "I got", "guess"),
    ("I sell 200 boxes a week, so laddu?", "I sell", "laddu"),
    ("I'm coeliac, soy sauce ok?", "I'm coeliac", "soy sauce"),
    ("we live on the fifth floor so no piano?", "we live", "no piano"),
]


@pytest.mark.parametrize(("message", "told", "asked"), TOLD_AND_ASKED)
def test_a_question_that_tells_something(message: str, told: str, asked: str) -> None:
    assert (standing_of(message, told), standing_of(message, asked)) == (OWN, QUESTION)


@pytest.mark.parametrize(
    "message",
    ["did you know octopuses have three hearts?", "do you remember where I live?", "did you know my name?"],
)
def test_a_question_that_tells_nothing_of_the_user(message: str) -> None:
    assert {s.standing for s in spans(message)} == {QUESTION}


MOCKERY = [
    "yeah and I'm a millionaire, might buy a yacht",
    "sure, and I'm the pope",
    "yeah right, and I'm the queen of England",
    "I'd rather eat my own shoes",
    "I'd rather die than move back to Slough",
    "I could eat a horse",
    "sure, because I'm made of money",
    "oh great, I just love Mondays",
    "I just love spending my Sundays with this printer",
]


@pytest.mark.parametrize("message", MOCKERY)
def test_mockery_is_not_meant(message: str) -> None:
    assert {s.standing for s in spans(message)} <= {HYPOTHETICAL, FILLER}


@pytest.mark.parametrize(
    "message",
    [
        "yeah and I'm a nurse too",
        "and I'm the president of our chess club",
        "I'd rather have tea than coffee",
        "I really love paperwork, that's why I became an archivist",
        "we start a campaign at work to save paper",
        "juno: eggs. properly, hospital once",
    ],
)
def test_what_merely_resembles_mockery_is_meant(message: str) -> None:
    assert {s.standing for s in spans(message)} == {OWN}


GAMES = [
    ("Let's play D&D. You are the dungeon master, I'm Thalion the elf ranger.", "I draw my sword."),
    ("start a text adventure in a haunted castle", "I'm a thief by trade, so I check the lock."),
    ("be an interviewer for a bank, I'll answer as someone called Greta", "I'm married and I own a farm"),
    ("You are a game master. Lead me through a world.", "I have a torch in my hand."),
    ("talk to me as M, I'm 007", "I live in Chelsea and I love martinis."),
]


@pytest.mark.parametrize(("opening", "move"), GAMES)
def test_moves_in_a_game_are_not_the_users_life(opening: str, move: str) -> None:
    assert {s.standing for s in spans(move, (Turn("user", opening), Turn("assistant", "Very well. Go on!")))} == {
        FOREIGN
    }


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("my wife is like I'm not cooking anymore", "I'm not cooking"),
        ("my gran goes I've never owned a phone", "I've never"),
        ("My colleague's out of office says I am on leave until June.", "I am on leave"),
    ],
)
def test_what_somebody_says_in_ones_own_sentence_is_reported(message: str, part: str) -> None:
    assert standing_of(message, part) is REPORTED


LED_IN = [
    ("My boss emailed everyone: I am stepping down in March", "I am stepping"),
    ("Our bot answers like this: I live in the cloud", "I live"),
    ("I wanna send her: i quit smoking for you", "i quit"),
    ("Speak as Cleopatra. Start with: I am the last of my line.", "I am the last"),
    ("From the Airbnb listing: We live upstairs and we have two dogs.", "We live"),
    ("Punctuate this: dear nan i am well i got a rabbit", "i got"),
    ("Witness account, tidy up: I saw the van. I know the driver.", "I know"),
    ("Could you formalise my colleague's statement? I saw the van.", "I saw"),
    ("subject line for this? I'm leaving the firm on Friday", "I'm leaving"),
    ("Model answer: I want to grow and I love your product.", "I love"),
    ("Make it rhyme: I love my wife", "I love"),
    ("riddle: I have cities but no houses. what am i", "I have"),
    ("Write the next line. I opened the box and my hands shook.", "my hands"),
    ("What does he mean by I'm not ready, I have too much on", "I have too much"),
    ("INT. KITCHEN - NIGHT\nMARA\nI never loved him.\nJOE\nI have a gun.", "I have a gun"),
]


@pytest.mark.parametrize(("message", "part"), LED_IN)
def test_words_that_somebody_else_is_given_are_not_the_users(message: str, part: str) -> None:
    assert standing_of(message, part) is not OWN


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("Important: I'm allergic to wasps", "I'm allergic"),
        ("My answer: I don't smoke", "I don't"),
        ("From my side: I can't do Mondays", "I can't"),
        ("Give me feedback on my plan: I run 5k daily", "I run"),
        ("Feedback on your last answer: I don't like bullet points", "I don't"),
        ("Roast me: I'm 36 and I collect stamps", "I collect"),
        ("His name is Otto: he's 3 and scared of the vacuum", "he's 3"),
        ("Something like that happened to me too, I lost my job in 2020", "I lost"),
        ("I want something like my old Volvo, I drive 40 km a day", "I drive"),
        ("In the end she said yes: we're getting married in June!", "we're getting"),
    ],
)
def test_a_lead_in_to_ones_own_matter_is_the_users_word(message: str, part: str) -> None:
    assert standing_of(message, part) is OWN


def test_what_do_you_do_asks_for_a_job_unless_a_game_is_told() -> None:
    told = Turn("assistant", "The king draws his sword and the guards close in. What do you do?")
    asked = Turn("assistant", "Nice to meet you! What do you do?")
    opened = Turn("user", "hello")
    assert {s.standing for s in spans("I have a torch.", (opened, told))} == {FOREIGN}
    assert {s.standing for s in spans("I'm a nurse in Leeds.", (opened, asked))} == {OWN}


@pytest.mark.parametrize(
    ("message", "part"),
    [
        ("write five questions on this text?\n\nMy name is Pedro. I have two sisters.", "I have two sisters"),
        ("Pretend you're my boss. I'm late for the third time.", "I'm late"),
        (
            "A letter to my younger self. Tell me if it's too soppy.\n\nDear me, I am fifty now. I own a dog.",
            "I own a dog",
        ),
    ],
)
def test_a_text_for_a_lesson_a_scene_or_a_letter_to_oneself_is_not_a_statement(message: str, part: str) -> None:
    assert standing_of(message, part) is not OWN
