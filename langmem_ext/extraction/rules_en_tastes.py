"""English sentences that tell a taste, with the thing for their subject: "jazz isn't my thing"."""

from __future__ import annotations

import re

_WHAT = (
    r"(?!(?:it|this|that|these|those|which|there|what|who|he|she|they|you|everything|something|"
    r"nothing)\b)"
)
_NOT_MINE = re.compile(
    rf"^(?P<x>{_WHAT}[^,?]{{2,50}}) (?P<v>is|are)(?:n['’]t| not) (?:(?:really|exactly|quite) )?"
    r"(?:my (?P<t>thing|cup of tea|style|jam|scene|idea of fun)|for me)$",
    re.I,
)
_MINE = re.compile(
    rf"^(?P<x>{_WHAT}[^,?]{{2,50}}) (?P<v>is|are) my (?P<t>comfort food|jam|guilty pleasure|happy place|"
    rf"weakness|"
    r"go-?to(?: [\w-]+)?|pet peeve|usual|kryptonite|therapy|passion)$",
    re.I,
)
_OVER = re.compile(
    rf"^(?:give me )?(?P<x>{_WHAT}[\w' -]{{2,40}}) over (?P<y>[\w' -]{{2,40}}) (?:any ?day|"
    rf"every time|always)$",
    re.I,
)
_GIVES = re.compile(
    rf"^(?P<x>{_WHAT}(?!i\b|we\b|my\b)[^,?]{{2,50}}) (?P<v>(?:gives?|makes?|triggers?|sets?|"
    rf"brings?) )(?:me|my) (?P<r>(?:really |so |very |off )*"
    r"(?:migraines?|headaches?|hives|heartburn|a rash|rashes|nightmares|a headache|a migraine|sick|ill|"
    r"sleepy|sneeze|bloated|itchy|"
    r"nauseous|dizzy|drowsy|anxious|anxiety|jittery|asthma|allergies|eczema|reflux))$",
    re.I,
)


def taste(text: str) -> str | None:
    """The memory for "X isn't my thing", "X is my comfort food", "X over Y any day"."""
    match = _NOT_MINE.match(text)
    if match:
        told = f"the user's {match['t']}" if match["t"] else "for the user"
        return f"{_sentence(match['x'])} {match['v']} not {told}."
    match = _MINE.match(text)
    if match:
        return f"{_sentence(match['x'])} {match['v']} the user's {match['t']}."
    match = _GIVES.match(text)
    if match:
        return f"{_sentence(match['x'])} {match['v'].lower()}the user {match['r']}."
    match = _OVER.match(text)
    return f"The user prefers {match['x']} over {match['y']}." if match else None


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]
