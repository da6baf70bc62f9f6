"""Word lists: relations, pets, nationalities, languages, conditions, and the categories of what people prefer."""

from __future__ import annotations


def listed(text: str) -> tuple[str, ...]:
    """The words of a text, in order."""
    return tuple(text.split())


def wordset(text: str) -> frozenset[str]:
    """The words of a text, for membership."""
    return frozenset(text.split())


RELATIONS = {
    **{w: "mother" for w in listed("mother mom mum mommy mama mummy")},
    **{w: "father" for w in listed("father dad daddy papa")},
    **{w: "grandmother" for w in listed("grandmother grandma granny nana nan")},
    **{w: "grandfather" for w in listed("grandfather grandpa granddad")},
    **{w: "husband" for w in listed("husband hubby")},
    **{w: "girlfriend" for w in listed("girlfriend gf")},
    **{w: "boyfriend" for w in listed("boyfriend bf")},
    **{w: "colleague" for w in listed("colleague coworker co-worker workmate")},
    **{w: "child" for w in listed("child kid")},
    **{w: "children" for w in listed("children kids")},
    **{w: "boss" for w in listed("boss manager supervisor")},
    **{
        w: w
        for w in listed(
            """
            wife spouse partner fiance fiancé fiancee fiancée ex ex-wife ex-husband ex-girlfriend ex-boyfriend
            sister brother sibling son daughter baby toddler parents siblings sisters brothers sons daughters
            aunt uncle cousin niece nephew grandson granddaughter grandparents grandchildren stepmother
            stepfather stepmom stepdad stepson stepdaughter stepsister stepbrother mother-in-law father-in-law
            sister-in-law brother-in-law in-laws godmother godfather twin friend friends bestie roommate
            flatmate housemate neighbor neighbour landlord therapist doctor dentist mentor coach teacher
            professor advisor assistant nanny client teammate
            """
        )
    },
}
PARTNERS = wordset("wife husband spouse partner fiance fiancé fiancee fiancée girlfriend boyfriend")
FRIENDS = wordset(
    """
    friend friends colleague roommate flatmate housemate neighbor neighbour boss bestie mentor coach teammate
    client
    """
)
FEMALE = wordset(
    """
    mother grandmother wife girlfriend sister daughter aunt niece granddaughter stepmother stepdaughter
    stepsister mother-in-law sister-in-law godmother fiancee fiancée ex-wife ex-girlfriend
    """
)
MALE = wordset(
    """
    father grandfather husband boyfriend brother son uncle nephew grandson stepfather stepson stepbrother
    father-in-law brother-in-law godfather fiance fiancé ex-husband ex-boyfriend
    """
)
PETS = wordset(
    """
    dog dogs puppy puppies pup cat cats kitten kittens kitty hamster hamsters rabbit rabbits bunny parrot
    parrots budgie bird birds fish goldfish turtle turtles tortoise snake snakes gecko lizard iguana ferret
    ferrets horse horses pony chicken chickens duck ducks goat goats hedgehog chinchilla rat rats mouse pet pets
    axolotl
    """
)
BREEDS = (
    r"(?:golden |labrador )?retrievers?|labradors?|labradoodle|lab|poodle|beagle|bulldog|(?:german |"
    r"australian )?shepherd|(?:border )?collie|"
    r"corgi|dachshund|pug|husky|chihuahua|boxer|rottweiler|terrier|spaniel|greyhound|mutt|schnauzer|"
    r"shiba(?: inu)?|maltese|"
    r"tabby|siamese|maine coon|ragdoll|persian|bengal|sphynx|cockatiel|budgie"
)
NATIONALITIES = wordset(
    """
    american british english scottish welsh irish german french spanish portuguese italian dutch belgian swiss
    austrian danish swedish norwegian finnish icelandic polish czech slovak hungarian romanian bulgarian greek
    turkish russian ukrainian belarusian lithuanian latvian estonian croatian serbian bosnian slovenian albanian
    macedonian georgian armenian israeli lebanese syrian iraqi iranian persian saudi emirati egyptian moroccan
    algerian tunisian libyan nigerian ghanaian kenyan ethiopian ugandan tanzanian senegalese indian pakistani
    bangladeshi nepali chinese taiwanese japanese korean vietnamese thai filipino indonesian malaysian
    singaporean australian kiwi canadian mexican brazilian argentinian argentine chilean colombian peruvian
    venezuelan ecuadorian bolivian cuban dominican jamaican haitian catalan basque european african asian latina
    latino
    """
)
LANGUAGES = wordset(
    """
    english german french spanish portuguese italian dutch danish swedish norwegian finnish icelandic polish
    czech slovak hungarian romanian bulgarian greek turkish russian ukrainian lithuanian latvian estonian
    croatian serbian slovenian albanian georgian armenian hebrew arabic persian farsi urdu hindi bengali punjabi
    tamil telugu marathi gujarati kannada malayalam nepali chinese mandarin cantonese japanese korean vietnamese
    thai tagalog indonesian malay swahili amharic yoruba igbo hausa zulu afrikaans catalan basque galician welsh
    irish gaelic latin esperanto asl
    """
)
RELIGIONS = wordset(
    """
    christian catholic protestant orthodox muslim jewish hindu buddhist sikh jain atheist agnostic mormon
    lutheran quaker pagan bahai taoist
    """
)
DIETS = (
    r"(?:strict |mostly |fully |almost |lacto-?|ovo-?)*(?:vegan|vegetarian|pescatarian|pescetarian|"
    r"flexitarian|keto|paleo|carnivore|"
    r"plant[- ]based|gluten[- ]free|dairy[- ]free|sugar[- ]free|low[- ]carb|kosher|halal|raw vegan|omnivore|whole30)"
)
CONDITIONS = (
    r"(?:type (?:1|2|i|ii|one|two) |gestational |chronic |severe |mild |seasonal |social |clinical |"
    r"generali[sz]ed |rheumatoid |"
    r"high |low |bad |an? )*(?:diabetes|diabetic|asthma|asthmatic|adhd|add|autism|autistic|"
    r"celiac(?: disease)?|coeliac(?: disease)?|lactose[- ]intoleran(?:t|ce)|"
    r"gluten[- ]intoleran(?:t|ce)|epilepsy|epileptic|migraines?|arthritis|anemia|anaemi[ac]|anemic|depression|"
    r"anxiety(?: disorder)?|ocd|ptsd|"
    r"bipolar(?: disorder)?|insomnia|ibs|crohn'?s(?: disease)?|colitis|hypertension|blood pressure|"
    r"cholesterol|hypothyroidism|hyperthyroidism|"
    r"thyroid (?:condition|problem|issue)s?|psoriasis|eczema|endometriosis|pcos|fibromyalgia|lupus|cancer|"
    r"sleep apnea|tinnitus|scoliosis|"
    r"sciatica|gout|dyslexia|dyslexic|dyscalculia|color ?blind|colour ?blind|deaf|blind|hard of hearing|"
    r"hearing loss|heart (?:condition|disease|murmur)|"
    r"multiple sclerosis|parkinson'?s(?: disease)?|alzheimer'?s|pregnant|hay fever|back pain|bad knee|"
    r"bad back|vertigo|rosacea|acid reflux|gerd|"
    r"dementia|osteoporosis|hemophilia|narcolepsy|carpal tunnel(?: syndrome)?|plantar fasciitis|tendonitis|covid)"
)
MOODS = (
    r"(?:tired|exhausted|sad|angry|upset|stressed(?: out)?|anxious|nervous|worried|bored|lonely|hungry|"
    r"starving|thirsty|sleepy|sick|ill|hungover|"
    r"happy|excited|thrilled|grumpy|annoyed|frustrated|overwhelmed|depressed|down|miserable|furious|mad|cranky|drained|"
    r"burnt out|burned out|busy|swamped|restless|tense|confused|lost|stuck|proud|grateful|relieved|"
    r"disappointed|embarrassed|"
    r"jealous|scared|terrified|homesick|heartbroken|hurt|numb|in (?:a|such a) (?:bad|good|great|terrible|foul|"
    r"weird) mood|"
    r"on cloud nine|freaking out|fed up|pissed(?: off)?|feverish|unwell|under the weather|not feeling well|"
    r"cold|hot|full|late)"
)
OCCUPATIONS = wordset(
    """
    nurse chef cook pilot lawyer attorney judge doctor dentist surgeon vet veterinarian pharmacist therapist
    psychologist psychiatrist architect accountant mechanic electrician plumber carpenter journalist musician
    artist dancer actress actor barista waitress waiter librarian paramedic firefighter policeman cop detective
    soldier officer nanny mathematician physicist chemist biologist scientist economist statistician analyst
    consultant specialist strategist freelancer contractor entrepreneur founder cofounder co-founder ceo cto cfo
    coo cmo vp director president manager assistant secretary receptionist realtor broker agent model student
    intern professor teacher tutor lecturer principal sysadmin devops copywriter ghostwriter novelist poet
    photographer videographer dj coach influencer youtuber streamer librarian retiree homemaker housewife
    technician physician pediatrician cardiologist midwife counselor counsellor pastor priest imam rabbi monk
    translator interpreter apprentice clerk cashier courier trader banker partner associate advisor adviser
    postdoc phd undergrad undergraduate sophomore freshman junior senior engineer developer programmer designer
    writer editor driver farmer baker butcher tailor builder painter producer recruiter salesperson salesman
    planner researcher trainer carer caregiver sailor fisherman gardener florist barber hairdresser stylist
    jeweler bookkeeper auditor actuary geologist astronomer archaeologist historian philosopher linguist
    sociologist anthropologist curator marketer
    """
)
ACTIVITIES = wordset(
    """
    guitar piano violin cello drums bass flute saxophone trumpet ukulele keyboard harp clarinet tennis soccer
    football basketball baseball volleyball badminton cricket golf hockey rugby squash chess poker go bridge
    games videogames pool lacrosse softball pickleball frisbee padel handball darts d&d minecraft music sports
    instruments
    """
)
NOT_NAMES = wordset(
    """
    i the a an my our your his her their its it he she we they you this that these those there here what when
    where why how who which if so and but or because since although though while as at by for from in into of on
    to with without after before until also just really very actually honestly maybe perhaps probably anyway
    well ok okay yes yeah yep no nope not never always sometimes usually today tomorrow yesterday tonight now
    then lately recently currently monday tuesday wednesday thursday friday saturday sunday january february
    march april may june july august september october november december please thanks thank hi hey hello oh wow
    great good nice cool sure right all some any every each everything everyone nothing someone something do
    does did is are was were am be been being have has had can could will would shall should may might must let
    lets don doesn didn isn aren wasn speaking turns btw fyi lol haha sorry unfortunately luckily finally first
    second next last one two three more most many much other another such same both either neither only even
    still yet already again once whenever wherever however whatever plus got getting going gonna want need like
    love hate think know feel guess hope wish remember forget call keep stop make take use i'm i've i'll i'd
    it's that's don't gotta wanna ugh omg hmm um uh aw ah nah mom mum dad
    """
)


_TRADES = ("keeper", "smith", "maker", "ologist", "wright")  # beekeeper, goldsmith, watchmaker, geologist


def occupation(value: str) -> bool:
    """Whether a noun phrase names an occupation: "a senior nurse", "software engineer at Figma"."""
    words = value.lower().replace(",", " ").split()
    return any(
        w in OCCUPATIONS or (len(w) > 3 and w.removesuffix("s") in OCCUPATIONS) or (len(w) > 7 and w.endswith(_TRADES))
        for w in words[:6]
    )
