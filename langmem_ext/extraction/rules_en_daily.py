"""English sentences about daily life: what people only, never or rather do, how they live and are reached."""

from __future__ import annotations

import re

from langmem_ext.extraction.rules_en_words import AIDS, LANGUAGE, OCCUPATION, SYSTEMS, TOOLS, TREATMENT
from langmem_ext.extraction.rules_text import Rule

_NOTHING = (
    r"(?!(?:it|that|this|these|those|them|you|your|him|her|what|how|one|there|here|a lot|much|so|"
    r"too)\b)"
)
_THING = rf"{_NOTHING}[^?]{{2,140}}"
_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_ACTS = (
    r"(?:eat|drink|read|listen to|watch|wear|buy|use|fly|cook|run|shop|write|play|speak|travel|stay|"
    r"order|sleep|cycle|"
    r"train|swim|take|work|study|go)"
)


def _rule(pattern: str, key: str | None = None, importance: float = 0.5) -> Rule:
    return Rule(
        re.compile(rf"^(?:(?:also|really|just|still|now|mostly|usually|currently) )*(?:{pattern})$", re.I),
        key,
        importance,
    )


FACTS: tuple[Rule, ...] = (
    _rule(rf"(?:eat|drink|wear|use|buy|fly|take)s? {_NOTHING}[^,]{{2,40}} only"),
    _rule(
        rf"finds? {_NOTHING}[\w' -]{{3,60}} (?:annoying|boring|stressful|relaxing|hard|difficult|"
        rf"confusing|helpful|"
        r"calming|exhausting|overwhelming|disgusting)"
    ),
    _rule(r"uses? (?!it\b|this\b|that\b|the\b)[\w .+#-]{2,30} at (?:work|home|school|uni)"),
    _rule(r"am (?:the|an?) (?:eldest|oldest|youngest|middle child|only child|twin)(?: (?:of|in) .{2,30})?"),
    _rule(
        r"am (?:a |an )?(?:(?:complete|total|absolute) )?(?:[\w#+]+ )?(?:newbie|beginner|novice|noob)"
        r"(?: (?:at|in|with) .{2,40})?"
    ),
    _rule(
        r"can(?:['’]t|not) (?:swim|drive|cook|ride a (?:bike|horse)|read music|whistle|dance|"
        r"sing)(?: .{2,30})?",
        importance=0.6,
    ),
    _rule(
        r"(?:cycle|walk|drive|commute|bike|take the (?:train|bus|tram|metro|tube))s? to "
        r"(?:work|school|uni|the office)\b.{0,40}"
    ),
    _rule(
        r"lives? (?:about |around )?(?:\d+|an?|two|three|five|ten|half an) (?:minutes?|km|kilometres|miles?|"
        r"blocks?|hours?|streets) (?:from|away|outside) .{3,50}",
        importance=0.6,
    ),
    _rule(r"have never been to (?-i:[A-Z])[\w ]{2,30}"),
    _rule(rf"was an? {OCCUPATION} (?:before|for|until|in my|at) .{{2,50}}", importance=0.6),
    _rule(rf"only (?:ever )?{_ACTS}s? {_THING}"),
    _rule(rf"takes? (?:my|our|their) (?:coffee|tea|eggs?|steak|whisky|espresso|porridge) {_THING}"),
    _rule(
        rf"am not (?:a |an )?(?:(?:really|very|that|big|huge|much|particularly) )*(?:of an? |fan of |"
        rf"into |keen on |big on "
        rf"|crazy about |on ){_THING}"
    ),
    _rule(
        r"am (?:more of |very much )?(?:an?|the) (?!(?:\w+ )?(?:good|bad|nice|terrible|horrible|smart|"
        r"busy|new|happy|sad|"
        r"different|real|only|last|first|kind|wrong|right)\b)(?:[\w-]+ ){1,2}(?:person|lover|addict|fanatic|"
        r"enthusiast|buff|nerd|purist)(?: .{2,40})?"
    ),
    _rule(r"would rather .{2,80} than .{2,60}", importance=0.6),
    _rule(r"bank with (?-i:[A-Z])[\w .&-]{1,30}", importance=0.6),
    _rule(rf"am (?:still )?on {SYSTEMS}"),
    _rule(rf"am on {TREATMENT}\b.{{0,60}}", importance=0.8),
    _rule(rf"uses? {AIDS}\b.{{0,60}}", importance=0.8),
    _rule(
        r"uses? (?!it\b|this\b|that\b)[^?]{2,50} (?:for|as) (?:my|our|all|everything|work|notes|"
        r"coding|school|writing)\b.{0,40}"
    ),
    _rule(
        r"am (?:about |around |almost )?(?:\d ?(?:ft|foot|feet|['’])\s?(?:\d{1,2}(?:in)?)?|"
        r"1[.,]\d\d ?m|[12]\d\d ?cm)(?: tall)?"
    ),
    _rule(
        r"am (?:(?:completely|partially|partly|almost|mostly|half) )?(?:deaf|blind|hard of hearing|"
        r"paraly[sz]ed)"
        r"(?: (?:in|on) (?:my|one|the) .{2,20})?",
        importance=0.8,
    ),
    _rule(
        r"lives? (?:on the (?:top|ground|first|second|third|fourth|fifth|sixth|\d+(?:st|nd|rd|th)|"
        r"\w+th) floor\b.{0,40}|"
        r"alone|abroad|at home|off[- ]grid|with (?!it\b|that\b|this\b|the (?:fact|guilt|"
        r"consequences))[^?]{3,60}|"
        r"(?:near|next to|above|opposite|outside) (?!it\b)[^?]{3,60})",
        importance=0.6,
    ),
    _rule(
        rf"works? (?:(?:\d|one|two|three|four|five|six) days\b.{{0,40}}|(?:on )?{_DAYS}\b.{{0,30}}|"
        rf"mostly on nights|mostly nights|shifts\b.{{0,30}})"
    ),
    _rule(
        r"am (?:a )?(?:(?:practi[sc]ing|devout|lapsed|orthodox) )?(?:catholic|muslim|jewish|hindu|"
        r"buddhist|christian|sikh|atheist|quaker|"
        r"protestant|mormon|agnostic)",
        importance=0.7,
    ),
    _rule(r"am (?:an? )?(?-i:[A-Z])\w+(?:ish|ese|ian|ean|can)(?: by birth| originally)?", "origin", 0.6),
    _rule(
        r"am trying to (?:learn|quit|lose|save|eat|cut (?:down|out|back)|get fit|give up|read|gain|"
        r"stop|drink|sleep) .{2,60}"
    ),
    _rule(r"have decided to (?:quit|stop|give up|go|become|move|start|learn|switch) .{2,60}"),
    _rule(r"have (?:an? )?(?:[\w-]+ )?(?:phobia|fear) of .{2,40}", importance=0.7),
    _rule(r"supports? (?-i:[A-Z])[\w .'’-]{2,30}"),
    _rule(
        r"(?:code|program|write|develop)s? (?:mostly |mainly |only |mainly just |"
        r"a lot )*in (?:(?-i:[A-Z])\w+\+*|python|rust|go|java|typescript|kotlin|c#)(?: (?:at|for|"
        r"and) .{2,40})?"
    ),
    _rule(rf"(?:am )?us(?:es?|ing) (?:{TOOLS}|{SYSTEMS})(?: (?:and|with|on|for|as) .{{2,40}})?"),
    _rule(rf"am off (?:on |every )?(?:{_DAYS}s?)\b.{{0,30}}"),
    _rule(rf"(?:don['’]t|do not) work (?:on )?(?:{_DAYS}|weekends)\b.{{0,20}}"),
    _rule(rf"have been an? {OCCUPATION}\b.{{0,60}}", importance=0.6),
    _rule(
        r"have been (?:working (?:as|at|for|in)|learning|playing|studying|teaching|training|"
        r"practi[sc]ing) .{3,80}",
        importance=0.6,
    ),
    _rule(
        r"have (?:worked|lived|taught|played|studied) (?!on it\b|with you\b)(?:at|for|as|in|"
        r"the)? ?.{2,50} (?:since|for) .{2,30}",
        importance=0.6,
    ),
    _rule(
        rf"am (?:(?:quite|very|pretty|fairly|totally|completely|kind of|relatively) )*(?:new to|"
        rf"a beginner (?:at|in|with)) (?!here\b|all (?:this|that)\b){_THING}"
    ),
    _rule(r"am (?:half|part|a quarter) (?-i:[A-Z])?\w+(?:,? (?:and )?(?:half|part) \w+)?", importance=0.6),
    _rule(
        r"am an? (?:[\w-]+ ){0,3}(?:mum|mom|dad|mother|father|parent|grandma|grandad) (?:of|"
        r"to) .{2,40}",
        importance=0.7,
    ),
    _rule(
        r"am (?:doing|finishing|starting|writing up|in the \w+ year of|halfway through) (?:a|an|"
        r"my) (?:[\w-]+ ){0,2}"
        r"(?:phd|doctorate|master['’]?s|bachelor['’]?s|degree|apprenticeship|mba|residency|"
        r"gap year)\b.{0,60}",
        "education.subject",
        0.6,
    ),
    _rule(
        r"am in my (?:first|second|third|fourth|final|last) year (?:of|at|"
        r"studying) .{2,60}",
        importance=0.6,
    ),
    _rule(
        r"(?:go to|attend|am at) (?:school|uni|university|college) (?:in|"
        r"at) (?-i:[A-Z]).{2,40}",
        importance=0.6,
    ),
    _rule(
        rf"(?:speak|do|use)s? (?:(?:a bit of |some |mostly |only |fluent )?{LANGUAGE}(?:,? and |, |"
        rf" or )?)+(?: .{{2,30}})?",
        importance=0.6,
    ),
    _rule(
        r"can(?:['’]t|not) (?:do|have|handle|tolerate|deal with|abide|digest) (?!(?:it|that|this|"
        r"anything|everything|much|"
        r"more|any|both|so|you|without|what|all|today|tomorrow|tonight|(?:mon|tues|wednes|thurs|fri|"
        r"satur|sun)day)\b)(?:any )?[\w' -]{3,50}",
        importance=0.6,
    ),
    _rule(
        r"can(?:['’]t|not) (?:take|answer|pick up|do|have) (?:(?:phone|video) )?(?:calls?|meetings?|"
        r"the phone) .{3,50}",
        importance=0.6,
    ),
    _rule(
        r"gets? (?:car|sea|motion|travel|air)[- ]?sick\b.{0,40}|gets? (?:migraines|hay fever|"
        r"panic attacks|eczema|hives)\b.{0,60}",
        importance=0.7,
    ),
    _rule(r"(?:switched|changed|converted) (?:from .{2,30} )?to (?!the other\b|it\b)[\w' -]{2,60}"),
    _rule(
        r"(?:have|has) (?:a |an )(?:bad|weak|sensitive|dodgy|titanium|fake) (?:knee|back|stomach|hip|"
        r"shoulder|ankle|neck|heart|bladder)s?\b.{0,40}",
        importance=0.7,
    ),
    _rule(
        rf"makes? {_THING} (?:about |at least )?(?:once|twice|\w+ times|every) (?:a|per)? ?(?:day|"
        rf"week|month|weekend)"
    ),
)
# "I am with Orbit" names somebody's bank or provider where it is told in order to help.
PROVIDER = re.compile(
    r"^am with (?P<n>(?-i:[A-Z])[\w&'’.-]*(?: (?-i:[A-Z])[\w&'’.-]*){0,2})"
    r"(?: for (?:my )?(?:banking|broadband|internet|insurance|energy|mobile|phone|electricity|gas))?$",
    re.I,
)
HELPS = re.compile(
    r",? (?:btw |by the way )?(?:if|in case|not sure if|dunno if) (?:that|it|this) (?:helps?|matters|"
    r"makes (?:a|any) difference|"
    r"is (?:relevant|useful|important)|changes anything)(?: at all)?(?=$|[,.!])",
    re.I,
)
# "My …": the pattern follows "my ".
OWN = tuple(
    (re.compile(pattern, re.I), key, importance)
    for pattern, key, importance in (
        (
            r"^(?:comfort food|go-?to(?: [\w-]+){0,2}|usual(?: (?:order|drink|coffee|breakfast|lunch|"
            r"dinner))?|pet peeve|guilty pleasure) is (?!(?:on|the best|late|gone|"
            r"not)\b).{2,60}$",
            None,
            0.5,
        ),
        (
            r"^(?:bank|broadband|internet provider|provider|energy supplier|insurer|insurance|network|"
            r"phone company|gym|airline) is (?:with )?(?-i:[A-Z]).{1,40}$",
            None,
            0.6,
        ),
        (
            r"^commute (?:is|takes)(?: about| around| roughly)? (?:an|half an|\d|two|over|ninety|forty|"
            r"thirty).{2,60}$",
            None,
            0.5,
        ),
        (
            r"^(?:mortgage|house|flat|office|shop|practice|studio|workshop|parents|family|in-laws|"
            r"kids['’] school) (?:is|are|live) (?:all |both )?in (?-i:[A-Z]).{1,40}$",
            None,
            0.6,
        ),
        (r"^kids are \d{1,2}(?:,? (?:and )?\d{1,2})+$", None, 0.7),
    )
)
