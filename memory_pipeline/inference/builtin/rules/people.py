"""Partners, family, friends and pets, and what they are called."""

from __future__ import annotations

from memory_pipeline.domain.proposal import MemoryType, Operation
from memory_pipeline.inference.builtin.lexicon import BREEDS, FRIENDS, PARTNERS, PETS, RELATIONS
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import ANY, CORE, FIRM, NOW, THEN, Rule


def words(group: frozenset[str] | dict[str, str]) -> str:
    """An alternation of words, longest first."""
    return "|".join(sorted(group, key=lambda w: (-len(w), w)))


RELATIVE = (
    rf"(?:(?:older|younger|elder|little|big|baby|twin|late|only|oldest|eldest|youngest|middle|new|best|close|good|"
    rf"old|current|former|future|\w+-year-old|first|second|half|step) )*(?:{words(RELATIONS)})"
)
_FAMILY = words({k: v for k, v in RELATIONS.items() if v not in PARTNERS and v not in FRIENDS})
_FRIEND = words({k: v for k, v in RELATIONS.items() if v in FRIENDS})
_PARTNER = words(PARTNERS | {"hubby", "gf", "bf"})
_PET = words(PETS)
_COUNT = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|no|twin|several|many|a couple of)"
_DESCRIBED = r"(?:[\w'-]+ ){0,3}?"
_CALLED = (
    r"(?:,? (?:named|called|who is called|whose name is|by the name of),? (?P<name>[A-Z][\w'’-]+(?:,? (?:and|"
    r"&)? ?[A-Z][\w'’-]+)*))?"
)

VERBS = [
    Rule("be",
         r"(?P<value>(?:happily |newly |recently |finally )?married)(?: to (?:my \w+ )?(?P<name>[A-Z][\w'-]+(?: "
         r"[A-Z][\w'-]+)?))?", "Is married.", "relationship_status", weight=CORE, value="phrase", modes=NOW,
         more=True),
    Rule("be", r"(?:currently |happily |still |newly |recently |again )*(?P<value>single|divorced|engaged|widowed|"
         r"separated|a widow(?:er)?|in a (?:[\w-]+ )?relationship|a single (?:mom|dad|parent|mother|father))(?=$|"
         r",|\.| and\b| to\b| with\b| again\b| but\b)", "Is {value}.", "relationship_status", weight=CORE,
         value="phrase", modes=NOW, more=True),
    Rule("be",
         r"(?:\w+ )?(?:married|engaged) to (?:my \w+ |an? \w+ |the )?(?P<value>[A-Z][\w'-]+(?: [A-Z][\w'-]+)?)",
         "Has a partner called {value}.", "partner", weight=CORE, value="name", modes=NOW),
    Rule("be", r"in a (?:[\w-]+ )?relationship with (?P<value>[A-Z].*)", "Has a partner called {value}.", "partner",
         weight=CORE, value="name", modes=NOW),
    Rule("date see", r"(?:an? (?:guy|girl|man|woman|person) (?:named|called) )?(?P<value>[A-Z]\w+)$",
         "Is dating {value}.", "partner", weight=CORE, value="name", modes=frozenset({Mode.ONGOING})),
    Rule("get", r"(?P<value>married|engaged|divorced|separated)\b(?: to (?P<name>[A-Z]\w+))?", "Is {value}.",
         "relationship_status", weight=CORE, value="phrase", modes=THEN, denied=False, operation=Operation.UPDATE,
         when="happened", more=True),
    Rule("get", r"(?:married|engaged) to (?:my \w+ )?(?P<value>[A-Z]\w+)", "Has a partner called {value}.",
         "partner", weight=CORE, value="name", modes=THEN, denied=False),
    Rule("break split", r"up\b", "Is single after a breakup.", "relationship_status", fixed="single", weight=CORE,
         modes=THEN, denied=False, operation=Operation.UPDATE, when="happened", more=True),
    Rule("break split", rf"up with (?:my (?:{_PARTNER}),? ?)?(?P<value>[A-Z]\w+)", "Is no longer with {value}.",
         "partner", weight=CORE, value="name", modes=THEN, denied=False, operation=Operation.CONTRADICT,
         when="happened"),
    Rule("have", rf"(?P<value>{_COUNT} {_DESCRIBED}(?:kids?|children|sons?|daughters?|siblings?|brothers?|sisters?|"
         rf"stepkids|stepchildren|grandchildren|grandkids|nieces?|nephews?|cousins?|twins|triplets|baby|toddler|"
         rf"boys|girls)(?:(?:,| and| &) {_COUNT} {_DESCRIBED}(?:kids?|children|sons?|daughters?|brothers?|sisters?|"
         rf"boys?|girls?))*)(?=$|[,.;]| and\b| named\b| called\b| who\b| whose\b| in\b| with\b){_CALLED}",
         "Has {value}{called}.", "family", weight=CORE, value="phrase", modes=NOW),
    Rule("have own adopt get rescue foster buy",
         rf"(?:myself |ourselves |us )?(?P<value>{_COUNT} {_DESCRIBED}(?:(?:{BREEDS}) )?(?:{_PET}|"
         rf"{BREEDS})(?: and {_COUNT} {_DESCRIBED}(?:{_PET}))*)(?=$|[,. ]){_CALLED}", "Has {value}{called}.", "pet",
         weight=FIRM, value="phrase", modes=ANY, test=lambda v: not v.split()[-1].lower().startswith("fish ")),
    Rule("have", rf"(?P<value>an? {_DESCRIBED}(?:{_PARTNER}|{_FRIEND})),? (?:named |called |"
         rf"whose name is )?(?P<name>[A-Z]\w+)", "Has {value}{called}.", "friend", weight=FIRM, value="phrase",
         modes=NOW),
    Rule("be", r"(?P<value>(?:an? |the )?(?:proud |new |single |busy |working |stay-at-home |full-time |"
         r"first-time )*(?:mom|mother|mum|dad|father|parent|grandmother|grandfather|grandma|grandpa|aunt|uncle|"
         r"godmother|godfather)(?: (?:of|to) .+)?)$", "Is {value}.", "family", weight=CORE, value="phrase",
         modes=NOW),
    Rule("be", r"(?:an? |the )?(?P<value>only child|oldest of .+|youngest of .+|middle child|twin)(?=$|,)",
         "Is {a_value}.", "family", weight=FIRM, modes=NOW),
    Rule("be", rf"(?:my|our) (?P<relation>{RELATIVE})(?=$|,|\.| and\b)", "Is their {relation}.", "relation_to_user",
         fixed="{relation}", weight=CORE, modes=NOW),
    Rule("be", rf"(?:my|our) (?P<relation>{_DESCRIBED}(?:{_PET}|{BREEDS}))(?=$|,|\.)", "Is their {relation}.",
         "relation_to_user", fixed="{relation}", weight=FIRM, modes=NOW),
    Rule("be", rf"(?:an? )?(?P<value>{_DESCRIBED}(?:{BREEDS})(?: mix| puppy| cross)?)(?=$|,| and\b|\.)",
         "Is a {value}.", "breed", weight=FIRM, modes=NOW),
    Rule("die", r".*$", "Died.", "life_status", fixed="dead", weight=CORE, modes=THEN, denied=False, when="happened",
         told=True),
    Rule("pass", r"away\b.*$", "Died.", "life_status", fixed="dead", weight=CORE, modes=THEN, denied=False,
         when="happened", told=True),
    Rule("lose",
         rf"(?:my|our) (?P<value>{RELATIVE}|{_DESCRIBED}(?:{_PET}))(?:,? (?P<name>[A-Z]\w+))?(?=$|,| to\b| in\b|"
         rf" last\b)", "Lost their {value}.", "event", weight=CORE, modes=THEN, denied=False,
         type=MemoryType.EPISODIC_EVENT, when="happened", user_only=True),
    Rule("be", r"(?:\w+ (?:weeks|months) )?(?P<value>pregnant|expecting(?: (?:a|our|my|twins).*)?)$", "Is {value}.",
         "current_pregnancy", weight=CORE, value="phrase"),
    Rule("expect", r"(?P<value>(?:a|an|our|my|twins)\b.*(?:baby|child|kid|son|daughter|twins).*)",
         "Is expecting {value}.", "current_pregnancy", weight=CORE, value="phrase", modes=NOW, when="due", told=True,
         direction="future"),
    Rule("have",
         r"(?:an? |our |my )(?P<value>(?:baby|son|daughter|baby boy|baby girl))(?: named (?P<name>[A-Z]\w+))?$",
         "Had a {value}.", "family", weight=CORE, modes=THEN, when="happened"),
]  # fmt: skip

_NAMED = r"(?:called |named )?(?P<value>[A-Z][\w'’.-]*(?: [A-Z][\w'’.-]*)*)(?=$|,| and\b| or\b| who\b| \(|\.)"
_PAIR = r"(?:called |named )?(?P<value>[A-Z][\w'’.-]*(?:(?:,| and|, and| &) [A-Z][\w'’.-]*)+)$"
NOUNS = [
    Rule("be", rf"(?P<noun>{_PARTNER})(?:'s name)?: {_NAMED}", "Has a {noun} called {value}.", "partner",
         weight=CORE, value="name", denied=False),
    Rule("be", rf"(?P<noun>{_DESCRIBED}(?:{_PET}|{BREEDS}))(?:'s? names?)?: {_PAIR}", "Has {noun} called {value}.",
         "pet", weight=FIRM, value="phrase", denied=False),
    Rule("be", rf"(?P<noun>{_DESCRIBED}(?:{_PET}|{BREEDS}))(?:'s? name)?: {_NAMED}", "Has a {noun} called {value}.",
         "pet", weight=FIRM, value="name", denied=False),
    Rule("be", rf"(?P<noun>(?:[\w-]+ ){{0,2}}(?:{_FAMILY}))(?:'s? names?)?: {_PAIR}", "Has {noun} called {value}.",
         "family", weight=CORE, value="phrase", denied=False),
    Rule("be", rf"(?P<noun>(?:[\w-]+ ){{0,2}}(?:{_FAMILY}))(?:'s? name)?: {_NAMED}", "Has a {noun} called {value}.",
         "family", weight=CORE, value="name", denied=False),
    Rule("be", rf"(?P<noun>(?:[\w-]+ ){{0,2}}(?:{_FRIEND}))(?:'s? name)?: {_NAMED}", "Has a {noun} called {value}.",
         "friend", weight=FIRM, value="name", denied=False),
    Rule("be", r"(?:relationship|marital|partner) status: (?P<value>.+)", "Is {value}.", "relationship_status",
         weight=CORE, denied=False),
    Rule("be", r"(?:wedding )?anniversary:(?: |$)", "Has an anniversary {date}.", "anniversary", fixed="{date}",
         weight=CORE, when="", denied=False),
]  # fmt: skip
