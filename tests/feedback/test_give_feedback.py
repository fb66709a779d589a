"""Taking feedback: which run it is bound to, what counts as a repeat, what is refused, what is kept."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import pytest

from rootproof.adapters.memory.feedback import InMemoryFeedbackStore
from rootproof.adapters.memory.run_store import InMemoryRunStore
from rootproof.diagnosis.give_feedback import BoundRun, NotNow, Said, bound_run, give_feedback, repeated
from rootproof.domain.feedback import ClaimMark, FeedbackVerdict, ResolvedBy
from rootproof.domain.run import Run, RunStatus
from rootproof.errors import UsageError
from tests.contracts.conftest import TickingClock
from tests.core.canaries import Canaries
from tests.feedback.runs import finished, started

HELPFUL = Said(FeedbackVerdict.HELPFUL)
WRONG = Said(FeedbackVerdict.WRONG_CAUSE, corrected_cause="the pool was set to 5")


@dataclass
class Desk:
    """Stores, and what a caller does with them."""

    runs: InMemoryRunStore
    feedback: InMemoryFeedbackStore

    async def bound(self, run: Run, *, latest: bool = False) -> BoundRun:
        bound = await bound_run(self.runs, run.session_id, None if latest else run.run_id, owner=run.owner)
        assert bound is not None
        return bound

    async def give(self, run: Run, said: Said) -> Any:
        return await give_feedback(self.feedback, await self.bound(run), said)

    async def verdicts(self, run: Run) -> list[str]:
        return [row.verdict.value for row in await self.feedback.history(run.run_id, owner=run.owner)]

    async def shown(self, run: Run) -> dict[str, Any] | None:
        rows = await self.runs.load(run.run_id)
        assert rows is not None
        return rows.run.feedback


@pytest.fixture
def desk() -> Desk:
    runs = InMemoryRunStore(TickingClock())
    return Desk(runs, InMemoryFeedbackStore(runs, TickingClock()))


async def test_without_a_run_id_the_newest_run_is_bound_and_the_row_says_so(desk: Desk) -> None:
    old = await finished(desk.runs)
    new = await finished(desk.runs, session_id=old.session_id)
    bound = await desk.bound(old, latest=True)
    assert (bound.rows.run.run_id, bound.resolved_by) == (new.run_id, ResolvedBy.LATEST_RUN)
    stored = await give_feedback(desk.feedback, bound, HELPFUL)
    assert (stored.run_id, stored.resolved_by) == (new.run_id, ResolvedBy.LATEST_RUN)


async def test_feedback_and_evaluation_on_an_old_run_leave_the_latest_run_where_it_is(desk: Desk) -> None:
    old = await finished(desk.runs)
    new = await finished(desk.runs, session_id=old.session_id)
    await desk.give(old, WRONG)
    rows = await desk.runs.load(old.run_id)
    assert rows is not None
    await desk.runs.update_run(replace(rows.run, self_evaluation={"verdicts": {"SUPPORTED": 1}}))
    bound = await desk.bound(old, latest=True)
    assert bound.rows.run.run_id == new.run_id


async def test_a_run_of_another_session_or_owner_is_absent(desk: Desk) -> None:
    mine, other = await finished(desk.runs), await finished(desk.runs)
    theirs = await finished(desk.runs, owner="ben")
    assert await bound_run(desk.runs, mine.session_id, other.run_id, owner="ana") is None
    assert await bound_run(desk.runs, theirs.session_id, theirs.run_id, owner="ana") is None
    assert await bound_run(desk.runs, theirs.session_id, None, owner="ana") is None
    assert await bound_run(desk.runs, "ses-none", None, owner="ana") is None


async def test_a_run_under_way_takes_none(desk: Desk) -> None:
    run = await started(desk.runs)
    with pytest.raises(NotNow, match="QUEUED"):
        await desk.give(run, HELPFUL)
    assert await desk.shown(run) is None


@pytest.mark.parametrize("status", [RunStatus.FAILED, RunStatus.CANCELLED])
async def test_a_run_that_failed_or_was_cancelled_takes_feedback(desk: Desk, status: RunStatus) -> None:
    run = await finished(desk.runs, status=status)
    await desk.give(run, Said(FeedbackVerdict.NOT_HELPFUL))
    assert await desk.verdicts(run) == ["NOT_HELPFUL"]


async def test_the_same_key_and_words_give_the_same_answer(desk: Desk) -> None:
    run = await finished(desk.runs)
    said = replace(WRONG, idempotency_key="click-1")
    assert await desk.give(run, said) == await desk.give(run, said)
    assert await desk.verdicts(run) == ["WRONG_CAUSE"]


async def test_the_same_key_with_other_words_is_refused(desk: Desk) -> None:
    run = await finished(desk.runs)
    await desk.give(run, replace(WRONG, idempotency_key="click-1"))
    with pytest.raises(NotNow, match="click-1"):
        await desk.give(run, replace(HELPFUL, idempotency_key="click-1"))
    assert await desk.verdicts(run) == ["WRONG_CAUSE"]


async def test_without_a_key_a_second_click_counts_once_and_a_change_of_mind_counts(desk: Desk) -> None:
    run = await finished(desk.runs)
    for said in (HELPFUL, HELPFUL, WRONG, WRONG, HELPFUL):
        await desk.give(run, said)
    assert await desk.verdicts(run) == ["HELPFUL", "WRONG_CAUSE", "HELPFUL"]
    shown = await desk.shown(run)
    assert shown is not None
    assert shown["verdict"] == "HELPFUL"


async def test_a_repeat_by_key_stays_with_its_run_when_another_has_become_the_latest(desk: Desk) -> None:
    run = await finished(desk.runs)
    said = replace(HELPFUL, idempotency_key="click-1")
    first = await give_feedback(desk.feedback, await desk.bound(run, latest=True), said)
    newer = await finished(desk.runs, session_id=run.session_id)
    again = await repeated(desk.runs, desk.feedback, run.session_id, said, owner="ana")
    assert again is not None
    assert await give_feedback(desk.feedback, again, said) == first
    assert await desk.verdicts(newer) == []
    assert await repeated(desk.runs, desk.feedback, run.session_id, said, owner="ben") is None
    assert await repeated(desk.runs, desk.feedback, run.session_id, HELPFUL, owner="ana") is None


async def test_marks_must_name_claims_of_the_report(desk: Desk) -> None:
    run = await finished(desk.runs, claims=("C1", "C2"))
    stored = await desk.give(run, replace(WRONG, claim_marks={"C1": ClaimMark.WRONG, "C2": ClaimMark.CORRECT}))
    assert stored.claim_marks == {"C1": ClaimMark.WRONG, "C2": ClaimMark.CORRECT}
    with pytest.raises(UsageError, match=r"no claim 'C7', 'c1'; its claims are C1, C2"):
        await desk.give(run, replace(WRONG, claim_marks={"C7": ClaimMark.WRONG, "c1": ClaimMark.WRONG}))
    bare = await finished(desk.runs, claims=())
    with pytest.raises(UsageError, match="it has no claims"):
        await desk.give(bare, replace(WRONG, claim_marks={"C1": ClaimMark.WRONG}))


@pytest.mark.parametrize(
    "said",
    [
        Said(FeedbackVerdict.HELPFUL, comment="x" * 4_001),
        Said(FeedbackVerdict.WRONG_CAUSE, corrected_cause="x" * 501),
        Said(FeedbackVerdict.HELPFUL, idempotency_key="x" * 256),
        Said(FeedbackVerdict.HELPFUL, claim_marks={f"C{n}": ClaimMark.WRONG for n in range(201)}),
    ],
    ids=["comment", "cause", "key", "marks"],
)
async def test_what_is_too_long_is_refused_before_anything_is_kept(desk: Desk, said: Said) -> None:
    run = await finished(desk.runs)
    with pytest.raises(UsageError, match="at most"):
        await desk.give(run, said)
    assert await desk.verdicts(run) == []


async def test_no_credential_is_kept_and_the_owners_own_names_are(desk: Desk) -> None:
    run = await finished(desk.runs)
    canaries = Canaries()
    told = [
        Said(FeedbackVerdict.WRONG_CAUSE, comment=f"see {words}", corrected_cause=f"10.1.2.3 used {words}"[:500])
        for words in canaries.all_in("feedback").values()
    ]
    for said in told:
        await desk.give(run, said)
    history = await desk.feedback.history(run.run_id, owner="ana")
    kept = repr(history) + repr(await desk.shown(run))
    assert len(history) == len(told)
    assert canaries.found_in(kept) == []
    assert "10.1.2.3 used" in kept


async def test_two_secrets_do_not_tell_apart_what_was_said(desk: Desk) -> None:
    run = await finished(desk.runs)
    one = await desk.give(run, Said(FeedbackVerdict.HELPFUL, comment="password=Tr0ub4dor&3x"))
    two = await desk.give(run, Said(FeedbackVerdict.HELPFUL, comment="password=C0rrectHorse9"))
    assert one == two
