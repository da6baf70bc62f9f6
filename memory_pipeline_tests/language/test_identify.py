"""Which language a message is in: never a foreign one for English, and no short message out of its talk."""

from __future__ import annotations

import subprocess
import sys

import pytest

from memory_pipeline.language.identify import english, language_of, languages_of, named

ENGLISH = """
I live in Köln with my husband Jürgen and our two cats.
My brother José works at Telefónica in São Paulo
Call me Zoë.
hi im allergic 2 peanuts lol
yo whats good, got fired from zara smh
gonna crash at Giulia's tonight, brb
idk tbh
wanna grab pho tmrw w/ Nguyen?
ngl Kraków was kinda meh
metformin 500 mg
Baklava
Gdańsk
Rio de Janeiro
Lisa Müller, Jürgen Klein
Mohammed Al-Fayed, Oluwaseun Adeyemi & Yuki Tanaka
Peña's got the keys
penne all'arrabbiata for dinner pls, no garlic
Flight LH 404 FRA-JFK 12:30
kubectl get pods -n prod
TypeError: 'NoneType' object is not subscriptable
SELECT id FROM kunden WHERE ort = 'Köln'
https://example.de/artikel/ueber-uns-und-unsere-arbeit
anna.schmidt@beispiel.de
+49 170 1234567
👍
no
si
ja
Danke!
déjà vu
due 20 May
job: nurse at the Charité
Dal makhani, biryani and naan
Schadenfreude is such a good word
How do you say "Ich hätte gern ein Bier" in Dutch?
What does 我对花生过敏 mean? My colleague wrote it.
I'm learning Japanese, my teacher is 田中さん
Yaar main Pune mein rehta hoon, and I work at Infosys as a test engineer
""".strip().splitlines()

FOREIGN = {
    "de": [
        "Ich wohne in Köln und arbeite als Tierärztin.",
        "ich hab morgen nen zahnarzttermin",
        "kannst du das kürzer machen",
        "bin umgezogen, jetzt in Hamburg",
        "Mein Hund heißt Bello und ist drei Jahre alt",
        "ICH BIN ALLERGISCH GEGEN NÜSSE",
        "Wir nutzen Postgres und Redis, aber Kafka fliegt raus.",
    ],
    "es": ["Trabajo como enfermera en un hospital", "mi perro se llama Toby", "Soy alérgica a los frutos secos"],
    "fr": ["J'habite à Lyon avec ma copine", "je n'aime pas la coriandre", "tu peux faire plus court stp"],
    "it": ["domani ho il dentista", "cosa posso cucinare stasera?", "mia sorella si sposa a giugno"],
    "pt": ["Moro em Lisboa com o meu marido", "me mudei para São Paulo mês passado"],
    "nl": ["Ik ben allergisch voor noten", "wat zal ik vanavond koken?"],
    "pl": ["pracuję jako pielęgniarka w szpitalu", "nie lubię kolendry, proszę bez niej"],
    "sv": ["jag är allergisk mot nötter", "vad ska jag laga ikväll?"],
    "tr": ["hemşire olarak bir hastanede çalışıyorum"],
    "ru": ["Я живу в Москве", "да, спасибо"],
    "uk": ["Дякую, я живу у Києві і працюю вчителем"],
    "el": ["Μένω στην Αθήνα"],
    "ar": ["أعيش في القاهرة مع زوجتي"],
    "he": ["אני גר בתל אביב"],
    "hi": ["मैं पुणे में रहता हूँ"],
    "th": ["ฉันอยู่กรุงเทพ"],
    "ko": ["저는 서울에 살아요"],
    "ja": ["大阪に住んでいます", "東京へ来月引っ越します"],
    "zh": ["我上周搬到了上海，现在在一家医院当护士。", "谢谢"],
}


@pytest.mark.parametrize("text", ["", "   ", "?!", "42", *ENGLISH])
def test_english_and_what_is_not_clearly_anything_else_is_english(text: str) -> None:
    assert language_of(text) == "en"
    assert english(text)


@pytest.mark.parametrize(("language", "text"), [(code, text) for code, texts in FOREIGN.items() for text in texts])
def test_clear_messages_in_other_languages_are_told(language: str, text: str) -> None:
    assert language_of(text) == language
    assert not english(text)


@pytest.mark.parametrize("language", ["de", "es", "fr"])
def test_every_language_has_a_name(language: str) -> None:
    assert named(language) == {"de": "German", "es": "Spanish", "fr": "French"}[language]


def test_a_code_without_a_name_is_told_as_it_is() -> None:
    assert named("xx") == "xx"


@pytest.mark.parametrize(
    "text",
    [
        "Please translate this for my landlord: Ich wohne seit drei Jahren in der Wohnung und möchte ausziehen.",
        "Ich wohne seit drei Jahren in der Wohnung.\n\nCan you make that sound nicer?",
        "Hola! Me llamo Lucía, vivo en Valencia. I work as an architect. ¿Puedes ayudarme con un correo?",
    ],
)
def test_a_message_with_english_sentences_of_its_own_is_read(text: str) -> None:
    assert english(text)


@pytest.mark.parametrize(
    "text",
    [
        "Was heißt `pull request` auf Deutsch?",
        "Der Fehler kommt hier:\n```\nraise ValueError('this is not what you want')\n```\nWas mache ich falsch?",
        "Siehe https://example.com/what-you-should-know-about-this und sag mir deine Meinung dazu",
        "Ich arbeite als Data Engineer bei Zalando und mache viel Machine Learning",
    ],
)
def test_english_names_code_and_addresses_do_not_make_german_english(text: str) -> None:
    assert language_of(text) == "de"


def test_short_messages_go_by_the_rest_of_their_talk() -> None:
    said = ["Ja, gerne.", "Ich wohne seit März in Köln.", "Danke dir!", "ok"]
    assert [language_of(text) for text in said] == ["en", "de", "en", "en"]
    assert languages_of(said) == ["de", "de", "de", "de"]


def test_short_messages_in_a_talk_of_several_languages_are_english() -> None:
    said = ["Ich wohne seit März in Köln.", "I work at the hospital there.", "Danke dir!"]
    assert languages_of(said) == ["de", "en", "en"]


def test_what_is_clear_is_not_changed_by_the_rest() -> None:
    said = ["Ich wohne in Köln am Rhein.", "Mein Hund heißt Bello und ist alt.", "I'm allergic to all of these nuts"]
    assert languages_of(said) == ["de", "de", "en"]


def test_nobody_said_anything() -> None:
    assert languages_of([]) == []


def test_a_long_paste_costs_no_more_than_its_beginning() -> None:
    assert language_of("Ich wohne in Köln und arbeite dort als Hebamme. " * 100_000) == "de"


def test_importing_it_loads_no_model() -> None:
    said = "import sys, memory_pipeline.language.identify; print('py3langid' in sys.modules, 'numpy' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]


def test_plain_english_needs_no_model() -> None:
    said = (
        "import sys; from memory_pipeline.language.identify import english; "
        "print(english('I think you should know that my dog is 12'), 'py3langid' in sys.modules)"
    )
    found = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["True", "False"]
