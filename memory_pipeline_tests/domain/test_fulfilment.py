"""Which plans a deed fulfils, in whatever words, and which it only resembles."""

from __future__ import annotations

import pytest

from memory_pipeline.domain.consolidation.plans.fulfilment import fit, fulfilled, same_plan

FULFILS = [  # told, planned
    ("Rang the dentist, all sorted.", "Needs to call their dentist this week."),
    ("Rang the vet.", "Said they'd ring the vet about scanning the lambs by 1 May 2026."),
    ("Abstract submitted.", "Has to submit their abstract by 1 December 2026."),
    ("The boiler man has been.", "Told Mair they would ring the boiler man."),
    ("The dress is back.", "Needs to return the dress."),
    ("The roller is with them now.", "Must take the roller back to the clinic."),
    ("Watered them.", "Wants to be reminded to water the plants."),
    ("Found one.", "Needs to find a plumber."),
    ("Sent Neha the notes.", "Promised Neha they will send their lecture notes."),
    ("Old thinkpad went back by courier.", "Needs to give the laptop back to Acme."),
    ("GP is done.", "Needs to take care of GP."),
    ("Library card renewed.", "Must renew their library card."),
    ("Got themselves the running shoes as well, blue ones", "Wants to buy new running shoes."),
    ("Collected the DHL parcel.", "Has to pick up the package from DHL."),
    ("Sent off their application for Zurich.", "Is going to apply for the Zurich role by 15 May 2026."),
    ("Watered Ana's plants too, found one dead fern", "Should water Ana's plants while she is away."),
    ("The Prado was amazing.", "Plans to visit the Prado with their dad."),
    ("Finally reached the landlord.", "Needs to call their landlord about the mould in the bathroom."),
    ("Rang the practice.", "Still has to call the dentist about their crown."),
    ("Booked the hotel yesterday, it's near Termini.", "Needs to book the hotel by 4 May."),
    ("Called mom, she's fine.", "Promised they would call their mom this week."),
    ("Called mom.", "Promised their mum to call her."),
    ("Insurance is sorted.", "Needs to get travel insurance before that."),
    ("The insurance is sorted btw", "Needs to get travel insurance."),
    ("Greta has her money.", "Must pay Greta back this week."),
    ("Greta has her money", "Owes Greta 50 euros."),
    ("Paid Greta back.", "Owes Greta 50 euros."),
    ("Plumber came this morning.", "Needs to call the plumber about the boiler."),
    ("The plumber fixed the boiler.", "Needs to call the plumber about the boiler."),
    ("Paid the electricity bill at the post office.", "Needs to pay the electricity bill."),
    ("Gave Wes his drill back.", "Must return the drill to Wes."),
    ("Returned the drill.", "Must return the drill to Wes."),
    ("Wes got his drill back.", "Must return the drill to Wes."),
    ("Handed in my tax form.", "Has to send the tax form to Bertrand by 3 May."),
    ("Emailed Ravi the contract.", "Has to email Ravi the contract before he flies."),
    ("Sent the signed contract to Ravi.", "Has to email Ravi the contract."),
    ("Picked up my suit.", "Has to pick up the suit from the cleaner's by 8 May."),
    ("Got the boiler fixed.", "Has to repair the boiler."),
    ("Passport is renewed.", "Needs to renew their passport."),
    ("Spoke to my mother on the phone.", "Needs to call mom on Friday."),
    ("Had a long phone call with their mom this morning.", "Needs to call mom on Friday."),
    ("Went to the dentist.", "Has a dentist appointment on 3 April 2026."),
    ("Filed the taxes.", "Has to file their taxes by 15 April 2026."),
    ("Finished the treehouse.", "Wants to build a treehouse for their daughter Ellie."),
    ("Did the laundry.", "Has to do the laundry."),
    ("Met Sam.", "Has a meeting with Sam on 11 March 2026 at 15:00."),
    ("Wrote the letter to the bank.", "Needs to write a letter to the bank."),
    ("Ran a marathon.", "Plans to run a marathon in 2026."),
    ("Report is done.", "Needs to finish the report by Friday."),
    ("Submitted the report.", "Needs to finish the report by 13 March 2026."),
    ("Bought Anna a present.", "Has to buy a birthday present for Anna."),
    ("Ordered a gift for Anna.", "Has to buy a present for Anna."),
    ("Texted Jo back.", "Has to reply to Jo."),
    ("Got back to Jens.", "Needs to answer Jens."),
    ("Took the bins out.", "Must take out the trash."),
    ("Vacuumed the flat.", "Has to clean the apartment."),
    ("Fed the cat.", "Needs to feed the cat."),
    ("Signed up for the gym.", "Wants to join the gym."),
    ("Talked to my boss about the raise.", "Wants to ask their boss for a raise."),
    ("Printed the tickets.", "Has to print the tickets."),
    ("Made the appointment with the vet.", "Needs to book a vet appointment."),
    ("The letter is in the post.", "Has to send the letter to the bank."),
    ("Dropped the books off at the library.", "Has to return the library books."),
    ("Returned the library books.", "Library books are due by 20 March 2026."),
    ("Made up with Lea.", "Wants to apologise to Lea."),
    ("Told my mum about the move.", "Has to tell mom about the move."),
    ("Bertrand has the tax form now.", "Has to send the tax form to Bertrand."),
    ("Sent Sam the report.", "Has to send Sam the report by 10 March 2026."),
    ("The rent is paid.", "Has to pay the rent."),
    ("Cleaned the oven, finally.", "Has to clean the oven."),
    ("Changed the winter tyres.", "Must change the tyres."),
    ("Painted the fence.", "Needs to paint the fence."),
    ("Unsubscribed from Netflix.", "Wants to cancel Netflix."),
    ("Finally called the bank.", "Needs to ring the bank about the mortgage."),
    ("Renewed their passport at the town hall.", "Has to renew their passport before 2 July 2026."),
    ("Passport's renewed.", "Has to renew their passport."),
    ("Got their passport renewed.", "Has to renew their passport."),
    ("Got through to the insurance company.", "Needs to call the insurance."),
    ("Took the car to the garage.", "Needs to take the car to the mechanic."),
    ("Took the cat to the vet.", "Has to take the cat to the vet."),
    ("Picked the kids up from school.", "Has to pick up the kids from school."),
    ("Bought bread and milk.", "Needs to buy milk."),
    ("Bought the milk.", "Needs to get milk."),
    ("Sorted out the visa.", "Has to apply for a visa."),
    ("The visa application is in.", "Has to apply for a visa."),
    ("Applied for the visa.", "Has to apply for a visa."),
    ("Handed in the thesis.", "Has to finish their thesis by June."),
    ("Finished writing the thesis.", "Has to write their thesis."),
    ("Set up the new router.", "Wants to install the new router."),
    ("Booked flights to Lisbon.", "Needs to book the flights to Lisbon."),
    ("Found a babysitter.", "Needs to find a babysitter for Saturday."),
    ("Hung the picture.", "Wants to hang the picture."),
    ("Assembled the shelf.", "Needs to put together the IKEA shelf."),
    ("Mowed the lawn.", "Has to mow the lawn."),
    ("Replied to Kim.", "Has to get back to Kim about the flat."),
    ("Wrote back to Kim.", "Owes Kim a reply."),
    ("Transferred the deposit.", "Must pay the deposit for the flat."),
    ("Settled the invoice.", "Has to pay the plumber's invoice."),
    ("Sent mum the photos.", "Promised their mother to send her the photos."),
    ("Talked to Jonas.", "Wants to talk to Jonas about the noise."),
    ("Spoke with the landlord.", "Has to talk to the landlord."),
    ("Saw the doctor yesterday.", "Has to see a doctor about their knee."),
    ("Went to see the GP.", "Should see their doctor."),
    ("Got a haircut.", "Needs to get a haircut."),
    ("Defrosted the freezer.", "Has to defrost the freezer."),
    ("Cancelled their gym membership.", "Wants to cancel the gym."),
    ("Backed up the laptop.", "Needs to back up their laptop."),
    ("Ironed the shirts.", "Has to iron their shirts."),
    ("Sent in the application to ETH.", "Plans to apply to ETH."),
    ("Gave Lena the book back.", "Has to give Lena her book back."),
    ("Lena has her book back.", "Has to give Lena her book back."),
    ("Submitted taxes.", "Has to do their taxes."),
    ("Tax return is filed.", "Needs to do their tax return by 31 July 2026."),
    ("Did the tax return.", "Needs to file their tax return."),
    ("Visited grandma.", "Promised to visit their grandmother."),
    ("Was at grandma's on Sunday.", "Promised to visit their grandmother."),
    ("Passed the driving test.", "Has a driving test on 5 May 2026."),
    ("Took out the rubbish.", "Must take the bins out."),
    ("Vaccinated the dog.", "Has to get the dog vaccinated."),
    ("Got the dog vaccinated.", "Has to get the dog vaccinated."),
    ("Signed the lease.", "Needs to sign the lease."),
    ("Posted the letter.", "Has to send a letter to the tax office."),
    ("Electrician came and fixed the light.", "Has to call an electrician."),
    ("Landlord called back.", "Has to call the landlord."),
    ("Messaged Tim.", "Needs to text Tim."),
    ("Wished Ana a happy birthday.", "Has to wish Ana happy birthday."),
    ("Booked the dentist for 9 May.", "Needs to make a dentist appointment."),
    ("Called the dentist and got an appointment for 9 May.", "Needs to make an appointment with the dentist."),
    ("Watered the plants.", "Should water Ana's plants while she is away."),
    ("Collected the prescription.", "Has to pick up their meds."),
    ("Ordered the cake.", "Has to order a cake for Mia's birthday."),
    ("Bill paid.", "Needs to pay the phone bill."),
    ("Sent it to Bertrand.", "Has to send the tax form to Bertrand."),
]
TOLD_OF_THINGS = [  # told of the thing itself, planned
    ("The poster is in.", "Needs to hand in the poster by 3 May."),
    ("Brakes is on.", "Has to change the brakes."),
    ("The newsletter is out.", "Has to finish the newsletter."),
    ("Sandwiches is ready.", "Has to make sandwiches for the club meeting."),
    ("Permit application went off.", "Needs to apply for the permit."),
    ("The wardrobe was delivered.", "Has to order a new wardrobe."),
    ("The hedge is mown.", "Has to mow the hedge."),
    ("Had their fringe cut.", "Needs to get their fringe cut."),
    ("Went to the new tapas bar.", "Wants to try the new tapas bar."),
    ("Approved Mina's merge request.", "Needs to review Mina's merge request."),
    ("Sent Lars a thank-you note.", "Needs to thank Lars for the wine."),
    ("Told Ada they are coming.", "Has to reply to Ada's email."),
    ("Got Noah a kite for his birthday.", "Needs to buy a birthday present for Noah."),
    ("Found the charger, behind the sofa.", "Needs to find their charger before the trip."),
]
NOT_OF_PEOPLE = [
    ("Lena is out.", "Has to call Lena."),
    ("Tried the landlady.", "Has to call the landlady."),
    ("Told Bo about Ada.", "Has to reply to Ada's email."),
    ("Got Noah's sister a kite.", "Needs to buy a birthday present for Ida."),
]
DOES_NOT = [  # told, planned
    ("Sent it.", "Needs to send the form."),
    ("Watered them.", "Needs to feed the fish."),
    ("Found one.", "Needs to find the charger."),
    ("The milk man has been.", "Told Mair they would ring the boiler man."),
    ("Mother came by.", "Needs to call their mother."),
    ("Paid the water bill.", "Needs to pay the electricity bill."),
    ("Ravi emailed me about lunch.", "Has to email Ravi the contract."),
    ("Mom called the plumber herself.", "Needs to call their mom."),
    ("Tried the landlord, nobody picked up.", "Needs to call their landlord about the mould."),
    ("Called mom, no answer.", "Needs to call mom."),
    ("Sent him half of the papers.", "Has to send the tax form to Bertrand."),
    ("Sent Bertrand half of the papers.", "Has to send the tax form to Bertrand."),
    ("Sent everything else to their accountant, except the form itself.", "Has to send the tax form to Bertrand."),
    ("Wes borrowed their ladder.", "Must return the drill to Wes."),
    ("Called mom's doctor.", "Needs to call mom."),
    ("Called dad.", "Needs to call mom."),
    ("Bought milk.", "Needs to buy bread."),
    ("Called the dentist.", "Has a dentist appointment on 3 April 2026."),
    ("Finished the report.", "Needs to call mom."),
    ("Paid 200 euros of rent.", "Has to pay 900 euros of rent."),
    ("Called Anna.", "Needs to call Bob."),
    ("Sister called mom yesterday.", "Needs to call mom."),
    ("Mom called.", "Needs to call mom."),
    ("Sent the letter to the bank.", "Has to send the letter to Anna."),
    ("Haven't paid the bill.", "Needs to pay the electricity bill."),
    ("Bought a present for Tom.", "Has to buy a present for Anna."),
    ("Fixed the car radio.", "Has to fix the car."),
    ("Paid the electricity bill.", "Needs to pay the electricity bill too, and pick up the package from DHL."),
    ("Done!", "Needs to call mom."),
    ("Watered Maria's plants.", "Should water Ana's plants."),
    ("Called the plumber.", "Needs to pay the plumber."),
    ("The Prado was closed.", "Plans to visit the Prado."),
    ("Rex got his shots.", "Needs to call mom."),
    ("Found the rent statement.", "Has to send the rent statement to Bertrand."),
    ("Went to the gym.", "Has to pay the gym."),
    ("Booked the flights.", "Needs to book the hotel."),
    ("Dad renewed his passport.", "Needs to renew their passport."),
    ("Read the contract.", "Has to email Ravi the contract."),
    ("Called the electrician.", "Has to call the plumber."),
    ("Booked the restaurant.", "Needs to book the hotel."),
    ("Paid for lunch.", "Needs to pay the rent."),
    ("Sent Bertrand a postcard.", "Has to send the tax form to Bertrand."),
    ("Talked to Tom about mom.", "Needs to call mom."),
    ("Bought a phone.", "Needs to call mom."),
    ("Emailed the landlord about the rent.", "Has to pay the rent."),
    ("Renewed the library card.", "Needs to renew their passport."),
    ("Went to Rome.", "Plans to go to Naples."),
    ("Got a letter from the bank.", "Needs to write a letter to the bank."),
    ("Had lunch with mom.", "Needs to call mom."),
    ("Picked up the kids.", "Has to pick up the suit."),
    ("Mom's plumber came.", "Needs to call their mom."),
    ("Read about Rome.", "Plans to visit Rome."),
    ("Sister paid the electricity bill.", "Needs to pay the water bill."),
    ("Met Anna.", "Has to call Anna's brother."),
    ("Fixed the sink.", "Needs to fix the boiler."),
    ("Watered the garden.", "Should water Ana's plants."),
    ("Bought running socks.", "Wants to buy new running shoes."),
    ("Borrowed a drill from Wes.", "Must return the drill to Wes."),
    ("Lost the contract.", "Has to email Ravi the contract."),
    ("Started the thesis.", "Has to write their thesis."),
    ("Bought milk.", "Needs to buy milk and bread."),
]


@pytest.mark.parametrize(("said", "plan"), [*FULFILS, *TOLD_OF_THINGS])
def test_fulfils(said: str, plan: str) -> None:
    assert fulfilled(said, ["Needs to repaint the hallway.", plan]) == [1]


@pytest.mark.parametrize(("said", "plan"), [*DOES_NOT, *NOT_OF_PEOPLE])
def test_does_not_fulfil(said: str, plan: str) -> None:
    assert fulfilled(said, [plan]) == []


def test_the_better_fit_is_meant() -> None:
    plans = ["Needs to pay the electricity bill.", "Needs to pay the water bill."]
    assert fulfilled("Paid the water bill.", plans) == [1]
    assert fulfilled("Paid the bill.", plans) == [], "either may be meant"


def test_the_same_plan_told_twice_is_done_at_once() -> None:
    plans = ["Has to call mom.", "Has to call dad.", "Promised their mother to ring her."]
    assert fulfilled("Called mum.", plans) == [0, 2]


def test_what_is_given_up_needs_no_act() -> None:
    assert fulfilled("The trip to Rome is off.", ["Plans to fly to Rome in May 2027."], dropped=True) == [0]
    assert fulfilled("The trip to Oslo is off.", ["Plans to fly to Rome in May 2027."], dropped=True) == []


def test_others_settle_only_what_they_were_called_for() -> None:
    assert fit("Came this morning.", "Needs to call the plumber.", agent="plumber") > 0
    assert fit("Called the plumber.", "Needs to call the plumber.", agent="mom") == 0


SAME = [  # said, planned
    ("Still has to call mom.", "Needs to ring their mother on Friday."),
    ("Needs to pay the water bill.", "Has to pay the water bill by 3 May 2026."),
]
OTHER = [
    ("Needs to pay the water bill.", "Needs to pay the gas bill."),
    ("Needs to call Ana.", "Needs to call Ben."),
    ("Needs to call Ana.", "Needs to visit Ana."),
    ("Needs to call Ana about the hall.", "Needs to call Ana."),
]


@pytest.mark.parametrize(("said", "planned"), SAME)
def test_one_plan_said_again(said: str, planned: str) -> None:
    assert same_plan(said, planned)


@pytest.mark.parametrize(("said", "planned"), OTHER)
def test_other_plans(said: str, planned: str) -> None:
    assert not same_plan(said, planned)
