"""The YAML block at the top of a Markdown file, read without trust: small, shallow, no aliases, scalars only."""

from __future__ import annotations

from rootproof.domain.cutting import within

_FENCE = "---"
_MAX_CHARS = 16_000
_MAX_LINES = 400
_MAX_DEPTH = 8
_MAX_VALUE_CHARS = 500


def split_front_matter(text: str) -> tuple[dict[str, str], int, list[str]]:
    """The top-level scalars, the index of the first line after the block, and what was wrong with it.

    Shape: `({}, 0, [])` without front matter. Lists become comma-separated text, nested mappings are left out.
    """
    lines = text.split("\n", _MAX_LINES + 1)
    if not lines or lines[0].rstrip() != _FENCE:
        return {}, 0, []
    end = next((i for i, line in enumerate(lines[1 : _MAX_LINES + 1], 1) if line.rstrip() in (_FENCE, "...")), None)
    if end is None:
        return {}, 0, [f"line 1: front matter is not closed by {_FENCE} within {_MAX_LINES} lines; read as text"]
    values, problem = read_yaml("\n".join(lines[1:end]))
    return _scalars(values), end + 1, [problem] if problem else []


def read_yaml(text: str) -> tuple[dict[str, object], str]:
    """The mapping in `text` and an empty problem, or an empty mapping and the problem.

    Aliases and deep nesting are refused before anything is built, so a hostile block costs no memory.
    """
    import yaml

    if len(text) > _MAX_CHARS:
        return {}, f"front matter is longer than {_MAX_CHARS} characters; shorten it"
    depth = 0
    try:
        for event in yaml.parse(text, Loader=yaml.SafeLoader):
            if isinstance(event, yaml.AliasEvent):
                return {}, "front matter uses a YAML alias (*name); write the value out"
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1
            if depth > _MAX_DEPTH:
                return {}, f"front matter is nested deeper than {_MAX_DEPTH} levels"
        loaded = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        return {}, f"front matter is not valid YAML: {within(' '.join(str(error).split()), 200)}"
    if loaded is None:
        return {}, ""
    if not isinstance(loaded, dict):
        return {}, f"front matter is a {type(loaded).__name__}, not a mapping of keys to values"
    return {str(key): value for key, value in loaded.items()}, ""


def _scalars(values: dict[str, object]) -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, value in values.items():
        if isinstance(value, list):
            flat[key] = ", ".join(str(item) for item in value if not isinstance(item, (dict, list)))[:_MAX_VALUE_CHARS]
        elif value is not None and not isinstance(value, dict):
            flat[key] = str(value)[:_MAX_VALUE_CHARS]
    return flat
