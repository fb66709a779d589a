"""What differs between two values of a run, leaf by leaf, in a form for people and programs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from rootproof.diagnosis.present import View

MAX_CHANGES: Final = 200
"""Changes that are listed; the rest are counted."""
_CHARS = 300
_ABSENT: Final = object()


class Change(View):
    """One difference. `a` is None for what only the second has, `b` for what only the first has."""

    section: str
    """Where: `step`, `tool call`, `claim`, ..."""
    what: str
    a: str | None
    b: str | None


def change(section: str, what: str, a: Any, b: Any) -> Iterator[Change]:
    """The change of one value, where there is one."""
    if a != b:
        shown_a, shown_b = _shown(a), _shown(b)
        if shown_a is None and shown_b is None:  # a key that is not there, beside one without a value
            shown_a, shown_b = (None if value is _ABSENT else "null" for value in (a, b))
        elif shown_a == shown_b:
            shown_a, shown_b = _apart(str(a), str(b))
        yield Change(section=section, what=what, a=shown_a, b=shown_b)


def changes_in(section: str, what: str, a: Any, b: Any) -> Iterator[Change]:
    """The changes of the leaves of two JSON values, named by their path behind `what`."""
    if isinstance(a, dict) and isinstance(b, dict):
        for key in dict.fromkeys([*a, *b]):
            yield from changes_in(section, f"{what} {key}".strip(), a.get(key, _ABSENT), b.get(key, _ABSENT))
    elif isinstance(a, list) and isinstance(b, list):
        for index in range(max(len(a), len(b))):
            yield from changes_in(section, f"{what}[{index}]", _at(a, index), _at(b, index))
    else:
        yield from change(section, what, a, b)


def _at(values: list[Any], index: int) -> Any:
    return values[index] if index < len(values) else _ABSENT


def _shown(value: Any) -> str | None:
    if value is _ABSENT or value is None:
        return None
    text = str(value)
    return text if len(text) <= _CHARS else text[: _CHARS - 1] + "…"


def _apart(a: str, b: str) -> tuple[str, str]:
    """Two texts from a little before the place where they part."""
    same = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    start = max(0, same - 40)
    return f"…{a[start : start + _CHARS]}", f"…{b[start : start + _CHARS]}"
