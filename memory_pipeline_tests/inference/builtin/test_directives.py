"""What a message asks of the assistant for good: boundaries, what to forget, names, protocols, reminders, lore."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.proposal import MemoryType, Operation, Surface
from memory_pipeline.inference.replies import ProposalDraft
from memory_pipeline_tests.inference.builtin.extraction.extracting import drafts, kept, slot

DIRECTIVES = {MemoryType.BOUNDARY, MemoryType.PROTOCOL, MemoryType.SHARED_LORE}


def directives(content: str) -> list[ProposalDraft]:
    return [d for d in drafts(content) if d.type in DIRECTIVES or d.operation is Operation.FORGET]


BOUNDARIES = {
    "Don't bring up my father unless I do, okay?": "father",
    "Let's not talk about politics": "politics",
    "Can we not talk about my weight?": "weight",
    "Could you please stop asking me about my job?": "job",
    "Please don't ever mention the divorce again.": "divorce",
    "Don't bring my father up again.": "father",
    "Do not, under any circumstances, mention Greg.": "Greg",
    "I don't want to hear about Kevin anymore.": "Kevin",
    "I'd really rather not talk about my job search.": "job search",
    "I'm tired of talking about the wedding.": "wedding",
    "Don't bring up that I was fired.": "being fired",
    "Don't remind me that I failed the exam.": "failing the exam",
    "Please do not joke about cancer around me.": "cancer",
    "No more jokes about my height please.": "height",
    "Not a word about the baby, please.": "baby",
    "Enough about my ex.": "ex",
    "Leave my mother out of this.": "mother",
    "Please steer clear of politics.": "politics",
    "Avoid the subject of religion with me.": "religion",
    "Can we drop the subject of my ex?": "ex",
    "My divorce is not up for discussion.": "divorce",
    "The election is a sore subject.": "election",
    "Please don't raise the topic of money.": "money",
    "Don't mention the war or politics, religion or sports.": "war or politics, religion or sports",
    "Marcus moved out last week. Never talk about him please.": "Marcus",
    "Me and Greta split up, so do me a favour, don't mention her to me, like ever.": "Greta",
    "hilda filed for custody. dont ask me about her ok": "Hilda",
    "We lost the appeal in spring. I'd rather not talk about it.": "appeal",
    "My uncle drowned in May. Please don't bring it up.": "uncle drowned",
    "Got sacked from the mill. I don't want to hear about it again.": "being sacked",
    "Never say Laura's name again.": "Laura",
    "No divorce talk, please.": "divorce",
    "Salad ideas please: no calories, no weight talk, ever.": "calories, weight",
    "I don't want wedding chat at all.": "wedding",
    "Stop with the fertility questions.": "fertility",
    "Skip the pregnancy stuff.": "pregnancy",
    "The bankruptcy is not something I want to discuss.": "bankruptcy",
    "My sister Ana and I don't speak. Leave her out of your answers.": "sister Ana",
    "I'd appreciate it if you didn't raise my mother's dementia.": "mother's dementia",
    "It would mean a lot to me if my weight never came up.": "weight",
    "I'd like my drinking to stay out of our conversations.": "drinking",
    "My cousin Paula stole from me. I don't want her name coming up.": "cousin Paula",
    "Let's let the crash rest.": "crash",
    "Jonas is dead to me.": "Jonas",
    "Consider my father a closed chapter.": "father",
    "The divorce is off the table as a topic, okay?": "divorce",
    "My height isn't something I joke about.": "height",
    "Don't keep going on about the job hunt.": "job hunt",
    "Can you lay off the wedding?": "wedding",
    "the visa thing is stressing me, so hush about it": "visa",
    "Questions about kids are not welcome.": "kids",
    "I never want to see the word Fluxo again.": "Fluxo",
    "Spare me the politics from now on.": "politics",
    "Not my brother. Ever.": "brother",
    "No more Biscuit please, I can't.": "Biscuit",
    "Don't start with Krüger again.": "Krüger",
}


@pytest.mark.parametrize(("content", "topic"), BOUNDARIES.items(), ids=BOUNDARIES)
def test_a_closed_topic_is_noted_and_suppressed(content: str, topic: str) -> None:
    added, suppressed = directives(content)
    assert (added.type, added.operation, added.value) == (MemoryType.BOUNDARY, Operation.ADD, topic)
    assert (suppressed.operation, suppressed.value) == (Operation.SUPPRESS, topic)
    assert added.surface is suppressed.surface is Surface.AVOID


REOPENED = {
    "You can talk about Biscuit again.": "Biscuit",
    "It's fine to mention the wedding again.": "wedding",
    "I don't mind if you bring up my ex.": "ex",
    "The exam is no longer off limits.": "exam",
    "I'm ready to talk about the divorce now.": "divorce",
    "Feel free to bring my father up again.": "father",
    "My weight isn't a touchy subject.": "weight",
}


@pytest.mark.parametrize(("content", "topic"), REOPENED.items(), ids=REOPENED)
def test_a_topic_is_opened_again(content: str, topic: str) -> None:
    (lifted,) = directives(content)
    assert (lifted.type, lifted.operation) == (MemoryType.BOUNDARY, Operation.CONTRADICT)
    assert (lifted.attribute, lifted.value, lifted.negated) == ("avoid_topic", topic, True)


def test_a_boundary_says_when_it_does_not_hold() -> None:
    told = directives("Don't bring up my father unless I do, okay?")[0]
    assert told.content == "Does not want their father to be brought up unless they do."


OPEN_TOPICS = [
    "My boss wants the report by Friday. Don't mention it in the email.",
    "I left Marcus. Don't mention him in the letter.",
    "Thanks! Don't mention it.",
    "Let's talk about politics.",
    "Don't mention it.",
    "Let's not go there.",
    "Don't bring snacks.",
    "I never talk about work at home.",
    "My boss never mentions the raise.",
    "I have no questions about work.",
    "Leave out the onions.",
    "I don't want to keep this job, I hate it.",
    "No more coffee for me.",
    "No more running for me, the knee hurts.",
    "Marriage is fine for others.",
    "It's okay to use tap water for my lily, isn't it?",
    "Let the dough rest for an hour.",
    "Leave the window open.",
    "A raise is off the table this year.",
    "don't tell my wife about the party",
]


@pytest.mark.parametrize("content", ["No follow-up questions, please.", "No small talk please."])
def test_a_kind_of_talk_that_is_no_topic_is_a_wish_about_answers(content: str) -> None:
    assert [d.type for d in directives(content)] == [MemoryType.PROTOCOL]


@pytest.mark.parametrize("content", OPEN_TOPICS)
def test_other_topics_stay_open(content: str) -> None:
    assert directives(content) == []


FORGETTING = {
    "please don't remember my phone number": "phone number",
    "Never remember my password.": "password",
    "Don't save my address anywhere.": "address",
    "Delete that I have a twin sister.": "twin sister",
    "forget everything I told you about my ex": "ex",
    "Please forget that I'm learning Korean.": "learning Korean",
    "Please forget that I live in Rome.": "living in Rome",
    "Forget that I was fired.": "being fired",
    "And forget about that coffee shop I told you about": "coffee shop",
    "delete what I said about my salary": "salary",
    "Wipe everything you know about my job.": "job",
    "Delete my phone number from your memory.": "phone number",
    "I'd like you to forget my address.": "address",
    "forget my address completely, for good": "address",
}


@pytest.mark.parametrize(("content", "thing"), FORGETTING.items(), ids=FORGETTING)
def test_what_is_to_be_forgotten_is_named_bare(content: str, thing: str) -> None:
    (told,) = drafts(content)
    assert (told.operation, told.value, told.content) == (Operation.FORGET, thing, f"Anything about {thing}.")


KEPT = [
    "Forget it.",
    "Forget about it, let's move on.",
    "I forgot my keys.",
    "I can't forget my ex.",
    "Forget my last question.",
    "I don't remember my old address.",
    "Do not keep me waiting.",
    "Remove the second paragraph.",
    "Don't forget my birthday.",
    "Can you remember my name?",
    "Let's forget about the fight and move on.",
    "Never forget where you came from.",
]


@pytest.mark.parametrize("content", KEPT)
def test_nothing_is_forgotten_that_nobody_asked_to_forget(content: str) -> None:
    assert all(d.operation is not Operation.FORGET for d in drafts(content))


NAMES = {
    "call me Ali": "Ali",
    "please call me jo": "jo",
    "Call me Bex, nobody says Rebecca.": "Bex",
    "Actually, call me Rebecca from now on, it's for the forms.": "Rebecca",
    "you can call me Bob": "Bob",
    "my friends call me Bee": "Bee",
    "Everyone at work calls me Spike.": "Spike",
    "Could you call me Nina instead of Ms. Park?": "Nina",
    "Name's Bob, but call me Bobby.": "Bobby",
    "Address me as Dr. Patel.": "Dr. Patel",
    "I'd like to be called Jo.": "Jo",
    "Please don't call me Robert.": "not Robert",
}


@pytest.mark.parametrize(("content", "name"), NAMES.items(), ids=NAMES)
def test_what_to_be_called(content: str, name: str) -> None:
    (told,) = directives(content)
    assert slot(told) == f"preferred_name={name}"
    assert told.surface is Surface.ADAPT
    assert told.content.endswith(f"{name.removeprefix('not ')}.")


NO_NAMES = [
    "Can you call me a cab?",
    "Call me tomorrow.",
    "Call me back later.",
    "Call me when you're done.",
    "They call me crazy.",
    "Call me at 555-1234.",
    "Call me an idiot, but I love it.",
    "You can call me whatever.",
    "Don't call me after ten.",
]


@pytest.mark.parametrize("content", NO_NAMES)
def test_a_call_is_no_name(content: str) -> None:
    assert directives(content) == []


PROTOCOLS = {
    "don't use emojis": "answer_style=not emojis",
    "stop using emojis": "answer_style=not emojis",
    "I hate when you use emojis.": "answer_style=not emojis",
    "No emojis please": "answer_style=no emojis",
    "No bullet points, I can't read them on my phone.": "answer_style=no bullet points",
    "metric units, we're not savages": "answer_style=metric units",
    "use metric units please": "answer_style=metric units",
    "Skip the pleasantries.": "answer_style=no pleasantries",
    "Please stop correcting my small mistakes": "answer_style=not correcting their small mistakes",
    "Stop apologizing so much.": "answer_style=not apologizing",
    "Don't assume I have kids.": "answer_style=not assuming they have kids",
    "keep answers short": "answer_style=short",
    "Please keep your answers short and to the point": "answer_style=short and to the point",
    "Could you keep it brief in the future?": "answer_style=brief",
    "always be brief": "answer_style=brief",
    "Please be brutally honest with me": "answer_style=brutally honest",
    "I want you to be more critical.": "answer_style=more critical",
    "Your answers should be shorter.": "answer_style=shorter",
    "I prefer detailed explanations": "answer_style=detailed explanations",
    "I'd appreciate shorter answers.": "answer_style=shorter answers",
    "Talk to me like a pirate.": "answer_style=talk to them like a pirate",
    "Always cite your sources": "answer_style=cite its sources",
    "Going forward, cite sources.": "answer_style=cite sources",
    "Ask me one question at a time.": "answer_style=ask them one question at a time",
    "always reply in German": "preferred_answer_language=German",
    "please answer in English from now on": "preferred_answer_language=English",
    "Can you always write in British English?": "preferred_answer_language=British English",
    "Reply in Dutch.": "preferred_answer_language=Dutch",
    "Let's switch to Spanish.": "preferred_answer_language=Spanish",
    "English only please.": "preferred_answer_language=English",
    "I prefer answers in Polish.": "preferred_answer_language=Polish",
    "Don't reply in Spanish even if I write in it.": "preferred_answer_language=not Spanish",
}


@pytest.mark.parametrize(("content", "told"), PROTOCOLS.items(), ids=PROTOCOLS)
def test_a_lasting_wish_about_answers_is_one_protocol(content: str, told: str) -> None:
    (protocol,) = kept(drafts(content))
    assert (protocol.type, protocol.operation, protocol.surface) == (
        MemoryType.PROTOCOL, Operation.ADD, Surface.ADAPT,
    )  # fmt: skip
    assert slot(protocol) == told


def test_a_denied_habit_is_worded_as_a_wish() -> None:
    assert directives("stop using emojis")[0].content == "Wants the assistant not to use emojis."
    told = directives("Please stop correcting my small mistakes")[0]
    assert told.content == "Wants the assistant not to correct their small mistakes."


def test_each_request_of_a_sentence_is_told() -> None:
    told = directives("Always answer in British English and don't use emojis.")
    assert [slot(d) for d in told] == ["preferred_answer_language=British English", "answer_style=not emojis"]


ONE_OFF = [
    "Write me an email that says I live in Rome",
    "I need a recipe for pancakes",
    "I like your second suggestion",
    "Give me the list.",
    "Give me a short summary of the book.",
    "Make a list of ten songs.",
    "Make it shorter.",
    "ignore that page",
    "stop",
    "Stop it.",
    "Reply to her.",
    "Answer accordingly.",
    "Answer the email in German.",
    "Translate this to German.",
    "Write in German: I live in Rome.",
    "Can you speak French?",
    "Talk to me.",
    "Be careful!",
    "Don't lose it.",
    "Don't worry about it.",
    "Don't make me laugh.",
    "Don't tell Anna.",
    "Add milk to the list.",
    "Keep it in the fridge.",
    "Avoid nuts.",
    "No nuts please.",
    "No more questions.",
    "I want an answer.",
    "I need advice.",
    "My report must be short.",
    "I like short stories.",
    "Suggest a recipe.",
    "Drop the last paragraph.",
    "Show me the first step.",
    "I want feedback on my essay.",
    "Reply all was a mistake.",
    "I never use emojis.",
]


@pytest.mark.parametrize("content", ONE_OFF)
def test_what_is_asked_once_is_no_protocol(content: str) -> None:
    assert directives(content) == []


LORE = {
    "We call our robot vacuum Sir Sucks-a-lot, it's a running joke in this house.": "Sir Sucks-a-lot",
    "let's call that bug 'the gremlin'": "the gremlin",
    "we call our car Gerda": "Gerda",
    "We nicknamed our office printer Satan.": "Satan",
    "I call my laptop 'the beast'.": "the beast",
    "From now on test_refund is called Gary": "Gary",
    "our running joke is that the printer is haunted": "the printer is haunted",
    "We have an inside joke that Mondays are cursed.": "Mondays are cursed",
}


@pytest.mark.parametrize(("content", "value"), LORE.items(), ids=LORE)
def test_lore_is_told_once(content: str, value: str) -> None:
    (told,) = kept(drafts(content))
    assert (told.type, told.attribute, told.value) == (MemoryType.SHARED_LORE, "lore", value)
    assert value in told.content


NO_LORE = [
    "We call the plumber on Monday.",
    "I call my sister Ana every week.",
    "We called our son Leo.",
    "Let's call it a day.",
    "It's a running joke.",
    "What's our running joke?",
    "I'll call the bank Monday.",
    "The joke is on me.",
]


@pytest.mark.parametrize("content", NO_LORE)
def test_other_calls_and_jokes_are_no_lore(content: str) -> None:
    assert directives(content) == []


REMINDERS = {
    "remind me to water the plants tomorrow at 6pm": ("to water the plants", "2026-03-11T18:00:00+01:00"),
    "Remind me on Friday to pay the rent": ("to pay the rent", "2026-03-13"),
    "Can you remind me to call the bank on Monday?": ("to call the bank", "2026-03-16"),
    "Could you remind me that I have to call Ben?": ("to call Ben", None),
    "don't let me forget to renew my passport": ("to renew their passport", None),
    "Nudge me about the visa next week.": ("of the visa", "2026-03-22"),
}


@pytest.mark.parametrize(("content", "expected"), REMINDERS.items(), ids=REMINDERS)
def test_a_reminder_is_an_open_loop(content: str, expected: tuple[str, str | None]) -> None:
    (told,) = kept(drafts(content))
    assert told.type is MemoryType.OPEN_LOOP
    assert told.content.startswith(f"Wants to be reminded {expected[0]}")
    assert told.due_at == expected[1]


@pytest.mark.parametrize("content", ["Remind me what a monad is.", "remind me tomorrow", "Ping me if I forget."])
def test_other_reminders_are_none(content: str) -> None:
    assert kept(drafts(content)) == []
