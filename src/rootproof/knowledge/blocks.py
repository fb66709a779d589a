"""Lines of a section to blocks: paragraphs, lists, numbered procedures, code, tables.

A numbered procedure is one block from its first step to its last, with the code and notes between the steps: a step
torn from the others is worse than no step.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rootproof.knowledge.document import Block, BlockKind

FENCE = re.compile(r"[ \t]*(```+|~~~+)(.*)")
_NUMBER = re.compile(r"[ ]{0,3}(\d{1,9})[.)][ \t]+\S")
_BULLET = re.compile(r"[ ]{0,3}[-*+][ \t]+\S")
_TABLE = re.compile(r"[ ]{0,3}\|")
_INDENT = re.compile(r"[ ]{2,}|\t")
_COMMENT = re.compile(r"[ ]*<!--")
_MAX_COMMENT_LINES = 200
_MAX_NOTES = 6
"""Blocks that may stand between two steps of one procedure."""
_NOISE = re.compile(
    r"[ ]*</?(?:details|summary|div|p|br|center)\b[^<>]{0,200}>[ ]*$|[ ]*<summary>[^<>]{0,200}</summary>[ ]*$"
)


def scan_blocks(lines: Sequence[str], start: int, end: int) -> tuple[Block, ...]:
    """The blocks in `lines[start:end]`, in order; blank lines, comments and bare layout tags belong to none."""
    found: list[Block] = []
    index = start
    while index < end:
        line = lines[index]
        if _COMMENT.match(line):
            index = _comment_end(lines, index, end)
            continue
        if not line.strip() or _NOISE.match(line):
            index += 1
            continue
        kind, stop = _block_at(lines, index, end)
        found.append(_block(lines, kind, index, stop))
        index = stop
    return tuple(_join_steps(lines, found))


def closes_fence(line: str, mark: str) -> bool:
    """Whether `line` ends a code block opened by `mark`: the same characters, at least as many, nothing after."""
    closing = FENCE.match(line)
    return closing is not None and closing.group(1).startswith(mark) and not closing.group(2).strip()


def _block(lines: Sequence[str], kind: BlockKind, start: int, stop: int) -> Block:
    while stop > start + 1 and not lines[stop - 1].strip():
        stop -= 1
    return Block(kind, "\n".join(line.rstrip() for line in lines[start:stop]), start + 1, stop)


def _block_at(lines: Sequence[str], index: int, end: int) -> tuple[BlockKind, int]:
    line = lines[index]
    if FENCE.match(line):
        return BlockKind.CODE, _fence_end(lines, index, end)
    if _NUMBER.match(line):
        return BlockKind.STEPS, _list_end(lines, index, end)
    if _BULLET.match(line):
        return BlockKind.LIST, _list_end(lines, index, end)
    if _TABLE.match(line):
        stop = index + 1
        while stop < end and _TABLE.match(lines[stop]):
            stop += 1
        return BlockKind.TABLE, stop
    stop = index + 1
    while stop < end and lines[stop].strip() and not _starts_block(lines[stop]):
        stop += 1
    return BlockKind.PARAGRAPH, stop


def _starts_block(line: str) -> bool:
    return any(rule.match(line) for rule in (FENCE, _NUMBER, _BULLET, _TABLE, _COMMENT, _NOISE))


def _fence_end(lines: Sequence[str], index: int, end: int) -> int:
    opening = FENCE.match(lines[index])
    mark = opening.group(1) if opening else "```"
    for position in range(index + 1, end):
        if closes_fence(lines[position], mark):
            return position + 1
    return end


def _comment_end(lines: Sequence[str], index: int, end: int) -> int:
    for position in range(index, min(end, index + _MAX_COMMENT_LINES)):
        if "-->" in lines[position]:
            return position + 1
    return index + 1


def _list_end(lines: Sequence[str], index: int, end: int) -> int:
    """Where the list ends: its items, their indented and lazy continuation lines, and the code inside them."""
    position = index + 1
    after_blank = False
    while position < end:
        line = lines[position]
        if not line.strip():
            after_blank = True
            position += 1
            continue
        item = _NUMBER.match(line) or _BULLET.match(line)
        if not item and not _INDENT.match(line) and (after_blank or _starts_block(line)):
            break
        if FENCE.match(line):
            position = _fence_end(lines, position, end)
        else:
            position += 1
        after_blank = False
    return position


def _join_steps(lines: Sequence[str], found: Sequence[Block]) -> list[Block]:
    """Numbered lists that go on after unindented code or a short note become one procedure."""
    joined: list[Block] = []
    procedure: list[Block] = []
    notes: list[Block] = []
    for block in found:
        if block.kind is BlockKind.STEPS and procedure and _goes_on(procedure[-1], notes, block):
            procedure += [*notes, block]
            notes = []
        elif block.kind is not BlockKind.STEPS and procedure and len(notes) < _MAX_NOTES:
            notes.append(block)
        else:
            joined += [*_merged(lines, procedure), *notes]
            procedure, notes = ([block], []) if block.kind is BlockKind.STEPS else ([], [block])
    return [*joined, *_merged(lines, procedure), *notes]


def _goes_on(before: Block, notes: Sequence[Block], block: Block) -> bool:
    """Whether `block` has the next number, or another 1 after nothing but code (Markdown counts by itself)."""
    first, last = _first_number(block.text), _last_number(before.text)
    only_code = bool(notes) and all(note.kind is BlockKind.CODE for note in notes)
    return first == last + 1 or (first == 1 and last == 1 and only_code)


def _merged(lines: Sequence[str], procedure: Sequence[Block]) -> list[Block]:
    if len(procedure) <= 1:
        return list(procedure)
    return [_block(lines, BlockKind.STEPS, procedure[0].line_start - 1, procedure[-1].line_end)]


def _first_number(text: str) -> int:
    match = _NUMBER.match(text)
    return int(match.group(1)) if match else 0


def _last_number(text: str) -> int:
    numbers = [int(match.group(1)) for line in text.split("\n") if (match := _NUMBER.match(line))]
    return numbers[-1] if numbers else 0
