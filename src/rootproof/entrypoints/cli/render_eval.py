"""Results of evaluations for people."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rootproof.diagnosis.evaluate import CaseView, EvaluationDiffView, EvaluationView, TotalsView

_CHARS = 160


def evaluation_text(view: EvaluationView) -> str:
    """The result: a line a case, a table of the categories, the totals, and what a reader has to judge."""
    width = max(len(case.id) for case in view.cases)
    lines = [_case_line(case, width, view.repeat) for case in view.cases]
    names = max(len("category"), *(len(item.category) for item in view.categories))
    lines += ["", f"{'category':{names}}  cases  right  wrong  read"]
    lines += [
        f"{item.category:{names}}  {item.cases:5}  {item.right:5}  {item.wrong:5}  {item.read:4}"
        for item in view.categories
    ]
    lines += ["", f"model {view.model}, {view.repeat} diagnoses of each bundle", *_totals(view.totals)]
    return "\n".join([*lines, *_to_read(view)]) + "\n"


def comparison_text(view: EvaluationDiffView) -> str:
    """What became worse and what became better."""
    lines = [f"worse: {line}" for line in view.regressions] + [f"better: {line}" for line in view.improvements]
    head = "REGRESSED" if view.regressed else "no regression"
    lines += [f"{head}: {_counts(view.baseline)} before, {_counts(view.current)} now"]
    return "\n".join(lines) + "\n"


def _case_line(case: CaseView, width: int, repeat: int) -> str:
    right = sum(item.outcome == "right" for item in case.repeats)
    rate = f"  {right}/{repeat}{' flaky' if case.flaky else ''}" if repeat > 1 and case.pass_rate is not None else ""
    return f"{case.id:{width}}  {case.outcome.value:5}{rate}  {_short(case.why)}"


def _totals(totals: TotalsView) -> Iterator[str]:
    flaky = f", {totals.flaky} flaky" if totals.flaky else ""
    yield f"{_counts(totals)}{flaky}"
    claims = ", ".join(f"{count} {name}" for name, count in totals.verdicts.items())
    yield f"claims: {claims or 'none'}"
    yield (
        f"{totals.seconds:.1f} s, {totals.tool_calls} tool calls, {totals.model_requests} model requests, "
        f"{totals.input_tokens} + {totals.output_tokens} tokens, {totals.agent_visible_bytes} bytes shown"
    )


def _counts(totals: TotalsView) -> str:
    rate = f", pass rate {totals.pass_rate:.1%}" if totals.pass_rate is not None else ""
    ratio = f", {totals.supported_ratio:.1%} of the claims SUPPORTED" if totals.supported_ratio is not None else ""
    return f"{totals.right} of {totals.cases} right, {totals.wrong} wrong, {totals.read} to be read{rate}{ratio}"


def _to_read(view: EvaluationView) -> Iterator[str]:
    waiting = [case for case in view.cases if case.outcome == "read"]
    if waiting:
        yield ""
        yield 'To be read: judge each, and give the answers with --judged FILE ({"id": true or false})'
    for case in waiting:
        yield f"{case.id}"
        yield from (f"    expected: {' '.join(statement.split())}" for statement in case.statements)
        yield f"    reported: {' '.join(case.repeats[0].summary.split())}"


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= _CHARS else flat[: _CHARS - 1] + "…"
