"""The records that the command line keeps beside runs: feedback and cases, on the configured store."""

from __future__ import annotations

from dataclasses import dataclass

from rootproof.bootstrap import open_services
from rootproof.diagnosis.services import Services
from rootproof.ports.cases import CaseStore
from rootproof.ports.feedback import FeedbackStore
from rootproof.ports.sources import Sources
from rootproof.settings import Settings


@dataclass(frozen=True, slots=True)
class Records:
    """A run's services, with feedback and cases over the same database. Closing the run store closes all of them."""

    services: Services
    feedback: FeedbackStore
    cases: CaseStore


async def open_records(settings: Settings) -> Records:
    """The records on the configured store. Raises: UsageError, StoreError, as `open_services` does."""
    return records_of(await open_services(settings))


def records_of(services: Services) -> Records:
    """The records beside services that `open_services` has opened."""
    from rootproof.adapters.sql.cases import SqlCaseStore
    from rootproof.adapters.sql.feedback import SqlFeedbackStore
    from rootproof.adapters.sql.run_store import SqlRunStore

    if not isinstance(services.runs, SqlRunStore):
        raise TypeError(f"records are kept in SQL, these runs are in {type(services.runs).__name__}")
    database = services.runs.database
    return Records(services, SqlFeedbackStore(database, services.clock), SqlCaseStore(database, services.clock))


async def remembering(sources: Sources, cases: CaseStore, owner: str) -> Sources:
    """The sources with the owner's past cases beside the documents; unchanged where there are none."""
    from rootproof.adapters.index.cases import with_cases
    from rootproof.diagnosis.cases import known_cases

    return with_cases(sources, await known_cases(cases, owner), store=cases)
