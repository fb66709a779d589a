"""What the stages of retrieval hand to each other: documents, their sections and blocks, and chunks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class BlockKind(StrEnum):
    """What a block of a document is; STEPS and CODE are never cut."""

    PARAGRAPH = "paragraph"
    STEPS = "steps"
    """A numbered procedure, with the code and notes between its steps."""
    LIST = "list"
    CODE = "code"
    TABLE = "table"


@dataclass(frozen=True, slots=True)
class Block:
    """Consecutive lines of one kind. Lines count from 1 and are inclusive."""

    kind: BlockKind
    text: str
    line_start: int
    line_end: int


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and the blocks up to the next heading; the text before the first heading has an empty breadcrumb."""

    breadcrumb: tuple[str, ...]
    """Headings from the top of the document down to this section's own."""
    line: int
    blocks: tuple[Block, ...] = ()

    @property
    def heading(self) -> str:
        """The section's own heading, empty for the text before the first one."""
        return self.breadcrumb[-1] if self.breadcrumb else ""


@dataclass(frozen=True, slots=True)
class Document:
    """One document. `id` is its path inside the folder it came from: stable, and readable in a citation."""

    id: str
    source: str
    title: str
    sections: tuple[Section, ...]
    version: str
    """SHA-256 of the text, hex."""
    alert_names: tuple[str, ...] = ()
    """CamelCase names that the document is about: from its file name, title, headings and `alert:` lines."""
    front_matter: Mapping[str, str] = field(default_factory=dict)
    problems: tuple[str, ...] = ()
    """What was odd and passed over, such as front matter that is no YAML."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A part of a document that is searched and quoted as one."""

    document_id: str
    ordinal: int
    header: str
    """The contextual header that is indexed with the text: title, section path, alert names."""
    breadcrumb: tuple[str, ...]
    text: str
    line_start: int
    line_end: int
