"""What somebody works as and where are two things: either may change without the other."""

from __future__ import annotations

import re
from dataclasses import replace

from langmem_ext.extraction import rules_zh_tables as chinese
from langmem_ext.extraction.rules_text import Draft

_JOB_EN = re.compile(
    r"^The user (?P<p>(?:[a-z]+ly |also |still |now |currently )*"
    r"(?:works as|is(?: working| employed)? as|is) (?:a|an|the) (?P<job>[^,]{2,80}?)) "
    r"(?:at (?!(?:the|an?|their) (?:moment|same|time|weekends?|end|age|top|minute|young|old|least)\b)|"
    r"for (?=[A-Z]))"
    r"(?P<employer>(?:the|an?|their|[A-Z][\w&'’.-]*)(?: [^,]{1,80})?|[a-z]*[A-Z][\w&'’.-]*)\.$"
)
_WORKPLACE_ZH = (
    r"(?P<employer>[^，。的是]{1,16}?(?:公司|集团|银行|医院|大学|中学|小学|学校|研究所|研究院|出版社|工作室|事务所|幼儿园|报社|"
    r"餐厅|法院|局|厂|店|[A-Z][A-Za-z]+)|[A-Z][A-Za-z]+)"
)
_TIME_ZH = r"^用户(?:现在|目前|如今)?"
_JOB_ZH = re.compile(rf"{_TIME_ZH}是{_WORKPLACE_ZH}的(?P<job>[^，。的]{{2,16}})。$")
_WORKS_AS_ZH = re.compile(
    rf"{_TIME_ZH}在{_WORKPLACE_ZH}(?:当|做|担任)(?P<job>(?:一?[名位个])?{chinese.JOB})。$"
)


def jobs(draft: Draft) -> list[Draft]:
    """The draft, or a job and a workplace out of one."""
    if draft.key not in ("employment.title", None) or draft.valid_from is not None:
        return [draft]
    if draft.key and (match := _JOB_EN.match(draft.content)):
        title, employer = f"The user {match['p']}.", f"The user works at {match['employer']}."
    elif match := (_JOB_ZH if draft.key else _WORKS_AS_ZH).match(draft.content):
        title, employer = f"用户是{match['job']}。", f"用户在{match['employer']}工作。"
    else:
        return [draft]
    return [
        replace(draft, content=title, key="employment.title", importance=0.7),
        replace(draft, content=employer, key="employment.employer", importance=0.7),
    ]
