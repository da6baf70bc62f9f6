"""Short answers become what the user thereby states; refusals, hedges and pleasantries state nothing."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from memory_pipeline.language.answers import Answer, answered, remainder
from memory_pipeline.language.english import parser
from memory_pipeline.language.syntax import Sentence


def _texts(asked: str, reply: str) -> list[str]:
    return [a.text for a in answered(asked, reply, parser())]


@pytest.mark.parametrize(
    ("asked", "reply", "stated"),
    [
        # yes to a question, in many words
        ("Do you live in Lisbon?", "I do", "I live in Lisbon."),
        ("You're based in Manchester, I believe?", "yep", "I am based in Manchester."),
        ("You’re based in Lyon, right?", "that’s right", "I am based in Lyon."),
        ("You are in Lisbon, aren't you?", "indeed", "I am in Lisbon."),
        ("Sure. Do you prefer a window seat?", "Yes exactly, always.", "I prefer a window seat."),
        ("Does your sister still live in Leeds?", "yes", "My sister still lives in Leeds."),
        ("Does your husband work from home?", "he does", "My husband works from home."),
        ("Did you move to Berlin last year?", "yep", "I moved to Berlin last year."),
        ("Is your brother Tom a teacher?", "yes", "My brother Tom is a teacher."),
        ("Was your dad a pilot?", "yes", "My dad was a pilot."),
        ("Has your son started school?", "yeah", "My son has started school."),
        ("Is he allergic to nuts?", "yes", "He is allergic to nuts."),
        ("So the plumber is done?", "yep all sorted", "The plumber is done."),
        ("Is the exam on Monday?", "yes", "The exam is on Monday."),
        ("Vegetarian?", "yes", "I am vegetarian."),
        ("Still living in Leeds?", "yep", "I am still living in Leeds."),
        ("Am I right that you play the cello?", "right, for ten years", "I play the cello."),
        ("You don't eat meat, right?", "right", "I do not eat meat."),
        # a guess in the form of a statement
        ("It sounds like you're a nurse.", "exactly, nights mostly", "I am a nurse."),
        ("Your brother Tom lives in Cork.", "exactly", "My brother Tom lives in Cork."),
        ("So you've moved to Ghent!", "yes, on sunday", "I have moved to Ghent."),
        ("You've never been to Asia, right?", "right", "I have never been to Asia."),
        ("You can't eat gluten, right?", "exactly", "I can not eat gluten."),
        ("Is your dog's name Rex?", "yep", "My dog's name is Rex."),
        ("So I should call you Max?", "yes", "Call me Max."),
        ("I take it you have children.", "correct", "I have children."),
        # wishes
        ("Do you want me to always answer in French?", "sure, why not. good practice",
         "I want you to always answer in French."),
        ("Would you like me to always use metric units?", "yes", "I would like you to always use metric units."),
        # what the user was reminded of, done
        ("You wanted to call your mom. Did you manage?", "done!", "I called my mom."),
        ("Don't forget, you wanted to call your mom. Have you done it?", "yes, I did", "I called my mom."),
        ("Don't forget to call your mom.", "Did it yesterday.", "I called my mom."),
        ("Reminder: pay the rent.", "all done", "I paid the rent."),
        ("Shall I remind you on Friday to call the bank?", "yes please", "Remind me on Friday to call the bank."),
        ("Should I stop mentioning your ex?", "yes please", "Stop mentioning my ex."),
        ("Should I remember that you are vegan?", "yes please", "Remember that I am vegan."),
        ("Should I use metric or imperial units?", "metric", "Use metric units."),
        ("What should I call you?", "Max", "Call me Max."),
        # something done
        ("Have you called your mom?", "Done!", "I have called my mom."),
        ("You wanted to call the bank. Did you manage?", "done", "I called the bank."),
        ("Don't forget to water the plants.", "did it", "I watered the plants."),
        ("How is the tax return going?", "finished!", "My tax return is done."),
        # values
        ("Where are you based?", "Lyon", "I am based in Lyon."),
        ("Where are you from originally?", "Gdansk", "I am from Gdansk originally."),
        ("Where do you live?", "Lyon, been here for ten years", "I live in Lyon."),
        ("Happy to help! Where do you live, if you don't mind me asking?", "Porto", "I live in Porto."),
        ("Where does your mum live?", "Cork", "My mum lives in Cork."),
        ("Where do you work?", "Siemens", "I work at Siemens."),
        ("What's your dog's name?", "Bruno", "My dog's name is Bruno."),
        ("What's your sister's name?", "her name is Ana", "My sister's name is Ana."),
        ("What are the kids called?", "Ada and Femi", "My kids are called Ada and Femi."),
        ("What is your favourite colour?", "green", "My favourite colour is green."),
        ("Who's Lou?", "my partner", "Lou is my partner."),
        ("Who is your GP?", "Dr. Osei, she's lovely", "My GP is Dr. Osei."),
        ("Who do you live with?", "my mum", "I live with my mum."),
        ("Who taught you to cook?", "my grandma", "My grandma taught me to cook."),
        ("What do you do for a living?", "nurse", "I am a nurse."),
        ("How many hours a week do you have?", "8 maybe 10", "I have 8 maybe 10 hours a week."),
        ("How many kids do you have?", "none", "I have no kids."),
        ("How much do you spend on rent?", "900 euros", "I spend 900 euros on rent."),
        ("What size do you take?", "XL", "I take size XL."),
        ("How old are the kids?", "4 and 7", "My kids are 4 and 7 years old."),
        ("How old is your son?", "7 months", "My son is 7 months old."),
        ("How old are you?", "34, why?", "I am 34 years old."),
        ("How tall are you?", "183 cm", "I am 183 cm tall."),
        ("How long have you been married?", "12 years", "I have been married for 12 years."),
        ("How often do you run?", "every tuesday", "I run every tuesday."),
        ("How do you take your coffee?", "black", "I take my coffee black."),
        ("When is the exam?", "june 12", "The exam is on june 12."),
        ("When did you move to Munich?", "2019", "I moved to Munich in 2019."),
        ("What time is your flight?", "7am", "My flight is at 7am."),
        ("What are you allergic to?", "nuts", "I am allergic to nuts."),
        ("What languages do you speak?", "German and a bit of French", "I speak German and a bit of French."),
        ("What do you usually eat for breakfast?", "porridge", "I usually eat porridge for breakfast."),
        ("Which city do you live in?", "Leeds", "I live in Leeds."),
        ("In which city do you live?", "Leeds", "I live in Leeds."),
        ("Congratulations! What made you switch?", "money and bikes", "Money and bikes made me switch."),
        ("What matters most to you?", "honestly? keeping the family together.",
         "Keeping the family together matters most to me."),
        # any
        ("Are you allergic to anything?", "penicillin and shellfish", "I am allergic to penicillin and shellfish."),
        ("Any allergies?", "just nuts", "I am allergic to nuts."),
        ("Do you have any food allergies I should know about?", "peanuts", "I am allergic to peanuts."),
        ("Do you have any pets?", "yes, two cats", "I have two cats."),
        ("Do you have kids?", "two", "I have two kids."),
        ("Do you take any medication?", "ibuprofen", "I take ibuprofen."),
        ("Are you on any medication?", "metformin", "I am on metformin."),
        ("What does your wife do?", "vet", "My wife is a vet."),
        ("What's his name?", "Rex", "His name is Rex."),
        ("What pronouns do you use?", "they/them", "I use they/them."),
        ("How many siblings do you have?", "3, all brothers", "I have 3 siblings."),
        ("Are you a student?", "yes, second year of law", "I am a student."),
        ("Have you already submitted the thesis?", "yes, last week", "I have submitted the thesis."),
        # choices
        ("Tea or coffee?", "coffee, always", "I prefer coffee, always."),
        ("Do you like cats or dogs?", "dogs", "I like dogs."),
        ("Are you a morning person or a night owl?", "night owl", "I am a night owl."),
        ("Which do you prefer, tea or coffee?", "tea", "I prefer tea."),
        ("The ThinkPad X1 Carbon has the better keyboard, the MacBook Air the better battery.",
         "The first one then. Ordered it.", "I ordered the ThinkPad X1 Carbon."),
        ("Are you married?", "divorced", "I am divorced."),
        ("And your daughter is 9?", "10", "My daughter is 10."),
        # the last of several questions
        ("Do you live in Leeds? Do you have a dog?", "yes", "I have a dog."),
    ],
)  # fmt: skip
def test_states(asked: str, reply: str, stated: str) -> None:
    assert _texts(asked, reply) == [stated]


@pytest.mark.parametrize(
    ("asked", "reply", "stated"),
    [
        ("Do you smoke?", "never", ["I do not smoke."]),
        ("Do you drive?", "i don't", ["I do not drive."]),
        ("Do you eat fish?", "not really", ["I do not eat fish."]),
        ("Are you still in Leeds?", "not anymore", ["I am not in Leeds anymore."]),
        ("Did you call your mum?", "not yet", ["I did not call my mum yet."]),
        ("Have you ever been to Asia?", "never", ["I have not been to Asia."]),
        ("Do you have any allergies?", "no", ["I do not have any allergies."]),
        ("Would your mum move?", "never. We moved the sofa and that was drama", ["My mum would not move."]),
        ("Should I keep mentioning your ex?", "no", ["Do not keep mentioning my ex."]),
        ("You must be a student.", "no, I run a bike workshop.", ["I am not a student."]),
        ("You're not vegan, are you?", "no", ["I am not vegan."]),
    ],
)
def test_denials(asked: str, reply: str, stated: list[str]) -> None:
    found = answered(asked, reply, parser())
    assert [a.text for a in found] == stated
    assert all(a.negated for a in found)


@pytest.mark.parametrize(
    ("asked", "reply", "stated"),
    [
        ("Great choice. You live in Osaka and you are a nurse, right?", "osaka yes, nurse no, I translate patents",
         [("I live in Osaka.", "osaka yes", False), ("I am not a nurse.", "nurse no", True)]),
        ("And you have two dogs?", "nope, one cat",
         [("I do not have two dogs.", "nope", True), ("I have one cat.", "one cat", False)]),
        ("And you're lactose intolerant, right?", "No, that's my brother.",
         [("I am not lactose intolerant.", "No", True), ("My brother is lactose intolerant.", "my brother", False)]),
        ("Do you have a car?", "no, my sister does",
         [("I do not have a car.", "no", True), ("My sister has a car.", "my sister does", False)]),
        ("Do you live in Osaka?", "no, Kyoto",
         [("I do not live in Osaka.", "no", True), ("I live in Kyoto.", "Kyoto", False)]),
        ("Is Clara your sister?", "no, my wife",
         [("Clara is not my sister.", "no", True), ("Clara is my wife.", "my wife", False)]),
        ("Should I call you Alexandra?", "no, Alex",
         [("Do not call me Alexandra.", "no", True), ("Call me Alex.", "Alex", False)]),
        ("Do you eat meat and fish?", "meat no, fish yes",
         [("I do not eat meat.", "meat no", True), ("I eat fish.", "fish yes", False)]),
        ("Do you live in Leeds? And do you have a dog?", "leeds yes, dog no",
         [("I live in Leeds.", "leeds yes", False), ("I do not have a dog.", "dog no", True)]),
        ("You work at Tieto now and your wife is called Ann?", "yes",
         [("I work at Tieto now.", "yes", False), ("My wife is called Ann.", "yes", False)]),
    ],
)  # fmt: skip
def test_several_statements_and_their_places(asked: str, reply: str, stated: list[tuple[str, str, bool]]) -> None:
    found = answered(asked, reply, parser())
    assert [(a.text, reply[a.start : a.end], a.negated) for a in found] == stated


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        # refusals, hedges, jokes
        ("Where do you live?", "I'd rather not say"),
        ("Where do you live?", "none of your business"),
        ("Do you live in Leeds?", "why do you ask"),
        ("How old are you?", "guess"),
        ("How old are you?", "old enough lol"),
        ("Are you diabetic?", "maybe"),
        ("Do you have kids?", "haha i wish"),
        ("Is your resting heart rate 58?", "close, it's 54"),
        ("Do you like jazz?", "yeah right"),
        ("Do you like jazz?", "yes and no"),
        ("Do you like jazz?", "yeah, no"),
        ("Do you work nights?", "yes but only in winter"),
        ("Compromise: a cat?", "we'll see"),
        ("What's your name?", "What's yours?"),
        ("What's your name?", "tell me a joke"),
        ("Do you smoke?", "used to"),
        ("And you're lactose intolerant, right?", "done"),
        # pleasantries after statements and offers
        ("Since you live in Seattle and love sailing, maybe take the weekend off!", "ok thanks"),
        ("Since you live in Seattle and love sailing, maybe take the weekend off!", "yes"),
        ("I'll remind you tomorrow.", "sounds good"),
        ("Reminder: your meeting is at five.", "done!"),
        ("Don't forget to call your mom.", "not yet"),
        ("Are you in Leeds now?", "ok"),
        ("Shall I book the 7am one? You're an early riser.", "God no"),
        ("Want me to sort it by aisle?", "nah"),
        ("Do you want me to sort it by aisle?", "yes"),
        ("Got it! Do you want batch cooking ideas?", "yes pls!! i only have 30 min"),
        ("Shall we move on?", "yes"),
        ("Any questions?", "no"),
        ("You should try yoga.", "yes"),
        ("Nice to meet you! You live in Lisbon.", "Yes"),
        ("Do you live in Rome?", "Yes, I think so, but not for long."),
        ("You're right!", "yes"),
        ("Your plan looks solid.", "yes"),
        ("You have three options.", "yes"),
        ("Where did you two meet?", "in Rome"),
        ("I'll remember that you're vegan.", "thanks"),
        ("Your meeting is at 3.", "thanks"),
        # the world, and the conversation itself
        ("Did you know that Rome was founded in 753 BC?", "yes"),
        ("What's the capital of France?", "Paris"),
        ("Who was Napoleon?", "a French emperor"),
        ("Is it cold in Leeds?", "yes"),
        ("Quiz time! Question 1: Where do you live if you are a Parisian?", "Paris"),
        ("Does that help?", "yes it does"),
        ("Did the restart help?", "yes"),
        ("Renewing it helps?", "for twelve hours, yes"),
        ("Can you send me the log?", "yes"),
        ("What do you think?", "blue"),
        # what cannot be told apart, or is a sentence of its own
        ("You work at Tieto now and your wife is called Ann?", "no"),
        ("You're not vegan, are you?", "yes I am"),
        ("Do you like cats or dogs?", "yes"),
        ("Are you allergic to anything?", "yes"),
        ("So nuts are back on the menu?", "for him yes. for me no, obviously"),
        ("Do you have any dietary restrictions?", "no pork"),
        ("Where do you live? What's your name?", "yes"),
        ("How did the interview go?", "great, they loved me"),
        ("How are you?", "fine"),
        ("What do you want to say?", "that im not leaving before june"),
        ("How many guests?", "25ish. My aunt is paying"),
        ("How long have you lived there?", "6 years"),
        ("Do you want to write to him?", "already did. no answer."),
        ("", "yes"),
        ("Do you live in Lisbon?", ""),
    ],
)
def test_states_nothing(asked: str, reply: str) -> None:
    assert _texts(asked, reply) == []


class _NeverAsked:
    name = "none"

    def parse(self, texts: Sequence[str]) -> list[list[Sentence]]:
        raise AssertionError(f"parsed {texts}")


@pytest.mark.parametrize(
    ("asked", "reply"),
    [
        ("Noted.", "yes"),
        ("Here are three recipes. Enjoy them.", "thanks, I live in Leeds"),
        ("Do you live in Leeds?", "maybe"),
        ("Do you live in Leeds?", "I have been thinking about the move for a long time, and it is hard."),
        ("", ""),
    ],
)
def test_nothing_is_parsed_where_nothing_can_be_answered(asked: str, reply: str) -> None:
    assert answered(asked, reply, _NeverAsked()) == []


def test_the_remainder_keeps_places() -> None:
    reply = "osaka yes, nurse no, I translate patents"
    left = remainder("You live in Osaka and you are a nurse, right?", reply, parser())
    assert len(left) == len(reply)
    assert left.strip(" ,") == "I translate patents"


def test_only_the_end_of_a_long_message_counts() -> None:
    asked = "Do you live in Leeds? " + "Here is a long text about trains in the north. " * 30
    assert answered(asked, "yes", parser()) == []


def test_a_long_reply_rests_on_its_beginning() -> None:
    reply = "Yes. " + "The rest is a story about something else entirely. " * 50
    assert answered("Do you live in Leeds?", reply, parser()) == [Answer("I live in Leeds.", 0, 3, False)]
