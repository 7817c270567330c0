"""English clauses to drafts: who it is about, what is said, and which rule knows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from langmem_ext.extraction import rules_en_daily as daily
from langmem_ext.extraction import rules_en_events as events
from langmem_ext.extraction import rules_en_tables as tables
from langmem_ext.extraction.rules_corrections import instead_english
from langmem_ext.extraction.rules_en_fragments import apart, elliptic
from langmem_ext.extraction.rules_en_grammar import others, tidy
from langmem_ext.extraction.rules_en_people import THIRD, about_relative, in_jest, mentioned, third
from langmem_ext.extraction.rules_en_predicates import USER, read_predicate, shorter, without_contrast
from langmem_ext.extraction.rules_en_tastes import taste
from langmem_ext.extraction.rules_en_wishes import instruction, standing_instruction
from langmem_ext.extraction.rules_en_words import NOT_NAMES
from langmem_ext.extraction.rules_jobs import jobs
from langmem_ext.extraction.rules_repairs import spoken
from langmem_ext.extraction.rules_slips import in_place_of, slipped_english
from langmem_ext.extraction.rules_text import ELIDED_VERBS, Clause, Draft, Speech, clauses_of
from langmem_ext.extraction.sentences import sentences_of

_OPENING = re.compile(
    r"^(?:(?:well|so|oh|ah|hi|hey|hello|hiya|heya|howdy|morning|evening|afternoon|greetings|quick one|"
    r"oh and|new plan|plan|context|some context|for context|background|update|quick intro|intro|edit|"
    r"p\.?s|hi there|yes|yeah|yep|no|nope|ok|okay|also|and|but|because|"
    r"since|plus|or|actually|wait|sorry|hmm|"
    r"by the way|btw|fyi|just so you know|for the record|for your information|as you know|to be honest|"
    r"honestly|anyway|haha|"
    r"please note|note|please remember|remember|don['’]t forget|keep in mind|correction|i mean|i meant|"
    r"in fact|good news|great news|"
    r"big news|bad news|news|sure|thanks|thank you|cool|great|nice|unfortunately|fortunately|luckily|"
    r"sadly|funny enough|"
    r"guess what|you know(?: what)?|turns out|i should mention|i forgot to (?:say|mention)|i must say|"
    r"i have to say|as i said|"
    r"good morning|good evening|my bad|that['’]s wrong|scratch that|this year|these days|nowadays|in "
    r"general|generally|then|now|personally|"
    r"as for me|about me|i think|i guess|lately)(?: that)?[,:!.\s—-]+)+(?=\S)",
    re.I,
)
_I = re.compile(r"^(?:i|we)(?:(?P<m>['’](?:m|re|ve|ll|d))|\b)\s*(?P<p>.+)$", re.I)
_EXPANDED = {"m": "am ", "re": "are ", "ve": "have ", "ll": "will ", "d": "would "}
_NO_VERB = re.compile(r"(?:and|or|with|who|as|alone|myself|too|for)\b", re.I)  # "I and my wife …"
_HE = re.compile(r"^(?:he|she|they)(?:(?P<is>['’]s)|\b) ?(?P<p>.+)$", re.I)
_ELIDED = re.compile(rf"^(?:also )?(?:{ELIDED_VERBS})\b", re.I)
_HERE = re.compile(
    r"^(?:this is (?P<t>(?-i:[A-Z])[a-zà-ÿ'’-]+)(?: (?:here|from .+))?|"
    r"(?P<n>(?-i:[A-Z])[a-zà-ÿ'’-]+) here)$",
    re.I,
)
_WHERE = re.compile(
    r"^(?:at (?:home|work|school|the weekend)|in (?:the )?(?:mornings?|evenings?|summer|winter|autumn|"
    r"spring)|"
    r"for (?:breakfast|lunch|dinner|work)|on (?:weekdays|weekends|holidays?|planes|flights|"
    r"trains)),? (?=(?:i|we)\b)",
    re.I,
)
_OWN_BARE = re.compile(
    r"^(?:pronouns|birthday|blood type|native language|hometown|favou?rite [\w-]+) (?:is|are) |"
    r"^name['’]?s (?-i:[A-Z])|^name is ",
    re.I,
)
# "We have a puppy. She's called Juno."
_OWN_ONE = re.compile(
    r"\b(?:have|['’]ve|got|adopted|own)(?: got)? (?:an?|our|my|one) (?:[\w-]+ ){0,3}?(?P<r>dog|cat|puppy|"
    r"kitten|horse|rabbit|parrot|"
    r"son|daughter|baby|toddler|girlfriend|boyfriend|partner|brother|sister)\b(?! and\b)",
    re.I,
)
_ASIDE = re.compile(r" (?:btw|by the way|tbh|to be honest|fyi)(?=,)", re.I)
_EMPHATIC = re.compile(r"^do (?=(?:eat|drink|like|love|have|own|play|speak|live|work|use|drive)\b)", re.I)
_ITS_OUR = re.compile(
    r"^it['’]s (?:my|our) (?P<x>[\w'’ ]{3,40}?) (?P<d>(?:on|in|next|this|"
    r"tomorrow)\b.*)$",
    re.I,
)
# "Surgery is on the 4th of March": their own, as nobody else is named.
_OWN_EVENT = re.compile(
    r"^(?:the )?(?P<e>surgery|operation|wedding|exam|interview|viva|due date|flight|move|graduation|"
    r"deadline|defen[cs]e|scan) "
    r"(?=(?:is|starts|begins|leaves)\b)",
    re.I,
)
_GREETING = (
    r"(?:hi|hey|hello|hiya|heya|howdy|morning|evening|good (?:morning|evening|"
    r"afternoon))(?: (?:there|all|everyone|everybody))?"
)


def read_english(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    """Drafts with the clause that states each."""
    speech.subject = USER
    for piece, meant_by in spoken(text, chinese=False):
        for draft, quote in _piece(piece, speech):
            yield draft, meant_by or quote


def _piece(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    for sentence in sentences_of(text):
        opening = _OPENING.match(sentence)
        stated = sentence[opening.end() :] if opening else sentence
        wish = standing_instruction(tidy(stated))
        if wish:  # its comma would be taken for the end of a clause
            draft, told = wish
            quote = told if told in sentence else sentence
            text = text.replace(quote, "\n" * len(quote), 1)
            yield draft, quote
    for clause in clauses_of(text, chinese=False):
        for draft in _read(clause, speech):
            if clause.correcting and draft.key:
                draft = replace(draft, correction=True)
            draft = in_place_of(draft, speech)
            speech.drafts.append(draft)
            yield draft, clause.text


def _read(clause: Clause, speech: Speech) -> list[Draft]:
    told = events.ticket(clause.text, speech.now)
    if told:
        return [told]
    greeted = speech.greeted or bool(re.match(rf"{_GREETING}\b", clause.text, re.I))
    speech.greeted = bool(re.fullmatch(rf"{_GREETING}\W*", clause.text, re.I))
    text = tidy(_ASIDE.sub("", daily.HELPS.sub("", _OPENING.sub("", clause.text))))
    helps = bool(daily.HELPS.search(clause.text))
    if not text or len(text) > 300:
        return []
    for reader in (instruction, events.habit_first):
        draft = reader(text)
        if draft:
            return [draft]
    draft = instead_english(text, speech, marked=clause.correcting)
    if draft:
        return [draft]
    draft = slipped_english(text, clause.text, speech)
    if draft:
        return [draft]
    text, fragments = apart(text)
    found = [_stated(text, clause, speech, greeted or bool(fragments), helps)] if text else []
    found += [read_predicate(predicate, USER, speech) for predicate in fragments]
    drafts = [job for draft in found if draft for job in jobs(draft)]
    if not drafts and speech.relative is None:
        speech.relative = mentioned(clause.text)
    return drafts


def _stated(text: str, clause: Clause, speech: Speech, greeted: bool, helps: bool) -> Draft | None:
    """What one clause states, as a whole or up to a comma that leads on to something else."""
    provider = daily.PROVIDER.match(re.sub(r"^i(?:['’]m| am) ", "am ", text, flags=re.I)) if helps else None
    if provider:
        return Draft(content=f"The user is with {provider['n']}.", importance=0.6)
    elided = not clause.first and bool(_ELIDED.match(text))  # at its start it would be an order
    if elided and speech.subject == USER:
        return read_predicate(text, USER, speech)
    for part in shorter(text):
        found = about_relative(part, speech) or _about_own(part, speech) or _about_user(part, speech, greeted)
        if found:
            return found
    liked = next((told for piece in text.split(", ") if (told := taste(piece))), None)
    if liked:
        return Draft(content=liked)
    predicate = elliptic(text, speech.now) if clause.first or speech.subject == USER else None
    return read_predicate(predicate, USER, speech) if predicate else None


def _about_user(text: str, speech: Speech, greeted: bool) -> Draft | None:
    where = _WHERE.match(text)
    match = _I.match(f"{text[where.end() :]} {where[0].strip(' ,').lower()}" if where else text)
    if match:
        speech.subject = USER
        own = _OWN_ONE.search(text)
        speech.relative = f"The user's {own['r'].lower()}" if own else speech.relative
        predicate = _EXPANDED.get((match["m"] or "")[1:].lower(), "") + match["p"]
        predicate = _EMPHATIC.sub("", predicate)
        if _NO_VERB.match(predicate):
            return None
        return (_introduced(predicate) if greeted else None) or read_predicate(predicate, USER, speech)
    here = _HERE.match(text)
    if here and not NOT_NAMES.search(here["t"] or here["n"]):
        return Draft(content=f"The user's name is {here['t'] or here['n']}.", key="name", importance=0.9)
    other = _HE.match(text)
    if other and speech.relative and text[:4].lower() != "they":
        predicate = ("is " if other["is"] else "") + other["p"]
        if not THIRD.match(predicate) or in_jest(speech.relative, predicate):
            return None
        return read_predicate(predicate, speech.relative, speech) or third(
            tidy(predicate), speech.relative, speech.now
        )
    if re.match(r"^(?:allergic|intolerant) to .{2,60}$", text, re.I):
        return read_predicate("am " + text, USER, speech)
    return None


def _introduced(predicate: str) -> Draft | None:
    """Such as "Hi, I'm Anna". Without a greeting "I'm Done" would be a name too."""
    match = re.match(
        r"^am (?P<n>(?-i:[A-Z])[a-zà-ÿ'’-]+(?: (?-i:[A-Z])[a-zà-ÿ'’-]+)?)(?:,? (?:from|"
        r"and) .*)?$",
        predicate,
        re.I,
    )
    if match is None or NOT_NAMES.search(match["n"]):
        return None
    return Draft(content=f"The user's name is {match['n']}.", key="name", importance=0.9)


def _about_own(text: str, speech: Speech) -> Draft | None:
    if _OWN_BARE.match(text):
        text = f"my {text[0].lower()}{text[1:]}"
    text = _ITS_OUR.sub(r"my \g<x> is \g<d>", text)
    text = _OWN_EVENT.sub(lambda match: f"my {match['e'].lower()} ", text)
    favourite = tables.IS_FAVOURITE.match(text)
    if favourite is None and not re.match(r"^(?:my|our) ", text, re.I):
        return None
    own = text if favourite else text.split(" ", 1)[1]
    favourite = favourite or tables.FAVOURITE.match(own)
    if favourite:
        return _favourite(favourite)
    own = re.sub(r"^name['’]s ", "name is ", own)
    for pattern, key, importance in (*tables.OWN, *daily.OWN):
        match = pattern.match(own)
        if match:
            bare, wrong = without_contrast(others(own))
            content = f"The user's {bare}."
            return Draft(
                content=content, key=key, importance=importance, correction=wrong and key is not None
            )
    return events.dated_thing(own, speech.now)


def _favourite(match: re.Match[str]) -> Draft | None:
    noun, value = match["n"].lower(), others(match["v"])
    if re.match(
        r"^(?:part|thing|way|one|problem|issue|question|point|reason|concern|memory|moment)s?\b", noun
    ):
        return None
    verb = "are" if noun.endswith("s") and not noun.endswith("ss") else "is"
    value, wrong = without_contrast(value)
    return Draft(
        content=f"The user's {match['rank'].lower()} {noun} {verb} {value}.",
        key=tables.favourite_key(match),
        correction=wrong,
    )
