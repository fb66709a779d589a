"""Accuracy of patterns: how well messages are grouped, beside drain3 as it comes and drain3 with generic masks.

Grouping accuracy (GA) is the share of messages whose group is exactly the labelled group; FGA is the F1 over groups.
The labelled logs lie in `$ROOTPROOF_DATA/loghub` (default `../shared/data`); the synthetic ones are written in
`pattern_corpora`: kinds that were looked at while the rules were made, kinds of which only the scores were, and kinds
that were added later. drain3 is compared where it is installed.
"""

from __future__ import annotations

import csv
import importlib
import importlib.util
import os
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from benchmarks.pattern_corpora import LATER, TUNED, UNTOUCHED, corpora
from rootproof.logs.patterns import mine

DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[2] / "shared" / "data"))
Assign = Callable[[list[str]], Sequence[int]]
Labelled = tuple[list[str], list[str]]
"""Messages and, in the same order, the label of the event of each."""
Table = dict[str, tuple[float, float, float]]
"""GA, FGA and seconds by name, and the row `average`."""

GENERIC_MASKS = (
    (r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}", "UUID"),
    (r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?(?![\w.])", "IP"),
    (r"(?<!\w)0[xX][0-9a-fA-F]+(?!\w)", "HEX"),
    (r"(?<![\w/])(?:/[\w.\-]+){2,}/?", "PATH"),
    (r"(?<![A-Za-z0-9])[+-]?\d+(?:\.\d+)?(?![A-Za-z0-9])", "NUM"),
)
"""The masks that drain3's own examples set for any log, and paths; no system is meant."""


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


def systems() -> dict[str, Labelled]:
    """The messages and labels of each labelled system."""
    found = {}
    for path in sorted((DATA / "loghub").glob("*/*_structured_corrected.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found[path.parent.name] = ([row["Content"] for row in rows], [row["EventId"] for row in rows])
    return found


def rootproof(messages: list[str]) -> Sequence[int]:
    """The assignment of the product, in its one configuration."""
    return mine(messages).assignment


def drain3(*, masked: bool = False) -> Assign | None:
    """drain3 with its default settings, or with `GENERIC_MASKS` too; None if it is not installed."""
    if importlib.util.find_spec("drain3") is None:
        return None
    miners = importlib.import_module("drain3")
    configuration = importlib.import_module("drain3.template_miner_config")
    masking = importlib.import_module("drain3.masking")

    def assign(messages: list[str]) -> Sequence[int]:
        config = configuration.TemplateMinerConfig()
        if masked:
            config.masking_instructions = [masking.MaskingInstruction(*mask) for mask in GENERIC_MASKS]
        miner = miners.TemplateMiner(config=config)
        return [miner.add_log_message(message)["cluster_id"] for message in messages]

    return assign


def peers() -> dict[str, Assign]:
    """What is compared, by name: ours first, then the peers that are installed."""
    found: dict[str, Assign | None] = {
        "rootproof": rootproof,
        "drain3": drain3(),
        "drain3 with masks": drain3(masked=True),
    }
    return {name: assign for name, assign in found.items() if assign is not None}


def accuracy(assign: Assign, labelled: Mapping[str, Labelled]) -> Table:
    """GA, FGA and seconds for each of `labelled`, and their average."""
    table = {}
    for name, (messages, labels) in labelled.items():
        begun = time.perf_counter()
        found = assign(messages)
        took = time.perf_counter() - begun
        table[name] = (*scores(found, labels), took)
    columns = list(zip(*table.values(), strict=True))
    table["average"] = (sum(columns[0]) / len(table), sum(columns[1]) / len(table), sum(columns[2]) / len(table))
    return table


def accuracy_report() -> dict[str, dict[str, Table]]:
    """The table of each of `peers` for the labelled logs and for both halves of the synthetic ones."""
    logs = {
        "labelled logs": systems(),
        "synthetic, tuned": corpora(TUNED),
        "synthetic, untouched": corpora(UNTOUCHED),
        "synthetic, later": corpora(LATER),
    }
    return {
        title: {name: accuracy(assign, labelled) for name, assign in peers().items()}
        for title, labelled in logs.items()
    }


def accuracy_text(report: Mapping[str, Mapping[str, Table]]) -> str:
    """`accuracy_report` as text: GA and FGA of every peer side by side."""
    lines = []
    for title, tables in report.items():
        lines += ["", f"{title:22}" + "".join(f"{name:>20}" for name in tables)]
        lines.append(" " * 22 + f"{'GA    FGA':>20}" * len(tables))
        for row in next(iter(tables.values())):
            cells = "".join(f"{ga:14.3f} {fga:.3f}" for ga, fga, _ in (table[row] for table in tables.values()))
            lines.append(f"  {row:20}{cells}")
    return "\n".join(lines)
