"""Names of things in a log line: what a workload is called says nothing of what befell it."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NAMED = re.compile(
    r"\b((?:Pod|Node|Job|Deployment|ReplicaSet|StatefulSet|DaemonSet|CronJob|Service)/"
    r"|(?:container|pod|deployment|workload|statefulset|daemonset) [\"'`]"
    r"|(?-i:Container )(?=\S+ (?:failed|will|could|definition)\b))([a-z0-9][\w.-]{0,120})",
    re.IGNORECASE,
)
"""A word that is called a thing's name on the spot: behind its kind, in quotation marks or in a kubelet's sentence."""
_HOST = re.compile(r"(\b[a-z][a-z0-9+]{1,12}://(?:[^\s/@]{1,80}@)?)[A-Za-z0-9_.-]+")
_WRITTEN_AS_NAME = re.compile(r"[a-z][a-z0-9]*(?:[.-][a-z0-9]+)+")
"""More than one word in one: a plain word that is a service's name too is left where it stands."""
_NAME = "it"


class Names:
    """The names that the evidence uses for its objects."""

    def __init__(self, known: Iterable[str]) -> None:
        written = {name.rsplit("/", 1)[-1] for name in known}
        kept = sorted((n for n in written if _WRITTEN_AS_NAME.fullmatch(n)), key=len, reverse=True)
        told = "|".join(map(re.escape, kept))
        self._known = re.compile(rf"(?<![\w-])(?:{told})(?:-[a-z0-9]+)*(?![\w-])") if told else None

    def without(self, text: str) -> str:
        """The text with the names of objects and hosts taken out of it."""
        text = _HOST.sub(rf"\g<1>{_NAME}", text)
        text = _NAMED.sub(rf"\g<1>{_NAME}", text)
        return self._known.sub(_NAME, text) if self._known is not None else text
