"""Bundles that are not what they should be: each thing wrong is named, or its source says so; nothing is silent."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tracemalloc
from pathlib import Path

import pytest

from rootproof.adapters.sources import documents, skillfiles
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.adapters.sources.files import FolderLogs
from rootproof.adapters.sources.metricfiles import read_table
from rootproof.bootstrap import DATABASE_NAME, SourceSpec, open_inputs, open_services, read_alert, skill_files
from rootproof.errors import UsageError
from rootproof.settings import Settings, StoreSettings

ALERT = {"version": "4", "status": "firing", "alerts": [{"labels": {"alertname": "Slow"}, "annotations": {}}]}
GOOD_SKILL = "---\nname: till\ndescription: How to look at the till when it is slow.\n---\n# Till\n\nLook.\n"


def notes_of(root: Path) -> str:
    return "\n".join(open_bundle(root).notes)


def settings_in(folder: Path) -> Settings:
    return Settings(store=StoreSettings(home=str(folder)))


@pytest.mark.parametrize(
    "name",
    ["alerts.json", "changes.json", "topology.json", "cluster/pods.json", "cluster/commands.json", "metrics/x.json",
     "metrics/x.csv", "logs/x.log", "manifests/x.yaml"],
)  # fmt: skip
def test_a_folder_where_a_file_should_be_is_named(tmp_path, name):
    (tmp_path / name).mkdir(parents=True)
    assert f"{name}: a folder, not a file" in notes_of(tmp_path)


@pytest.mark.parametrize("name", ["logs", "metrics", "manifests", "cluster", "knowledge", "skills"])
def test_a_file_where_a_folder_should_be_is_named(write, tmp_path, name):
    write(name, "x")
    assert f"{name}: a file, not a folder" in notes_of(tmp_path)


@pytest.mark.parametrize("name", ["bundle.toml", "alert.json"])
@pytest.mark.parametrize("make", [Path.mkdir, os.mkfifo, lambda path: path.symlink_to("/etc/hostname")])
def test_a_head_or_payload_that_is_no_file_stops_everything(tmp_path, name, make):
    make(tmp_path / name)
    with pytest.raises(UsageError, match=rf"^{name}: .*regular file"):
        open_bundle(tmp_path)


def test_other_files_beside_metrics_and_manifests_are_named(write, tmp_path):
    for name in ("metrics/a.txt", "manifests/b.ini", *(f"metrics/{number}.bin" for number in range(9))):
        write(name, "x")
    notes = notes_of(tmp_path)
    assert "manifests/b.ini: not read; manifests/ takes .yaml, .yml, .json" in notes
    assert "and 5 more: not read; metrics/ takes .json, .csv" in notes


BOMB = "a: &a [x, x]\n" + "".join(f"{name}: &{name} [{'*a, ' * 40}*a]\n" for name in ("b", "c", "d"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (BOMB, "aliases"),
        ("kind: !!python/object/apply:os.system ['true']\n", "python/object"),
        ("- " * 50_000, "nesting"),
        ("{a: " * 50_000, "nesting"),
        ("kind: [\n", "not YAML"),
        ("replicas: 3\n", "no object with a `kind`"),
        ("", "no object with a `kind`"),
    ],
)
def test_a_manifest_that_is_none_is_named_when_the_bundle_is_opened(write, tmp_path, text, words):
    write("manifests/good.yaml", "kind: Deployment\nmetadata: {name: till}\n")
    write("manifests/bad.yaml", text)
    (note,) = open_bundle(tmp_path).notes
    assert note.startswith("manifests/bad.yaml: ")
    assert words in note
    assert len(note) < 400


def test_notes_on_many_bad_manifests_are_bounded(write, tmp_path):
    for number in range(20):
        write(f"manifests/{number}.yaml", "[")
    notes = open_bundle(tmp_path).notes
    assert len(notes) == 9
    assert notes[-1] == "manifests: and 12 more like these"


def test_changes_that_say_too_little_are_named(write, tmp_path):
    write("changes.json", [{"object": "deployment/till", "summary": "new image"}, {"summary": "s"}, {"time": 3}])
    assert open_bundle(tmp_path).notes == (
        "changes.json: item 1 has no `object`",
        "changes.json: item 2 has no `object` and no `summary`",
    )


def test_a_skill_that_cannot_be_used_is_a_note_of_the_run(write, tmp_path, monkeypatch):
    monkeypatch.setattr(skillfiles, "MAX_SKILL_BYTES", 500)
    write("b/skills/till/SKILL.md", GOOD_SKILL)
    write("b/skills/broken/SKILL.md", "---\nname: broken\ndescription: [\n---\nx\n")
    write("b/skills/huge/SKILL.md", GOOD_SKILL + "x" * 900)
    (tmp_path / "b/skills/folder/SKILL.md").mkdir(parents=True)
    inputs = open_inputs(settings_in(tmp_path / "home"), SourceSpec(bundle=str(tmp_path / "b")))
    assert "till" in [info.name for info in inputs.skills.infos()]
    notes = inputs.sources.notes
    assert [note.split(":")[0] for note in notes] == [
        "skills/folder/SKILL.md", "skills/huge/SKILL.md", "skills/broken/SKILL.md",
    ]  # fmt: skip
    assert all(note.endswith("the skill is left out") for note in notes)
    with pytest.raises(UsageError, match="larger than"):
        skill_files(tmp_path / "b/skills")


def test_links_in_a_folder_of_logs_are_noted_before_any_query(write, tmp_path):
    write("logs/a.log", "hello\n")
    (tmp_path / "logs/out.log").symlink_to("/etc/hostname")
    inputs = open_inputs(settings_in(tmp_path / "home"), SourceSpec(logs=(str(tmp_path / "logs"),)))
    assert any(note.startswith("out.log: a link out of the folder") for note in inputs.sources.notes)
    assert FolderLogs([tmp_path / "nowhere"]).look() == ()


def sparse(path: Path, size: int) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as stream:
        stream.truncate(size)
    return path


def test_huge_files_are_refused_without_being_read(tmp_path):
    alert = sparse(tmp_path / "b/alert.json", 1 << 30)
    metrics = sparse(tmp_path / "m/metrics/x.json", 1 << 30)
    head = sparse(tmp_path / "h/bundle.toml", 1 << 30)
    tracemalloc.start()
    try:
        for attempt in (
            lambda: read_alert(alert),
            lambda: open_bundle(tmp_path / "b"),
            lambda: open_bundle(head.parent),
        ):
            with pytest.raises(UsageError, match="larger than"):
                attempt()
        with pytest.raises(documents.SourceGarbled, match="larger than"):
            documents.read_text(metrics, "metrics/x.json", max_bytes=1 << 20)
        assert tracemalloc.get_traced_memory()[1] < 64 << 20
    finally:
        tracemalloc.stop()


def test_an_alert_file_is_read_and_what_is_wrong_with_it_names_it(write, tmp_path):
    assert read_alert(write("a.json", ALERT))[0].name == "Slow"
    for path, words in (
        (tmp_path / "none.json", "No such file"),
        (tmp_path, "directory"),
        (write("b.json", "{"), "JSON"),
    ):
        with pytest.raises(UsageError, match=words) as caught:
            read_alert(path)
        assert str(path) in str(caught.value)


@pytest.mark.parametrize(
    ("column", "name", "labels"),
    [
        ("latency_seconds", "latency_seconds", {}),
        ("till-api:latency_seconds", "latency_seconds", {"service": "till-api"}),
        ('latency_seconds{service="till-api"}', "latency_seconds", {"service": "till-api"}),
        ('"latency{service=""till"",zone=""a""}"', "latency", {"service": "till", "zone": "a"}),
        ("job:requests:rate5m", "job:requests:rate5m", {}),
        ("load {odd}", "load {odd}", {}),
    ],
)
def test_a_csv_column_is_about_the_service_its_header_names(write, column, name, labels):
    (series,) = read_table(write("m.csv", f"time,{column}\n2026-05-01T11:59:00Z,3\n"), "m.csv", documents_zone())
    assert (series.name, series.labels, len(series.values)) == (name, labels, 1)


def documents_zone():
    from datetime import UTC

    return UTC


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


@pytest.fixture
def open_umask():
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.skipif(sys.platform == "win32", reason="modes of POSIX")
def test_the_store_is_readable_for_its_owner_only(tmp_path, open_umask):
    home = tmp_path / "data" / "rootproof"

    async def once():
        services = await open_services(settings_in(home))
        await services.runs.close()

    asyncio.run(once())
    assert (mode(home), mode(home / DATABASE_NAME)) == (0o700, 0o600)
    home.chmod(0o755)
    for file in home.iterdir():
        file.chmod(0o644)
    asyncio.run(once())
    assert mode(home) == 0o700
    assert {mode(file) for file in home.iterdir()} == {0o600}


def test_a_folder_that_holds_other_things_keeps_its_rights(tmp_path, open_umask):
    (tmp_path / "theirs.txt").write_text("x")
    tmp_path.chmod(0o755)
    asyncio.run(_opened(Settings(store=StoreSettings(home=str(tmp_path)))))
    assert (mode(tmp_path), mode(tmp_path / DATABASE_NAME), mode(tmp_path / "theirs.txt")) == (0o755, 0o600, 0o666)
    asyncio.run(_opened(Settings(store=StoreSettings(url=f"sqlite:///{tmp_path}/own.db"))))
    assert mode(tmp_path / "own.db") == 0o600


async def _opened(settings: Settings) -> None:
    services = await open_services(settings)
    await services.runs.close()


def test_the_projection_and_the_coverage_say_what_was_not_read(write, tmp_path, log_query):
    write("logs/a.jsonl", json.dumps({"message": "fine"}))
    write("logs/b.log", b"\0" * 5_000)
    raw = asyncio.run(FolderLogs([tmp_path / "logs"]).fetch(log_query(), deadline_s=20))
    assert json.loads(raw)["reading"][1] == {
        "file": "b.log",
        "bytes_read": 0,
        "bytes_total": None,
        "whole": False,
        "problem": "not read: holds nothing but 4.9 KiB of NUL. Restore or remove the file.",
    }
