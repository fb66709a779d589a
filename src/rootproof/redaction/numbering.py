"""The plain way to name what was redacted: a number a value, stable as long as the instance lives."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from rootproof.redaction.finding import SECRET
from rootproof.redaction.machines import workload_stem

_NUMBERED: Final = re.compile(r"<(?P<base>pod:[^:>]*-|[^>]*:)(?P<number>[0-9]{1,9})>\Z")
_VOLATILE: Final = {"sql": "?", "stack": "<stack>", "addr": "<addr>"}


class Numbering:
    """Gives `<ip:2>`, `<pod:cart-1>`, `<secret:password:1>`; the same value gets the same placeholder again.

    A credential is remembered by a keyed hash only, whose key dies with the instance; identifiers are remembered, so
    that their owner can have them back (`identifiers`).
    """

    def __init__(self) -> None:
        self._key = secrets.token_bytes(32)
        self._secrets: dict[tuple[str, bytes], str] = {}
        self._identifiers: dict[str, str] = {}
        self._counts: Counter[str] = Counter()

    def __call__(self, kind: str, value: str) -> str:
        """Return the placeholder of a value."""
        if kind in _VOLATILE:
            return _VOLATILE[kind]
        if kind.startswith(SECRET):
            digest = hashlib.blake2b(value.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16).digest()
            return self._secrets.setdefault((kind, digest), "") or self._new_secret(kind, digest)
        placeholder = self._identifiers.get(value)
        if placeholder is None:
            # By value alone: one machine keeps one name where words call it node here and host there.
            placeholder = self._identifiers[value] = self._next(kind, value)
        return placeholder

    @property
    def identifiers(self) -> Mapping[str, str]:
        """The identifiers seen, as placeholder -> value. Credentials are not among them."""
        return MappingProxyType({placeholder: value for value, placeholder in self._identifiers.items()})

    def adopt(self, placeholder: str, value: str) -> None:
        """Take over a placeholder that an earlier instance gave out; an empty value stands for a credential.

        Later numbers go on behind it. A credential seen again gets a new number: its hash died with its instance.
        """
        parts = _NUMBERED.match(placeholder)
        if parts is not None:
            base = parts["base"] if value else parts["base"].removesuffix(":")  # as `_next` and `_new_secret` count
            self._counts[base] = max(self._counts[base], int(parts["number"]))
        if value:
            self._identifiers[value] = placeholder

    def forget_credentials(self) -> None:
        """Give a credential seen from now on a new number, whether or not it was seen before; numbers go on."""
        self._secrets.clear()

    def _new_secret(self, kind: str, digest: bytes) -> str:
        self._counts[kind] += 1
        placeholder = self._secrets[kind, digest] = f"<{kind}:{self._counts[kind]}>"
        return placeholder

    def _next(self, kind: str, value: str) -> str:
        stem = workload_stem(value) if kind == "pod" else None
        base = f"{kind}:{stem}-" if stem else f"{kind}:"
        self._counts[base] += 1
        return f"<{base}{self._counts[base]}>"
