"""The level that a record states in its own words, where the feed that carries it says INFO of everything."""

from __future__ import annotations

import re

from rootproof.agent.playbook.observations import LogItem

_SPOKEN = re.compile(r"(?:^|: |\] )(WARNING|ERROR|FATAL|PANIC|CRITICAL): ")
_HEAD_CHARS = 200
_AS_TOLD = {"WARNING": "WARN", "PANIC": "FATAL"}


def level_of(item: LogItem) -> str:
    """The level of a record: what its words state near their beginning, else what the feed says."""
    if item.level not in ("INFO", "LOG", "", "NOTICE"):
        return item.level
    found = _SPOKEN.search(item.words[:_HEAD_CHARS])
    return _AS_TOLD.get(found.group(1), found.group(1)) if found is not None else item.level
