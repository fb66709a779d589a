"""A CaseStore in lists. No method suspends, so every call is one transaction."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from rootproof.adapters.memory.stored_form import stored_form
from rootproof.domain.case import Case, CaseUse
from rootproof.domain.storable import visible
from rootproof.errors import StoreError
from rootproof.ports.clock import Clock


class InMemoryCaseStore:
    """The CaseStore of tests and demos; gone with the process."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self._cases: list[Case] = []
        """In the order in which they came: the place is the `id` of the SQL row."""
        self._uses: list[CaseUse] = []

    async def add(self, case: Case) -> Case:
        """The stored case; where its diagnosis already has one that is not revoked, that one, unchanged."""
        for known in self._cases:
            if (known.owner, known.diagnosis_id) == (case.owner, case.diagnosis_id) and not known.revoked:
                return known
        if any(known.case_id == case.case_id for known in self._cases):
            raise StoreError(f"case id {case.case_id!r} is taken")
        now = self._clock.now() if self._clock is not None else datetime.now(UTC)
        named = replace(case, created_at=case.created_at or now, objects=())
        stored = replace(
            stored_form(named, where="case_library"), objects=tuple(visible(name) for name in case.objects)
        )
        self._cases.append(stored)
        return stored

    async def find(self, case_id: str, *, owner: str) -> Case | None:
        """The case, also a revoked one; None when there is none or it is another owner's."""
        return next((case for case in self._cases if (case.case_id, case.owner) == (case_id, owner)), None)

    async def of_diagnosis(self, *diagnosis_ids: str, owner: str) -> Sequence[Case]:
        """Cases with one of these diagnosis ids, newest first, also revoked ones."""
        return self._newest(case for case in self._cases if case.owner == owner and case.diagnosis_id in diagnosis_ids)

    async def page(
        self, *, owner: str, revoked: bool = False, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Case]:
        """Cases by `created_at DESC, id DESC`, after the (created_at, case_id) of the last one seen."""
        if limit < 1:
            return ()
        mine = [case for case in self._cases if case.owner == owner and (revoked or not case.revoked)]
        if before is not None:
            seen = next((case for case in self._cases if (case.case_id, case.owner) == (before[1], owner)), None)
            position = self._position(seen) if seen is not None else (before[0].astimezone(UTC), 0)
            mine = [case for case in mine if self._position(case) < position]
        return self._newest(mine)[:limit]

    async def revoke(self, case_id: str, *, owner: str, reason: str, at: datetime) -> Case | None:
        """The revoked case; None when there is none. A second revocation changes nothing."""
        for number, case in enumerate(self._cases):
            if (case.case_id, case.owner) != (case_id, owner):
                continue
            if not case.revoked:
                self._cases[number] = replace(case, revoked_at=at.astimezone(UTC), revoke_reason=visible(reason))
            return self._cases[number]
        return None

    async def note_use(self, use: CaseUse) -> None:
        """Remember that a run was shown a case; a repeat changes nothing."""
        if not any((known.case_id, known.run_id) == (use.case_id, use.run_id) for known in self._uses):
            self._uses.append(stored_form(use, where="case_use"))

    async def uses(self, case_id: str, *, limit: int = 100) -> Sequence[CaseUse]:
        """Runs that were shown the case, newest first."""
        found = [(use.used_at, number, use) for number, use in enumerate(self._uses) if use.case_id == case_id]
        return tuple(use for _, _, use in sorted(found, key=lambda row: row[:2], reverse=True)[: max(0, limit)])

    def _newest(self, cases: Iterable[Case]) -> tuple[Case, ...]:
        return tuple(sorted(cases, key=self._position, reverse=True))

    def _position(self, case: Case) -> tuple[datetime, int]:
        number = next((place for place, known in enumerate(self._cases, start=1) if known.case_id == case.case_id), 0)
        return case.created_at or datetime.min.replace(tzinfo=UTC), number
