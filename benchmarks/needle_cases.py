"""The needles: one to five lines that hold a fault, told in words of their own, and where in the noise they lie."""

from __future__ import annotations

import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

from benchmarks.needle_noise import Line, Noise, coined, sibling

SRC = Path(__file__).parents[1] / "src"
START = datetime(2026, 5, 4, 9, 0, tzinfo=UTC)

KINDS: dict[str, tuple[str, str]] = {
    "pool time-out": (
        "reservoir cistern berth turnstile pier larder moorings stalls corral pantry",
        "parched famished waitlisted overbooked gridlocked barren desiccated sapped languished wilted",
    ),
    "certificate": (
        "vellum parchment seal charter passport notary signet warrant credence affidavit",
        "lapsed faded stale outlived mouldered tarnished yellowed forsworn repudiated disowned",
    ),
    "out of memory": (
        "glutton heaviness ballast granary silo attic cupboard warehouseman hoard bloat",
        "reaped culled smothered engorged bursting overflowed swamped toppled suffocated felled",
    ),
    "config reload": (
        "dial lever knob recipe score blueprint almanac ledgerbook tuning gearbox",
        "twiddled nudged rewrote dwindled shrunk halved swapped flipped turned reshuffled",
    ),
    "peer down": (
        "neighbour sibling comrade shipmate outpost lighthouse consort cousin liaison courier",
        "vanished hushed mute comatose strayed slumbering unreachably marooned absconded deserted",
    ),
    "disk full": (
        "platter spindle barrel drawer shelf crate vault cellar bunker hold",
        "brimming crammed saturating glutted stuffed teeming overladen jammed clogged choking",
    ),
    "clock": (
        "pendulum metronome sundial hourglass chronometer escapement timepiece gnomon",
        "wandered lagged dawdled skidded leapt stuttered tarried sauntered",
    ),
    "lock": (
        "padlock latch turnkey shackle portcullis bolt clasp tether",
        "clutched hoarded grasped withheld clung seized pinned entangled",
    ),
}
"""Fault: nouns and verbs that tell it by a picture. Those that occur under src are passed over."""
PLAIN_WORDS = {
    "pool time-out": "could not get a connection from pool {a} of {b} within 30000 ms",
    "certificate": "certificate of {a} expired, handshake with {b} refused",
    "out of memory": "process {a} killed: out of memory in {b}",
    "config reload": "configuration of {a} reloaded: limit for {b} is now 2",
    "peer down": "peer {a} is down, {b} cannot reach it",
    "disk full": "no space left on device {a} while {b} wrote",
    "clock": "clock of {a} is behind {b} by 340 s",
    "lock": "lock {a} is held by {b} for 900 s",
}


class Unfair(Exception):
    """A needle of INFO level uses a word that the product knows."""


@dataclass(frozen=True)
class Planted:
    """One line that must be seen: its words and its time."""

    line: Line
    words: tuple[str, ...]
    time: str

    def seen_in(self, text: str) -> bool:
        """Whether the words and the time stand in the text."""
        lowered = text.lower()
        return self.time in text and all(word.lower() in lowered for word in self.words)


@dataclass(frozen=True)
class Case:
    """A haystack and what is hidden in it. `lines` are in time order."""

    number: int
    shape: str
    kind: str
    info: bool
    place: str
    lines: list[Line]
    planted: list[Planted]

    def write(self, folder: Path) -> None:
        """The lines as files: JSON in one, or one plain file a service, by the case's number."""
        if self.number % 2:
            with (folder / "all.log").open("w", encoding="utf-8") as file:
                for line in self.lines:
                    fields = {"time": stamp(line.at), "level": line.level.lower(), "service": line.service}
                    file.write(json.dumps(fields | {"msg": line.message}) + "\n")
            return
        by_service: dict[str, list[str]] = {}
        for line in self.lines:
            text = f"{stamp(line.at)} {line.level} {line.message}\n"
            by_service.setdefault(line.service, []).append(text)
        for service, texts in by_service.items():
            (folder / f"{service}.log").write_text("".join(texts), encoding="utf-8")


def stamp(at: float) -> str:
    """A time as it is written in the files and in what a model sees."""
    when = START + timedelta(milliseconds=round(at * 1000))
    return when.strftime("%Y-%m-%dT%H:%M:%S") + (f".{when.microsecond // 1000:03d}Z" if when.microsecond else "Z")


@cache
def known_words() -> str:
    """All text under src, in lower case."""
    files = [path for path in sorted(SRC.rglob("*")) if path.suffix in {".py", ".md", ".toml", ".txt", ".json"}]
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").lower() for path in files)


def unknown(words: list[str]) -> list[str]:
    """Those that stand nowhere under src, not even inside another word."""
    return [word for word in words if word.lower() not in known_words()]


def case(number: int, lines: int, seed: int) -> Case:
    """The case of this number: the same for the same seed."""
    rng = random.Random(f"{seed}/{number}")
    noise = Noise(random.Random(f"{seed}/{number}/noise"), lines)
    shapes = noise.shapes()
    shape = list(shapes)[number % len(shapes)]
    kind = list(KINDS)[(number // len(shapes)) % len(KINDS)]
    info = (number // 2 + number // len(shapes)) % 2 == 0
    hay = list(shapes[shape]())
    place = rng.choice(("start", "middle", "end", "anywhere"))
    planted = _planted(rng, noise, shape, kind, place, info=info)
    everything = sorted([*hay, *(each.line for each in planted)], key=lambda line: round(line.at * 1000))
    _check_fair(planted, hay, info=info)
    return Case(number, shape, kind, info, place, everything, planted)


def _planted(rng: random.Random, noise: Noise, shape: str, kind: str, place: str, *, info: bool) -> list[Planted]:
    span = noise.span_s
    begin = {"start": rng.uniform(0.002, 0.05), "middle": rng.uniform(0.4, 0.6), "end": rng.uniform(0.95, 0.995),
             "anywhere": rng.random()}[place] * span  # fmt: skip
    count = rng.randint(1, 5)
    level = "INFO" if info else rng.choice(("WARN", "ERROR", "ERROR", "FATAL"))
    service = rng.choice([*noise.services, f"{coined(rng, 2)}-{rng.choice(('db', 'vault', 'lb'))}"])
    same = rng.random() < 0.5
    style = rng.choice(("whole", "whole", "long", "trace", "sibling"))
    if style == "sibling" and shape != "state words":
        style = "whole"
    found: list[Planted] = []
    text, words = _told(rng, kind, style, info=info)
    for number in range(count):
        if number and not same:
            text, words = _told(rng, kind, style, info=info)
        at = round(min(span, begin + number * rng.uniform(0.2, 90)), 3)
        said = text.replace("@", str(rng.randrange(10**5)))
        found.append(Planted(Line(at, level, service, said), words, stamp(at)))
    # Of one sentence said again and again the first time is the fact: the pattern has it, and how often it came.
    return found[:1] + ([] if same else found[1:]) + [_silent(each) for each in (found[1:] if same else [])]


def _silent(planted: Planted) -> Planted:
    return Planted(planted.line, planted.words, "")


def _told(rng: random.Random, kind: str, style: str, *, info: bool) -> tuple[str, tuple[str, ...]]:
    """A sentence and the words that make it what it is; `@` stands for a number that differs."""
    nouns, verbs = (unknown(words.split()) for words in KINDS[kind])
    names = unknown([coined(rng, 4) for _ in range(6)])[:2]
    if info:
        noun, verb = rng.choice(nouns), rng.choice(verbs)
        if style == "sibling":
            return sibling(rng, verb), (verb,)
        form = rng.choice(
            ("{n} {a} {v} @", "{a}: {n} {v}", "{v} {n} {a} {b} @ ms", "{n}={a} {v}", "{a} {v} by {n} of {b}")
        )
        text = form.format(n=noun, v=verb, a=names[0], b=names[1])
        words = tuple(word for word in (noun, verb, names[0]) if word in text)
    else:
        text, words = PLAIN_WORDS[kind].format(a=names[0], b=names[1]), tuple(names)
    if style == "long":
        filler = " ".join(rng.choice(("route", "item", "page", "stage")) + f"={rng.randrange(999)}" for _ in range(90))
        return f"{filler[: len(filler) // 2]} {text} {filler[len(filler) // 2 :]}", words
    if style == "trace":
        frames = "".join(f"\n\tat org.app.{coined(rng, 2)}.call(App.java:{rng.randrange(900)})" for _ in range(14))
        return f"could not finish @{frames}\nCaused by: app.Fault: {text}{frames}", words
    return text, words


def _check_fair(planted: list[Planted], hay: list[Line], *, info: bool) -> None:
    words = {word.lower() for each in planted for word in each.words}
    if info and len(unknown(sorted(words))) < len(words):
        raise Unfair(f"these words occur under src: {sorted(words - set(unknown(sorted(words))))}")
    routine = set(re.findall(r"\w+", " ".join(line.message for line in hay[:: max(1, len(hay) // 20_000)]).lower()))
    if words & routine:
        raise Unfair(f"these words occur in the noise: {sorted(words & routine)}")
