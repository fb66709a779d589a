"""A TOML table read key by key: what is missing, of the wrong type, unknown or misspelt is a problem in words."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from rootproof.skills.validate import Problem, ProblemSeverity

_HEADER = re.compile(r"[ \t]{0,8}\[\[[ \t]{0,8}([\w.]{1,80})[ \t]{0,8}\]\]")
_MAX_SHOWN = 80
_MAX_PROBLEMS = 50


def near(word: str, known: Iterable[str]) -> str:
    """What to write instead of `word`: the nearest known words, or all of them where they are few."""
    known = sorted(str(item) for item in known)
    close = difflib.get_close_matches(word[:_MAX_SHOWN], known, n=2, cutoff=0.6)
    if close:
        return f"did you mean {' or '.join(repr(item) for item in close)}?"
    if len(known) <= 24:
        return f"use one of {', '.join(known)}"
    return "see docs/reference/skill-sidecar.md for the words there are"


@dataclass(slots=True)
class Findings:
    """The problems of one file, with the lines of its tables."""

    text: str
    problems: list[Problem] = field(default_factory=list)

    @property
    def full(self) -> bool:
        """Whether enough is told."""
        return len(self.problems) >= _MAX_PROBLEMS

    def add(
        self, where: str, message: str, line: int | None = None, severity: ProblemSeverity = ProblemSeverity.ERROR
    ) -> None:
        """Note a problem; a file that is wrong everywhere is told of in part."""
        if not self.full:
            said = f"{where}: {message}" if where else message
            self.problems.append(Problem(severity, said, line))

    def line_of(self, header: str, number: int, key: str = "") -> int | None:
        """The line of `key` in the table `[[header]]` of that number, else of the table itself."""
        lines = self.text.split("\n")
        seen = -1
        start: int | None = None
        for index, line in enumerate(lines, 1):
            found = _HEADER.match(line)
            if found is not None and found.group(1) == header:
                seen += 1
                if seen > number:
                    break
                start = index if seen == number else start
            elif start is not None and key and line.lstrip().split("=")[0].strip() == key:
                return index
        return start


class Table:
    """One table. Every getter gives a usable value, and notes a problem where there is none."""

    def __init__(self, values: Mapping[str, Any], name: str, place: tuple[str, int], findings: Findings) -> None:
        self.values = values
        self.name = name
        self._place = place
        self._findings = findings
        self._asked: set[str] = set()

    def wrong(self, key: str, message: str) -> None:
        """Note that `key` is wrong."""
        if self._findings.full:
            return
        where = f"{self.name}, {key}" if key else self.name
        self._findings.add(where, message, self._findings.line_of(*self._place, key))

    def has(self, key: str) -> bool:
        """Whether the key is given."""
        self._asked.add(key)
        return key in self.values

    def text(self, key: str, *, most: int = 300, default: str | None = None) -> str:
        """A text; `default` where it may be left out."""
        if not self.has(key):
            if default is None:
                self.wrong(key, "is missing; give a text")
            return default or ""
        value = self.values[key]
        if not isinstance(value, str) or not value.strip():
            self.wrong(key, f"must be a text that is not empty, not {_shown(value)}")
            return default or ""
        if len(value) > most:
            self.wrong(key, f"has {len(value)} characters; at most {most} are allowed")
        return " ".join(value.split())

    def texts(self, key: str, *, least: int = 0, most: int = 40) -> tuple[str, ...]:
        """A list of texts."""
        value = self.values.get(key, []) if self.has(key) else []
        if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
            self.wrong(key, f"must be a list of texts that are not empty, not {_shown(value)}")
            return ()
        if not least <= len(value) <= most:
            self.wrong(key, f"has {len(value)} entries; {least} to {most} are allowed")
        return tuple(value[:most])

    def choice(self, key: str, allowed: Collection[str], *, default: str | None = None) -> str:
        """One of `allowed`."""
        if default is not None and not self.has(key):
            return default
        value = self.text(key)
        if value and value not in allowed:
            self.wrong(key, f"{_shown(value)} is not known; {near(value, allowed)}")
            return ""
        return value

    def choices(self, key: str, allowed: Collection[str], *, least: int = 0) -> tuple[str, ...]:
        """Several of `allowed`."""
        return tuple(word for word in self.texts(key, least=least) if self.known(key, word, allowed))

    def known(self, key: str, word: str, allowed: Collection[str]) -> bool:
        """Whether `word` is one of `allowed`; a problem where it is not."""
        if word in allowed:
            return True
        if not self._findings.full:  # to look for near words takes time
            self.wrong(key, f"{_shown(word)} is not known; {near(word, allowed)}")
        return False

    def numbers(self, key: str, allowed: Collection[str]) -> dict[str, float]:
        """A table of words of `allowed` and numbers from 0 to 5."""
        value = self.values.get(key, {}) if self.has(key) else {}
        if not isinstance(value, dict):
            self.wrong(key, f"must be a table of words and weights, not {_shown(value)}")
            return {}
        found = {}
        for word, weight in value.items():
            if not self.known(key, word, allowed):
                continue
            if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 < weight <= 5:
                self.wrong(key, f"the weight of {word} must be a number over 0 and up to 5, not {_shown(weight)}")
                continue
            found[word] = float(weight)
        return found

    def tables(self, key: str, *, least: int = 0, most: int = 20, header: str = "") -> Iterator[Table]:
        """The tables of a list."""
        value = self.values.get(key, []) if self.has(key) else []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            self.wrong(key, f"must be a list of tables, not {_shown(value)}")
            return
        if not least <= len(value) <= most:
            self.wrong(key, f"has {len(value)} entries; {least} to {most} are allowed")
        for number, item in enumerate(value[:most]):
            place = (header, number) if header else self._place
            name = f"{key} {number + 1}" if header else f"{self.name}, {key} {number + 1}"
            yield Table(item, name, place, self._findings)

    def no_others(self) -> None:
        """Note the keys that nothing asked for."""
        for key in self.values:
            if key not in self._asked and not self._findings.full:
                self.wrong(key, f"is no key here; {near(key, self._asked)}")


def _shown(value: object) -> str:
    return repr(value)[:_MAX_SHOWN]
