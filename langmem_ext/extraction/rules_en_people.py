"""English clauses about the people and animals around the user, each with their own statement."""

from __future__ import annotations

import re
from datetime import datetime

from langmem_ext.extraction import rules_en_events as events
from langmem_ext.extraction import rules_en_words as words
from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_en_grammar import others, tidy
from langmem_ext.extraction.rules_en_predicates import USER, known_fact, without_contrast
from langmem_ext.extraction.rules_en_words import NOT_NAMES
from langmem_ext.extraction.rules_text import Draft, Speech

_RELATIVE = re.compile(
    rf"^(?:my|our) (?P<r>{words.RELATIONS})(?:,? (?P<n>(?-i:[A-Z])[\w'’-]+(?: (?:and "
    r")?(?-i:[A-Z])[\w'’-]+)?),?)?(?:(?P<is>['’]s)|\b) (?P<p>.+)$",
    re.I,
)
_RELATIVE_NAMED = re.compile(
    r"^(?:name is |name['’]s |is called |is named |are called |are named |names are |is |are "
    r")(?P<n>(?-i:[A-Z])[\w'’-]+(?:(?:,| and|, and)? (?-i:[A-Z])[\w'’-]+){0,3})$",
    re.I,
)
THIRD = re.compile(
    r"^(?:always |never |also |really |just |currently |now )*(?:lives|works|likes|loves|hates|"
    r"dislikes|prefers|plays|speaks|studies|teaches|drives|owns|collects|can['’]t stand|"
    r"doesn['’]t (?:like|eat|drink)|can['’]t eat|don['’]t (?:like|eat)|live|love|like|hate|moved to|"
    r"was born|turned|became|started (?:at|school|university|working)|got (?:married|engaged|a job|"
    r"into)|"
    r"has (?:a|an|two|three|type|diabetes|asthma|dementia|celiac|coeliac|adhd|autism|epilepsy|eczema|"
    r"migraines|"
    r"arthritis|cancer|anxiety|depression)|volunteers|retired|runs a|goes to|is (?:a|"
    r"an|allergic|called|named|from|vegan|vegetarian|\d|married|engaged|"
    r"pregnant|expecting|scared of|terrified of|frightened of|deaf|blind|my|left-handed|diabetic|retired|"
    r"turning|getting married|afraid of|learning|"
    r"studying|\w+ years old|moving|visiting))\b",
    re.I,
)
# What an animal does in jokes only.
_HUMAN = re.compile(
    r"^(?:works|studies|teaches|drives|owns|speaks|volunteers|retired|runs|started (?:university|working)|"
    r"got (?:married|engaged|a job)|is (?:married|engaged|retired|getting married|learning|studying)|"
    r"has a (?:phd|job)|is (?:a|an|the) (?:[\w-]+ )?(?:dictator|ceo|boss|tyrant|genius|monster|menace|"
    r"criminal|mafia|lawyer|king|queen|diva))\b",
    re.I,
)
_MENTIONED = re.compile(rf"\b(?:my|our) (?P<r>{words.RELATIONS})\b(?!['’])(?P<n> (?-i:[A-Z])[\w'’-]+)?", re.I)
_BOTH = re.compile(
    rf"^(?:(?:my|our) (?P<r>{words.RELATIONS})(?P<n> (?-i:[A-Z])[\w'’-]+)? and (?:i|me)|(?:me|"
    rf"i) and my (?P<r2>{words.RELATIONS}))"
    r" (?P<p>(?:are both|both|are|live|run|own|have|love|share|work|moved|speak|rent|co-own) .+)$",
    re.I,
)


def about_relative(text: str, speech: Speech) -> Draft | None:
    """A clause that begins with "my sister": she is whom "she" means from then on."""
    both = _BOTH.match(text)
    if both:
        return _together(both, speech)
    match = _RELATIVE.match(text)
    if match is None:
        return None
    name = f" {match['n'].rstrip(',')}" if match["n"] else ""
    subject = f"The user's {match['r'].lower()}{name}"
    speech.subject = speech.relative = subject
    predicate = tidy(
        ("is " if match["is"] and not match["p"].lower().startswith("name") else "") + match["p"]
    )
    predicate, _ = without_contrast(predicate)
    named = _RELATIVE_NAMED.match(predicate)
    if match["is"] and match["p"].lower().startswith("name is "):
        named = _RELATIVE_NAMED.match(match["p"])
    if named and not NOT_NAMES.search(named["n"]):
        key = "partner.name" if words.PARTNERS.search(match["r"]) else None
        verb = "are" if match["r"].lower().endswith(("s", "children")) else "is"
        speech.relative = f"{subject} {named['n']}"
        return Draft(content=f"{subject} {verb} called {named['n']}.", key=key, importance=0.7)
    dated = events.plan(predicate, subject, speech.now)
    if dated:
        return dated
    known = THIRD.match(predicate) and not in_jest(match["r"], predicate)
    return third(predicate, subject, speech.now) if known else None


def in_jest(whom: str, predicate: str) -> bool:
    """Whether an animal or a small child is said to do what only adults do."""
    return bool(words.JESTED.search(whom) and _HUMAN.match(predicate))


def mentioned(text: str) -> str | None:
    """Whom "she" means after "a present for my niece Ida", where nobody else is named with her."""
    people = list(_MENTIONED.finditer(text))
    if len(people) != 1:
        return None
    return f"The user's {people[0]['r'].lower()}{people[0]['n'] or ''}"


def third(predicate: str, subject: str, now: datetime) -> Draft:
    """A fact about somebody else, as it was said."""
    phrase = find_date(predicate, now.date(), past=True)
    return Draft(content=annotate(f"{subject} {others(predicate)}.", phrase, chinese=False))


def _together(match: re.Match[str], speech: Speech) -> Draft | None:
    """Such as "my brother and I run a bike shop", if each of the two could say so alone."""
    told = re.sub(r"^(?:are )?both ", lambda both: "am " if "are" in both[0] else "", match["p"])
    told = re.sub(r"^are ", "am ", told)
    one = re.sub(r"^am (\w+)s$", r"am a \1", told)
    if not known_fact(told, USER, speech) and not known_fact(one, USER, speech):
        return None
    whom = f"{(match['r'] or match['r2']).lower()}{match['n'] or ''}"
    return Draft(content=f"The user and their {whom} {others(match['p'])}.")
