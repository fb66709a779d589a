"""Text with its credentials replaced and everything else as it was: for what its own owner reads."""

from __future__ import annotations

import re
from typing import Any, Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET
from rootproof.redaction.keys import secret_name
from rootproof.redaction.numbering import Numbering
from rootproof.redaction.redactor import redact, redact_structure

_VOLATILE: Final = re.compile(r"sql|stack|addr")


def without_credentials(text: str) -> str:
    """`text` with placeholders for credentials; identifiers stay, control characters are shown as escapes."""
    kept = _Kept()
    return kept.put_back(redact(text, kept))


def structure_without_credentials(value: Any) -> Any:
    """The same for every string of a JSON value; whole values under secret-like keys are replaced."""
    kept = _Kept()
    return kept.put_back_in(redact_structure(value, kept))


class _Kept:
    """Placeholders that stand for what is no credential, to be taken out again."""

    def __init__(self) -> None:
        self._numbering = Numbering()
        self._volatile: dict[str, str] = {}

    def __call__(self, kind: str, value: str) -> str:
        if kind.startswith(SECRET):
            return self._numbering(kind, value)
        if _VOLATILE.fullmatch(kind):
            # Numbered here, so that it can be told apart and put back.
            placeholder = f"<{kind}:{len(self._volatile) + 1}>"
            self._volatile[placeholder] = value
            return placeholder
        return self._numbering(kind, value)

    def put_back(self, text: str) -> str:
        values = {**self._numbering.identifiers, **self._volatile}
        return PLACEHOLDER.sub(lambda match: values.get(match.group(), match.group()), text)

    def put_back_in(self, value: Any) -> Any:
        match value:
            case str():
                return self.put_back(value)
            case dict():
                return {self.put_back(str(key)): self.put_back_in(item) for key, item in value.items()}
            case list() | tuple():
                return [self.put_back_in(item) for item in value]
            case _:
                return value


def names_credential(name: str, text: str) -> bool:
    """Whether `text` holds a credential that only shows behind `name`, as in `api_key: ...`."""
    if secret_name(name) is None:
        return False
    return without_credentials(f"{name}: {text}") != f"{name}: {without_credentials(text)}"
