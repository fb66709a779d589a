"""The smaller commands: what they read, from files and from stdin, and what programs get from them."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from tests.cli.conftest import HOSTILE, Cli
from tests.cli.test_cli_diagnose import UNSEEN

LINES = (
    "2026-05-04T10:00:01Z ERROR cart timeout after 31 ms\n"
    "2026-05-04T10:00:02Z ERROR cart timeout after 77 ms\n"
    f"2026-05-04T10:00:03Z INFO cart said {HOSTILE}\n"
)
CITED = [{"evidenceId": "E1"}]
REPORT = {
    "claims": [
        {"id": "C1", "kind": "SYMPTOM", "text": "The pool has 20 connections.", "citations": CITED},
        {"id": "C2", "kind": "SYMPTOM", "text": f"The pool has 50 connections {HOSTILE}.", "citations": CITED},
    ],
    "evidence": [{"id": "E1", "class": "OBSERVATION", "text": "the pool has 20 connections"}],
    "coverage": [],
}


@pytest.mark.parametrize("where", ["file", "gzip", "folder", "stdin"])
def test_patterns_of_lines_from_anywhere(cli: Cli, tmp_path: Path, where: str) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "cart.log").write_text(LINES)
    (tmp_path / "cart.log.gz").write_bytes(gzip.compress(LINES.encode()))
    path = {"file": folder / "cart.log", "gzip": tmp_path / "cart.log.gz", "folder": folder, "stdin": Path("-")}[where]
    done = cli("logs", "patterns", path, "--json", stdin=LINES)
    assert done.code == 0
    body = done.json
    assert set(body) >= {"scanned", "unparsed", "patterns", "other"}
    assert body["scanned"] == 3
    assert sum(row["count"] for row in body["patterns"]) + body["other"] == 3
    for row in body["patterns"]:
        assert set(row) >= {"id", "pattern", "level", "service", "count", "firstSeen", "lastSeen", "example"}


@pytest.mark.parametrize(
    "arguments",
    [["logs", "patterns", "-"], ["logs", "parse", "-"], ["redact", "-"], ["redact"]],
    ids=" ".join,
)
def test_hostile_lines_are_shown_and_not_obeyed(cli: Cli, arguments: list[str]) -> None:
    done = cli(*arguments, stdin=LINES)
    assert done.code == 0
    assert UNSEEN.search(done.out) is None
    assert "red" in done.out


def test_records_one_a_line(cli: Cli) -> None:
    done = cli("logs", "parse", "-", "--json", "--limit", "2", stdin=LINES)
    records = [json.loads(line) for line in done.out.splitlines()]
    assert len(records) == 2
    assert set(records[0]) == {"timestamp", "level", "service", "logger", "message", "lines"}
    assert records[0]["timestamp"] == "2026-05-04T10:00:01Z"


def test_assignments_cover_every_line(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LINES)
    done = cli("logs", "patterns", "a.log", "--assign", "out.csv")
    assert done.code == 0
    rows = (tmp_path / "out.csv").read_text().splitlines()
    assert rows[0] == "file,line,patternId"
    assert [row.split(",")[1] for row in rows[1:]] == ["1", "2", "3"]
    assert rows[1].split(",")[2] == rows[2].split(",")[2] != ""


def test_redaction_with_offsets_and_never_the_value(cli: Cli) -> None:
    line = "é password=Hunter2Hunter2 from 10.1.2.3"
    done = cli("redact", "--json", stdin=line + "\n")
    body = json.loads(done.out)
    assert set(body) == {"text", "findings"}
    assert "Hunter2" not in done.out
    assert "10.1.2.3" not in done.out
    for finding in body["findings"]:
        assert set(finding) == {"kind", "start", "end"}
    ip = next(item for item in body["findings"] if item["kind"] == "ip")
    assert line[ip["start"] : ip["end"]] == "10.1.2.3"


@pytest.mark.parametrize("where", ["file", "stdin"])
def test_verify_tells_what_does_not_stand(cli: Cli, tmp_path: Path, where: str) -> None:
    (tmp_path / "r.json").write_text(json.dumps(REPORT))
    source = "r.json" if where == "file" else "-"
    done = cli("verify", source, "--json", stdin=json.dumps(REPORT))
    assert done.code == 1
    claims = done.json["claims"]
    assert [claim["id"] for claim in claims] == ["C1", "C2"]
    assert claims[0]["verdict"] == "SUPPORTED"
    assert claims[1]["verdict"] != "SUPPORTED"
    assert all(claim["reasons"] for claim in claims)
    people = cli("verify", source, stdin=json.dumps(REPORT))
    assert UNSEEN.search(people.out) is None
    assert "C1 SUPPORTED" in people.out


def test_verify_is_content_when_every_claim_stands(cli: Cli) -> None:
    good = REPORT | {"claims": REPORT["claims"][:1]}
    assert cli("verify", "-", stdin=json.dumps(good)).code == 0


def test_verify_reads_what_diagnose_wrote(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    run = cli("diagnose", "--bundle", bundle, "--json")
    (tmp_path / "run.json").write_text(run.out, encoding="utf-8")
    claims = cli("verify", "run.json", "--json").json["claims"]
    assert [claim["id"] for claim in claims] == [claim["id"] for claim in run.json["report"]["claims"]]


@pytest.mark.parametrize("where", ["file", "stdin"])
def test_an_alert_payload_is_read(cli: Cli, alert_file: Path, where: str) -> None:
    done = cli("alerts", "normalize", alert_file if where == "file" else "-", "--json", stdin=alert_file.read_bytes())
    assert done.code == 0
    assert done.json["vendor"] == "alertmanager"
    assert done.json["kind"] == "alert"
    alert = done.json["alerts"][0]
    assert set(alert) == {
        "name", "status", "severity", "rawSeverity", "service", "summary", "description", "startedAt", "endedAt",
        "labels", "annotations", "fingerprint",
    }  # fmt: skip
    assert (alert["name"], alert["status"], alert["severity"]) == ("LedgerSlow", "firing", "critical")
    people = cli("alerts", "normalize", alert_file)
    assert UNSEEN.search(people.out) is None


def test_an_unknown_payload_says_what_was_seen(cli: Cli) -> None:
    done = cli("alerts", "normalize", "-", "--json", stdin='{"weather": "fine"}')
    assert done.code == 1
    assert (done.json["kind"], done.json["alerts"]) == ("unknown", [])
    assert "weather" in done.json["seen"]


def test_runbooks_are_searched(cli: Cli, bundle: Path, tmp_path: Path) -> None:
    folder = bundle / "knowledge"
    (folder / "hostile.md").write_text(f"# Owned {HOSTILE}\n\nfrobnicator {HOSTILE} words\n")
    done = cli("knowledge", "search", "connection pool full", "--knowledge", folder, "--json")
    assert done.code == 0
    assert set(done.json) == {"id", "query", "transformed", "status", "results"}
    assert set(done.json["results"][0]) == {"documentId", "source", "title", "breadcrumb", "score", "excerpt"}
    assert done.json["results"][0]["source"].endswith("pools.md")
    assert UNSEEN.search(cli("knowledge", "search", "frobnicator", "--knowledge", folder).out) is None
    nothing = cli("knowledge", "search", "zebra xylophone", "--knowledge", folder, "--json")
    assert (nothing.code, nothing.json["status"]) == (1, "NO_EVIDENCE")
    queries = '{"id": "a", "query": "pool"}\n\n{"id": "b", "alert": {"name": "PoolFull", "summary": "pool is full"}}\n'
    (tmp_path / "q.jsonl").write_text(queries)
    for source, stdin in (("q.jsonl", ""), ("-", queries)):
        many = cli("knowledge", "search", "--queries", source, "--knowledge", folder, stdin=stdin)
        answers = [json.loads(line) for line in many.out.splitlines()]
        assert [answer["id"] for answer in answers] == ["a", "b"]
        assert answers[1]["query"].startswith("PoolFull")


def test_skills_are_listed_shown_and_checked(cli: Cli, tmp_path: Path) -> None:
    infos = cli("skills", "list", "--json").json
    assert len(infos) >= 6
    assert "diagnose-mysql-connection-pool" in {info["name"] for info in infos}
    shown = cli("skills", "show", infos[0]["name"], "--json").json
    assert set(shown) == {"name", "description", "body", "evidence", "hypotheses", "patterns"}
    assert shown["evidence"][0]["tool"].startswith("query_")
    words = cli("skills", "show", infos[0]["name"]).out + "\n"
    assert shown["body"] in words
    assert shown["hypotheses"][0]["id"] in words
    assert cli("skills", "validate", "--json").json["errors"] == 0
    bad = tmp_path / "mine" / "diagnose-x"
    bad.mkdir(parents=True)
    (bad / "SKILL.md").write_text("no front matter\n")
    done = cli("skills", "validate", "mine", "--json")
    assert done.code == 1
    assert done.json["problems"][0]["path"].endswith("SKILL.md")


def test_the_configuration_is_checked_and_shows_no_password(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    fine = cli("config", "check", "--json")
    assert fine.code == 0
    assert fine.json["ok"] is True
    monkeypatch.setenv("ROOTPROOF_STORE_URL", "postgresql+psycopg://me:Hunter2Hunter2@127.0.0.1:1/db")
    monkeypatch.setenv("ROOTPROOF_MODEL_BASE_URL", "http://me:Hunter2Hunter2@127.0.0.1:1/v1")
    monkeypatch.setenv("ROOTPROOF_SOURCES_LOGS", "/nowhere/logs")
    for done in (cli("config", "check", "--json"), cli("config", "check")):
        assert done.code == 1
        assert "Hunter2" not in done.out + done.err
        assert "127.0.0.1" in done.out
        assert "/nowhere/logs" in done.out
