"""English sentences about time: habits, plans, events, tickets."""

from __future__ import annotations

import re
from datetime import datetime, timedelta

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
    r"marrying|signing|defending|due|off to|away|back (?:on|in|from|at)|off (?:on|from|in)|retiring|"
    r"returning|interviewing|training|preparing|studying|revising)\b"
    r"|(?:will|['’]ll) (?:be )?(?:visit|move|fly|start|marry|attend|host|run|present|travel|graduate|"
    r"turn|celebrate|launch|retire|visiting|moving|flying|starting|travelling|attending|in|on|"
    r"away)\b"
    r"|(?:start|begin|move|fly|leave|turn|graduate|marry|retire|travel|head|return)s?\b|plans? to\b|"
    r"(?:have|has|needs?) to (?:hand in|submit|finish|renew|pay|file|defend|sit|move out|present|be in)\b|"
    r"intends? to\b"
    r"|(?:have|has|['’]ve got|have got) (?:a|an|my|the|our|another|tickets|surgery|exams?)? ?"
    r".{0,50}?(?:appointment|exam|exams|interview|meeting|flight|wedding|"
    r"marathon|deadline|concert|presentation|surgery|operation|test|race|party|class|trip|reservation|"
    r"viewing|tickets?|check-?up|recital|conference|talk|match|game|date|visit|dentist|viva|defen[cs]e|"
    r"scan|mri|"
    r"physio|therapy|vet|doctor['’]?s?|gp|optician|graduation|funeral|christening|hearing|retreat|hospital|"
    r"orthodontist)\b)",
    re.I,
)
_TODAY = re.compile(r"(?:later )?today|tonight|this (?:morning|afternoon|evening)", re.I)
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
# Nothing to know a week later.
_SMALL_EVENT = re.compile(
    rf"^{ADVERBS}(?:saw|watched|ate|ordered|met|won|lost|changed|returned|cancelled|canceled|received|"
    rf"turned|stopped|"
    r"left (?:home|work|the|my)|had (?:a (?:coffee|drink|beer|nap|chat|call|meeting|look|long|bad|good|"
    r"great|rough)|pizza|lunch|"
    r"dinner|breakfast|coffee)|took (?:a|the|my) (?:bus|train|nap|walk|taxi|cab|tram|day)|"
    r"went (?:to bed|shopping|home|out|back|for|to the (?:shops?|gym|store|office|cinema|movies|pub|park|"
    r"beach|dentist|doctor)))\b",
    re.I,
)
_BIG_EVENT = re.compile(
    r"\b(?:adopted|graduated|married|engaged|divorced|promoted|fired|laid off|gave birth|retired|had "
    r"(?:a )?(?:baby|surgery)|(?:bought|sold) (?:a|an|my|our) (?:\w+ )?(?:house|flat|apartment|car|"
    r"bike|boat|van)|"
    r"got (?:a|an|two|our|another) (?:new |second |rescue )?(?:dog|cat|puppy|kitten|horse|rabbit|"
    r"parrot)s?|broke my|quit my job|left my job|published (?:a|my)|won (?:a|the|first)|passed my|"
    r"finished my "
    r"(?:phd|degree|thesis|masters?))\b",
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
    if _NO_HABIT.search(predicate) or re.match(
        rf"{ADVERBS}\w+ (?:it|this|that|them|these|"
        rf"those)\b",
        predicate,
        re.I,
    ):
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
    if phrase is None or phrase.last < now.date() or _TODAY.fullmatch(phrase.text):
        return None
    told = predicate if subject != "The user" else in_third_person(predicate)
    content = annotate(f"{subject} {told}.", phrase, chinese=False)
    return Draft(content=content, memory_type="episodic", importance=0.6)


def dated_thing(text: str, now: datetime) -> Draft | None:
    """Such as "My wedding is on 12 June": `text` follows "my"."""
    match = re.match(
        r"^(?P<s>[\w'’ -]{3,50}?)(?:(?:['’]s| is| are)(?: scheduled| set| planned| booked)?(?: for)?|"
        r" (?:runs? out|renews?|expires?|ends?|starts?|begins?|closes?|opens?|finish(?:es)?|falls?|"
        r"leaves?|lands?)) "
        r"(?P<rest>.{3,60})$",
        text,
        re.I,
    )
    if match is None or re.search(r"\b(?:birthday|favou?rite|question|name)\b", match["s"], re.I):
        return None
    phrase = find_date(match["rest"], now.date(), past=False)
    if (
        phrase is None
        or phrase.last < now.date()
        or _TODAY.search(phrase.text)
        or len(match["rest"]) > len(phrase.text) + 20
    ):
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
    recent = phrase is not None and phrase.first >= now.date() - timedelta(days=4)
    if recent and _SMALL_EVENT.match(predicate) and not _BIG_EVENT.search(predicate):
        return None
    if phrase is not None and len(predicate.replace(phrase.text, "").split()) < 2:
        return None  # "I quit last year": nobody will know what
    told = predicate if subject != "The user" else in_third_person(predicate)
    return Draft(
        content=annotate(f"{subject} {told}.", phrase, chinese=False),
        memory_type="episodic",
        valid_from=phrase.starts(now.tzinfo) if phrase else None,
    )


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
