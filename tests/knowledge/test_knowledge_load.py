"""Markdown to documents and chunks: headings of both kinds, nothing torn that belongs together, line numbers true."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.knowledge.chunk import SOFT_CHARS, chunk_document
from rootproof.knowledge.document import BlockKind, Document
from rootproof.knowledge.load import load_markdown

RUNBOOK = """---
title: Ledger write queue
owner: payments
---
Intro before any heading.

# LedgerQueueStuck

What it means.

Diagnosis
---------

1. Look at the queue:

```bash
# not a heading
queuectl depth --name ledger
```

2. Find the consumer that holds it.
   It is in the second column.
3. Restart that consumer.

Mitigation
==========

| size | action |
| ---- | ------ |
| 10   | wait   |
"""


def document(text: str, name: str = "ledger.md") -> Document:
    return load_markdown(name, text)


def test_headings_of_both_kinds_make_the_tree() -> None:
    paths = [section.breadcrumb for section in document(RUNBOOK).sections]

    assert paths == [(), ("LedgerQueueStuck",), ("LedgerQueueStuck", "Diagnosis"), ("Mitigation",)]


def test_front_matter_is_read_and_is_not_text() -> None:
    found = document(RUNBOOK)

    assert found.front_matter == {"title": "Ledger write queue", "owner": "payments"}
    assert found.title == "LedgerQueueStuck"
    assert all("owner: payments" not in chunk.text for chunk in chunk_document(found))


def test_a_comment_in_code_is_no_heading() -> None:
    assert all("not a heading" not in section.heading for section in document(RUNBOOK).sections)


def test_a_procedure_with_code_between_its_steps_is_one_block() -> None:
    diagnosis = document(RUNBOOK).sections[2]

    assert [block.kind for block in diagnosis.blocks] == [BlockKind.STEPS]
    assert "queuectl depth" in diagnosis.blocks[0].text
    assert diagnosis.blocks[0].text.endswith("3. Restart that consumer.")


def test_line_numbers_point_at_the_text() -> None:
    lines = RUNBOOK.split("\n")
    for chunk in chunk_document(document(RUNBOOK)):
        assert lines[chunk.line_start - 1].strip() == chunk.text.split("\n")[0].strip()
        assert lines[chunk.line_end - 1].strip() == chunk.text.split("\n")[-1].strip()


def test_the_header_names_document_section_and_alerts() -> None:
    text = "# Ledger\n\n## LedgerQueueStuck\n\nText.\n\n## LedgerSlow\n\nalert: LedgerTooSlow\n"
    chunk = chunk_document(document(text))[0]

    assert chunk.header == "Ledger > LedgerQueueStuck | alerts: LedgerSlow, LedgerTooSlow"


@pytest.mark.parametrize("count", [30, 200])
def test_a_long_procedure_is_never_cut(count: int) -> None:
    steps = "\n".join(
        f"{number}. Do the thing number {number} and wait until it is done." for number in range(1, count + 1)
    )
    chunks = chunk_document(document(f"# T\n\nBefore:\n\n{steps}\n\nAfter.\n"))

    assert len(steps) > SOFT_CHARS
    assert sum(steps in chunk.text for chunk in chunks) == 1
    assert chunks[0].text.startswith("Before:\n\n1. Do")


def test_numbered_lists_that_do_not_follow_each_other_stay_apart() -> None:
    found = document("# T\n\n1. a\n2. b\n\nNote.\n\n1. c\n2. d\n").sections[0]

    assert [block.kind for block in found.blocks] == [BlockKind.STEPS, BlockKind.PARAGRAPH, BlockKind.STEPS]


def test_steps_that_are_all_numbered_one_are_joined_over_code() -> None:
    found = document("# T\n\n1. a\n\n```\nx\n```\n\n1. b\n\n```\ny\n```\n").sections[0]

    assert [block.kind for block in found.blocks] == [BlockKind.STEPS, BlockKind.CODE]
    assert found.blocks[0].text.startswith("1. a")
    assert found.blocks[0].text.endswith("1. b")


def test_a_long_code_block_is_never_cut() -> None:
    code = "```\n" + "\n".join(f"command --number {number}" for number in range(300)) + "\n```"
    chunks = chunk_document(document(f"# T\n\n{'word ' * 250}\n\n{code}\n\nend\n"))

    assert sum(code in chunk.text for chunk in chunks) == 1


def test_a_long_table_is_cut_between_its_rows() -> None:
    rows = [f"| row {number} | {'x' * 40} |" for number in range(100)]
    chunks = chunk_document(document("# T\n\n" + "\n".join(rows)))

    assert len(chunks) > 1
    assert "\n".join(chunk.text for chunk in chunks).split("\n") == rows


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a/ledger-down.md", "just text", "ledger down"),
        ("ledger/README.md", "just text", "ledger"),
        ("x.md", "---\ntitle: From the front\n---\ntext", "From the front"),
        ("x.md", "## `Ledger` **down** [link](http://x) {#anchor}\n", "Ledger down link"),
    ],
)
def test_every_document_has_a_title(name: str, text: str, title: str) -> None:
    assert load_markdown(name, text).title == title


@pytest.mark.parametrize(
    ("front", "said"),
    [
        ("a: &x [1]\nb: *x", "alias"),
        ("a: " + "[" * 50 + "]" * 50, "deeper"),
        ("a: b: c", "not valid YAML"),
        ("- a\n- b", "not a mapping"),
        ("a: " + "x" * 20_000, "longer"),
    ],
)
def test_bad_front_matter_is_a_problem_and_the_text_is_kept(front: str, said: str) -> None:
    found = document(f"---\n{front}\n---\n# Title\n\nText.\n")

    assert said in found.problems[0]
    assert found.title == "Title"


def test_front_matter_that_never_ends_is_read_as_text() -> None:
    found = document("---\ntitle: x\n\ntext\n")

    assert "not closed" in found.problems[0]
    assert "text" in chunk_document(found)[-1].text


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab #-=`~|1.)\n\t<!->*:"), max_size=400))
def test_any_text_loads_and_every_line_is_kept_once(text: str) -> None:
    found = load_markdown("x.md", text)
    last = 0
    for section in found.sections:
        for block in section.blocks:
            assert last < block.line_start <= block.line_end
            last = block.line_end
    chunk_document(found)


@pytest.mark.parametrize(
    "text",
    [
        "<!--\n" * 60_000,
        "1. a\n```\nx\n```\n" * 20_000,
        "# h\n" * 60_000,
        "1. a\n\nb\n\n2. a\n\nb\n\n" * 15_000,
        "```\n" * 60_000,
        "- a\n\n" * 60_000,
        "[" * 300_000,
        "|" * 300_000,
        "a\n===\n\n" * 40_000,
        "alert" * 60_000,
        "aB" * 150_000,
    ],
)
def test_hostile_text_takes_linear_time(text: str) -> None:
    started = time.process_time()
    chunk_document(load_markdown("x.md", text))

    assert time.process_time() - started < 8
