"""The proof of an erasure: no row of it is left, and no byte of the home says what was erased."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from memory_pipeline.domain.erasure import Erasure
from memory_pipeline.domain.erasure_certificate import ErasureProof
from memory_pipeline.stages.context import StageContext
from memory_pipeline.stages.operations.erasure.erased_rows import Rows
from memory_pipeline.stages.operations.erasure.foreign_files import Handling, certificate_names, is_foreign
from memory_pipeline.stages.operations.erasure.stores import Stores
from memory_pipeline.stages.operations.erasure.texts import narrowed

if TYPE_CHECKING:
    from collections.abc import Callable

    from memory_pipeline.domain.scope import Scope
    from memory_pipeline.storage.erasing.traces import Traces

_SHOWN = 20


def prove(
    ctx: StageContext,
    erasure: Erasure,
    stores: Stores,
    said: Traces,
    derived: Traces,
    pseudonym: Callable[[Scope], str],
) -> ErasureProof:
    """Search the whole home."""
    from memory_pipeline.storage.erasing.erasures import FOLDER
    from memory_pipeline.storage.erasing.trace_search import search

    everything = Rows(replace(erasure, targets=()), said, lambda scope: "")  # what was made anew is there by right
    texts = narrowed(ctx, everything, erasure, said, derived)
    traces = texts.said.together(texts.derived)
    found = search(ctx.settings.path(), traces, skip=(f"{FOLDER}/",))
    kept = sorted(n for n in found.hits if is_foreign(n)) if erasure.foreign_files == Handling.KEEP else []
    for name in kept:
        del found.hits[name]
    left = stores.left()
    return ErasureProof(
        rows_left=sum(left.values()),
        hits=sum(found.hits.values()),
        where=(*sorted(found.hits)[:_SHOWN], *sorted(left)),
        files=found.files,
        bytes=found.bytes,
        decoded_bytes=found.decoded_bytes,
        undecoded=tuple(found.undecoded[:_SHOWN]),
        foreign_files=tuple(certificate_names(kept, erasure, pseudonym)),
        traces=len(traces),
        shared_with_others=erasure.shared + texts.shared,
        too_short=traces.too_short,
    )
