"""Diagnose recorded incidents with the playbook reasoner and score the reports (DESIGN 4.8).

`python -m benchmarks.bundles [DIR] [--json OUT] [--only ID] [--show]`. Without DIR: the bundles of $ROOTPROOF_DATA,
then our own scenarios, an answer and a decoy for each skill. Each bundle runs in a process of its own through the
command line, so time and memory are a user's. `statements` cases are judged by reading: they print their root causes
and are not counted as right by this script unless `--judged FILE` (JSON {id: true|false}) says so.
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
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rootproof.diagnosis.scoring import judge, read_expected

DATA = Path(os.environ.get("ROOTPROOF_DATA", "../shared/data")) / "bundles"
SCENARIOS = Path(__file__).resolve().parent.parent / "tests" / "scenarios" / "skills"
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


def bundles_of(folder: Path) -> list[Path]:
    """The bundles with an expectation in the folder or in folders of it, in order."""
    return sorted(path.parent for path in folder.rglob("expected.toml"))


@dataclass(slots=True)
class Table:
    """What is counted over the bundles of one folder."""

    outcomes: Counter[str] = field(default_factory=Counter)
    verdicts: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)
    by_skill: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, name: str, run: dict[str, Any], outcome: str, why: str) -> None:
        """Count a run and print its line."""
        counted = {key: n for key, n in (run.get("selfEvaluation") or {"verdicts": {}})["verdicts"].items() if n}
        self.outcomes[outcome] += 1
        self.verdicts.update(counted)
        self.seconds.append(run["seconds"])
        self.memory.append(run["memoryMb"])
        skill, _, kind = name.rpartition("/")
        if skill:
            self.by_skill[skill][kind] = outcome
        shown = run.get("usage", {}).get("agentVisibleBytes", 0)
        tally = " ".join(f"{key}:{n}" for key, n in counted.items())
        cost = f"{run['seconds']:5.2f}s {run['memoryMb']:4.0f}MB {shown:6}B"
        print(f"{name}  {outcome:5}  {cost}  {tally}  {why}", flush=True)

    def total(self) -> None:
        """Print the totals, and the skills where the bundles are ordered by skill."""
        for skill, kinds in sorted(self.by_skill.items()):
            print(f"  {skill:44}" + "  ".join(f"{kind} {outcome:5}" for kind, outcome in sorted(kinds.items())))
        counts, every = self.outcomes, sum(self.outcomes.values())
        print(f"\n{counts['right']} of {every} right, {counts['wrong']} wrong, {counts['read']} to be read")
        print(f"claims: {dict(self.verdicts)}")
        if self.seconds:
            print(
                f"time median {statistics.median(self.seconds):.2f} s, worst {max(self.seconds):.2f} s; "
                f"memory median {statistics.median(self.memory):.0f} MB, worst {max(self.memory):.0f} MB"
            )


def score(folder: Path, options: argparse.Namespace, judged: dict[str, bool]) -> Table:
    """The table of a folder; each line is printed as its run ends."""
    table = Table()
    with tempfile.TemporaryDirectory() as home:
        for bundle in bundles_of(folder):
            name = bundle.relative_to(folder).as_posix()
            if options.only and name not in options.only:
                continue
            run = diagnose(bundle, Path(home))
            judgement = judge(read_expected((bundle / "expected.toml").read_text(encoding="utf-8"), name), run)
            outcome = judgement.outcome.value
            if outcome == "read" and name in judged:
                outcome = "right" if judged[name] else "wrong"
            table.add(name, run, outcome, judgement.why)
            if options.show:
                _show(run)
            if options.json:
                options.json.mkdir(parents=True, exist_ok=True)
                text = json.dumps(run, indent=1, ensure_ascii=False)
                (options.json / f"{name.replace('/', '__')}.json").write_text(text, encoding="utf-8")
    return table


def _folders(named: Path | None) -> Iterable[Path]:
    if named is not None:
        if not named.is_dir():
            sys.exit(f"no bundles at {named}: name a folder of bundles")
        return [named]
    if not DATA.is_dir():
        print(f"no bundles at {DATA}: set ROOTPROOF_DATA to score recorded incidents too", file=sys.stderr)
    return [folder for folder in (DATA, SCENARIOS) if folder.is_dir()]


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, help="default: $ROOTPROOF_DATA/bundles, then our scenarios")
    parser.add_argument("--json", type=Path, help="write every run here, one JSON file a bundle")
    parser.add_argument("--only", action="append", default=[], help="a bundle's name as its line shows it")
    parser.add_argument("--show", action="store_true", help="print summaries and claims")
    parser.add_argument("--judged", type=Path, help="JSON {id: bool}: a reader's judgement of statement cases")
    options = parser.parse_args()
    judged = json.loads(options.judged.read_text()) if options.judged else {}
    for folder in _folders(options.folder):
        print(f"== {folder}")
        score(folder, options, judged).total()
        print()


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
