"""Log patterns: grouping accuracy per system, first records of awkward files, and speed beside peers in the same run.

    python -m benchmarks.patterns [--json] [--lines N] [--no-speed]

The data lies in `$ROOTPROOF_DATA` (default `../shared/data`). Grouping accuracy (GA) is the share of messages whose
group is exactly the labelled group; FGA is the F1 over groups. drain3 is compared where it is installed already.
"""

from __future__ import annotations

import argparse
import csv
import importlib.util
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

from rootproof.logs.parse import parse
from rootproof.logs.patterns import mine

DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[2] / "shared" / "data"))
Assign = Callable[[list[str]], Sequence[int]]


def scores(found: Sequence[int], truth: Sequence[str]) -> tuple[float, float]:
    """Grouping accuracy, and F1 of the groups."""
    ours: defaultdict[int, list[int]] = defaultdict(list)
    theirs: defaultdict[str, list[int]] = defaultdict(list)
    for at, (group, label) in enumerate(zip(found, truth, strict=True)):
        ours[group].append(at)
        theirs[label].append(at)
    right = {tuple(group) for group in ours.values()} & {tuple(group) for group in theirs.values()}
    precision, recall = len(right) / len(ours), len(right) / len(theirs)
    f1 = 2 * precision * recall / (precision + recall) if right else 0.0
    return sum(map(len, right)) / len(truth), f1


def systems() -> dict[str, tuple[list[str], list[str]]]:
    """The messages and labels of each system."""
    found = {}
    for path in sorted((DATA / "loghub").glob("*/*_structured_corrected.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found[path.parent.name] = ([row["Content"] for row in rows], [row["EventId"] for row in rows])
    return found


def drain3() -> Assign | None:
    """drain3 as it comes, if it is there."""
    if importlib.util.find_spec("drain3") is None:
        return None
    miner_module = importlib.import_module("drain3")

    def assign(messages: list[str]) -> Sequence[int]:
        miner = miner_module.TemplateMiner()
        return [miner.add_log_message(message)["cluster_id"] for message in messages]

    return assign


def accuracy(assign: Assign) -> dict[str, tuple[float, float, float]]:
    """GA, FGA and seconds per system, and their average."""
    table = {}
    for name, (messages, labels) in systems().items():
        begun = time.perf_counter()
        found = assign(messages)
        took = time.perf_counter() - begun
        table[name] = (*scores(found, labels), took)
    columns = list(zip(*table.values(), strict=True))
    table["average"] = (sum(columns[0]) / len(table), sum(columns[1]) / len(table), sum(columns[2]) / len(table))
    return table


def distinct_lines(out: Path, wanted: int) -> int:
    """Write about `wanted` distinct lines made from the raw logs by changing their digits (seeded); say how many."""
    rng = random.Random(7)
    lines: list[str] = []
    for path in sorted((DATA / "loghub").glob("*/*_2k.log")):
        lines += path.read_text(encoding="utf-8", errors="replace").splitlines()
    written = 0
    with out.open("w", encoding="utf-8") as file:
        while written < wanted:
            digits = str.maketrans("0123456789", "".join(rng.sample("0123456789", 10)))
            for line in lines[: wanted - written]:
                file.write(f"{line.translate(digits)} seq={rng.randrange(10**9)}\n")
                written += 1
    return written


def speed(lines: int) -> dict[str, dict[str, float]]:
    """Lines a second of the vectorised path (own process, imports included), of `parse` and of `sort | uniq -c`."""
    result: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "big.log"
        count = distinct_lines(log, lines)
        for name, code in (("patterns", ""), ("patterns with --assign", f", assign=Path({folder!r})/'a.csv'")):
            script = (
                "import resource\nfrom pathlib import Path\nfrom rootproof.logs.patterns_fast import mine_paths\n"
                f"m = mine_paths([Path({str(log)!r})]{code})\nassert sum(m.counts) + m.other == m.scanned == {count}\n"
                "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
            )
            begun = time.perf_counter()
            out = subprocess.run([sys.executable, "-c", script], check=True, capture_output=True, text=True)
            took = time.perf_counter() - begun
            result[name] = {"seconds": took, "lines_per_s": count / took, "rss_mb": float(out.stdout)}
        begun = time.perf_counter()
        subprocess.run(f"LC_ALL=C sort {log} | uniq -c > /dev/null", shell=True, check=True)
        took = time.perf_counter() - begun
        result["sort | uniq -c"] = {"seconds": took, "lines_per_s": count / took}
        with log.open(encoding="utf-8") as file:
            some = [line for _, line in zip(range(40_000), file, strict=False)]
        begun = time.perf_counter()
        read = sum(1 for _ in parse(some))
        took = time.perf_counter() - begun
        result["parse (mixed formats)"] = {"seconds": took, "lines_per_s": len(some) / took, "records": read}
        if (peer := drain3()) is not None:
            begun = time.perf_counter()
            peer(some)
            took = time.perf_counter() - begun
            result["drain3"] = {"seconds": took, "lines_per_s": len(some) / took}
    return result


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--no-speed", action="store_true")
    arguments.add_argument("--lines", type=int, default=1_000_000)
    options = arguments.parse_args()
    if not (DATA / "loghub").is_dir():
        raise SystemExit(f"no logs at {DATA / 'loghub'}: set ROOTPROOF_DATA to the folder that holds `loghub`")
    report: dict[str, object] = {"rootproof": accuracy(lambda messages: mine(messages).assignment)}
    if (peer := drain3()) is not None:
        report["drain3"] = accuracy(peer)
    if not options.no_speed:
        report["speed"] = speed(options.lines)
    if options.json:
        print(json.dumps(report, indent=1))
        return
    for name in ("rootproof", "drain3"):
        table = report.get(name)
        if not isinstance(table, dict):
            print(f"{name}: not installed, not compared")
            continue
        print(f"{name:16}    GA    FGA  seconds")
        for system, (ga, fga, took) in table.items():
            print(f"  {system:14} {ga:.3f}  {fga:.3f}  {took:.3f}")
    for name, figures in report["speed"].items() if isinstance(report.get("speed"), dict) else ():
        print(f"{name:24} " + "  ".join(f"{key} {value:,.1f}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
