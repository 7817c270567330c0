"""English sentences that state lasting facts: what a predicate looks like, and the attribute it sets."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_en_grammar import ADVERBS
from langmem_ext.extraction.rules_text import Rule

RELATIONS = (
    r"(?:(?:best|old|close|older|younger|elder|eldest|youngest|little|big|twin|new|second|step|ex)[- ])*"
    r"(?:wife|husband|partner|spouse|fianc[eé]e?|girlfriend|boyfriend|son|daughter|child|kids?|"
    r"children|sons|daughters|baby|"
    r"brothers?|sisters?|twins?|mother|mom|mum|mama|father|dad|papa|parents|grandmother|grandma|granny|"
    r"grandfather|grandpa|"
    r"grandparents|aunt|uncle|cousin|niece|nephew|(?:mother|father|brother|sister)-in-law|in-laws|"
    r"friend|boss|manager|"
    r"colleague|coworker|co-worker|teammate|roommate|flatmate|housemate|neighbou?r|landlord|teacher|"
    r"coach|therapist|doctor|"
    r"dogs?|cats?|puppy|kitten|parrot|rabbit|hamster|horse|pony|turtle|tortoise|goldfish|bird|guinea pig)"
)
PARTNERS = re.compile(r"\b(?:wife|husband|partner|spouse|fianc[eé]e?)$", re.I)
OCCUPATION = (
    r"(?:[\w-]+ ){0,3}?(?:[\w-]*(?:engineer|developer|programmer|manager|designer|teacher|nurse|doctor|"
    r"physician|surgeon|lawyer|"
    r"solicitor|barrister|attorney|accountant|architect|scientist|researcher|professor|lecturer|tutor|"
    r"student|analyst|"
    r"consultant|writer|author|editor|journalist|translator|interpreter|librarian|chef|cook|baker|"
    r"barista|bartender|waiter|"
    r"waitress|driver|pilot|sailor|soldier|officer|firefighter|paramedic|pharmacist|dentist|vet|"
    r"veterinarian|therapist|"
    r"psychologist|counsellor|counselor|carpenter|electrician|plumber|mechanic|welder|farmer|gardener|"
    r"florist|beekeeper|"
    r"fisherman|tailor|hairdresser|barber|photographer|painter|illustrator|artist|musician|singer|"
    r"pianist|violinist|cellist|"
    r"composer|actor|actress|dancer|director|producer|athlete|trainer|coach|freelancer|founder|"
    r"entrepreneur|owner|"
    r"salesperson|cashier|clerk|secretary|administrator|admin|technician|geologist|biologist|chemist|"
    r"physicist|"
    r"mathematician|economist|banker|trader|broker|recruiter|marketer|midwife|potter|blacksmith|"
    r"goldsmith|landscaper|"
    r"archaeologist|historian|curator|social worker|flight attendant|stay-at-home (?:mum|mom|dad|"
    r"parent)|apprentice|intern|"
    r"postdoc|judge|supervisor|inspector|surveyor|optician|radiologist|cardiologist|dermatologist|"
    r"physiotherapist))"
)
_DET = r"(?:a|an|the|twin|two|three|four|five|six|several|\d+|my own|our own)"
_BE = r"(?:am|is|are|was diagnosed as)"
_HAVE = r"(?:(?:have|has|['’]ve)\s+)?(?:just |recently |finally |already )*"
_STOP = (
    r"(?!the \w+ one$|"
    r"it\b|that\b|this\b|these\b|those\b|them\b|you\b|your\b|him\b|her\b|what\b|how\b|one\b|the "
    r"(?:first|second|third|last|other|new|idea|way|sound|look)\b|to (?:know|see|hear|ask|thank|say|"
    r"get)\b)"
)
_THING = r"(?:[^?]{2,160})"
_PLACE = r"(?:[^,?]{2,60}(?:, [A-Z][\w ]{1,30})?)"
_CAPITAL = r"(?:(?-i:[A-Z])[^,?]{1,60})"
CONDITIONS = (
    r"(?:type \d )?(?:diabetes|asthma|coeliac disease|celiac disease|migraines?|high blood pressure|"
    r"adhd|epilepsy|arthritis|insomnia|"
    r"anxiety|eczema|hay fever|anaemia|anemia|scoliosis|dyslexia|vertigo|a pacemaker|a heart condition|"
    r"a bad (?:knee|back)|psoriasis|tinnitus)"
)
_STATES = (
    r"(?:diabetic|asthmatic|dyslexic|colou?r-?blind|left-?handed|right-?handed|ambidextrous|pregnant|"
    r"deaf|epileptic|autistic|"
    r"hard of hearing|short-?sighted|near-?sighted|lactose[- ]intolerant|gluten[- ]intolerant|celiac|"
    r"coeliac|anaemic|anemic|"
    r"a (?:night owl|morning person|early bird|light sleeper|beginner|non-smoker|smoker|teetotall?er|"
    r"member of .+)|an? (?:introvert|extrovert|early riser|only child)|"
    r"retired|unemployed|self-employed|bilingual|trilingual|tall|vegan|\d(?:\.|,)?\d* ?(?:m|cm|feet|"
    r"foot|ft)\b.*)"
)
_DIETS = r"(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|fruitarian)"
_PETS = (
    r"(?:dogs?|cats?|pupp(?:y|ies)|kittens?|parrots?|rabbits?|hamsters?|horses?|ponies|pony|turtles?|"
    r"tortoises?|goldfish|birds?|"
    r"guinea pigs?|chickens|bees|snakes?|sons?|daughters?|kids?|child(?:ren)?|twins?|brothers?|"
    r"sisters?|siblings?|grandchild(?:ren)?|"
    r"nieces?|nephews?|garden|allotment|balcony|car|motorbike|motorcycle|bike|bicycle|boat|kayak|piano|"
    r"guitar|violin|cello|house|"
    r"flat|apartment|cabin|cottage|workshop|tattoos?|degree|phd|master['’]?s|driving licen[cs]e|"
    r"licen[cs]e|greenhouse|van|drone|telescope|camera|3d printer|podcast|blog|youtube channel|"
    r"small business|business|company|bakery|shop|farm|terriers?|retrievers?|spaniels?|beagles?|"
    r"labradors?|corgis?|poodles?|shepherds?|tabby|ginger tom)"
)


def _rule(pattern: str, key: str | None = None, importance: float = 0.5, state: str = "") -> Rule:
    return Rule(re.compile(rf"^{ADVERBS}(?:{pattern})$", re.I), key, importance, state)


# Predicates of "I", "we" and "my sister …". The key counts for the user only.
FACTS: tuple[Rule, ...] = (
    _rule(rf"{_BE} called (?:[\w'’. -]{{2,40}})", "name", importance=0.9),
    _rule(r"goe?s? by (?:(?-i:[A-Z])[\w'’. -]{1,30})", "name", importance=0.9),
    _rule(r"goe?s? by (?:they/them|she/her|he/him)", "pronouns", importance=0.8),
    _rule(r"wears? (?:size|glasses|contact lenses|a hearing aid|hearing aids)\b.{0,30}"),
    _rule(
        rf"(?:lives?|(?:{_BE}|have been|has been) (?:{ADVERBS})(?:living|based)|resides?|{_BE} a "
        rf"resident) (?:in|of) {_PLACE}",
        "residence.city",
        importance=0.8,
    ),
    _rule(
        rf"{_HAVE}(?:moved|relocated)(?: back| over| out| house)? (?:from [\w ]{{2,30}} )?to "
        rf"{_CAPITAL}",
        "residence.city",
        importance=0.8,
        state=" and lives there now",
    ),
    _rule(rf"works? (?:at|for) {_THING}", "employment.employer", importance=0.7),
    _rule(
        rf"{_HAVE}(?:started|joined|start|got a (?:new )?job|took a job|found a (?:new )?job)(?: "
        rf"working| work| a (?:new )?job)? (?:at|with|for) {_CAPITAL}",
        "employment.employer",
        importance=0.7,
    ),
    _rule(rf"{_HAVE}joined {_CAPITAL}", "employment.employer", importance=0.7),
    _rule(
        rf"(?:works?|{_BE} working|{_BE} employed) as (?:a|an|the) {_THING}",
        "employment.title",
        importance=0.7,
    ),
    _rule(
        rf"{_BE} (?:a|an|the) (?:{OCCUPATION}(?: (?:at|for|in|by|from|with|specialising|specializing|"
        rf"who|on) .{{2,80}})?)",
        "employment.title",
        importance=0.7,
    ),
    _rule(
        rf"(?:{_HAVE}(?:got |been |was )?promoted to|became (?:a|an|the)|was hired as (?:a|an)) "
        rf"(?:.{{2,80}})",
        "employment.title",
        importance=0.7,
    ),
    _rule(
        r"works? (?:in|on (?!it|this|that)|from home|remotely|part[- ]time|full[- ]time|nights?|"
        r"night shifts)\b.{0,80}"
    ),
    _rule(
        rf"(?:stud(?:y|ies)|{_BE} (?:studying|majoring in)|majors? in) (?!for\b){_THING}",
        "education.subject",
        importance=0.6,
    ),
    _rule(rf"(?:{_BE} (?:originally )?|comes? (?:originally )?)from {_CAPITAL}", "origin", importance=0.6),
    _rule(r"(?:was|were) born (?:and raised )?in (?:.{2,60})", "birth", importance=0.7),
    _rule(r"(?:was|were) born on (?:.{2,40})", "birthday", importance=0.8),
    _rule(rf"grew up (?:in|on|with|speaking) {_THING}"),
    _rule(rf"{_BE} (?:\d{{1,2}}|1[01]\d)(?: years? old)?", "age", importance=0.6),
    _rule(
        rf"{_BE} (?:happily )?(?:married|single|divorced|engaged|widowed|separated)(?: (?:to|with) "
        rf".{{2,50}})?",
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
        rf"(?:{_BE}|have been|has been) (?:a )?(?:strict |mostly |lifelong )?{_DIETS}.{{0,40}}",
        "diet",
        importance=0.8,
    ),
    _rule(
        rf"{_HAVE}(?:gone|went|became|become|turned) (?:a )?(?:mostly )?{_DIETS}.{{0,60}}",
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
        r"up|avoids?|{_HAVE}given up)(?: really)? (?:eat(?:ing)?|drink(?:ing)?|smok(?:e|ing)|touch|"
        r"have|driv(?:e|ing)|meat|coffee|alcohol|sugar|dairy|gluten|caffeine)(?! (?:it|that|"
        r"this)\b)\b.{0,80}".replace("{_HAVE}", _HAVE),
        importance=0.7,
    ),
    _rule(rf"{_BE} (?:not )?(?:a )?(?:really |very |quite )?{_STATES}", importance=0.6),
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
        rf"(?:have|has|['’]ve got|have got) (?:{_DET}|no|an? old) (?:[\w'’-]+ ){{0,4}}?{_PETS}(?:(?: "
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
        (r"^(?:full |first |real )?name(?:['’]s| is) (?!not\b|on\b|in\b)(?:[\w'’. -]{2,50})$", "name", 0.9),
        (r"^(?:birthday|date of birth)(?:['’]s| is)(?: on)? (?:.{3,40})$", "birthday", 0.8),
        (
            r"^(?:native language|mother tongue|first language)(?:['’]s| is) (?:.{3,40})$",
            "language.native",
            0.7,
        ),
        (
            r"^(?:job|profession|occupation|job title|role|title)(?:['’]s| is) (?!to\b|hard|boring|"
            r"stressful|so\b|very\b|really\b|killing|not\b)(?:.{3,80})$",
            "employment.title",
            0.7,
        ),
        (r"^(?:employer|company)(?:['’]s| is) (?-i:(?=[A-Z]))(?:.{2,60})$", "employment.employer", 0.7),
        (r"^(?:hometown|home town)(?:['’]s| is) (?:.{2,60})$", "origin", 0.6),
        (r"^(?:home|flat|apartment|house|place) is in (?:.{2,60})$", "residence.city", 0.7),
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
    r"[\w-]+){0,2})(?:['’]s| is| are) (?!not\b)(?P<v>.{1,80})$",
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
