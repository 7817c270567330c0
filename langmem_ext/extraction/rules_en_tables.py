"""English sentences that state lasting facts: what a predicate looks like, and the attribute it sets."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_en_grammar import ADVERBS
from langmem_ext.extraction.rules_en_words import (
    CONDITIONS,
    DAY,
    DIETS,
    NO_PLACE,
    NO_TITLE,
    OCCUPATION,
    PETS,
    STATES,
)
from langmem_ext.extraction.rules_text import Rule
from langmem_ext.text import HAN

_DET = r"(?:a|an|the|twin|two|three|four|five|six|several|\d+|my own|our own)"
_BE = r"(?:am|is|are|was diagnosed as)"
_HAVE = r"(?:(?:have|has|['’]ve)\s+)?(?:just |recently |finally |already )*"
_STOP = (
    r"(?!the \w+ (?:ones?|paragraph|version|draft|option|part|line|section|sentence|slide|page|design)\b|"
    r"(?:option|version|number|plan|draft|design) \w{1,2}\b|"
    r"it\b|that\b|this\b|these\b|those\b|them\b|you\b|your\b|him\b|her\b|what\b|how\b|one\b|the "
    r"(?:first|second|third|last|other|new|idea|way|sound|look)\b|to (?:know|see|hear|ask|thank|say|"
    r"get)\b)"
)
_THING = r"(?:[^?]{2,160})"
_UPPER = rf"(?-i:[A-ZÀ-ÖØ-ÞĀĆČĎĐĘĚĞĪİŁŃŇŌŐŒŘŚŞŠŢŤŪŮŰŹŻŽ{HAN}])"
_NAME = rf"(?:{_UPPER}[\w'’.-]*(?: {_UPPER}[\w'’.-]*){{0,3}})"
# "my name is oskar", but not "my name is important" or "… misspelled".
_SMALL_NAME = (
    r"(?:(?!(?:not|on|in|important|common|hard|long|short|wrong|mud|missing|unknown|irrelevant|secret|"
    r"private|"
    r"nobody|unusual|rare|weird|funny|ugly|nice|fine|ok|okay|there|here|gone|different|same|new|old|easy|"
    r"cool|"
    r"taken|correct|right|\w+(?:ed|ing|ly|ful|able|ible|ous|less))\b)(?-i:[a-z])[a-z]{1,14})"
)
_CAPITAL = r"(?:(?-i:[A-Z])[^,?]{1,60})"
_PART = (
    r"(?:(?:the )?(?:(?:north|south|east|west|cent)\w*|suburbs|outskirts|downtown|greater|rural) (?:of )?)?"
)
CITY = rf"{_PART}(?:the )?(?!{NO_PLACE}){_UPPER}[^,?]{{1,60}}(?:, (?:{_UPPER}|not )[\w ]{{1,30}})?"
_HOME = (
    r"(?:(?:a|an|the|my|our) (?:[\w-]+ ){0,4}?(?:flat|apartment|house|village|town|city|suburbs?|cottage|"
    r"cabin|studio|farm|dorm|countryside|mountains|neighbou?rhood|district|boat|van|caravan|bungalow|"
    r"loft)\b[^?]{0,60})"
)
_LIVES = (
    rf"(?:lives?|(?:{_BE}|have been|has been) (?:{ADVERBS})(?:living|based)|resides?|{_BE} a resident) "
    r"(?:in|of)"
)
# "I work at night", "I work for free" name no employer.
_EMPLOYER = (
    r"(?!(?:nights?|home|weekends?|dawn|noon|times|least|the (?:moment|weekends?|same|time)|it|this|that|"
    r"them|him|her|you|me|myself|ourselves|free|fun|a living|money|peanuts|food|love|hours?|full|half|all|"
    r"what|whoever|my (?:best|cat|dog|kids?|toddler|baby)|peace|\d+|an? (?:hour|while|bit|day|week|month|"
    r"year|good cause))\b)" + _THING
)
# "Married to the idea" is no marriage.
_SPOUSE = (
    r"(?:(?-i:[A-Z])[\w'’-]+(?: (?-i:[A-Z])[\w'’-]+)?|(?:my|an?) (?:[\w-]+ ){0,3}?(?:man|woman|guy|girl|lady|"
    r"girlfriend|boyfriend|partner|sweetheart|best friend|colleague|widower|widow|"
    rf"(?-i:[A-Z])\w+|{OCCUPATION})(?: .{{2,40}})?)"
)


def _rule(pattern: str, key: str | None = None, importance: float = 0.5, state: str = "") -> Rule:
    return Rule(re.compile(rf"^{ADVERBS}(?:{pattern})$", re.I), key, importance, state)


# Predicates of "I", "we" and "my sister …". The key counts for the user only.
FACTS: tuple[Rule, ...] = (
    _rule(rf"{_BE} called {_NAME}", "name", importance=0.9),
    _rule(rf"goe?s? by {_NAME}(?: at work| online)?", "name", importance=0.9),
    _rule(r"goe?s? by (?:they/them|she/her|he/him)", "pronouns", importance=0.8),
    _rule(r"wears? (?:size|glasses|contact lenses|a hearing aid|hearing aids)\b.{0,30}"),
    _rule(rf"{_LIVES} {CITY}", "residence.city", importance=0.8),
    # A home that is no city, or a name in small letters, which may be a mood: true, but no attribute.
    _rule(rf"{_LIVES} (?:{_HOME}|(?!{NO_PLACE})(?-i:[a-z])\w{{2,20}})", importance=0.6),
    _rule(
        rf"{_HAVE}(?:moved|relocated)(?: back| over| out| house)? (?:from [\w ]{{2,30}} )?to {CITY}",
        "residence.city",
        importance=0.8,
        state=" and lives there now",
    ),
    _rule(rf"works? (?:at|for) {_EMPLOYER}", "employment.employer", importance=0.7),
    _rule(
        rf"{_HAVE}(?:(?:started|joined|start) at|(?:(?:started|joined|start)(?: working| work| a (?:new )?"
        rf"job)|(?:got|took|found) a (?:new )?job) (?:at|with|for)) {_CAPITAL}",
        "employment.employer",
        importance=0.7,
    ),
    _rule(rf"{_HAVE}joined {_CAPITAL}", "employment.employer", importance=0.7),
    _rule(
        rf"(?:works?|{_BE} working|{_BE} employed|{_HAVE}(?:started|got) (?:a|my) (?:new )?job) as (?:a|"
        rf"an|the) {_THING}",
        "employment.title",
        importance=0.7,
    ),
    _rule(rf"{_BE} an? {NO_TITLE} {OCCUPATION}\b.{{0,80}}"),
    _rule(
        rf"{_BE} (?:a|an|the) (?:{OCCUPATION}(?: (?:at|for|in|by|from|with|specialising|specializing|"
        rf"who|on) .{{2,80}})?)",
        "employment.title",
        importance=0.7,
    ),
    _rule(
        rf"(?:{_HAVE}(?:got |been |was )?promoted to .{{2,80}}|was hired as an? .{{2,80}}|"
        rf"became (?:a|an|the) (?!{NO_TITLE}){OCCUPATION}\b.{{0,80}})",
        "employment.title",
        importance=0.7,
    ),
    _rule(r"became a (?:father|mother|dad|mum|mom|parent|grand\w+|citizen|member)\b.{0,60}"),
    _rule(
        r"works? (?:in|on (?!it|this|that)|at (?:night|home|weekends)|for myself|from home|remotely|"
        r"part[- ]time|full[- ]time|nights?|"
        r"night shifts)\b.{0,80}"
    ),
    _rule(
        rf"(?:stud(?:y|ies)|{_BE} (?:studying|majoring in)|majors? in) (?!for\b){_THING}",
        "education.subject",
        importance=0.6,
    ),
    _rule(rf"(?:{_BE} (?:originally )?|comes? (?:originally )?)from {CITY}", "origin", importance=0.6),
    _rule(r"(?:was|were) born (?:and raised )?in (?:the )?(?-i:[A-Z\d]).{1,59}", "birth", importance=0.7),
    _rule(rf"(?:was|were) born on {DAY}(?:.{{2,40}})", "birthday", importance=0.8),
    _rule(rf"grew up (?:in|on|with|speaking) {_THING}"),
    _rule(rf"{_BE} (?:\d{{1,2}}|1[01]\d)(?: years? old)?", "age", importance=0.6),
    _rule(
        rf"{_BE} (?:happily )?(?:(?:married|engaged)(?: to {_SPOUSE})?|single|divorced|widowed|separated)"
        r"(?: (?:for|since) .{2,30})?",
        "relationship.status",
        importance=0.7,
    ),
    _rule(rf"{_BE} (?:\w+ly |very |highly )?(?:allergic|intolerant|sensitive) to {_THING}", importance=0.95),
    _rule(
        r"(?:have|has|['’]ve got|have got) (?:a|an) (?:\w+ ){0,3}(?:allergy|intolerance)\b.{0,60}",
        importance=0.95,
    ),
    _rule(
        rf"(?:have|has|suffers? from|was diagnosed with|{_HAVE}been diagnosed with) (?:\w+ "
        rf")?{CONDITIONS}.{{0,60}}",
        importance=0.9,
    ),
    _rule(
        rf"(?:{_BE}|have been|has been) (?:a )?(?:strict |mostly |lifelong )?{DIETS}.{{0,40}}",
        "diet",
        importance=0.8,
    ),
    _rule(
        rf"{_HAVE}(?:gone|went|became|become|turned) (?:a )?(?:mostly )?{DIETS}.{{0,60}}",
        "diet",
        importance=0.8,
    ),
    _rule(
        r"(?:eats?|follows?|keeps?|am on|is on) (?:a |an )?(?:strict )?(?:halal|kosher|keto|gluten[- "
        r"]free|low[- ]carb|vegan|vegetarian|paleo|plant[- ]based)\b.{0,40}",
        "diet",
        importance=0.8,
    ),
    _rule(
        r"(?:don['’]t|do not|doesn['’]t|does not|can['’]t|cannot|never|no longer|stopped|quit|gave "
        r"up|avoids?|{_HAVE}(?:given up|stopped|quit|cut out))(?: really)? (?:eat(?:ing)?|drink(?:ing)?|"
        r"smok(?:e|ing)|touch|"
        r"have|driv(?:e|ing)|meat|coffee|alcohol|sugar|dairy|gluten|caffeine)(?! (?:it|that|"
        r"this)\b)\b.{0,80}".replace("{_HAVE}", _HAVE),
        importance=0.7,
    ),
    _rule(rf"{_BE} (?:not )?(?:a )?(?:really |very |quite )?{STATES}", importance=0.6),
    _rule(
        r"(?:(?:loves?|likes?|enjoys?|adores?|hates?|dislikes?|detests?|loathes?|can['’]t stand|"
        r"cannot stand|don['’]t (?:really )?(?:like|enjoy)|do not (?:like|enjoy)|doesn['’]t (?:like|"
        rf"enjoy)|appreciates?|misse?s?|collects?) {_STOP}{_THING}|hates? it when .{{3,80}})"
    ),
    _rule(rf"(?:(?:would )?always )?prefers? {_STOP}{_THING}", importance=0.6),
    _rule(rf"(?:rather|quite|really) (?:like|enjoy)s? {_STOP}{_THING}"),
    _rule(
        rf"{_BE} (?:not )?(?:(?:really|very|so|quite|a bit|a little|totally|big|slightly) "
        r")*(?:afraid of|scared of|terrified of|fond of|into|obsessed with|interested in|passionate "
        r"about|good at|bad at|crazy about|addicted to|(?:a )?(?:big |huge |massive |lifelong )?fans? "
        rf"of|keen on) {_STOP}{_THING}"
    ),
    _rule(r"speaks? (?:(?:\w+ )?(?-i:[A-Z])[\w ,]{2,80})", importance=0.6),
    _rule(rf"{_BE} (?:fluent in|a native speaker of|learning|teaching myself) {_THING}", importance=0.6),
    _rule(
        rf"{_BE} (?:training|saving(?: up)?|preparing|studying) for {_THING}|{_BE} (?:writing|"
        r"building|renovating|working on|restoring) (?:a|an|my|our) (?!(?:bug|issue|task|fix|script|"
        rf"letter|email|reply|quick|"
        rf"test|report)\b){_THING}"
    ),
    _rule(rf"(?:dreams? of|wants? to become|hopes? to become|aims? to) {_THING}"),
    _rule(
        rf"plays? (?!the devil)(?:the |in a |for )?{_STOP}(?!with\b|devil|along\b|around\b|a (?:role|"
        rf"part)\b){_THING}"
    ),
    _rule(rf"(?:owns?|drives?|rides?|runs?) {_DET} {_THING}"),
    _rule(
        rf"(?:have|has|['’]ve got|have got) (?:{_DET}|no|an? old) (?:(?!(?:of|like|about|for|to|in|"
        rf"with)\b)[\w'’-]+ ){{0,4}}?{PETS}(?:(?: "
        rf"and|,| called| named| with| at| in| who| whose| from|:).{{1,100}})?"
    ),
    _rule(
        r"(?:uses?|code|codes|programs?|develops?) (?:mainly |mostly )?(?:in "
        r")?(?:(?-i:[A-Z])[^?]{1,60} (?:for|at|as|every|because) .{2,60})"
    ),
    _rule(rf"used to (?!it\b){_THING}"),
    _rule(r"volunteers?\b.{3,80}|teach(?:es)? .{3,80}|coach(?:es)? .{3,60}|sings? in .{3,60}"),
)

# "My …": the pattern follows "my ", `{v}` is the value.
OWN: tuple[tuple[re.Pattern[str], str | None, float], ...] = tuple(
    (re.compile(pattern, re.I), key, importance)
    for pattern, key, importance in (
        (rf"^(?:full |first |real )?name(?:['’]s| is) (?:{_NAME}|{_SMALL_NAME})$", "name", 0.9),
        (rf"^(?:birthday|date of birth)(?:['’]s| is)(?: on)? {DAY}(?:.{{3,40}})$", "birthday", 0.8),
        (
            r"^(?:native language|mother tongue|first language)(?:['’]s| is) (?-i:[A-Z]).{2,39}$",
            "language.native",
            0.7,
        ),
        (
            rf"^(?:job|profession|occupation|job title|role|title)(?:['’]s| is) (?:(?:an?|the) )?"
            rf"(?!{NO_TITLE}){OCCUPATION}\b.{{0,60}}$",
            "employment.title",
            0.7,
        ),
        (r"^(?:employer|company)(?:['’]s| is) (?-i:(?=[A-Z]))(?:.{2,60})$", "employment.employer", 0.7),
        (r"^(?:hometown|home town)(?:['’]s| is) (?-i:[A-Z]).{1,59}$", "origin", 0.6),
        (rf"^(?:home|flat|apartment|house|place) is in {CITY}$", "residence.city", 0.7),
        (r"^pronouns are (?:.{2,30})$", "pronouns", 0.8),
        (r"^(?:blood type|shoe size|shirt size|height|time ?zone)(?:['’]s| is) (?:.{1,40})$", None, 0.6),
        (
            r"^(?:(?:main|long-term|biggest|life) )?(?:goal|dream|hobby|hobbies|ambition)(?:['’]s| is| "
            r"are) (?:.{3,120})$",
            None,
            0.6,
        ),
        (
            r"^(?:car|bike|phone|laptop|computer|house|flat|apartment|camera|motorbike) is (?:(?:a|an) "
            r"(?!mess\b|bit\b|disaster\b|problem\b|nightmare\b|little\b|joke\b).{2,60})$",
            None,
            0.5,
        ),
    )
)
FAVOURITE = re.compile(
    r"^(?:all[- ]time )?(?P<rank>favou?rite|main|go-to|preferred) (?P<n>[\w-]+(?: "
    r"[\w-]+){0,2})(?:['’]s| is| are) "
    r"(?!(?:not|broken|gone|lost|back|closed|missing|sold out|dirty|ruined|empty|always|still|so|too|very)\b)"
    r"(?P<v>.{1,80})$",
    re.I,
)
IS_FAVOURITE = re.compile(
    r"^(?P<v>.{2,60}) (?:is|are) my (?:all[- ]time )?(?P<rank>favou?rite|main) "
    r"(?P<n>[\w-]+(?: [\w-]+)?)$",
    re.I,
)
THINGS = {
    "colour": "color",
    "colours": "color",
    "colors": "color",
    "film": "movie",
    "movies": "movie",
    "films": "movie",
    "meal": "dish",
    "foods": "food",
    "books": "book",
    "songs": "song",
    "sports": "sport",
    "fruits": "fruit",
    "beverage": "drink",
    "programming language": "programming_language",
    "football team": "team",
    "soccer team": "team",
    "writer": "author",
}


def favourite_key(match: re.Match[str]) -> str | None:
    """The attribute that a match of `FAVOURITE` sets; a plural sets none."""
    noun = match["n"].lower()
    if noun.endswith("s") and not noun.endswith("ss"):
        return None
    name = re.sub(r"[^a-z0-9]+", "_", THINGS.get(noun, noun)).strip("_")
    group = "favorite" if match["rank"].lower().startswith("favo") else "main"
    return f"{group}.{name}" if name else None
