"""Ten shapes of routine logs, seeded: what the needles of `benchmarks.needles` are hidden in."""

from __future__ import annotations

import itertools
import random
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

PLAIN = (  # noqa: SIM905 - easier to read and to change
    "request order cart price stock user page item batch queue event message cache entry index table row record "
    "token session worker thread task job step stage report email invoice payment basket image upload download "
    "search query result filter route handler client server response body header field value key shard replica "
    "leader snapshot segment offset partition topic consumer producer metric sample window bucket rule policy "
    "role group tenant region"
).split(" ")
VERBS = (  # noqa: SIM905 - easier to read and to change
    "handled served stored loaded sent received scheduled computed refreshed written read parsed validated "
    "published consumed merged compacted rotated flushed synced indexed rendered resolved accepted prepared "
    "assigned released"
).split(" ")
SYLLABLES = ("ba ke di fo gu la me ni ro su ta ve wi xo yu za che pha tri ond ark eln ost umb irl ath quo").split(" ")  # noqa: SIM905 - easier to read and to change
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class Line(NamedTuple):
    """One record before it is written."""

    at: float
    """Seconds from the start of the window."""
    level: str
    service: str
    message: str


def coined(rng: random.Random, syllables: int = 3) -> str:
    """A word that nobody uses."""
    return "".join(rng.choices(SYLLABLES, k=syllables))


def letters(rng: random.Random, length: int = 9) -> str:
    """An identifier without a digit."""
    return "".join(rng.choices(LETTERS, k=length))


def value(rng: random.Random) -> str:
    """Something that differs in every line."""
    return rng.choice(
        (
            f"{rng.randrange(10**6)}",
            f"{rng.randrange(4000)}ms",
            f"{rng.getrandbits(64):x}",
            f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}",
            str(uuid.UUID(int=rng.getrandbits(128), version=4)),
            f"/var/data/{rng.randrange(99)}/{rng.randrange(10**5)}.bin",
        )
    )


Template = Callable[[random.Random], str]


def template(rng: random.Random) -> Template:
    """A routine message of its own words."""
    words = [rng.choice(PLAIN), rng.choice(VERBS), rng.choice(PLAIN), rng.choice(PLAIN), coined(rng, 2)]
    rng.shuffle(words)
    form = rng.randrange(4)
    key, other = rng.sample(PLAIN, 2)
    if form == 0:
        return lambda r: f"{' '.join(words)} {value(r)}"
    if form == 1:
        return lambda r: f"{words[0]} {words[1]}: {key}={value(r)} {other}={value(r)}"
    if form == 2:
        return lambda r: f"{words[0].capitalize()} {value(r)} {words[1]} {words[2]} in {r.randrange(900)} ms"
    return lambda r: f"[{key}] {' '.join(words)} ({r.randrange(50)} of {r.randrange(50, 90)})"


def weighted(rng: random.Random, templates: list[Template]) -> Callable[[], Template]:
    """Draws with a long tail: a few templates make most of the lines."""
    bounds = list(itertools.accumulate(1 / (rank + 1) ** 1.1 for rank in range(len(templates))))
    return lambda: rng.choices(templates, cum_weights=bounds)[0]


@dataclass
class Noise:
    """Routine lines of one case. `span_s` is the window they fill."""

    rng: random.Random
    lines: int
    span_s: float = 3_000.0
    services: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        names = ("api", "worker", "gateway", "store", "sync", "proxy", "cron", "edge")
        self.services = [f"{coined(self.rng, 2)}-{name}" for name in self.rng.sample(names, self.rng.randint(3, 8))]

    def when(self) -> float:
        return self.rng.random() * self.span_s

    def routine(self, count: int, templates: int = 60, debug: float = 0.0) -> Iterator[Line]:
        """Templated chatter; one in a hundred lines is a known warning."""
        draw = weighted(self.rng, [template(self.rng) for _ in range(templates)])
        warnings = [template(self.rng) for _ in range(4)]
        for _ in range(count):
            chance = self.rng.random()
            level = "WARN" if chance < 0.01 else "DEBUG" if chance < debug else "INFO"
            made = self.rng.choice(warnings) if level == "WARN" else draw()
            yield Line(self.when(), level, self.rng.choice(self.services), made(self.rng))

    def steady(self) -> Iterator[Line]:
        """Many templates, evenly."""
        return self.routine(self.lines, self.rng.randint(40, 200))

    def error_flood(self) -> Iterator[Line]:
        """Known errors that have nothing to do with the fault: some all the time, most in one flood."""
        share = self.rng.uniform(0.2, 0.6)
        known = [template(self.rng) for _ in range(self.rng.randint(3, 30))]
        draw = weighted(self.rng, known)
        begin, end = sorted((self.when(), self.when()))
        for number in range(int(self.lines * share)):
            at = self.when() if number % 5 == 0 else self.rng.uniform(begin, end)
            yield Line(at, "ERROR", self.rng.choice(self.services[:3]), f"failed: {draw()(self.rng)}")
        yield from self.routine(self.lines - int(self.lines * share))

    def start_up(self) -> Iterator[Line]:
        """Every service says many things once when it starts, and some start again later."""
        said = 0
        for service in self.services:
            own = [f"{coined(self.rng)} {self.rng.choice(VERBS)} {coined(self.rng, 2)} {self.rng.choice(PLAIN)}"
                   for _ in range(self.rng.randint(15, 60))]  # fmt: skip
            begins = [self.rng.uniform(0, 20), *([self.when()] if self.rng.random() < 0.3 else [])]
            for begin in begins:
                for number, text in enumerate(own):
                    said += 1
                    yield Line(begin + number * 0.05, "INFO", service, text)
        yield from self.routine(self.lines - said)

    def free_text(self) -> Iterator[Line]:
        """Sentences of people: thousands of lines that occur once."""
        vocabulary = [coined(self.rng, self.rng.randint(1, 3)) for _ in range(self.rng.choice((800, 3_000, 12_000)))]
        bounds = list(itertools.accumulate(1 / (rank + 5) for rank in range(len(vocabulary))))
        prefix = self.rng.choice(("comment from guest: ", "search text=", "", "note: "))
        share = self.rng.uniform(0.3, 0.9)
        for _ in range(int(self.lines * share)):
            words = self.rng.choices(vocabulary, cum_weights=bounds, k=self.rng.randint(4, 18))
            yield Line(self.when(), "INFO", self.rng.choice(self.services), prefix + " ".join(words))
        yield from self.routine(self.lines - int(self.lines * share))

    def letter_ids(self) -> Iterator[Line]:
        """Names and keys without a digit in most lines, each of them once."""
        forms = [
            lambda r: f"login user={letters(r)} ok after {r.randrange(90)} ms",
            lambda r: f"basket {letters(r, 12)} of {letters(r)} priced",
            lambda r: f"cache fill key={letters(r, 16)} from {letters(r, 6)}",
            lambda r: f"mail to {letters(r, 7)} {letters(r, 8)} queued",
        ]
        for _ in range(self.lines * 7 // 10):
            yield Line(self.when(), "INFO", self.rng.choice(self.services), self.rng.choice(forms)(self.rng))
        yield from self.routine(self.lines - self.lines * 7 // 10)

    def interleaved(self) -> Iterator[Line]:
        """Many services with debug chatter, one of them nearly silent."""
        self.services += [
            f"{coined(self.rng, 2)}-{name}" for name in ("auth", "bus", "geo", "tax", "pdf", "feed", "img")
        ]
        quiet = self.services.pop()
        for _ in range(self.rng.randint(2, 9)):
            yield Line(self.when(), "INFO", quiet, f"heartbeat {self.rng.randrange(99)}")
        yield from self.routine(self.lines, self.rng.randint(150, 400), debug=0.6)

    def traces(self) -> Iterator[Line]:
        """Stack traces of a known error, over and over."""
        names = [coined(self.rng, 2).capitalize() for _ in range(4)]
        frames = "".join(f"\n\tat com.shop.{name}.run({name}.java:{self.rng.randrange(400)})" for name in names)
        for _ in range(self.lines // 25):
            cause = f"\nCaused by: java.io.IOException: {self.rng.choice(names)} gave {self.rng.randrange(99)}"
            yield Line(
                self.when(), "ERROR", self.services[0], f"render failed for {value(self.rng)}{frames}{cause}{frames}"
            )
        yield from self.routine(self.lines - self.lines // 25)

    def states(self) -> Iterator[Line]:
        """One sentence about many things in many states, among routine."""
        words = [coined(self.rng, 2) for _ in range(self.rng.choice((2, 4, 9, 40)))]
        share = self.rng.uniform(0.1, 0.8)
        for _ in range(int(self.lines * share)):
            yield Line(self.when(), "INFO", self.rng.choice(self.services), sibling(self.rng, self.rng.choice(words)))
        yield from self.routine(self.lines - int(self.lines * share))

    def rare_rivals(self) -> Iterator[Line]:
        """More than twenty unrelated lines that occur once or twice, all over the window."""
        count = self.rng.randint(21, 30)
        for _ in range(count):
            text = f"{coined(self.rng)} {self.rng.choice(VERBS)} {self.rng.choice(PLAIN)} {value(self.rng)}"
            level = self.rng.choice(("INFO", "INFO", "INFO", "WARN", "ERROR"))
            yield Line(self.when(), level, self.rng.choice(self.services), text)
        yield from self.routine(self.lines - count)

    def long_lines(self) -> Iterator[Line]:
        """Routine of 600 to 1,500 characters a line."""
        parts = [template(self.rng) for _ in range(60)]
        for _ in range(self.lines // 5):
            text = "; ".join(part(self.rng) for part in self.rng.sample(parts[:14], self.rng.randint(9, 14)))
            yield Line(self.when(), "INFO", self.rng.choice(self.services), f"dump: {text}")
        yield from self.routine(self.lines - self.lines // 5)

    def shapes(self) -> dict[str, Callable[[], Iterator[Line]]]:
        """The shapes by name; the first five are those that the product promises."""
        return {
            "steady": self.steady,
            "error flood": self.error_flood,
            "start-up burst": self.start_up,
            "free text": self.free_text,
            "interleaved debug": self.interleaved,
            "letter ids": self.letter_ids,
            "stack traces": self.traces,
            "state words": self.states,
            "rare rivals": self.rare_rivals,
            "long lines": self.long_lines,
        }


def sibling(rng: random.Random, state: str) -> str:
    """The sentence of `states` with a state of choice."""
    return f"replica {rng.randrange(64)} of shard {rng.randrange(999)} is {state}"
