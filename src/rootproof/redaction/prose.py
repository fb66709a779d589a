"""Passwords that a sentence or a name tells: `password hunter2 was used`, `changed from a to b`, `x_password_v`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.keys import KeyName, Trust
from rootproof.redaction.values import PROSE, is_mixed, is_reference, is_secret, is_strong, looks_random
from rootproof.redaction.wordset import word_set

_TOLD: Final = r"""(?:"[^"\n]{1,256}"|'[^'\n]{1,256}'|`[^`\n]{1,256}`|[^\s"'`]{1,256}+)"""
_FROM_TO: Final = re.compile(
    r"(?i:[ \t:]{1,8}(?:for \S{1,64} )?(?:(?:was|has been|have been|is|got|were) )?"
    r"(?:changed|rotated|updated|reset|switched|modified|set|moved|migrated|replaced) (?:by \S{1,64} )?from )"
    rf"(?P<old>{_TOLD})(?: ->| =>|(?i: to)) (?P<new>{_TOLD})"
)
_CLOSED: Final = re.compile(r"[.,;:!]*(?:\Z|[\s\"')\]](?!\w)|\s(?:by|for|at|on|in|after|before)\s)")
_NOT_CHANGED: Final = word_set(
    """
    old new default plain plaintext clear hashed encrypted weak strong none unset bcrypt scrypt argon2 argon2i argon2id
    argon2d md5 sha1 sha256 sha512 pbkdf2 scram-sha-256 static dynamic temporary permanent local remote vault
    expired valid invalid optional required enabled disabled
    """
)
_CHANGING: Final = re.compile(
    r"(?i:\b(?:set|sets|setting|changed?|changing|updated?|updating|resets?|rotated?|switched)"
    r" (?:the |its |env |variable )?)\Z"
)
_USED: Final = re.compile(
    r"[.,]?(?:\s(?:was|used|worked|works|rejected|accepted|leaked|got|instead"
    r"|is (?:wrong|weak|incorrect|used|known))\b)"
)
_ALONE: Final = re.compile(r"[ \t]{0,8}\r?(?:\n|\Z)")
_LINE_START: Final = re.compile(r"(?:\A|\n)[ \t]{0,15}\Z")
_USING: Final = re.compile(r"(?i:\b(?:with|using|tried|typed|entered) (?:the )?(?:old |new |wrong |same )?)\Z")
_TYPED: Final = re.compile(
    r"(?i:\b(?:user|username|login|logged in|logging in|signed in|authenticated|connected|account|as)\b[^\n]{0,64}"
    r"\b(?:with|using|and) (?:the )?(?:old |new |wrong |same )?)\Z"
)
_ENDED: Final = re.compile(
    r"[.,;)]?(?:\Z|\n|\s(?:failed|fails|was|is|rejected|refused|denied|accepted|works|worked|did)\b)"
)
_NOT_TYPED: Final = word_set(
    """
    authentication authenticator reset resets change changes policy login logins protection hash hashes hashing
    encryption manager prompt prompts file files grant only based attempt attempts expiry expiration rotation
    recovery complexity strength fields input inputs entry less store vault rules rule update updates history
    verification validation checks check auth plugin disabled enabled hidden needed requirements
    """
)
_ENVIRONMENT: Final = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\Z")
_NUMBERED: Final = word_set(
    """
    field attempt step user rule version policy sha md argon v page level try slot key node host db service server
    group id bcrypt type option line row column item test case account
    """
)
_EMBEDDED: Final = re.compile(
    r"(?i:password|passwd|pwd|passphrase|secret|token|api_?key)_(?P<value>[A-Za-z0-9]{8,128})(?![A-Za-z0-9])"
)
_RUNS: Final = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")


def from_to(text: str, name: KeyName, position: int) -> Iterator[Span]:
    """Yield the old and the new value of `password changed from a to b`; `position` is the end of the name."""
    match = _FROM_TO.match(text, position)
    if match is None:
        return
    spans = [_bare(text, *match.span(group)) for group in ("old", "new")]
    told = [text[start:end] for start, end in spans]
    if name.trust is not Trust.NEVER_PROSE:
        random = [looks_random(value) for value in told]
        yield from ((*span, SECRET + name.kind) for span, is_random in zip(spans, random, strict=True) if is_random)
        return
    quoted = text[match.start("new")] in "\"'`"
    if not quoted and not all(_could_be(value) for value in told):
        return
    if quoted or any(is_mixed(value) or is_strong(value) for value in told) or _CLOSED.match(text, match.end("new")):
        for start, end in spans:
            if not PLACEHOLDER.match(text, start):
                yield start, end, SECRET + name.kind


def _could_be(value: str) -> bool:
    return value.lower() not in _NOT_CHANGED and is_secret(
        KeyName("password", Trust.LIKELY), value, quoted=False, loose=True, more=False
    )


def _bare(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds without quotes and without the dot of the sentence."""
    if text[start] in "\"'`":
        return start + 1, end - 1
    while end > start + 1 and text[end - 1] in ".,;:)]":
        end -= 1
    return start, end


def is_told(text: str, name_start: int, value: tuple[int, int]) -> bool:
    """Return True if the word behind a name for a password, with nothing but a space between, is the password."""
    word = text[value[0] : value[1]]
    if is_strong(word):
        return True
    if word.isalpha():
        return _is_typed(text, name_start, value, word.lower())
    if not is_mixed(word) or len(word) < 5 or word.rstrip("0123456789").lower().rstrip("-_") in _NUMBERED:
        return False
    if _ALONE.match(text, value[1]) and _LINE_START.search(text[max(0, name_start - 16) : name_start]):
        return True  # a line of a configuration file
    return word.isalnum() and bool(
        _USED.match(text, value[1]) or _USING.search(text[max(0, name_start - 32) : name_start])
    )


def _is_typed(text: str, name_start: int, value: tuple[int, int], word: str) -> bool:
    """Return True for a password of letters only that somebody used: `user lea with password bluewhale failed`."""
    if len(word) < 5 or word in _NOT_TYPED or word in PROSE or not _ENDED.match(text, value[1]):
        return False
    return _TYPED.search(text[max(0, name_start - 96) : name_start]) is not None


def is_set_to(text: str, name_start: int, name_end: int, value: str) -> bool:
    """Return True if `set NAME to value` tells a password: a mixed value, or any word for a variable's name."""
    if not _CHANGING.search(text[max(0, name_start - 24) : name_start]):
        return False
    return is_mixed(value) or _ENVIRONMENT.match(text[name_start:name_end]) is not None


def embedded(text: str, start: int, end: int) -> Span | None:
    """Return the value that stands inside a name such as `login_password_Wm4tQz81_total`."""
    match = _EMBEDDED.search(text, start, end)
    if match is None:
        return None
    value = match["value"]
    runs = _RUNS.findall(value)
    if not is_mixed(value) or is_reference(value) or len(runs) < 4 or len(runs) / len(value) < 0.3:
        return None
    return match.start("value"), match.end("value"), SECRET + "password"
