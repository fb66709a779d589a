"""Level words and numbers of many loggers, as the six canonical levels."""

from __future__ import annotations

from functools import lru_cache

from rootproof.logs.record import LEVELS, Level
from rootproof.logs.wordlists import word_set

_WORDS_OF_LEVEL: tuple[tuple[Level, str], ...] = (
    ("TRACE", "trace trce finest finer verbose vrb silly all trc"),
    ("DEBUG", "debug dbug dbg deb fine config"),
    ("INFO", "info inf information informational notice note log system success"),
    ("WARN", "warn warning wrn wrng"),
    ("ERROR", "error err eror erro severe fail failure"),
    ("FATAL", "fatal ftl fatl critical crit crt emerg emergency alert panic dpanic fault"),
)
_WORDS: dict[str, Level] = {word: level for level, words in _WORDS_OF_LEVEL for word in words.split()}
NOUNS = word_set("all config log note fail failure system fault alert")
"""Levels of some loggers that in most lines are nouns."""
_LOOSE = NOUNS | word_set("fine verbose panic severe success")
"""Words that are levels only where a field says so, or in capitals."""

LETTERS: dict[str, Level] = {
    "T": "TRACE", "V": "TRACE", "D": "DEBUG", "I": "INFO", "N": "INFO", "W": "WARN", "E": "ERROR",
    "F": "FATAL", "C": "FATAL",
}  # fmt: skip
_SYSLOG: tuple[Level, ...] = ("FATAL", "FATAL", "FATAL", "ERROR", "WARN", "INFO", "INFO", "DEBUG")
_TENS: tuple[Level, ...] = LEVELS


def level_field(value: object) -> Level | None:
    """The level that a field called `level` or `severity` holds: a word, a letter, or bunyan's and pino's 10 to 60."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return _tens(value)
    return _word_level(value) if isinstance(value, str) and len(value) <= _LONGEST else None


_LONGEST = 40


@lru_cache(maxsize=4096)
def _word_level(value: str) -> Level | None:
    word = value.strip().strip("[]<>():").lower()
    if word.isdigit() and len(word) == 2:
        return _tens(int(word))
    if len(word) == 1:
        return LETTERS.get(word.upper())
    return _WORDS.get(word) or _numbered(word)


def _numbered(word: str) -> Level | None:
    """A level with a step of its own: `debug3`, `d2`, `error+4`."""
    stem = word.rstrip("0123456789").rstrip("+-")
    if stem == word or not stem:
        return None
    return LETTERS.get(stem.upper()) if len(stem) == 1 else _WORDS.get(stem)


def _tens(value: float) -> Level | None:
    return _TENS[int(value) // 10 - 1] if value in (10, 20, 30, 40, 50, 60) else None


@lru_cache(maxsize=4096)
def level_token(token: str) -> Level | None:
    """The level that a bare token in a line header is: capitals, or a word that is nothing but a level."""
    known = _WORDS.get(token.lower())
    if known is None:
        stem = token.rstrip("0123456789")
        return _WORDS.get(stem.lower()) if stem.isupper() and stem != token else None
    if token.isupper() or (token.lower() not in _LOOSE and (token.islower() or token.istitle())):
        return known
    return None


def syslog_level(severity: int) -> Level | None:
    """The level of a syslog severity 0 to 7 (RFC 5424, 6.2.1)."""
    return _SYSLOG[severity] if 0 <= severity < len(_SYSLOG) else None


def otel_level(number: int) -> Level | None:
    """The level of an OpenTelemetry SeverityNumber 1 to 24."""
    return LEVELS[(number - 1) // 4] if 1 <= number <= 24 else None


_WINDOWS: dict[int, Level] = {0: "INFO", 1: "FATAL", 2: "ERROR", 3: "WARN", 4: "INFO", 5: "DEBUG"}


def windows_level(number: int) -> Level | None:
    """The level of a Windows event: 1 critical, 2 error, 3 warning, 4 information, 5 verbose."""
    return _WINDOWS.get(number)
