"""Where a sentence ends, and whether it asks: the same for the gate, the rules and the evidence."""

from __future__ import annotations

import re

from langmem_ext.text import HAN

_ENDS = ".!?\n。！？；;…~～"
# Inside a sentence: the dots of "3.12" and "St. Gallen", the tilde of "~5 km".
_TITLE = r"(?:(?<=\bSt)|(?<=\bMt)|(?<=\bDr)|(?<=\bMr)|(?<=\bMs)|(?<=\bMrs))\.(?= [A-Z][a-z])"
_SENTENCE = re.compile(
    rf"(?:[^{_ENDS}]|\.(?=[^\s\"'”){HAN}])|{_TITLE}|[~～](?=[A-Za-z0-9/]))+[.!?。！？；;…~～\"'”)]*"
)

_ASKING_EN = re.compile(
    r"^(?:(?:and|but|so|ok|okay|hey|hi|well|please|also)[,\s]+)*"
    r"(?:what|where|when(?! (?:i|you|we|my|the)\b)|who|whom|whose|why|which|how|is|are|was|were|do|does|"
    r"did|has|have you|can(?!['’]t)|could|"
    r"should(?! (?:be|have been)\b)|would|will|shall|may|any|am i|isn['’]t|don['’]t you)\b",
    re.I,
)
_ASKING_ZH = r"(?<!没)什么|(?<!不)怎么|哪[里儿些个]|多少|为什么|谁|能不能|可不可以|有没有|是不是"
_SURELY_ZH = re.compile(
    rf"(?:吗|呢|什么|怎么样?|哪[里儿些个]|多少|为什么|几点)$|^(?:{_ASKING_ZH}|哪|几点|请问)"
)
_PERHAPS_ZH = re.compile(rf"(?:吗|呢|么|嘛|没有|不是)$|{_ASKING_ZH}|要不要")

# 房贷在长沙呢 asks nothing.
_STATED_ZH = re.compile(r"(?:在|还|才|正)(?:(?!什么|怎么|哪|谁|几)[^，,]){1,14}呢$")


def sentences_of(text: str) -> list[str]:
    """The sentences of a text with their closing marks, each a substring of it."""
    return [sentence for match in _SENTENCE.finditer(text) if (sentence := match[0].strip())]


def is_question(sentence: str, *, chinese: bool) -> bool:
    """Whether a sentence or clause may ask. For the rules: what asks states nothing."""
    bare = sentence.strip().rstrip("\"'”) ")
    if bare.endswith(("?", "？")):
        return True
    if chinese and _STATED_ZH.search(bare.rstrip("~～。！!")):
        return False
    return bool((_PERHAPS_ZH if chinese else _ASKING_EN).search(bare))


def is_surely_question(sentence: str, *, chinese: bool) -> bool:
    """Whether a sentence asks beyond doubt. For the gate, to which doubt means a statement.

    "医生说没有" and "不管什么人都能进" may ask; only the rules pass them over.
    """
    bare = sentence.strip().rstrip("\"'”) 。！!")
    if bare.endswith(("?", "？")):
        return True
    if chinese and _STATED_ZH.search(bare):
        return False
    return bool((_SURELY_ZH if chinese else _ASKING_EN).search(bare))


def opens_a_question(sentence: str, *, chinese: bool) -> bool:
    """Whether the words of a sentence ask, not its mark alone: "Coriander?" only names it."""
    bare = sentence.strip().rstrip("\"'”) 。！!?？")
    if chinese and _STATED_ZH.search(bare):
        return False
    if chinese:
        marked = sentence.rstrip("\"'”) ").endswith(("?", "？"))
        return bool((_PERHAPS_ZH if marked else _SURELY_ZH).search(bare))
    return bool(_ASKING_EN.search(bare))
