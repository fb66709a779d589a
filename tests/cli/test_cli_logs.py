"""`logs patterns` and `logs parse` from the outside: any packing, any encoding, honest about what was not read."""

from __future__ import annotations

import bz2
import csv
import gzip
import json
import lzma
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard

from tests.cli.conftest import Cli

PACKINGS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bzip2": bz2.compress,
    "xz": lzma.compress,
    "zstd": zstandard.ZstdCompressor().compress,
}
LINES = "".join(
    f"2026-05-04 10:{n % 60:02d}:00,{n:03d} {('INFO', 'ERROR')[n % 7 == 0]} [main] quay.Pier - berth {n} taken\n"
    for n in range(200)
) + (
    "2026-05-04 11:00:00,000 ERROR [main] quay.Pier - rope torn\n"
    "java.lang.IllegalStateException: torn\n\tat quay.Pier.run(Pier.java:12)\n\n"
    "2026-05-04 11:00:01,000 INFO [main] quay.Pier - shut\n"
)  # fmt: skip


@pytest.mark.parametrize("packing", sorted(PACKINGS))
@pytest.mark.parametrize("command", ["patterns", "parse"])
def test_packed_files_of_several_members(cli: Cli, tmp_path: Path, packing: str, command: str) -> None:
    (tmp_path / "a.log").write_text(LINES)
    half = len(LINES) // 2
    pack = PACKINGS[packing]
    (tmp_path / "packed").write_bytes(pack(LINES[:half].encode()) + pack(b"") + pack(LINES[half:].encode()))
    expected = cli("logs", command, "a.log", "--json")
    for done in (
        cli("logs", command, "packed", "--json"),
        cli("logs", command, "-", "--json", stdin=(tmp_path / "packed").read_bytes()),
    ):
        assert (done.code, done.out, done.err) == (0, expected.out, "")


@pytest.mark.parametrize("packing", sorted(PACKINGS))
def test_a_packed_file_that_breaks_off_gives_what_stands_before_and_says_so(
    cli: Cli, tmp_path: Path, packing: str
) -> None:
    many = "".join(f"2026-05-04 10:00:00 INFO berth {n} of {n * n * 7919 % 1_000_003}\n" for n in range(60_000))
    packed = PACKINGS[packing](many.encode())
    (tmp_path / "cut").write_bytes(packed[: len(packed) * 3 // 4])
    done = cli("logs", "patterns", "cut", "--json")
    assert done.code == 1
    assert "cut: it is damaged behind its first" in done.err
    assert 1_000 < done.json["scanned"] < 60_000
    assert cli("logs", "parse", "cut", "--limit", "1").code == 0


def test_a_packed_file_with_nothing_to_read_is_refused(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.gz").write_bytes(gzip.compress(LINES.encode())[:6] + b"trash and more trash")
    done = cli("logs", "patterns", "a.gz")
    assert (done.code, done.out) == (2, "")
    assert "a.gz cannot be unpacked" in done.err


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-8-sig", "gb18030"])
def test_any_encoding(cli: Cli, tmp_path: Path, encoding: str) -> None:
    text = LINES.replace("berth", "泊位已经被占用了")
    (tmp_path / "a.log").write_text(text)
    (tmp_path / "b.log").write_bytes(text.encode(encoding))
    assert cli("logs", "patterns", "b.log", "--json").out == cli("logs", "patterns", "a.log", "--json").out


@pytest.mark.parametrize("form", ["auto", "plain"])
@pytest.mark.parametrize("where", ["file", "stdin", "gzip"])
def test_every_line_is_assigned_to_a_pattern_of_the_table(cli: Cli, tmp_path: Path, form: str, where: str) -> None:
    data = gzip.compress(LINES.encode()) if where == "gzip" else LINES.encode()
    (tmp_path / "a.log").write_bytes(data)
    path = "-" if where == "stdin" else "a.log"
    done = cli("logs", "patterns", path, "--json", "--format", form, "--assign", "out.csv", stdin=data)
    assert done.code == 0
    with (tmp_path / "out.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["line"]) for row in rows] == list(range(1, LINES.count("\n") + 1))
    ids = {row["id"] for row in done.json["patterns"]}
    assert {row["patternId"] for row in rows} == ids
    if form == "auto":
        torn = next(row for row in done.json["patterns"] if "torn" in row["pattern"])
        assert [row["patternId"] for row in rows[200:204]] == [torn["id"]] * 4


def test_the_lines_of_one_pattern(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LINES)
    torn = next(row for row in cli("logs", "patterns", "a.log", "--json").json["patterns"] if "torn" in row["pattern"])
    done = cli("logs", "patterns", "a.log", "--show", torn["id"])
    assert done.code == 0
    assert [line.split(":", 2)[:2] for line in done.out.splitlines()] == [["a.log", str(n)] for n in range(201, 205)]
    from_pipe = cli("logs", "patterns", "-", "--show", torn["id"], "--json", stdin=LINES)
    assert [json.loads(line)["line"] for line in from_pipe.out.splitlines()] == [201, 202, 203, 204]
    assert cli("logs", "patterns", "a.log", "--show", "p-000000000000").code == 2
    assert cli("logs", "patterns", "a.log", "--show", "torn").code == 2


def test_the_first_occurrence_in_its_context(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_text(LINES)
    row = next(
        row
        for row in cli("logs", "patterns", "a.log", "--json", "--context", "1").json["patterns"]
        if "torn" in row["pattern"]
    )
    assert (row["firstContext"]["file"], row["firstContext"]["line"]) == ("a.log", 201)
    assert [line["line"] for line in row["firstContext"]["lines"]] == [200, 201, 202]
    assert "IllegalStateException" in row["firstContext"]["lines"][2]["text"]
    assert "first in a.log:201" in cli("logs", "patterns", "a.log", "--context", "1").out


def test_what_changed_in_the_last_window(cli: Cli, tmp_path: Path) -> None:
    steady = [f"2026-05-04T10:{n:02d}:00Z INFO quay: tide {n}" for n in range(60)]
    ended = [f"2026-05-04T10:{n:02d}:30Z INFO quay: pump {n} runs" for n in range(30, 45)]
    begun = [f"2026-05-04T10:{n:02d}:40Z ERROR quay: rope {n} torn" for n in range(50, 59)]
    (tmp_path / "a.log").write_text("\n".join(sorted(steady + ended + begun)) + "\n")
    body = cli("logs", "patterns", "a.log", "--json", "--window", "14m").json
    marks = {word: row["marks"] for row in body["patterns"] for word in row["example"].split()}
    assert "new" in marks["rope"]
    assert "stopped" in marks["pump"]
    assert not {"new", "stopped"} & set(marks["tide"])
    assert all(sum(row["buckets"]) == row["count"] for row in body["patterns"])
    assert cli("logs", "patterns", "a.log", "--window", "soon").code == 2


def test_rare_patterns_are_shown_behind_the_common_ones(cli: Cli, tmp_path: Path) -> None:
    shapes = "".join(f"2026-05-04 10:00:00 INFO {word} berth {n}\n" for word in WORDS for n in range(500))
    (tmp_path / "a.log").write_text(shapes + "2026-05-04 10:00:01 INFO rope torn\n")
    out = cli("logs", "patterns", "a.log", "--limit", "2").out
    assert "rare:\n" in out
    assert "rope torn" in out.split("rare:\n")[1]


WORDS = ("open the wide gate of", "shut with care the old", "paint in deep red the", "wash and dry today the")


def test_a_line_without_end_is_cut_and_says_by_how_much(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"y" * (5 << 20) + b"\n2026-05-04 10:00:00 INFO short\n")
    body = cli("logs", "patterns", "a.log", "--json").json
    assert body["scanned"] == 2
    (record, _) = cli("logs", "parse", "a.log", "--json").out.splitlines()
    message = json.loads(record)["message"]
    kept = message.split(" ...[")[0]
    assert message.endswith(f" ...[{(5 << 20) - len(kept)} bytes cut]")


def test_what_is_no_log_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    (tmp_path / "picture").write_bytes(bytes(range(1, 32)) * 500)
    (tmp_path / "a.zip").write_bytes(b"PK\x03\x04" + bytes(100))
    for path, words in (
        ("nowhere", "neither a file nor a folder"),
        ("empty", "holds no files"),
        ("picture", "binary data"),
        ("a.zip", "packed as zip"),
    ):
        for command in ("patterns", "parse"):
            done = cli("logs", command, path)
            assert (done.code, done.out) == (2, "")
            assert path in done.err
            assert words in done.err


def test_what_is_no_log_in_a_folder_is_told_and_passed_over(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    (folder / "a.log").write_text(LINES)
    (folder / "b.bin").write_bytes(bytes(range(1, 32)) * 500)
    done = cli("logs", "patterns", "logs", "--json")
    assert done.code == 0
    assert done.json["scanned"] == 202
    assert "b.bin is binary data" in done.err
    assert "passed over" in done.err


@pytest.mark.parametrize("name", ["a.log", "link.log", "hard.log"])
def test_an_assignment_never_overwrites_what_is_read(cli: Cli, tmp_path: Path, name: str) -> None:
    log = tmp_path / "a.log"
    log.write_text(LINES)
    (tmp_path / "link.log").symlink_to(log)
    (tmp_path / "hard.log").hardlink_to(log)
    done = cli("logs", "patterns", "a.log", "--assign", name)
    assert done.code == 2
    assert f"--assign {name} is one of the inputs" in done.err
    assert log.read_text() == LINES


def test_a_file_that_grows_is_read_again_only_as_far_as_it_was_counted(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rootproof.entrypoints.cli import logs

    log = tmp_path / "a.log"
    log.write_text(LINES)
    write = logs._write_assignment

    def grown(*given: object) -> None:
        with log.open("a") as file:
            file.write(LINES)
        write(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(logs, "_write_assignment", grown)
    assert cli("logs", "patterns", "a.log", "--assign", "out.csv", "--json").code == 0
    assert (tmp_path / "out.csv").read_text().count("\n") == LINES.count("\n") + 1


def test_a_pattern_that_failed_at_times_stands_before_calm_ones_and_says_how_often(cli: Cli, tmp_path: Path) -> None:
    lines = [
        f'10.0.0.{n % 9} - - [04/May/2026:10:{n // 60:02d}:{n % 60:02d} +0000] "POST /pay HTTP/1.1" {status} 17'
        for n, status in enumerate([200] * 90 + [504] * 10)
    ]
    calm = [f"2026-05-04T10:00:{n % 60:02d}Z INFO berth {n} taken" for n in range(200)]
    (tmp_path / "a.log").write_text("\n".join(lines + calm) + "\n")
    out = cli("logs", "patterns", "a.log").out
    assert "ERROR in 10" in out
    assert out.index("/pay") < out.index("taken")


def test_a_line_that_is_too_long_to_redact_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.log").write_bytes(b"first\n" + b"x" * (9 << 20))
    done = cli("redact", "a.log")
    assert (done.code, done.out) == (2, "first\n")
    assert "a.log: line 2 is longer than 8 MiB" in done.err
