"""Which kinds of identifiers stay readable. Credentials have no switch."""

from __future__ import annotations

import difflib
from dataclasses import dataclass
from typing import Final

from rootproof.domain.toml_text import parse_toml
from rootproof.errors import UsageError
from rootproof.redaction.shapes import RULES

IDENTIFIER_CLASSES: Final = ("ip", "mac", "email", "host", "node", "pod", "pid", "card", "iban", "phone")
_CREDENTIAL_CLASSES: Final = frozenset(
    {*RULES, "api-key", "auth", "basic", "cookie", "credential", "key", "kubernetes", "password", "secret", "session",
     "signature", "token", "webhook"}
)  # fmt: skip
_SECTION: Final = "identifiers"


@dataclass(frozen=True, slots=True)
class Policy:
    """What is left as it is; without one, every class is hidden."""

    shown: frozenset[str] = frozenset()
    """Identifier classes that are not replaced."""


HIDE_ALL: Final = Policy()


def parse_policy(text: str, where: str) -> Policy:
    """Return the policy that a TOML text holds: `[identifiers]` with one switch a class, such as `ip = false`.

    Raises: UsageError, starting with `where`, for a text that is no TOML, a class that is unknown or a credential.
    """
    try:
        table = parse_toml(text)
    except ValueError as error:
        raise UsageError(f"{where} cannot be read as TOML: {error}") from error
    for section in table:
        if section != _SECTION:
            raise UsageError(f"{where}: [{section}] {_refused(section, (_SECTION,))}")
    switches = table.get(_SECTION, {})
    if not isinstance(switches, dict):
        raise UsageError(f"{where}: `{_SECTION}` must be a table: [{_SECTION}]")
    for name, value in switches.items():
        if name not in IDENTIFIER_CLASSES:
            raise UsageError(f"{where}: {_SECTION}.{name} {_refused(name, IDENTIFIER_CLASSES)}")
        if not isinstance(value, bool):
            raise UsageError(f"{where}: {_SECTION}.{name} must be true (hidden) or false (shown), not {value!r}")
    return Policy(frozenset(name for name, hidden in switches.items() if not hidden))


def _refused(name: str, known: tuple[str, ...]) -> str:
    """Return why a name is no switch, and the nearest that is one."""
    plain = name.lower().removeprefix("secret:").replace("_", "-")
    if plain in _CREDENTIAL_CLASSES or plain.removesuffix("s") in _CREDENTIAL_CLASSES:
        return "is about credentials, which are always hidden; take it out"
    near = difflib.get_close_matches(plain, known, n=1)
    return f"is unknown; did you mean {near[0]!r}?" if near else f"is unknown; known: {', '.join(known)}"
