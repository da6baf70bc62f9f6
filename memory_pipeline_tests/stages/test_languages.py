"""Users of other languages are not passed over in silence: in the log, in the report of a run, and in words."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, date
from pathlib import Path

import pytest

from memory_pipeline.inference.builtin.extraction.extract import read_window
from memory_pipeline.orchestration.runs.run_report import RunReport, account
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.messages.index_messages import index_messages
from memory_pipeline.stages.messages.ingest import ingest
from memory_pipeline.stages.messages.languages import identified, shares, spoken, unread
from memory_pipeline_tests import factories
from memory_pipeline_tests.stages.landing_files import NOW, context, line, stored, write
from memory_pipeline_tests.storage.older import written

GERMAN = "Ich wohne seit März in Köln und arbeite als Hebamme."
SPANISH = "Soy alérgica a los cacahuetes, no me pongas recetas con ellos."


@pytest.fixture
def ctx(tmp_path: Path) -> StageContext:
    return context(tmp_path / "home")


def take(ctx: StageContext, folder: Path, *said: dict[str, object]) -> Counter[str]:
    """Ingest lines, a minute and an id each."""
    lines = [
        line(**{"message_id": f"m{n}", "created_at": f"2026-03-02T09:{n:02}:00Z", **s}) for n, s in enumerate(said)
    ]
    return ingest(ctx, [write(folder / f"{len(stored(ctx))}.jsonl", lines)]).languages


def test_the_log_holds_the_language_of_what_users_say(ctx: StageContext, tmp_path: Path) -> None:
    said = [{"content": GERMAN}, {"content": GERMAN, "role": "assistant"}, {"content": "I live in Leeds with my mum."}]
    assert take(ctx, tmp_path, *said) == {"de": 1, "en": 1}
    assert {m.message_id: m.language for m in stored(ctx)} == {"m0": "de", "m1": None, "m2": "en"}


def test_what_is_known_is_not_counted_again_and_what_was_edited_is(ctx: StageContext, tmp_path: Path) -> None:
    take(ctx, tmp_path, {"content": GERMAN})
    assert take(ctx, tmp_path, {"content": GERMAN}) == {}
    assert take(ctx, tmp_path, {"content": "I live in Leeds with my mum."}) == {"en": 1}
    assert [m.language for m in stored(ctx)] == ["en"]
    assert spoken(ctx.lake, ctx.lake.days("messages")) == {"en": 1}


def test_short_messages_go_by_their_own_talk_in_the_order_of_time() -> None:
    short = factories.message("Ja, gerne.", message_id="m1", session_id="one")
    clear = factories.message(GERMAN, message_id="m2", session_id="one")
    other = factories.message("Ja, gerne.", message_id="m3", session_id="two")
    assert [m.language for m in identified([other, short, clear])] == ["en", "de", "de"]


def test_the_language_is_no_part_of_a_message() -> None:
    plain = factories.message(GERMAN)
    (known,) = identified([plain])
    assert (known.language, plain.language) == ("de", None)
    assert known == plain
    assert len({known, plain}) == 1


def test_messages_of_an_older_release_are_identified_when_they_are_counted(ctx: StageContext, tmp_path: Path) -> None:
    old = [factories.message(text, message_id=f"m{n}") for n, text in enumerate([GERMAN, "ok", SPANISH, GERMAN])]
    written(ctx.settings.path("lake"), "messages", old)
    assert {m.language for m in stored(ctx)} == {None}
    assert spoken(ctx.lake, ctx.lake.days("messages")) == {"de": 3, "es": 1}


def test_only_the_days_asked_for_are_counted(ctx: StageContext, tmp_path: Path) -> None:
    take(ctx, tmp_path, {"content": GERMAN}, {"content": SPANISH, "created_at": "2026-03-05T09:00:00Z"})
    assert spoken(ctx.lake, [date(2026, 3, 5)]) == {"es": 1}
    assert spoken(ctx.lake, []) == {}


@pytest.mark.parametrize(
    ("languages", "told"),
    [
        ({}, "no messages of users yet"),
        ({"en": 1200}, "all 1,200 user messages are English"),
        ({"en": 28, "es": 3, "de": 9}, "12 of 40 user messages are not English (German 9, Spanish 3)"),
        ({"en": 1, "ja": 1}, "1 of 2 user messages is not English (Japanese 1)"),
        (
            dict.fromkeys(("de", "es", "fr", "it", "pt", "nl", "pl"), 2),
            "14 of 14 user messages are not English (German 2, Spanish 2, French 2, Italian 2, Portuguese 2, others 4)",
        ),
    ],
)
def test_shares_in_words(languages: dict[str, int], told: str) -> None:
    assert shares(languages) == told


@pytest.mark.parametrize(
    ("chat", "languages", "said"),
    [("builtin", {"en": 1, "de": 1}, True), ("builtin", {"en": 2}, False), ("openai", {"en": 1, "de": 1}, False)],
)
def test_only_the_embedded_default_is_said_to_read_english_only(
    chat: str, languages: dict[str, int], said: bool, tmp_path: Path
) -> None:
    told = unread(context(tmp_path, chat=chat).settings, languages)
    assert told.endswith("the embedded default reads English only; set MEMORY_PIPELINE_CHAT=openai") == said
    assert bool(told) == said


def test_a_run_tells_of_the_days_that_it_extracted(ctx: StageContext, tmp_path: Path) -> None:
    take(ctx, tmp_path, {"content": GERMAN}, {"content": SPANISH, "created_at": "2026-03-05T09:00:00Z"})
    report = RunReport(
        run_ids=["r"],
        planned=[
            {"stages": ["proposals", "memories"], "from": "2026-03-02", "to": "2026-03-02"},
            {"stages": ["lifecycle"], "from": "2026-03-02", "to": "2026-03-05"},
        ],
    )
    account(ctx, report, NOW)
    assert report.languages == {"de": 1}
    assert report.unread.startswith("1 of 1 user messages is not English (German 1): ")


@pytest.mark.parametrize(
    ("content", "read"),
    [
        ("I work at Siemens. I love to read novels.", True),
        ("Hola! Me llamo Lucía, vivo en Valencia. I work at Siemens in Madrid. ¿Puedes ayudarme?", True),
        (
            "Ich arbeite bei Siemens. I love to read novels. Das ist mein liebster Satz aus dem ganzen Buch, und ich "
            "muss ihn ständig wiederholen, weil er so kurz ist.",
            False,
        ),
    ],
)
def test_the_embedded_extractor_reads_english_only(content: str, read: bool) -> None:
    said = {"id": "m1", "role": "user", "content": content, "created_at": "2026-03-02T09:00:00+00:00", "speaker": None}
    assert bool(read_window({"messages": [said]}, UTC)) == read


TALKS = {
    "anna": [GERMAN, "Ich bin allergisch gegen Haselnüsse.", "Meine Schwester Lena heiratet im Juni.", "Danke dir!"],
    "lucia": ["Vivo en Valencia y trabajo de arquitecta.", SPANISH, "Mi hermana se casa en junio.", "gracias"],
    "wei": ["我上周搬到了上海。", "我对花生过敏，请回答简短一点。", "我妹妹六月结婚。", "谢谢"],
    "yuki": ["先月大阪に引っ越しました。", "そばアレルギーがあります。", "妹が六月に結婚します。", "はい"],
    "ivan": ["Я живу в Москве и работаю врачом.", "У меня аллергия на орехи.", "Сестра выходит замуж в июне.", "да"],
}


@pytest.mark.parametrize(
    ("user", "query", "place"),
    [
        ("anna", "Haselnüsse", 1),
        ("anna", "wo wohne ich?", 0),
        ("anna", "Schwester", 2),
        ("lucia", "cacahuete", 1),
        ("lucia", "alergica", 1),
        ("lucia", "¿dónde vivo?", 0),
        ("wei", "过敏", 1),
        ("wei", "上海", 0),
        ("yuki", "アレルギー", 1),
        ("yuki", "大阪", 0),
        ("ivan", "аллергия", 1),
    ],
)
def test_search_finds_what_users_of_other_languages_said(
    talks: StageContext, user: str, query: str, place: int
) -> None:
    from memory_pipeline.retrieval.reader import MemoryReader

    found = MemoryReader(talks.settings, clock=lambda: NOW, recorded=False).search(query, user_id=user)
    assert f"{user}-{place}" in [item.id for item in found[:2]]


@pytest.fixture(scope="module")
def talks(tmp_path_factory: pytest.TempPathFactory) -> StageContext:
    folder = tmp_path_factory.mktemp("talks")
    ctx = context(folder / "home")
    lines = [
        line(user_id=u, session_id=u, message_id=f"{u}-{n}", content=text, created_at=f"2026-03-02T09:{n:02}:00Z")
        for u, said in TALKS.items()
        for n, text in enumerate(said)
    ]
    ingest(ctx, [write(folder / "talks.jsonl", lines)])
    index_messages(ctx, ctx.lake.days("messages"))
    return ctx
