"""Answers to look-ups ("show me the errors in the logs"): each distinct kind of error once, with count and service."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from rootproof.agent.playbook import log_rules as rules
from rootproof.agent.playbook.clauses import counted, first_line
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.observations import LogItem, Observations
from rootproof.agent.playbook.quiet_logs import quiet_logs
from rootproof.agent.playbook.quiet_report import write_quiet_logs
from rootproof.agent.playbook.wording import quote, said, sentence
from rootproof.domain.claim import ClaimKind
from rootproof.domain.window import iso

_LOOKUP = re.compile(
    r"\b(?:show|fetch|get|list|find|give|pull|print|see|search|summari[sz]e|what|which|any|are there"
    r"|check)\b[^.?\n]{0,80}"
    r"\b(?:logs?|errors?|warnings?|exceptions?|log lines?)\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"\b(?:why|root cause|what(?:'s| is) (?:wrong|the (?:issue|problem|matter)))\b", re.IGNORECASE)
_ERRORS = ("ERROR", "FATAL", "CRITICAL")
_DIGITS = re.compile(r"<[^<>]*>|\d+|'[^']*'|\"[^\"]*\"")
_CORE = re.compile(r"(?:error|exception|failed|failure|err|msg|message)\"?\s*[:=]\s*\"?(.{8,160})", re.IGNORECASE)


def is_lookup(question: str) -> bool:
    """Whether the question asks to be shown log lines rather than for a cause."""
    return bool(_LOOKUP.search(question)) and not _WHY.search(question)


@dataclass(frozen=True, slots=True)
class ErrorKind:
    """Log items that tell of one kind of error."""

    items: tuple[LogItem, ...]

    @property
    def count(self) -> int:
        """How many records."""
        return sum(item.count for item in self.items)

    @property
    def best(self) -> LogItem:
        """The item with the most records."""
        return max(self.items, key=lambda item: item.count)


def error_kinds(items: Sequence[LogItem]) -> list[ErrorKind]:
    """Distinct kinds of errors, most frequent first; patterns count, their own timeline events do not count twice."""
    patterns = [i for i in items if i.is_pattern and _is_error(i)]
    chosen = patterns or [i for i in items if _is_error(i)]
    groups: dict[str, list[LogItem]] = {}
    for item in chosen:
        groups.setdefault(_key(item), []).append(item)
    return sorted((ErrorKind(tuple(g)) for g in groups.values()), key=lambda k: (-k.count, k.best.text))


def _is_error(item: LogItem) -> bool:
    if item.level in _ERRORS:
        return True
    text = item.words
    if item.level not in ("", "WARN", "INFO") or rules.NOT_AN_ERROR.search(text) or rules.ROUTINE.search(text):
        return False
    return bool(rules.ERROR_WORDS.search(text))


def _key(item: LogItem) -> str:
    """What makes two messages the same kind: the meanings they have, else the words without values."""
    kinds = [rule.kind.value for rule in rules.LOG_RULES if rule.pattern.search(item.words)]
    core = _CORE.search(item.text)
    words = _DIGITS.sub("", core.group(1) if core else item.text).lower().split()
    return "|".join(kinds) if kinds else " ".join(words[:8])


def write_lookup(draft: DraftBuilder, seen: Observations) -> None:
    """Fill `draft` with the kinds of errors that were found, or say how much was read without one."""
    kinds = error_kinds(seen.logs)
    if not kinds:
        _write_none(draft, seen)
        return
    listed = []
    for kind in kinds[:12]:
        best = kind.best
        for item in sorted(kind.items, key=lambda i: -i.count)[:6]:
            draft.claim(
                ClaimKind.SYMPTOM, sentence(_line(item)), [(item.evidence_id, quote(first_line(item.words), 380))]
            )
        services = _services(kind.items)
        listed.append(f"{said(_told(best), 170)} ({_count(kind)}, {services})")
    numbered = " ".join(f"({n}) {text}." for n, text in enumerate(listed, 1))
    head = "These kinds of errors are in the logs" if len(kinds) > 1 else "One kind of error is in the logs"
    draft.summary = f"{head}: {numbered}"
    if _left_out(seen, kinds):
        draft.summary += " Some error lines were not listed one by one, so a count may be higher."
    draft.step("Start with the kind that began first; ask again with its words to see it alone.", "none: it only reads")


def _write_none(draft: DraftBuilder, seen: Observations) -> None:
    quiet = quiet_logs(seen)
    scanned = max((call.number("scanned") for call in seen.named("query_logs")), default=0)
    if quiet is not None:
        write_quiet_logs(draft, quiet)
        draft.summary = f"No errors are in the logs. {quiet.told()}"
    elif not seen.logs:
        draft.summary = f"Nothing was read: the logs gave no records ({scanned} were looked at)."
    else:
        draft.summary = f"No errors were found in the {scanned} log records that were read."


def _told(item: LogItem) -> str:
    """The message without the request it carried along, so that the kind stays readable."""
    return re.split(r" - (?:Query|RequestID|request_id|trace)\b| DETAIL:", first_line(item.words))[0]


def _line(item: LogItem) -> str:
    return f"{item.service or 'the log'} logged{_how_often(item)} {said(first_line(item.words))}"


def _how_often(item: LogItem) -> str:
    """How often, as a part of a sentence; records of one instant may be copies of one line, so the instant is told."""
    if _at_once(item):
        return f" {item.count} times, all at {iso(item.first)}," if item.first else f"{counted(item)}"
    return counted(item) or ""


def _at_once(item: LogItem) -> bool:
    return item.count > 1 and item.first is not None and item.first == item.last


def _count(kind: ErrorKind) -> str:
    if len(kind.items) == 1 and _at_once(kind.best):
        return f"{kind.count} records of one and the same instant"
    return f"{kind.count} times"


def _left_out(seen: Observations, kinds: Sequence[ErrorKind]) -> bool:
    """Whether the logs hold more errors than the patterns that were shown stand for."""
    shown = sum(item.count for kind in kinds for item in kind.items if item.level in _ERRORS)
    stated = [call.result.get("levels") for call in seen.named("query_logs")]
    levels = [one for one in stated if isinstance(one, Mapping)]
    errors = [sum(n for name, n in one.items() if name in _ERRORS and isinstance(n, int)) for one in levels]
    return max(errors, default=0) > shown


def _services(items: Iterable[LogItem]) -> str:
    names = [name for name, _ in Counter(i.service for i in items if i.service).most_common()]
    if not names:
        return "service not stated"
    return ", ".join(names[:4]) + (f" and {len(names) - 4} more" if len(names) > 4 else "")
