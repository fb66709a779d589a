"""Transaction log that is kept on disk, and whether it is what takes the free storage."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rootproof.agent.playbook.metric_roles import Role, role, subject
from rootproof.agent.playbook.observations import SeriesItem

_ITS_PART = 0.5
"""The part of the lost storage that the log must have taken."""
_LEAST = 100e6


def filling(series: Sequence[SeriesItem]) -> Iterator[SeriesItem]:
    """Series of kept log that grew by at least half of what the free storage of the same server lost."""
    lost = {subject(one): one.first - one.last for one in series if role(one) is Role.FREE_STORAGE and not one.day}
    for one in series:
        if role(one) not in (Role.LOG_ON_DISK, Role.SLOT_RETAINED) or one.day:
            continue
        fell = lost.get(subject(one), 0.0)
        if fell >= _LEAST and one.last - one.first >= _ITS_PART * fell:
            yield one
