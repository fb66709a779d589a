"""The incidents that ship with the product, as bundles: what `rootproof demo` diagnoses. They hold no real data."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from rootproof.errors import UsageError


def scenario_names() -> tuple[str, ...]:
    """The names of the shipped scenarios, in alphabetical order."""
    return tuple(sorted(entry.name for entry in files(__name__).iterdir() if (entry / "bundle.toml").is_file()))


def scenario_path(name: str) -> Path:
    """The folder of a shipped scenario. Raises: UsageError for a name that is none."""
    names = scenario_names()
    if name not in names:
        raise UsageError(f"no scenario {name!r}; there are {', '.join(names)}")
    return Path(str(files(__name__) / name))
