"""Whether the value beside a secret-like name is a secret, or only says something about one."""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from math import log2
from typing import Final

from rootproof.redaction.keys import KeyName, Trust, secret_name
from rootproof.redaction.wordset import word_set

_HEX: Final = re.compile(r"[0-9a-fA-F]+\Z")
_TOKEN: Final = re.compile(r"[A-Za-z0-9+/=_.~%:!@#$^*-]+\Z")
_UUID: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\Z")
_JOINTS: Final = re.compile(r"[/._:=-]")
_RUNS: Final = re.compile(r"[a-z]+|[A-Z]+|[0-9]+")
_REFERENCE: Final = re.compile(
    r"\$\{[^}]*\}\Z|\$\([^)]*\)\Z|\$[A-Z_][A-Z0-9_]*\Z|\$[a-z_]+\Z|\{\{.*\Z|\{[\w.]*\}\Z|%[A-Za-z_]+%\Z|%[a-z]\Z|\$\d{1,3}\Z"
    r"|#\{[^}]*\}\Z"
    r"|<.*>\Z|[A-Za-z_]\w*(?:\.\w+)*\(\Z|(?:Optional|List|Dict|Union|Option|Vec|Maybe|Promise|Array|Map|Set)[\[<].*\Z"
    r"|@[A-Za-z_.]+@\Z|\[[A-Za-z _*-]{0,40}\]\Z"
    r"|(?i:process\.env|os\.environ|os\.getenv|env|vault|secretref|secret|file|ref"
    r"|ssm|sops|keychain|op)[.:(+\[][/\w.]*.{0,200}\Z|arn:[\w-]+:[\w-]+:|(?i:\W{0,2}(?:redacted|filtered|masked|hidden|removed"
    r"|scrubbed|sanitized|omitted|obfuscated|placeholder|changed?_?me_?please)\W{0,2})\Z"
)
_CALL: Final = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)*\([^()]*\)?[;,]?\Z")
_MASK: Final = "*.-#?•●·_=|>+"
_SAID_HIDDEN: Final = word_set(
    """
    redacted filtered masked hidden removed scrubbed sanitized omitted obfuscated placeholder changeme changedme
    """
)
_LITERALS: Final = word_set(
    """
    null none nil undefined true false yes no empty unset string str text int integer number bool boolean object
    array bytes any optional required missing invalid expired unknown default n/a na nan ok on off void absent
    await new lambda function async
    """
)
PROSE: Final = word_set(
    """
    is are was were be been must should shall cannot can't can could may might has have had does do did not no
    too invalid incorrect wrong required missing expired expires empty unknown unexpected expected failed
    failure denied rejected refused revoked rotated verified validated authentication authorization for from the
    a an of in to on at by with without and or but if when while because field length policy mismatch mismatched
    error bad never none null got received given provided unset unsupported unavailable unauthorized forbidden
    please using via read write request response value set reset changed change update updated needs need
    already only both still your this that there contains minimum at-least too-short ok accepted success
    successful enabled disabled created deleted generated refreshed renewed issued found
    requis requise obligatoire incorrecte invalide erforderlich falsch ungultig abgelaufen requerida requerido
    incorrecta incorrecto obligatoria obligatorio invalida invalido obrigatoria obrigatorio vereist verplicht
    ongeldig wymagane bledne nieprawidlowe
    """
)
# How a sentence about a password starts where it stands in quotes; anything else in quotes may be a pass phrase.
_QUOTED_PROSE: Final = word_set(
    """
    is are was must should shall cannot can can't may has not required invalid incorrect missing expired does
    did field too wrong has please
    """
)
_MEMBER: Final = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+[,;)]?\Z")
_HEX_PAIR: Final = re.compile(r"[0-9a-f]{8}:[0-9a-f]{8}\Z")
_DURATION: Final = re.compile(
    r"[0-9.]+(?:ns|us|ms|s|m|h|d|%|kb|mb)?\Z|[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,Z+-]*)?\Z", re.IGNORECASE
)
_OBJECT: Final = re.compile(r"[a-z0-9][a-z0-9.-]*/[a-z0-9][a-z0-9.-]*\Z")
_PATH: Final = re.compile(r"(?:[A-Za-z]:)?[./~\\]{1,2}[A-Za-z0-9_.-]+(?:[/\\][A-Za-z_.-][A-Za-z0-9_.-]*)+\Z")
_WORDS_THEN_NUMBER: Final = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?[vV]?\d{0,4}\Z")
_ALPHA: Final = re.compile(r"[A-Za-z]+(?:['-][a-z]+)?[.,:;!?)]*\Z")


def looks_random(value: str) -> bool:
    """Return True if the value looks made by a generator: hex, base64 and the like, not words, numbers or a UUID."""
    size = len(value)
    if size < 16 or size > 65536 or not _TOKEN.match(value) or _UUID.match(value):
        return False
    sample = value[:256]
    if value.isdigit():
        return size >= 32
    if _HEX.match(value):
        return len(set(sample)) >= 7
    segments = _JOINTS.split(sample)
    if len(segments) > 2 and all(segment.isalpha() or segment.isdigit() or not segment for segment in segments):
        return False  # a path or a dotted name: words and numbers
    runs = _RUNS.findall(sample)
    letters = sum(map(len, runs))
    if not letters or not any(run.isdigit() for run in runs):
        # No digit at all: only a long text of mixed case that changes case all the time.
        return size >= 24 and len(runs) / letters > 0.45 and entropy(sample) > 3.5
    return len(runs) / max(letters, 1) >= 0.2 and letters / len(sample) > 0.7 and entropy(sample) >= 3.0


def is_mixed(value: str) -> bool:
    """Return True if letters and digits both occur."""
    return any(map(str.isdigit, value)) and any(map(str.isalpha, value))


def is_strong(value: str) -> bool:
    """Return True if the value looks like a good password: no name, number, date or path has this form."""
    if not 6 <= len(value) <= 256 or not is_mixed(value) or value[0] in "/.<" or "=" in value or "://" in value:
        return False
    return not (_WORDS_THEN_NUMBER.match(value) or _DURATION.match(value) or _CALL.match(value) or is_reference(value))


def entropy(value: str) -> float:
    """Return the Shannon entropy of the value in bits a character."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in Counter(value).values())


def is_user_and_password(value: str) -> bool:
    """Return True if the value is base64 of `user:password`."""
    if not 8 <= len(value) <= 1024:
        return False
    try:
        plain = base64.b64decode(value + "=" * (-len(value) % 4), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return ":" in plain and plain.isprintable()


def is_reference(value: str) -> bool:
    """Return True if the value stands for a secret (`${DB_PASSWORD}`), is masked, or says that there is none."""
    if not value.strip(_MASK) or value.lower() in _LITERALS:
        return True
    if len(value) >= 3 and len(set(value)) == 1 and value[0] in "xX":
        return True
    return value.lower() in _SAID_HIDDEN if value.isalnum() else _REFERENCE.match(value) is not None


def is_secret(name: KeyName, value: str, *, quoted: bool, loose: bool, more: bool) -> bool:
    """Return True if `value` beside `name` must go.

    `quoted`: it stood in quotes. `loose`: the separator also occurs in sentences (`: `, or nothing but a space).
    `more`: a further word follows the value.
    """
    if is_reference(value) or (not quoted and _is_member(value)):
        return False
    match name.trust:
        case Trust.IF_RANDOM:
            return _is_random_secret(name, value, quoted=quoted)
        case Trust.TERSE if loose and not quoted:
            return looks_random(value)
        case Trust.NEVER_PROSE if value[0] in "/.~" and _PATH.match(value) and not is_mixed(value):
            return False  # `pwd=/srv/app`: the working directory, or a file with the password
        case Trust.NEVER_PROSE:
            return not _is_password_prose(value, quoted=quoted, loose=loose, more=more)
        case _:
            return not _is_plain(name, value, quoted=quoted, loose=loose, more=more)


def _is_member(value: str) -> bool:
    """Return True for code that reads a secret from elsewhere: `props.password`, `request.api_token`."""
    return _MEMBER.match(value) is not None and secret_name(value.rpartition(".")[2].rstrip(",;)")) is not None


def _is_random_secret(name: KeyName, value: str, *, quoted: bool) -> bool:
    if name.kind == "session" and _UUID.match(value):
        return True
    if name.kind in {"credential", "password"} and quoted and is_strong(value) and ":" not in value:
        return True
    if name.kind == "password" and _HEX_PAIR.match(value):
        return True
    if name.kind == "code" and not (20 <= len(value) <= 512):
        return False
    if value.startswith(("0x", "sha256:", "sha1:", "md5:")):
        return False
    return any(map(looks_random, value.split(","))) or is_user_and_password(value)


def _is_password_prose(value: str, *, quoted: bool, loose: bool, more: bool) -> bool:
    words = value.split(None, 1)
    first = words[0].lower().rstrip(".,:;!?") if words else ""
    if quoted:
        return " " in value and first in _QUOTED_PROSE
    if loose and (first in PROSE or (first.isalpha() and not first.isascii())):
        return True  # (a word of a script that nobody types a password in is a sentence too)
    if loose and more and value.isdigit() and len(value) <= 2:
        return True
    if not value.endswith((")", ");", "),")) or _CALL.match(value) is None:
        return False
    return not looks_random(value.partition("(")[2].rstrip(");,"))


def _is_plain(name: KeyName, value: str, *, quoted: bool, loose: bool, more: bool) -> bool:
    if _is_password_prose(value, quoted=quoted, loose=loose, more=more) or _DURATION.match(value):
        return not (value.isdigit() and len(value) >= (4 if name.kind == "code" else 6))
    if value.startswith(("http://", "https://", "/")) and (value.startswith("http") or _PATH.match(value)):
        return True
    if name.kind == "secret" and _OBJECT.match(value):
        return True
    if name.kind == "token" and len(value) <= 2:
        return True
    return not quoted and loose and more and _ALPHA.match(value) is not None and not looks_random(value)
