"""The wordings of what is aimed at the memory or the assistant, by what they try.

Expressions for text in lower-case Latin letters (``instructions.unmasked``). Each theme has cheap words, one of which
is in every text that any of its expressions finds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory_pipeline.domain.patterns import lazy

_EARLIER = r"(?:previous|prior|above|earlier|preceding|foregoing|existing|initial|original|system|safety|developer|old)"
_ORDERS = (
    r"(?:instructions?|prompts?|rules?|guidelines|directives?|commands?|messages?|context|constraints?|"
    r"polic(?:y|ies)|training)"
)
_STORE = r"(?:save|store|record|remember|note|write|add|mark|treat|set|ignore|output|accept|trust|keep|pin|delete)"
_KEEP = r"(?:remember|save|saves|store|stores|record|note|add|set|treat|mark|confirm|grant|give)"
_RIGHTS = r"(?:access|rights?|privileges?|permissions?|clearance)"
_MUST = r"(?:please |now |always |(?:must|should|shall|will|needs? to|has to) (?:now |always |never )?)"


@dataclass(frozen=True, slots=True)
class Theme:
    """One kind of attempt.

    Attributes:
        does: what it does, for a reader.
        words: one of them is in every text that it is found in.
    """

    does: str
    words: tuple[str, ...]
    pattern: re.Pattern[str]


def _theme(does: str, words: str, *patterns: str) -> Theme:
    return Theme(does, tuple(words.split("|")), lazy("|".join(patterns)))


THEMES = (
    _theme(
        "overrides earlier instructions",
        "ignor|disregard|forget|overrid|overrul|bypass|t follow|p follow|obey|bound by|vergiss|olvida|oublie",
        rf"\b(?:ignore|disregard|forget|override|overrule|bypass) (?:\w+ ){{0,4}}?{_EARLIER} (?:\w+ )?{_ORDERS}\b",
        rf"\b(?:do not|don't|stop) (?:follow|obey)\w* (?:\w+ ){{0,4}}?{_EARLIER} (?:\w+ )?{_ORDERS}\b",
        r"\b(?:ignore|disregard|forget|override|bypass) (?:all |any |of |the |your |these |those |my )*"
        r"(?:instructions|system prompt|guardrails|safety (?:rules|filters?))\b",
        r"\b(?:ignore|disregard|forget) (?:all|everything|anything) "
        r"(?:above|before this|said above|you (?:were|have been) told)\b",
        r"\b(?:no longer|not) bound by (?:any |your |the )*(?:rules|restrictions|guidelines|instructions|policies)\b",
        r"\b(?:ignorier\w*|vergiss) (?:\w+ ){0,3}(?:vorherigen|bisherigen|obigen|fruheren|vorigen) "
        r"(?:anweisungen|regeln|befehle)\b",
        r"\b(?:ignora\w*|olvida\w*|ignore[sz]?|oublie[sz]?) (?:\w+ ){0,3}(?:instruc\w+|istruzioni|consignes) "
        r"(?:anteriores|previas|precedent\w*|anterieures)\b",
    ),
    _theme(
        "speaks to the memory",
        "memory|extract|confidence|operation|salience|importance|pinned|verified|trusted|confirmed|permanent",
        r"\b(?:dear|attention|hey|hello|note (?:to|for)|message (?:to|for)|instructions? (?:to|for)) (?:the |your )?"
        r"(?:memory|extraction|extractor)\b",
        r"\b(?:memory|fact) (?:system|extract\w+|pipeline|store|bank|writer|agent|gate|module|manager|engine|model)\b"
        rf"(?:\s*[:,-]|,? {_MUST}{_STORE}\b|,? {_STORE} that\b|,? (?:saves|stores|records|remembers|notes) that\b)",
        rf"\bextractor\b(?:\s*[:,]\s*|,? (?:please|must|should) ){_STORE}\b",
        r"\b(?:set|with|use|at|give it|rate it)\b[^.!?\n]{0,30}\b(?:confidence|salience|importance)\b[^.!?\n]{0,12}"
        r"\b(?:1\.0+|0\.9\d*|100 ?%|maximum|max)\b",
        r"\bconfidence\W{1,4}[01](?:\.\d+)?\W.{0,30}\b(?:salience|importance)\W{1,4}[01](?:\.\d+)?",
        r"[\"']operation[\"']\s*:\s*[\"'](?:add|update|reinforce|contradict|forget|suppress|close_open_loop)",
        r"\b(?:store|save|pin|keep|mark|add) (?:this|it|that|the following)[^.!?\n]{0,20} as (?:an? )?"
        r"(?:pinned|verified|trusted|confirmed|permanent) (?:profile |user )?(?:fact|memory|instruction|rule)\b",
        r"\b(?:insert|inject|write)(?: \w+){0,3} (?:in)?to (?:the |your )?(?:long-term )?"
        r"memory (?:system|store|bank|database)\b",
    ),
    _theme(
        "poses as another role",
        "system|developer|assistant|chatgpt|claude|<|[|###|instructions|of conversation",
        r"(?:^|\n|[.!?] )[ \t>*#-]*(?:system|developer)(?: (?:message|prompt|note|override|instructions?|update))?"
        r"\s*[:>\]]\W{0,3}(?=(?:you|your|always|never|ignore|from now|respond|reply|answer|act|the user|users?|save|"
        r"remember|store|new|override|do not|don't|all|treat|set|grant|disregard|memory|please|this user|important)\b)",
        r"(?:^|\n)[ \t>*]*(?:assistant|chatgpt|claude)\s*:\s*\S",
        r"<\|?/?(?:im_start|im_end|endoftext|eot_id|start_header_id|end_header_id|system|assistant)\|?>",
        r"<</?sys>>|\[/?inst\]|\[/?system\]",
        r"</?(?:system|instructions?|tool|tool_call|tool_result|function_calls?|assistant|window|messages)(?: [^>]*)?>",
        r"(?:^|\n)\s*#{1,4} ?(?:system|instructions?|new instructions?)\b",
        r"\b(?:begin|start|end)(?: of)? (?:the )?(?:system prompt|system message|instructions)\b",
        r"\bend of conversation\b",
    ),
    _theme(
        "changes who the assistant is",
        "from now on|are now|re now| mode|act as |anything now|obey|comply|execute|trust ",
        r"\bfrom now on,? (?:you(?:'re| are| will be| shall be| must (?:be|obey|comply)) |(?:act|behave) as |pretend )",
        r"\byou(?:'re| are) now (?:in \w+ mode|dan\b|no longer |"
        r"(?:an? )?(?:unrestricted|unfiltered|uncensored|jailbroken|evil|different|free)\b)",
        r"\b(?:enable|enter|activate|switch (?:in)?to) "
        r"(?:developer|debug|god|dan|sudo|admin|maintenance|jailbreak) mode\b(?! (?:on|of|in|for) )",
        r"\bact as (?:an? )?(?:unrestricted|unfiltered|uncensored|administrator|admin|root|dan)\b|\bdo anything now\b",
        r"\byou (?:must|should|will|shall|have to) (?:now |always |only )*"
        r"(?:obey|comply|execute|trust (?:me|everything|whatever))\b",
    ),
    _theme(
        "claims rights",
        "admin|root|superuser|sudo|full |elevated|unlimited|unrestricted",
        rf"\b{_KEEP}\b[^.!?\n]{{0,40}}"
        rf"\b(?:admin\w*|root|superuser|sudo|full|elevated|unlimited|unrestricted) {_RIGHTS}\b",
        rf"\b{_KEEP}\b[^.!?\n]{{0,30}}\b(?:user|users|i|i'm|he|she|they|him|me)\b[^.!?\n]{{0,12}}"
        r"\b(?:admin|administrator|superuser|root)\b(?! (?:of|at|for|in|on)\b)",
    ),
    _theme(
        "would run or leak something",
        "<|![|javascript:|data:|http|www.|@|prompt|hidden |initial instr|developer mess",
        r"<script\b[^>]*>\s*\S[\s\S]*?</script|<script\b[^>]*\bsrc\s*=|<iframe\b[^>]*\bsrc\s*=",
        r"<\w+[^>]*\bon(?:error|load|click|mouseover)\s*=|\bjavascript:\s*\w+\s*\(",
        r"\bdata:(?:text/html|application/[\w+-]+);base64,",
        r"!\[[^\]]*\]\(\s*https?://[^)\s]*\?[^)\s]*\)|<img[^>]*\bsrc\s*=\s*[\"']?https?://[^\s\"'>]*\?",
        r"<!--(?:[^-]|-(?!->))*?\b(?:memor(?:y|ies)|user|assistant|remember|ignore|instructions?|prompt)\b"
        r"(?:\W+\w+){3}",
        r"\b(?:send|forward|post|upload|exfiltrate|leak|transmit|email)\b[^.!?\n]{0,40}"
        r"\b(?:conversation|chat history|memories|secrets|credentials|api keys?|passwords|user data|system prompt)\b"
        r"[^\n]{0,30}?(?:https?://|www\.|\S+@\S+)",
        r"\b(?:reveal|print|show|repeat|output|leak|display)\b (?:\w+ ){0,3}"
        r"(?:system prompt|hidden (?:prompt|instructions)|initial instructions|developer message)\b",
    ),
    _theme(
        "is an assistant's own words",
        "an ai ",
        r"\b(?:as|i am|i'm) an ai (?:language )?(?:model|assistant)\b",
    ),
)

TAINTING = frozenset(theme.does for theme in THEMES[:5])
"""What makes its whole paragraph doubtful: who writes that, writes the rest of it to be believed."""

OTHER_SCRIPTS = lazy(
    r"(?:игнорируй|игнорируйте|забудь|забудьте) (?:все )?(?:предыдущие|прошлые|прежние) "
    r"(?:инструкции|указания|команды|правила)"
    r"|(?:忽略|无视|忘记)(?:之前|以上|前面|上面|所有|先前)\S{0,6}(?:指令|指示|提示|规则|命令)"
    r"|(?:以前|これまで|上記|前)の(?:指示|命令|プロンプト|ルール)\S{0,4}(?:無視|忘れ)"
    r"|이전\S{0,4} ?(?:지시|명령|프롬프트|규칙)\S{0,4} ?(?:무시|잊)"
)
"""Orders to drop earlier orders in Russian, Chinese, Japanese and Korean; for case-folded text in its own letters."""
