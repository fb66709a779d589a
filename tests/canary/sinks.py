"""Every opening by which words leave the tool boundary. A new one is one line in `SINKS`.

Not here, on purpose: the canonical store of raw outputs and the route that shows it to an administrator, which hold
what the sources answered as it was; and the index of the runbooks in the user's own home, which holds their words.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from rootproof.aci.summary import tool_trace_summary
from rootproof.agent.state import fold
from rootproof.domain.limits import RunLimits
from tests.canary.world import World

RAW_TABLE: Final = "canonical_invocation"
RAW_INDEX: Final = "index"

SINKS: Final[Mapping[str, Callable[[World], str]]] = {
    "prompts": lambda world: world.prompts,
    "steps": lambda world: _rows(world, lambda rows: rows.steps),
    "invocations": lambda world: _rows(world, lambda rows: rows.invocations),
    "previews": lambda world: _rows(world, lambda rows: [call.result for call in rows.invocations]),
    "summaries of the trace": lambda world: _rows(
        world, lambda rows: tool_trace_summary(rows.invocations, RunLimits())
    ),
    "errors": lambda world: _rows(world, lambda rows: [call.error for call in rows.invocations]),
    "runs": lambda world: _rows(world, lambda rows: rows.run),
    "state": lambda world: _rows(world, lambda rows: fold(rows.run, rows.steps, rows.invocations)),
    "reports": lambda world: _named(world.writes, "question", "follow-up", "fail"),
    "answers to reading": lambda world: _named(world.reads),
    "exported bundles": lambda world: _named(world.reads, "bundle"),
    "answers to writing": lambda world: _named(world.writes),
    "refusals": lambda world: _named(world.refusals),
    "server-sent events": lambda world: _named(world.streams),
    "outgoing messages": lambda world: "\n".join(world.sent),
    "metrics": lambda world: world.reads["/metrics"],
    "spans with words": lambda world: "\n".join(span.to_json() for span in world.spans.get_finished_spans()),
    "spans without words": lambda world: "\n".join(world.plain_spans),
    "log lines": lambda world: world.log.getvalue(),
    "database": lambda world: _database(world.folder / "home" / "rootproof.db"),
    "files": lambda world: _files(world.folder / "home"),
    "redis": lambda world: _readable(world.redis),
}
"""What each is called -> everything that came out of it."""


def _rows(world: World, part: Callable[[Any], object]) -> str:
    return "\n".join(repr(part(rows)) for rows in world.runs)


def _named(answers: Mapping[str, str], *parts: str) -> str:
    return "\n".join(
        f"{name} {text}" for name, text in answers.items() if not parts or any(part in name for part in parts)
    )


def _database(path: Path) -> str:
    """Every cell of every table but that of the raw outputs, packed ones unpacked; and the file without that table."""
    copy = path.with_name("copy-for-the-test.db")
    with sqlite3.connect(path) as source, sqlite3.connect(copy) as target:
        source.backup(target)
    target = sqlite3.connect(copy)
    try:
        found = []
        for (table,) in target.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            if table != RAW_TABLE:
                found += [_cell(cell) for row in target.execute(f'SELECT * FROM "{table}"') for cell in row]
        with target:
            target.execute(f"DELETE FROM {RAW_TABLE}")
        target.execute("VACUUM")
        return "\n".join(found) + copy.read_bytes().decode("latin-1")
    finally:
        target.close()
        source.close()
        copy.unlink()


def _cell(value: object) -> str:
    return _readable(value) if isinstance(value, bytes) else str(value)


def _readable(data: bytes) -> str:
    """The bytes as text, and what they hold if they are packed."""
    text = data.decode("latin-1")
    for wbits in (15, 31, -15):
        try:
            text += zlib.decompressobj(wbits).decompress(data).decode("utf-8", "replace")
        except zlib.error:
            continue
    return text


def _files(home: Path) -> str:
    """Every file's name, and what the files hold that are neither the database nor the index."""
    paths = [path for path in home.rglob("*") if path.is_file()]
    held = [path for path in paths if not path.name.startswith("rootproof.db") and RAW_INDEX not in path.parts]
    return "\n".join([*map(str, paths), *(_readable(path.read_bytes()) for path in held)])
