"""Names of evidence of other runs: `run-<id>:E3`. Evidence of one's own run is `E3`."""

from __future__ import annotations

import re

_EARLIER = re.compile(r"(?P<run>run-[0-9A-Za-z._-]{1,60}):E[0-9]{1,6}")


def earlier_id(run_id: str, evidence_id: str) -> str:
    """The name of a run's evidence item in another run."""
    return f"{run_id}:{evidence_id}"


def run_of(evidence_id: str) -> str | None:
    """The run that the name says the item is of; None for an item of one's own run."""
    found = _EARLIER.fullmatch(evidence_id)
    return found["run"] if found is not None else None
