"""A policy switches classes of identifiers; credentials have no switch."""

from __future__ import annotations

import pytest

from rootproof.errors import UsageError
from rootproof.redaction import (
    HIDE_ALL,
    IDENTIFIER_CLASSES,
    Numbering,
    Policy,
    find,
    parse_policy,
    redact,
    redact_structure,
)
from rootproof.redaction.finding import PLACEHOLDER

TEXT = "peer 10.1.2.3 mail lea@lab.example pid=4711 password=Tr0ub4dor9"


def test_a_class_that_is_off_stays_readable_and_the_others_go() -> None:
    policy = parse_policy("[identifiers]\nip = false\nemail = true\n", "p.toml")
    assert policy == Policy(frozenset({"ip"}))
    assert (
        redact(TEXT, Numbering(), policy=policy)
        == "peer 10.1.2.3 mail <email:1> pid=<pid:1> password=<secret:password:1>"
    )
    assert [finding.kind for finding in find(TEXT, policy=policy)] == ["email", "pid", "secret:password"]


def test_all_classes_off_still_hides_credentials() -> None:
    policy = Policy(frozenset(IDENTIFIER_CLASSES))
    assert redact(TEXT, Numbering(), policy=policy) == TEXT.replace("Tr0ub4dor9", "<secret:password:1>")
    walked = redact_structure({"ip": "10.1.2.3", "token": "Tr0ub4dor9x"}, Numbering(), policy=policy)
    assert walked == {"ip": "10.1.2.3", "token": "<secret:token:1>"}


def test_names_known_from_structure_follow_the_policy() -> None:
    policy = Policy(frozenset({"node"}))
    known = {"worker-7": "node", "db-9": "host"}
    assert redact("worker-7 lost db-9", Numbering(), known=known, policy=policy) == "worker-7 lost <host:1>"


@pytest.mark.parametrize("empty", ["", "[identifiers]\n", "# nothing\n"])
def test_nothing_set_hides_every_class(empty: str) -> None:
    assert parse_policy(empty, "p.toml") == HIDE_ALL


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[identifiers]\npassword = false\n", "p.toml: identifiers.password is about credentials"),
        ("[identifiers]\ngithub_token = false\n", "identifiers.github_token is about credentials"),
        ('[identifiers]\n"secret:jwt" = false\n', "is about credentials"),
        ("[credentials]\naws = false\n", "[credentials] is about credentials"),
        ("[identifiers]\nemial = false\n", "identifiers.emial is unknown; did you mean 'email'?"),
        ("[identifiers]\nzzzz = false\n", "is unknown; known: ip, mac"),
        ("[identifer]\nip = false\n", "[identifer] is unknown; did you mean 'identifiers'?"),
        ("[identifiers]\nip = 0\n", "identifiers.ip must be true (hidden) or false (shown), not 0"),
        ("identifiers = 3\n", "must be a table"),
        ("[identifiers\n", "p.toml cannot be read as TOML"),
    ],
)
def test_a_policy_that_cannot_be_used_says_what_and_where(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_policy(text, "p.toml")
    assert said in str(caught.value)


def test_every_class_has_a_placeholder() -> None:
    assert all(PLACEHOLDER.fullmatch(f"<{name}:1>") for name in IDENTIFIER_CLASSES)
