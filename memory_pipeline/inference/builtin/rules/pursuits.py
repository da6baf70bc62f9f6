"""Hobbies, skills, languages, tools, projects, goals, things owned and habits."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.categories import CATEGORIES
from memory_pipeline.inference.builtin.lexicon import ACTIVITIES, LANGUAGES, NOT_NAMES, wordset
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import ANY, FIRM, LIGHT, NOW, PLAIN, STATE, THEN, Rule

_SOFTWARE = frozenset().union(
    *(
        CATEGORIES[k]
        for k in (
            "editor",
            "programming_language",
            "operating_system",
            "browser",
            "database",
            "package_manager",
            "shell",
            "cloud",
            "framework",
        )
    )
)
_VAGUE = re.compile(
    r"(?:it|that|this|these|those|them|your|few\b|couple\b|the (?:following|same|above)|some of|one of|my|our|"
    r"a lot|more|other|different|any|all|both|every|something|things?|"
    r"(?:a|an) (?:few|lot|bit|couple|combination|mix|variety|question|problem|issue|idea|plan|feeling|"
    r"hard time|great|good|bad|chance|look|minute|moment|"
    r"meeting|call|date|big|long|rough|busy|tough|headache|cold|fever|blast|ton|hunch|point|reason|similar|"
    r"new question|quick|follow|bunch|tendency|"
    r"strong|deep|sense|clear|better|hard|history|background|routine|limited|budget|deadline|few|soft))\b",
    re.I,
)


def _languages(value: str) -> bool:
    return any(word.strip(",").lower() in LANGUAGES for word in value.split())


def _activity(value: str) -> bool:
    return any(w.lower().strip(",") in ACTIVITIES for w in value.split()[:4])


def _instrument(value: str) -> bool:
    """A thing that one plays and no lexicon knows: one word after "the" that is no part, role or game of chance."""
    return value.islower() and value not in _PLAYED


def _tool(value: str) -> bool:
    words = value.lower().split()
    if words[0].strip("'") in NOT_NAMES:
        return False
    return (
        not _VAGUE.match(value)
        and (value[:1].isupper() or any(w.strip(",") in _SOFTWARE for w in words))
        and len(words) <= 6
    )


def _lesson(value: str) -> bool:
    return _concrete(value) and not re.match(r"(?:more|about|how|what|from|a lot|that|so|new things|for)\b", value)


def _work(value: str) -> bool:
    vague = r"(?:it|that|this|them|some|something|stuff|things|myself|improving|finding|getting|making|being)\b"
    return not re.match(vague, value)


def _concrete(value: str) -> bool:
    return not _VAGUE.match(value) and len(value) > 1


_OWNED = (
    r"(?:car|bike|bicycle|motorcycle|motorbike|scooter|truck|van|boat|house|apartment|flat|condo|cabin|"
    r"cottage|farm|garden|greenhouse|piano|guitar|violin|"
    r"drum kit|keyboard|camera|lens|drone|telescope|laptop|macbook|iphone|ipad|pixel|tablet|phone|pc|desktop|"
    r"gpu|server|printer|3d printer|nas|kindle|"
    r"console|playstation|ps5|xbox|switch|air ?fryer|instant pot|espresso machine|sewing machine|treadmill|"
    r"kayak|canoe|surfboard|tent|rv|camper|watch|"
    r"collection|library|record player|aquarium|shop|store|restaurant|bakery|cafe|café|business|company|"
    r"startup|blog|podcast|youtube channel|channel|etsy shop|website|"
    r"tattoos?|piercings?|membership|subscription|tesla|toyota|honda|bmw|ford|audi|volvo|subaru|mazda|rtx \w+|"
    r"raspberry pi)"
)
_SPORT = wordset(
    """
    run jog swim hike cycle bike climb ski snowboard surf row box dance knit crochet paint sew sculpt garden
    fish camp meditate journal bake volunteer juggle sing sail skate
    """
)
_PRACTICE = (
    r"(?:yoga|pilates|crossfit|karate|judo|taekwondo|kickboxing|boxing|martial arts|jiu[- ]jitsu|bjj|ballet|"
    r"gymnastics|meditation|calligraphy|woodworking|pottery|ceramics|photography|astronomy|archery|improv|"
    r"triathlons?|marathons?|stand-?up|origami|volunteer work|weight ?lifting|gardening|knitting|tai chi)"
)

_PLAYED = wordset(
    """
    game games role part fool lottery lotto odds victim market markets card cards song songs music villain hero lead
    long same next first second last video level levels match blame system devil numbers field demo
    """
)
VERBS = [
    Rule("speak know", r"(?:a little |a bit of |some |fluent |basic |conversational |native |both |only |also |"
         r"good )*(?P<value>.+?)(?: fluently| natively| at home| well| as .*| at a .*)?$", "Speaks {value}.",
         "language", weight=FIRM, many=True, modes=NOW | {Mode.ABLE}, test=_languages),
    Rule("be",
         r"(?:\w+ )?(?:fluent|proficient|bilingual|conversational|native)(?: speaker)?(?: in| of)? (?P<value>.+)",
         "Speaks {value}.", "language", weight=FIRM, many=True, modes=NOW, test=_languages),
    Rule("learn study practice practise", r"(?:how (?=to )|a bit of |some |a little |about )?(?P<value>.+)",
         "Is learning {value}.", "learning", weight=PLAIN, value="activity", many=True,
         modes=frozenset({Mode.ONGOING, Mode.PRESENT, Mode.ATTEMPT}), test=_lesson),
    Rule("take",
         r"(?:an? |some |my |online |private |weekly |evening |beginner |first )*(?P<value>[\w -]+?) (?:lessons?|"
         r"class(?:es)?|courses?|workshops?)\b", "Is learning {value}.", "learning", weight=PLAIN,
         modes=frozenset({Mode.ONGOING, Mode.PRESENT}), test=_concrete),
    Rule("teach", r"myself (?:how to |to )?(?P<value>.+)", "Is learning {value}.", "learning", weight=PLAIN,
         modes=ANY),
    Rule("teach coach", r"(?P<value>.+)", "Teaches {value}.", "skill", weight=PLAIN,
         modes=frozenset({Mode.PRESENT, Mode.ONGOING}), test=_concrete),
    Rule("play", r"(?:the |a bit of |some |a lot of |competitive |on an? |for an? )*(?P<value>.+)", "Plays {value}.",
         "hobby", weight=PLAIN, many=True, modes=STATE - {Mode.PAST}, test=_activity),
    Rule("play", r"the (?P<value>[a-z]+)(?=$| (?:in|with|at|since|on|for)\b)", "Plays the {value}.", "hobby",
         weight=PLAIN, modes=STATE - {Mode.PAST}, test=_instrument),
    Rule("play", r"(?:the |a bit of |some )*(?P<value>.+)", "Can play {value}.", "skill", weight=PLAIN, many=True,
         modes=frozenset({Mode.ABLE}), test=_activity),
    Rule("do practice practise", rf"(?:a lot of |some |a bit of )?(?P<value>{_PRACTICE})\b", "Does {value}.",
         "hobby", weight=PLAIN, modes=STATE - {Mode.PAST}),
    Rule("collect", r"(?P<value>.+)", "Collects {value}.", "hobby", weight=PLAIN,
         modes=frozenset({Mode.PRESENT, Mode.ONGOING, Mode.FORMER}), test=_concrete),
    Rule(" ".join(sorted(_SPORT)),
         r"(?:(?:for fun|a lot|regularly|outdoors|indoors|as a hobby|competitively|recreationally)\b.*)?$",
         "{Verb} as a hobby.", "hobby", fixed="{gerund}", weight=PLAIN, modes=frozenset({Mode.PRESENT})),
    Rule("code program write", r"(?:mostly |mainly |a lot of |my )*(?:code |software |scripts |programs )(?:mostly |"
         r"mainly )?in (?P<value>.+)", "Writes code in {value}.", "skill", weight=PLAIN, many=True, modes=NOW,
         test=_tool),
    Rule("code program", r"(?:mostly |mainly |a lot )*in (?P<value>.+)", "Writes code in {value}.", "skill",
         weight=PLAIN, many=True, modes=NOW, test=_tool),
    Rule("be",
         r"(?:really |very |pretty |quite |fairly |super )*(?:good|great|skilled|proficient|experienced|talented|"
         r"expert|decent|an expert|certified|trained) (?:at|in|with|on) (?P<value>.+)", "Is good at {value}.",
         "skill", weight=PLAIN, many=True, modes=NOW, test=_concrete),
    Rule("know", r"how to (?P<value>.+)", "Knows how to {value}.", "skill", weight=LIGHT, modes=NOW, test=_concrete,
         denied=False),
    Rule("know", r"(?P<value>.+)", "Knows {value}.", "skill", weight=LIGHT, many=True, modes=NOW, test=_tool,
         denied=False),
    Rule("use run", r"(?:only |mostly |mainly |the )?(?P<value>.+?)(?: (?:for|to|as|on|with|in|at) .+)?$",
         "Uses {value}.", "tool", weight=PLAIN, many=True, modes=NOW | {Mode.FORMER}, test=_tool),
    Rule("drive ride", r"(?:an? |my )(?P<value>.+)", "Drives {a_value}.", "possession", weight=LIGHT,
         modes=frozenset({Mode.PRESENT}), test=lambda v: v[:1].isupper() or bool(re.search(_OWNED, v, re.I))),
    Rule("have own",
         rf"(?:an? |my |two |three |some |\d+ )?(?P<value>(?:[\w.'-]+ ){{0,4}}?(?:{_OWNED}))\b(?! (?:accident|"
         rf"payment|loan|trouble|problem|issue|crash|meeting|name|idea))", "Has {a_value}.", "possession",
         weight=LIGHT, value="phrase", modes=frozenset({Mode.PRESENT, Mode.PERFECT}), test=_concrete),
    Rule("sell return donate", rf"(?:my |our |the )(?P<value>(?!old\b)(?:[\w.'-]+ ){{0,4}}?(?:{_OWNED}))\b(?! \w)",
         "Has {a_value}.", "possession", weight=LIGHT, value="phrase", modes=THEN, denied=False,
         operation=Operation.CONTRADICT, when="happened"),
    Rule("build develop create design restore renovate record compose",
         r"(?P<value>(?:an? |my |our |the )?(?:own )?.+)", "{Progressive} {the_value}.", "project", weight=PLAIN,
         modes=frozenset({Mode.ONGOING}), test=_concrete),
    Rule("write",
         r"(?P<value>(?:an? |my |our )(?:\w+ ){0,3}(?:book|novel|memoir|thesis|dissertation|screenplay|script|"
         r"paper|blog|story|poem|album|song|play)\b.*)", "{Progressive} {the_value}.", "project", weight=PLAIN,
         modes=frozenset({Mode.ONGOING})),
    Rule("work", r"on (?P<value>.+)", "Is working on {the_value}.", "project", weight=PLAIN,
         modes=frozenset({Mode.ONGOING, Mode.PRESENT}), test=_work),
    Rule("train", r"for (?:an? |the |my )?(?P<value>.+)", "Is training for {a_value}.", "goal", weight=PLAIN,
         modes=frozenset({Mode.ONGOING, Mode.PRESENT}), test=_concrete),
    Rule("save", r"(?:up )?(?:money )?(?:up )?for (?P<value>.+)", "Is saving for {value}.", "goal", weight=PLAIN,
         modes=frozenset({Mode.ONGOING, Mode.PRESENT}), test=_concrete),
    Rule("volunteer", r"(?:at|for|with) (?P<value>.+)", "Volunteers at {value}.", "hobby", weight=PLAIN, modes=NOW,
         test=_concrete),
    Rule("play sing", r"in (?P<value>(?:an? |the ).+)", "Plays in {value}.", "hobby", weight=PLAIN, value="phrase",
         modes=NOW),
    Rule("wear", r"(?P<value>(?:contact lenses|contacts|glasses|hearing aids?|braces))", "Wears {value}.", "health",
         weight=PLAIN, modes=NOW),
]  # fmt: skip

NOUNS = [
    Rule("be include involve", r"(?:main |biggest |favou?rite |new |other )*(?:hobby|hobbies|pastimes?|"
         r"interests?)(?: and interests?)?: (?:things like )?(?P<value>.+)", "Has the hobby {value}.", "hobby",
         weight=FIRM, many=True, denied=False),
    Rule("be",
         r"(?:main |big(?:gest)? |ultimate |long[- ]term |short[- ]term |current |next |life(?:long)? |career |"
         r"fitness |reading |personal |new year'?s )*(?P<noun>goal|dream|ambition|resolution|aspiration|mission|"
         r"aim)(?: (?:this year|for \w+|in life))?: (?P<value>.+?)(?:,? (?:and|but|so) (?:right now |now )?(?:i|"
         r"we|my)\b.*)?$", "Has the {noun} {value}.", "goal", weight=FIRM, value="phrase", denied=False),
    Rule("be", r"(?:current |main |side |latest |new |big |pet )*project: (?:called |to |on |about )?(?P<value>.+)",
         "Has the project {value}.", "project", weight=PLAIN, value="phrase", denied=False),
    Rule("be include",
         r"(?:tech |technology |current |home |main |favou?rite )*(?:stack|setup|tools?|toolchain): (?P<value>.+)",
         "Uses {value}.", "tool", weight=PLAIN, many=True, denied=False),
    Rule("be", r"(?:current |new |first |daily )*(?:car|bike|laptop|phone|computer|camera|guitar|truck|"
         r"motorcycle): (?:an? )?(?P<value>[A-Z0-9].*|\d{4} .*)", "Has {a_value}.", "possession", weight=LIGHT,
         denied=False),
]  # fmt: skip
