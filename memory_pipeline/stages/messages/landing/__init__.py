"""The way into the message log, whatever the format: checking, de-duplication, quarantine, the inbox."""
