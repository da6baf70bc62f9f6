"""The vocabulary of the simulated lives."""

from __future__ import annotations

_TOWNS = "Lisbon Porto Hamburg Leipzig Turin Malmo Ghent Krakow Seville Graz Bergen Utrecht Bologna Lyon Riga"
_NAMES = "Ana Bruno Carla Dmitri Elif Farid Greta Hugo Ines Jonas Katja Liam Mara Nils Olga Pavel Rosa Sami Tess Vera"
NAMES = _NAMES.split()
CITIES = _TOWNS.split()
ANIMALS = ["cat", "dog", "rabbit", "parrot", "tortoise", "hamster"]
JOBS = ["nurse", "teacher", "carpenter", "data analyst", "translator", "lawyer", "baker", "architect", "pharmacist"]
FIRMS = ["Pedalwerk", "Northwind", "Acme Labs", "Bluebird", "Kestrel Foods", "Orbital", "Sundial", "Ferncroft"]
HOBBIES = ["climbing", "pottery", "chess", "gardening", "astronomy", "bouldering", "knitting", "sailing", "fencing"]
ALLERGENS = ["peanuts", "shellfish", "pollen", "penicillin", "gluten", "kiwi"]
TOPICS = ["tax returns", "sourdough", "train passes", "bike lights", "houseplants", "wallpaper", "noise at night"]
PLACES = [
    "the harbour",
    "the old cinema",
    "the botanical garden",
    "the flea market",
    "the swimming lake",
    "the jazz cellar",
    "the climbing hall",
    "the castle ruins",
    "the science museum",
    "the night market",
    "the opera house",
    "the mountain hut",
    "the lighthouse",
    "the pottery studio",
    "the skate park",
    "the river island",
]
DISHES = [
    "mushroom risotto",
    "lentil soup",
    "fish tacos",
    "plum cake",
    "pad thai",
    "goulash",
    "rhubarb crumble",
    "shakshuka",
    "gnocchi",
    "ramen",
    "apple strudel",
    "paella",
    "beetroot curry",
    "spinach pie",
]
THINGS = [
    "umbrella",
    "camera",
    "bookshelf",
    "tent",
    "sewing machine",
    "typewriter",
    "record player",
    "kayak",
    "telescope",
    "espresso machine",
    "guitar",
    "desk lamp",
    "rain jacket",
    "folding bike",
    "microscope",
]
FACTS = [
    "My name is {other}",
    "I live in {city}",
    "I work as a {job}",
    "I work at {firm}",
    "I have a {animal} called {other}",
    "I am allergic to {food}",
    "My sister {other} lives in {city}",
    "My brother {other} is a {job}",
    "My partner is called {other}",
    "I was born in {city}",
    "I speak Spanish and some Polish",
    "I studied history in {city}",
    "My hobby is {hobby}",
    "I am learning to play the cello",
    "I am vegetarian",
    "My daughter {other} plays {hobby}",
    "My best friend {other} moved to {city}",
    "I own a {thing} that my aunt gave me",
    "I take the tram to work every day",
    "I run three times a week",
    "My mother grew up in {city}",
    "I don't drink coffee after noon",
    "I use Postgres for all of my side projects",
    "My goal is to run a marathon next year",
    "I prefer short answers",
    "My boss is called {other}",
    "My neighbour {other} keeps bees",
    "I sing in a choir on Tuesdays",
    "I volunteer at the animal shelter in {city}",
    "I collect old maps of {city}",
    "My grandfather was a {job} in {city}",
    "I hate cilantro",
    "I play chess with {friend} every Sunday",
    "I wear glasses for reading",
    "My flat has a small balcony",
]
AGAIN = [
    "As you know, {fact}, so keep that in mind.",
    "{fact}, remember?",
    "Like I told you, {fact}.",
]
TASTES = {
    "tea": ["oolong", "rooibos", "earl grey", "mint tea", "jasmine tea"],
    "band": ["Low", "Can", "Portishead", "Stereolab", "Khruangbin", "Sigur Ros"],
    "season": ["spring", "autumn", "winter", "summer"],
    "film": ["Stalker", "Paris Texas", "Amelie", "Alien", "Solaris", "Rear Window"],
    "color": ["green", "dark blue", "orange", "grey"],
    "sport": ["badminton", "rowing", "tennis", "volleyball", "table tennis"],
    "dish": DISHES,
    "city": CITIES,
    "writer": ["Ursula Le Guin", "Italo Calvino", "Toni Morrison", "Jon Fosse", "Clarice Lispector"],
}
TASKS = [
    ("renew my passport", "I renewed my passport"),
    ("call {friend} about the {thing}", "I called {friend} about the {thing}"),
    ("book the dentist", "I booked the dentist"),
    ("send {friend} the photos from {place}", "I sent {friend} the photos from {place}"),
    ("file my tax return", "I filed my tax return"),
    ("buy a {thing} for {friend}", "I bought a {thing} for {friend}"),
    ("fix the {thing}", "I fixed the {thing}"),
    ("pay the invoice from {firm}", "I paid the invoice from {firm}"),
    ("book train tickets to {city}", "I booked the train tickets to {city}"),
    ("return the {thing} to {friend}", "I returned the {thing} to {friend}"),
    ("write the talk for {firm}", "I wrote the talk for {firm}"),
    ("bake {dish} for the party of {other}", "I baked {dish} for the party of {other}"),
]
EVENTS = [
    "went to {place} with {friend} and we ran into {other}",
    "cooked {dish} for {friend} and burnt half of it",
    "bought a {thing} at {place}",
    "lost my {thing} near {place}",
    "met {other} at {place}, who works at {firm}",
    "visited {friend} in {city} and we ate {dish}",
    "found an old {thing} in the cellar of {other}",
    "watched a play about {topic} at {place}",
    "had an argument with {friend} about {topic}",
    "took a class in {hobby} at {place}",
    "missed the train to {city} because of {friend}",
    "repaired the {thing} of {other} and got {dish} for it",
    "finished a book about {topic} that {other} gave me",
    "won a {thing} in the raffle at {place}",
    "helped {friend} move to {city}",
]
SYSTEMS = [
    "import job",
    "search service",
    "billing report",
    "image cache",
    "login page",
    "nightly backup",
    "route planner",
    "price model",
]
FINDINGS = [
    "We found that the {system} is {x}x faster with batches of {n}00 rows because of fewer round trips.",
    "It turned out that the {system} fails for {n} percent of the requests because the cache is cold.",
    "We measured that the {system} needs {n} percent less memory when compression is switched on.",
    "I found out that the {system} is slow because the index is missing, {n} seconds instead of {x}.",
]
CHANGES = [
    "I moved to {city} last week.",
    "I have a new job, I work at {firm} now.",
    "I started to work as a {job}.",
    "I broke up with my partner.",
    "I am no longer vegetarian.",
]
MOODS = [
    "I'm so tired today.",
    "I feel great this morning.",
    "I have a headache right now.",
    "I'm a bit nervous about tomorrow.",
    "I'm stressed today, too many meetings.",
]
SMALL_TALK = [
    "Morning!",
    "thanks, that helps",
    "haha ok",
    "What do you think about {topic}?",
    "Can you explain how {topic} work?",
    "How do I cook {dish}?",
    "ok let me try that",
    "Any idea what to see in {city}?",
    "that did not work, try again please",
    "good night",
    "Is {city} nice in November?",
    "Give me three ideas for a present.",
    "hm, not sure",
    "sounds good",
    "Which {thing} would you recommend?",
]
REPLIES = [
    "Of course, tell me more.",
    "Noted.",
    "That sounds lovely.",
    "Here is a short plan: start small, look at it again in a week, and change what does not work.",
    "I would try it once more with fewer steps, and then compare.",
    "Sorry to hear that. Do you want to talk about it?",
    "Sure, here are three options that are easy to find and not expensive.",
    "Sounds good, anything else?",
    "Let me know how it goes.",
]
