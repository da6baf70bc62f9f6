"""``python -m memory_pipeline`` is the command ``memory-pipeline``."""

from memory_pipeline.cli import main

if __name__ == "__main__":
    main()
