"""What counts as sensitive and, as important, what does not. All numbers are invented or a standard's own examples."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory_pipeline.domain.policy import SensitiveClass
from memory_pipeline.domain.sensitive import find
from memory_pipeline.domain.sensitive.detection import cleaned

KEY, PASSWORD, CARD = SensitiveClass.KEY, SensitiveClass.PASSWORD, SensitiveClass.CARD
BANK, NATIONAL, DOCUMENT = SensitiveClass.BANK_ACCOUNT, SensitiveClass.NATIONAL_ID, SensitiveClass.IDENTITY_DOCUMENT
EMAIL, PHONE, ADDRESS, COORDINATES = (
    SensitiveClass.EMAIL,
    SensitiveClass.PHONE,
    SensitiveClass.ADDRESS,
    SensitiveClass.COORDINATES,
)

SENSITIVE = [
    # keys and tokens
    ("API key is sk-test-abcdefghijklmnop1234.", KEY, "sk-test-abcdefghijklmnop1234"),
    ("export PAY_KEY=sk-test-FAKE0000NOTAREALKEY0000demo", KEY, "sk-test-FAKE0000NOTAREALKEY0000demo"),
    ("use sk-ant-api03-AbCdEfGh1234567890xyz please", KEY, "sk-ant-api03-AbCdEfGh1234567890xyz"),
    ("token ghp_0123456789abcdefghijABCDEFGHIJ012345", KEY, "ghp_0123456789abcdefghijABCDEFGHIJ012345"),
    ("glpat-abcdefghij0123456789 is in the CI", KEY, "glpat-abcdefghij0123456789"),
    ("AKIAIOSFODNN7EXAMPLE", KEY, "AKIAIOSFODNN7EXAMPLE"),
    ("slack: xoxb-123456789012-abcdefABCDEF", KEY, "xoxb-123456789012-abcdefABCDEF"),
    ("Uses hf_abcdefghijklmnopqrstuvwx for downloads.", KEY, "hf_abcdefghijklmnopqrstuvwx"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.c2lnbmF0dXJl", KEY, None),
    ("the bot is 123456789:AAabcdefghijklmnopqrstuvwxyz0123456", KEY, "123456789:AAabcdefghijklmnopqrstuvwxyz0123456"),
    ("postgres://ben:tr0ub4dor@db.example.org/orders", KEY, "tr0ub4dor"),
    (
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY----- ok",
        KEY,
        "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----",
    ),
    ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb", KEY, "-----BEGIN OPENSSH PRIVATE KEY-----\nb3Blb"),
    # passwords, PINs, seed phrases said in words
    ("Password: hunter2 for everything.", PASSWORD, "hunter2"),
    ("my password is hunter2", PASSWORD, "hunter2"),
    ("My password is swordfish.", PASSWORD, "swordfish"),
    ("Netflix password is now Tulip!Garden, ok?", PASSWORD, "Tulip!Garden"),
    ("the wifi password for the guest network is blue-giraffe-42", PASSWORD, "blue-giraffe-42"),
    ("the passphrase is “correct horse”", PASSWORD, "correct horse"),
    ("my passphrase is correct horse battery staple.", PASSWORD, "correct horse battery staple"),
    ("I changed my password to Winter2026", PASSWORD, "Winter2026"),
    ("PIN is 4821.", PASSWORD, "4821"),
    ("my pin code: 0417", PASSWORD, "0417"),
    ("the CVV 123 is on the back", PASSWORD, "123"),
    ("hunter2 is my password", PASSWORD, "hunter2"),
    ("the user is an admin with password hunter2", PASSWORD, "hunter2"),
    ("api key = 9f8e7d6c5b4a", PASSWORD, "9f8e7d6c5b4a"),
    ("mein Passwort ist Sommer2026!", PASSWORD, "Sommer2026"),
    ("mot de passe : tournesol7", PASSWORD, "tournesol7"),
    ("パスワードは sakura99 です", PASSWORD, "sakura99"),
    (
        "seed phrase: apple banana cherry dog eagle fish grape horse island juice kite lemon",
        PASSWORD,
        "apple banana cherry dog eagle fish grape horse island juice kite lemon",
    ),
    # cards
    ("Card number is 4242 4242 4242 4242.", CARD, "4242 4242 4242 4242"),
    ("5555-5555-5555-4444", CARD, "5555-5555-5555-4444"),
    ("378282246310005 is my Amex", CARD, "378282246310005"),
    ("3782 822463 10005", CARD, "3782 822463 10005"),
    ("6011111111111117", CARD, "6011111111111117"),
    ("4242.4242.4242.4242", CARD, "4242.4242.4242.4242"),
    ("4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2", CARD, "4 2 4 2 4 2 4 2 4 2 4 2 4 2 4 2"),
    ("４２４２ ４２４２ ４２４２ ４２４２", CARD, "4242 4242 4242 4242"),
    ("4242\u200b424242424242", CARD, None),
    ("4242\u200b4242\u200b4242\u200b4242", CARD, "4242424242424242"),
    # bank accounts
    ("IBAN DE89 3704 0044 0532 0130 00 please", BANK, "DE89 3704 0044 0532 0130 00"),
    ("GB82WEST12345698765432", BANK, "GB82WEST12345698765432"),
    ("my iban is fr1420041010050500013m02606 ok", BANK, "fr1420041010050500013m02606"),
    ("account number 12345678", BANK, "12345678"),
    ("sort code 12-34-56", BANK, "12-34-56"),
    # national ids and documents
    ("SSN 536-90-4399", NATIONAL, "536-90-4399"),
    ("social security number is 536904399", NATIONAL, "536904399"),
    ("DNI 54362315K", NATIONAL, "54362315K"),
    ("codice fiscale RCCMNL83S18D969H", NATIONAL, "RCCMNL83S18D969H"),
    ("CPF 390.533.447-05", NATIONAL, "390.533.447-05"),
    ("my BSN is 111222333", NATIONAL, "111222333"),
    ("PESEL 44051401359", NATIONAL, "44051401359"),
    ("national insurance AB 12 34 56 C", NATIONAL, "AB 12 34 56 C"),
    ("passport number is C01X00T47", DOCUMENT, "C01X00T47"),
    ("Reisepass-Nr. C01X00T478", DOCUMENT, "C01X00T478"),
    # contact data
    ("write to max.mustermann+news@example.co.uk.", EMAIL, "max.mustermann+news@example.co.uk"),
    ("call +49 176 1234 5678 tonight", PHONE, "+49 176 1234 5678"),
    ("(212) 555-0147", PHONE, "(212) 555-0147"),
    ("212-555-0147", PHONE, "212-555-0147"),
    ("my mobile is 0176 1234567", PHONE, "0176 1234567"),
    ("Lives at 221B Baker Street", ADDRESS, "221B Baker Street"),
    ("1600 Pennsylvania Avenue NW", ADDRESS, "1600 Pennsylvania Avenue NW"),
    ("Weserstraße 12a in Berlin", ADDRESS, "Weserstraße 12a"),
    ("12 rue de Rivoli", ADDRESS, "12 rue de Rivoli"),
    ("Calle Mayor 5", ADDRESS, "Calle Mayor 5"),
    ("the hut is at 52.52001, 13.40495", COORDINATES, "52.52001, 13.40495"),
    ("52° 31' 12.1\" N, 13° 24' 17.8\" E", COORDINATES, "52° 31' 12.1\" N, 13° 24' 17.8\" E"),
    ("P.O. Box 123", ADDRESS, "P.O. Box 123"),
]  # fmt: skip

HARMLESS = [
    # talk about secrets
    "Uses Bitwarden as password manager.",
    "my password manager is Bitwarden",
    "the secret is patience",
    "The secret to good bread is time.",
    "My secret ingredient is cardamom.",
    "PIN the message to the top",
    "her pin is a gold brooch",
    "My password is too long to remember.",
    "my password is expired",
    "The passphrase is not the problem here.",
    "The password is required to have 12 characters.",
    "my password is 12 characters long",
    "Remember my password policy talk on Friday.",
    "Is giving a talk about password policies.",
    "The API key is stored in the vault.",
    "access token is expired",
    "Forgot the passcode and had to reset the phone.",
    "PIN is 4 digits",
    "Keeps them in the password manager 1Password.",
    "Gives a talk on password hashing in 2027.",
    "the token is valid for 24 hours",
    "password: string",
    "password = os.environ['DB_PASSWORD']",
    "Password: <your password>",
    "Wants to change the wifi password to something longer.",
    "The passport expires in 2027.",
    "My passport was renewed on 2026-03-10.",
    "Uses sk-learn-contrib-packages at work.",
    # numbers that are no secret
    "Order number 4242424242424242 arrived.",
    "ISBN 978-3-16-148410-0 is on the list.",
    "ISBN 9783161484100",
    "Tracking 6011111111111117 says Friday.",
    "The years 1990-2000 were the best.",
    "worked there 2019 2020 2021 2022",
    "Runs 10 12 15 20 25 30 35 minutes in turn.",
    "Blood pressure fell from 142/90 to 131/84.",
    "Ran 5.55 km in 27:31.",
    "Pi is 3.14159265358979",
    "commit 3f786850e387550fdab836ed7e6dc881de23001b",
    "UUID 123e4567-e89b-12d3-a456-426614174000",
    "version 10.15.7, build 19H2026",
    "IP 192.168.178.1",
    "born 12.03.1990",
    "Meeting from 10:00 to 11:30 on 2026-04-12",
    "Weighs 200.4 lb and wants 185.",
    "The population is 83 200 000.",
    "1234-5678-9012-3456",
    "costs 1 299 000 euro",
    "phone costs 1299 dollars",
    "Has had the same phone since 2019.",
    "Aufgabe 12345678",
    # places and handles
    "In 2020 Oxford Street was closed.",
    "ran 5 miles down the road",
    "Lives on Elm Street.",
    "Works on Wall Street.",
    "is @max on Mastodon",
    "meet me @ the 3 cafés",
    "Version 2.10.1, 3.5.20 and 4.0",
    "Took 2 Court cases",
    "it is 52.5 north and 13.4 east",
    "Uses React 19 and Node 22.",
    "Highway 61 Revisited is her favourite record.",
    "Watched 12 Angry Men.",
    "",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind", "value"), SENSITIVE)
def test_what_is_sensitive_is_found_where_it_stands(text: str, kind: SensitiveClass, value: str | None) -> None:
    plain = cleaned(text)
    found = [(span.kind, plain[span.start : span.end]) for span in find(text)]
    assert kind in {k for k, _ in found}
    if value is not None:
        assert (kind, value) in found


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_so_is_left_alone(text: str) -> None:
    assert find(text) == ()


@given(st.text(alphabet="0123456789 -.,:/()+@abcPINis", max_size=60))
def test_spans_are_ordered_inside_the_text_and_apart(text: str) -> None:
    at = 0
    for span in find(text):
        assert at <= span.start < span.end <= len(cleaned(text))
        at = span.end


@given(st.from_regex(r"4[0-9]{14}", fullmatch=True))
def test_exactly_one_check_digit_makes_a_card(prefix: str) -> None:
    kinds = [{span.kind for span in find(f"card {prefix}{digit}")} for digit in range(10)]
    assert sum(CARD in found for found in kinds) == (0 if len(set(prefix)) == 1 else 1)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_can_be_looked_at(text: str) -> None:
    assert all(span.start < span.end for span in find(text))
