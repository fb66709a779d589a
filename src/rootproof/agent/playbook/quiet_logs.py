"""What the logs say where they hold no error: how much was read, of whom, from when to when."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from rootproof.agent.playbook.cause_text import clock, stated_first
from rootproof.agent.playbook.clauses import listed
from rootproof.agent.playbook.observations import CallRecord, LogItem, Observations
from rootproof.agent.playbook.spoken_level import level_of
from rootproof.agent.playbook.wording import quote

_ERRORS = ("ERROR", "FATAL", "CRITICAL")
_FAILED = frozenset({"TIMEOUT", "TOOL_ERROR", "DENIED", "PROJECTION_ERROR", "BUDGET_EXCEEDED"})
_NARROWS = ("level", "contains", "services", "pattern_id", "after", "before")
_MAX_CITED = 6
_MAX_NAMED = 4


@dataclass(frozen=True, slots=True)
class QuietLogs:
    """Records without an error among them."""

    records: int
    services: tuple[str, ...]
    warnings: int
    unlevelled: int
    first: datetime | None
    last: datetime | None
    items: tuple[LogItem, ...]
    """The patterns that stand for the records, the most frequent first."""

    def told(self) -> str:
        """The finding as a sentence, with its numbers."""
        names = list(self.services[:_MAX_NAMED])
        more = len(self.services) - len(names)
        among = f" of {listed([*names, f'{more} more'] if more else names)}" if names else ""
        warned = f", {self.warnings} of them at level WARN" if self.warnings else ""
        which = "all with a level are" if self.unlevelled else "all are"
        # Not "no errors": a metric with errors in its name would speak against that.
        return f"{self.records} log records{among} were read; {which} below level ERROR{warned}."

    def claimed(self) -> str:
        """The finding as a claim, with the times that it holds for and without names: not all logged at both."""
        between = ""
        if self.first is not None and self.last is not None:
            between = f" between {clock(self.first, self.last)} and {clock(self.last, self.last)}"
        return f"The logs that were read hold no record of level ERROR{between}."

    def cited(self) -> list[tuple[str, str | None]]:
        """Citations of the most frequent patterns, and of those that the first and the last time stand in."""
        ends = [i for i in self.items if self.last in (i.first, i.last) or self.first in (i.first, i.last)]
        shown = {item.evidence_id: item for item in (*ends[:2], *self.items)}
        return [(item.evidence_id, quote(item.words, 160)) for item in list(shown.values())[:_MAX_CITED]]


def quiet_logs(seen: Observations) -> QuietLogs | None:
    """The finding; None where no log was read as a whole, where one could not be read, or where errors stand in it."""
    calls = seen.named("query_logs")
    plain = [call for call in calls if call.status == "OK" and not _narrowed(call)]
    if not plain or any(call.status in _FAILED for call in calls):
        return None
    totals = [_totals(call, "levels") for call in plain]
    if any(found.get(level) for found in totals for level in _ERRORS) or not any(totals):
        return None
    if any(level_of(item) in _ERRORS for item in seen.logs):
        return None
    whole = _widest(plain)
    patterns = sorted((i for i in seen.logs if i.is_pattern), key=lambda i: -i.count)
    times = [t for i in patterns for t in (stated_first(i.words) or i.first, i.last) if t is not None]
    services = {name for call in whole for name in _totals(call, "services") if name != "unknown"}
    return QuietLogs(
        records=sum(sum(_totals(call, "levels").values()) for call in whole),
        services=tuple(sorted(services)),
        warnings=sum(_totals(call, "levels").get("WARN", 0) for call in whole)
        + sum(item.count for item in patterns if item.level != "WARN" and level_of(item) == "WARN"),
        unlevelled=sum(_totals(call, "levels").get("UNKNOWN", 0) for call in whole),
        first=min(times, default=None),
        last=max(times, default=None),
        items=tuple(patterns),
    )


def _narrowed(call: CallRecord) -> bool:
    return any(call.arguments.get(key) for key in _NARROWS)


def _totals(call: CallRecord, key: str) -> dict[str, int]:
    stated = call.result.get(key)
    if not isinstance(stated, Mapping):
        return {}
    return {str(k): v for k, v in stated.items() if isinstance(v, int) and not isinstance(v, bool)}


def _widest(calls: Sequence[CallRecord]) -> list[CallRecord]:
    """One call a topic: the one that read the most."""
    best: dict[str, CallRecord] = {}
    for call in calls:
        topic = str(call.arguments.get("topic"))
        if topic not in best or call.number("matched") > best[topic].number("matched"):
            best[topic] = call
    return list(best.values())
