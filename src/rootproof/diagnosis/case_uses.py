"""Which past cases a run was shown, read from its own rows and noted for the cases."""

from __future__ import annotations

from typing import Protocol

from rootproof.diagnosis.services import Services
from rootproof.domain.case import CaseUse, is_case_id
from rootproof.domain.evidence import EvidenceClass
from rootproof.ports.cases import CaseStore
from rootproof.ports.run_store import RunRows


class HasCases(Protocol):
    """The part of the backend that is needed here."""

    @property
    def services(self) -> Services:
        """For the clock."""
        ...

    @property
    def cases(self) -> CaseStore:
        """Where uses are kept."""
        ...


def cases_shown(rows: RunRows) -> tuple[str, ...]:
    """The ids of the cases that the run's look-ups gave to its agents, in order, each once."""
    shown = (
        item.source
        for call in rows.invocations
        for item in call.evidence
        if item.cls is EvidenceClass.MEMORY and is_case_id(item.source)
    )
    return tuple(dict.fromkeys(shown))


async def note_case_uses(backend: HasCases, rows: RunRows) -> None:
    """Note for each case that the run was shown it. A repeat changes nothing. Raises: StoreError."""
    now = backend.services.clock.now()
    for case_id in cases_shown(rows):
        await backend.cases.note_use(CaseUse(case_id, rows.run.run_id, rows.run.session_id, now))
