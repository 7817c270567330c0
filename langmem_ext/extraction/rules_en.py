"""English clauses to drafts: who it is about, what is said, and which rule knows it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from langmem_ext.extraction import rules_en_events as events
from langmem_ext.extraction import rules_en_tables as tables
from langmem_ext.extraction import rules_en_words as words
from langmem_ext.extraction.rules_corrections import ended, instead_english
from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_en_grammar import in_third_person, is_over, others, tidy
from langmem_ext.extraction.rules_jobs import jobs
from langmem_ext.extraction.rules_repairs import spoken
from langmem_ext.extraction.rules_text import ELIDED_VERBS, Clause, Draft, Rule, Speech, clauses_of
from langmem_ext.extraction.sentences import sentences_of

USER = "The user"
_OPENING = re.compile(
    r"^(?:(?:well|so|oh|ah|hi|hey|hello|hi there|yes|yeah|yep|no|nope|ok|okay|also|and|but|because|"
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
_HE = re.compile(r"^(?:he|she|they)(?:(?P<is>['’]s)|\b) ?(?P<p>.+)$", re.I)
_THIRD = re.compile(
    r"^(?:always |never |also |really |just |currently |now )*(?:lives|works|likes|loves|hates|"
    r"dislikes|prefers|plays|speaks|studies|teaches|drives|owns|collects|can['’]t stand|"
    r"doesn['’]t (?:like|eat|drink)|can['’]t eat|don['’]t (?:like|eat)|live|love|like|hate|moved to|"
    r"was born|turned|became|started (?:at|school|university|working)|got (?:married|engaged|a job|"
    r"into)|"
    r"has (?:a|an|two|three|type|diabetes|asthma|dementia)|volunteers|retired|runs a|goes to|is (?:a|"
    r"an|allergic|called|named|from|vegan|vegetarian|\d|married|engaged|"
    r"pregnant|expecting|my|left-handed|diabetic|retired|turning|getting married|afraid of|learning|"
    r"studying|\w+ years old|moving|visiting))\b",
    re.I,
)
_ELIDED = re.compile(rf"^(?:also )?(?:{ELIDED_VERBS})\b", re.I)
_GREETING = r"(?:hi|hey|hello|good (?:morning|evening|afternoon))(?: (?:there|all|everyone|everybody))?"
_NOT_NAMES = re.compile(
    r"(?:ish|ese|ean|[^i]ian|can|ench|utch|elsh|eek|wiss|zech|hai|slim|olic|ewish|egan|ing|ed)$|^(?:ok|"
        r"okay|sorry|busy|back|here|home|fine|good|glad|happy|sure|"
    r"not|just|so|in|on|at|from|an?|the|german|norwegian|indian|asian|russian|african|hungarian|"
    r"done|gone|new|late|ready|free|sick|ill|sad|mad|alone|old|young|lost|stuck|broke|well|all|"
    r"very|really|too|also|only|still|now)$", re.I
)  # fmt: skip


def read_english(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    """Drafts with the clause that states each."""
    speech.subject = USER
    for piece, meant_by in spoken(text, chinese=False):
        for draft, quote in _piece(piece, speech):
            yield draft, meant_by or quote


def _piece(text: str, speech: Speech) -> Iterator[tuple[Draft, str]]:
    for sentence in sentences_of(text):
        wish = events.standing_instruction(tidy(_OPENING.sub("", sentence)))
        if wish:  # its comma would be taken for the end of a clause
            text = text.replace(sentence, "\n" * len(sentence), 1)
            yield wish, sentence
    for clause in clauses_of(text, chinese=False):
        for draft in _read(clause, speech):
            if clause.correcting and draft.key:
                draft = replace(draft, correction=True)
            speech.drafts.append(draft)
            yield draft, clause.text


def _read(clause: Clause, speech: Speech) -> list[Draft]:
    told = events.ticket(clause.text, speech.now)
    if told:
        return [told]
    greeted = speech.greeted or bool(re.match(rf"{_GREETING}\b", clause.text, re.I))
    speech.greeted = bool(re.fullmatch(rf"{_GREETING}\W*", clause.text, re.I))
    text = tidy(_OPENING.sub("", clause.text))
    if not text or len(text) > 300:
        return []
    for reader in (events.instruction, events.habit_first):
        draft = reader(text)
        if draft:
            return [draft]
    draft = instead_english(text, speech, marked=clause.correcting)
    if draft:
        return [draft]
    elided = not clause.first and bool(_ELIDED.match(text))  # at its start it would be an order
    if elided and speech.subject == USER:
        found = _predicate(text, USER, speech)
    else:
        found = (
            _about_relative(text, speech) or _about_own(text, speech) or _about_user(text, speech, greeted)
        )
    return jobs(found) if found else []


def _about_user(text: str, speech: Speech, greeted: bool) -> Draft | None:
    match = _I.match(text)
    if match:
        speech.subject = USER
        predicate = _EXPANDED.get((match["m"] or "")[1:].lower(), "") + match["p"]
        if _NO_VERB.match(predicate):
            return None
        return (_introduced(predicate) if greeted else None) or _predicate(predicate, USER, speech)
    other = _HE.match(text)
    if other and speech.relative and text[:4].lower() != "they":
        predicate = ("is " if other["is"] else "") + other["p"]
        if not _THIRD.match(predicate):
            return None
        return _predicate(predicate, speech.relative, speech) or _third(
            tidy(predicate), speech.relative, speech.now
        )
    if re.match(r"^(?:allergic|intolerant) to .{2,60}$", text, re.I):
        return _predicate("am " + text, USER, speech)
    return None


def _introduced(predicate: str) -> Draft | None:
    """Such as "Hi, I'm Anna". Without a greeting "I'm Done" would be a name too."""
    match = re.match(
        r"^am (?P<n>(?-i:[A-Z])[a-zà-ÿ'’-]+(?: (?-i:[A-Z])[a-zà-ÿ'’-]+)?)(?:,? (?:from|"
        r"and) .*)?$",
        predicate,
        re.I,
    )
    if match is None or _NOT_NAMES.search(match["n"]):
        return None
    return Draft(content=f"The user's name is {match['n']}.", key="name", importance=0.9)


def _predicate(predicate: str, subject: str, speech: Speech) -> Draft | None:
    predicate = tidy(predicate)
    over = is_over(predicate)
    if over:
        return _over(*over, speech) if subject == USER else None
    ahead = find_date(predicate, speech.now.date(), past=True)
    for rule in tables.FACTS:
        if ahead and ahead.first > speech.now.date():
            break  # not true yet
        if rule.pattern.match(predicate) and not (rule.key == "age" and subject != USER):
            return _fact(predicate, subject, rule, speech.now)
    for reader in (events.plan, events.event):
        draft = reader(predicate, subject, speech.now)
        if draft:
            return draft
    return events.habit(predicate, subject)


def _over(was: str, told: str, speech: Speech) -> Draft | None:
    """Such as "I no longer eat meat": a fact without a key, and the end of the sentence that it ends."""
    known = (rule for rule in tables.FACTS if rule.pattern.match(was) or rule.pattern.match(f"do not {was}"))
    rule = next(known, None)
    if rule is None:
        return None
    return Draft(
        content=f"The user {told}.",
        replaces=ended(f"The user {in_third_person(was)}", speech),
        importance=rule.importance,
    )


def _fact(predicate: str, subject: str, rule: Rule, now: datetime) -> Draft | None:
    phrase = (
        find_date(predicate, now.date(), past=True)
        if re.search(
            r"moved|started|joined|promoted|"
            r"became|gone|since",
            predicate,
        )
        else None
    )
    told = predicate if subject != USER else in_third_person(predicate)
    bare, wrong = _without_contrast(told)
    past = phrase is not None and phrase.first <= now.date()
    return Draft(
        content=annotate(f"{subject} {bare}{rule.state}.", phrase, chinese=False),
        key=rule.key if subject == USER else None,
        valid_from=phrase.starts(now.tzinfo) if phrase and past else None,
        correction=wrong and rule.key is not None,
        importance=rule.importance,
    )


def _without_contrast(text: str) -> tuple[str, bool]:
    """Such as "lives in Lyon, not Paris" without its second half, and whether there was one."""
    match = re.match(r"^(?P<v>.+?),? not (?:in |at |a |an )?[A-Z\d][\w' ]{1,30}$", text)
    return (match["v"], True) if match else (text, False)


def _about_relative(text: str, speech: Speech) -> Draft | None:
    match = _RELATIVE.match(text)
    if match is None:
        return None
    name = f" {match['n'].rstrip(',')}" if match["n"] else ""
    subject = f"The user's {match['r'].lower()}{name}"
    speech.subject = speech.relative = subject
    predicate = tidy(
        ("is " if match["is"] and not match["p"].lower().startswith("name") else "") + match["p"]
    )
    named = _RELATIVE_NAMED.match(predicate)
    if match["is"] and match["p"].lower().startswith("name is "):
        named = _RELATIVE_NAMED.match(match["p"])
    if named and not _NOT_NAMES.search(named["n"]):
        key = "partner.name" if words.PARTNERS.search(match["r"]) else None
        verb = "are" if match["r"].lower().endswith(("s", "children")) else "is"
        speech.relative = f"{subject} {named['n']}"
        return Draft(content=f"{subject} {verb} called {named['n']}.", key=key, importance=0.7)
    dated = events.plan(predicate, subject, speech.now)
    if dated:
        return dated
    return _third(predicate, subject, speech.now) if _THIRD.match(predicate) else None


def _third(predicate: str, subject: str, now: datetime) -> Draft:
    phrase = find_date(predicate, now.date(), past=True)
    return Draft(content=annotate(f"{subject} {others(predicate)}.", phrase, chinese=False))


def _about_own(text: str, speech: Speech) -> Draft | None:
    favourite = tables.IS_FAVOURITE.match(text)
    if favourite is None and not re.match(r"^(?:my|our) ", text, re.I):
        return None
    own = text if favourite else text.split(" ", 1)[1]
    favourite = favourite or tables.FAVOURITE.match(own)
    if favourite:
        return _favourite(favourite)
    for pattern, key, importance in tables.OWN:
        match = pattern.match(own)
        if match:
            bare, wrong = _without_contrast(others(own))
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
    value, wrong = _without_contrast(value)
    return Draft(
        content=f"The user's {match['rank'].lower()} {noun} {verb} {value}.",
        key=tables.favourite_key(match),
        correction=wrong,
    )
