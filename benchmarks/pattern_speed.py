"""Speed of patterns from end to end: the command itself, imports and reading included, beside peers on the same lines.

Every figure of ours is a whole process, `python -m rootproof logs patterns FILE --json > OUT`, timed from outside.
The lines are those of the labelled logs with the digits behind the time changed at random (seeded) and a number put
behind them, so that all of them differ; `formats` measures files of one format each, written here.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.pattern_accuracy import DATA, drain3

LEAST_LINES_PER_S = 400_000
MOST_MB = 300
MOST_GROWTH = 1.25
"""Of the memory, where the input is four times as large."""
LEAST_TIMES_DRAIN3 = 18
MOST_TIMES_SORT = 4
_STAMP_CHARS = 24
_PEER_LINES = 40_000
_FORMAT_LINES = 200_000

FORMATS = {
    "java": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d},{f:03d} {level} [worker-{n}] quay.Berth - berth {n} in {f} ms",
    "iso": "2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{f:03d}Z {level} quay: order {n} of {i:x} went out",
    "syslog": "May {d:2d} {h:02d}:{m:02d}:{s:02d} host{n} quayd[{i}]: rope {f} torn at pier {n}",
    "klog": "I05{d:02d} {h:02d}:{m:02d}:{s:02d}.{f:03d}000 {n} pier.go:{n}] synced {i} in {f} ms",
    "container": "2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{f:03d}000000Z stdout F berth {n} took {i} ms",
    "access": '10.0.{n}.7 - - [{d:02d}/May/2026:{h:02d}:{m:02d}:{s:02d} +0000] "GET /berth/{i} HTTP/1.1" 200 {f}',
    "logfmt": 'ts=2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}Z level={lower} msg="took {i} ms" who=quay',
    "json": '{{"ts":"2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}Z","level":"{lower}","app":"quay","msg":"took {i} ms"}}',
    "traces": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d},{f:03d} {level} quay.Pier - order {i} failed{trace}",
    "plain": "berth {n} is open for order {i}",
}  # fmt: skip


def distinct_lines(out: Path, wanted: int) -> None:
    """Write distinct lines made from the raw logs by changing the digits behind the time (seeded)."""
    rng = random.Random(7)
    lines: list[str] = []
    for path in sorted((DATA / "loghub").glob("*/*_2k.log")):
        lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    written = 0
    with out.open("w", encoding="utf-8") as file:
        while written < wanted:
            digits = str.maketrans("0123456789", "".join(rng.sample("0123456789", 10)))
            for line in lines[: wanted - written]:
                changed = line[:_STAMP_CHARS] + line[_STAMP_CHARS:].translate(digits)
                file.write(f"{changed} seq={rng.randrange(10**9)}\n")
                written += 1


def format_lines(out: Path, form: str, wanted: int) -> int:
    """Write records of one format; how many physical lines they are."""
    rng = random.Random(11)
    trace = (
        "\njava.lang.IllegalStateException: torn\n\tat quay.Pier.run(Pier.java:12)\n\tat quay.Main.main(Main.java:7)"
    )
    with out.open("w", encoding="utf-8") as file:
        for at in range(wanted):
            level = rng.choice(("INFO", "INFO", "WARN", "ERROR"))
            file.write(
                form.format(
                    d=1 + at % 28, h=at % 24, m=at % 60, s=at % 59, f=at % 1000, n=at % 50, i=rng.randrange(10**6),
                    level=level, lower=level.lower(), trace=trace if at % 20 == 0 else "",
                ) + "\n"
            )  # fmt: skip
    return wanted + sum(trace.count("\n") for at in range(wanted) if at % 20 == 0)


def timed(command: Sequence[str], out: Path) -> tuple[float, float]:
    """Seconds and peak memory in MB of a process whose output goes to a file."""
    with out.open("wb") as opened:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=opened)
        _, status, usage = os.wait4(process.pid, 0)
        took = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return took, usage.ru_maxrss / 1024


def ours(log: Path, lines: int, folder: Path, *options: str) -> dict[str, float]:
    """The command on one file."""
    out = folder / "out.json"
    took, rss = timed([sys.executable, "-m", "rootproof", "logs", "patterns", str(log), "--json", *options], out)
    body = json.loads(out.read_text())
    assert sum(row["count"] for row in body["patterns"]) + body["other"] == body["scanned"]
    return {"seconds": took, "lines_per_s": lines / took, "rss_mb": rss, "records": body["scanned"]}


def speed_report(lines: int) -> dict[str, Any]:
    """Figures by size and by format, the peers, and a verdict for each target."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        log = folder / "big.log"
        sizes: dict[str, dict[str, dict[str, float]]] = {}
        for count in (lines, 4 * lines):
            distinct_lines(log, count)
            sizes[str(count)] = {
                "auto": ours(log, count, folder),
                "plain": ours(log, count, folder, "--format", "plain"),
                "assign": ours(log, count, folder, "--assign", str(folder / "assign.csv")),
                "sort | uniq -c": _sorted(log, count, folder),
            }
        with log.open(encoding="utf-8") as file:
            some = [line.rstrip("\n") for _, line in zip(range(_PEER_LINES), file, strict=False)]
        peers = {"drain3 with masks": _drain3(some)}
        formats = {form: _format(folder, form) for form in FORMATS}
    report = {"sizes": sizes, "peers": peers, "formats": formats}
    return report | {"targets": targets(report, lines)}


def _sorted(log: Path, lines: int, folder: Path) -> dict[str, float]:
    command = f"LC_ALL=C sort {log} | uniq -c"
    took, _ = timed(["sh", "-c", command], folder / "sorted")
    (folder / "sorted").unlink()
    return {"seconds": took, "lines_per_s": lines / took}


def _drain3(some: list[str]) -> float | None:
    peer = drain3(masked=True)
    if peer is None:
        return None
    begun = time.perf_counter()
    peer(some)
    return len(some) / (time.perf_counter() - begun)


def _format(folder: Path, form: str) -> dict[str, float]:
    log = folder / f"{form}.log"
    return ours(log, format_lines(log, FORMATS[form], _FORMAT_LINES), folder)


def targets(report: dict[str, Any], lines: int) -> list[dict[str, Any]]:
    """What was to be reached, what was, and whether; `met` is null where a peer is missing."""
    small, large = report["sizes"][str(lines)], report["sizes"][str(4 * lines)]
    peer = report["peers"]["drain3 with masks"]
    found: list[dict[str, Any]] = []

    def check(what: str, value: float | None, limit: float, *, least: bool) -> None:
        met = None if value is None else (value >= limit if least else value <= limit)
        found.append({"target": what, "limit": limit, "least": least, "value": value, "met": met})

    for form in ("auto", "plain"):
        speed = small[form]["lines_per_s"]
        check(f"{form}: lines a second", speed, LEAST_LINES_PER_S, least=True)
        check(f"{form}: times drain3 with masks", speed / peer if peer else None, LEAST_TIMES_DRAIN3, least=True)
        check(f"{form}: times sort | uniq -c", small[form]["seconds"] / small["sort | uniq -c"]["seconds"],
              MOST_TIMES_SORT, least=False)  # fmt: skip
        check(f"{form}: memory in MB", max(small[form]["rss_mb"], large[form]["rss_mb"]), MOST_MB, least=False)
        check(f"{form}: memory at four times the size", large[form]["rss_mb"] / small[form]["rss_mb"], MOST_GROWTH,
              least=False)  # fmt: skip
    return found


def speed_text(report: dict[str, Any]) -> str:
    """The report for people."""
    rows = []
    for size, measured in report["sizes"].items():
        rows += [_line(f"{name}, {int(size):,} lines", figures) for name, figures in measured.items()]
    rows += [_line(f"auto, {name}", figures) for name, figures in report["formats"].items()]
    peer = report["peers"]["drain3 with masks"]
    rows.append(f"{'drain3 with masks':34} " + (f"{peer:>11,.0f} lines/s" if peer else "not installed, not compared"))
    for target in report["targets"]:
        word = {True: "met", False: "MISSED", None: "not compared"}[target["met"]]
        value = "-" if target["value"] is None else f"{target['value']:,.2f}"
        rows.append(
            f"{target['target']:40} {value:>14}  {'>=' if target['least'] else '<='} {target['limit']:,}  {word}"
        )
    return "\n".join(rows)


def _line(name: str, figures: dict[str, float]) -> str:
    memory = f"  {figures['rss_mb']:6.0f} MB" if "rss_mb" in figures else ""
    return f"{name:34} {figures['lines_per_s']:>11,.0f} lines/s  {figures['seconds']:7.2f} s{memory}"
