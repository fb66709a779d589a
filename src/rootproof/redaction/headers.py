"""Credentials in the values of HTTP headers: authorization and cookies."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.keys import KeyName, Trust
from rootproof.redaction.reading import OPENING, is_accepted, trimmed, value_at, whole
from rootproof.redaction.values import is_reference
from rootproof.redaction.wordset import word_set

_SCHEME: Final = re.compile(
    r"(?:bearer|basic|token|apikey|api-key|digest|negotiate|ntlm|oauth|hawk|key|jwt|aws4-hmac-sha256|hmac-[\w-]{1,16}"
    r"|genie-?key|sso-key|splunk|ghost|bot|ssws|dpop|discogs|client-id)(?:[ \t]|%20|\+){1,8}",
    re.IGNORECASE,
)
# `Credential=a/b, SignedHeaders=c, Signature=d` is one value; only in schemes of parameters may they be quoted.
_AUTH_REST: Final = re.compile(r"""(?:[^\s"'`\\,\]})]++|,[ ]?(?=[A-Za-z_-]{1,40}=)|,(?=[^\s"'`\\]))++""")
_AUTH_PARAMETERS: Final = re.compile(r"""(?:[^\s"'`\\,]++|,[ ]?|(?<==)\\{0,8}"[^"\\\n]{0,2048}+\\{0,8}")++""")
_PARAMETER_SCHEMES: Final = ("digest", "oauth", "hawk")
_COOKIE: Final = re.compile(r"""([A-Za-z0-9_.!#$%&*+^|~-]{1,128})=([^;,\s"'`\\]{1,8192})""")
_COOKIE_JOINT: Final = re.compile(r";[ ]?")
_COOKIE_ATTRIBUTES: Final = word_set("path domain expires max-age samesite version priority comment partitioned")


def authorization(text: str, position: int) -> Iterator[Span]:
    """Yield the credentials of an authorization value; the scheme stays."""
    while text[position : position + 1] == "[":
        position += 1
    opening = OPENING.match(text, position)
    if opening is not None:
        position = opening.end()
    scheme = _SCHEME.match(text, position)
    if scheme is not None:
        position = scheme.end()
        if PLACEHOLDER.match(text, position):
            return
        rest = (_AUTH_PARAMETERS if scheme.group().lower().startswith(_PARAMETER_SCHEMES) else _AUTH_REST).match(
            text, position
        )
        if rest is not None and not is_reference(rest.group()):
            yield (
                position,
                trimmed(text, position, rest.end()),
                SECRET + ("basic" if scheme.group()[:5].lower() == "basic" else "token"),
            )
        return
    value = value_at(text, position)
    if value is None or _SCHEME.fullmatch(value.text + " "):
        return
    if is_accepted(text, KeyName("token", Trust.LIKELY), value, loose=opening is None):
        yield whole(text, value, KeyName("token", Trust.LIKELY))


def cookies(text: str, position: int) -> Iterator[Span]:
    """Yield the value of every cookie in a Cookie or Set-Cookie value; names and attributes stay."""
    while text[position : position + 1] in {"[", " "}:
        position += 1
    opening = OPENING.match(text, position)
    if opening is not None:
        position = opening.end()
    pair = _COOKIE.match(text, position)
    if pair is None:
        value = value_at(text, position)
        if value is not None and is_accepted(text, KeyName("cookie", Trust.IF_RANDOM), value, loose=True):
            yield whole(text, value, KeyName("cookie", Trust.IF_RANDOM))
        return
    while pair is not None:
        if pair[1].lower() not in _COOKIE_ATTRIBUTES and not is_reference(pair[2]) and not PLACEHOLDER.match(pair[2]):
            yield pair.start(2), pair.end(2), SECRET + "cookie"
        joint = _COOKIE_JOINT.match(text, pair.end())
        pair = _COOKIE.match(text, joint.end()) if joint else None
