"""Log patterns: grouping accuracy per system, first records of awkward files, and speed beside peers in the same run.

    python -m benchmarks.patterns [--json] [--lines N] [--no-speed]

The data lies in `$ROOTPROOF_DATA` (default `../shared/data`). Accuracy is explained in `pattern_accuracy`.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.pattern_accuracy import DATA, accuracy_report, accuracy_text, drain3
from rootproof.logs.parse import parse


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
    accuracy = accuracy_report()
    report: dict[str, object] = {"accuracy": accuracy}
    if not options.no_speed:
        report["speed"] = speed(options.lines)
    if options.json:
        print(json.dumps(report, indent=1))
        return
    print(accuracy_text(accuracy))
    for name, figures in report["speed"].items() if isinstance(report.get("speed"), dict) else ():
        print(f"{name:24} " + "  ".join(f"{key} {value:,.1f}" for key, value in figures.items()))


if __name__ == "__main__":
    main()
