"""Fuzz reading and redaction of logs: mutated inputs, invariants checked after each, crashes minimised and kept.

`python -m benchmarks.fuzz [--minutes 10] [--only NAME] [--seed N] [--out DIR] [--json]`. The corpus: the files of
`benchmarks/fuzz_corpus` (our own lines, and every input that once broke something), and where `$ROOTPROOF_DATA`
(default `../shared/data` beside the project) is there, the beginnings of its logs, labelled lines and webhook bodies.
An input that shows something new is kept and mutated further. One that takes long is repeated four times over: time
that grows faster than the input is told. Exit code 1 for a crash, a broken invariant, a hang or superlinear time.
"""

from __future__ import annotations

import argparse
import base64
import gzip
import hashlib
import json
import os
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any, Final
from urllib.parse import quote_from_bytes

from benchmarks.fuzz_targets import BY_NAME, TARGETS, Broken, Signature, Target

HERE: Final = Path(__file__).parent / "fuzz_corpus"
OUT: Final = Path("fuzz_crashes")
HANG_S: Final = 10.0
"""An input that takes longer is a hang."""
SLOW_S: Final = 0.02
"""What is faster is not looked at for superlinear time: clocks are noisy."""
MOST_GROWTH: Final = 9.0
"""Time of an input four times over, in times of the input: 4 is linear, 16 is quadratic."""
_SEED_BYTES: Final = 4_096
_KINDS_OF_DATA: Final = (
    "logshapes/*", "loghub/**/*.log", "loghub/**/*.csv", "payloads/*.json", "bundles/*/logs/*",
    "cluster-bundles/*/cluster/*",
)  # fmt: skip
_MINIMISE_S: Final = 20.0
_KEPT: Final = 4_000
_TOKENS: Final = tuple(
    token.encode("utf-8", "surrogatepass")
    for token in (
        *(
            "[",
            "]",
            "{",
            "}",
            '"',
            '\\"',
            "\\",
            "\n",
            "\r\n",
            "\t",
            "=",
            ": ",
            "%3D",
            "%22",
            "\\u0070",
            "NaN",
            "1e999",
            "-0",
            "null",
        ),
        *("\x00", "\x1b[31m", "\u200b", "\u202e", "\U000e0041", "\ufeff", "\u2028", "İ", "ß", "漢", "9" * 400),
        *("2026-05-04T09:15:30.250Z ", "May  4 09:15:30 ", "1777886130250 ", "@400000005f5e1000", "<34>1 ", "ERROR "),
        *("stdout P ", "stderr F ", "# Time: ", "# Query_time: 1 Lock_time: 0 Rows_sent: 1 Rows_examined: 2\n"),
        *("at a.b(C.java:1)", "Caused by: ", "Traceback (most recent call last):\n", "message repeated 3 times: ["),
        *("#Fields: a b\n", "time,message\n", "<Event ", "<ip:1>", "<secret:password:1>", "<*>", "<num>"),
        *("password=", "token: ", "Authorization: Bearer ", "postgres://a:b@c/d", "eyJhbGciOiJFUzI1NiJ9."),
        *(
            "-----BEGIN PRIVATE KEY-----",
            "-----END PRIVATE KEY-----",
            "kind: Secret\ndata:\n",
            '"kind":"Secret","data":{',
        ),
        *("10.1.2.3", "fe80::1", "cart-7f9dd8b6c4-x7gr9", "SELECT a FROM t WHERE b='"),
    )
)


@dataclass
class Outcome:
    """What came of one target."""

    target: str
    executions: int = 0
    seconds: float = 0.0
    seeds: int = 0
    signatures: int = 0
    crashes: list[dict[str, str]] = field(default_factory=list)
    slowest_ms: float = 0.0
    slowest_ms_per_kib: float = 0.0
    growth: float = 0.0
    """Of the slowest input, four times over; 0 where nothing was slow."""

    @property
    def passed(self) -> bool:
        return not self.crashes and self.growth <= MOST_GROWTH


def corpus() -> list[bytes]:
    """Our own inputs, and the beginnings of the data's."""
    found = [path.read_bytes() for path in sorted(HERE.rglob("*")) if path.is_file()]
    data = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
    if not data.is_dir():
        return found
    for pattern in _KINDS_OF_DATA:
        paths = sorted(path for path in data.glob(pattern) if path.is_file())
        found += [_beginning(path) for path in paths[:: max(1, len(paths) // 60)]]
    labelled = data / "redaction_cases.jsonl.gz"
    if labelled.is_file():
        with gzip.open(labelled, "rt", encoding="utf-8") as lines:
            texts = [json.loads(line)["text"] for line in lines]
        found += [text.encode("utf-8", "surrogatepass")[:_SEED_BYTES] for text in texts[:: max(1, len(texts) // 400)]]
    return [seed for seed in found if seed]


def _beginning(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(_SEED_BYTES)


class Mutator:
    """Changes inputs in the ways that break readers."""

    def __init__(self, rng: random.Random, seeds: list[bytes]) -> None:
        self._rng = rng
        self._seeds = seeds
        self._ways: tuple[Callable[[bytes], bytes], ...] = (
            self._flip, self._flip, self._token, self._token, self._token, self._splice, self._splice, self._truncate,
            self._repeat, self._drop, self._encode, self._swap, self._number,
        )  # fmt: skip

    def next(self, longest: int) -> bytes:
        """An input of at most `longest` bytes."""
        data = self._rng.choice(self._seeds[-200:] if self._rng.random() < 0.3 else self._seeds)
        for _ in range(1 << self._rng.randint(0, 4)):
            data = self._rng.choice(self._ways)(data)[: longest * 2]
        if len(data) > longest:
            start = self._rng.randint(0, len(data) - longest)
            data = data[start : start + longest]
        return data

    def _span(self, data: bytes, most: int = 64) -> tuple[int, int]:
        start = self._rng.randint(0, len(data))
        return start, min(len(data), start + self._rng.randint(0, most))

    def _flip(self, data: bytes) -> bytes:
        if not data:
            return b"\xff"
        changed = bytearray(data)
        for _ in range(self._rng.randint(1, 4)):
            changed[self._rng.randrange(len(changed))] = self._rng.choice(
                (0, 10, 34, 92, 128, 255, self._rng.randrange(256))
            )
        return bytes(changed)

    def _token(self, data: bytes) -> bytes:
        start, end = self._span(data, 8)
        return data[:start] + self._rng.choice(_TOKENS) + data[end if self._rng.random() < 0.5 else start :]

    def _splice(self, data: bytes) -> bytes:
        other = self._rng.choice(self._seeds)
        start, end = self._span(other, 400)
        at = self._rng.randint(0, len(data))
        return data[:at] + other[start:end] + data[at:]

    def _truncate(self, data: bytes) -> bytes:
        return (
            data[: self._rng.randint(0, len(data))]
            if self._rng.random() < 0.5
            else data[self._rng.randint(0, len(data)) :]
        )

    def _repeat(self, data: bytes) -> bytes:
        start, end = self._span(data, 40)
        return data[:end] + data[start:end] * self._rng.choice((1, 2, 7, 60)) + data[end:]

    def _drop(self, data: bytes) -> bytes:
        start, end = self._span(data, 100)
        return data[:start] + data[end:]

    def _swap(self, data: bytes) -> bytes:
        lines = data.split(b"\n")
        self._rng.shuffle(lines)
        return b"\n".join(lines)

    def _number(self, data: bytes) -> bytes:
        start, _ = self._span(data)
        return data[:start] + str(self._rng.choice((0, -1, 2**31, 2**63, 10**19, 1e308, 0.1))).encode() + data[start:]

    def _encode(self, data: bytes) -> bytes:
        start, end = self._span(data, 200)
        piece = data[start:end]
        match self._rng.randint(0, 6):
            case 0:
                piece = base64.b64encode(piece)
            case 1:
                piece = quote_from_bytes(piece).encode()
            case 2:
                piece = json.dumps(piece.decode("utf-8", "replace")).encode()
            case 3:
                return data.decode("utf-8", "replace").encode("utf-16" if self._rng.random() < 0.5 else "utf-16-be")
            case 4:
                piece = piece.decode("utf-8", "replace").encode("gb18030")
            case 5:
                return gzip.compress(data[:2_000], 1)
            case _:
                piece = json.dumps({"log": piece.decode("utf-8", "replace"), "stream": "stderr"}).encode() + b"\n"
        return data[:start] + piece + data[end:]


class Hang(Exception):
    """An input took too long."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raises: Hang where the body takes longer."""

    def ring(_number: int, _frame: FrameType | None) -> None:
        raise Hang(f"not done after {seconds:g} s")

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def crash_of(target: Target, data: bytes) -> tuple[str, str] | None:
    """What an input does: nothing, or which kind of crash where (equal for equal crashes), and its words."""
    try:
        with bounded(HANG_S):
            target.run(data)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is what is looked for
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}"
        told = str(error)[:60] if isinstance(error, Broken) else place
        return f"{type(error).__name__} {told}", f"{type(error).__name__}: {error}"[:300] + f" at {place}"
    return None


def minimised(target: Target, data: bytes, kind: str) -> bytes:
    """The smallest input found that crashes in the same way."""
    ends = time.monotonic() + _MINIMISE_S
    step = max(1, len(data) // 2)
    while step and time.monotonic() < ends:
        at = 0
        while at < len(data) and time.monotonic() < ends:
            shorter = data[:at] + data[at + step :]
            found = crash_of(target, shorter)
            if found is not None and found[0] == kind:
                data = shorter
            else:
                at += step
        step //= 2
    return data


def fuzz(target: Target, seconds: float, seeds: list[bytes], rng: random.Random, out: Path) -> Outcome:
    """Run one target for so long."""
    outcome = Outcome(target.name, seeds=len(seeds))
    kept = [seed[: target.longest] for seed in seeds]
    mutator = Mutator(rng, kept)
    seen: set[Signature] = set()
    kinds: set[str] = set()
    slow: list[tuple[float, bytes]] = []
    begun = time.monotonic()
    waiting = list(kept)
    while time.monotonic() - begun < seconds or waiting:
        data = waiting.pop() if waiting else mutator.next(target.longest)
        began = time.perf_counter()
        try:
            with bounded(HANG_S):
                signature = target.run(data)
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            _note(target, data, kinds, outcome, out)
            signature = None
        took = time.perf_counter() - began
        outcome.executions += 1
        outcome.slowest_ms = max(outcome.slowest_ms, took * 1_000)
        outcome.slowest_ms_per_kib = max(outcome.slowest_ms_per_kib, took * 1_000 / max(1, len(data) / 1_024))
        slow = sorted([*slow, (took, data)], key=lambda pair: -pair[0])[:3]
        if signature is not None and signature not in seen:
            seen.add(signature)
            if len(kept) < _KEPT:
                kept.append(data)
    outcome.seconds = time.monotonic() - begun
    outcome.signatures = len(seen)
    outcome.growth = max((growth_of(target, data) for _, data in slow), default=0.0)
    if outcome.growth > MOST_GROWTH:
        (out / f"{target.name}-superlinear.bin").write_bytes(max(slow, key=lambda pair: growth_of(target, pair[1]))[1])
    return outcome


def _note(target: Target, data: bytes, kinds: set[str], outcome: Outcome, out: Path) -> None:
    """Keep a crash of a kind that was not seen before, as small as it gets."""
    found = crash_of(target, data)
    if found is None or found[0] in kinds:
        return
    kinds.add(found[0])
    small = minimised(target, data, found[0])
    file = out / f"{target.name}-{hashlib.sha256(small).hexdigest()[:12]}.bin"
    file.write_bytes(small)
    outcome.crashes.append({"what": found[1], "input": ascii(small[:400]), "file": str(file)})


def growth_of(target: Target, data: bytes) -> float:
    """How the time grows when an input is there four times over; 0 where it is too fast to tell."""
    once, times = _best(target, data), 1
    while once < SLOW_S and times < 64:
        times *= 4
        once = _best(target, data * times)
    if once < SLOW_S:
        return 0.0
    return _best(target, data * times * 4) / once


def _best(target: Target, data: bytes) -> float:
    """Seconds of processor time of the faster of two tries; an input that crashes or hangs is known as such already."""
    taken = []
    for _ in range(2):
        began = time.process_time()
        try:
            with bounded(HANG_S):
                target.run(data)
        except Exception:  # noqa: BLE001
            return min([time.process_time() - began, *taken])
        taken.append(time.process_time() - began)
    return min(taken)


_TITLES: Final = ("runs", "runs/s", "distinct", "crashes", "slowest", "ms/KiB", "x4 time")


def show(outcome: Outcome) -> None:
    """A row, and the crashes below it."""
    rate = outcome.executions / max(outcome.seconds, 1e-9)
    growth = f"{outcome.growth:.1f}" if outcome.growth else "-"
    print(
        f"{outcome.target:12} {outcome.executions:8} {rate:8.0f} {outcome.signatures:8} {len(outcome.crashes):8} "
        f"{outcome.slowest_ms:6.0f}ms {outcome.slowest_ms_per_kib:8.1f} {growth:>8}",
        flush=True,
    )
    for crash in outcome.crashes:
        print(f"    {crash['what']}\n      {crash['input'][:300]}\n      {crash['file']}", flush=True)


def main() -> int:
    """Run and print; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", action="append", choices=list(BY_NAME), default=[])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=OUT, help="folder of reproducers")
    parser.add_argument("--json", action="store_true", dest="as_json")
    options = parser.parse_args()
    chosen = [BY_NAME[name] for name in options.only] or list(TARGETS)
    options.out.mkdir(parents=True, exist_ok=True)
    seeds = corpus()
    if not options.as_json:
        size = sum(map(len, seeds)) / 1_024
        print(f"{len(seeds)} seeds, {size:.0f} KiB; seed {options.seed}; reproducers in {options.out}")
        print(f"{'target':12} " + " ".join(f"{title:>8}" for title in _TITLES))
    outcomes: list[Outcome] = []
    for target in chosen:
        rng = random.Random(f"{options.seed} {target.name}")
        outcomes.append(fuzz(target, options.minutes * 60 / len(chosen), seeds, rng, options.out))
        if not options.as_json:
            show(outcomes[-1])
    passed = all(outcome.passed for outcome in outcomes)
    if options.as_json:
        document: dict[str, Any] = {"seeds": len(seeds), "passed": passed, "targets": [asdict(one) for one in outcomes]}
        print(json.dumps(document, indent=2))
    else:
        print("passed" if passed else "FAILED")
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
