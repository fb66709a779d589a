"""What the parser takes for a logger or a program may be the name of a credential: redaction must still see it."""

from __future__ import annotations

import random
import string

import pytest

from rootproof.adapters.sources.records import whole_message
from rootproof.logs.parse import parse
from rootproof.redaction import Numbering, redact

NAMES = ("X-Api-Key", "api_key", "client_secret", "db.password", "DB_PASSWORD", "refresh-token", "app.token")
SHAPES = (
    "2026-11-30 22:00:00 ERROR {name}: {value} failed",
    "2026-11-30 22:00:00,000 ERROR [main] {name}: {value} failed",
    "2026-11-30 22:00:00.000 ERROR 1 --- [main] {name} : {value} failed",
    "Nov 30 22:00:00 db01 {name}: {value} failed",
    "ERROR:{name}:{value} failed",
)


def value_of(seed: str) -> str:
    drawn = random.Random(seed)
    return "k7" + "".join(drawn.choice(string.ascii_letters + string.digits) for _ in range(22))


@pytest.mark.parametrize("shape", SHAPES)
def test_a_credential_behind_its_name_is_hidden_wherever_the_name_went(shape: str) -> None:
    for name in NAMES:
        value = value_of(name + shape)
        (record,) = parse([shape.format(name=name, value=value)])
        assert value not in redact(whole_message(record), Numbering()), name


@pytest.mark.parametrize("logger", ["auth", "com.acme.TokenService", "session", "checkout"])
def test_an_ordinary_logger_stays_out_of_the_message(logger: str) -> None:
    (record,) = parse([f"2026-11-30 22:00:00,000 ERROR [main] {logger} - berth 7 of 12 is taken"])
    assert whole_message(record) == "berth 7 of 12 is taken"
