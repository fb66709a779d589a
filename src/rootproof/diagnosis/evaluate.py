"""Score a set of bundles: diagnose each some times, judge the reports, add up, and compare with an earlier result.

What is right is read by the judge only; a diagnosis gets the bundle's path and nothing else.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import ConfigDict, Field, ValidationError, field_validator

from rootproof.diagnosis.present import RunView, View
from rootproof.diagnosis.scoring import Expected, Judgement, Outcome, judge
from rootproof.domain.run import StatusReason
from rootproof.errors import RootproofError, UsageError

Diagnose = Callable[[Path], Awaitable[RunView]]
RATIO_TOLERANCE = 0.01
"""How much the ratio of SUPPORTED claims may fall: a model that words its claims anew moves it a little."""
_ERROR_CHARS = 300
MAX_REPEAT = 100


class _Stored(View):
    """A view that is read back: numbers that are none would compare as equal to everything."""

    model_config = ConfigDict(allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Case:
    """A bundle with what is expected of its diagnosis."""

    id: str
    bundle: Path
    expected: Expected


class RepeatView(_Stored):
    """One diagnosis of a case."""

    outcome: Outcome
    why: str
    run_id: str | None = None
    root_causes: list[str] = Field(default_factory=list)
    healthy: bool | None = None
    summary: str = ""
    verdicts: dict[str, int] = Field(default_factory=dict)
    tool_calls: int = 0
    model_requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    agent_visible_bytes: int = 0
    seconds: float = 0.0


class CaseView(_Stored):
    """A case with all its diagnoses."""

    id: str
    category: str
    outcome: Outcome
    """Of most of the diagnoses; where they are split evenly, it is not right."""
    pass_rate: float | None
    """Right ones of those that are judged; None where only a reader can say."""
    flaky: bool
    """Whether the outcomes differ."""
    why: str
    statements: list[str] = Field(default_factory=list)
    repeats: list[RepeatView] = Field(min_length=1)


class CategoryView(_Stored):
    """The cases of one category."""

    category: str
    cases: int
    right: int
    wrong: int
    read: int


class TotalsView(_Stored):
    """All cases together; tokens, calls and seconds are those of all diagnoses."""

    cases: int
    right: int
    wrong: int
    read: int
    pass_rate: float | None
    """Mean of the pass rates of the cases that are judged."""
    flaky: int
    verdicts: dict[str, int]
    supported_ratio: float | None
    """SUPPORTED among the claims that could be checked."""
    tool_calls: int
    model_requests: int
    input_tokens: int
    output_tokens: int
    agent_visible_bytes: int
    seconds: float


class EvaluationView(_Stored):
    """The result of `eval run`; `eval diff` reads it back."""

    schema_version: Literal[1] = 1
    model: str
    repeat: int = Field(ge=1, le=MAX_REPEAT)
    totals: TotalsView
    categories: list[CategoryView]
    cases: list[CaseView] = Field(min_length=1)

    @field_validator("cases")
    @classmethod
    def _each_once(cls, cases: list[CaseView]) -> list[CaseView]:
        if len({case.id for case in cases}) < len(cases):
            raise ValueError("a case stands there twice")
        return cases


class EvaluationDiffView(View):
    """A result beside an earlier one."""

    schema_version: Literal[1] = 1
    regressed: bool
    regressions: list[str]
    improvements: list[str]
    baseline: TotalsView
    current: TotalsView


async def evaluate(
    cases: Sequence[Case],
    diagnose: Diagnose,
    *,
    model: str,
    repeat: int = 1,
    judged: Mapping[str, bool] | None = None,
    watch: Callable[[CaseView], None] = lambda _case: None,
) -> EvaluationView:
    """The result. A bundle that cannot be diagnosed is a wrong one with its error; the others go on."""
    views: list[CaseView] = []
    for case in cases:
        repeats = [await _repeat(case, diagnose, judged or {}) for _ in range(repeat)]
        views.append(_case_view(case, repeats))
        watch(views[-1])
    return EvaluationView(
        model=model, repeat=repeat, totals=_totals(views), categories=list(_categories(views)), cases=views
    )


async def _repeat(case: Case, diagnose: Diagnose, judged: Mapping[str, bool]) -> RepeatView:
    started = time.perf_counter()
    try:
        run = await diagnose(case.bundle)
    except RootproofError as error:
        return _failed(str(error), started)
    except Exception as error:  # noqa: BLE001 - one bundle's bug must not cost the results of the others
        return _failed(f"internal error ({type(error).__name__})", started)
    judgement = _judged(case, run, judged)
    report = run.report
    return RepeatView(
        outcome=judgement.outcome,
        why=judgement.why,
        run_id=run.run_id,
        root_causes=[
            " at ".join([cause.cause_id, *cause.objects[:1]]) for cause in (report.root_causes if report else [])
        ],
        healthy=report.healthy if report else None,
        summary=report.summary if report else "",
        verdicts={name: count for name, count in _verdicts(run).items() if count},
        seconds=time.perf_counter() - started,
        **run.usage.model_dump(exclude={"duration_ms"}),
    )


def _failed(why: str, started: float) -> RepeatView:
    return RepeatView(outcome=Outcome.WRONG, why=why[:_ERROR_CHARS], seconds=time.perf_counter() - started)


def _judged(case: Case, run: RunView, judged: Mapping[str, bool]) -> Judgement:
    if run.status_reason is StatusReason.MODEL_FAILED:
        why = f"the model was given up ({run.status_detail[:_ERROR_CHARS]}); its fallback's report is not scored"
        return Judgement(Outcome.WRONG, why)
    judgement = judge(case.expected, run.model_dump(mode="json", by_alias=True))
    if judgement.outcome is Outcome.READ and case.id in judged:
        return Judgement(Outcome.RIGHT if judged[case.id] else Outcome.WRONG, f"as a reader judged; {judgement.why}")
    return judgement


def _verdicts(run: RunView) -> Mapping[str, int]:
    return run.self_evaluation.verdicts if run.self_evaluation else {}


def _case_view(case: Case, repeats: Sequence[RepeatView]) -> CaseView:
    outcomes = [item.outcome for item in repeats]
    right, wrong = outcomes.count(Outcome.RIGHT), outcomes.count(Outcome.WRONG)
    outcome, rate = Outcome.READ, None
    if (right + wrong) * 2 >= len(repeats):
        outcome, rate = (Outcome.RIGHT if right > wrong else Outcome.WRONG), right / (right + wrong)
    return CaseView(
        id=case.id,
        category=case.expected.category or ("healthy" if case.expected.healthy else "uncategorised"),
        outcome=outcome,
        pass_rate=rate,
        flaky=len(set(outcomes)) > 1,
        why=next((item.why for item in repeats if item.outcome is outcome), repeats[0].why),
        statements=case.expected.statements,
        repeats=list(repeats),
    )


def _categories(cases: Sequence[CaseView]) -> Iterable[CategoryView]:
    for name in sorted({case.category for case in cases}):
        counts = Counter(case.outcome for case in cases if case.category == name)
        yield CategoryView(
            category=name, cases=counts.total(), **{outcome.value: counts[outcome] for outcome in Outcome}
        )


def _totals(cases: Sequence[CaseView]) -> TotalsView:
    counts = Counter(case.outcome for case in cases)
    repeats = [item for case in cases for item in case.repeats]
    verdicts: Counter[str] = Counter()
    for item in repeats:
        verdicts.update(item.verdicts)
    checkable = verdicts.total() - verdicts["NOT_CHECKABLE"]
    rates = [case.pass_rate for case in cases if case.pass_rate is not None]
    return TotalsView(
        cases=len(cases),
        right=counts[Outcome.RIGHT],
        wrong=counts[Outcome.WRONG],
        read=counts[Outcome.READ],
        pass_rate=sum(rates) / len(rates) if rates else None,
        flaky=sum(case.flaky for case in cases),
        verdicts={name: count for name, count in sorted(verdicts.items()) if count},
        supported_ratio=verdicts["SUPPORTED"] / checkable if checkable else None,
        tool_calls=sum(item.tool_calls for item in repeats),
        model_requests=sum(item.model_requests for item in repeats),
        input_tokens=sum(item.input_tokens for item in repeats),
        output_tokens=sum(item.output_tokens for item in repeats),
        agent_visible_bytes=sum(item.agent_visible_bytes for item in repeats),
        seconds=sum(item.seconds for item in repeats),
    )


def read_evaluation(data: bytes, where: str) -> EvaluationView:
    """The result that a file holds. Raises: UsageError that names the file and the field."""
    try:
        return EvaluationView.model_validate_json(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise UsageError(
            f"{where}: {place}: {first['msg']}. Give a file that `rootproof eval run --output` wrote"
        ) from error


def compare(
    baseline: EvaluationView, current: EvaluationView, *, tolerance: float = RATIO_TOLERANCE
) -> EvaluationDiffView:
    """What became worse (a case right before and wrong now, a lower pass rate, a case that is gone, fewer claims
    SUPPORTED by more than `tolerance` in the cases that both have) and what became better."""
    old = {case.id: case for case in baseline.cases}
    new = {case.id: case for case in current.cases}
    worse = [f"{name}: was {old[name].outcome}, is not among the cases now" for name in old if name not in new]
    better = [f"{name}: new, {new[name].outcome}" for name in new if name not in old]
    for name in (name for name in old if name in new):
        said = _case_change(old[name], new[name])
        if said is not None:
            (worse if said[0] else better).append(said[1])
    before, now = (_totals([has[name] for name in old if name in new]).supported_ratio for has in (old, new))
    if before is not None and (now is None or now < before - tolerance):
        worse.append(f"SUPPORTED claims: {_percent(before)} before, {_percent(now)} now")
    elif before is not None and now is not None and now > before + tolerance:
        better.append(f"SUPPORTED claims: {_percent(before)} before, {_percent(now)} now")
    return EvaluationDiffView(
        regressed=bool(worse),
        regressions=worse,
        improvements=better,
        baseline=baseline.totals,
        current=current.totals,
    )


def _case_change(old: CaseView, new: CaseView) -> tuple[bool, str] | None:
    """Whether the case became worse, and how; None where it stayed as it was or cannot be compared."""
    if old.outcome is not new.outcome and (
        new.outcome is Outcome.WRONG or Outcome.READ not in (old.outcome, new.outcome)
    ):
        return new.outcome is Outcome.WRONG, f"{new.id}: {old.outcome} before, {new.outcome} now ({new.why})"
    if old.pass_rate is not None and new.pass_rate is not None and old.pass_rate != new.pass_rate:
        rates = f"pass rate {_percent(old.pass_rate)} before, {_percent(new.pass_rate)} now"
        return new.pass_rate < old.pass_rate, f"{new.id}: {rates} ({new.why})"
    return None


def _percent(ratio: float | None) -> str:
    return "none" if ratio is None else f"{ratio:.1%}"
