"""A document to chunks: one or more a section, never across sections, never through a procedure or a code block."""

from __future__ import annotations

from collections.abc import Iterator

from rootproof.knowledge.document import Block, BlockKind, Chunk, Document, Section

SOFT_CHARS = 1_400
"""A chunk is closed when the next block would take it beyond this."""
_WHOLE = frozenset({BlockKind.STEPS, BlockKind.CODE})
_MAX_HEADER_NAMES = 6


def chunk_document(document: Document) -> tuple[Chunk, ...]:
    """The chunks in document order; a document with headings only gives one chunk that lists them."""
    chunks: list[Chunk] = []
    for section in document.sections:
        for group in _groups(section):
            chunks.append(
                Chunk(
                    document_id=document.id,
                    ordinal=len(chunks),
                    header=contextual_header(document, section.breadcrumb),
                    breadcrumb=section.breadcrumb,
                    text="\n\n".join(block.text for block in group),
                    line_start=group[0].line_start,
                    line_end=group[-1].line_end,
                )
            )
    if not chunks and document.sections:
        headings = [section.heading for section in document.sections if section.heading]
        lines = document.sections[0].line, document.sections[-1].line
        chunks.append(
            Chunk(document.id, 0, contextual_header(document, ()), (), "\n".join(headings), lines[0], lines[1])
        )
    return tuple(chunks)


def contextual_header(document: Document, breadcrumb: tuple[str, ...]) -> str:
    """What the chunk is about, in one line: document, section path, and the alerts the document names."""
    path = [document.title, *(name for name in breadcrumb if name != document.title)]
    names = [name for name in document.alert_names if name not in path][:_MAX_HEADER_NAMES]
    return " > ".join(path) + (f" | alerts: {', '.join(names)}" if names else "")


def _groups(section: Section) -> Iterator[list[Block]]:
    group: list[Block] = []
    size = 0
    for block in (part for whole in section.blocks for part in _pieces(whole)):
        introduced = bool(group) and group[-1].kind is BlockKind.PARAGRAPH and group[-1].text.rstrip().endswith(":")
        if group and size + len(block.text) > SOFT_CHARS and not introduced:
            yield group
            group, size = [], 0
        group.append(block)
        size += len(block.text)
    if group:
        yield group


def _pieces(block: Block) -> Iterator[Block]:
    """The block itself, or, where it is long and may be cut, its lines in parts up to SOFT_CHARS (a line is whole)."""
    if block.kind in _WHOLE or len(block.text) <= SOFT_CHARS:
        yield block
        return
    lines = block.text.split("\n")
    first, size = 0, 0
    for index, line in enumerate(lines):
        if index > first and size + len(line) > SOFT_CHARS:
            yield _part(block, lines, first, index)
            first, size = index, 0
        size += len(line) + 1
    yield _part(block, lines, first, len(lines))


def _part(block: Block, lines: list[str], first: int, stop: int) -> Block:
    return Block(block.kind, "\n".join(lines[first:stop]), block.line_start + first, block.line_start + stop - 1)
