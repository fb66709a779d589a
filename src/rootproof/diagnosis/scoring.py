"""Whether a run's report is right, by what `expected.toml` says (DESIGN 4.8). Pure: text and JSON in, a judgement out.

Every rule that the file has must hold; required words are for cases that are not healthy. Statements are for a reader:
a run that breaks no other rule is then "to read".
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from rootproof.domain.toml_text import parse_toml
from rootproof.errors import UsageError

_HELD = ("SUPPORTED", "PARTIAL")
_MISSPELT = 0.85
_SHOWN_ERRORS = 3


class Outcome(StrEnum):
    """What a run is worth."""

    RIGHT = "right"
    WRONG = "wrong"
    READ = "read"
    """Only a reader can say: the case has `statements`."""


@dataclass(frozen=True, slots=True)
class Judgement:
    """The outcome, and in a line why."""

    outcome: Outcome
    why: str

    @property
    def right(self) -> bool:
        """Whether it is right for sure."""
        return self.outcome is Outcome.RIGHT


class ExpectedCause(BaseModel):
    """A cause that the report must name; the object only where one is given."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    root_cause: str = Field(min_length=1)
    fault_object: str | None = None
    also_accepted: list[ExpectedCause] = Field(default_factory=list)
    """Other answers that are as good; an object left out is this one's."""

    @field_validator("also_accepted", mode="before")
    @classmethod
    def _of_names(cls, value: Any) -> Any:
        return _named(value)

    def accepts(self, cause: Mapping[str, Any]) -> bool:
        """Whether a root cause of a report is this one, or another that is as good."""
        others = any(_is(other, cause, self.fault_object) for other in self.also_accepted)
        return others or _is(self, cause)

    def __str__(self) -> str:
        return f"{self.root_cause} at {self.fault_object}" if self.fault_object else self.root_cause


class Expected(BaseModel):
    """`expected.toml`. Other keys (source, tags, a model's answer) are for people."""

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True)
    healthy: bool | None = None
    category: str = ""
    """For the tables of the evaluation: not judged."""
    root_cause: str | None = None
    fault_object: str | None = None
    also_accepted: list[ExpectedCause] = Field(default_factory=list)
    root_causes: list[ExpectedCause] = Field(default_factory=list)
    """All of them must be named, in any order, before any other."""
    forbidden_causes: list[str] = Field(default_factory=list)
    """Ids that no root cause of the report may have: what the case only looks like."""
    required_keywords: list[str] | None = None
    forbidden_keywords: list[str] = Field(default_factory=list)
    statements: list[str] = Field(default_factory=list)

    @field_validator("also_accepted", "root_causes", mode="before")
    @classmethod
    def _of_names(cls, value: Any) -> Any:
        return _named(value)

    @model_validator(mode="after")
    def _says_what_is_right(self) -> Expected:
        if self.root_cause is None and (self.fault_object or self.also_accepted):
            raise ValueError("fault_object and also_accepted belong to root_cause, which is missing")
        if self.root_cause is not None and self.root_causes:
            raise ValueError("give root_cause or root_causes, not both")
        if self.healthy and self.causes:
            raise ValueError("healthy is true, so there can be no root_cause")
        if not (self.healthy or self.causes or self.required_keywords is not None or self.statements):
            raise ValueError("nothing says what is right: healthy = true, root_cause, root_causes, required_keywords "
                             "or statements")  # fmt: skip
        return self

    @property
    def causes(self) -> list[ExpectedCause]:
        """The causes that the report must begin with."""
        if self.root_cause is None:
            return self.root_causes
        return [
            ExpectedCause(root_cause=self.root_cause, fault_object=self.fault_object, also_accepted=self.also_accepted)
        ]


def read_expected(text: str, where: str = "expected.toml") -> Expected:
    """What the file expects. Raises: UsageError that names the file and the key."""
    try:
        values = parse_toml(text)
    except ValueError as error:
        raise UsageError(f"{where}: {error}. Correct that line; texts stand in quotes") from error
    for key in sorted(values.keys() - Expected.model_fields.keys()):
        close = difflib.get_close_matches(key, Expected.model_fields, n=1, cutoff=_MISSPELT)
        if close:
            raise UsageError(f"{where}: unknown key {key!r}. Did you mean {close[0]!r}?")
    try:
        return Expected.model_validate(values)
    except ValidationError as error:
        problems = [
            f"{'.'.join(map(str, item['loc'])) or 'the file'}: {item['msg'].removeprefix('Value error, ')}"
            for item in error.errors(include_url=False, include_input=False)[:_SHOWN_ERRORS]
        ]
        raise UsageError(f"{where}: {'; '.join(problems)}") from error


def judge(expected: Expected, run: Mapping[str, Any]) -> Judgement:
    """The judgement on a run as `diagnose --json` writes it; a run without a report is wrong."""
    report = run.get("report")
    if report is None or run.get("status", "COMPLETED") != "COMPLETED":
        return Judgement(Outcome.WRONG, _without_report(run))
    rules = (_on_health, _on_causes, _on_refused, _on_words)
    judgements = [judgement for rule in rules for judgement in rule(expected, report)]
    wrong = [item for item in judgements if not item.right]
    if wrong:
        return wrong[0]
    if expected.statements:
        return Judgement(Outcome.READ, f"to be read; root causes: {_shown(report)}")
    return Judgement(Outcome.RIGHT, "; ".join(item.why for item in judgements))


def told(report: Mapping[str, Any]) -> str:
    """The text that keyword cases are judged on, in lower case: summary, root causes, claims that hold."""
    held = [claim["text"] for claim in report["claims"] if claim["verdict"] in _HELD]
    return " ".join([report["summary"], *(cause["text"] for cause in report["rootCauses"]), *held]).lower()


def _on_health(expected: Expected, report: Mapping[str, Any]) -> Iterable[Judgement]:
    """One judgement where the case is a healthy one."""
    if not expected.healthy:
        return
    if report["healthy"] and not report["rootCauses"]:
        yield Judgement(Outcome.RIGHT, "healthy")
    else:
        yield Judgement(Outcome.WRONG, f"not healthy: root causes {_shown(report)}")


def _on_causes(expected: Expected, report: Mapping[str, Any]) -> Iterable[Judgement]:
    """One judgement where causes are expected: the report must begin with them."""
    wanted = expected.causes
    if not wanted:
        return
    first = report["rootCauses"][: len(wanted)]
    named = len(first) == len(wanted) and _all_among(wanted, first)
    outcome = Outcome.RIGHT if named else Outcome.WRONG
    yield Judgement(outcome, f"{_shown(report)} for {', '.join(map(str, wanted))}")


def _all_among(wanted: Sequence[ExpectedCause], causes: Sequence[Mapping[str, Any]]) -> bool:
    """Whether each wanted cause is one of `causes`, no two of them the same one."""
    if not wanted:
        return True
    one, *others = wanted
    rests = ([*causes[:at], *causes[at + 1 :]] for at, cause in enumerate(causes) if one.accepts(cause))
    return any(_all_among(others, rest) for rest in rests)


def _on_refused(expected: Expected, report: Mapping[str, Any]) -> Iterable[Judgement]:
    """One judgement where a root cause is one that the case only looks like."""
    refused = sorted({cause["causeId"] for cause in report["rootCauses"]} & set(expected.forbidden_causes))
    if refused:
        yield Judgement(Outcome.WRONG, f"{_shown(report)}: not {', '.join(refused)}")


def _on_words(expected: Expected, report: Mapping[str, Any]) -> Iterable[Judgement]:
    """One judgement where keywords are required or forbidden."""
    required = None if expected.healthy else expected.required_keywords
    if required is None and not expected.forbidden_keywords:
        return
    text = told(report)
    missing = [word for word in required or () if word.lower() not in text]
    forbidden = [word for word in expected.forbidden_keywords if word.lower() in text]
    called_healthy = required is not None and report["healthy"]
    if called_healthy or missing or forbidden:
        why = f"healthy={report['healthy']} missing={missing} forbidden={forbidden} causes={_shown(report)}"
        yield Judgement(Outcome.WRONG, why)
    else:
        yield Judgement(Outcome.RIGHT, f"causes={_shown(report)}")


def _is(wanted: ExpectedCause, cause: Mapping[str, Any], default_object: str | None = None) -> bool:
    name = wanted.fault_object or default_object
    return cause["causeId"] == wanted.root_cause and name in (None, next(iter(cause["objects"]), ""))


def _without_report(run: Mapping[str, Any]) -> str:
    words = run.get("error") or f"the run ended {run.get('status', 'without a report')} {run.get('statusDetail', '')}"
    return str(words).strip()[:200]


def _shown(report: Mapping[str, Any]) -> str:
    causes: Sequence[Mapping[str, Any]] = report["rootCauses"]
    named = [" at ".join([cause["causeId"], *cause["objects"][:1]]) for cause in causes]
    return ", ".join(named) or "none"


def _named(value: Any) -> Any:
    """Cause names in short form ("oom_killed") as tables."""
    if not isinstance(value, list):
        return value
    return [{"root_cause": item} if isinstance(item, str) else item for item in value]
