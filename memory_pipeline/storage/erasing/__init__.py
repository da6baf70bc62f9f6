"""What keeps erased things out, and proves that they are gone."""
