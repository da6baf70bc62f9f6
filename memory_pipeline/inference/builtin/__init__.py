"""The parts of the embedded chat model: rules and word lists for English, no network, no randomness, no clock.

A message goes through ``masking`` (what is not the user's own prose is blanked), ``sentences`` and ``utterances``
(clauses with their place in the message, and what kind each is), ``dates`` (date phrases, taken out and resolved),
``clauses`` and ``predicates`` (who does what: subject, mode, negation, verb), ``reading`` and ``facts`` (the tables of
``rules`` asked in turn) and ``drafts`` (proposals with quotes, dates and weights); ``extract`` runs them. The other
tasks have a module each: ``judge``, ``summarise``, ``reflect``, ``answer``.
"""
