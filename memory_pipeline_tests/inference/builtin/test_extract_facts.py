"""What a message states about its writer: the slot that each statement fills."""

from __future__ import annotations

import pytest

from memory_pipeline_tests.inference.builtin.extraction import briefs

IDENTITY = {
    "My name is Sarah Garcia.": ["profile_fact name=Sarah Garcia"],
    "Hi, I'm Ali": ["profile_fact name=Ali"],
    "my friends call me Bee": ["profile_fact preferred_name=Bee"],
    "I use they/them pronouns": ["profile_fact pronouns=they/them"],
    "my pronouns are she/her": ["profile_fact pronouns=she/her"],
    "I'm 34 years old": ["profile_fact age=34"],
    "I just turned 41": ["profile_fact age=41"],
    "my birthday is on May 3rd": ["profile_fact birthday=3 May"],
    "I was born on March 3, 1990": ["profile_fact birthday=3 March 1990"],
    "I'm from Porto": ["profile_fact hometown=Porto"],
    "I grew up in a small town near Graz": [],
    "I grew up in Kanazawa": ["profile_fact hometown=Kanazawa"],
    "I'm German": ["profile_fact nationality=German"],
    "I am Jewish": ["profile_fact religion=Jewish"],
    "I'm an introvert": ["profile_fact trait=introvert"],
    "I weigh 72 kg": ["profile_fact weight=72 kg"],
    "my native language is Portuguese": ["profile_fact language=Portuguese"],
    "My blood type is O+": ["profile_fact blood_type=O+"],
    "my personality type is ENTJ": ["profile_fact personality_type=ENTJ"],
}
HOME_AND_WORK = {
    "I live in Berlin": ["profile_fact residence=Berlin"],
    "i live in berlin": ["profile_fact residence=berlin"],
    "I've been living in Lisbon for 3 years": ["profile_fact residence=Lisbon"],
    "I'm based in Vienna these days": ["profile_fact residence=Vienna"],
    "We live in Hamburg now": ["profile_fact residence=Hamburg"],
    "I live in Berlin, Connecticut": ["profile_fact residence=Berlin, Connecticut"],
    "I used to live in Oslo": ["profile_fact former_residence=Oslo"],
    "I live with my parents": ["profile_fact current_household=my parents"],
    "I'm a nurse": ["profile_fact occupation=nurse"],
    "I'm a senior software engineer at Netflix": [
        "profile_fact occupation=senior software engineer",
        "profile_fact employer=Netflix",
    ],
    "I work as a pediatric nurse": ["profile_fact occupation=pediatric nurse"],
    "I work at Figma": ["profile_fact employer=Figma"],
    "I work for a small startup in Berlin": ["profile_fact employer=a small startup"],
    "I work in marketing at Pedalwerk": ["profile_fact employer=Pedalwerk", "profile_fact current_field=marketing"],
    "I work at Meta": ["profile_fact employer=Meta"],  # no pronoun, though it starts like one
    "I work for Allianz": ["profile_fact employer=Allianz"],
    "I work at google": ["profile_fact employer=google"],
    "I work at night": [],
    "I'm a registered nurse": ["profile_fact occupation=registered nurse"],
    "I study forestry": ["profile_fact education=forestry"],
    "my job is in finance": ["profile_fact current_field=finance"],
    "I work from home": ["profile_fact current_work_mode=from home"],
    "I'm on the pricing team": ["profile_fact team=pricing"],
    "I'm retired": ["profile_fact occupation=retired"],
    "I was promoted to Senior Manager": ["update profile_fact occupation=Senior Manager"],
    "I got a new job at Stripe as a designer": [
        "update profile_fact employer=Stripe",
        "update profile_fact occupation=designer",
    ],
    "I quit my job at Google": ["contradict profile_fact employer=not Google"],
    "I no longer work at Google": ["contradict profile_fact employer=not Google"],
    "I study chemistry at ETH": ["profile_fact education=chemistry"],
    "I have a PhD in Political Science": ["profile_fact education=PhD in Political Science"],
    "my major is biology": ["profile_fact education=biology"],
}
PEOPLE = {
    "I'm married": ["profile_fact relationship_status=married"],
    "I'm engaged to Max": ["profile_fact relationship_status=engaged", "profile_fact partner=Max"],
    "I'm divorced": ["profile_fact relationship_status=divorced"],
    "My wife's name is Nora": ["profile_fact partner=Nora"],
    "my husband is called Ben": ["profile_fact partner=Ben"],
    "my sister's name is Anna": ["profile_fact family=Anna"],
    "My parents, Maureen and Fred, live in Ohio": ["profile_fact family=Maureen and Fred"],
    "I have two kids": ["profile_fact family=two kids"],
    "I have a daughter named Ellie": ["profile_fact family=Ellie"],
    "I have a sister named Anna and a brother named Max": ["profile_fact family=Anna", "profile_fact family=Max"],
    "I'm a mom of two": ["profile_fact family=a mom of two"],
    "I'm an only child": ["profile_fact family=only child"],
    "my best friend Sam is a chef": ["profile_fact friend=Sam", "profile_fact best friend.occupation=chef"],
    "We have a dog named Max": ["profile_fact pet=Max"],
    "my cats are called Tom and Jerry": ["profile_fact pet=Tom and Jerry"],
    "I adopted a kitten": ["profile_fact pet=a kitten"],
    "Max is a golden retriever": ["profile_fact Max.breed=golden retriever"],
    "my brother lives in Oslo": ["profile_fact brother.residence=Oslo"],
    "My wife is a pediatric nurse": ["profile_fact wife.occupation=pediatric nurse"],
    "my son is 5": ["profile_fact son.age=5"],
    "my mom is allergic to cats": ["profile_fact mother.allergy=cats"],
    "my brother Tom lives in Oslo. He works as a nurse.": [
        "profile_fact family=Tom",
        "profile_fact brother.residence=Oslo",
        "profile_fact brother.occupation=nurse",
    ],
    "My sister's birthday is on June 5": ["profile_fact sister.birthday=5 June"],
    "my mom passed away in 2019": ["profile_fact mother.life_status=dead"],
    "I broke up with my boyfriend Tom": [
        "update profile_fact relationship_status=single",
        "contradict profile_fact partner=not Tom",
    ],
}
HEALTH = {
    "I'm allergic to peanuts": ["profile_fact allergy=peanuts"],
    "I’m allergic to nuts 🥜": ["profile_fact allergy=nuts"],
    "I'm allergic to peanuts and shellfish": ["profile_fact allergy=peanuts", "profile_fact allergy=shellfish"],
    "I have a severe bee allergy": ["profile_fact allergy=bee"],
    "I'm lactose intolerant": ["profile_fact health=lactose intolerant"],
    "I have asthma": ["profile_fact health=asthma"],
    "I've been diagnosed with type 2 diabetes": ["profile_fact health=type 2 diabetes"],
    "I can't eat gluten": ["profile_fact eats=not gluten"],
    "I don't eat pork": ["profile_fact eats=not pork"],
    "I'm vegetarian": ["profile_fact diet=vegetarian"],
    "I went vegan last year": [
        "update profile_fact diet=vegan",
        "episodic_event event=go vegan",
    ],
    "I'm no longer vegetarian": ["contradict profile_fact diet=not vegetarian"],
    "I gave up meat": ["contradict profile_fact eats=not meat"],
    "I don't smoke": ["profile_fact smoking=not smoker"],
    "I quit smoking": ["contradict profile_fact smoking=not smoker"],
    "I used to smoke": ["contradict profile_fact smoking=not smoker"],
    "I don't drink": ["profile_fact drinking=not alcohol"],
    "I stopped drinking coffee": ["contradict preference habit=not drink coffee"],
    "I take 20 mg of lisinopril for my blood pressure": ["profile_fact medication=20 mg of lisinopril"],
}
TASTES = {
    "I love hiking and photography": ["preference likes=hiking", "preference likes=photography"],
    "I like to cook and bake": ["preference likes=cooking", "preference likes=baking"],
    "I enjoy jazz": ["preference likes=jazz"],
    "I'm a huge fan of Formula 1": ["preference likes=Formula 1"],
    "I'm really into pottery": ["preference likes=pottery"],
    "I hate Mondays": ["preference dislikes=Mondays"],
    "I don't like olives": ["preference dislikes=olives"],
    "I can't stand loud music": ["preference dislikes=loud music"],
    "not a fan of cilantro": ["preference dislikes=cilantro"],
    "My favorite color is green": ["preference favorite_color=green"],
    "my favourite movie is The Matrix": ["preference favorite_movie=Matrix"],
    "Blue is my favorite color": ["preference favorite_color=Blue"],
    "I prefer tea over coffee": ["preference preferred_drink=tea"],
    "I prefer vim to emacs": ["preference preferred_editor=vim"],
    "I'd rather have tea than coffee": ["preference preferred_drink=tea"],
    "I switched from coffee to tea": ["update preference preferred_drink=tea"],
    "I'm back to coffee": ["update preference preferred_drink=coffee"],
    "I went back to coffee": ["update preference preferred_drink=coffee"],
    "I'm switching from VS Code to Zed": ["update preference preferred_editor=Zed"],
    "I prefer working alone": ["preference preference=working alone"],
}
PURSUITS = {
    "I play the guitar": ["profile_fact hobby=guitar"],
    "my hobbies are chess and climbing": ["profile_fact hobby=chess", "profile_fact hobby=climbing"],
    "Playing video games and watching movies are my main hobbies.": [
        "profile_fact hobby=playing video games",
        "profile_fact hobby=watching movies",
    ],
    "In my free time I like to paint": ["profile_fact hobby=painting"],
    "I do yoga": ["profile_fact hobby=yoga"],
    "I collect stamps": ["profile_fact hobby=stamps"],
    "I speak English, Spanish and a little French": [
        "profile_fact language=English",
        "profile_fact language=Spanish",
        "profile_fact language=French",
    ],
    "I don't speak French": ["profile_fact language=not French"],
    "I'm learning Norwegian": ["profile_fact learning=Norwegian"],
    "I'm taking Spanish lessons": ["profile_fact learning=Spanish"],
    "I started learning the piano": ["profile_fact learning=piano"],
    "I use neovim and tmux": ["profile_fact tool=neovim", "profile_fact tool=tmux"],
    "I no longer use Jira": ["contradict profile_fact tool=not Jira"],
    "I'm working on a novel about bees": ["profile_fact project=novel about bees"],
    "I'm building a treehouse": ["profile_fact project=treehouse"],
    "my goal is to run a marathon": ["profile_fact goal=to run a marathon"],
    "I want to learn the piano": ["profile_fact goal=learn piano"],
    "I drive a Toyota Corolla": ["profile_fact possession=Toyota Corolla"],
    "My car is a Tesla Model 3": ["profile_fact possession=Tesla Model 3"],
    "I usually drink coffee in the morning": ["preference habit=drink coffee in morning"],
    "I work out three times a week": ["preference habit=work out three times week"],
    "I used to swim competitively in college": ["profile_fact former_habit=swim competitively in college"],
    "I've been listening to audiobooks during my commute": ["preference habit=listen to audiobooks during commute"],
}
WORLD = {
    "The capital of France is Paris": ["profile_fact France.current_capital=Paris"],
    "Paris is the capital of France": ["profile_fact France.current_capital=Paris"],
    "The CEO of Acme is Jane Doe.": ["profile_fact Acme.current_ceo=Jane Doe"],
    "Thomas Kyd was born in the city of London.": ["profile_fact Thomas Kyd.current_birthplace=London"],
    "Ada Lovelace is a citizen of United Kingdom": ["profile_fact Ada Lovelace.current_citizenship=United Kingdom"],
    "cricket was created in the country of England.": ["profile_fact cricket.current_country_of_origin=England"],
    "Hines Ward plays the position of cornerback.": ["profile_fact Hines Ward.current_position=cornerback"],
    "Chanel was founded by Coco Chanel": ["profile_fact Chanel.current_founder=Coco Chanel"],
    "Tom is married to Ana": ["profile_fact Tom.current_spouse=Ana"],
    "The headquarters of Acme Corp is located in the city of Bonn.": [
        "profile_fact Acme Corp.current_headquarters=Bonn"
    ],
    "Pedro worked in the city of Washington, D.C.": ["profile_fact Pedro.current_work_location=Washington, D.C."],
    "The color of my idea is nice": [],
    "Walter Chrysler's child is Walter Percy": ["profile_fact Walter Chrysler.current_child=Walter Percy"],
}
WORK = {
    "we decided to use Postgres because it is simple": ["decision Decided to use Postgres because it is simple."],
    "We're going with Redis instead of Memcached because of persistence": [
        "decision Decided: going with Redis instead of Memcached because of persistence."
    ],
    "We found that batching cuts the latency by half": ["finding Found that batching cuts the latency by half."],
    "Turns out the cache was never invalidated": ["finding Found that the cache was never invalidated."],
    "The root cause was a leaked connection in the retry path": [
        "finding The root cause was a leaked connection in the retry path."
    ],
    "Root cause was a missing index, fixed by adding one": [
        "correction Root cause was a missing index, fixed by adding one."
    ],
    "lesson learned: always back up the database before migrating": [
        "correction Lesson: always back up the database before migrating."
    ],
    "The migration should take ~3 days": ["estimate Estimate: The migration should take ~3 days."],
    "estimate for the backfill is 3 days": ["estimate Estimate for the backfill: 3 days."],
    "It'll take about two weeks to migrate": ["estimate Estimate: It will take about two weeks to migrate."],
}
TABLES = {**IDENTITY, **HOME_AND_WORK, **PEOPLE, **HEALTH, **TASTES, **PURSUITS, **WORLD, **WORK}


@pytest.mark.parametrize(("content", "expected"), TABLES.items(), ids=TABLES)
def test_statement(content: str, expected: list[str]) -> None:
    assert briefs(content) == expected


SEVERAL = {
    "I moved to Lisbon and I work at Figma now": [
        "update profile_fact residence=Lisbon",
        "profile_fact employer=Figma",
    ],
    "I moved to Lisbon and work at Figma now": ["update profile_fact residence=Lisbon", "profile_fact employer=Figma"],
    "My name's Ali, I'm 34 and I live in Berlin with my wife Nora": [
        "profile_fact name=Ali",
        "profile_fact age=34",
        "profile_fact partner=Nora",
        "profile_fact residence=Berlin",
    ],
    "I'm vegan and I'm allergic to soy, what can I cook?": ["profile_fact diet=vegan", "profile_fact allergy=soy"],
    "As a nurse, I work nights; my shift pattern is awful": ["profile_fact current_work_mode=nights"],
    " - I live in Rome\n - I work at Acme": ["profile_fact residence=Rome", "profile_fact employer=Acme"],
    "I quit my job at Google and started at Stripe": [
        "contradict profile_fact employer=not Google",
        "update profile_fact employer=Stripe",
    ],
    "Can you help me? I'm a teacher. I live in Graz": [
        "profile_fact occupation=teacher",
        "profile_fact residence=Graz",
    ],
    "I'm lactose intolerant so no cheese for me": ["profile_fact health=lactose intolerant"],
    "1. The capital of Spain is Madrid.\n2. Chanel was founded by Coco Chanel.": [
        "profile_fact Spain.current_capital=Madrid",
        "profile_fact Chanel.current_founder=Coco Chanel",
    ],
}


@pytest.mark.parametrize(("content", "expected"), SEVERAL.items(), ids=SEVERAL)
def test_several_statements_in_a_message(content: str, expected: list[str]) -> None:
    assert briefs(content) == expected


LOOSE = {
    "I loved The Matrix": ["preference likes=Matrix"],
    "I loved this spot on the hike": [],
    "I am currently employed, working in the finance industry.": ["profile_fact current_field=finance"],
    "According to the MBTI test, my personality type is ENTJ": ["profile_fact personality_type=ENTJ"],
    "My monthly income is 15600 USD": ["profile_fact current_monthly_income=15600 USD"],
    "My daily train fare is $6": ["profile_fact current_daily_train_fare=$6"],
    "I have a small bakery in Kichijoji": ["profile_fact possession=small bakery"],
    "For my sister's birthday, I got her a yellow dress": ["episodic_event event=get her yellow dress"],
    "I have been learning to play some piano pieces": ["profile_fact learning=playing some piano pieces"],
}


@pytest.mark.parametrize(("content", "expected"), LOOSE.items(), ids=LOOSE)
def test_looser_wordings(content: str, expected: list[str]) -> None:
    assert briefs(content) == expected
