"""Kubernetes quantities (`250m`, `64Mi`, `1.5`) as plain numbers: cores for CPU, bytes for memory and storage."""

from __future__ import annotations

import re

_QUANTITY = re.compile(r"([+-]?\d{1,18}(?:\.\d{1,18})?)(?:[eE]([+-]?\d{1,2}))?\s?([numkKMGTPE]i?)?[bB]?")
_FACTORS = {
    "n": 1e-9,
    "u": 1e-6,
    "m": 1e-3,
    "": 1.0,
    "k": 1e3,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "P": 1e15,
    "E": 1e18,
    "Ki": 2.0**10,
    "Mi": 2.0**20,
    "Gi": 2.0**30,
    "Ti": 2.0**40,
    "Pi": 2.0**50,
    "Ei": 2.0**60,
}
_BINARY_STEPS = (("Ti", 2.0**40), ("Gi", 2.0**30), ("Mi", 2.0**20), ("Ki", 2.0**10))


def quantity(text: object) -> float | None:
    """The number that a quantity stands for (`250m` is 0.25, `64Mi` is 67108864), None when it is no quantity."""
    if isinstance(text, bool) or text is None:
        return None
    if isinstance(text, int | float):
        return float(text)
    match = _QUANTITY.fullmatch(str(text).strip())
    if match is None:
        return None
    number, exponent, suffix = match.groups()
    factor = _FACTORS.get(suffix or "")
    if factor is None:
        return None
    return float(number) * factor * (10.0 ** int(exponent) if exponent else 1.0)


def cores_text(cores: float) -> str:
    """A CPU amount as people write it: `250m` below one core, `2` or `1.5` from there."""
    if 0 < cores < 1:
        return f"{round(cores * 1000, 3):g}m"
    return f"{round(cores, 3):g}"


def bytes_text(size: float) -> str:
    """A byte amount in the largest binary unit that is at least one: `64Mi`, `1.5Gi`; rounded to two decimals."""
    for suffix, factor in _BINARY_STEPS:
        if size >= factor:
            return f"{round(size / factor, 2):g}{suffix}"
    return f"{size:g}"


def amount_text(resource: str, amount: float) -> str:
    """An amount of a named resource (`cpu`, `requests.memory`, `pods`) in the unit people use for it."""
    if "cpu" in resource:
        return cores_text(amount)
    if "memory" in resource or "storage" in resource:
        return bytes_text(amount)
    return f"{amount:g}"
