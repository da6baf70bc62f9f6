"""What a user may ask for of all that is known of them: a copy, to be taken elsewhere, and that it be erased.

The module is light to import: engines are loaded when they are first needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Self

from memory_pipeline.asynchronous import in_thread
from memory_pipeline.domain.scope import Scope
from memory_pipeline.errors import CurationError, QueryError
from memory_pipeline.settings import Settings

if TYPE_CHECKING:
    from memory_pipeline.domain.erasure_certificate import ErasureCertificate
    from memory_pipeline.inference.encoder import Encoder
    from memory_pipeline.stages.context import Progress, StageContext
    from memory_pipeline.stages.operations.bundle.archive import Manifest
    from memory_pipeline.stages.operations.bundle.importing import ImportReport


def utc_now() -> datetime:
    """The clock of an act, where no other is given: what the user does happens now."""
    return datetime.now(UTC)


class DataRights:
    """Export, import and erasure of a user; see :class:`memory_pipeline.MemoryCurator`, which opens it."""

    def __init__(
        self, settings: Settings, *, encoder: Encoder | None = None, clock: Callable[[], datetime] = utc_now
    ) -> None:
        # What is done by hand does not wait for a batch of model calls.
        self._settings = settings.model_copy(update={"chat_batch": False})
        self._encoder = encoder
        self._clock = clock
        self._first: StageContext | None = None

    @classmethod
    def open(cls, home: str | None = None, settings: Settings | None = None) -> Self:
        """A curator of a home; settings come from the environment where they are not given.

        Raises:
            SettingsError: a setting is wrong; the message names it.
        """
        return cls(settings or Settings.load(home=home))

    def close(self) -> None:
        """Let go of the stores; a later act opens them again."""
        self._first = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def export(
        self, out: str | Path, *, user_id: str, tenant_id: str = "default", progress: Progress | None = None
    ) -> Manifest:
        """Write everything of the user into one file, a bundle; see ``stages.operations.bundle``. Returns its manifest.

        Two bundles of the same rows differ in the manifest's ``created_at`` alone. Erasing the user does not reach it.

        Args:
            out: a path outside the home; a file of that name is replaced.
            progress: called with a label, the units done and their total.

        Raises:
            NotFound: nothing is known of the user.
            BundleError: it cannot be written there.
        """
        from memory_pipeline.stages.operations.bundle.exporting import export
        from memory_pipeline.stages.operations.erasure.erase import log_working

        ctx, scope = self._context(progress), scope_of(tenant_id, user_id)
        log_working(ctx, scope)
        return export(ctx, scope, Path(out))

    def import_(
        self,
        path: str | Path,
        *,
        user_id: str | None = None,
        tenant_id: str | None = None,
        dry_run: bool = False,
        accept: Iterable[str] = (),
        progress: Progress | None = None,
    ) -> ImportReport:
        """Take a bundle in, through the rules that hold for what is extracted. Twice is as good as once.

        A user of whom the home knows other things keeps them: transcripts and what was done by hand are merged, and
        the next run makes the rest anew. If it is stopped, the same call goes on.

        Args:
            user_id, tenant_id: whose memory it becomes, where that is not the bundle's own user.
            dry_run: only say what would be taken in.
            accept: names of audits that may fail; it is recorded that they did.

        Raises:
            AuditFailed: with it the ledger would break a rule; nothing was taken in.
            BundleError: it is damaged, is not what it says, or reaches beyond its user; nothing was taken in.
            SchemaTooNew: a newer release has written it.
        """
        from memory_pipeline.stages.operations.bundle.archive import read_manifest
        from memory_pipeline.stages.operations.bundle.importing import import_
        from memory_pipeline.stages.publication.auditing import accepting

        own = read_manifest(Path(path)).scope
        target = scope_of(
            own.tenant_id if tenant_id is None else tenant_id, own.user_id if user_id is None else user_id
        )
        ctx = self._context(progress)
        ctx.accepted = accepting(accept)
        return import_(ctx, Path(path), target, dry_run=dry_run)

    # -- erasing

    def erase(
        self,
        *,
        user_id: str,
        tenant_id: str = "default",
        message_id: str | None = None,
        session_id: str | None = None,
        foreign_files: str | None = None,
        progress: Progress | None = None,
    ) -> ErasureCertificate:
        """Remove a user, a session or a message for good from everywhere, with all that rests on it alone.

        What rests on other messages too is made anew from these. The erased messages stay out when they are sent
        again; see :meth:`forget_tombstones`. Returns the certificate: what was removed and made anew, and the proof.

        Args:
            foreign_files: what becomes of files in the home that are none of its stores and hold what is erased: with
                ``keep`` the certificate names them, with ``delete`` they go as a whole. None = ask, by an error.

        Raises:
            NotFound: there is nothing to erase.
            ForeignFiles: there are such files, and ``foreign_files`` does not say what becomes of them.
            QueryError: several sessions have a message of that id, or ``foreign_files`` is another word.
            ModelError: a model is needed for what is made anew, and cannot be reached; the rest is gone.
            StorageError: a store cannot be read or written; the next try goes on.
        """
        from memory_pipeline.stages.operations.erasure.erase import erase_named
        from memory_pipeline.stages.operations.erasure.foreign_files import Handling

        if foreign_files not in (None, *Handling):
            raise QueryError(f"foreign_files is {foreign_files!r}; it is keep or delete", argument="foreign_files")
        foreign = None if foreign_files is None else Handling(foreign_files)
        return erase_named(self._context(progress), scope_of(tenant_id, user_id), message_id, session_id, foreign)

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
        from memory_pipeline.stages.operations.erasure.erase import log_working, survey
        from memory_pipeline.stages.operations.erasure.reach import target_of

        ctx, scope = self._context(), scope_of(tenant_id, user_id)
        log_working(ctx, scope)
        return survey(ctx, [target_of(ctx, scope, message_id, session_id)])

    def retain(self, progress: Progress | None = None) -> dict[str, int]:
        """Erase what the policy's ``[retention]`` keeps no longer; maintenance does it every night."""
        from memory_pipeline.stages.operations.erasure.retention import retain

        return retain(self._context(progress))

    def aged(self) -> dict[str, int]:
        """What :meth:`retain` would remove."""
        from memory_pipeline.stages.operations.erasure.retention import due

        return due(self._context())

    def forget_tombstones(self, *, user_id: str, tenant_id: str = "default") -> int:
        """Let a user's erased messages be taken again when they are sent again. Returns how many hashes were kept."""
        from memory_pipeline.storage.erasing.erasures import Erasures

        return Erasures(self._settings).exhume(scope_of(tenant_id, user_id))

    aexport = in_thread(export)
    aimport_ = in_thread(import_)
    aerase = in_thread(erase)
    aerasable = in_thread(erasable)
    aretain = in_thread(retain)
    aaged = in_thread(aged)
    aforget_tombstones = in_thread(forget_tombstones)

    def _context(self, progress: Progress | None = None) -> StageContext:
        """The surroundings of one act; the stores are opened once."""
        from memory_pipeline.stages.context import StageContext

        now = self._clock().astimezone(UTC)
        if now.date() < self._settings.start_date:
            raise CurationError(
                f"the clock says {now.date()}, before MEMORY_PIPELINE_START_DATE ({self._settings.start_date}): "
                "what is done by hand now would lie where nothing is ever made; set the clock"
            )
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


def scope_of(tenant_id: str, user_id: str) -> Scope:
    for name, value in (("tenant_id", tenant_id), ("user_id", user_id)):
        if not isinstance(value, str) or not value.strip():
            raise CurationError(f"{name} must be a non-empty string: every memory belongs to one user of one tenant")
    return Scope(tenant_id, user_id)
