"""Where somebody lives, works and studies."""

from __future__ import annotations

import re

from memory_pipeline.domain.proposal import Operation
from memory_pipeline.inference.builtin.lexicon import NATIONALITIES, occupation
from memory_pipeline.inference.builtin.modality import Mode
from memory_pipeline.inference.builtin.patterns import ANY, FIRM, NOW, PLAIN, STATE, THEN, Rule

_GENERIC = re.compile(
    r"(?:(?:an?|the|my|our|his|her|their|this|that|another|some|bigger|smaller|new|nice|different|same)\b|"
    r"apartment|house|flat|place|home|town|city|"
    r"office|room|bed|work|school|fear|peace|pain|sin|love|harmony|poverty|luxury|past|moment|present|future|"
    r"touch|question|next|first|more|it$|"
    r"remote|industry|field|email|chat|general|person|person$|order|advance|bulk|case|fact|doubt|debt|shock|denial|chaos|"
    r"silence|danger|trouble)\b",
    re.I,
)
_ORG_NOT = re.compile(
    r"(?:about|around|over|almost|nearly|several|many|various|other|others|different|clients|people|friends|"
    r"fun|someone|school|work|two|three|four|five|six|ten|some|any|every|night|nights|home|the moment|"
    r"weekends?|my|our|the (?:office|same|time|end|gym|moment|best|next)|a living|a while|hours|free|me|"
    r"myself|us|them|it|"
    r"least|all|most|once|first|last|peace|both|an? (?:few|while|long)|now|days?|years?|months?|\d+)\b",
    re.I,
)


# "promoted to nurse", "looking after a nurse": a participle that is no part of a title.
_NO_JOB = re.compile(
    r"(?!certified|registered|licensed|retired|trained|experienced|skilled|chartered)\w+ed\b"
    r"|\w+ing (?!engineer|manager|director|specialist|assistant|consultant|lead|analyst|coordinator)",
    re.I,
)


def _place(value: str) -> bool:
    return not _GENERIC.match(value) and (value[:1].isupper() or len(value.split()) <= 3)


def _organisation(value: str) -> bool:
    return not _ORG_NOT.match(value) and (
        value[:1].isupper() or len(value.split()) <= 2 or value.startswith(("a ", "an "))
    )


def _named_organisation(value: str) -> bool:
    return value[:1].isupper() and _organisation(value)


def _job(value: str) -> bool:
    if _NO_JOB.match(value):
        return False
    return occupation(value) and value.split()[0].lower() not in NATIONALITIES | {"big", "huge"}


def _subject(value: str) -> bool:
    return not _GENERIC.match(value) and not re.match(r"(?:for|hard|a lot|abroad|every|how|what)\b", value, re.I)


def _degree(value: str) -> bool:
    named = r"degree|ph\.?d|doctorate|master|bachelor|mba|\b[mb]\.?sc|(?:ma|ba) in|from|in "
    return bool(re.search(named, value, re.I))


def _field(value: str) -> bool:
    return value[:1].islower() and not _GENERIC.match(value) and len(value.split()) <= 5


_JOB = r"(?P<value>[\w'’&/+-]+(?: [\w'’&/+-]+){0,5}?)"
_JOB_END = (
    r"(?=$|,| at\b| for\b| in\b| with\b| and\b| who\b| but\b| on\b| by\b| from\b| based\b| working\b| living\b|"
    r" specializing\b)"
)
_OFFICE = (
    r"(?:treasurer|president|chair|chairman|chairwoman|chairperson|secretary|captain|head|leader|organi[sz]er|"
    r"founder|co-founder|member|moderator|trustee|mayor)"
)
VERBS = [
    Rule("live reside settle", r"(?:here |down |over |out |alone |with .+? )?(?:in|near|outside(?: of)?|"
         r"just outside(?: of)?) (?P<value>.+)", "Lives in {value}.", "residence", weight=FIRM, value="place",
         modes=STATE, test=_place),
    Rule("be", r"(?:located|based|living|residing)(?: out of| over)?(?: in| out of)? (?P<value>.+)",
         "Lives in {value}.", "residence", weight=FIRM, value="place", modes=STATE, test=_place),
    Rule("be", r"(?:based|living|residing) (?:here )?in (?P<value>.+)", "Lives in {value}.", "residence",
         weight=FIRM, value="place", modes=STATE, test=_place),
    Rule("stay", r"(?:here |over |put )?in (?P<value>[A-Z].+)", "Is staying in {value}.", "current_stay", weight=PLAIN,
         value="place", modes=frozenset({Mode.ONGOING}), test=_place, denied=False),
    Rule("be", rf"(?:an? |the |one of the )(?P<value>(?:vice |deputy |current )*{_OFFICE} (?:of|for) "
         r"(?:the |my |our |a )?.+)",
         "Is the {value}.", "role", weight=PLAIN, value="phrase", modes=NOW),
    Rule("move relocate",
         r"(?:back |over |out |down |up |across )*(?:from (?P<old>.+?) )?(?:back |over |out |down |up |"
         r"here )*to (?P<value>.+)", "Lives in {value}.", "residence", weight=FIRM, value="place", modes=THEN,
         test=_place, denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("live", r"(?:all |mostly )*(?:alone|by myself|on my own)", "Lives alone.", "current_household",
         weight=PLAIN, fixed="alone", modes=NOW),
    Rule("live",
         r"with (?P<value>(?:my |our |two |three |four |some |a )(?:\w+ ){0,2}?(?:parents|family|wife|husband|partner|"
         r"girlfriend|boyfriend|fianc[eé]e?|roommates?|flatmates?|housemates?|mom|mother|dad|father|kids|children|sister|"
         r"brother|friends?|grandparents))\b",
         "Lives with {value}.", "current_household", weight=PLAIN, value="phrase", modes=NOW),
    Rule("move", r"in with (?P<value>(?:my |our )?.+)", "Lives with {value}.", "current_household", weight=PLAIN,
         modes=THEN, denied=False),
    Rule("get be", r"(?:just )?(?:promoted|a promotion) to (?:an? |the )?(?P<value>.+?)(?: (?:at|with) [A-Z].*)?$",
         "Is {a_value}.", "occupation", weight=FIRM, modes=ANY, denied=False, operation=Operation.UPDATE,
         when="happened"),
    Rule("be", rf"(?:an? |the |one of the |working as (?:an? )?|employed as (?:an? )?|"
         rf"currently )*{_JOB}{_JOB_END}(?P<tail>.*)", "Is {a_value}.", "occupation", weight=FIRM, modes=STATE,
         test=_job, more=True),
    Rule("work serve", rf"(?:full[- ]time |part[- ]time |freelance |remotely |mostly |there )*as (?:an? |the |"
         rf"our )?{_JOB}{_JOB_END}", "Works as {a_value}.", "occupation", weight=FIRM, modes=STATE, more=True),
    Rule("work intern freelance",
         r"(?:(?:full[- ]time|part[- ]time|remotely|there|mostly|now|nights?|"
         r"(?:night |day |late |early )?shifts|weekends|as .{2,40}?|in .{2,30}?) )*(?:at|for|"
         r"with) (?:the (?=[A-Z]))?(?P<value>[A-Za-z0-9].*)", "Works at {value}.", "employer", weight=FIRM,
         value="organisation", modes=STATE, test=_organisation, more=True),
    Rule("be", r"(?:an? |the )(?P<job>[\w' -]+?) (?:at|for|with) (?:the )?(?P<value>[A-Z].*)", "Works at {value}.",
         "employer", weight=FIRM, value="organisation", modes=NOW, test=_named_organisation, more=True),
    Rule("be", r"(?:currently )?employed (?:at|by|with) (?P<value>.+)", "Works at {value}.", "employer", weight=FIRM,
         value="organisation", modes=STATE, test=_organisation),
    Rule("work", r"(?:full[- ]time |part[- ]time |mostly )*(?P<value>(?:fully |mostly )?(?:remotely|from home)|"
         r"part[- ]time|full[- ]time|night shifts?|nights|from the office|hybrid)\b", "Works {value}.",
         "current_work_mode", weight=PLAIN, modes=NOW),
    Rule("work", r"in (?:the )?(?P<value>(?-i:[a-z]).+?)(?: (?:industry|sector|field|department|space|business|"
         r"world))?(?:,? (?:at|for|with|and) .*)?$", "Works in {value}.", "current_field", weight=FIRM, modes=STATE,
         test=_field),
    Rule("work", r"in (?P<value>(?-i:HR|IT|PR|AI|ML|QA|R&D|UX|UI|SEO|VFX|Marketing|Sales|Finance|Design)\b.*)",
         "Works in {value}.", "current_field", weight=FIRM, modes=STATE),
    Rule("work", r"in (?P<value>.+)", "Works in {value}.", "current_work_place", weight=PLAIN, value="place",
         modes=NOW, test=_place),
    Rule("be", r"on the (?P<value>[\w-]+(?: [\w-]+)?) team\b", "Is on the {value} team.", "team", weight=PLAIN,
         modes=NOW),
    Rule("join", r"(?:the )?(?P<value>[\w-]+(?: [\w-]+)?) team(?: at| as|$)", "Is on the {value} team.", "team",
         weight=PLAIN, modes=THEN, denied=False),
    Rule("lead manage run", r"(?P<value>(?:an? |the )?(?:small |large |\w+ )?team(?: of .+)?)", "Leads {value}.",
         "team", weight=PLAIN, value="phrase", user_only=True),
    Rule("join", r"(?P<value>[A-Z].*?)(?: as (?:an? |the )?(?P<job>.+))?$", "Works at {value}.", "employer",
         weight=FIRM, value="organisation", modes=THEN, denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("start get take land accept",
         r"(?:an? |my |the )?(?:new |first |dream |great |full-time |part-time |summer )*(?:job|position|role|gig|"
         r"internship|work|offer|working)?(?: offer)? ?(?:at|with|from) (?:the )?(?P<value>[A-Z].*)",
         "Works at {value}.", "employer", weight=FIRM, value="organisation", modes=THEN, denied=False,
         operation=Operation.UPDATE, when="happened", test=_named_organisation, more=True),
    Rule("start get take land accept",
         r"(?:an? |my |the )?(?:new |first |dream |great |full-time |part-time )*(?:job|position|role|gig|work|"
         r"internship)(?: at .+?)? as (?:an? |the )?(?P<value>.+)", "Works as {a_value}.", "occupation", weight=FIRM,
         modes=THEN, denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("get be", r"hired (?:by|at) (?P<value>.+?)(?: as .*)?$", "Works at {value}.", "employer", weight=FIRM,
         value="organisation", modes=ANY, denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("become", rf"(?:an? |the )?{_JOB}{_JOB_END}", "Is {a_value}.", "occupation", weight=FIRM, modes=THEN,
         denied=False, test=_job, operation=Operation.UPDATE),
    Rule("be", r"(?P<value>retired|unemployed|self[- ]employed|freelancing|between jobs|out of work|on (?:maternity|"
         r"paternity|parental|sick) leave|a stay[- ]at[- ]home (?:mom|dad|parent|mother|father)|on disability|"
         r"on sabbatical)\b", "Is {value}.", "occupation", weight=FIRM, modes=NOW, value="phrase"),
    Rule("retire", r"(?:from .*|early.*)?$", "Is retired.", "occupation", fixed="retired", weight=FIRM, modes=THEN,
         denied=False),
    Rule("quit leave", r"(?:my |the )?(?:old |current |previous |day )?(?:job|position|role|work)(?: (?:at|"
         r"with) (?P<value>.+?))?(?: as .*)?$", "No longer works at {value}.", "employer", weight=FIRM,
         value="place", modes=THEN, denied=False, operation=Operation.CONTRADICT, when="happened"),
    Rule("quit leave lose", r"(?:my |the )?(?:old |current |previous |day )?(?:job|position)\b.*",
         "Left or lost their job.", "current_employment", fixed="left the job", weight=FIRM, modes=THEN,
         denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("quit", r"(?P<value>[A-Z].+)", "No longer works at {value}.", "employer", weight=FIRM, value="place",
         modes=THEN, denied=False, operation=Operation.CONTRADICT),
    Rule("get be", r"(?:laid off|fired|let go|made redundant)(?: (?:from|by|at) (?P<value>.+))?",
         "No longer works at {value}.", "employer", weight=FIRM, value="place", modes=THEN, denied=False,
         operation=Operation.CONTRADICT, when="happened"),
    Rule("get be", r"(?:laid off|fired|let go|made redundant)\b", "Was let go from their job.", "current_employment",
         fixed="left the job", weight=FIRM, modes=THEN, denied=False, operation=Operation.UPDATE, when="happened"),
    Rule("be", r"in (?:the )?(?P<value>[\w -]+?) (?:industry|sector|business|field)$", "Works in {value}.",
         "current_field", weight=FIRM, modes=NOW),
    Rule("be", r"(?:.{3,40}, )?(?:currently )?working in (?:the )?(?P<value>[\w -]+?)(?: (?:industry|sector|field))?$",
         "Works in {value}.", "current_field", weight=FIRM, modes=NOW, test=_field),
    Rule("study", r"(?P<value>[\w &,'-]+?)(?: (?:at|in) (?P<school>[A-Z].*))?$", "Studies {value}.", "education",
         weight=FIRM, modes=frozenset({Mode.ONGOING, Mode.PRESENT, Mode.FORMER}), test=_subject),
    Rule("study go attend",
         r"(?:\w+ )??(?:at |to )?(?:the )?(?P<value>[A-Z][\w.&' -]*(?:University|College|School|Institute|Academy|"
         r"High)\b[\w ,]*|[A-Z]{2,5}(?: [A-Z]\w+)?$|University of .+)", "Studied at {value}.", "education",
         weight=FIRM, value="place", modes=ANY),
    Rule("major minor", r"in (?P<value>.+)", "Majors in {value}.", "education", weight=FIRM, modes=STATE),
    Rule("graduate", r"(?:(?:in|with) (?:an? )?(?P<degree>.+?) )?from (?P<value>.+)", "Graduated from {value}.",
         "education", weight=FIRM, value="place", modes=THEN, when="happened"),
    Rule("graduate", r"with (?:an? )?(?P<value>.+)", "Graduated with {value}.", "education", weight=FIRM, modes=THEN,
         when="happened"),
    Rule("have hold earn get receive complete finish",
         r"(?:an? |my |the )?(?P<value>(?:\w+ )?(?:ph\.?d\.?|doctorate|master'?s?|bachelor'?s?|mba|b\.?sc?\.?|"
         r"m\.?sc?\.?|m\.?a\.?|b\.?a\.?|associate'?s?|law|medical|engineering)(?: degree| of \w+|"
         r" diploma)?(?: in [\w &]+?)?(?: from [A-Z].+)?)(?=$|,|\.| and\b| with\b)", "Has {a_value}.", "education",
         weight=FIRM, value="phrase", modes=ANY, test=_degree),
]  # fmt: skip

NOUNS = [
    Rule("be",
         r"(?:current |new |day |full-time |dream )?(?:job|occupation|profession|work|role|job title|title|career|"
         r"position): (?:as |that of )?(?:an? |the )?(?P<value>.+)", "Works as {a_value}.", "occupation",
         weight=FIRM, denied=False, test=occupation),
    Rule("be", r"(?:current |new |day )?(?:job|work|career|background): in (?:the )?(?P<value>.+?)(?: (?:industry|"
         r"sector|field))?$", "Works in {value}.", "current_field", weight=FIRM, denied=False),
    Rule("be", r"(?:current |new )?(?:employer|company|workplace): (?:called )?(?P<value>.+)", "Works at {value}.",
         "employer", weight=FIRM, value="organisation", denied=False, test=_named_organisation),
    Rule("be", r"(?:(?:current|home|permanent) )?(?:home|residence|location|city|address|place|apartment|house|"
         r"flat): (?:located |based )?in (?P<value>.+)", "Lives in {value}.", "residence", weight=FIRM,
         value="place", denied=False, test=_place),
    Rule("be", r"(?:current )?(?:location|residence|home city|city): (?P<value>[A-Z].*)", "Lives in {value}.",
         "residence", weight=FIRM, value="place", denied=False, test=_place),
    Rule("be", r"(?:college |university )?(?:major|degree|field of study|minor|(?:highest )?(?:education|"
         r"education level|level of education)): (?:in |an? )?(?P<value>.+)", "Has education: {value}.", "education",
         weight=FIRM, denied=False),
    Rule("be", r"team: (?:called |the )?(?P<value>[A-Z].*)", "Is on the {value} team.", "team", weight=PLAIN,
         value="name", denied=False),
]  # fmt: skip
