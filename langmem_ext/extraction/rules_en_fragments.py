"""What people leave out when they type: "Tamsin here, 29, a baker, in Hull since 2019", "dentist on tuesday".

A fragment is turned into the predicate that "I" would have had. Only fragments of a shape that cannot
be an order or an object in a list are taken.
"""

from __future__ import annotations

import re
from datetime import datetime

from langmem_ext.extraction.rules_dates import find_date
from langmem_ext.extraction.rules_en_tables import CITY
from langmem_ext.extraction.rules_en_words import DIETS, NO_TITLE, OCCUPATION, STATES

_COUNT = r"(?:\d|one|two|three|four|five|six)"
_SOON = (
    r"(?:just |still |currently |now |mostly |mainly |usually |always |only |also |originally |"
    r"recently )*"
)
_SPAN = r"(?: (?:since|for|until|till) [^,]{2,30}| now| these days| at the moment| (?:\d+|\w+) years? now)?"
_PARENT = (
    r"(?:single |proud |full[- ]time |stay[- ]at[- ]home )*(?:mum|mom|dad|mother|father|parent|"
    r"grandma|grandad)"
)
_JOB_TAIL = r"(?: (?:at|for|in|from|with) [^,]{2,60})?"
_PART = r"(?:(?:part|full)[- ]time |freelance |retired |trainee |junior |senior |self[- ]employed |student )*"
# An occupation as it stands alone: "i need a nurse" is none.
_JOB = OCCUPATION.replace(
    r"(?:[\w-]+ ){0,3}?",
    r"(?:(?!(?:an?|the|i|we|my|your|is|are|was|know|need|want|see|saw|met|call|to|of|as|like|than|find|"
    r"get|got|hire|ask)\b)"
    r"[\w-]+ ){0,3}?",
    1,
)
# The fragment, and what stands before it in a full sentence; `{x}` is the fragment.
_SHAPES: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(rf"^(?:and |also ){{0,2}}(?P<x>{pattern})$", re.I), told)
    for pattern, told in (
        (rf"an? (?!{NO_TITLE}){_PART}{OCCUPATION}{_JOB_TAIL}", "am {x}"),
        (
            rf"(?!(?:an?|the|my|our|his|her|no|any|good|best|new|some|another)\b|"
            rf"{NO_TITLE}){_PART}{_JOB}{_JOB_TAIL}",
            "am a {x}",
        ),
        (rf"{_PARENT} (?:of|to) (?:an? )?(?:{_COUNT}|twins|toddler|newborn|baby)\b[^,]{{0,30}}", "am a {x}"),
        (rf"{_SOON}(?:living|based|located) (?:in|near|outside) [^,]{{2,60}}", "am {x}"),
        (rf"(?<!\w)in {CITY}{_SPAN}", "live {x}"),
        (rf"(?:originally )?from {CITY}", "am {x}"),
        (rf"(?:born|raised|born and raised) in {CITY}", "was {x}"),
        (rf"{_SOON}working (?:as|at|for|in|from|nights|remotely|part|full) ?[^,]{{0,60}}", "am {x}"),
        (
            rf"{_SOON}(?:on )?(?:nights|night shifts|late shifts|early shifts|shifts|weekends|"
            rf"days)",
            "work {x}",
        ),
        (r"\d\d(?: years? old)?", "am {x}"),
        (rf"{_SOON}(?:strict |lifelong )?(?:{DIETS}|{STATES})(?: (?:since|for) [^,]{{2,20}})?", "am {x}"),
        (
            r"(?:happily |newly |recently )?(?:married|single|divorced|widowed|engaged|"
            r"separated)(?: to (?-i:[A-Z])\w+)?",
            "am {x}",
        ),
        (
            rf"(?:no|{_COUNT}|a couple of) (?:[\w-]+ ){{0,2}}(?:kids?|children|sons?|daughters?|boys|"
            rf"girls|cats?|dogs?|siblings?)(?: and [^,]{{3,30}})?",
            "have {x}",
        ),
        (r"(?:badly |severely |very )?(?:allergic|intolerant) to (?!it\b|them\b|that\b)[^,]{2,60}", "am {x}"),
        (r"(?:more of |not |not really )an? (?:[\w-]+ ){1,2}person", "am {x}"),
        (rf"{_SOON}(?:studying|learning|training) (?:as |for |in )?(?!it\b|that\b)[^,]{{2,60}}", "am {x}"),
        (r"been \w+ing [^,]{3,60}", "have {x}"),
        (r"(?:practi[sc]ing )?(?:catholic|muslim|jewish|hindu|buddhist|christian|sikh)", "am {x}"),
        (r"(?:grew up|born and raised|studied|trained) (?:in|as|with|on) [^,]{2,60}", "{x}"),
        (r"(?:half|part) (?-i:[A-Z])?\w+(?:,? (?:and )?(?:half|part) \w+)?", "am {x}"),
    )
)
# At its start, a sentence of these verbs is about "I" and no order.
_BARE = re.compile(
    r"^(?:really |also |just |absolutely |still )*(?:love|hate|prefer|grew up|moved to|was born|used to|"
    r"can['’]t (?:stand|eat|have|drink|do|take)|don['’]t (?:like|eat|drink)|"
    r"live (?:in|on|with|near)|work (?:at|as|for|nights|from home|part|full)|been (?:an? |living|working|"
    r"vegan|vegetarian))\b",
    re.I,
)
# "Not a morning person", "using Fedora 39": of the writer.
_STATE = re.compile(
    r"^(?:not (?:an? |much of an? |really an? |into |a fan of |keen on |big on )|new to (?!the\b|this\b)|"
    r"using (?=\w+ \d))",
    re.I,
)
_BEFORE = re.compile(
    r"^(?:just |recently |finally )*(?:moved to|joined|adopted|bought (?:a|an|my|our)|graduated|quit|"
    r"passed my|turned \d\d|"
    r"got (?:married|engaged|divorced|promoted|a (?:dog|cat|puppy|kitten|job))|started (?:a |my |"
    r"learning|working|studying|uni|"
    r"[\w-]+ (?:lessons|classes|therapy|training))|broke my|gave birth|retired)\b",
    re.I,
)
_AHEAD = re.compile(
    r"^(?:(?:just|also|now|currently|prob(?:ably)?) )*(?:(?P<ing>flying|heading|going|travell?ing|moving|"
    r"driving|"
    r"visiting|meeting|seeing|starting|having|getting|hosting|running|leaving|staying|taking|sitting|"
    r"defending|"
    r"attending|marrying|off|away|back)|(?P<got>got|have|having|need to|have to))\b",
    re.I,
)
_APPOINTMENT = re.compile(
    r"^(?!(?:book|order|move|cancel|remind|add|schedule|set|find|check|reschedule|change|put|make|send|"
    r"write|the|"
    r"his|her|your|their|any|what|which|is|no|find|plan|tell|call|confirm|draft|prep|need)\b)"
    r"(?P<a>(?:an?|my|our|another) )?(?:(?!(?:is|are|was|got|for)\b)[\w'’-]+ ){0,3}?(?P<what>appointment|"
    r"exams?|interview|test|"
    r"dentist|wedding|"
    r"flight|surgery|operation|check-?up|viva|defen[cs]e|marathon|deadline|scan|mri|physio|therapy|vet|"
    r"doctor['’]?s?|"
    r"gp|optician|viewing|recital|graduation|funeral|christening|hearing|blood test|half marathon|retreat|"
    r"conference|hospital|orthodontist)\b(?! (?:is|are|was|were|got|gets|has|had|went|may|might|could|"
    r"will|moved|needs?)\b)",
    re.I,
)
# "I know a doctor, a nurse and …": what follows is no part of an introduction.
_OF_ME = re.compile(
    r"^(?:hi |hey |hello )?(?:(?:i am|i['’]m|we are|we['’]re)(?! not\b)|i (?:live|work|teach|study|have|"
    r"come|go by)|"
    r"i['’]ve (?:got|been)|my name(?:['’]s| is)|(?:this is )?(?-i:[A-Z])\w+ here$|this is (?-i:[A-Z])\w+$)\b",
    re.I,
)
_DENIED = re.compile(r"\b(?:not|or|no longer|n['’]t|neither|if)\b|n['’]t\b", re.I)


def fragment(text: str) -> str | None:
    """The predicate of "I" that a fragment stands for."""
    text = text.strip()
    for pattern, told in _SHAPES:
        match = pattern.match(text)
        if match:
            full = told.format(x=match["x"])
            return re.sub(r"^am a (?=[aeiou])(?!(?:uni|use|eu|one)\w)", "am an ", full, flags=re.I)
    return None


def apart(text: str) -> tuple[str, list[str]]:
    """A clause about "I" without the fragments at its end, and their predicates.

    A clause that begins with a fragment ("mum of three, florist") is nothing but fragments.
    """
    pieces = re.split(r",\s+(?:and\s+)?", text)
    first = pieces[0].strip()
    told = None if _OF_ME.match(first) else fragment(re.sub(r" here$", "", first, flags=re.I))
    if told is None and not _OF_ME.match(first):
        return text, []
    if _DENIED.search(first):
        return text, []
    kept = pieces[:1]
    found: list[str] = []
    for piece in pieces[1:]:
        predicate = fragment(piece)
        if predicate is None and not found:
            kept.append(piece)
        elif predicate is not None:
            found.append(predicate)
    if told is not None:  # the fragments speak for themselves only where they are all there is
        return ("", [told, *found]) if len(kept) == 1 else (text, [])
    return ", ".join(kept), found


def elliptic(text: str, now: datetime) -> str | None:
    """The predicate of "I" for a sentence that leaves out "I am", "I have" or "I"."""
    if _BARE.match(text):
        return re.sub(r"^(?:also |just )*been\b", "have been", text, flags=re.I)
    if _STATE.match(text):
        return f"am {text}"
    before = find_date(text, now.date(), past=True)
    if _BEFORE.match(text) and before and before.first < now.date():
        return text
    ahead = find_date(text, now.date(), past=False)
    if ahead is None or ahead.last <= now.date():
        return None
    match = _AHEAD.match(text)
    if match:
        return f"am {text}" if match["ing"] else f"have {text}" if match["got"].lower() == "got" else text
    match = _APPOINTMENT.match(text)
    if match is None:
        return None
    named = match["what"].lower() == "vet" and "appointment" not in text
    article = (
        "" if match["a"] or named or match["what"].lower().endswith(("s", "y", "physio", "dentist")) else "a "
    )
    return f"have {'an ' if article and text[0].lower() in 'aeiou' else article}{text}"
