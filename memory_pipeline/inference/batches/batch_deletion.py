"""Deleting what a provider keeps of a batch: its input file, and the files of its replies and errors."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from memory_pipeline.inference.batches.batch_api import ENDED, BatchApi

if TYPE_CHECKING:
    from memory_pipeline.storage.erasing.erasures import OwedDeletion


@dataclass(frozen=True, slots=True)
class Deletion:
    """What one try came to.

    Attributes:
        files: deleted now.
        cancelled: whether the batch was under way and has been stopped.
        left: why there may be more to delete later; empty when it is done.
    """

    files: int
    cancelled: bool = False
    left: str = ""


async def delete_batch(api: BatchApi, owed: OwedDeletion) -> Deletion:
    """Delete a batch's files, and stop it first where it is under way. Files that are gone already are as good.

    Raises:
        ModelError: the provider cannot be reached, or refuses.
    """
    batch = await (api.find(owed.key, owed.submitted_at) if owed.batch_id is None else api.look(owed.batch_id))
    if batch is None:  # killed before it was started, or forgotten by the provider
        return Deletion(sum([await api.delete(file_id) for file_id in await api.uploaded(f"{owed.key}.jsonl")]))
    stopped = batch.status not in {*ENDED, "cancelling"}
    if stopped:
        await api.cancel(batch.id)
        batch = await api.look(batch.id) or batch
    held = [i for i in (batch.input_file_id, batch.output_file_id, batch.error_file_id) if i]
    files = sum([await api.delete(file_id) for file_id in held])
    left = "" if batch.status in ENDED else f"the batch is {batch.status}: what it has brought can be deleted later"
    return Deletion(files, stopped, left)
