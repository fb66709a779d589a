"""Recorded logs answer a query with exactly what matches it, and say how much they looked at."""

from __future__ import annotations

import asyncio
import bz2
import gzip
import hashlib
import json
import lzma
import os
import threading
import time
from datetime import UTC, datetime, timedelta, timezone

import pytest

from rootproof.adapters.sources import logfiles, logreading, records
from rootproof.adapters.sources.bundle import open_bundle
from rootproof.adapters.sources.deadline import Deadline, in_thread
from rootproof.adapters.sources.files import FolderLogs
from rootproof.errors import SourceDenied, SourceGarbled, SourceTimeout, SourceUnavailable

NOW = datetime(2026, 5, 1, 12, 0, 0, tzinfo=UTC)


def record(minute, message="m", **fields):
    at = (NOW - timedelta(minutes=minute)).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps({"timestamp": at, "level": "INFO", "message": message} | fields)


def ask(source, query, deadline_s=20.0):
    return json.loads(asyncio.run(source.fetch(query, deadline_s=deadline_s)))


def bundle_logs(tmp_path):
    return open_bundle(tmp_path).logs


def messages(answer):
    return [entry["message"] for entry in answer["logs"]]


@pytest.fixture(params=["bundle", "files"])
def logs_of(request, write, tmp_path):
    """The same files as a bundle's `logs/` and as a folder given by path: one behaviour."""

    def build(files):
        if request.param == "bundle":
            write("bundle.toml", 'now = "2026-05-01T12:00:00Z"')
        for name, content in files.items():
            write(f"logs/{name}", content)
        return bundle_logs(tmp_path) if request.param == "bundle" else FolderLogs([tmp_path / "logs"])

    return build


def test_the_window_is_half_open_and_records_come_oldest_first(logs_of, log_query):
    source = logs_of(
        {"kiosk.jsonl": "\n".join([record(0, "now"), record(60, "start"), record(61, "before"), record(30, "mid")])}
    )
    answer = ask(source, log_query())
    assert messages(answer) == ["start", "mid", "now"]
    assert (answer["success"], answer["total"], answer["scanned"], answer["more"]) == (True, 3, 4, False)
    assert answer["logs"][0]["timestamp"] == "2026-05-01T11:00:00Z"


def test_the_newest_are_kept_when_there_are_more_than_the_limit(logs_of, log_query):
    source = logs_of({"kiosk.jsonl": "\n".join(record(minute, f"m{minute}") for minute in range(9, -1, -1))})
    answer = ask(source, log_query(limit=3))
    assert messages(answer) == ["m2", "m1", "m0"]
    assert (answer["total"], answer["more"]) == (10, True)


def test_records_without_a_time_belong_to_every_window_and_come_last(logs_of, log_query):
    source = logs_of({"kiosk.log": "no time here\n2026-05-01T11:59:00Z INFO timed\nnor here\n"})
    early = {"window": logfiles_window(NOW - timedelta(days=9))}
    assert messages(ask(source, log_query(**early)))[0] == "no time here"
    answer = ask(source, log_query())
    assert answer["logs"][-1]["timestamp"] is None


def logfiles_window(end):
    from rootproof.domain.window import TimeWindow

    return TimeWindow.lookback(end, 5)


def test_untimed_records_get_at_most_half_the_room(logs_of, log_query):
    timed = "\n".join(record(minute, f"t{minute}") for minute in range(9, -1, -1))
    untimed = "\n".join(json.dumps({"message": f"u{number}"}) for number in range(10))
    source = logs_of({"a.jsonl": timed, "b.jsonl": untimed})
    assert messages(ask(source, log_query(limit=4))) == ["t1", "t0", "u8", "u9"]


def test_the_topic_is_told_by_the_files_name(logs_of, log_query):
    files = {
        "kiosk.jsonl": "app",
        "system-events.jsonl": "sys",
        "system-events-north.jsonl": "north",
        "database-slow-query.jsonl": "sql",
    }
    source = logs_of({name: record(1, word) for name, word in files.items()})
    assert messages(ask(source, log_query())) == ["app"]
    assert sorted(messages(ask(source, log_query(topic="system-events")))) == ["north", "sys"]
    assert messages(ask(source, log_query(topic="database-slow-query"))) == ["sql"]
    assert messages(ask(source, log_query(topic="DATABASE_SLOW_QUERY"))) == ["sql"]


def test_the_service_is_the_lines_own_else_the_files_workload(logs_of, log_query):
    source = logs_of(
        {
            "kiosk-api-6c9d7b5f48-x2k8p.log": "2026-05-01T11:59:00Z INFO from the pod\n",
            "mixed.jsonl": record(1, "own", service="pricing"),
            "system-events.jsonl": record(1, "nobody's"),
        }
    )
    by_message = {entry["message"]: entry for entry in ask(source, log_query())["logs"]}
    pod = by_message["from the pod"]
    assert (pod["service"], pod["instance"]) == ("kiosk-api", "kiosk-api-6c9d7b5f48-x2k8p")
    assert by_message["own"]["service"] == "pricing"
    assert ask(source, log_query(topic="system-events"))["logs"][0]["service"] is None


@pytest.mark.parametrize(
    "wanted", ["kiosk-api", "KIOSK-API", "kiosk-api-6c9d7b5f48-x2k8p", "store", "till", "kiosk-api-6c9d7b5f48-zzzzz"]
)
def test_a_service_matches_by_name_pod_or_the_workload_of_its_pod(logs_of, log_query, wanted):
    source = logs_of(
        {
            "store.jsonl": record(1, "hit", service="till", host="kiosk-api-6c9d7b5f48-x2k8p"),
            "other.jsonl": record(1, "miss", service="kiosk"),
        }
    )
    expected = [] if wanted.endswith("zzzzz") else ["hit"]
    assert messages(ask(source, log_query(services=(wanted, "nobody")))) == expected


def test_a_level_is_the_lowest_wanted(logs_of, log_query):
    source = logs_of(
        {
            "kiosk.jsonl": "\n".join(
                record(1, level, level=level) for level in ("DEBUG", "INFO", "WARN", "ERROR", "FATAL")
            )
        }
    )
    assert messages(ask(source, log_query(level="WARN"))) == ["WARN", "ERROR", "FATAL"]
    assert len(ask(source, log_query(level="TRACE"))["logs"]) == 5


def test_output_without_levels_is_found_by_its_words_and_stays_without(logs_of, log_query):
    source = logs_of({"kiosk.log": "listening on 8080\nconnect: connection refused\n"})
    answer = ask(source, log_query(level="ERROR"))
    assert messages(answer) == ["connect: connection refused"]
    assert answer["logs"][0]["level"] is None
    assert len(ask(source, log_query(level="INFO"))["logs"]) == 2


def test_contains_ignores_case_and_looks_at_the_message(logs_of, log_query):
    source = logs_of({"kiosk.jsonl": "\n".join([record(1, "Pool EXHAUSTED"), record(1, "fine", service="exhausted")])})
    assert messages(ask(source, log_query(contains="pool exhausted"))) == ["Pool EXHAUSTED"]


@pytest.mark.parametrize(("ending", "pack"), [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)])
def test_packed_files_are_read_and_their_endings_are_no_part_of_the_name(logs_of, log_query, ending, pack):
    source = logs_of({f"kiosk.log.1.{ending}": pack(b"2026-05-01T11:59:00Z ERROR packed\n")})
    entry = ask(source, log_query())["logs"][0]
    assert (entry["message"], entry["service"]) == ("packed", "kiosk")


@pytest.mark.parametrize("content", [b"PK\x03\x04rest", b"\xfd7zXZ\x00broken", b"BZh9broken", b"\x28\xb5\x2f\xfdx"])
def test_what_cannot_be_unpacked_is_said(write, log_query, content):
    with pytest.raises(SourceUnavailable, match=r"kiosk\.log"):
        ask(FolderLogs([write("kiosk.log", content)]), log_query())


def test_a_naive_time_is_in_the_bundles_zone(write, tmp_path, log_query):
    write("bundle.toml", 'now = "2026-05-01T14:00:00+02:00"\ntimezone = "+02:00"')
    write("logs/kiosk.log", "2026-05-01 13:59:00 INFO hello\n")
    assert ask(bundle_logs(tmp_path), log_query())["logs"][0]["timestamp"] == "2026-05-01T11:59:00Z"
    source = FolderLogs([tmp_path / "logs"], timezone(timedelta(hours=2)))
    assert ask(source, log_query())["total"] == 1


def test_a_broken_file_is_named_and_the_answer_is_not_called_complete(logs_of, log_query):
    source = logs_of({"good.jsonl": record(1, "good"), "bad.log.gz": gzip.compress(b"x" * 9_000)[:11]})
    answer = ask(source, log_query())
    assert messages(answer) == ["good"]
    assert answer["more"] is True
    assert any("bad.log.gz (not read:" in line for line in answer["files"])


def test_when_no_file_can_be_read_the_source_says_so(logs_of, log_query):
    source = logs_of({"bad.log.gz": gzip.compress(b"x" * 9_000)[:11]})
    with pytest.raises(SourceUnavailable, match=r"bad\.log\.gz"):
        ask(source, log_query())


def test_a_topic_without_files_is_an_answer_not_an_error(logs_of, log_query):
    answer = ask(logs_of({"kiosk.jsonl": record(1)}), log_query(topic="system-events"))
    assert (answer["success"], answer["total"], answer["scanned"], answer["files"]) == (True, 0, 0, [])


def test_a_file_is_parsed_once(write, tmp_path, log_query):
    path = write("logs/kiosk.jsonl", record(1, "first"))
    source = FolderLogs([path])
    assert messages(ask(source, log_query())) == ["first"]
    path.unlink()
    assert messages(ask(source, log_query())) == ["first"]


def test_only_the_end_of_a_huge_file_is_read(write, log_query, monkeypatch):
    monkeypatch.setattr(logreading, "MAX_FILE_BYTES", 400)
    path = write("kiosk.jsonl", "\n".join(record(minute, f"m{minute}") for minute in range(40, -1, -1)))
    answer = ask(FolderLogs([path]), log_query())
    assert messages(answer)[-1] == "m0"
    assert 1 <= answer["total"] < 10
    assert answer["more"] is True
    size, read = path.stat().st_size, answer["reading"][0]["bytes_read"]
    assert answer["reading"] == [
        {
            "file": "kiosk.jsonl",
            "bytes_read": read,
            "bytes_total": size,
            "whole": False,
            "problem": f"the last {read} bytes of {size / 1024:.1f} KiB were read (the limit of one file)",
        }
    ]
    assert 300 < read <= 400
    assert answer["files"] == [f"kiosk.jsonl ({answer['reading'][0]['problem']})"]


def test_a_file_too_large_for_the_time_is_read_from_its_end(write, tmp_path, log_query, monkeypatch):
    monkeypatch.setattr(logfiles, "_LEAST_BYTES", 2_000)
    lines = "\n".join(record(minute, f"m{minute}") for minute in range(59, -1, -1))
    write("logs/big.jsonl", "\n".join([lines] * 9))
    write("logs/small.jsonl", record(1, "small"))
    archive = bundle_logs(tmp_path)._archive
    archive._rate = 1.0
    answer = json.loads(archive.answer(log_query(), Deadline(30, "logs")))
    assert "small" in messages(answer)
    assert messages(answer)[-1] == "m0"
    assert 5 < answer["total"] < 60
    big, small = answer["reading"]
    assert (answer["more"], answer["files"][1]) == (True, "logs/small.jsonl")
    assert answer["files"][0].endswith("were read (the time of a call allows no more))")
    assert (big["whole"], small["whole"], small["problem"]) == (False, True, None)
    assert 0 < big["bytes_read"] < big["bytes_total"] == (tmp_path / "logs/big.jsonl").stat().st_size


def test_a_packed_bomb_costs_bounded_memory(write, log_query, monkeypatch):
    monkeypatch.setattr(logreading, "MAX_FILE_BYTES", 1 << 20)
    path = write("kiosk.log.gz", gzip.compress(b"0" * (48 << 20)))
    tail = logreading.read_tail(path, "kiosk", Deadline(20, "logs"))
    assert (tail.whole, tail.size) == (False, 48 << 20)
    assert len(tail.content) <= 2 << 20


def test_answers_are_bounded_in_size(write, log_query, monkeypatch):
    monkeypatch.setattr(records, "MAX_ANSWER_CHARS", 2_000)
    path = write("kiosk.jsonl", "\n".join(record(minute, f"m{minute}" + "x" * 200) for minute in range(40, -1, -1)))
    answer = ask(FolderLogs([path]), log_query())
    assert answer["more"] is True
    assert len(answer["logs"]) < 10
    assert answer["logs"][-1]["message"].startswith("m0x")


def test_a_missing_path_is_said_in_the_systems_words(tmp_path, log_query):
    with pytest.raises(SourceUnavailable, match="No such file or directory"):
        ask(FolderLogs([tmp_path / "nowhere"]), log_query())


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_refused_path_is_said_in_the_systems_words(write, log_query):
    path = write("kiosk.log", "x")
    path.chmod(0)
    with pytest.raises(SourceDenied, match="Permission denied"):
        ask(FolderLogs([path]), log_query())


def test_a_refusal_by_the_system_is_denied_whoever_runs_this(write, log_query, monkeypatch):
    path = write("kiosk.log", "x")
    monkeypatch.setattr(type(path), "open", refuse)
    with pytest.raises(SourceDenied, match="Permission denied"):
        ask(FolderLogs([path]), log_query())


def refuse(*_args, **_kwargs):
    raise PermissionError(13, "Permission denied")


def test_links_out_of_a_folder_are_not_followed(write, tmp_path, log_query):
    outside = write("secret.log", "2026-05-01T11:59:00Z INFO outside\n")
    write("logs/kiosk.log", "2026-05-01T11:59:00Z INFO inside\n")
    (tmp_path / "logs" / "link.log").symlink_to(outside)
    (tmp_path / "logs" / "dir").symlink_to(tmp_path)
    source = FolderLogs([tmp_path / "logs"])
    assert messages(ask(source, log_query())) == ["inside"]
    assert [note for note in source.notes if "refused" in note] == [
        "dir: a link out of the folder, refused",
        "link.log: a link out of the folder, refused",
    ]


def test_a_refused_folder_is_said_in_the_systems_words(tmp_path, log_query, monkeypatch):
    monkeypatch.setattr(type(tmp_path), "iterdir", refuse)
    with pytest.raises(SourceDenied, match="Permission denied"):
        ask(FolderLogs([tmp_path]), log_query())


def test_reading_stops_at_the_cap_for_all_files(write, tmp_path, log_query, monkeypatch):
    monkeypatch.setattr(logfiles, "MAX_TOTAL_BYTES", 50)
    for name in ("a", "b"):
        write(f"logs/{name}.jsonl", record(1, name))
    answer = ask(FolderLogs([tmp_path / "logs"]), log_query())
    assert messages(answer) == ["a"]
    assert answer["more"] is True
    assert "name fewer files" in answer["files"][1]


def test_the_deadline_ends_the_call_and_the_work():
    stopped = threading.Event()

    def work(deadline):
        try:
            for _ in range(2_000):
                deadline.check()
                time.sleep(0.002)
        except SourceTimeout:
            stopped.set()
            raise

    with pytest.raises(SourceTimeout, match=r"slow thing did not answer within 0\.05 s"):
        asyncio.run(in_thread(work, deadline_s=0.05, source="slow thing"))
    assert stopped.wait(10)


def test_parsing_stops_at_the_deadline(write, log_query):
    path = write("kiosk.jsonl", "\n".join(record(1) for _ in range(3_000)))
    with pytest.raises(SourceTimeout):
        ask(FolderLogs([path]), log_query(), deadline_s=0.000_001)


def test_concurrent_queries_agree(write, log_query):
    source = FolderLogs([write("kiosk.jsonl", "\n".join(record(1, f"m{number}") for number in range(300)))])

    async def both():
        return await asyncio.gather(*(source.fetch(log_query(), deadline_s=20) for _ in range(6)))

    answers = asyncio.run(both())
    assert len(set(answers)) == 1
    assert json.loads(answers[0])["total"] == 300


def noise(size):
    """Bytes as packed or compiled files have them."""
    return b"".join(hashlib.sha256(str(number).encode()).digest() for number in range(size // 32))


@pytest.mark.parametrize(
    ("content", "words"), [(noise(40_000), "binary"), (b"\0" * 9_000, "nothing but 8.8 KiB of NUL")]
)
def test_what_is_no_text_is_named_and_never_counted_as_records(write, tmp_path, log_query, content, words):
    bad = write("logs/bad.log", content)
    with pytest.raises(SourceGarbled, match=words):
        ask(FolderLogs([bad]), log_query())
    write("logs/good.jsonl", record(1, "good"))
    answer = ask(FolderLogs([tmp_path / "logs"]), log_query())
    assert (messages(answer), answer["scanned"], answer["more"]) == (["good"], 1, True)
    assert answer["files"][0].startswith("bad.log (not read: ")
    assert words in answer["files"][0]


@pytest.mark.parametrize(
    "content",
    [
        b"\0" * 70_000 + b"2026-05-01T11:59:00Z ERROR told\n",  # a log cut in place while its writer kept its offset
        "2026-05-01T11:59:00Z ERROR told\n".encode("utf-16"),
        "2026-05-01T11:59:00Z ERROR told\n".encode("utf-16-be"),
        "2026-05-01T11:59:00Z ERROR told 接続が拒否されました\n".encode("euc_jp"),
        b"2026-05-01T11:59:00Z \x1b[31mERROR\x1b[0m told\n" * 3,
        b"2026-05-01T11:59:00Z ERROR told \xe9\xe8\xfc\n",
    ],
)
def test_text_in_any_dress_is_read(write, log_query, content):
    answer = ask(FolderLogs([write("kiosk.log", content)]), log_query())
    assert "told" in messages(answer)[-1]
    assert answer["reading"][0]["whole"] is True


def test_half_of_a_packed_file_gives_what_it_holds_and_says_so(write, log_query):
    lines = "".join(f"2026-05-01T11:{number % 60:02}:00Z INFO {noise(32 + number).hex()}\n" for number in range(800))
    packed = gzip.compress(lines.encode())
    answer = ask(FolderLogs([write("kiosk.log.gz", packed[: len(packed) // 2])]), log_query())
    assert 0 < answer["total"] < 800
    assert answer["more"] is True
    reading = answer["reading"][0]
    assert (reading["whole"], reading["bytes_read"] == reading["bytes_total"]) == (False, True)
    assert "damaged behind its first" in reading["problem"]
    assert "damaged behind its first" in answer["files"][0]


def test_the_newest_time_is_found_at_the_end_of_a_file_without_reading_all_of_it(write, monkeypatch):
    monkeypatch.setattr(logfiles, "_END_BYTES", 300)
    path = write("kiosk.jsonl", "\n".join(record(minute) for minute in range(40, -1, -1)))
    assert asyncio.run(FolderLogs([path]).newest_at(deadline_s=20)) == NOW


def test_sizes_are_said_in_the_unit_that_fits():
    assert [logreading.size_words(size) for size in (0, 1023, 1024, 1536, 64 << 20, 200 << 20, 3 << 30)] == [
        "0 bytes", "1023 bytes", "1 KiB", "1.5 KiB", "64 MiB", "200 MiB", "3 GiB",
    ]  # fmt: skip
