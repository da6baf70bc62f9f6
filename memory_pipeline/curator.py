"""The user's own hand: remember, edit, forget, pin, unpin, suppress, undo; and bundles: export, import.

The module is light to import: engines are loaded when a curator is first used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from memory_pipeline.domain.calendar import day_end, zone
from memory_pipeline.domain.memory import MemoryVersion
from memory_pipeline.domain.proposal import MemoryType, Surface
from memory_pipeline.domain.scope import Classification, Scope
from memory_pipeline.errors import CurationError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.stages.bundle.archive import Manifest
    from memory_pipeline.stages.bundle.importing import ImportReport
    from memory_pipeline.stages.context import Progress, StageContext

E = TypeVar("E", bound=StrEnum)
When = datetime | date


def utc_now() -> datetime:
    """The clock of an act, where no other is given: what the user does happens now."""
    return datetime.now(UTC)


class MemoryCurator:
    """Changes memories by the user's own hand. Safe for threads and beside other processes.

    Every change is effective with the next read of any process, stands in the ledger as ``manual``, and survives every
    re-run. Each method names one user of one tenant, and returns the memory's new version; one that changes nothing
    (forgetting twice) returns the version that stands.

    Args:
        settings: where the home is, and which encoder its index was made with.
        encoder: in place of the settings' own.
        clock: the time of an act.
    """

    def __init__(
        self, settings: Settings, *, encoder: Encoder | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        # What is done by hand does not wait for a batch of model calls.
        self._settings = settings.model_copy(update={"chat_batch": False})
        self._encoder = encoder
        self._clock = clock
        self._first: StageContext | None = None

    @classmethod
    def open(cls, home: str | None = None, settings: Settings | None = None) -> MemoryCurator:
        """A curator of a home; settings come from the environment where they are not given.

        Raises:
            SettingsError: a setting is wrong; the message names it.
        """
        return cls(settings or Settings.load(home=home))

    def remember(
        self,
        content: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        type: str | None = None,
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
        entities: Iterable[str] | None = None,
        importance: float | None = None,
        surface: str | None = None,
        pinned: bool = False,
        due_at: When | None = None,
        valid_from: When | None = None,
        valid_until: When | None = None,
        agent_id: str | None = None,
        domain: str | None = None,
        shared: bool = False,
        classification: str = "internal",
    ) -> MemoryVersion:
        """Remember what the user states, in the user's words.

        A fact that is known in the same words is confirmed; known in fewer, it takes these words over; one that
        replaces the value of a slot with one value ends the older fact, as if it had been said.

        Args:
            content: one sentence.
            type, subject, attribute, value, entities, surface: read out of English sentences where they are left out;
                else a ``profile_fact`` about the user, without a slot, that may be mentioned.
            importance: 0 to 1.
            pinned: keep it in every prompt.
            due_at: of an open loop; a date means the end of that day.
            valid_from, valid_until: when it is true; dates mean the whole day.

        Raises:
            CurationError: it is empty, too long, a secret, or not a fact; or an argument does not exist.
        """
        from memory_pipeline.stages.curate import remember
        from memory_pipeline.stages.statement import Fact

        if importance is not None and not 0 <= importance <= 1:
            raise CurationError(f"importance is between 0 and 1, not {importance!r}")
        fact = Fact(
            content=content,
            type=_one_of("type", type, MemoryType),
            subject=subject,
            attribute=attribute,
            value=value,
            entities=None if entities is None else tuple(dict.fromkeys(entities)),
            importance=importance,
            surface=_one_of("surface", surface, Surface),
            pinned=pinned,
            due_at=self._time(due_at, end=True),
            valid_from=self._time(valid_from, end=False),
            valid_until=self._time(valid_until, end=True),
            agent_id=agent_id,
            domain=domain,
            shared=shared,
            classification=_one_of("classification", classification, Classification) or Classification.INTERNAL,
        )
        return remember(self._context(), _scope(tenant_id, user_id), fact)

    def edit(
        self,
        memory_id: str,
        content: str,
        *,
        user_id: str,
        tenant_id: str = "default",
        subject: str | None = None,
        attribute: str | None = None,
        value: str | None = None,
    ) -> MemoryVersion:
        """Put a memory in the user's words (NM-20: it keeps its id and is encoded anew).

        The words of before are never shown again: where something of them is gone, neither are the messages that said
        it. Later statements of the same fact confirm the memory and leave its words; a changed fact may end it.

        Args:
            subject, attribute, value: its slot, where it is not to be read out of the words.

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended, or the words cannot be kept.
        """
        from memory_pipeline.stages.curate import edit

        slot = {"subject": subject, "attribute": attribute, "value": value}
        return edit(self._context(), _scope(tenant_id, user_id), memory_id, content, slot)

    def forget(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Never show a memory again, nor the messages and summaries that say it; it stays in the ledger (DL-28).

        It stays forgotten when its messages are processed again. A new statement of the user makes a new memory.

        Raises:
            NotFound: the user has no such memory.
        """
        from memory_pipeline.stages.curate import forget

        return forget(self._context(), _scope(tenant_id, user_id), memory_id)

    def pin(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Keep a memory in every prompt, and out of time's reach (DL-18, DL-27).

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.curate import pin

        return pin(self._context(), _scope(tenant_id, user_id), memory_id)

    def unpin(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Treat a memory like any other again.

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.curate import unpin

        return unpin(self._context(), _scope(tenant_id, user_id), memory_id)

    def suppress(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Keep a memory in mind, and never bring it up (DL-23, DL-35).

        Raises:
            NotFound: the user has no such memory.
            CurationError: it has ended.
        """
        from memory_pipeline.stages.curate import suppress

        return suppress(self._context(), _scope(tenant_id, user_id), memory_id)

    def undo(self, memory_id: str, *, user_id: str, tenant_id: str = "default") -> MemoryVersion:
        """Overrule the latest decision that merged another statement into a memory, or that ended it (RX-31).

        What had been merged becomes a memory of its own; what had ended stands again. Later days are replayed at once,
        and every later run keeps to it.

        Raises:
            NotFound: the user has no such memory.
            CurationError: there is nothing of the kind to undo.
            ModelError: the judge is needed for what follows, and cannot be reached; nothing is changed.
        """
        from memory_pipeline.stages.undo import undo

        return undo(self._context(), _scope(tenant_id, user_id), memory_id)

    def export(
        self, out: str | Path, *, user_id: str, tenant_id: str = "default", progress: Progress | None = None
    ) -> Manifest:
        """Write everything of the user into one file, a bundle; see ``stages.bundle``. Returns its manifest.

        Two bundles of the same rows differ in the manifest's ``created_at`` alone. Erasing the user does not reach it.

        Args:
            out: a path outside the home; a file of that name is replaced.
            progress: called with a label, the units done and their total.

        Raises:
            NotFound: nothing is known of the user.
            BundleError: it cannot be written there.
        """
        from memory_pipeline.stages.bundle.exporting import export

        return export(self._context(progress), _scope(tenant_id, user_id), Path(out))

    def import_(
        self,
        path: str | Path,
        *,
        user_id: str | None = None,
        tenant_id: str | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take a bundle in, through the rules that hold for what is extracted. Twice is as good as once.

        A user of whom the home knows other things keeps them: transcripts and what was done by hand are merged, and
        the next run makes the rest anew. If it is stopped, the same call goes on.

        Args:
            user_id, tenant_id: whose memory it becomes, where that is not the bundle's own user.
            dry_run: only say what would be taken in.

        Raises:
            BundleError: it is damaged, is not what it says, or reaches beyond its user; nothing was taken in.
            SchemaTooNew: a newer release has written it.
        """
        from memory_pipeline.stages.bundle.archive import read_manifest
        from memory_pipeline.stages.bundle.importing import import_

        own = read_manifest(Path(path)).scope
        target = _scope(own.tenant_id if tenant_id is None else tenant_id, own.user_id if user_id is None else user_id)
        return import_(self._context(progress), Path(path), target, dry_run=dry_run)

    # -- erasing

    def erase(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        message_id: str | None = None,
        session_id: str | None = None,
        progress: Progress | None = None,
    ) -> dict[str, Any]:
        """Remove a user, a session or a message for good from everywhere, with all that rests on it alone.

        What rests on other messages too is made anew from these. The erased messages stay out when they are sent
        again; see :meth:`forget_tombstones`. Returns the certificate: what was removed and made anew, and the proof.

        Raises:
            NotFound: there is nothing to erase.
            QueryError: several sessions have a message of that id.
            ModelError: a model is needed for what is made anew, and cannot be reached; the rest is gone.
            StorageError: a store cannot be read or written; the next try goes on.
        """
        from memory_pipeline.stages.erasure.erase import erase_named

        return erase_named(self._context(progress), _scope(tenant_id, user_id), message_id, session_id)

    def erasable(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        message_id: str | None = None,
        session_id: str | None = None,
    ) -> dict[str, int]:
        """What :meth:`erase` would remove, by store.

        Raises:
            NotFound, QueryError: as :meth:`erase`.
        """
        from memory_pipeline.stages.erasure.erase import survey
        from memory_pipeline.stages.erasure.reach import target_of

        ctx, scope = self._context(), _scope(tenant_id, user_id)
        return survey(ctx, [target_of(ctx, scope, message_id, session_id)])

    def retain(self, progress: Progress | None = None) -> dict[str, int]:
        """Erase what the policy's ``[retention]`` keeps no longer; maintenance does it every night."""
        from memory_pipeline.stages.erasure.retention import retain

        return retain(self._context(progress))

    def aged(self) -> dict[str, int]:
        """What :meth:`retain` would remove."""
        from memory_pipeline.stages.erasure.retention import due

        return due(self._context())

    def forget_tombstones(self, *, user_id: str, tenant_id: str = "default") -> int:
        """Let a user's erased messages be taken again when they are sent again. Returns how many hashes were kept."""
        from memory_pipeline.storage.erasures import Erasures

        return Erasures(self._settings).exhume(_scope(tenant_id, user_id))

    def _context(self, progress: Progress | None = None) -> StageContext:
        """The surroundings of one act; the stores are opened once."""
        from memory_pipeline.stages.context import StageContext

        now = self._clock().astimezone(UTC)
        ctx = StageContext(self._settings, f"manual-{now:%Y%m%dT%H%M%S%f}", now)
        if progress is not None:
            ctx.progress = progress
        if self._first is not None and self._encoder is None and self._first.index.switched:
            self._first = None
        if self._first is None:
            if self._encoder is not None:
                ctx.encoder = self._encoder
            self._first = ctx
        ctx.lake, ctx.encoder, ctx.index = self._first.lake, self._first.encoder, self._first.index
        ctx.lake.fence.renew()
        ctx.index.fence.renew()
        return ctx

    def _time(self, when: When | None, *, end: bool) -> datetime | None:
        """A moment in UTC; a date means its first or last one, a time without a zone is taken in the settings' zone."""
        if when is None:
            return None
        if isinstance(when, datetime):
            return (when if when.tzinfo else when.replace(tzinfo=zone(self._settings.timezone))).astimezone(UTC)
        if isinstance(when, date):
            day = when if end else when - timedelta(days=1)
            return day_end(day, self._settings.timezone) - timedelta(seconds=1 if end else 0)
        raise CurationError(f"a time must be a date or a datetime, not {when!r}")


def _scope(tenant_id: str, user_id: str) -> Scope:
    for name, value in (("tenant_id", tenant_id), ("user_id", user_id)):
        if not isinstance(value, str) or not value.strip():
            raise CurationError(f"{name} must be a non-empty string: every memory belongs to one user of one tenant")
    return Scope(tenant_id, user_id)


def _one_of(name: str, value: str | None, known: type[E]) -> E | None:
    if value is None:
        return None
    try:
        return known(value)
    except ValueError as error:
        raise CurationError(f"{name} {value!r} does not exist; there are {', '.join(sorted(known))}") from error
