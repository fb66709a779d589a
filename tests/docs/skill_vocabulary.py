"""The signals in docs/reference/skill-sidecar.md: `python -m tests.docs.skill_vocabulary` writes them anew."""

from __future__ import annotations

import textwrap
from pathlib import Path

from rootproof.domain.vocabulary import Kind

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "skill-sidecar.md"
TITLES = {
    "metric": "Metrics: what a series of some role does now",
    "sql": "Database activity lines",
    "log": "Log lines",
    "cluster": "Cluster state and events",
    "alert": "The monitoring system",
}


def signals() -> str:
    """The words of `Kind`, by where they come from."""
    groups: dict[str, list[str]] = {}
    for kind in Kind:
        groups.setdefault(kind.value.split(".")[0], []).append(f"`{kind.value}`")
    return "\n\n".join(
        f"{TITLES.get(name, name.capitalize())}:\n"
        + textwrap.fill(", ".join(words), 118, break_long_words=False, break_on_hyphens=False)
        for name, words in groups.items()
    )


def page() -> str:
    """The page with its list of signals as it should be."""
    head = PAGE.read_text(encoding="utf-8").partition("\n## Signals\n")[0]
    return f"{head}\n## Signals\n\n{signals()}\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
