"""English grammar for the rules: "I love my dog" becomes "loves their dog"."""

from __future__ import annotations

import re

ADVERBS = (
    r"(?:(?:always|usually|often|never|really|also|just|still|currently|now|actually|absolutely|"
    r"recently|finally|normally|"
    r"mostly|only|mainly|generally|sometimes|typically|rarely|already|both|definitely|honestly|truly|totally|"
    r"officially|originally|basically|particularly|especially|secretly|quite|kind of|sort of|strongly|"
    r"very much|much)\s+)*"
)
# Before the verb: all that is certainly no verb, so that nobody "nos longer" or "religiouslies".
_LEADING = re.compile(
    r"(?:"
    + ADVERBS.removesuffix("*")
    + r"|(?:(?:can )?no longer|hardly(?: ever)?|barely|seldom|almost|nearly|"
    r"not|ever|even|simply|to|(?!(?:apply|reply|rely|fly|supply|multiply|comply|rally|imply|bully|ally)\b)"
    r"\w+ly)\s+)*",
    re.I,
)
_ANY_MORE = r"(?:any ?more|any longer)"
_ENDED = re.compile(
    r"^(?:(?:also|really|just|actually|now) )*(?:"
    r"(?P<be>am|are) (?:no longer (?P<b1>.+)|not (?P<b2>.+?),? ANY)"
    r"|can(?:no longer| no longer) (?P<c1>.+)|(?:can['’]t|cannot|can not) (?P<c2>.+?),? ANY"
    r"|no longer (?P<v1>.+)|(?:do not|don['’]t) (?P<v2>.+?),? ANY)$".replace("ANY", _ANY_MORE),
    re.I,
)
_IRREGULAR = {
    "am": "is",
    "are": "is",
    "have": "has",
    "haven't": "hasn't",
    "do": "does",
    "don't": "doesn't",
    "go": "goes",
    "were": "was",
    "aren't": "isn't",
    "undergo": "undergoes",
}
_UNCHANGED = frozenset(
    "can can't cannot could couldn't would wouldn't will won't must should may might didn't did had "
    "was wasn't got went "
    "met ran won lost broke sold quit left began came took made gave became bought caught found flew "
    "drove wrote read "
    "had built sent spent taught thought grew knew felt fell forgot heard held kept led saw spoke said told "
    "hasn't isn't doesn't is has used put hurt cut started".split()
)
_PRONOUNS = {
    "i": "they",
    "me": "them",
    "my": "their",
    "mine": "theirs",
    "myself": "themself",
    "we": "they",
    "us": "them",
    "our": "their",
    "ours": "theirs",
    "ourselves": "themselves",
    "i'm": "they are",
    "i've": "they have",
    "we're": "they are",
    "we've": "they have",
    "i'd": "they would",
    "i'll": "they will",
    "am": "are",
}
_PRONOUN = re.compile(
    r"(?<!['’])\b(?:" + "|".join(sorted(_PRONOUNS, key=len, reverse=True)) + r")\b(?!['’])", re.I
)
_TRAILING = re.compile(
    r"(?:,?\s+(?:now|nowadays|these days|at the moment|right now|by the way|btw|too|as well|actually|"
    r"though|you know|"
    r"haha+|lol|anyway|i think|i guess|to be honest|tbh|so far|again|please|thanks|thank you|of course|"
    r"currently|sadly|unfortunately|luckily|if you must know|myself|old habit|no idea why|what can i say|"
    r"wish me luck|dreading it|not sure why|"
    r"so please .*|so keep .*|remember that|i'm afraid|for sure|already))+$",
    re.I,
)
_NOT_SAID = re.compile(r"[\s,;:!?.…~)\"”'’\-—]+$")
_EMOJI = re.compile(r"[\U0001F000-\U0001FAFF\u2600-\u27BF\uFE0F]+")


def tidy(text: str) -> str:
    """A predicate without emoji, closing marks and filler at its end."""
    text = re.sub(r"\s+", " ", _EMOJI.sub("", text)).strip()
    for _ in range(3):
        text = _TRAILING.sub("", _NOT_SAID.sub("", text))
    return text


def in_third_person(predicate: str) -> str:
    """The predicate of "I" as that of "the user", pronouns included."""
    leading = _LEADING.match(predicate)
    at = leading.end() if leading else 0
    adverbs, rest = predicate[:at], predicate[at:]
    adverbs = re.sub(r"\b(?:honestly|actually)\s", "", adverbs, flags=re.I)
    verb, _, tail = rest.partition(" ")
    return f"{adverbs}{_conjugate(verb)} {others(tail)}".strip()


def is_over(predicate: str) -> tuple[str, str] | None:
    """For "no longer" and "not … any more": what was true of "I", and the sentence's predicate now."""
    match = _ENDED.match(predicate)
    if match is None:
        return None
    was = match["b1"] or match["b2"]
    if was:
        return f"am {was}", f"is no longer {others(was)}"
    could = match["c1"] or match["c2"]
    if could:
        return could, f"can no longer {others(could)}"
    did = match["v1"] or match["v2"]
    return did, f"no longer {in_third_person(did)}"


def others(text: str) -> str:
    """First-person pronouns turned into third-person ones."""
    straight = text.replace("’", "'")
    straight = re.sub(r"\b(with|for|to|and) I\b", r"\1 them", straight)
    return _PRONOUN.sub(lambda match: _PRONOUNS[match[0].lower()] if match[0] != "US" else "US", straight)


def _conjugate(verb: str) -> str:
    verb = verb.replace("’", "'")
    low = verb.lower()
    if low in _IRREGULAR:
        return _IRREGULAR[low]
    if low in _UNCHANGED or low.endswith("ed") and low not in ("need", "feed", "breed", "speed"):
        return low
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return low + "es"
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return low[:-1] + "ies"
    return low + "s"
