"""Make the tables of docs/reference/configuration.md from the settings: `python -m tests.docs.settings_reference`."""

from __future__ import annotations

import ast
import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from rootproof.settings import Settings, sections

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "configuration.md"
_BEGIN, _END = "<!-- settings: made from the code -->", "<!-- end of settings -->"


def settings() -> Iterator[tuple[str, str, object]]:
    """(section, key, default) of everything that can be set."""
    whole = Settings()
    for section in (item.name for item in fields(Settings) if item.name != "config_file"):
        for item in fields(getattr(whole, section)):
            yield section, item.name, getattr(getattr(whole, section), item.name)


def meanings() -> dict[str, tuple[str, dict[str, str]]]:
    """Class name -> (its first line, field -> what stands under it)."""
    found = {}
    for node in ast.parse(inspect.getsource(sections)).body:
        if isinstance(node, ast.ClassDef):
            pairs = zip(node.body, node.body[1:], strict=False)
            texts = {
                name.target.id: " ".join(text.value.value.split())
                for name, text in pairs
                if isinstance(name, ast.AnnAssign) and isinstance(name.target, ast.Name)
                if isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant)
            }
            found[node.name] = (ast.get_docstring(node) or "", texts)
    return found


def tables() -> str:
    """The part of the page between its marks."""
    whole, texts = Settings(), meanings()
    parts: list[str] = []
    for section, key, default in settings():
        about, each = texts[type(getattr(whole, section)).__name__]
        head = f"\n## {section}\n\n{about}\n\n| setting | variable | default | meaning |\n|---|---|---|---|\n"
        if head not in parts:
            parts.append(head)
        shown = f"`{_written(default)}`" if default not in ("", ()) else "empty"
        variable = f"ROOTPROOF_{section}_{key}".upper()
        parts.append(f"| `{section}.{key}` | `{variable}` | {shown} | {each[key].replace('|', chr(92) + '|')} |\n")
    return "".join(parts)


def page(written: str) -> str:
    """The page with its tables as the code has them."""
    return re.sub(f"(?s){_BEGIN}\n.*{_END}", lambda _: f"{_BEGIN}\n{tables()}\n{_END}", written)


def _written(value: object) -> str:
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return os.pathsep.join(value)
        case _:
            return str(value)


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
