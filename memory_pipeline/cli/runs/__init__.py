"""Commands that take messages in, make memories of them, try a change and take one back."""
