"""Folders: what is read, what is refused and why, the cache, and searching from several tasks at once."""

from __future__ import annotations

import asyncio
import json
import os
from pathlib import Path

import pytest

from rootproof.adapters.index.files import FolderLimits
from rootproof.adapters.index.folder import FolderKnowledge, open_knowledge
from rootproof.errors import SourceTimeout, UsageError
from rootproof.knowledge.families import Families
from rootproof.ports.sources import KnowledgeSource

TEXT = "# Quarry pump stopped\n\nThe pump of the quarry stands still.\n\n## Fix\n\n1. Prime it.\n2. Start it.\n"


def put(root: Path, name: str, text: str | bytes = TEXT) -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def ids(knowledge: FolderKnowledge, query: str = "quarry pump stopped") -> list[str]:
    return [block["documentId"] for block in json.loads(knowledge.search_now(query))["evidenceBlocks"]]


def test_it_is_a_knowledge_source(tmp_path: Path) -> None:
    source: KnowledgeSource = open_knowledge([tmp_path])

    assert source.kind == "FILES"
    assert source.name == tmp_path.name


def test_markdown_in_subfolders_is_read_and_the_rest_is_not(tmp_path: Path) -> None:
    for name in ("a.md", "deep/er/b.markdown", "c.txt", "d.png", ".hidden.md", ".git/e.md"):
        put(tmp_path, name)
    knowledge = open_knowledge([tmp_path])

    assert knowledge.documents == 3
    assert set(ids(knowledge)) == {"a.md", "deep/er/b.markdown", "c.txt"}
    assert knowledge.problems == ()


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"\xff\xfe\x00text", "NUL"),
        (b"# caf\xe9\n\ntext", "not UTF-8 at byte 5"),
        (b"  \n", "empty"),
        (b"x" * 5_000, "split the document"),
    ],
)
def test_a_bad_file_is_reported_and_skipped(tmp_path: Path, data: bytes, said: str) -> None:
    put(tmp_path, "good.md")
    put(tmp_path, "bad.md", data)
    knowledge = open_knowledge([tmp_path], limits=FolderLimits(max_file_bytes=4_000))

    assert ids(knowledge) == ["good.md"]
    assert len(knowledge.problems) == 1
    assert "bad.md" in knowledge.problems[0]
    assert said in knowledge.problems[0]


def test_odd_front_matter_is_reported_and_the_document_kept(tmp_path: Path) -> None:
    put(tmp_path, "a.md", "---\nx: &a 1\ny: *a\n---\n" + TEXT)
    knowledge = open_knowledge([tmp_path])

    assert ids(knowledge) == ["a.md"]
    assert "alias" in knowledge.problems[0]


def test_links_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    outside = put(tmp_path, "outside/secret.md")
    root = put(tmp_path, "root/a.md").parent
    (root / "link.md").symlink_to(outside)
    (root / "folder").symlink_to(outside.parent)
    (root / "loop").symlink_to(root)
    (root / "dangling.md").symlink_to(root / "nothing")
    (root / "inside.md").symlink_to(root / "a.md")
    knowledge = open_knowledge([root])

    assert sorted(ids(knowledge)) == ["a.md", "inside.md"]
    said = " ".join(knowledge.problems)
    assert "link.md: a link out of the knowledge folder" in said
    assert "folder: a link to a folder is not followed" in said
    assert "dangling.md" in said


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")

    assert "not a regular file" in open_knowledge([tmp_path]).problems[0]


def test_caps_on_count_depth_and_total(tmp_path: Path) -> None:
    for number in range(6):
        put(tmp_path, f"{'d/' * number}{number}.md")
    deep = open_knowledge([tmp_path], limits=FolderLimits(max_depth=2))
    few = open_knowledge([tmp_path], limits=FolderLimits(max_files=2))
    small = open_knowledge([tmp_path], limits=FolderLimits(max_total_bytes=len(TEXT) * 4))

    assert deep.documents == 3
    assert "deeper than 2" in deep.problems[0]
    assert few.documents == 2
    assert "more than 2 files" in few.problems[0]
    assert small.documents == 4
    assert "together" in small.problems[0]


def test_problems_are_bounded(tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path, f"{number}.md", b"")

    assert len(open_knowledge([tmp_path], limits=FolderLimits(max_problems=5)).problems) == 5


def test_several_roots_keep_their_documents_apart(tmp_path: Path) -> None:
    one, other = put(tmp_path, "x/docs/a.md").parent, put(tmp_path, "y/docs/a.md").parent
    single = put(tmp_path, "z/single.md")
    knowledge = open_knowledge([one, other, single])

    assert knowledge.documents == 3
    assert sorted(ids(knowledge)) == ["docs-1/a.md", "docs/a.md", "single.md/single.md"]


def test_a_missing_path_is_the_callers_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not exist"):
        open_knowledge([tmp_path / "nowhere"])


def test_the_cache_gives_the_same_answers_and_follows_changes(tmp_path: Path) -> None:
    root, cache = put(tmp_path, "root/a.md").parent, tmp_path / "cache"
    put(root, "b.md", "# Crane\n\nThe crane swings.\n")
    plain = open_knowledge([root]).search_now("quarry pump stopped")

    assert open_knowledge([root], cache_dir=cache).search_now("quarry pump stopped") == plain
    assert open_knowledge([root], cache_dir=cache).search_now("quarry pump stopped") == plain
    assert len(list(cache.iterdir())) == 1
    put(root, "a.md", "# Something else\n\nNo longer there.\n")
    assert ids(open_knowledge([root], cache_dir=cache)) == []


def test_a_cache_made_under_other_rules_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root, cache = put(tmp_path, "root/a.md").parent, tmp_path / "cache"
    open_knowledge([root], cache_dir=cache)
    monkeypatch.setattr("rootproof.knowledge.tokens.stem", lambda word: word[:2])
    open_knowledge([root], cache_dir=cache)

    assert len(list(cache.iterdir())) == 2


def test_the_cache_keeps_the_newest_entries_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rootproof.adapters.index.cache._MAX_ENTRIES", 2)
    cache = tmp_path / "cache"
    for number in range(4):
        root = put(tmp_path, "root/a.md", f"{TEXT}\n{number}\n").parent
        assert ids(open_knowledge([root], cache_dir=cache)) == ["a.md"]

    assert len(list(cache.iterdir())) == 2
    assert ids(open_knowledge([root], cache_dir=cache)) == ["a.md"]


def test_a_damaged_cache_is_built_again(tmp_path: Path) -> None:
    root, cache = put(tmp_path, "root/a.md").parent, tmp_path / "cache"
    open_knowledge([root], cache_dir=cache)
    (entry,) = cache.iterdir()
    for damaged in ("terms.json", "documents/meta.json"):
        (entry / damaged).write_text("{", encoding="utf-8")
        assert ids(open_knowledge([root], cache_dir=cache)) == ["a.md"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    root = put(tmp_path, "root/a.md").parent

    assert ids(open_knowledge([root], cache_dir=put(tmp_path, "a-file", "x"))) == ["a.md"]


async def test_many_searches_at_once(tmp_path: Path) -> None:
    put(tmp_path, "a.md")
    knowledge = open_knowledge([tmp_path])
    answers = await asyncio.gather(
        *(knowledge.search("quarry pump stopped", top_k=3, deadline_s=30) for _ in range(20))
    )

    assert len(set(answers)) == 1


async def test_the_deadline_is_kept(tmp_path: Path) -> None:
    put(tmp_path, "a.md")

    with pytest.raises(SourceTimeout, match="took longer than"):
        await open_knowledge([tmp_path]).search("quarry", top_k=3, deadline_s=0)


def test_the_cap_on_files_is_applied_by_default_and_said(tmp_path: Path) -> None:
    for number in range(5_003):
        (tmp_path / f"{number}.md").write_text("# Crane\n\nThe crane swings.\n")
    knowledge = open_knowledge([tmp_path])

    assert knowledge.documents == 5_000
    assert knowledge.problems == (f"{tmp_path}: more than 5,000 files; the others were not read",)


def test_copies_of_a_document_do_not_take_the_weight_from_its_words(tmp_path: Path) -> None:
    question = "why has the quarry pump stopped since tuesday at the northern gate"
    put(tmp_path, "one/0.md")
    assert ids(open_knowledge([tmp_path / "one"]), question) == ["0.md"]
    for number in range(400):
        put(tmp_path, f"many/{number}.md", TEXT.replace("pump stopped", f"pump {number} stopped"))
    assert ids(open_knowledge([tmp_path / "many"]), question)


def test_different_documents_are_no_family() -> None:
    families = Families()
    pump, crane = frozenset({"quarry", "pump", "stands", "still"}), frozenset({"crane", "swings", "wind"})

    assert families.new_words(pump) == pump
    assert families.new_words(crane) == crane
    assert families.new_words(pump | {"17"}) == {"17"}
    assert families.new_words(frozenset()) == frozenset()
    assert families.count == 3


@pytest.mark.parametrize("name", ["gen.py", "runbook", "notes.pdf"])
def test_a_single_file_that_is_no_text_document_is_the_callers_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=r"not a text document.*\.md"):
        open_knowledge([put(tmp_path, name)])


def test_the_cache_is_readable_for_its_owner_only(tmp_path: Path) -> None:
    root, cache = put(tmp_path, "root/a.md").parent, tmp_path / "deep" / "cache"
    before = os.umask(0)
    try:
        open_knowledge([root], cache_dir=cache)
        assert modes(cache) == {0o700, 0o600}
        for path in (cache, *cache.rglob("*")):
            path.chmod(0o777 if path.is_dir() else 0o666)
        open_knowledge([root], cache_dir=cache)
        assert modes(cache) == {0o700, 0o600}
    finally:
        os.umask(before)
    assert (cache.parent.stat().st_mode & 0o777) == 0o700


def modes(folder: Path) -> set[int]:
    return {path.stat().st_mode & 0o777 for path in (folder, *folder.rglob("*"))}
