"""The front matter of a SKILL.md, read without trust: small, shallow, no YAML aliases."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from rootproof.domain.cutting import within

_MAX_CHARS = 16_000
_MAX_DEPTH = 4


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What stands between the two `---` lines, and the text after them."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    """Top-level key -> its line in the file, from 1."""
    body: str = ""
    body_line: int = 1
    """The line of the file on which the body starts."""
    fault: str | None = None
    """Why it could not be read; `values` is empty then."""
    fault_line: int = 1


def read_front_matter(text: str) -> FrontMatter:
    """The front matter of `text`; `fault` says what is wrong where there is none that can be read."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() != "---":
        return FrontMatter(
            body=text, fault="the file does not start with a front matter block; its first line must be ---"
        )
    end = next((index for index, line in enumerate(lines[1:], 1) if line.rstrip() == "---"), None)
    if end is None:
        return FrontMatter(body=text, fault="the front matter is not closed; add a line --- after it")
    block, body = "\n".join(lines[1:end]), "\n".join(lines[end + 1 :])
    values, fault, fault_line = _mapping(block)
    keys = {match.group(1): number for number, line in enumerate(lines[1:end], 2) if (match := _KEY.match(line))}
    return FrontMatter(values, keys, body, end + 2, fault, fault_line)


_KEY = re.compile(r"[\"']?([\w-]{1,64})[\"']?\s{0,8}:")


def _mapping(block: str) -> tuple[dict[str, Any], str | None, int]:
    import yaml

    if len(block) > _MAX_CHARS:
        return {}, f"the front matter is longer than {_MAX_CHARS} characters; move text into the body", 1
    depth = 0
    try:
        for event in yaml.parse(block, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                return {}, "the front matter uses a YAML alias (*name); write the value out", _line(event.start_mark)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > _MAX_DEPTH:
                return {}, f"the front matter is nested deeper than {_MAX_DEPTH} levels", _line(event.start_mark)
        loaded = yaml.safe_load(block)
    except yaml.MarkedYAMLError as error:
        fault = error.problem or error.context or "syntax error"
        return {}, f"the front matter is not valid YAML: {fault}", _line(error.problem_mark)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        return {}, f"the front matter is not valid YAML: {within(' '.join(str(error).split()), 200)}", 1
    if not isinstance(loaded, dict):
        return {}, "the front matter must be a mapping with name and description", 2
    return {str(key): value for key, value in loaded.items()}, None, 1


def _line(mark: Any) -> int:
    """The line of the file, from 1, of a place in the block; the block starts on the second."""
    return int(mark.line) + 2 if mark is not None else 1
