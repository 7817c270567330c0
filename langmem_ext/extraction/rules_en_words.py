"""English words by what they name: relatives, occupations, conditions, places that are none."""

from __future__ import annotations

import re

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
CONDITIONS = (
    r"(?:type \d )?(?:diabetes|asthma|coeliac disease|celiac disease|migraines?|high blood pressure|"
    r"adhd|epilepsy|arthritis|insomnia|"
    r"anxiety|eczema|hay fever|anaemia|anemia|scoliosis|dyslexia|vertigo|a pacemaker|a heart condition|"
    r"a bad (?:knee|back)|psoriasis|tinnitus)"
)
STATES = (
    r"(?:diabetic|asthmatic|dyslexic|colou?r-?blind|left-?handed|right-?handed|ambidextrous|pregnant|"
    r"deaf|epileptic|autistic|"
    r"hard of hearing|short-?sighted|near-?sighted|lactose[- ]intolerant|gluten[- ]intolerant|celiac|"
    r"coeliac|anaemic|anemic|"
    r"a (?:night owl|morning person|early bird|light sleeper|beginner|non-smoker|smoker|teetotall?er|"
    r"member of .+)|an? (?:introvert|extrovert|early riser|only child)|"
    r"retired|unemployed|self-employed|bilingual|trilingual|tall|vegan|\d(?:\.|,)?\d* ?(?:m|cm|feet|"
    r"foot|ft)\b.*)"
)
DIETS = r"(?:vegan|vegetarian|pescatarian|pescetarian|flexitarian|fruitarian)"
PETS = (
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
# Jobs in name only: "a terrible cook", "a former teacher". True to keep, but no title.
NO_TITLE = (
    r"(?:\w+ly )?(?:terrible|bad|good|great|awful|decent|lousy|horrible|mediocre|nervous|slow|fast|careful|"
    r"keen|amateur|hobby|big|avid|passionate|aspiring|wannabe|would-be|former|ex|retired|natural|better|worse|"
    r"best|worst|messy|lazy|picky|happy|proud|real|self-taught)"
)
# What people live in, move to or come from without residing there.
NO_PLACE = (
    r"(?:fear|hope|denial|peace|harmony|pain|poverty|dread|despair|misery|hell|heaven|exile|isolation|"
    r"luxury|comfort|chaos|sin|constant|total|complete|the|past|present|future|moment|now|interesting|"
    r"uncertain|stressful|crazy|strange|hard|my|your|a|an|this|that|these|those|it|them|"
    r"linux|ubuntu|windows|macos|mac|ios|android|python|rust|go|java|kotlin|typescript|javascript|vim|neovim|"
    r"emacs|vs ?code|vscode|aws|azure|gcp|chrome|firefox|safari|postgres\w*|mysql|mongodb|kubernetes|docker|"
    r"react|vue|angular|git\w*|slack|teams?|notion|jira|gmail|outlook|excel|obsidian|zoom|discord|"
    r"plan|product|marketing|sales|engineering|finance|accounting|hr|it|legal|support|operations|management|"
    r"level|phase|stage|step|chapter|version|option|"
    r"(?:mon|tues|wednes|thurs|fri|satur|sun)day|january|february|march|april|june|july|august|september|"
    r"october|november|december)\b"
)
# A day of a year, for birthdays: a number, a month or a feast.
DAY = (
    r"(?=.*(?:\d|\b(?:january|february|march|april|may|june|july|august|september|october|november|"
    r"december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|christmas|new year|halloween|valentine)))"
)
