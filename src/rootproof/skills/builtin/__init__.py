"""The skills that ship: one folder each, read as package data."""

from __future__ import annotations

from importlib.resources import files


def builtin_texts() -> list[tuple[str, str]]:
    """`(builtin/<skill>/SKILL.md, its text)` of every built-in skill, by name."""
    folders = sorted((item for item in files(__name__).iterdir() if item.is_dir()), key=lambda item: item.name)
    found = [(folder.name, folder.joinpath("SKILL.md")) for folder in folders]
    return [(f"builtin/{name}/SKILL.md", item.read_text(encoding="utf-8")) for name, item in found if item.is_file()]
