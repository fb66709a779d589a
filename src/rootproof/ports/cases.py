"""The case library in the store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from rootproof.domain.case import Case, CaseUse


class CaseStore(Protocol):
    """Cases by id, and by the run or (old rows) the session they come from. Raises StoreError.

    Rows of the MVP have neither id nor owner: they are `case-legacy-<row>` of the owner `local`.
    """

    async def add(self, case: Case) -> Case:
        """The stored case; where its `diagnosis_id` already has one that is not revoked, that one, unchanged.

        Raises: StoreError for a case id that is taken.
        """
        ...

    async def find(self, case_id: str, *, owner: str) -> Case | None:
        """The case, also a revoked one; None when there is none or it is another owner's."""
        ...

    async def of_diagnosis(self, *diagnosis_ids: str, owner: str) -> Sequence[Case]:
        """Cases with one of these diagnosis ids, newest first, also revoked ones.

        A run's page asks for its run id and its session id: rows of the MVP hold the latter.
        """
        ...

    async def page(
        self, *, owner: str, revoked: bool = False, limit: int = 50, before: tuple[datetime, str] | None = None
    ) -> Sequence[Case]:
        """Cases by `created_at DESC, id DESC` after `before`, the (created_at, case_id) of the last one seen.

        `revoked`: also those that are revoked.
        """
        ...

    async def revoke(self, case_id: str, *, owner: str, reason: str, at: datetime) -> Case | None:
        """The revoked case; None when there is none. A second revocation changes nothing."""
        ...

    async def note_use(self, use: CaseUse) -> None:
        """Remember that a run was shown a case; a repeat changes nothing."""
        ...

    async def uses(self, case_id: str, *, limit: int = 100) -> Sequence[CaseUse]:
        """Runs that were shown the case, newest first."""
        ...
