"""English wishes for all later answers, such as "From now on, ..." and "tell couriers to ring, always"."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_en_grammar import in_third_person, others, tidy
from langmem_ext.extraction.rules_text import Draft

_ASKED = (
    r"(?:(?:and|but|also|so|ok|okay|hey|hi|yes|no|just|please|could you|can you|i['’]d like you to|i "
    r"want you to|i would like you to|you should|you can|kindly)[,\s]+)*"
)
# What somebody begins with who wants something done, and no statement.
_DO = (
    r"(?:use|give|show|tell|ask|put|keep|write|add|include|send|leave|ring|text|email|message|call|reply|"
    r"answer|respond|"
    r"explain|speak|talk|start|begin|end|finish|sign|format|cite|list|sort|round|convert|remind|let|have|"
    r"make|skip|"
    r"avoid|stop|drop|omit|assume|check|default|stick|suggest|recommend|translate|spell|round|deliver|"
    r"knock|quote|name|"
    r"go|be|turn|limit|mention|read|summari[sz]e|indent|comment|don['’]t|do not|no)"
)
_ALWAYS = (
    r"(?:from now on(?:wards)?|from here on(?: out)?|always|every (?:single )?time|each time|"
    r"at all times|by default|going forward|"
    r"in (?:the )?future|in (?:all )?(?:your|my) (?:answers|replies|responses|code)|all the time|"
    r"ever(?: again)?|as a rule)"
)
_STATED = (
    r"(?:i|we|it|he|she|they|this|that|there|things|everything|my|our|the|"
    r"nothing)\b(?!['’]d (?:like|prefer)| want| need| prefer| would (?:like|prefer))"
)
_NO_ORDER = (
    r"(?:mind|again|ever|been|had|thought|heard|good|nice|great|fun|late|happy|funny|sad|bad|better|best|"
    r"the|an?|my|your|"
    r"his|her|in|on|at|so|too|knew|loved|hated|said|was|were|is|are|will|would|could|can|have|has|seen|"
    r"felt|know|\w+ed|"
    r"\w+ing|happens|works|worked|makes|made|gets|got|love|like|hate|want|wondered|forget|fails|failed|"
    r"breaks|crashes)\b"
)
_INSTRUCTION = re.compile(
    rf"^{_ASKED}"
    rf"(?P<i>(?:always|never) (?!{_NO_ORDER})\w+.{{3,140}}"
    rf"|(?:from now on(?:wards)?|from here on(?: out)?|in (?:the )?future|"
    rf"going forward)\b,? (?!{_STATED}).{{6,160}}"
    rf"|(?:whenever|every time|each time)\b.{{3,80}}?(?:, (?:please |you |just )?|\b(?:please|"
    rf"you) ){_DO}\b.{{2,100}}"
    r"|when(?:ever)? i (?:ask|say|send|write|paste|share)\b.{6,160}"
    r"|when(?:ever)? you (?:explain|write|rewrite|answer|reply|respond|give|show|suggest|send|recommend|"
    r"translate|"
    r"summari[sz]e|plan|book|list|correct|edit|quote|draft|code|use|talk|speak)\b.{6,160}"
    r"|(?:don['’]t|do not|stop|avoid) (?:ever )?(?:use|using|call|calling|add|adding|include|including|"
    r"send|sending|apologi[sz]e|apologi[sz]ing|explain|explaining|suggest|suggesting|recommend|"
    r"recommending) .{2,80}"
    r"(?:\b(?:anymore|any more|from now on|in (?:your )?(?:answers|replies)|ever|again|to me|for me)\b.*)"
    r"|(?:don['’]t|do not|never) (?:call|text|ring|email|message|phone) (?:me )?(?:after|before|between|"
    r"on|at|during) .{2,60}"
    r"|(?:keep|make|write|give) (?:your|all|the|me) (?:(?:your|future|all|the) )*(?:answers|replies|"
    r"responses|explanations|summaries)\b.{3,100}"
    r"|(?:answer|reply|respond|write|speak|talk|explain)(?: to me| things)? (?:always |only )?(?:in|"
    r"with|using) .{2,60}(?:from now on|in (?:the )?future|always|every time|by default)"
    rf"|{_DO} (?!it\b|that\b|this\b).{{3,120}}?,? {_ALWAYS}(?:,? please)?"
    r"|[\w -]{4,40} only,? from now on"
    rf"|(?!{_STATED})[\w' -]{{4,60}}(?:,? please)?, always(?:,? please)?"
    r"|stop (?:using|adding|saying|writing|apologi[sz]ing|suggesting|recommending) (?!it\b|that\b|this\b|"
    r"the\b)[\w -]{3,40}"
    r"|(?:use|give|write|keep|add|format|cite|include|avoid|round|answer|reply|explain|convert|indent|"
    r"spell) (?!it\b|me a\b)"
    r".{3,80} when(?:ever)? you (?:write|explain|answer|reply|give|show|suggest|list|quote|send|code|"
    r"translate|talk)\b.{0,60}"
    r"|(?:don['’]t|do not|never|stop) (?:send|give|show|suggest|recommend|offer|ask|call|sending|giving|"
    r"showing|suggesting|"
    r"recommending|asking|calling)(?: me)? (?!it\b|that\b|this\b|the\b)[\w -]{3,40}s"
    r"|(?:write|make|keep|do|send|format) (?:all|any|every) (?:future |my |your |of )*(?!this|that|"
    r"these)\w+ .{3,60}"
    r"|(?:please )?(?:call|address) me (?:as )?(?P<name>(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?)"
    r"|(?:just|please) call me (?P<small>(?-i:[a-z]{2,12})))$",
    re.I,
)
_CALLED = re.compile(
    r"^(?:everyone|everybody|(?:my )?(?:friends|family|mates|colleagues)|most people|"
    r"people)(?: just)? calls? me "
    r"(?P<n>(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?)$",
    re.I,
)
_NAME_NOT = re.compile(
    r"^(?:back|later|tomorrow|a|an|at|on|when|if|today|crazy|old|maybe|now|"
    r"asap|please|anytime|again|soon|tonight|next|after|before|first|instead|once|twice|out|stupid|lazy|sir|"
    r"dumb|weird|paranoid|picky|boring|biased|sceptical|skeptical|cynical|up|by|it|that|names|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|ishmael)\b",
    re.I,
)
_WHEN_YOU = re.compile(r"\b(?P<w>when(?:ever)?) you (?P<v>\w+)", re.I)
_LANGUAGE = re.compile(
    r"\b(?:answers?|repl(?:y|ies)|respon[ds]\w*|speak|write|talk)\b.*\bin (?:english|"
    r"chinese|french|german|spanish|italian|japanese|dutch|portuguese|korean|mandarin)\b",
    re.I,
)
_LENGTH = re.compile(
    r"\b(?:brief|briefly|short|shorter|concise|concisely|succinct|detailed|in detail|long|longer)\b", re.I
)
_BEGINS = re.compile(
    r"^(?:please )?(?:from now on|from here on|in (?:the )?future|going forward|whenever|when (?:i|you)|"
    r"every time|each time)\b|"
    rf"^(?:please )?{_DO}\b.*,? {_ALWAYS}\b|^[\w' -]{{4,60}}(?:,? please)?, always(?:,? please)?\W*$|"
    r"^(?:write|make|keep|do|send|format) (?:all|any|every) (?:my |your )?future\b",
    re.I,
)
_REASON = re.compile(
    r",? (?:because|since|as) (?:i|it|they|the|my)\b.*$|, (?=(?:i['’]m|i am|i['’]ve|my|the|it|"
    r"they)\b).*$",
    re.I,
)


def instruction(text: str) -> Draft | None:
    """A wish for all later answers. It tells how to act, so it is procedural, though one user's own."""
    called = _CALLED.match(text)
    if called:
        return Draft(
            content=f"The user is called {called['n']} by others.", key="name.preferred", importance=0.8
        )
    match = _INSTRUCTION.match(text)
    if match is None:
        return None
    name = match["name"] or match["small"]
    if name:
        return (
            None
            if _NAME_NOT.match(name)
            else Draft(content=f"The user wants to be called {name}.", key="name.preferred", importance=0.8)
        )
    wish = tidy(match["i"])
    key = (
        "response.language" if _LANGUAGE.search(wish) else "response.length" if _LENGTH.search(wish) else None
    )
    told = re.sub(r"\byour\b", "its", others(wish), flags=re.I)
    told = _WHEN_YOU.sub(lambda when: f"{when['w']} it {in_third_person(when['v'])}", told)
    told = told[0].lower() + told[1:]
    return Draft(
        content=f"The user asks the assistant: {told}.", memory_type="procedural", key=key, importance=0.7
    )


def standing_instruction(sentence: str) -> tuple[Draft, str] | None:
    """Such as "From now on, please …", "When I ask for code, give me …": one wish, comma and all.

    Returns:
        The wish, and the part of the sentence that states it: a reason behind it is a statement of its own.
    """
    if not _BEGINS.match(re.sub(rf"^{_ASKED}", "", sentence, flags=re.I)):
        return None
    told = _REASON.sub("", sentence)
    if len(told) < len(sentence) and re.match(r"^(?:please )?(?:when|whenever) i\b[^,]*$", told, re.I):
        told = sentence  # "When I …, the answer should …": the wish itself is behind the comma
    wish = instruction(tidy(told))
    return (wish, told) if wish else None
