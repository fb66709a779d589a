"""Lines of our own with what must go and what must stay marked in them; see the files in `labelled`.

Shape of a file: `# family` starts a family; every other line is one text. `«x»` must go, `‹x›` must stay, `⏎` is a line
break, and `{A20}` stands for 20 random characters of an alphabet, so that no file holds anything shaped like a token.
"""

from __future__ import annotations

import random
import re
import string
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "labelled"
_ALPHABETS = {
    "A": string.ascii_letters + string.digits,
    "U": string.ascii_uppercase + string.digits,
    "a": string.ascii_lowercase + string.digits,
    "h": "0123456789abcdef",
    "d": string.digits,
    "b": string.ascii_letters + string.digits + "+/",
    "W": string.ascii_letters + string.digits + "_-",
}
_RANDOM = re.compile(r"\{([AUahdbW])(\d{1,3})\}")
_MARKS = re.compile(r"[«»‹›]")


@dataclass(frozen=True)
class Labelled:
    """One text: what must go, what must stay."""

    cls: str
    family: str
    text: str
    hidden: tuple[str, ...]
    kept: tuple[str, ...]


def labelled(name: str, *, seed: int = 0) -> Iterator[Labelled]:
    """Yield the texts of `credentials`, `identifiers` or `benign`; another seed gives other random values."""
    family = ""
    for number, line in enumerate((FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()):
        if line.startswith("# "):
            family = line[2:]
            continue
        dice = random.Random(f"{seed} {name} {number}")
        filled = _RANDOM.sub(lambda m, dice=dice: _filled(m, dice), line.replace("⏎", "\n"))
        hidden, kept = (tuple(re.findall(p, filled, re.DOTALL)) for p in ("«(.*?)»", "‹(.*?)›"))
        yield Labelled(name, family, _MARKS.sub("", filled), hidden, kept)


def _filled(match: re.Match[str], dice: random.Random) -> str:
    """Return random characters: a letter first and a digit in it, as real generators nearly always give."""
    alphabet, size = _ALPHABETS[match[1]], int(match[2])
    while True:
        text = "".join(dice.choices(alphabet, k=size))
        if size < 5 or match[1] == "d" or (any(map(str.isdigit, text)) and any(map(str.isalpha, text))):
            return text
