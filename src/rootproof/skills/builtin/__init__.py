"""The skills that ship: one folder each, read as package data."""

from __future__ import annotations

from importlib.resources import files


def builtin_texts() -> list[tuple[str, str]]:
    """`(builtin/<skill>/SKILL.md, its text)` of every built-in skill, by name."""
    return _texts("SKILL.md")


def builtin_sidecars() -> list[tuple[str, str]]:
    """`(builtin/<skill>/playbook.toml, its text)` of every built-in skill that has one, by name."""
    return _texts("playbook.toml")


def _texts(name: str) -> list[tuple[str, str]]:
    folders = sorted((item for item in files(__name__).iterdir() if item.is_dir()), key=lambda item: item.name)
    found = [(f"builtin/{folder.name}/{name}", folder.joinpath(name)) for folder in folders]
    return [(path, item.read_text(encoding="utf-8")) for path, item in found if item.is_file()]
