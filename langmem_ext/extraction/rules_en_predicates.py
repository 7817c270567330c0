"""English predicates to drafts: a fact, what is over, a plan, an event, a habit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime

from langmem_ext.extraction import rules_en_daily as daily
from langmem_ext.extraction import rules_en_events as events
from langmem_ext.extraction import rules_en_tables as tables
from langmem_ext.extraction.rules_corrections import ended
from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_en_grammar import in_third_person, is_over, tidy
from langmem_ext.extraction.rules_text import Draft, Rule, Speech

USER = "The user"
_COMMA = re.compile(r",\s+(?!(?:not|no|nor|or|but|except|unless|if)\b)")
# Where that is was said elsewhere.
_THERE = re.compile(
    r"\b(?:go|going|fly|flying|move|moving|moved|head|heading|travell?ing|live|been|"
    r"work) there\b",
    re.I,
)
_SINCE = re.compile(r"moved|started|joined|promoted|became|gone|since")


def shorter(text: str) -> Iterator[str]:
    """The text, and what is left of it without its last clauses: those behind a comma that denies nothing."""
    yield text
    for match in reversed(list(_COMMA.finditer(text))):
        yield text[: match.start()]


def read_predicate(predicate: str, subject: str, speech: Speech) -> Draft | None:
    """A fact, a plan, an event or a habit of somebody."""
    predicate = tidy(predicate)
    over = is_over(predicate)
    if over:
        return _over(*over, speech) if subject == USER else None
    if _THERE.search(predicate):
        return None
    for part in shorter(predicate):
        draft = known_fact(part, subject, speech)
        if draft:
            return draft
    for reader in (events.plan, events.event):
        draft = reader(predicate, subject, speech.now)
        if draft:
            return draft
    return events.habit(predicate, subject)


def known_fact(predicate: str, subject: str, speech: Speech) -> Draft | None:
    """A fact of somebody that is true by now."""
    ahead = find_date(predicate, speech.now.date(), past=True)
    if ahead and ahead.first > speech.now.date():
        return None  # not true yet
    bare, _ = without_contrast(predicate)
    for rule in (*tables.FACTS, *daily.FACTS):
        known = rule.pattern.match(predicate) or rule.pattern.match(bare)
        if known and not (rule.key == "age" and subject != USER):
            return _fact(predicate, subject, rule, speech.now)
    return None


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
    dated = _SINCE.search(predicate)
    phrase = find_date(predicate, now.date(), past=True) if dated else None
    told = predicate if subject != USER else in_third_person(predicate)
    bare, wrong = without_contrast(told)
    past = phrase is not None and phrase.first <= now.date()
    return Draft(
        content=annotate(f"{subject} {bare}{rule.state}.", phrase, chinese=False),
        key=rule.key if subject == USER else None,
        valid_from=phrase.starts(now.tzinfo) if phrase and past else None,
        correction=wrong and rule.key is not None,
        importance=rule.importance,
    )


def without_contrast(text: str) -> tuple[str, bool]:
    """Such as "lives in Lyon, not Paris" without its second half, and whether there was one."""
    match = re.match(r"^(?P<v>.+?),? not (?:in |at |a |an |on |the )?[A-Z\d][\w' ]{0,30}$", text)
    return (match["v"], True) if match else (text, False)
