"""Diagnose every bundle of a folder with the playbook reasoner and score the reports (DESIGN 4.8).

`python -m benchmarks.bundles [DIR] [--json OUT] [--only ID] [--show]`. Each bundle runs in a process of its own through
the command line, so time and memory are a user's. `statements` cases are judged by reading: they print their root
causes and are not counted as right by this script unless `--judged FILE` (JSON {id: true|false}) says so.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

DEFAULT = Path(os.environ.get("ROOTPROOF_DATA", "../shared/data")) / "bundles"
_RUN = (
    "import resource, sys; from rootproof.entrypoints.cli.main import main; code = main(sys.argv[1:]); "
    "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr); sys.exit(code)"
)


def diagnose(bundle: Path, home: Path) -> dict[str, Any]:
    """The run as JSON, with `seconds`, `memoryMb` and `exit` of its process."""
    env = {**os.environ, "HOME": str(home), "XDG_DATA_HOME": str(home / "data")}
    started = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", _RUN, "diagnose", "--bundle", str(bundle), "--json"],
        capture_output=True,
        text=True,
        env=env,
        timeout=300,
        check=False,
    )
    seconds = time.perf_counter() - started
    try:
        run = json.loads(done.stdout)
    except ValueError:
        run = {"status": "CRASHED", "error": done.stderr[-800:]}
    peak = done.stderr.strip().splitlines()[-1:] or ["0"]
    memory = int(peak[0]) / 1024 if peak[0].isdigit() else 0.0
    return {**run, "seconds": seconds, "memoryMb": memory, "exit": done.returncode}


def told(report: dict[str, Any]) -> str:
    """The text that keyword cases are judged on: summary, root causes, claims that hold."""
    held = [c["text"] for c in report["claims"] if c["verdict"] in ("SUPPORTED", "PARTIAL")]
    return " ".join([report["summary"], *(cause["text"] for cause in report["rootCauses"]), *held]).lower()


def judge(expected: dict[str, Any], run: dict[str, Any]) -> tuple[str, str]:
    """("right" | "wrong" | "read", why) by the rules of DESIGN 4.8."""
    report = run.get("report")
    if report is None:
        return "wrong", run.get("error", run.get("status", ""))[:200]
    causes = report["rootCauses"]
    if expected.get("healthy") is True:
        if report["healthy"] and not causes:
            return "right", "healthy"
        return "wrong", f"not healthy: {[cause['causeId'] for cause in causes]}"
    if "root_cause" in expected:
        first = (causes[0]["causeId"], (causes[0]["objects"] or [""])[0]) if causes else ("none", "")
        wanted = (expected["root_cause"], expected["fault_object"])
        return ("right" if first == wanted else "wrong"), f"{first} for {wanted}"
    if "required_keywords" in expected:
        return _by_keywords(expected, report)
    return "read", f"{[cause['causeId'] for cause in causes]}"


def _by_keywords(expected: dict[str, Any], report: dict[str, Any]) -> tuple[str, str]:
    text = told(report)
    missing = [word for word in expected["required_keywords"] if word.lower() not in text]
    forbidden = [word for word in expected.get("forbidden_keywords", []) if word.lower() in text]
    categories = [cause["category"].lower() for cause in report["rootCauses"]]
    wanted = expected.get("category", "").lower()
    causes = [cause["causeId"] for cause in report["rootCauses"]]
    if report["healthy"] or missing or forbidden:
        return "wrong", f"healthy={report['healthy']} missing={missing} forbidden={forbidden} causes={causes}"
    return "right", f"causes={causes} categories={categories} (expected {wanted})"


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--json", type=Path, help="write every run here, one JSON file a bundle")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--show", action="store_true", help="print summaries and claims")
    parser.add_argument("--judged", type=Path, help="JSON {id: bool}: a reader's judgement of statement cases")
    options = parser.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"no bundles at {options.folder}: set ROOTPROOF_DATA or name a folder")
    judged = json.loads(options.judged.read_text()) if options.judged else {}
    outcomes: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    seconds: list[float] = []
    memory: list[float] = []
    with tempfile.TemporaryDirectory() as home:
        for bundle in sorted(options.folder.iterdir()):
            if not (bundle / "expected.toml").is_file() or (options.only and bundle.name not in options.only):
                continue
            expected = tomllib.loads((bundle / "expected.toml").read_text(encoding="utf-8"))
            run = diagnose(bundle, Path(home))
            outcome, why = judge(expected, run)
            if outcome == "read" and bundle.name in judged:
                outcome = "right" if judged[bundle.name] else "wrong"
            outcomes[outcome] += 1
            counted = run.get("selfEvaluation") or {"verdicts": {}}
            verdicts.update({name: n for name, n in counted["verdicts"].items() if n})
            seconds.append(run["seconds"])
            memory.append(run["memoryMb"])
            shown = run.get("usage", {}).get("agentVisibleBytes", 0)
            tally = " ".join(f"{name}:{n}" for name, n in counted["verdicts"].items() if n)
            cost = f"{run['seconds']:5.2f}s {run['memoryMb']:4.0f}MB {shown:6}B"
            print(f"{bundle.name}  {outcome:5}  {cost}  {tally}  {why}")
            if options.show:
                _show(run)
            if options.json:
                options.json.mkdir(parents=True, exist_ok=True)
                (options.json / f"{bundle.name}.json").write_text(json.dumps(run, indent=1, ensure_ascii=False))
    total = sum(outcomes.values())
    print(f"\n{outcomes['right']} of {total} right, {outcomes['wrong']} wrong, {outcomes['read']} to be read")
    print(f"claims: {dict(verdicts)}")
    if seconds:
        print(
            f"time median {statistics.median(seconds):.2f} s, worst {max(seconds):.2f} s; "
            f"memory median {statistics.median(memory):.0f} MB, worst {max(memory):.0f} MB"
        )


def _show(run: dict[str, Any]) -> None:
    report = run.get("report") or {"summary": run.get("error", ""), "claims": []}
    print("    " + report["summary"].replace("\n", "\n    "))
    for claim in report["claims"]:
        cited = ",".join(c["evidenceId"] for c in claim["citations"])
        print(f"      {claim['verdict']:13} {claim['kind']:9} {claim['text']} [{cited}]")
        if claim["verdict"] not in ("SUPPORTED", "NOT_CHECKABLE"):
            print(f"                    {claim['reasons'][:3]}")


if __name__ == "__main__":
    main()
