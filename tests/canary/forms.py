"""Credentials of nobody in the forms that logs hold them in, each made fresh: a leak tells where it came from."""

from __future__ import annotations

import base64
import json
import random
import re
import string
from collections.abc import Callable, Mapping
from typing import Final
from urllib.parse import quote

ALNUM: Final = string.ascii_letters + string.digits
UPPER: Final = string.ascii_uppercase + "234567"
HEX: Final = "0123456789abcdef"
PIECE: Final = 8
"""Characters of a secret that must not come out."""
_RUN: Final = re.compile(rf"[A-Za-z0-9]{{{PIECE},}}")

Chars = Callable[..., str]
Forms = Mapping[str, Callable[[Chars], tuple[str, str]]]
"""What each is called -> makes a secret and the words around it."""


def _nested(value: str) -> str:
    return json.dumps({"body": json.dumps({"user": "svc", "password": value})})


def _basic(chars: Chars) -> tuple[str, str]:
    """Both the pair and its encoded form are secrets; the encoded one is made without padding or signs."""
    while True:
        encoded = base64.b64encode(f"svc:{chars(25)}".encode()).decode().rstrip("=")
        if encoded.isalnum():
            return encoded[8:], f"sent Authorization: Basic {encoded}"


def _jwt(chars: Chars) -> tuple[str, str]:
    body = base64.urlsafe_b64encode(json.dumps({"sub": chars(12)}).encode()).decode().rstrip("=")
    secret = chars(43)
    return secret, f"session eyJhbGciOiJIUzI1NiJ9.{body}.{secret} was refused"


def _split(chars: Chars) -> tuple[str, str]:
    secret = chars(24)
    return secret, f"pass\u200bword={secret[:12]}\u200b{secret[12:]} was refused"


def _colours(chars: Chars) -> tuple[str, str]:
    secret = chars(24)
    return secret, f"\x1b[31mtoken\x1b[0m=\x1b[1m{secret[:12]}\x1b[0m{secret[12:]} was refused"


def _kubernetes(chars: Chars) -> tuple[str, str]:
    secret = chars(32)
    return secret, json.dumps({"kind": "Secret", "metadata": {"name": "db"}, "data": {"value": secret}})


def _plain(before: str, length: int = 24, after: str = "", alphabet: str = ALNUM) -> Callable[[Chars], tuple[str, str]]:
    def make(chars: Chars) -> tuple[str, str]:
        secret = chars(length, alphabet)
        return secret, f"{before}{secret}{after}"

    return make


def _written(length: int, write: Callable[[str], str]) -> Callable[[Chars], tuple[str, str]]:
    def make(chars: Chars) -> tuple[str, str]:
        secret = chars(length)
        return secret, write(secret)

    return make


FORMS: Final[Forms] = {
    "key=value": _plain("login failed password="),
    "key: value": _plain("login failed, password: "),
    "quoted key=value": _plain('login failed password="', after='" for svc'),
    "environment": _plain("export DB_PASSWORD="),
    "flag": _plain("ran migrate --password ", after=" --yes"),
    "curl user": _plain("ran curl -u svc:", after=" https://api.shop.example/x"),
    "json": _written(24, lambda value: f"body {json.dumps({'user': 'svc', 'password': value})}"),
    "nested json": _written(24, lambda value: f"body {_nested(value)}"),
    "json nested three deep": _written(24, lambda value: f"body {json.dumps({'raw': _nested(value)})}"),
    "percent-encoded": _written(24, lambda value: f"GET /cb?next={quote(f'/x?access_token={value}&y=1', safe='')} 302"),
    "url query": _plain("GET /v1/items?limit=5&api_key=", after="&page=2 HTTP/1.1 500"),
    "url userinfo": _plain("fetch https://svc:", after="@git.shop.example/x.git failed"),
    "xml": _plain("<login><user>svc</user><password>", after="</password></login>"),
    "yaml": _plain("client_secret: "),
    "postgres": _plain("dialing postgresql://ledger:", after="@db-main:5432/ledger"),
    "percent-encoded password": _written(24, lambda value: f"dialing mysql://app:p%40{value}@db-main:3306/app"),
    "redis": _plain("dialing redis://:", after="@cache:6379/0"),
    "mongodb": _plain("dialing mongodb+srv://app:", after="@cluster0.shop.example/app"),
    "amqp": _plain("dialing amqp://app:", after="@mq:5672/%2f"),
    "jdbc": _plain("jdbc:mysql://db-main:3306/app?user=app&password=", after="&useSSL=true"),
    "ado": _plain("Server=db-main;Database=app;User Id=sa;Password=", after=";Encrypt=true"),
    "storage key": _plain("DefaultEndpointsProtocol=https;AccountName=shop;AccountKey=", 86, "==;"),
    "basic": _basic,
    "bearer": _plain("sent Authorization: Bearer ", 36),
    "api key header": _plain("sent X-Api-Key: ", 32),
    "cookie": _plain("sent Cookie: theme=dark; sessionid=", 32, "; lang=en"),
    "set-cookie": _plain("got Set-Cookie: sid=", 32, "; HttpOnly; Path=/"),
    "private key": _written(
        64, lambda v: f"-----BEGIN RSA PRIVATE KEY----- {v} {v[::-1]} -----END RSA PRIVATE KEY-----"
    ),
    "escaped private key": _written(64, lambda v: f"-----BEGIN PRIVATE KEY-----\\n{v}\\n-----END PRIVATE KEY-----"),
    "unterminated private key": _plain("-----BEGIN EC PRIVATE KEY----- ", 64),
    "jwt": _jwt,
    "kubernetes secret": _kubernetes,
    "zero-width characters": _split,
    "colour codes": _colours,
    "aws key id": _plain("using AKIA", 16, " for the bucket", UPPER),
    "aws secret": _plain("aws_secret_access_key = ", 40),
    "github": _plain("cloning with ghp_", 36),
    "github fine-grained": _written(22, lambda value: f"cloning with github_pat_{value}_{'a1B2' * 14}Zy9"),
    "gitlab": _plain("cloning with glpat-", 20),
    "slack token": _plain("posting with xoxb-123456789012-123456789012-", 24),
    "slack webhook": _plain("posted to https://hooks.slack.com/services/T0AB1CD2E/B0AB1CD2E/", 24),
    "stripe": _plain("charged with sk_live_", 24),
    "google": _plain("geocoded with AIzaSy", 33),
    "npm": _plain("published with npm_", 36),
    "sendgrid": _written(43, lambda value: f"mailed with SG.{'aB3dE6gH9jK2mN5pQ8sT1u'}.{value}"),
    "model provider": _plain("asked with sk-proj-", 48),
    "other model provider": _plain("asked with sk-ant-api03-", 95),
    "model hub": _plain("pulled with hf_", 34, alphabet=string.ascii_letters),
    "cloud token": _plain("listed with dop_v1_", 64, alphabet=HEX),
    "vault": _plain("read with hvs.", 24),
    "registry": _plain("pulled with dckr_pat_", 27),
}

TOKEN_FORMS: Final = ("github", "gitlab", "stripe", "npm", "aws key id")
"""Known by their shape alone: for places that hold one word, such as names."""


class Canaries:
    """Makes the secrets and remembers the telling part of each."""

    def __init__(self) -> None:
        self.planted: dict[str, str] = {}
        self._windows: dict[str, str] = {}

    def text(self, form: str, place: str) -> str:
        """Words with one secret in them; the same for the same form and place."""
        rng = random.Random(f"{form}/{place}")

        def chars(count: int, alphabet: str = ALNUM) -> str:
            return "".join(rng.choice(alphabet) for _ in range(count))

        secret, shown = FORMS[form](chars)
        name = f"{form} in {place}"
        self.planted[name] = secret
        for part in (secret, secret[::-1]) if form == "private key" else (secret,):
            for at in range(len(part) - PIECE + 1):
                self._windows[part[at : at + PIECE]] = name
        return shown

    def word(self, form: str, place: str) -> str:
        """The secret alone, as one word with the beginning by which it is known."""
        return next(word for word in self.text(form, place).split() if self.planted[f"{form} in {place}"] in word)

    def planted_word(self, place: str) -> str:
        """A secret without any sign of being one: for places that are secret by what they are."""
        self.text("api key header", place)
        return self.planted[f"api key header in {place}"]

    def every(self, place: str) -> dict[str, str]:
        """One text of each form."""
        return {form: self.text(form, place) for form in FORMS}

    def one(self, place: str) -> str:
        """A text whose form follows from the place, so that all forms stand in some small place."""
        return self.text(random.Random(place).choice(list(FORMS)), place)

    def found_in(self, text: str) -> list[str]:
        """Which secrets, or pieces of them, stand in a text."""
        runs = set(_RUN.findall(text))
        return sorted(
            {
                self._windows[run[at : at + PIECE]]
                for run in runs
                for at in range(len(run) - PIECE + 1)
                if run[at : at + PIECE] in self._windows
            }
        )
