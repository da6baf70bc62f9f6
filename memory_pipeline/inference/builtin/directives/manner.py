"""What marks a wish as one about answers: words of manner, languages, and what shows that it is for one answer only."""

from __future__ import annotations

from collections.abc import Sequence

from memory_pipeline.domain.patterns import lazy
from memory_pipeline.language.syntax import Sentence, Token
from memory_pipeline.language.vocabulary import table, words

_ONE = frozenset({"a", "an", "the", "this", "that", "these", "another", "some", "one", "few", "first", "last", "next",
                  "second", "third", "previous", "following", "above", "below"})  # fmt: skip
_THIS_ONE = lazy(
    r" (?:this (?!chat|conversation)\w+|the (?:text|letter|e?mail|following|paragraph|above)|below|above|"
    r"(?:to|from|in|on|of) the (?!point\b|metric\b|simplest\b)\w+) "
)
_LASTING_WITH_ARTICLE = frozenset({"tone", "style", "voice", "language", "format", "time", "manner", "way", "register"})


def mannered(tokens: Sequence[Token]) -> bool:
    """Whether a word says how: "short", "bluntly", "simpler"."""
    known = words("manner")
    return any(form in known for t in tokens for form in (t.low, t.low.removesuffix("ly"), t.lemma.lower()))


def about_answers(tokens: Sequence[Token]) -> bool:
    """Whether something of an answer is named: "emojis", "sentences", "units"."""
    known = words("answer_word") | set(table("directives")["answer_extra"])
    return any(t.low in known or t.lemma.lower() in known for t in tokens)


def plainly_about_answers(tokens: Sequence[Token]) -> bool:
    """The same by a word that is not also asked for once: "code", "recipe", "list"."""
    asked_for_once = set(table("directives")["asked_for_once"])
    return about_answers([t for t in tokens if not {t.low, t.lemma.lower()} & asked_for_once])


def one_off(tokens: Sequence[Token], verb: str) -> bool:
    """Whether a request is for one thing now: "give me the list", "make a list of ten songs", "below"."""
    low = [t.low for t in tokens]
    text = f" {' '.join(low)} "
    if _THIS_ONE.search(text):
        return True
    if set(low) & _LASTING_WITH_ARTICLE:
        return False
    behind = low[1:] if low[:1] in (["me"], ["us"], ["her"], ["him"], ["them"]) else low
    given = verb not in table("directives")["no_product"]
    counted = bool(behind) and (behind[0] in _ONE or behind[0].isdigit() or tokens[len(low) - len(behind)].pos == "NUM")
    if given and counted:
        return True
    # "give me examples" asks for some now; "give me short answers" for all that come
    return given and len(behind) < len(low) and not mannered(tokens) and "when" not in low


def language(verb: str, tokens: Sequence[Token], *, lasting: bool) -> str:
    """The language that answers should be in, by its name; "" where none is asked for, or for one text only."""
    known = table("directives")
    if verb not in known["language_verb"]:
        return ""
    at = next((n for n, t in enumerate(tokens) if t.low in known["languages"]), None)
    if at is None:
        return ""
    name = at
    while name and tokens[name - 1].low in {"british", "american", "simple", "plain", "brazilian", "swiss", "formal"}:
        name -= 1
    before = [t.low for t in tokens[:name] if t.low not in {"only", "just", "back", "over", "strictly"}]
    if before and before[-1] in {"in", "to", "with"}:
        before.pop()
    idle = {"me", "to", "with", "us", "my", "your", "all", "messages", "questions", "answers", "everything", "replies"}
    if not set(before) <= idle:
        return ""
    behind = {t.low for t in tokens[at + 1 :] if t.text[:1].isalpha()}
    free = behind <= set(known["language_tail"])
    if verb in known["language_verb_lasting"] and not lasting or not (free or lasting):
        return ""
    return " ".join(t.text[:1].upper() + t.text[1:] for t in tokens[name : at + 1])


def style_noun(sentence: Sentence, noun: Token, verb: str) -> bool:
    """Whether what somebody likes or wants is a way of answering: "detailed explanations", "metric units"."""
    known = table("directives")
    if noun.low in known["unit_system"]:
        return verb == "prefer"
    if sentence.children(noun, "det", "poss") or noun.lemma.lower() not in known["style_noun"]:
        return False
    said_how = [c for c in sentence.children(noun) if c.dep in {"amod", "compound", "nummod", "acl", "prep"}]
    return verb == "prefer" or mannered(said_how) or any(c.dep == "prep" and c.low == "in" for c in said_how)


__all__ = ["about_answers", "language", "mannered", "one_off", "plainly_about_answers", "style_noun"]
