"""What a hosted model says that a user said, held against the user's words: paraphrases pass, inventions do not.

English is read by the parser, German and Spanish by their words alone.
"""

from __future__ import annotations

from typing import Any

import pytest

from memory_pipeline.domain.gate import GateInput, examine, first_failure, wants_session
from memory_pipeline.domain.proposal import Evidence, MemoryType, Operation
from memory_pipeline.stages.claim_readings import read
from memory_pipeline_tests.factories import POLICY, message, proposal

ADD, CLOSE, FORGET = Operation.ADD, Operation.CLOSE_OPEN_LOOP, Operation.FORGET
CONTRADICT, SUPPRESS = Operation.CONTRADICT, Operation.SUPPRESS
Row = tuple[str, str, str] | tuple[str, str, str, Operation]


def failed(said: str, quote: str, content: str, operation: Operation = ADD, **given: Any) -> str | None:
    """The rule that turns a proposal away, None when it passes."""
    cited = message(said, message_id="m")
    kind = MemoryType.OPEN_LOOP if operation is CLOSE else MemoryType.PROFILE_FACT
    stated = proposal(
        content, evidence=(Evidence("m", quote or said),), operation=operation, type=kind, model="gpt", **given
    )
    told = read(GateInput(stated, {"m": cited}, POLICY.gate, extracted=True, session=[cited]))
    assert wants_session(told) in (True, False)
    finding = first_failure(examine(told))
    return f"{finding.code}: {finding.detail}" if finding else None


ENGLISH: list[Row] = [
    ("I've been off meat since college.", "off meat since college", "Is vegetarian."),
    ("We closed on the house in March!", "We closed on the house", "Owns a house."),
    ("My GP put me on metformin last week.", "put me on metformin", "Takes metformin."),
    ("I can't stand cilantro, it tastes like soap.", "can't stand cilantro", "Dislikes cilantro."),
    ("Been coding in Rust for six years now.", "coding in Rust for six years", "Has 6 years of experience with Rust."),
    ("My mum's moving in with us in the autumn.", "", "Mother will move in with the user in autumn."),
    ("I run a bakery in Ghent with my wife.", "run a bakery in Ghent", "Owns a bakery in Ghent."),
    ("Peanuts send me straight to hospital.", "", "Is allergic to peanuts."),
    ("I've got a flight to Lisbon on Friday.", "flight to Lisbon on Friday", "Flies to Lisbon on 13 March 2026."),
    ("Don't sugarcoat it, just tell me straight.", "just tell me straight", "Wants blunt, direct answers."),
    ("My brother's a firefighter in Leeds.", "", "Brother is a firefighter in Leeds."),
    ("Our youngest turns four in May.", "", "Has a child who turns 4 in May."),
    ("The rent went up to 1,450 a month.", "", "Pays 1450 a month in rent."),
    ("I gave up smoking two years ago.", "gave up smoking", "Is a former smoker."),
    ("Studying for the bar exam in July, wish me luck.", "Studying for the bar exam", "Is preparing for the bar exam."),
    ("I'm off caffeine, doctor's orders.", "I'm off caffeine", "Avoids coffee."),
    ("Call me Sam, everybody does.", "Call me Sam", "Wants to be called Sam."),
    ("I teach year 4 at St Mary's.", "I teach year 4", "Works as a teacher at St Mary's."),
    ("My knee's wrecked, the surgery is booked for June.", "surgery is booked for June", "Has knee surgery in June."),
    ("We lost our dog Biscuit on Sunday.", "lost our dog Biscuit", "Dog Biscuit died."),
    ("I still need to renew my passport before the trip.", "renew my passport", "Has to renew the passport."),
    ("Meet Zoe, my six-year-old.", "", "Has a child called Zoe, who is 6."),
    ("I work nights … so mornings are for sleeping.", "I work nights", "Works nights."),
    ("I WORK   nights, sadly", "i work nights", "Works nights."),
    ("I'm allergic to nuts and, sadly, to cats too.", "I'm allergic to nuts … to cats too", "Is allergic to cats."),
    ("The passport's sorted, picked it up today.", "passport's sorted", "Has to renew the passport.", CLOSE),
    ("My back is fine again.", "", "Has bad back pain.", CONTRADICT),
    ("Please forget what I said about my ex Marco.", "", "Was with Marco for five years.", FORGET),
    ("I quit the band last night.", "I quit the band", "Plays bass in The Low Tides.", CONTRADICT),
    ("Don't ever bring up my divorce again.", "", "Is divorced.", SUPPRESS),
    ("Forget that, please.", "", "Has two cats.", FORGET),
]  # fmt: skip

ENGLISH_INVENTED: list[Row] = [
    ("I'm allergic to nuts.", "I'm not allergic to nuts", "Is not allergic to nuts."),
    ("I do not eat fish.", "I do eat fish", "Eats fish."),
    ("Our two cats sleep all day.", "Our three cats sleep all day", "Has three cats."),
    ("I run a bakery in Ghent.", "I run a bakery in Bruges", "Runs a bakery in Bruges."),
    ("I love long walks.", "I hate long walks", "Dislikes long walks."),
    ("We moved in with my aunt.", "We … my aunt moved", "Lives with an aunt."),
    ("My partner Karim teaches chemistry.", "my partner Karim", "Cheats on Karim."),
    ("My partner Karim teaches chemistry.", "my partner Karim", "Karim is an alcoholic."),
    ("My partner Karim teaches chemistry.", "my partner Karim", "Hates Karim."),
    ("Our two cats sleep all day.", "our two cats", "Is allergic to cats."),
    ("Our two cats sleep all day.", "our two cats", "Killed the two cats."),
    ("I live in Leeds with my mum.", "with my mum", "Mother is terminally ill."),
    ("I work at Siemens.", "I work at Siemens", "Was fired from Siemens."),
    ("I work at Siemens.", "I work at Siemens", "Stole from Siemens."),
    ("I've an appointment with Dr Lee on Monday.", "", "Has cancer."),
    ("My sister lives in Oslo.", "", "Lives in Oslo."),
    ("I might move to Porto.", "", "Lives in Porto."),
    ("We have three kids.", "", "Beats the kids."),
    ("I run the half marathon in Annecy on 17 May.", "", "Runs the half marathon in Annecy on 17 June 2026."),
    ("My wife is a nurse.", "", "Is pregnant."),
    ("I'm 34.", "", "Is 43 years old."),
    ("I love my job at Lumen.", "", "Hates the job at Lumen."),
    ("Karim cooks on Sundays.", "", "Cooks on Sundays.", ),
    ("What's a good beginner camera?", "", "Has two cats.", FORGET),
    ("Our two cats are lovely.", "our two cats", "Has two cats.", FORGET),
    ("Our two cats are lovely.", "our two cats", "Has two cats.", CONTRADICT),
    ("I took the bus.", "", "Is allergic to penicillin.", CONTRADICT),
    ("I need to renew my passport.", "", "Has to renew the passport.", CLOSE),
    ("Please forget what I said about Helen.", "", "Is allergic to penicillin.", FORGET),
    ("I like tea.", "", "Is divorced.", SUPPRESS),
    ("Zoe's party is over.", "", "Works at Lumen.", CONTRADICT),
]  # fmt: skip

GERMAN: list[Row] = [
    ("Ich esse seit Jahren kein Fleisch mehr.", "kein Fleisch mehr", "Ist Vegetarier."),
    ("Ich wohne in Köln und arbeite bei Ford.", "Ich wohne in Köln", "Wohnt in Köln."),
    ("Ich wohne in Köln und arbeite bei Ford.", "arbeite bei Ford", "Arbeitet bei Ford."),
    ("Meine Frau Jana ist Hebamme.", "", "Ehefrau Jana ist Hebamme."),
    ("Meine Frau Jana ist Hebamme.", "Meine Frau Jana", "Ist mit Jana verheiratet."),
    ("Wir haben zwei Katzen, Minka und Moritz.", "zwei Katzen, Minka und Moritz", "Hat 2 Katzen, Minka und Moritz."),
    ("Ich vertrage keine Laktose.", "", "Ist laktoseintolerant."),
    ("Bitte duz mich und fass dich kurz.", "fass dich kurz", "Möchte kurze Antworten."),
    ("Bitte duz mich und fass dich kurz.", "duz mich", "Möchte geduzt werden."),
    ("Ich muss bis zum 24. April die Klausuren korrigieren.", "", "Muss bis 24. April 2026 Klausuren korrigieren."),
    ("Am Freitag gebe ich die Steuer ab.", "", "Gibt am 13. März 2026 die Steuererklärung ab."),
    ("Wir ziehen im August nach Bonn.", "", "Plant im August den Umzug nach Bonn."),
    ("Mein Sohn Piet wurde gestern sechs.", "", "Sohn Piet ist 6 Jahre alt."),
    ("Ich lerne seit März Cello.", "", "Lernt Cello."),
    ("Ich bin gegen Haselnüsse allergisch.", "", "Hat eine Allergie gegen Haselnüsse."),
    ("Meine Mutter lebt in Graz und malt.", "", "Mutter lebt in Graz."),
    ("Ich hab für die Hochzeit noch kein Geschenk.", "", "Braucht noch ein Hochzeitsgeschenk."),
    ("Ich hasse Rosenkohl.", "", "Mag keinen Rosenkohl."),
    ("Ich laufe jeden Morgen zehn Kilometer.", "", "Läuft jeden Morgen 10 Kilometer."),
    ("Wir nehmen Postgres, weil Mongo Daten verloren hat.", "", "Nutzt Postgres statt Mongo wegen Datenverlust."),
    ("Ich bin Lehrerin für Bio an einer Gesamtschule.", "", "Ist Biolehrerin an einer Gesamtschule."),
    ("Ich arbeite … nachts, leider.", "Ich arbeite", "Arbeitet nachts."),
    ("Die Steuer ist raus.", "", "Muss die Steuererklärung abgeben.", CLOSE),
    ("Der Rücken ist wieder gut.", "", "Hat Rückenschmerzen.", CONTRADICT),
    ("Ich hab bei Ford gekündigt.", "", "Arbeitet bei Ford.", CONTRADICT),
    ("Vergiss bitte, was ich über die Katzen gesagt habe.", "", "Hat zwei Katzen, Minka und Moritz.", FORGET),
    ("Sprich mich nie wieder auf die Scheidung an.", "", "Ist seit der Scheidung allein.", SUPPRESS),
]  # fmt: skip

GERMAN_INVENTED: list[Row] = [
    ("Ich bin gegen Nüsse allergisch.", "Ich bin nicht gegen Nüsse allergisch", "Ist nicht gegen Nüsse allergisch."),
    ("Ich wohne in Köln.", "Ich wohne in Bonn", "Wohnt in Bonn."),
    ("Wir haben zwei Katzen.", "Wir haben drei Katzen", "Hat drei Katzen."),
    ("Wir haben zwei Katzen.", "", "Hat drei Katzen."),
    ("Ich wohne in Köln.", "", "Wohnt in Hamburg."),
    ("Ich wohne in Köln.", "", "Ist schwanger."),
    ("Ich wohne in Köln mit meiner Mutter.", "", "Mutter ist todkrank."),
    ("Mein Mann Karim unterrichtet Chemie.", "", "Betrügt Karim."),
    ("Mein Mann Karim unterrichtet Chemie.", "", "Karim ist Alkoholiker."),
    ("Wir haben zwei Katzen.", "", "Ist gegen Katzen allergisch."),
    ("Ich arbeite bei Siemens.", "", "Hat bei Siemens gestohlen."),
    ("Ich arbeite bei Siemens.", "", "Arbeitet bei Bosch."),
    ("Langer Tag heute.", "", "Trinkt jeden Abend Wodka."),
    ("Was ist eine gute Kamera für Anfänger?", "", "Ist vorbestraft."),
    ("Ich laufe den Marathon am 17. Mai.", "", "Läuft den Marathon am 17. Juni 2026."),
    ("Ich bin gegen Nüsse allergisch.", "", "Ist nicht gegen Nüsse allergisch."),
    ("Ich esse keinen Fisch.", "", "Isst Fisch."),
    ("Meine Schwester lebt in Oslo.", "", "Lebt in Oslo."),
    ("Ich bin 34.", "", "Ist 43 Jahre alt."),
    ("Wir heiraten!", "", "Heiratet am 14. September 2027."),
    ("Was ist eine gute Kamera?", "", "Hat zwei Katzen.", FORGET),
    ("Unsere zwei Katzen sind lieb.", "", "Hat zwei Katzen.", FORGET),
    ("Unsere zwei Katzen sind lieb.", "", "Hat zwei Katzen.", CONTRADICT),
    ("Ich muss noch die Steuer machen.", "", "Muss die Steuererklärung machen.", CLOSE),
    ("Vergiss bitte, was ich über Helen gesagt habe.", "", "Ist gegen Penicillin allergisch.", FORGET),
    ("Ich trinke gern Tee.", "", "Ist geschieden.", SUPPRESS),
]  # fmt: skip

SPANISH: list[Row] = [
    ("No como carne desde hace años.", "", "Es vegetariana."),
    ("Vivo en Sevilla y trabajo en Inditex.", "Vivo en Sevilla", "Vive en Sevilla."),
    ("Vivo en Sevilla y trabajo en Inditex.", "trabajo en Inditex", "Trabaja en Inditex."),
    ("Me llamo Carmen, soy profesora jubilada.", "Me llamo Carmen", "Se llama Carmen."),
    ("Me llamo Carmen, soy profesora jubilada.", "soy profesora jubilada", "Es profesora jubilada."),
    ("Tengo dos gatos, Lola y Curro.", "", "Tiene 2 gatos, Lola y Curro."),
    ("Mi marido Pablo es celíaco.", "", "Su marido Pablo es celíaco."),
    ("Mi marido Pablo es celíaco.", "Mi marido Pablo", "Está casada con Pablo."),
    ("No soporto el cilantro.", "", "No le gusta el cilantro."),
    ("Soy alérgico a los mariscos.", "", "Tiene alergia al marisco."),
    ("El mes que viene nos mudamos a Lima.", "", "Se muda a Lima en abril de 2026."),
    ("Mi hija se casa el 20 de junio.", "", "Su hija se casa el 20 de junio de 2026."),
    ("Tengo que pagar el seguro antes del 30 de abril.", "", "Tiene que pagar el seguro antes del 30 de abril."),
    ("Prefiero que me tutees.", "", "Prefiere que le hablen de tú."),
    ("Ve al grano, por favor.", "", "Quiere respuestas breves."),
    ("Los fines de semana soy monitor de escalada.", "", "Es monitor de escalada los fines de semana."),
    ("Mi hermano Mateo se ha mudado a Lima.", "", "Su hermano Mateo vive en Lima."),
    ("Corro diez kilómetros cada mañana.", "", "Corre 10 kilómetros cada mañana."),
    ("Estudio para las oposiciones de julio.", "", "Prepara las oposiciones de julio."),
    ("Mi hijo cumplió seis años ayer.", "", "Su hijo tiene 6 años."),
    ("Elegimos Postgres porque Mongo perdía datos.", "", "Eligió Postgres porque Mongo perdía datos."),
    ("Toco la guitarra desde niño.", "", "Toca la guitarra."),
    ("Lo de la moto ya está pagado.", "", "Tiene que pagar el seguro de la moto.", CLOSE),
    ("He dejado Inditex.", "", "Trabaja en Inditex.", CONTRADICT),
    ("La espalda ya no me duele.", "", "Tiene dolor de espalda.", CONTRADICT),
    ("Olvida lo que te dije de los gatos.", "", "Tiene dos gatos, Lola y Curro.", FORGET),
    ("No me hables nunca más del divorcio.", "", "Vive solo desde el divorcio.", SUPPRESS),
]  # fmt: skip

SPANISH_INVENTED: list[Row] = [
    ("Soy alérgico a las nueces.", "No soy alérgico a las nueces", "No es alérgico a las nueces."),
    ("Vivo en Sevilla.", "Vivo en Cádiz", "Vive en Cádiz."),
    ("Tengo dos gatos.", "Tengo tres gatos", "Tiene tres gatos."),
    ("Tengo dos gatos.", "", "Tiene tres gatos."),
    ("Vivo en Sevilla.", "", "Vive en Bilbao."),
    ("Vivo en Sevilla.", "", "Está embarazada."),
    ("Vivo en Sevilla con mi madre.", "", "Su madre está enferma de cáncer."),
    ("Mi marido Pablo es celíaco.", "", "Engaña a Pablo."),
    ("Mi marido Pablo es celíaco.", "", "Pablo es alcohólico."),
    ("Tengo dos gatos.", "", "Es alérgico a los gatos."),
    ("Trabajo en Inditex.", "", "Robó en Inditex."),
    ("Trabajo en Inditex.", "", "Trabaja en Zara."),
    ("Un día largo.", "", "Bebe vodka cada noche."),
    ("¿Qué cámara me recomiendas?", "", "Ha estado en la cárcel."),
    ("Corro la maratón el 17 de mayo.", "", "Corre la maratón el 17 de junio de 2026."),
    ("Soy alérgico a las nueces.", "", "No es alérgico a las nueces."),
    ("No como pescado.", "", "Come pescado."),
    ("Mi hermana vive en Oslo.", "", "Vive en Oslo."),
    ("Tengo 34 años.", "", "Tiene 43 años."),
    ("¡Nos casamos!", "", "Se casa el 14 de septiembre de 2027."),
    ("¿Qué cámara me recomiendas?", "", "Tiene dos gatos.", FORGET),
    ("Nuestros dos gatos son un amor.", "", "Tiene dos gatos.", FORGET),
    ("Nuestros dos gatos son un amor.", "", "Tiene dos gatos.", CONTRADICT),
    ("Tengo que pagar el seguro.", "", "Tiene que pagar el seguro.", CLOSE),
    ("Olvida lo que te dije de Helena.", "", "Es alérgica a la penicilina.", FORGET),
    ("Me gusta el té.", "", "Está divorciado.", SUPPRESS),
]  # fmt: skip


@pytest.mark.parametrize("row", [*ENGLISH, *GERMAN, *SPANISH])
def test_what_follows_from_its_quote_passes(row: Row) -> None:
    assert failed(*row) is None


@pytest.mark.parametrize("row", [*ENGLISH_INVENTED, *GERMAN_INVENTED, *SPANISH_INVENTED])
def test_what_does_not_follow_from_its_quote_is_turned_away(row: Row) -> None:
    assert failed(*row) is not None
