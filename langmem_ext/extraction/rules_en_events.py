"""English sentences about time and procedure: habits, plans, events, wishes for later answers, tickets."""

from __future__ import annotations

import re
from datetime import datetime

from langmem_ext.extraction.rules_dates import annotate, find_date
from langmem_ext.extraction.rules_en_grammar import ADVERBS, in_third_person, others, tidy
from langmem_ext.extraction.rules_text import Draft

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_OFTEN = (
    r"(?:every (?:single |other |second )?(?:day|morning|evening|night|week|weekend|month|year|summer|"
    rf"winter|spring|autumn|{_DAYS})"
    r"|on (?:weekdays|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days(?: and \w+days)?)|(?:at|"
    r"on) (?:the )?weekends?|most (?:days|mornings|evenings|weekends)"
    r"|(?:once|twice|three times|four times|\d times) (?:a|per) (?:day|week|month|year)|each (?:day|"
    rf"morning|evening|night|week|{_DAYS})"
    rf"|daily|before (?:work|breakfast|bed)|after (?:work|lunch|dinner) )"
)
_HABIT_FIRST = re.compile(rf"^(?P<often>{_OFTEN}),? (?:i|we) (?P<p>.{{3,160}})$", re.I)
_HABIT_LAST = re.compile(rf"\b{_OFTEN}\b", re.I)
_HABIT_ADVERB = re.compile(
    r"^(?:usually|always|normally|typically|generally|tend to|often|never|"
    r"rarely)\s+(?P<verb>\w+)",
    re.I,
)
_NO_HABIT = re.compile(
    rf"^{ADVERBS}(?:can|could|would|should|might|may|must|will|need|needed|think|thought|guess|hope|"
    r"wonder|know|knew|feel|felt|"
    r"mean|want|wanted|wish|was|were|am|had|did|do not know|have|has|forget|see|get (?:that|this|it)|"
    r"believe|understand|agree|remember|"
    r"said|told|asked|ask|say|tell|find|found|lose|missed|looked|tried|try|liked|loved|"
    r"hate(?:d)?)\b(?! to (?:be|work|wake|take))",
    re.I,
)
_PLAN = re.compile(
    rf"^{ADVERBS}(?:(?:am|are|is) (?:going|planning|flying|travell?ing|moving|starting|getting|having|"
    r"meeting|visiting|running|taking|"
    r"leaving|attending|hosting|defending|seeing|presenting|giving|sitting|launching|returning|driving|"
    r"hiking|joining|expecting|throwing|speaking|graduating|getting|doing|organi[sz]ing|performing|"
    r"playing|celebrating|opening|closing|changing|switching|teaching|cooking|heading|staying|"
    r"marrying|signing)\b"
    r"|(?:will|['’]ll) (?:be )?(?:visit|move|fly|start|marry|attend|host|run|present|travel|graduate|"
    r"turn|celebrate|launch|retire|visiting|moving|flying|starting|travelling|attending|in|on|"
    r"away)\b"
    r"|(?:start|begin|move|fly|leave|turn|graduate|marry)s?\b|plans? to\b|intends? to\b"
    r"|(?:have|has|['’]ve got|have got) (?:a|an|my|the|our|another|tickets|surgery|exams?) "
    r"?.{0,50}?(?:appointment|exam|exams|interview|meeting|flight|wedding|"
    r"marathon|deadline|concert|presentation|surgery|operation|test|race|party|class|trip|reservation|"
    r"viewing|tickets?|check-?up|recital|conference|talk|match|game|date|visit)\b)",
    re.I,
)
_SMALL_PLAN = re.compile(
    r"\b(?:be (?:right )?back|let you know|get back to you|talk (?:to you "
    r")?(?:later|tomorrow)|ask (?:you )?again|try (?:it|that|again)|see you|test (?:it|that|this)|"
    r"check (?:it|that))\b",
    re.I,
)
_EVENT = re.compile(
    rf"^{ADVERBS}(?:(?:have|has|['’]ve) )?{ADVERBS}(?:adopted|bought|sold|started|finished|graduated|"
    r"passed|failed|ran|won|lost|broke|quit|left|joined|moved|"
    r"visited|went|met|married|attended|signed|published|launched|completed|climbed|travelled|traveled|"
    r"flew|hiked|gave birth|retired|"
    r"had (?:a|an|my|our|surgery|dinner|lunch|the)|got (?:a|an|my|our|married|engaged|divorced|"
    r"promoted|fired|laid off|accepted|vaccinated|robbed|the|into)|became|opened|built|"
    r"wrote|submitted|presented|received|performed|ordered|returned|cancelled|canceled|switched|"
    r"changed|renewed|took (?:up|a|my|part)|learned|learnt|celebrated|injured|sprained|planted|"
    r"volunteered|took|saw|hosted|booked|turned|stopped|gave up|was (?:promoted|hired|fired|laid "
    r"off|diagnosed|accepted|hospitali[sz]ed)|been (?:promoted|hired|fired|laid off|accepted))\b",
    re.I,
)
_BIG_EVENT = re.compile(
    r"\b(?:adopted|graduated|married|engaged|divorced|promoted|fired|laid off|gave birth|retired|had "
    r"(?:a )?(?:baby|surgery)|(?:bought|sold) (?:a|an|my|our) (?:\w+ )?(?:house|flat|apartment|car|"
    r"bike|boat|van)|"
    r"broke my|quit my job|left my job|published (?:a|my)|won (?:a|the|first)|passed my|finished my "
    r"(?:phd|degree|thesis|masters?))\b",
    re.I,
)
_INSTRUCTION = re.compile(
    r"^(?:(?:and|but|also|so|ok|okay|hey|hi|yes|no|just|please|could you|can you|i['’]d like you to|i "
    r"want you to|i would like you to|you should|you can|kindly)[,\s]+)*"
    r"(?P<i>(?:always|never) (?!(?:mind|again|ever|been|had|thought|heard)\b)\w+.{3,140}"
    r"|(?:from now on|in (?:the )?future|going forward|whenever|every time|each time)\b,? .{6,160}"
    r"|when(?:ever)? i (?:ask|say|send|write|paste|share)\b.{6,160}"
    r"|(?:don['’]t|do not|stop|avoid) (?:ever )?(?:use|using|call|calling|add|adding|include|including|"
    r"send|sending|apologi[sz]e|apologi[sz]ing|explain|explaining|suggest|suggesting|recommend|"
    r"recommending) .{2,80}"
    r"(?:\b(?:anymore|any more|from now on|in (?:your )?(?:answers|replies)|ever|again|to me|for me)\b.*)"
    r"|(?:keep|make|write|give) (?:your|all|the|me) (?:(?:your|future|all|the) )*(?:answers|replies|"
    r"responses|explanations|summaries)\b.{3,100}"
    r"|(?:answer|reply|respond|write|speak|talk|explain)(?: to me| things)? (?:always |only )?(?:in|"
    r"with|using) .{2,60}(?:from now on|in (?:the )?future|always|every time|by default)"
    r"|(?:please )?(?:call|address) me (?:as )?(?P<name>(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?))$",
    re.I,
)
_NAME_NOT = re.compile(
    r"^(?:back|later|tomorrow|a|an|at|on|when|if|today|crazy|old|maybe|now|"
    r"asap|please|anytime|again|soon|tonight|next|after|before|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|ishmael)\b",
    re.I,
)
_TICKET = re.compile(
    r"^(?:re: ?)?(?:the |my |our |a )?(?P<s>(?:order|ticket|case|invoice|refund|shipment|parcel|"
    r"package|delivery|subscription|booking|reservation|account)s?"
    r"(?: ?(?:#|no\.?|number|id)? ?[A-Z]{0,4}-?\d[\w-]*| (?:from|for|with) .{2,40}?)?)(?:,|:| "
    r")\s*(?P<rest>(?:[\w'’]+ ){0,3}?(?:returned|refunded|cancell?ed|arrived|delayed|damaged|"
    r"missing|lost|"
    r"(?:not|never|n['’]t) (?:working|delivered|arrive|arrived|come)|broken|late|wrong|rejected|"
    r"charged twice|double[- ]charged|failed|locked|expired|delivered|reopened|closed|resolved|"
    r"escalated)\b.{0,160})$",
    re.I,
)
_BROKEN = re.compile(
    r"^(?:my|our|the|this) (?P<s>[\w-]+(?: [\w-]+){0,3}?) (?P<rest>(?:keeps? (?:crashing|freezing|"
    r"failing|disconnecting|rebooting|restarting|overheating|dropping|beeping|leaking)|(?:has "
    r")?stopped working|(?:is|are|arrived) (?:broken|damaged|leaking|defective|cracked)|"
    r"(?:doesn['’]t|does not|won['’]t|will not) (?:work|start|turn on|charge|open|load|connect|print|"
    r"boot|sync)|crashe[sd]|overheats|leaks|died)\b.{0,140})$",
    re.I,
)


def habit(predicate: str, subject: str) -> Draft | None:
    """Such as "I eat sushi every Friday", "I usually get up at six"."""
    if _NO_HABIT.search(predicate):
        return None
    adverb = _HABIT_ADVERB.match(predicate)
    if not _HABIT_LAST.search(predicate) and (adverb is None or adverb["verb"].lower().endswith("ed")):
        return None
    told = predicate if subject != "The user" else in_third_person(predicate)
    return Draft(content=f"{subject} {told}.")


def habit_first(text: str) -> Draft | None:
    """Such as "Every Friday I eat sushi"."""
    match = _HABIT_FIRST.match(text)
    if match is None or _NO_HABIT.search(match["p"]):
        return None
    often = match["often"][0].lower() + match["often"][1:].strip()
    return Draft(content=f"The user {in_third_person(tidy(match['p']))} {others(often)}.")


def plan(predicate: str, subject: str, now: datetime) -> Draft | None:
    """What is ahead, with its date; it stays worth knowing after it."""
    if not _PLAN.search(predicate) or _SMALL_PLAN.search(predicate):
        return None
    phrase = find_date(predicate, now.date(), past=False)
    if phrase is None or phrase.last < now.date():
        return None
    told = predicate if subject != "The user" else in_third_person(predicate)
    content = annotate(f"{subject} {told}.", phrase, chinese=False)
    return Draft(content=content, memory_type="episodic", importance=0.6)


def dated_thing(text: str, now: datetime) -> Draft | None:
    """Such as "My wedding is on 12 June": `text` follows "my"."""
    match = re.match(
        r"^(?P<s>[\w'’ -]{3,50}?)(?:['’]s| is| are)(?: scheduled| set| planned)?(?: for)? "
        r"(?P<rest>.{3,60})$",
        text,
        re.I,
    )
    if match is None or re.search(r"\b(?:birthday|favou?rite|question|name)\b", match["s"], re.I):
        return None
    phrase = find_date(match["rest"], now.date(), past=False)
    if phrase is None or phrase.last < now.date() or len(match["rest"]) > len(phrase.text) + 20:
        return None
    content = annotate(f"The user's {tidy(others(text))}.", phrase, chinese=False)
    return Draft(content=content, memory_type="episodic", importance=0.6)


def event(predicate: str, subject: str, now: datetime) -> Draft | None:
    """What happened, where it is dated or matters by itself."""
    if not _EVENT.search(predicate):
        return None
    phrase = find_date(predicate, now.date(), past=True)
    if phrase is not None and phrase.first >= now.date():
        phrase = None  # what happened today must matter by itself
    if phrase is None and not _BIG_EVENT.search(predicate):
        return None
    if phrase is not None and len(predicate.replace(phrase.text, "").split()) < 2:
        return None  # "I quit last year": nobody will know what
    told = predicate if subject != "The user" else in_third_person(predicate)
    return Draft(
        content=annotate(f"{subject} {told}.", phrase, chinese=False),
        memory_type="episodic",
        valid_from=phrase.starts(now.tzinfo) if phrase else None,
    )


def instruction(text: str) -> Draft | None:
    """A wish for all later answers. It tells how to act, so it is procedural, though one user's own."""
    match = _INSTRUCTION.match(text)
    if match is None:
        return None
    name = match["name"]
    if name:
        return (
            None
            if _NAME_NOT.match(name)
            else Draft(content=f"The user wants to be called {name}.", key="name.preferred", importance=0.8)
        )
    wish = tidy(match["i"])
    key = None
    if re.search(
        r"\b(?:answers?|repl(?:y|ies)|respon[ds]\w*|speak|write|talk)\b.*\bin (?:english|"
        r"chinese|french|german|spanish|italian|japanese|dutch|portuguese|korean|mandarin)\b",
        wish,
        re.I,
    ):
        key = "response.language"
    elif re.search(
        r"\b(?:brief|briefly|short|shorter|concise|concisely|succinct|detailed|in detail|"
        r"long|longer)\b",
        wish,
        re.I,
    ):
        key = "response.length"
    told = re.sub(r"\byour\b", "its", others(wish), flags=re.I)
    told = told[0].lower() + told[1:]
    return Draft(
        content=f"The user asks the assistant: {told}.", memory_type="procedural", key=key, importance=0.7
    )


def standing_instruction(sentence: str) -> Draft | None:
    """Such as "From now on, please …", "When I ask for code, give me …": one wish, comma and all."""
    if re.match(
        r"^(?:from now on|in (?:the )?future|going forward|whenever|when i|every time|each "
        r"time)\b",
        sentence,
        re.I,
    ):
        return instruction(sentence)
    return None


def ticket(text: str, now: datetime) -> Draft | None:
    """A support case: what it is about and what happened."""
    match = _TICKET.match(text) or _BROKEN.match(text)
    if match is None:
        return None
    subject, rest = match["s"], tidy(others(match["rest"]))
    phrase = find_date(rest, now.date(), past=True)
    if match.re is _TICKET:
        content = f"{subject[0].upper()}{subject[1:]}{',' if text[match.end('s')] in ',:' else ''} {rest}."
    else:
        content = f"The user reported that their {subject} {rest}."
    return Draft(content=annotate(content, phrase, chinese=False), memory_type="episodic")
