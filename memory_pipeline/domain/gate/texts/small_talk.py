"""Words that say nothing of anybody: without another, a statement adds nothing to what is known of everyone (KN-34)."""

from __future__ import annotations

from memory_pipeline.domain.text import content_words

_SHALLOW_WORDS = """
    thing stuff something anything everything someone somebody anyone anybody everyone everybody person people human
    individual user assistant chat conversation talk message question answer topic
    day today yesterday tomorrow morning afternoon evening night week weekend month year time moment lately recently
    currently nowadays usually often always sometimes still again maybe perhaps already yet soon
    good great nice fine ok okay bad well better best worse worst cool awesome amazing wonderful lovely pleasant happy
    glad sad interesting fun funny important special new old big small little lot many much bit kind sort way quite
    pretty certain various different general usual normal regular ordinary
    like love enjoy want need wish hope think feel feeling felt know say said tell told ask asked talk talking mention
    mentioned see saw seen look looking seem make made do did done doing go going went gone come came get got getting
    give gave take took use used try tried keep kept let put have had having be been being is are was were exist live
    life interested interest state stated thank thanks hello hi hey yes yeah sure
    """
SHALLOW = content_words(_SHALLOW_WORDS).union(_SHALLOW_WORDS.split())
