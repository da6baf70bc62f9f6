"""The projection of token vectors from 384 to 48 dimensions, as the package holds it, made once more.

    python -m benchmarks.token_projection [--out FILE]

The principal components of the tokens of the sample transcripts, each token of length 1 and the mean taken off. What
another machine makes differs by rounding, so the file in the package stays the one that it is, pinned by its digest.
Prints one JSON object: the tokens, the share of their variance that is kept, and how far the package's file is off.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.inference.token_vectors import DIMENSIONS
from memory_pipeline.settings import Settings, shipped
from memory_pipeline.storage.vectors.projection import has_name, spoken

Floats = npt.NDArray[np.float32]


def sample_texts() -> list[str]:
    """The turns of the sample as they are encoded, each once."""
    policy = Settings.load().policies.retrieval
    files = sorted(shipped("data/sample").glob("*.jsonl"))
    turns = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    found = []
    for turn in turns:
        reply = turn.get("role") == "assistant" and not has_name(turn.get("speaker"))
        most = policy.encoded_reply_characters if reply else policy.encoded_characters
        if turn.get("role") in ("user", "assistant"):
            found.append(spoken(turn.get("speaker"), turn["content"])[:most])
    return list(dict.fromkeys(found))


def tokens_of(encoder: BuiltinEncoder, texts: Sequence[str]) -> Floats:
    """Every token's vector, of length 1, shape (tokens, 384)."""
    ids = [t.ids for t in encoder._tokenised(texts)]

    def whole(hidden: Floats, mask: npt.NDArray[np.int64], _: list[int]) -> Floats:
        return hidden[mask == 1]

    found = np.concatenate([part for _, part in encoder._batched(ids, whole)])
    return found / np.linalg.norm(found, axis=1, keepdims=True)


def projection(tokens: Floats) -> tuple[Floats, float]:
    """The components and what they make of the mean token, shape (385, 48), and the variance that they keep."""
    mean = tokens.mean(axis=0, dtype=np.float64)
    spread = tokens.astype(np.float64) - mean
    variances, axes = np.linalg.eigh(spread.T @ spread / len(tokens))
    best = axes[:, ::-1][:, :DIMENSIONS]
    best = best * np.sign(
        best[np.abs(best).argmax(axis=0), np.arange(DIMENSIONS)]
    )  # an axis has no direction of its own
    kept = float(variances[::-1][:DIMENSIONS].sum() / variances.sum())
    return np.concatenate([best, (mean @ best)[None]]).astype(np.float32), kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path)
    out = parser.parse_args().out
    encoder = BuiltinEncoder()
    tokens = tokens_of(encoder, sample_texts())
    made, kept = projection(tokens)
    if out is not None:
        np.save(out, made)
    off = float(np.abs(made - encoder._tokens_of[0]).max())
    print(json.dumps({"tokens": len(tokens), "variance_kept": round(kept, 3), "greatest_difference": off}))


if __name__ == "__main__":
    main()
