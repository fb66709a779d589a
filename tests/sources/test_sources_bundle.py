"""Opening a bundle: all parts optional, its head checked at once, its data at query time, nothing outside it read."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rootproof.adapters.sources import paths
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.domain.alert import AlertStatus
from rootproof.domain.window import TimeWindow
from rootproof.errors import UsageError
from rootproof.ports.sources import AlertQuery, ClusterQuery, LogQuery, MetricQuery

ALERT = {"version": "4", "status": "firing", "alerts": [{"labels": {"alertname": "Slow"}, "annotations": {}}]}
DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[3] / "shared" / "data"))


def test_an_empty_folder_is_a_bundle_without_sources(tmp_path):
    bundle = open_bundle(tmp_path)
    assert (bundle.logs, bundle.metrics, bundle.alerts, bundle.cluster) == (None, None, None, None)
    assert (bundle.now, bundle.question, bundle.payload, bundle.notes) == (None, None, (), ())
    assert (bundle.knowledge_dir, bundle.skills_dir, bundle.timezone) == (None, None, UTC)


def test_the_head_fixes_clock_zone_and_question(write, tmp_path):
    write("bundle.toml", 'id = "x"\nnow = "2026-05-01T14:00:00"\ntimezone = "+02:00"\nquestion = "why?"\n')
    bundle = open_bundle(tmp_path)
    assert bundle.now == datetime(2026, 5, 1, 12, tzinfo=UTC)
    assert (bundle.question, bundle.bundle_id) == ("why?", "x")
    assert bundle.timezone.utcoffset(None) == timedelta(hours=2)


def test_a_toml_time_and_a_named_zone_will_do(write, tmp_path):
    write("bundle.toml", 'now = 2026-05-01T14:00:00\ntimezone = "Europe/Oslo"\n')
    assert open_bundle(tmp_path).now == datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("now = 2026", "now is 2026"),
        ('now = "today"', "now is 'today'"),
        ('now = "2026-05-01"', "RFC 3339"),
        ('timezone = "Mars/Base"', "timezone is 'Mars/Base'"),
        ("timezone = 2", "timezone is 2"),
        ('timezone = "+99:00"', "Give an offset"),
        ("question = 3", "Put it in quotes"),
        ('qestion = "x"', "Did you mean 'question'"),
        ("now = x", "line 1"),
        (b"\xff", "not UTF-8"),
    ],
)
def test_a_wrong_head_says_file_key_and_remedy(write, tmp_path, head, words):
    write("bundle.toml", head)
    with pytest.raises(UsageError, match=r"^bundle\.toml") as caught:
        open_bundle(tmp_path)
    assert words in str(caught.value)


def test_an_unknown_key_is_noted(write, tmp_path):
    write("bundle.toml", 'ticket = "OPS-1"')
    assert open_bundle(tmp_path).notes == (
        "bundle.toml: the key 'ticket' is not used (known: id, now, timezone, question)",
    )


def test_a_missing_folder_is_a_usage_error(tmp_path):
    with pytest.raises(UsageError, match="no such folder"):
        open_bundle(tmp_path / "nowhere")


def test_the_payload_is_normalised(write, tmp_path):
    write("alert.json", ALERT)
    alert = open_bundle(tmp_path).payload[0]
    assert (alert.name, alert.status) == ("Slow", AlertStatus.FIRING)


def test_a_broken_payload_is_a_usage_error_and_an_unknown_one_a_note(write, tmp_path):
    write("alert.json", "{")
    with pytest.raises(UsageError, match=r"alert\.json: the alert payload is not JSON"):
        open_bundle(tmp_path)
    write("alert.json", {"hello": 1})
    bundle = open_bundle(tmp_path)
    assert bundle.payload == ()
    assert bundle.notes == ("alert.json: no alert in it (unknown); it has hello",)


def test_a_broken_data_file_does_not_stop_the_bundle_from_opening(write, tmp_path):
    for name in ("alerts.json", "metrics/a.json", "cluster/commands.json", "topology.json"):
        write(name, "{")
    bundle = open_bundle(tmp_path)
    assert all((bundle.alerts, bundle.metrics, bundle.cluster))


def test_expected_answers_are_never_opened(write, tmp_path, monkeypatch):
    write("expected.toml", 'root_cause = "x"')
    write("logs/kiosk.log", "hello\n")
    opened = []
    for name in ("read_bytes", "read_text", "open"):
        original = getattr(Path, name)

        def spy(self, *args, _original=original, **kwargs):
            opened.append(self.name)
            return _original(self, *args, **kwargs)

        monkeypatch.setattr(Path, name, spy)
    bundle = open_bundle(tmp_path)
    query = LogQuery(topic="application-logs", region="r", window=TimeWindow.lookback(datetime.now(UTC), 5), limit=9)
    asyncio.run(bundle.logs.fetch(query, deadline_s=20))
    assert "kiosk.log" in opened
    assert "expected.toml" not in opened


def test_the_sources_of_a_run_do_not_hold_the_id(write, tmp_path):
    write("bundle.toml", 'id = "the-pool-did-it"')
    write("logs/kiosk.log", "hello\n")
    write("alerts.json", [])
    sources = open_bundle(tmp_path).sources()
    seen = [getattr(sources, field.name) for field in fields(sources)]
    texts = [text for source in seen for text in (getattr(source, "name", ""), getattr(source, "kind", ""))]
    assert not any("the-pool-did-it" in text or str(tmp_path) in text for text in texts)
    assert sources.logs is not None
    assert sources.logs.kind == "BUNDLE"
    assert open_bundle(tmp_path, kind="MOCK").sources().alerts.kind == "MOCK"


def test_links_out_of_the_bundle_are_refused_and_noted(write, tmp_path):
    outside = tmp_path / "outside"
    write("outside/secret.log", "secret\n")
    write("outside/alerts.json", [])
    write("in/logs/kiosk.log", "hello\n")
    write("in/knowledge/a.md", "# a\n")
    root = tmp_path / "in"
    (root / "alerts.json").symlink_to(outside / "alerts.json")
    (root / "logs" / "secret.log").symlink_to(outside / "secret.log")
    (root / "metrics").symlink_to(outside)
    (root / "knowledge" / "b.md").symlink_to(outside / "secret.log")
    (root / "topology.json").symlink_to(root / "nowhere.json")
    bundle = open_bundle(root)
    assert (bundle.alerts, bundle.metrics, bundle.knowledge_dir) == (None, None, None)
    refused = [note.split(":")[0] for note in bundle.notes if "refused" in note]
    assert sorted(refused) == ["alerts.json", "knowledge/b.md", "logs/secret.log", "metrics"]
    assert any(note.startswith("topology.json: a link that leads nowhere") for note in bundle.notes)
    query = LogQuery(topic="application-logs", region="r", window=TimeWindow.lookback(datetime.now(UTC), 5), limit=9)
    assert json.loads(asyncio.run(bundle.logs.fetch(query, deadline_s=20)))["files"] == ["logs/kiosk.log"]


def test_a_link_within_the_bundle_is_followed(write, tmp_path):
    path = write("recorded.json", [])
    (tmp_path / "alerts.json").symlink_to(path)
    assert open_bundle(tmp_path).alerts is not None


def test_what_is_no_regular_file_is_not_opened(write, tmp_path):
    write("logs/kiosk.log", "hello\n")
    os.mkfifo(tmp_path / "logs" / "pipe.log")
    assert open_bundle(tmp_path).notes == ("logs/pipe.log: a device or pipe, not a file; not read",)


def test_a_folder_of_very_many_files_is_read_in_part_and_says_so(write, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "MAX_FILES", 2)
    for name in "abc":
        write(f"logs/{name}.log", "hello\n")
    assert open_bundle(tmp_path).notes == ("logs: more than 2 files; the others were not read",)


def test_hidden_files_are_left_out(write, tmp_path):
    write("logs/.kiosk.log.swp", "x")
    write("logs/.git/config.log", "x")
    assert open_bundle(tmp_path).logs is None


def test_a_refused_head_or_payload_is_a_usage_error(write, tmp_path, monkeypatch):
    for name in ("bundle.toml", "alert.json"):
        path = write(name, "")
        with monkeypatch.context() as patch:
            patch.setattr(Path, "open", refuse)
            with pytest.raises(UsageError, match=f"{name}: Permission denied"):
                open_bundle(tmp_path)
        path.unlink()


def refuse(*_args, **_kwargs):
    raise PermissionError(13, "Permission denied")


def test_a_file_of_the_cluster_folder_that_is_not_read_is_noted(write, tmp_path):
    write("cluster/services.json", [])
    assert open_bundle(tmp_path).notes == ("cluster/services.json: not a file this version reads",)


def bundle_folders():
    return sorted(path for path in (DATA / "bundles").iterdir() if path.is_dir()) if (DATA / "bundles").is_dir() else []


def rows(answer):
    return json.loads(answer)


@pytest.mark.skipif(not bundle_folders(), reason="the measuring data (ROOTPROOF_DATA) is not here")
def test_every_real_bundle_opens_and_its_sources_give_rows():
    for folder in bundle_folders():
        bundle = open_bundle(folder)
        window = TimeWindow.lookback(bundle.now, 10_080)
        assert bundle.question or bundle.payload, folder

        async def ask(bundle=bundle, window=window):
            if bundle.logs:
                found = [
                    rows(
                        await bundle.logs.fetch(
                            LogQuery(topic=topic, region="r", window=window, limit=100), deadline_s=60
                        )
                    )
                    for topic in ("application-logs", "database-slow-query", "system-events")
                ]
                yield sum(answer["total"] for answer in found)
            if bundle.metrics:
                yield rows(await bundle.metrics.fetch(MetricQuery(window=window), deadline_s=60))["total"]
            if bundle.alerts:
                yield rows(await bundle.alerts.fetch(AlertQuery(), deadline_s=60))["total"]
            if bundle.cluster:
                found = rows(await bundle.cluster.fetch(ClusterQuery(view="overview"), deadline_s=60))
                yield len(found["outputs"]) + sum(len(listed) for listed in found["objects"].values())

        async def counts(ask=ask):
            return [count async for count in ask()]

        assert all(asyncio.run(counts())), folder
