"""Every fault of a model provider, played against a real `rootproof diagnose`: the provider-fault table.

`python -m benchmarks.provider_faults [--markdown] [WORD ...]` starts one fake OpenAI server (a process, on loopback)
and one `rootproof diagnose` for each fault whose name holds a WORD (all without one). It ends with 1 where a fault ends
without a typed state, over its budget, with a traceback, with another reason or cause than it should, or leaks the key.
Retries are requests sent again with the same conversation.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rootproof.domain.limits import RunLimits
from tests.fakes.processes import Provider, fake_provider, rootproof
from tests.fakes.provider_faults import CAUSE, FAULTS, KEY, Fault, write_bundle

_TYPED = {"COMPLETED": {"REPORTED", "MODEL_FAILED", "BUDGET_SPENT"}}
_COLUMNS = ("fault", "requests", "retries", "status", "reason", "cause", "by", "calls", "seconds", "sent", "first line")
_SHORT = 44


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one fault."""

    fault: Fault
    run: dict[str, Any]
    requests: int
    retries: int
    sent_bytes: int
    seconds: float
    problems: tuple[str, ...]

    @property
    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        report, usage = self.run.get("report") or {}, self.run.get("usage") or {}
        causes = [item["causeId"] for item in report.get("rootCauses", [])]
        first = (report.get("summary") or "").split("\n")[0]
        return (
            self.fault.name,
            str(self.requests),
            str(self.retries),
            str(self.run.get("status")),
            str(self.run.get("statusReason")),
            "yes" if causes == [CAUSE] else "no",
            "playbook" if self.run.get("statusReason") == "MODEL_FAILED" else "model",
            str(usage.get("toolCalls")),
            f"{self.seconds:.1f}",
            f"{self.sent_bytes:,}",
            first if len(first) <= _SHORT else f"{first[:_SHORT]}...",
        )


def play(fault: Fault, provider: Provider, bundle: Path, home: Path) -> Outcome:
    """One process against one fault."""
    home.mkdir()
    started = time.monotonic()
    done = rootproof(
        *("diagnose", "--bundle", str(bundle), "--model", f"openai:{fault.name}", "--json"),
        home=home,
        env={"ROOTPROOF_MODEL_BASE_URL": provider.base_url, "OPENAI_API_KEY": KEY} | fault.settings,
    )
    seconds = time.monotonic() - started
    sent = [item for item in provider.requests if item["model"] == fault.name]
    tries = Counter((item["agent"], item["point"]) for item in sent)
    try:
        run = json.loads(done.stdout)
    except ValueError:
        run = {}
    leaked = [path.name for path in home.rglob("*") if path.is_file() and KEY.encode() in path.read_bytes()]
    leaked += ["the output"] if KEY in done.stdout + done.stderr else []
    leaked += ["a request"] if any(KEY in json.dumps(item) for item in sent) else []
    problems = [f"the key is in {where}" for where in leaked]
    problems += ["traceback"] if "Traceback" in done.stderr else []
    problems += [f"exit code {done.returncode}: {done.stderr[-200:]}"] if done.returncode else []
    return Outcome(
        fault,
        run,
        len(sent),
        sum(count - 1 for count in tries.values()),
        sum(item["bytes"] for item in sent),
        seconds,
        tuple(problems + list(wrong(fault, run, tries))),
    )


def wrong(fault: Fault, run: dict[str, Any], tries: Counter[tuple[str, int]]) -> list[str]:
    """In what the run did not end as it should."""
    limits = RunLimits()
    reason, report, usage = run.get("statusReason"), run.get("report") or {}, run.get("usage") or {}
    found = [item["causeId"] for item in report.get("rootCauses", [])] == [CAUSE]
    said = "playbook reasoner" in report.get("summary", "")
    most_calls = limits.max_tool_calls + limits.max_fallback_calls
    checks = {
        f"ended {run.get('status')} {reason}": reason in _TYPED.get(str(run.get("status")), set()),
        f"reason {reason} instead of {fault.reason}": reason == fault.reason,
        f"root cause {'missing' if fault.found else 'believed'}": found == fault.found,
        "the report does not say that the model was given up": said or reason != "MODEL_FAILED",
        f"{tries.total()} requests": tries.total() <= fault.most_requests,
        f"{max(tries.values(), default=0)} tries of one request": fault.most_tries is None
        or max(tries.values(), default=0) <= fault.most_tries,
        f"{usage.get('toolCalls')} tool calls": usage.get("toolCalls", most_calls + 1) <= most_calls,
        f"{usage.get('inputTokens')} tokens": usage.get("inputTokens", 0) <= limits.max_tokens,
        f"{usage.get('durationMs')} ms": usage.get("durationMs", 0) <= limits.max_run_s * 1000,
    }
    return [what for what, right in checks.items() if not right]


def table(rows: list[tuple[str, ...]], *, markdown: bool) -> str:
    """The rows under their heads."""
    if markdown:
        lines = [_COLUMNS, tuple("---" for _ in _COLUMNS), *rows]
        return "\n".join("| " + " | ".join(cell.replace("|", "/") for cell in line) + " |" for line in lines)
    widths = [max(len(line[column]) for line in [_COLUMNS, *rows]) for column in range(len(_COLUMNS))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in [_COLUMNS, *rows]
    )


def main() -> int:
    """Play, print, judge."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--markdown", action="store_true", help="print the table as Markdown")
    parser.add_argument("words", nargs="*", help="only faults whose name holds one of these")
    chosen = parser.parse_args()
    faults = [f for f in FAULTS if not chosen.words or any(word in f.name for word in chosen.words)]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        bundle = write_bundle(folder / "bundle")
        with fake_provider(folder, {fault.name: fault.script for fault in faults}) as provider:
            outcomes = [play(fault, provider, bundle, folder / f"home-{n}") for n, fault in enumerate(faults)]
    print(table([outcome.cells for outcome in outcomes], markdown=chosen.markdown))
    bad = [outcome for outcome in outcomes if outcome.problems]
    for outcome in bad:
        print(f"WRONG  {outcome.fault.name}: {'; '.join(outcome.problems)}")
    given_up = [outcome for outcome in outcomes if outcome.run.get("statusReason") == "MODEL_FAILED"]
    found = sum(outcome.cells[5] == "yes" for outcome in given_up)
    print(
        f"\n{len(outcomes)} faults, {len(outcomes) - len(bad)} end as they should; the model was given up in "
        f"{len(given_up)}, and the playbook reasoner found the root cause in {found} of them"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
