"""What two people are remembered by, for the tests of answering: memories as the pipeline words them, and turns."""

from __future__ import annotations

from typing import Any

NOW = "2026-11-22T10:00:00+00:00"


def memory(content: str, attribute: str | None = None, value: str | None = None, **changes: Any) -> dict[str, Any]:
    """A memory of the user's; ``at``, ``until`` and ``due`` are days."""
    days = {key: changes.pop(key, None) for key in ("at", "until", "due", "since")}
    times = {key: f"{day}T10:00:00+00:00" if day else None for key, day in days.items()}
    given = {"layer": "semantic", "type": "profile_fact", "status": "active", "content": content, "subject": "user"}
    dates = {"observed_at": times["at"] or "2026-09-01T10:00:00+00:00", "age": "2 months ago"}
    ends = {"valid_from": times["since"], "valid_until": times["until"], "due_at": times["due"]}
    slot = {"attribute": attribute, "value": value, "negated": False, "evidence": ()}
    return {**given, **dates, **ends, **slot, **changes}


def turn(*sentences: str, role: str = "user", **changes: Any) -> dict[str, Any]:
    """A turn, by the sentences that are its speaker's own."""
    given = {"layer": "episodic", "type": f"{role} message", "role": role, "status": "active", "age": "2 months ago"}
    said = {"content": " ".join(sentences), "sentences": sentences, "observed_at": "2026-09-02T10:00:00+00:00"}
    return {**given, **said, "evidence": (), **changes}


def numbered(*items: dict[str, Any]) -> list[dict[str, Any]]:
    """Items with their ids."""
    return [{**item, "id": f"i{n}"} for n, item in enumerate(items, start=1)]


def loop(content: str, **changes: Any) -> dict[str, Any]:
    """An open loop."""
    return memory(content, **{"type": "open_loop", **changes})


CARPENTER = numbered(
    memory("Lives in Hamburg.", "residence", "Hamburg", at="2026-10-01"),
    memory("Lives in Kiel.", "residence", "Kiel", status="superseded", at="2026-05-01", until="2026-10-01"),
    memory("Is called Tessa.", "name", "Tessa"),
    memory("Is 37 years old.", "age", "37"),
    memory("Works as a carpenter.", "occupation", "carpenter"),
    memory("Works at Holzwerk.", "employer", "Holzwerk"),
    memory("Works at Bauhaus.", "employer", "Bauhaus", status="superseded", at="2026-03-01", until="2026-07-01"),
    memory("Has a sister called Mira.", "family", "Mira"),
    memory("Sister Mira works as a dentist.", "occupation", "dentist", subject="sister mira"),
    memory("Mira lives in Oslo.", "residence", "Oslo", subject="Mira"),
    memory("Has a husband called Jonas.", "partner", "Jonas"),
    memory("Husband Jonas works as a pilot.", "occupation", "pilot", subject="husband jonas"),
    memory("Has two kids.", "family", "two kids"),
    memory("Has a son called Emil.", "family", "Emil"),
    memory("Son Emil is 6 years old.", "age", "6", subject="son emil"),
    memory("Has a daughter called Greta.", "family", "Greta"),
    memory("Daughter Greta is allergic to strawberries.", "allergy", "strawberries", subject="daughter greta"),
    memory("Has a dog called Bo.", "pet", "Bo"),
    memory("Dog Bo is a corgi.", "be", "corgi", subject="dog bo"),
    memory("Is allergic to hazelnuts.", "allergy", "hazelnuts"),
    memory("Is allergic to pollen.", "allergy", "pollen"),
    memory("Is pescatarian.", "diet", "pescatarian", at="2026-10-05"),
    memory("Is vegan.", "diet", "vegan", status="superseded", at="2026-02-05", until="2026-10-05"),
    memory("Takes levothyroxine 50 mcg every morning.", "medication", "levothyroxine"),
    memory("Smokes.", "smoking", "smoker", status="contradicted", at="2026-01-05", until="2026-06-05"),
    memory("No longer smokes.", "smoking", "smoker", at="2026-06-05", negated=True),
    memory("Plays the cello.", "hobby", "cello"),
    memory("Plays badminton on Thursdays.", "hobby", "badminton"),
    memory("Speaks German.", "language", "German"),
    memory("Speaks Danish.", "language", "Danish"),
    memory("Drives a Skoda Octavia.", "possession", "Skoda Octavia"),
    memory("Hates coriander.", "dislikes", "coriander", type="preference"),
    memory("Prefers tea over coffee.", "preferred_drink", "tea", type="preference"),
    memory("Uses Neovim.", "preferred_editor", "Neovim", type="preference"),
    memory("Their rent is 1,150 euros.", "current_rent", "1,150 euros"),
    memory("Their birthday is on 14 February.", "birthday", "14 February"),
    loop("Has to renew their passport by 3 December 2026.", due="2026-12-03"),
    loop("Needs to call the roofer."),
    loop("Plans to go to Lisbon in January 2027.", attribute="plan", value="Lisbon", due="2027-01-31"),
    memory("Visited Porto in May 2025.", "visited", "Porto", type="episodic_event"),
    memory("Broke their left wrist in March 2024.", "injury", "wrist", type="episodic_event"),
    memory("Studied architecture in Lübeck.", "education", "architecture"),
    memory("Is building a sauna in the garden.", "project", "sauna"),
    memory("Chose oak for the table because it lasts longer.", type="decision"),
    memory("Mother has arthritis.", "health", "arthritis", subject="mother"),
    memory("Their boss is called Rolf.", "current_boss", "Rolf"),
    memory("Wants answers short.", "answer_style", "short", type="protocol"),
    memory("Is married.", "relationship_status", "married"),
    memory("Wears shoe size 39.", "wears", "shoe size 39"),
    turn("My neighbour Heike waters the plants when we are away."),
    turn("The landlord said the heating gets replaced in November."),
    turn("I grew up in Husum and I moved to Kiel in 2011."),
    turn("Our wifi router is in the basement"),
    turn("For the sauna I'd go with larch boards.", "You could try a sourdough rye recipe.", role="assistant"),
)

ENGINEER = numbered(
    memory("Lives in Porto.", "residence", "Porto", at="2026-04-01", since="2026-03-01"),
    memory("Moved from Lyon to Porto in March 2026.", type="episodic_event", status="stale", at="2026-04-01"),
    memory("Wants to be called Nico.", "preferred_name", "Nico", type="protocol"),
    memory("Is called Nicolas Ferreira.", "name", "Nicolas Ferreira"),
    memory("Works as a data engineer at Rivo.", "occupation", "data engineer"),
    memory("Has a girlfriend called Inês.", "partner", "Inês", at="2026-08-01"),
    memory("Is married to Clara.", "partner", "Clara", status="superseded", at="2025-01-01", until="2026-02-01"),
    memory("Is divorced.", "relationship_status", "divorced", at="2026-02-01"),
    memory("Has celiac disease.", "health", "celiac disease"),
    memory("Cannot eat gluten.", "eats", "gluten", negated=True),
    memory("Takes ramipril 5 mg in the morning.", "medication", "ramipril"),
    memory("No longer takes ibuprofen.", "medication", "ibuprofen", negated=True),
    memory("Father died in 2019.", "life_status", "dead", subject="father"),
    memory("Has a brother called Luis.", "family", "Luis"),
    memory("Brother Luis is moving to Canada in spring.", "move", subject="brother luis"),
    memory("Brother Luis has two daughters.", "family", "two daughters", subject="brother luis"),
    memory("Has a cat called Miso.", "pet", "Miso"),
    memory("Cat Miso is diabetic.", "health", "diabetic", subject="cat miso"),
    memory("Likes indie rock.", "likes", "indie rock", type="preference"),
    memory("Dislikes flying.", "dislikes", "flying", type="preference"),
    memory("Is afraid of heights.", "fear", "heights"),
    memory("Uses Postgres.", "preferred_database", "Postgres", type="preference"),
    memory("Uses MySQL.", "preferred_database", "MySQL", status="superseded", until="2026-05-05"),
    memory("Their favourite team is Benfica.", "favorite_team", "Benfica"),
    memory("Their favorite color is teal.", "favorite_color", "teal"),
    memory("Bought a Yamaha keyboard.", "possession", "Yamaha keyboard", type="episodic_event"),
    memory("Sold the motorbike.", "possession", "motorbike", negated=True),
    loop("Has a dentist appointment on 2 December 2026 at 10:30.", attribute="plan", due="2026-12-02"),
    loop("Needs to send the tax forms to Marta by 30 November 2026.", due="2026-11-30"),
    loop("Needs to buy a new mattress.", status="closed"),
    memory("Their accountant is called Marta.", "current_accountant", "Marta"),
    memory("Their budget for the trip is 2,400 euros.", "current_budget_for_the_trip", "2,400 euros"),
    memory("Their apartment has three rooms."),
    memory("The team standup is at 9:15.", subject=None),
    memory("Decided to use Kafka because of replay.", type="decision"),
    memory("Does not want their divorce to be brought up.", "avoid_topic", "divorce", type="boundary"),
    memory("Weighs 82 kg.", "weight", "82 kg"),
    memory("Is 1.84 m tall.", "height", "1.84 m"),
    memory("Does not drink alcohol.", "drinking", "alcohol", negated=True),
    turn("My landlady Senhora Costa raised the rent to 870 in September."),
    turn("Inês works at a bakery and she starts at 4 am."),
    turn("Luis's daughters are called Noa and Bea."),
    turn("I paid 120 for the bike repair"),
    turn("our team has seven people"),
    turn("Bart is my best mate, we met in the army"),
    turn("The doctor said I should lose ten kilos"),
    turn("For celiac-friendly bread I'd suggest buckwheat flour.", role="assistant"),
)
