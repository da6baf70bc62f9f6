"""The vectors of the examples of requests, as the package holds them, made once more.

    python -m benchmarks.request_examples

Needed after a change of the examples in ``language/tables/requests.toml`` or of the embedded encoder. Prints how many
there are and how far the vectors that were there are off; None where they are of other texts.
"""

from __future__ import annotations

import numpy as np

from memory_pipeline.inference.builtin_encoder import BuiltinEncoder
from memory_pipeline.language.requests import examples
from memory_pipeline.retrieval.prompt.request_examples import FILE, example_vectors, made_from


def main() -> None:
    """Write the file of the package."""
    encoder, (texts, _) = BuiltinEncoder(threads=1), examples()
    vectors = encoder.encode(list(texts))
    off = float(np.abs(example_vectors(encoder, texts) - vectors).max()) if FILE.exists() else None
    np.savez(FILE, vectors=vectors, made_from=np.array(made_from(encoder.model, texts)))
    print(f"{len(texts)} examples, off by {off}")


if __name__ == "__main__":
    main()
