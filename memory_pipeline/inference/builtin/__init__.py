"""The parts of the embedded chat model: rules and word lists for English, no network, no randomness, no clock.

A message passes through ``masking`` (what is not the user's own prose), ``sentences`` (statements with their place in
the message), ``dates`` (date phrases, taken out), ``clauses`` (who does what: subject, mode, negation, verb) and the
``rules`` tables; ``extract`` puts the proposals together. The other tasks have a module each: ``judge``, ``summarise``,
``reflect``, ``answer``.
"""
