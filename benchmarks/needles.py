"""Needles in haystacks: is the planted fault in what a model sees of 100,000 log lines?

    python -m benchmarks.needles [--cases 200] [--lines 100000] [--seed 7] [--processes 2] [--json]

Each case writes its lines to files and asks `query_logs` through the adapter, the file source and the projector, with
their real limits. A needle counts as seen when its distinguishing words and its time stand in the projection. Beside
it, what the last bytes of the log (tail) or the first and last (head and tail) of the same size would have shown.
Needles of INFO level are worded in words that occur nowhere under src; the benchmark fails when one does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict, dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path

from benchmarks.needle_cases import START, Case, Planted, case, stamp
from rootproof.aci.identifiers import IdentifierMap
from rootproof.aci.projection.fit import EvidenceNumbering
from rootproof.aci.projection.logs import QueryLogsProjector
from rootproof.aci.requests import LogTopic, QueryLogsRequest
from rootproof.aci.tools.evidence_tools import QueryLogsToolAdapter
from rootproof.adapters.sources.files import FolderLogs
from rootproof.domain.context import ExecutionContext, ToolEnvelope
from rootproof.domain.limits import RunLimits

CHARS_PER_TOKEN = 3.5
LIMITS = RunLimits()


@dataclass(frozen=True)
class Outcome:
    """One case: whether every needle was seen, by the projection and by two truncations of its size."""

    number: int
    shape: str
    kind: str
    info: bool
    place: str
    needles: int
    seen: int
    tail: bool
    head_and_tail: bool
    bytes: int
    tokens: int
    source_cpu_s: float
    project_cpu_s: float
    whole_read: bool
    """Whether the source read all lines within its time."""
    missed: tuple[str, ...]


def run_case(number: int, *, lines: int, seed: int, deadline_s: float) -> Outcome:
    """Play one case."""
    made = case(number, lines, seed)
    with tempfile.TemporaryDirectory() as folder:
        made.write(Path(folder))
        text, source_cpu_s, project_cpu_s = asyncio.run(_projection(Path(folder), deadline_s))
    missed = [each for each in made.planted if not each.seen_in(text)]
    size = len(text.encode())
    tail, both = _truncations(made, size)
    return Outcome(
        number, made.shape, made.kind, made.info, made.place, len(made.planted), len(made.planted) - len(missed),
        _all_in(made.planted, tail), _all_in(made.planted, both), size, round(len(text) / CHARS_PER_TOKEN),
        source_cpu_s, project_cpu_s, json.loads(text)["scanned"] == len(made.lines), tuple(map(_told, missed)),
    )  # fmt: skip


def _told(missed: Planted) -> str:
    return f"{missed.time} {missed.words} {missed.line.message[:90]!r}"


async def _projection(folder: Path, deadline_s: float = LIMITS.max_call_s) -> tuple[str, float, float]:
    """What the model sees, and the processor seconds of the source and of the projector."""
    projector = QueryLogsProjector(IdentifierMap(), EvidenceNumbering(), LIMITS.projection)
    tool = QueryLogsToolAdapter(FolderLogs([folder]), projector, START + timedelta(hours=1))
    request = QueryLogsRequest(topic=LogTopic.APPLICATION, lookback_minutes=60)
    envelope = ToolEnvelope(ExecutionContext("session", "run", "owner"), "call", 1, 0, deadline_s)
    binding = tool.bind(request, request, envelope)
    begun = time.process_time()
    raw = await binding.call()
    fetched = time.process_time()
    result = binding.project(raw)
    return result.text, fetched - begun, time.process_time() - fetched


def _truncations(made: Case, size: int) -> tuple[str, str]:
    """The log's last `size` bytes, and its first and last half of them."""
    text = "\n".join(f"{stamp(line.at)} {line.level} {line.service} {line.message}" for line in made.lines)
    return text[-size:], text[: size // 2] + "\n" + text[-size // 2 :]


def _all_in(planted: list[Planted], text: str) -> bool:
    return all(each.seen_in(text) for each in planted)


def summary(outcomes: list[Outcome]) -> dict[str, object]:
    """The totals, and the shares by shape, kind, level and place."""
    whole = [each for each in outcomes if each.seen == each.needles]
    by: defaultdict[str, list[bool]] = defaultdict(list)
    for each in outcomes:
        level = "INFO, unknown words" if each.info else "WARN and above"
        for name in (f"noise: {each.shape}", f"fault: {each.kind}", f"level: {level}", f"place: {each.place}"):
            by[name].append(each.seen == each.needles)
    seconds = sorted(each.project_cpu_s for each in outcomes)
    return {
        "cases": len(outcomes),
        "whole": len(whole),
        "any_line": sum(each.seen > 0 for each in outcomes),
        "tail": sum(each.tail for each in outcomes),
        "head_and_tail": sum(each.head_and_tail for each in outcomes),
        "read_in_part": sum(not each.whole_read for each in outcomes),
        "most_bytes": max(each.bytes for each in outcomes),
        "most_tokens": max(each.tokens for each in outcomes),
        "project_cpu_s_median": round(seconds[len(seconds) // 2], 2),
        "project_cpu_s_worst": round(seconds[-1], 2),
        "source_cpu_s_worst": round(max(each.source_cpu_s for each in outcomes), 2),
        "groups": {name: f"{sum(found)}/{len(found)}" for name, found in sorted(by.items())},
    }


def main() -> int:
    """Run the cases; 1 when a needle was not seen or a projection was too large."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--lines", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument(
        "--deadline", type=float, default=LIMITS.max_call_s, help="seconds of a call; more where the machine is shared"
    )
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    numbers = range(options.first, options.first + options.cases)
    begun = time.perf_counter()
    with ProcessPoolExecutor(options.processes) as pool:
        outcomes = list(
            pool.map(partial(run_case, lines=options.lines, seed=options.seed, deadline_s=options.deadline), numbers)
        )
    told = summary(outcomes)
    told["seconds"] = round(time.perf_counter() - begun, 1)
    if options.json:
        print(json.dumps({"summary": told, "cases": [asdict(each) for each in outcomes]}))
    else:
        _print(told, outcomes)
    return 0 if told["whole"] == told["cases"] and max(each.tokens for each in outcomes) <= 2_000 else 1


def _print(told: dict[str, object], outcomes: list[Outcome]) -> None:
    for each in outcomes:
        for line in each.missed:
            print(f"missed in case {each.number} ({each.shape}, {each.kind}, {each.place}): {line}")
    for name, value in told.items():
        if isinstance(value, dict):
            for group, share in value.items():
                print(f"  {group:32s} {share}")
        else:
            print(f"{name:18s} {value}")


if __name__ == "__main__":
    sys.exit(main())
