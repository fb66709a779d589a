"""Rules that hold for every text: order, no overlap, nothing else changes, twice is once, equal stays equal."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.redaction import Numbering, find, redact, visible

PIECES = [
    "password=", "tr0ub4dor", "Authorization: Bearer ", "token: ", "api_key", '"', "'", "\\", '\\"', "{", "}", "[",
    "]", ":", "=", ",", " ", "\n", "\t", "&", "@", "://", "postgres://app:", "@db:5432/x", "10.1.2.3", "fe80::1",
    "cart-7f9dd8b6c4-x7gr9", "pod ", "pid=", "4711", "jo@post.shop.org", "-----BEGIN PRIVATE KEY-----",
    "-----END PRIVATE KEY-----", "SELECT a FROM t WHERE b=", "'x'", "<ip:1>", "<secret:password:1>", "<pod:cart-1>",
    "<", ">", "\u200b", "\x1b[31m", "\u202e", "Cookie: a=b; c=d", "%3D", "%22", "secret", "İ", "AKIA",
    "Q3EGRT5YUIOPLKJH", "ghp_", "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKq", "eyJhbGciOiJFUzI1NiJ9.",
    "eyJpc3MiOiJsYWIifQ.", "node ", "worker-3", "\x00", " at a.b(C.java:1)", "0x7ffe12345678", "$", "${X}", "|",
    "kind: Secret\ndata:\n", "  a: b\n", "-p", "mysql ", "curl -u ", "?", "setPassword(", ' key="password">',
    "</password>", '"kind":"Secret",', '"data":{', "(user,password) values (", "setuser x on >", "--from-literal=x=",
    "password: str = ", "'''", "secrets: {a: ", "\\u200b", "value ", " for api_key", "| password |\n|---|\n| ",
    "AUTH PLAIN ", " is: ", "Key (a)=(", ") already exists", "/", "0.0.0.0", "login svc with password ", "xkeysib-",
    "echo ", " | --password-stdin",
]  # fmt: skip
TEXTS = st.one_of(st.lists(st.sampled_from(PIECES), max_size=14).map("".join), st.text(max_size=80))


@given(TEXTS)
@settings(max_examples=12000, deadline=None)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    numbering = Numbering()
    once = redact(text, numbering)
    assert redact(once, numbering) == once
    assert redact(once, Numbering()) == once


@given(TEXTS)
@settings(max_examples=3000, deadline=None)
def test_findings_are_ordered_and_apart(text: str) -> None:
    position = 0
    for finding in find(text):
        assert position <= finding.start < finding.end <= len(text)
        position = finding.end


@given(TEXTS)
@settings(max_examples=3000, deadline=None)
def test_text_between_findings_is_unchanged_but_for_escapes(text: str) -> None:
    hidden: list[str] = []

    def keep(kind: str, value: str) -> str:
        hidden.append(value)
        return f"\ue000{len(hidden) - 1}\ue001"

    out = redact(text.replace("\ue000", ""), keep)
    restored = re.sub("\ue000(\\d+)\ue001", lambda m: hidden[int(m[1])], out)
    assert visible(restored) == visible(text.replace("\ue000", ""))


@given(TEXTS)
@settings(max_examples=200, deadline=None)
def test_the_same_text_gets_the_same_placeholders(text: str) -> None:
    numbering = Numbering()
    assert redact(text, numbering) == redact(text, numbering)
    assert redact(text, Numbering()) == redact(text, Numbering())


@given(st.text(max_size=200))
@settings(max_examples=3000, deadline=None)
def test_nothing_unseen_is_left(text: str) -> None:
    out = visible(text)
    assert visible(out) == out
    assert all(
        char.isprintable() or char in "\t\n" or char.isspace() or ord(char) > 0x2FFF or not char.isascii()
        for char in out
    )
    assert not re.search(
        "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2066-\u2069\ufeff\U000e0000-\U000e007f]", out
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\x1b[2Kb", "a\\x1b[2Kb"),
        ("app\u202egpj", "app\\u202egpj"),
        ("x\U000e0041\U000e0042y", "x[hidden text taken out: 2 tag characters]y"),
        ("a\u200bb", "a\\u200bb"),
        ("line\r\nnext", "line\\x0d\nnext"),
        ("tab\tand\nnewline stay", "tab\tand\nnewline stay"),
        ("bad \ud800 surrogate", "bad \\ud800 surrogate"),
        ("größe 数据 🚀", "größe 数据 🚀"),
    ],
)
def test_unseen_characters_become_escapes(text: str, expected: str) -> None:
    assert visible(text) == expected
    assert redact(text, Numbering()) == expected


@pytest.mark.parametrize("unseen", ["\u200b", "\u00ad", "\U000e0061", "\x1b[1m", "\u202a"])
def test_unseen_characters_do_not_hide_a_secret(unseen: str) -> None:
    token = "ghp_" + "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKq"
    text = f"using {token[:9]}{unseen}{token[9:]} and pass{unseen}word={unseen}tr0ub4dor now"
    out = redact(text, Numbering())
    assert token[12:24] not in out
    assert "tr0ub4dor" not in out
    assert out.endswith(" now")


def test_a_custom_placeholder_is_not_searched_again() -> None:
    assert (
        redact("password=tr0ub4dor token: abc-12", lambda kind, value: "secret=gone1")
        == "password=secret=gone1 token: secret=gone1"
    )


def test_placeholders_in_the_text_stay() -> None:
    text = "pod <pod:cart-1> on <node:2> at <ip:3>: password=<secret:password:2> Bearer <secret:token:1> <host:1>"
    assert redact(text, Numbering(), known={"cart-1": "pod", "secret": "host"}) == text


def test_what_only_looks_like_a_placeholder_hides_nothing() -> None:
    assert "10.1.2.3" not in redact("<ip:10.1.2.3> <password:hunter2> password=hunter2", Numbering())


def test_a_credential_beats_what_it_overlaps() -> None:
    assert (
        redact("postgres://app:jo@post.shop.org@10.1.2.3/x", lambda kind, value: f"[{kind}]")
        == "postgres://app:[secret:password]@[ip]/x"
    )


def test_overlapping_credentials_leave_no_tail() -> None:
    token = "ghp_" + "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKq"
    assert redact(f"password={token}!tail;x", lambda kind, value: "[s]").startswith("password=[s]")
    assert "tail" not in redact(f"password={token}!tail", lambda kind, value: "[s]")


def test_cutting_after_redaction_leaks_nothing() -> None:
    token = "sk_live_" + "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKqV6tB7pQ2"
    out = redact("x" * 40 + " " + token + " rest", Numbering())
    for limit in range(len(out)):
        assert not any(token[i : i + 8] in out[:limit] for i in range(8, len(token) - 8))
