"""Who somebody is: name, pronouns, age, birthday, origin, religion, traits, and "my <attribute> is"."""

from __future__ import annotations

from memory_pipeline.inference.builtin.lexicon import LANGUAGES, NATIONALITIES, RELIGIONS
from memory_pipeline.inference.builtin.patterns import ANY, CORE, FAINT, FIRM, NOW, PLAIN, THEN, Rule


def _age(value: str) -> bool:
    return 3 <= int(value) <= 115


def _nationality(value: str) -> bool:
    return value.lower() in NATIONALITIES


def _religion(value: str) -> bool:
    return value.lower() in RELIGIONS


def _languages(value: str) -> bool:
    return any(word.strip(",").lower() in LANGUAGES for word in value.split())


_TRAITS = (
    r"(?:introvert(?:ed)?|extrovert(?:ed)?|ambivert|perfectionist|left[- ]handed|right[- ]handed|ambidextrous|"
    r"(?:big |total |real )?"
    r"(?:night owl|early bird|morning person|evening person|people person|dog person|cat person|foodie|"
    r"bookworm|workaholic|minimalist|"
    r"homebody|gamer|procrastinator|light sleeper|heavy sleeper|coffee addict|tea drinker|coffee drinker|"
    r"feminist|optimist|pessimist|activist)|"
    r"gay|lesbian|bisexual|bi|queer|trans|transgender(?: woman| man)?|trans (?:woman|man)|non-?binary|asexual|"
    r"(?-i:[EI][NS][TF][JP])(?:-[AT])?|aries|taurus|gemini|virgo|libra|scorpio|sagittarius|capricorn|aquarius|pisces|"
    r"(?:very |quite |naturally |really )?(?:shy|ambitious|competitive|stubborn|organi[sz]ed|disorgani[sz]ed|"
    r"forgetful|impatient|frugal|afraid of [\w ]+|scared of [\w ]+|terrified of [\w ]+))"
)
VERBS = [
    Rule("be", r"(?:about |around |almost )?(?P<value>\d{1,3})(?:[ -]years?[ -](?:old|young)| ?y/?o\b|"
         r" years of age)?(?=$|,| and\b| in\b| this\b| living\b)(?!,? \w+ (?:km|kg|percent))",
         "Is {value} years old.", "age", weight=CORE, test=_age, more=True, denied=False),
    Rule("be", r"(?:an? )(?:\w+ )?(?P<value>\d{1,3})[- ]years?[- ]old\b", "Is {value} years old.", "age",
         weight=CORE, test=_age, more=True, denied=False),
    Rule("turn", r"(?P<value>\d{1,3})(?: years old)?$", "Is {value} years old.", "age", weight=CORE, test=_age,
         modes=THEN),
    Rule("go", r"by (?:the name )?(?P<value>.+)", "Goes by {value}.", "preferred_name", weight=CORE, value="name",
         modes=NOW),
    Rule("prefer", r"(?:to be called|being called|to go by|the name) (?P<value>.+)", "Prefers to be called {value}.",
         "preferred_name", weight=CORE, value="name"),
    Rule("use", r"(?:the )?(?:pronouns )?(?P<value>(?:she|he|they|ze|xe|it)/\w+(?:/\w+)?)(?: pronouns)?",
         "Uses {value} pronouns.", "pronouns", weight=CORE),
    Rule("be", r"born(?: (?:and raised )?(?:in|at) (?P<where>.+))?$", "Has a birthday {date}.", "birthday",
         fixed="{date}", weight=CORE, modes=ANY, denied=False, more=True, when=""),
    Rule("be", r"(?:originally |born and raised )?from (?P<value>.+)", "Is from {value}.", "hometown", weight=FIRM,
         value="place", test=lambda v: v[:1].isupper() or len(v.split()) == 1),
    Rule("be", r"(?:born|raised|born and (?:raised|bred|brought up)|brought up) (?:and raised )?(?:in|"
         r"near) (?P<value>.+)", "Was born in {value}.", "hometown", weight=FIRM, value="place", modes=ANY,
         denied=False),
    Rule("come", r"(?:originally )?from (?P<value>[A-Z].+)", "Comes from {value}.", "hometown", weight=FIRM,
         value="place", modes=NOW),
    Rule("grow", r"up (?:in|near) (?P<value>.+)", "Grew up in {value}.", "hometown", weight=FIRM, value="place",
         modes=ANY, denied=False),
    Rule("be",
         r"(?:an? )?(?:native |naturali[sz]ed |proud |half |part |dual )*(?P<value>[A-Za-z]+)(?:[- ](?:american|"
         r"canadian|british|german|french))?(?: citizen| national| guy| woman| man| girl| expat)?(?=$|,|\.| and\b|"
         r" but\b| living\b| by\b)", "Is {value}.", "nationality", weight=FIRM, test=_nationality),
    Rule("be", r"(?:an? )?(?:us|u\.s\.|uk|eu|american|canadian|[A-Z][a-z]+) citizen",
         "Is a citizen of their country.", None, test=lambda v: False),
    Rule("be",
         r"(?:an? )?(?:practi[sc]ing |devout |non-practi[sc]ing |raised |born-again |secular )*(?P<value>\w+)(?=$|"
         r",| and\b)", "Is {value}.", "religion", weight=FIRM, test=_religion),
    Rule("be", rf"(?P<article>an? )?(?:bit |little |of )*(?:huge |big |total |complete |such an? |"
         rf"definitely )*(?P<value>{_TRAITS})(?=$|[,.;]| and\b| so\b| but\b| at\b| who\b)", "Is {article}{value}.",
         "trait", weight=PLAIN),
    Rule("be", r"(?P<value>\d(?:[.,]?\d+)? ?(?:cm|m|meters?|metres?|feet|foot|ft|inches|')(?: ?\d+(?:\"|''|"
         r" inches)?)?)(?: tall)?$", "Is {value} tall.", "height", weight=PLAIN, value="phrase"),
    Rule("weigh",
         r"(?:about |around |in at |roughly )?(?P<value>\d+(?:[.,]\d+)? ?(?:kg|kgs|kilos?|lbs?|pounds|stone))",
         "Weighs {value}.", "weight", weight=PLAIN, value="phrase"),
]  # fmt: skip

NOUNS = [
    Rule("be", r"(?:full |first |real |given |last |middle )?name: (?:called )?(?P<value>.+)", "Is called {value}.",
         "name", weight=CORE, value="name", denied=False),
    Rule("be", r"(?:nickname|preferred name): (?P<value>.+)", "Goes by {value}.", "preferred_name", weight=CORE,
         value="name", denied=False),
    Rule("call", r"(?:friends|family|everyone|colleagues|folks|mates|people|coworkers).*: me (?P<value>.+)",
         "Goes by {value}.", "preferred_name", weight=CORE, value="name"),
    Rule("be", r"(?:preferred |personal )?pronouns: (?P<value>[\w/]+(?: and \w+)?)", "Uses {value} pronouns.",
         "pronouns", weight=CORE, denied=False),
    Rule("be", r"(?:birthday|birth ?date|date of birth|dob):(?: |$)", "Has a birthday {date}.", "birthday",
         fixed="{date}", weight=CORE, when="", denied=False),
    Rule("be", r"age: (?P<value>\d{1,3})", "Is {value} years old.", "age", weight=CORE, test=_age, denied=False),
    Rule("be", r"(?:home ?town|birthplace): (?:in )?(?P<value>.+)", "Is from {value}.", "hometown", weight=FIRM,
         value="place", denied=False),
    Rule("be", r"(?:nationality|citizenship): (?P<value>.+)", "Is {value}.", "nationality", weight=FIRM,
         denied=False),
    Rule("be", r"(?:time ?zone): (?P<value>.+)", "Is in the {value} time zone.", "timezone", weight=FIRM,
         value="phrase", denied=False),
    Rule("be", r"(?:native|first|second|mother|main) (?:language|tongue)s?: (?P<value>.+)", "Speaks {value}.",
         "language", weight=FIRM, many=True, test=_languages, denied=False),
    Rule("be", r"(?:current )?(?:body ?)?weight: (?:about |around )?(?P<value>\d.*)", "Weighs {value}.", "weight",
         value="phrase", denied=False),
    Rule("be", r"height: (?:about |around )?(?P<value>\d.*)", "Is {value} tall.", "height", value="phrase",
         denied=False),
    Rule("be", r"(?:religion|faith): (?P<value>.+)", "Follows {value}.", "religion", weight=FIRM, denied=False),
    Rule("be", r"(?:mbti|personality)(?: (?:personality )?type)?: (?:an? )?(?P<value>.+)",
         "Has the personality type {value}.", "personality_type", denied=False),
    Rule("be include", r"(?:(?:biggest|greatest|main|worst) )?fear(?:s)?: (?:of )?(?P<value>.+)",
         "Is afraid of {value}.", "fear", weight=FIRM, denied=False),
]  # fmt: skip

# "My <attribute> is <value>" where no table above knows the attribute: only nouns that hold something lasting.
_ATTRIBUTE = (
    r"(?:(?:current|monthly|annual|yearly|average|resting|target|daily|weekly|total|highest|main|usual|"
    r"typical|own|personal|new|biggest|"
    r"long[- ]term|short[- ]term|mental|physical|\w+) ){0,2}(?:income|salary|savings|budget|fare|rent|"
    r"mortgage|wage|fee|type|size|number|"
    r"level|degree|major|minor|gpa|score|rate|pace|"
    r"time|pb|record|mileage|address|phone|laptop|computer|setup|stack|editor|ide|os|camera|bike|car|commute|"
    r"schedule|shift|status|condition|"
    r"position|title|rank|role|motto|philosophy|values?|style|tradition|routine|ritual|bedtime|nickname|"
    r"instrument|band|team|club|gym|church|"
    r"school|university|college|neighbou?rhood|street|apartment|house|sign|handle|username|website|blog|"
    r"podcast|channel|deadline|due date|subscription|plan|order)"
)
OTHER_NOUNS = [
    Rule("be",
         rf"(?P<noun>{_ATTRIBUTE}): (?:about |around |roughly |approximately |currently )?(?P<value>(?:an? |the |"
         rf"in |at |on )?[A-Z0-9$€£#@].*)", "{Noun} is {value}.", "current_{noun}", weight=FAINT, value="phrase",
         denied=False, test=lambda v: len(v.split()) <= 8),
    Rule("be", r"(?P<noun>(?:\w+ ){0,2}(?:status|condition|type|level|income|size|style|schedule|motto|role|"
         r"title)): (?P<value>[\w ,'$€£.-]+)", "{Noun} is {value}.", "current_{noun}", weight=FAINT, value="phrase",
         denied=False, test=lambda v: len(v.split()) <= 6),
]  # fmt: skip
