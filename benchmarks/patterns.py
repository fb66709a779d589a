"""Log patterns: grouping accuracy per system and speed beside peers, in one run.

    python -m benchmarks.patterns [--json] [--lines N] [--no-speed] [--no-accuracy]

The data lies in `$ROOTPROOF_DATA` (default `../shared/data`). Accuracy is explained in `pattern_accuracy`, speed and
its targets in `pattern_speed`; the exit code is 1 where a target of speed is missed.
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

from benchmarks.pattern_accuracy import DATA, accuracy_report, accuracy_text
from benchmarks.pattern_speed import speed_report, speed_text


def main() -> int:
    """Print the tables; the exit code."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--json", action="store_true")
    arguments.add_argument("--no-speed", action="store_true")
    arguments.add_argument("--no-accuracy", action="store_true")
    arguments.add_argument(
        "--lines", type=int, default=1_000_000, help="the smaller size; the other is four times that"
    )
    options = arguments.parse_args()
    if not (DATA / "loghub").is_dir():
        raise SystemExit(f"no logs at {DATA / 'loghub'}: set ROOTPROOF_DATA to the folder that holds `loghub`")
    report: dict[str, Any] = {}
    if not options.no_accuracy:
        report["accuracy"] = accuracy_report()
    if not options.no_speed:
        report["speed"] = speed_report(options.lines)
    if options.json:
        print(json.dumps(report, indent=1))
    else:
        print("\n".join([
            *([accuracy_text(report["accuracy"])] if "accuracy" in report else []),
            *([speed_text(report["speed"])] if "speed" in report else []),
        ]))  # fmt: skip
    missed = [target for target in report.get("speed", {}).get("targets", []) if target["met"] is False]
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
