"""The exception tree, by who must act. Tools never raise these at a model: the boundary turns them into values."""

from __future__ import annotations


class RootproofError(Exception):
    """Anything the product raises on purpose. The message says what was tried, what came back, what to do next."""


class UsageError(RootproofError):
    """The caller must change the input, the flag or the configuration."""


class SourceError(RootproofError):
    """An outside system did not give data; the message holds that system's own words."""


class SourceUnavailable(SourceError):
    """The system could not be reached or answered with a failure; trying again may work."""


class SourceTimeout(SourceError):
    """The system did not answer before the deadline."""


class SourceDenied(SourceError):
    """The system refused: the credentials or rights must change."""


class QueryRejected(SourceError):
    """The system did not accept this query; another query may work."""


class SourceGarbled(SourceError):
    """The system answered with something that is not what its contract promises."""


class ModelError(RootproofError):
    """A model provider did not give a usable reply. `retryable` says whether the same request may be sent again."""

    def __init__(self, message: str, *, retryable: bool = False, retry_after_s: float | None = None) -> None:
        super().__init__(message)
        self.retryable = retryable
        self.retry_after_s = retry_after_s


class ContextOverflow(ModelError):
    """The request does not fit in the model's window; sending it again cannot work."""


class LimitExceeded(RootproofError):
    """A budget of the run is spent. `limit` is its name in `domain.limits`."""

    def __init__(self, message: str, *, limit: str) -> None:
        super().__init__(message)
        self.limit = limit


class StoreError(RootproofError):
    """Our own storage failed or disagreed."""


class StoreUnavailable(StoreError):
    """A store that we can go on without could not be reached, or had no room; another place may take its part."""


class StaleWrite(StoreError):
    """Another worker has already written this row: the writer is behind and must stop."""


class ProjectionError(RootproofError):
    """A raw tool output could not be turned into a bounded, valid projection (fail closed)."""
