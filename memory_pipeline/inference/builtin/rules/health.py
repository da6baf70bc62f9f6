"""Allergies, conditions, diet, smoking and drinking."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.lexicon import CONDITIONS, DIETS, wordset
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import ANY, CORE, FIRM, NOW, STATE, THEN, Rule

_FOODS = (
    r"(?:red meat|meat|beef|pork|chicken|fish|seafood|shellfish|shrimp|eggs?|dairy|milk|cheese|gluten|wheat|"
    r"bread|sugar|nuts|peanuts|tree nuts|"
    r"soy|caffeine|coffee|alcohol|carbs|animal products|lactose|onions?|garlic|mushrooms?|spicy food|"
    r"fried food|processed food|"
    r"chocolate|bananas?|strawberries|tomatoes|beans|lentils|corn|rice|yeast|honey|salt)"
)
_DENIED_FOOD = re.compile(rf"{_FOODS}(?:(?:,| or| and|, or|, and) {_FOODS})*$", re.I)


# Said in jest.
_NO_ALLERGY = wordset("mornings work mondays exercise bullshit fun drama people")
_MEDICINES = wordset(
    """
    medication pills tablets injections insulin metformin ibuprofen aspirin antidepressants meds statins melatonin
    lisinopril zoloft adderall ritalin
    """
)


def _medicine(value: str) -> bool:
    return value.split()[-1].lower() in _MEDICINES or "mg" in value


def _food(value: str) -> bool:
    return bool(_DENIED_FOOD.match(value))


def _illness(value: str) -> bool:
    return len(value.split()) <= 6


VERBS = [
    Rule("be", r"(?:\w+ly |also |super |very |highly )*allergic to (?P<value>.+)", "Is allergic to {value}.",
         "allergy", weight=CORE, many=True, modes=STATE, test=lambda v: v.lower() not in _NO_ALLERGY),
    Rule("have get",
         r"(?:an? |some |really |very )*(?:severe |mild |serious |bad |terrible |nasty |slight |seasonal |"
         r"food )*(?:allergy|allergies|allergic reaction|intolerance) to (?P<value>.+)", "Is allergic to {value}.",
         "allergy", weight=CORE, many=True, modes=STATE),
    Rule("have", r"(?:an? )?(?:severe |mild |serious |bad |terrible |slight )*(?P<value>(?!food\b|any\b|no\b|"
         r"some\b|bad\b|outgrown\b|lost\b)[\w ]+?) allerg(?:y|ies)\b", "Is allergic to {value}.", "allergy",
         weight=CORE, modes=STATE, test=lambda v: len(v.split()) <= 3),
    Rule("outgrow lose overcome", r"(?:my |the )(?P<value>(?!food\b)[\w ]+?) allerg(?:y|ies)\b",
         "Is allergic to {value}.", "allergy", weight=CORE, modes=THEN, denied=False, operation=Operation.CONTRADICT),
    Rule("have", r"(?:no|any) (?:known )?(?:food )?allergies", "Has no allergies.", "allergy", fixed="none",
         weight=CORE, denied=False),
    Rule("be", rf"(?:an? )?(?:\w+ly )?(?P<value>{CONDITIONS})(?=$|[,.;]| and\b| so\b| but\b| since\b| which\b)",
         "Is {value}.", "health", weight=CORE, value="phrase", modes=STATE,
         test=lambda v: v.lower() not in {"depression", "anxiety", "cancer", "add", "covid", "insomnia", "pregnant"}),
    Rule("have get develop suffer",
         rf"(?:from )?(?:an? |been |my |some |these |quite |really |very |bad |terrible |horrible |frequent |"
         rf"regular |occasional |the |slight |mild )*(?P<value>{CONDITIONS})\b", "Has {value}.", "health",
         weight=CORE, value="phrase", modes=STATE,
         test=lambda v: v.lower() not in {"covid", "pregnant", "deaf", "blind", "add"}),
    Rule("be", r"(?:recently |just |newly |officially )?diagnosed (?:with|as having|as) (?:an? )?(?P<value>.+)",
         "Was diagnosed with {value}.", "health", weight=CORE, modes=ANY, denied=False, test=_illness,
         when="happened"),
    Rule("get", r"diagnosed (?:with|as having|as) (?:an? )?(?P<value>.+)", "Was diagnosed with {value}.", "health",
         weight=CORE, modes=THEN, denied=False, test=_illness, when="happened"),
    Rule("suffer", r"from (?P<value>.+)", "Suffers from {value}.", "health", weight=CORE, modes=STATE, test=_illness),
    Rule("take", r"(?P<value>(?:\d+ ?mg (?:of )?)?[\w-]+(?: \d+ ?mg)?(?: (?:pills|tablets|medication|"
         r"injections))?) (?:daily |every day )?for (?:my |his |her )?(?P<for>[\w ]+)", "Takes {value} for {for}.",
         "medication", weight=CORE, value="phrase", modes=frozenset({Mode.PRESENT, Mode.ONGOING}), test=_medicine),
    Rule("be",
         r"on (?P<value>(?:blood thinners|antidepressants|insulin|birth control|beta blockers|statins|medication|"
         r"meds)(?: for .+)?)", "Is on {value}.", "medication", weight=CORE, value="phrase"),
    Rule("break sprain tear fracture injure dislocate",
         r"(?:my|his|her|their) (?P<value>(?:\w+ ){0,2}(?:arm|leg|ankle|wrist|foot|toe|finger|knee|hip|shoulder|"
         r"collarbone|rib|ribs|nose|acl|meniscus|hand|elbow|back|achilles)\b.*)", "Injured their {value}.", "health",
         weight=FIRM, modes=THEN, denied=False, when="happened"),
    Rule("be",
         rf"(?:an? |on (?:an? )?)?(?:strict(?:ly)? |mostly |fully |completely |lifelong |basically |now |also |"
         rf"raised )*(?P<value>{DIETS})(?: diet)?(?=$|[,.;]| and\b| so\b| but\b| for\b| now\b| since\b| again\b|"
         rf" person\b)", "Is {value}.", "diet", weight=FIRM, value="phrase", modes=STATE),
    Rule("go turn become", rf"(?:an? |fully |completely |back to being )*(?P<value>{DIETS})\b", "Is {value}.",
         "diet", weight=FIRM, value="phrase", modes=THEN | {Mode.ONGOING}, denied=False, operation=Operation.UPDATE,
         when="happened"),
    Rule("follow keep eat start do try",
         rf"(?:to )?(?:an? |the |only |strictly )*(?P<value>{DIETS})(?: diet| food| lifestyle)?(?=$|[,.;]| and\b|"
         rf" for\b)", "Eats {value}.", "diet", weight=FIRM, value="phrase",
         modes=frozenset({Mode.PRESENT, Mode.ONGOING})),
    Rule("eat have consume drink", r"(?:any )?(?P<value>.+?)(?: products)?$", "Can eat {value}.", "eats",
         weight=CORE, value="noun", many=True, modes=frozenset({Mode.ABLE}), test=_food),
    Rule("eat consume", r"(?:any )?(?P<value>.+?)(?: again)?$", "Eats {value}.", "eats", weight=FIRM, value="noun",
         many=True, modes=NOW, test=_food),
    Rule("give cut quit", r"(?:up |out |down on |off )?(?:eating |drinking )?(?:all )?(?P<value>.+)",
         "Eats {value}.", "eats", weight=FIRM, many=True, modes=THEN, test=_food, ends=True, when="happened"),
    Rule("be", r"(?:an? )?(?P<value>(?:non-?|ex-?|former )?smoker)\b", "Is a {value}.", "smoking", weight=FIRM,
         modes=STATE - {Mode.PAST}),
    Rule("smoke vape", r"(?:cigarettes|tobacco|weed|a pack.*|socially|daily|regularly)?$", "Is a smoker.", "smoking",
         fixed="smoker", weight=FIRM, modes=STATE - {Mode.PAST}),
    Rule("be", r"(?:completely |now )?(?P<value>sober|teetotal|a teetotall?er|a non-?drinker)\b", "Is {value}.",
         "drinking", weight=FIRM, value="phrase", modes=NOW),
    Rule("drink", r"(?:any )?(?:alcohol|booze|liquor|socially|at all)?(?: anymore)?$", "Drinks alcohol.", "drinking",
         fixed="alcohol", weight=FIRM, modes=STATE - {Mode.PAST}),
]  # fmt: skip

NOUNS = [
    Rule("be", r"(?:blood type|blood group): (?P<value>.+)", "Has blood type {value}.", "blood_type", weight=CORE,
         value="phrase", denied=False),
    Rule("be", r"diet: (?:mostly |mainly )?(?P<value>.+)", "Has a {value} diet.", "diet", weight=FIRM, denied=False),
    Rule("be include", r"(?:food )?allerg(?:y|ies): (?:to )?(?P<value>.+)", "Is allergic to {value}.", "allergy",
         weight=CORE, many=True, denied=False),
]  # fmt: skip
