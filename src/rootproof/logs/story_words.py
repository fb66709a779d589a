"""How surprising each record is among the others, in bits: by its words, and by who says what at which level.

A record is read as a sentence: its service and level, then its words in lower case, numbers as one mark. A word
surprises by as much as it is rarer than what usually follows the two words before it, so a new word where every line
has a new one (a name, a key) tells nothing, and a new word where always the same stands tells much. Words that occur a
few times only are one class with others that are as rare. No rule looks for particular words.

Source: pointwise information less entropy of a trigram model that backs off, counted over the records themselves.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

from rootproof.logs.masking import MAX_MESSAGE_CHARS, pattern_text
from rootproof.logs.record import LogRecord, severity

_WORD = re.compile(r"[^\s()\[\]{}<>\"'`,;:=|!?*]+")
_DIGIT = re.compile(r"\d")
_EDGES = ".+-/#@$%&\\^~_"
_MAX_WORDS = 160
_NUMBER, _END = 0, 1
_FREQUENT = 32
"""A word that occurs at least so often stands for itself; rarer ones are classes by the power of two."""
_CLASSES = 5
_KNOWN_CONTEXT = 16
"""What follows a word that is rarer than this says nothing yet: the next word's own frequency is taken."""
_TELLING_BITS = 2.0
_FOCUS_WORDS = 6

Sentence = tuple[int, ...]
"""Numbers of the speaker, the words, and the end."""
C = TypeVar("C", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Told:
    """Records that say the same but for numbers, by the same service at the same level."""

    records: tuple[int, ...]
    """Their indexes, the earliest first, those without a time last."""
    bits: float
    """How surprising they are; comparable among the records of one call only."""
    peak: float
    """The part of it that the oddest word or the speaker has alone."""
    focus: tuple[str, ...]
    """The words that make them so, the most surprising first; in lower case."""
    kin: int = 0
    """The same for those that differ in rare words only, by the same service at the same level."""


def surprises(records: Sequence[LogRecord]) -> list[Told]:
    """The distinct things that are told, the most surprising first.

    Records of one time may come in any order: ties go by what they say.
    """
    reader = _Reader()
    members: defaultdict[Sentence, list[int]] = defaultdict(list)
    for index in in_time_order(records):
        members[reader.sentence(records[index])].append(index)
    model = _Model({sentence: len(indexes) for sentence, indexes in members.items()}, reader)
    found = []
    for sentence, indexes in members.items():
        score = model.score(sentence)
        words = [reader.words[sentence[at]] for at in score.odd]
        focus = tuple(dict.fromkeys(word for word in words if word))[:_FOCUS_WORDS]
        found.append(Told(tuple(indexes), score.bits, score.peak, focus, score.kin))
    return sorted(found, key=lambda told: -told.bits)


def in_time_order(records: Sequence[LogRecord]) -> list[int]:
    """The indexes of `records` by time, those of one time by what they say; without a time last and as they came."""

    def key(index: int) -> tuple[float, int, str, str, int]:
        record = records[index]
        if record.timestamp is None:
            return (math.inf, 0, "", "", index)
        when = record.timestamp.timestamp()
        return (when, -severity(record.level), record.service or "", record.message, index)

    return sorted(range(len(records)), key=key)


class _Reader:
    """Records as sentences. Words and speakers are numbered as they come."""

    def __init__(self) -> None:
        self.words: list[str] = ["", ""]
        """By number; empty for what is no word."""
        self.speakers: dict[tuple[str | None, str | None], int] = {}
        self._numbers: dict[str, int] = {}
        self._messages: dict[str, Sentence] = {}

    def sentence(self, record: LogRecord) -> Sentence:
        speaker = (record.service, record.level)
        number = self.speakers.get(speaker)
        if number is None:
            number = self.speakers[speaker] = self._added("")
        return (number, *self._of_message(record.message), _END)

    def _of_message(self, message: str) -> Sentence:
        known = self._messages.get(message)
        if known is None:
            text = pattern_text(message) if "\n" in message else message[:MAX_MESSAGE_CHARS]
            known = self._messages[message] = tuple(map(self._number, _WORD.findall(text.lower())[:_MAX_WORDS]))
        return known

    def _number(self, word: str) -> int:
        number = self._numbers.get(word)
        if number is None:
            core = word.strip(_EDGES)
            if not core or _DIGIT.search(core):
                number = _NUMBER
            elif (number := self._numbers.get(core)) is None:
                number = self._numbers[core] = self._added(core)
            self._numbers[word] = number
        return number

    def _added(self, word: str) -> int:
        self.words.append(word)
        return len(self.words) - 1


class _Score(NamedTuple):
    bits: float
    peak: float
    odd: tuple[int, ...]
    """Places in the sentence, the oddest first."""
    kin: int


class _Model:
    """What follows what, counted over all records, with rare words as classes."""

    def __init__(self, sentences: Mapping[Sentence, int], reader: _Reader) -> None:
        self._words = len(reader.words)
        self._class = self._classes(sentences, frozenset(reader.speakers.values()))
        self._scores: dict[Sentence, _Score] = {}
        self._kin: dict[Sentence, int] = {}
        told: Counter[Sentence] = Counter()
        for sentence, times in sentences.items():
            told[self._of(sentence)] += times
        alone: Counter[tuple[tuple[()], int]] = Counter()
        pairs: Counter[tuple[int, int]] = Counter()
        triples: Counter[tuple[tuple[int, int], int]] = Counter()
        for classes, times in told.items():
            before, last = _END, _END
            for word in classes:
                alone[(), word] += times
                pairs[last, word] += times
                triples[(before, last), word] += times
                before, last = last, word
        self._alone = {word: bits for ((), word), bits in _excess(alone, 0).items()}
        self._pairs = _excess(pairs, _KNOWN_CONTEXT)
        self._triples = _excess(triples, _KNOWN_CONTEXT)

    def _classes(self, sentences: Mapping[Sentence, int], speakers: frozenset[int]) -> list[int]:
        """For each word itself or, where it is rare, the class of words (or of speakers) that are as rare."""
        counts = [0] * self._words
        for sentence, times in sentences.items():
            for number in sentence:
                counts[number] += times
        return [
            number
            if number <= _END or count >= _FREQUENT
            else self._words + count.bit_length() - 1 + (_CLASSES if number in speakers else 0)
            for number, count in enumerate(counts)
        ]

    def _of(self, sentence: Sentence) -> Sentence:
        return tuple(map(self._class.__getitem__, sentence))

    def score(self, sentence: Sentence) -> _Score:
        """How surprising a sentence is. Rounded: sums in another order must not differ."""
        classes = self._of(sentence)
        known = self._scores.get(classes)
        if known is None:
            bits = self._bits(classes)
            # A word that is odd wherever it stands leads a reader better to the place than a usual one, odd here.
            odd = [here + self._alone[word] for here, word in zip(bits, classes, strict=True)]
            places = [at for at in sorted(range(len(odd)), key=lambda at: -odd[at]) if odd[at] > _TELLING_BITS]
            kin = tuple(min(word, self._words) for word in classes)
            known = self._scores[classes] = _Score(
                round(sum(bits), 6),
                round(max(bits), 6),
                tuple(places[: 2 * _FOCUS_WORDS]),
                self._kin.setdefault(kin, len(self._kin)),
            )
        return known

    def _bits(self, classes: Sentence) -> list[float]:
        """How surprising each part is behind the two before it, or as many of them as are known well."""
        found = []
        before, last = _END, _END
        for word in classes:
            bits = self._triples.get(((before, last), word))
            if bits is None:
                bits = self._pairs.get((last, word))
                if bits is None:
                    bits = self._alone[word]
                elif last >= self._words and word >= self._words:
                    # Rare words side by side are no phrase that is often said.
                    bits = max(bits, self._alone[word])
            found.append(bits)
            before, last = last, word
        return found


def _excess(counts: Mapping[tuple[C, int], int], least: int) -> dict[tuple[C, int], float]:
    """Of each context and what follows: its information less what follows there has on average.

    Contexts that come less often than `least` times are left out.
    """
    totals: Counter[C] = Counter()
    weighted: defaultdict[C, float] = defaultdict(float)
    for (context, _), count in counts.items():
        totals[context] += count
        weighted[context] += count * math.log2(count)
    # information - entropy = (log n - log n_pair) - (log n - sum(n_pair log n_pair) / n)
    return {
        pair: weighted[pair[0]] / totals[pair[0]] - math.log2(count)
        for pair, count in counts.items()
        if totals[pair[0]] >= least
    }
