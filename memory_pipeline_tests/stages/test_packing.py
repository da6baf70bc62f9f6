from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

from memory_pipeline.domain.message import Message, Role
from memory_pipeline.domain.text import estimate_tokens
from memory_pipeline.inference.replies import ExtractReply, WindowReply
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.extraction.extract import extract
from memory_pipeline.stages.extraction.extract_requests import Work, works
from memory_pipeline.stages.extraction.packing import Joint, grouped, to_summarise
from memory_pipeline_tests.factories import NOON, POLICY, message
from memory_pipeline_tests.stages.echoing import context, proposed


def talk(turns: int, day: int = 0, **fields: str) -> list[Message]:
    return [
        message(
            f"turn {n} of {fields}",
            NOON + timedelta(days=day, minutes=n),
            message_id=f"m{day}-{n}",
            role=Role.ASSISTANT if n % 2 else Role.USER,
            **fields,
        )
        for n in range(turns)
    ]


def cut(path: Path, *messages: Message) -> tuple[StageContext, list[Work]]:
    ctx = context(path, chat="builtin")
    ctx.lake.append("messages", messages)
    return ctx, works(ctx, ctx.lake.days("messages"))


def prompt(ctx: StageContext, pack: Sequence[Work], summary: str = "") -> str:
    summaries = {work.summary_of: summary for work in pack}
    return ctx.prompts.render("extract", Joint(pack, summaries).pack.request.inputs)[1]["content"]


def test_one_pack_holds_one_user_and_one_zone(tmp_path: Path) -> None:
    ctx, todo = cut(
        tmp_path,
        *talk(30, user_id="ann"),
        *talk(30, user_id="bob"),
        *talk(30, user_id="ann", tenant_id="other"),
        *talk(2, day=3, user_id="ann", timezone="Asia/Tokyo"),
    )
    packs = grouped(todo, POLICY)
    kinds = [{(w.window.tenant_id, w.window.user_id, w.window.timezone) for w in pack} for pack in packs]
    assert all(len(kind) == 1 for kind in kinds) and len(packs) == 4
    assert sorted(id(w) for pack in packs for w in pack) == sorted(map(id, todo))


def test_a_pack_keeps_to_its_budget(tmp_path: Path) -> None:
    small = replace(POLICY, window=replace(POLICY.window, pack_tokens=1_000))
    ctx, todo = cut(tmp_path, *(m for n in range(6) for m in talk(25, day=n % 3, session_id=f"s{n}")))
    packs = grouped(todo, small)
    assert len(packs) > 1
    assert all(estimate_tokens(prompt(ctx, pack)) <= 1_000 for pack in packs if len(pack) > 1)


def test_packs_do_not_depend_on_the_order_of_the_windows(tmp_path: Path) -> None:
    _, todo = cut(tmp_path, *(m for n in range(4) for m in talk(25, day=n, session_id=f"s{n % 2}")))
    ids = [[w.window.window_id for w in pack] for pack in grouped(todo, POLICY)]
    assert [[w.window.window_id for w in pack] for pack in grouped(todo[::-1], POLICY)] == ids


def test_a_session_s_windows_stand_in_a_row(tmp_path: Path) -> None:
    _, todo = cut(tmp_path, *(m for n in range(4) for m in talk(25, day=n, session_id=f"s{n % 2}")))
    (pack,) = grouped(todo, POLICY)
    sessions = [w.window.session_id for w in pack]
    assert sessions == sorted(sessions)


def test_context_that_does_not_stand_in_the_pack_is_shown(tmp_path: Path) -> None:
    """The reply on the window between is kept: what the last one looks back on is then shown with it."""
    ctx, (first, second, third) = cut(tmp_path, *talk(45))
    whole = prompt(ctx, [first, second, third])
    without = prompt(ctx, [first, third])
    alone = prompt(ctx, [third])
    assert [text.count("<context>") for text in (whole, without, alone)] == [0, 1, 1]
    assert [text.count("<after>") for text in (whole, without, alone)] == [2, 1, 0]
    for text in (whole, without, alone):
        assert all(text.count(f'"turn {n} of') == 1 for n in range(30, 45))


def test_only_context_that_stands_elsewhere_is_left_out(tmp_path: Path) -> None:
    """A short window between: part of the context is in the pack, part of it is not."""
    late = [m for m in talk(30) if int(m.message_id.split("-")[1]) >= 20]
    far = [message(f"later {n}", NOON + timedelta(hours=5, minutes=n), message_id=f"l{n}") for n in range(3)]
    last = message("at last", NOON + timedelta(hours=9), message_id="z")
    ctx, todo = cut(tmp_path, *late, *far, last)
    first, _, third = todo
    text = prompt(ctx, [first, third])
    shown = text.split("<context>")[1].split("</context>")[0]
    assert [f'"later {n}"' in shown for n in range(3)] == [True] * 3 and '"turn' not in shown
    assert all(text.count(f'"turn {n} of') == 1 for n in range(20, 30))


def test_a_summary_is_needed_where_its_messages_do_not_stand_in_the_pack(tmp_path: Path) -> None:
    ctx, todo = cut(tmp_path, *talk(70))
    assert to_summarise(todo) == []
    assert to_summarise(todo[3:]) == todo[3:]
    assert prompt(ctx, todo[3:], "They like boats.").count("They like boats.") == 1
    assert "They like boats." not in prompt(ctx, todo, "They like boats.")


def test_the_summaries_of_two_users_are_two(tmp_path: Path) -> None:
    same = [talk(60), talk(60, user_id="v"), talk(60, session_id="other"), talk(60, tenant_id="w")]
    messages = [message(m.content.split(" of")[0], m.created_at, **_place(m)) for part in same for m in part]
    _, todo = cut(tmp_path, *messages)
    keys = [w.summary_of for w in todo if w.summary_of]
    assert len(keys) == len(set(keys)) == 4


def _place(m: Message) -> dict[str, object]:
    names = ("tenant_id", "user_id", "session_id", "message_id", "role")
    return {name: getattr(m, name) for name in names}


def test_ids_are_numbered_through_and_come_back(tmp_path: Path) -> None:
    _, todo = cut(tmp_path, *talk(45), *talk(3, day=1))
    joint = Joint(todo, {})
    windows = joint.pack.request.inputs["windows"]
    ids = [m["id"] for w in windows for m in w["messages"]]
    assert ids == [f"m{n}" for n in range(1, 49)]
    context_ids = [m["id"] for w in windows for m in w["context"]]
    assert len(set(context_ids)) == len(context_ids) and not set(context_ids) & set(ids)
    assert joint.pack.members == [w.request for w in todo]
    parts = joint.split(ExtractReply([WindowReply(w["window"], []) for w in windows[1:]]))
    assert [part is None for part in parts] == [True, False, False, False]


def test_the_embedded_model_sees_the_context_that_is_not_repeated(tmp_path: Path) -> None:
    """ "Yes." after a question at the end of the window before: packed together, or a day at a time."""
    days = [NOON.date(), NOON.date() + timedelta(days=1)]
    asked = message("Do you live in Oslo?", NOON, message_id="q", role=Role.ASSISTANT)
    messages = [message("Hi.", NOON - timedelta(minutes=1), message_id="h"), asked]
    messages.append(message("Yes.", NOON + timedelta(days=1), message_id="y"))
    found = []
    for name, parts in (("packed", [days]), ("daily", [[day] for day in days])):
        ctx = context(tmp_path / name, chat="builtin")
        ctx.lake.append("messages", messages)
        for part in parts:
            extract(ctx, part)
        found.append(proposed(ctx))
    assert found[0] == found[1] and [p.content for p in found[0]] == ["Lives in Oslo."]
