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
    r"friend|mate|bestie|other half|missus|hubby|kiddo|gran|nan|nana|nanny|grandad|granddad|"
    r"granddaughter|grandson|"
    r"toddler|teenager|stepson|stepdaughter|stepmum|stepmom|stepdad|godson|goddaughter|(?:brother|sister|"
    r"mother|father) in law|"
    r"boss|manager|"
    r"colleague|coworker|co-worker|teammate|roommate|flatmate|housemate|neighbou?r|landlord|teacher|"
    r"coach|therapist|doctor|"
    r"dogs?|cats?|puppy|kitten|parrot|rabbit|hamster|horse|pony|turtle|tortoise|goldfish|bird|guinea pig)"
)
# Of whom people tell for fun what only adults do.
JESTED = re.compile(
    r"(?:dogs?|cats?|puppy|kitten|parrot|rabbit|hamster|horse|pony|turtle|tortoise|goldfish|bird|"
    r"guinea pig|toddler|baby)$",
    re.I,
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
    r"physiotherapist|hygienist|bookkeeper|instructor|referee|lifeguard|security guard|cleaner|labourer|"
    r"builder|roofer|"
    r"bricklayer|plasterer|joiner|decorator|butcher|brewer|sommelier|caterer|receptionist|assistant|"
    r"estate agent|"
    r"travel agent|realtor|auditor|actuary|paralegal|notary|diplomat|civil servant|vicar|priest|pastor|nanny|"
    r"childminder|au pair|carer|caregiver|care worker|porter|optometrist|osteopath|chiropractor|"
    r"dietitian|nutritionist|"
    r"masseuse|beautician|stylist|tattooist|jeweller|watchmaker|seamstress|ceramicist|sculptor|animator|"
    r"game dev|"
    r"web dev|sysadmin|tester|statistician|astronomer|botanist|zoologist|ecologist|meteorologist|"
    r"linguist|philosopher|"
    r"anthropologist|sociologist|anaesthetist|anesthesiologist|paediatrician|pediatrician|psychiatrist|"
    r"neurologist|"
    r"oncologist|registrar|dispatcher|operator|machinist|fitter|conductor|steward|stewardess|courier|postman|"
    r"postwoman|trucker|farrier|zookeeper|ranger|forester|shepherd|miner|planner|archivist|publisher|"
    r"copywriter|"
    r"drummer|guitarist|organist|choreographer|(?:tour )?guide|(?:tour )?guide|comedian|headteacher|"
    r"principal|headmaster|"
    r"undergrad(?:uate)?|grad student))"
)
CONDITIONS = (
    r"(?:type \d )?(?:diabetes|asthma|coeliac(?: disease)?|celiac(?: disease)?|autism|asperger['’]?s|"
    r"depression|crohn['’]?s|lupus|endometriosis|pcos|ibs|migraines?|high blood pressure|"
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
    r"labradors?|corgis?|poodles?|shepherds?|tabby|ginger tom|toddlers?|bab(?:y|ies)|newborn|boys?|"
    r"girls?|teenagers?|teens?|step(?:son|daughter|kids|children)|"
    r"greyhounds?|whippets?|dachshunds?|collies?|huskies|husky|pugs?|bulldogs?|mutts?|rescues?|budgies?|"
    r"ferrets?|gerbils?|"
    r"donkeys?|goats?|sheep|hens|ducks|geckos?|fish tank|aquarium|campervan|caravan|scooter|moped|tractor)"
)
LANGUAGE = (
    r"(?:English|Spanish|French|German|Dutch|Italian|Portuguese|Polish|Czech|Slovak|Russian|Ukrainian|"
    r"Greek|Turkish|"
    r"Arabic|Hebrew|Persian|Farsi|Hindi|Urdu|Bengali|Punjabi|Tamil|Telugu|Mandarin|Cantonese|Chinese|"
    r"Hokkien|Japanese|"
    r"Korean|Vietnamese|Thai|Malay|Indonesian|Tagalog|Swahili|Yoruba|Igbo|Hausa|Amharic|Welsh|Irish|"
    r"Gaelic|Basque|"
    r"Catalan|Galician|Swedish|Norwegian|Danish|Finnish|Estonian|Latvian|Lithuanian|Hungarian|Romanian|"
    r"Bulgarian|"
    r"Serbian|Croatian|Bosnian|Albanian|Slovenian|Maltese|Icelandic|Georgian|Armenian|Afrikaans|Zulu|"
    r"sign language|[\u4e00-\u9fff]{1,4}[话語语話])"
)
SYSTEMS = (
    r"(?:(?:arch|fedora|ubuntu|debian|mint|gentoo|nixos|linux|windows|macos|mac ?os|mac|android|ios|chromeos|"
    r"python|java|node|postgres|mysql)(?: ?\d[\d.]*)?(?: \w+){0,2})"
)
TOOLS = (
    r"(?:neo)?vim|emacs|vs ?code|obsidian|notion|an iphone(?: \d+)?|a (?:mac\w*|kindle|pixel|thinkpad|"
    r"chromebook|samsung)|firefox|"
    r"chrome|safari|figma|excel|google sheets|zsh|fish|tmux|docker|1password|bitwarden|signal|whatsapp|"
    r"telegram|outlook|gmail"
)
TREATMENT = (
    r"(?:(?:the |a )?(?:keto|paleo|low[- ]\w+|gluten[- ]free|fodmap|low fodmap|diabetic|"
    r"dairy[- ]free) ?diet|insulin|"
    r"medication|meds|blood thinners|antidepressants|beta blockers|statins|the pill|warfarin|metformin|"
    r"steroids)"
)
AIDS = (
    r"(?:a |an |my )?(?:wheelchair|walking stick|cane|crutches|hearing aids?|screen reader|insulin pump|"
    r"inhaler|cpap|"
    r"prosthetic \w+|walker|rollator|guide dog|braille \w+)"
)
# Jobs in name only: "a terrible cook", "a former teacher". True to keep, but no title.
NO_TITLE = (
    r"(?:\w+ly )?(?:terrible|bad|good|great|awful|decent|lousy|horrible|mediocre|nervous|slow|fast|careful|"
    r"keen|amateur|hobby|big|avid|passionate|aspiring|wannabe|would-be|former|ex|retired|natural|better|"
    r"worse|"
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
# What stands after "I'm" with a capital letter and is no name.
NOT_NAMES = re.compile(
    r"(?:ish|ese|ean|[^i]ian|can|ench|utch|elsh|eek|wiss|zech|hai|slim|olic|ewish|egan|ing|ed)$|^(?:ok|"
        r"okay|sorry|busy|back|here|home|fine|good|glad|happy|sure|"
    r"not|just|so|in|on|at|from|an?|the|german|norwegian|indian|asian|russian|african|hungarian|"
    r"done|gone|new|late|ready|free|sick|ill|sad|mad|alone|old|young|lost|stuck|broke|well|all|"
    r"very|really|too|also|only|still|now)$", re.I
)  # fmt: skip
