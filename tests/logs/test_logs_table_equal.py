"""The fast way gives the table of the slow way: every row, count, time, bucket and line, whatever the blocks."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rootproof.logs.decode import split_lines
from rootproof.logs.fast_blocks import text_blocks
from rootproof.logs.fast_forms import FormTable
from rootproof.logs.fast_records import RecordBlocks
from rootproof.logs.parse import parse
from rootproof.logs.patterns_table import PatternTable, table_of, tabulate
from rootproof.logs.table_assign import ids_of_batches
from rootproof.logs.table_tallies import Tallies
from rootproof.logs.timestamps import Clock

DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[3] / "shared" / "data"))
NEAR = datetime(2026, 5, 10, 3, 4, 5, tzinfo=UTC)


def blocks(data: bytes, size: int) -> Iterator[bytes]:
    return text_blocks(data[at : at + size] for at in range(0, len(data), size))


def fast(data: bytes, size: int, zone: tzinfo = UTC) -> tuple[PatternTable, dict[int, str], float]:
    """The table, the pattern of each line, and the share of records that the parser did not see."""
    forms, tallies, clock = FormTable(), Tallies(), Clock(zone, NEAR)
    batches = list(RecordBlocks(forms, clock).batches(blocks(data, size)))
    for batch in batches:
        tallies.batch(batch, forms.kinds, 0)
    table, ids = table_of(tallies)
    lines = {
        line: name
        for found in ids_of_batches(batches, forms.kinds, ids)
        for line, name in enumerate(found.ids.to_list(), start=found.line)
    }
    rows = sum(batch.rows.height for batch in batches if batch.rows is not None)
    return table, lines, rows / max(1, table.scanned)


def slow(data: bytes, zone: tzinfo = UTC) -> tuple[PatternTable, dict[int, str]]:
    lines = [line for block in text_blocks([data]) for line in split_lines(block.decode())]
    records = list(parse(lines, default_year_from=NEAR, timezone=zone))
    table = tabulate(records)
    tallies = Tallies()
    for record in records:
        tallies.record(record, 0)
    ids = table_of(tallies)[1]
    return table, {record.line: ids.of(record.message) for record in records if record.lines}


def assert_equal(data: bytes, size: int, zone: tzinfo = UTC) -> float:
    expected, names = slow(data, zone)
    found, lines, share = fast(data, size, zone)
    assert found == expected
    assert sum(row.count for row in found.rows) + found.other == found.scanned
    if expected.rows:
        assert {line: lines[line] for line in names} == names
        assert sorted(lines) == list(range(1, len(lines) + 1))
    return share


def data_files() -> list[Path]:
    found = [*DATA.glob("logshapes/*"), *DATA.glob("loghub/*/*.log"), *DATA.glob("bundles/**/*.log")]
    return sorted(path for path in found if path.is_file())


@pytest.mark.skipif(not DATA.is_dir(), reason="no data here")
@pytest.mark.parametrize("part", range(8))
def test_files_of_all_kinds(part: int) -> None:
    for path in data_files()[part::8]:
        data = path.read_bytes()[:200_000]
        for size in (1 << 20, 4_099):
            try:
                assert_equal(data, size)
            except AssertionError as error:
                raise AssertionError(f"{path.name} in blocks of {size}") from error


FORMATS = {
    "iso": "2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{f:03d}Z {level} [worker-{n}] quay.Berth - berth {n} in {f} ms",
    "offset": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d},{f:03d}+0{z}:00 {level} quay: tide {n} of {word}",
    "python": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d},{f:03d} - quay.{word} - {level} - order {n} for 10.0.0.{z}",
    "syslog": "May {d:2d} {h:02d}:{m:02d}:{s:02d} host{z} {word}[{n}]: rope {f} torn",
    "priority": "<{pri}>May {d:2d} {h:02d}:{m:02d}:{s:02d} host {word}[{n}]: rope {f} torn",
    "short": "{y:02d}/05/{d:02d} {h:02d}:{m:02d}:{s:02d} {level} quay.Pier: pier {n} is {word}",
    "dense": "2605{d:02d} {h:02d}{m:02d}{s:02d} {n} {level} quay.Pier: pier {n} is {word}",
    "apache": "[Mon May {d:02d} {h:02d}:{m:02d}:{s:02d} 20{y:02d}] [{lower}] child {n} went {word}",
    "klog": "I05{d:02d} {h:02d}:{m:02d}:{s:02d}.{f:03d}000 {n} pier.go:{z}] synced {n} {word}",
    "runtime": "2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}.{f:03d}000000Z stdout F {word} took {n} ms",
    "access": '10.0.{z}.{n} - - [{d:02d}/May/2026:{h:02d}:{m:02d}:{s:02d} +0{z}00] "GET /{word}/{n} HTTP/1.1" {st} {f}',
    "logfmt": 'ts=2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}Z level={lower} msg="took {n} ms" who={word}',
    "json": '{{"ts":"2026-05-{d:02d}T{h:02d}:{m:02d}:{s:02d}Z","level":"{lower}","app":"{word}","msg":"took {n} ms"}}',
    "pino": '{{"level":{tens},"time":17777777{n:03d}{f:03d},"msg":"took {n} ms","name":"{word}"}}',
    "plain": "berth {n} is {word}",
    "level": "{level}: berth {n} is {word}",
    "level_digit": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d} DEBUG{z} berth {n} is {word}",
    "odd_level": "2026-05-{d:02d} {h:02d}:{m:02d}:{s:02d} a{z}.{level} berth {n} is {word}",
    "early": "{h:02d}:{m:02d}:{s:02d} 2026-05-{d:02d} {level} berth {n}",
    "single_hour": "2026-05-{d:02d} {z}:{m:02d}:{s:02d} {level} berth {n}",
    "half": "05/{d:02d}/2026 {z:02d}:{m:02d}:{s:02d} PM {level} berth {n}",
    "epoch": "17777777{f:03d} {level} berth {n} {word}",
}
OTHERS = (
    "",
    "   ",
    "\tat quay.Pier.run(Pier.java:12)",
    "Caused by: quay.Torn: rope {n}",
    "java.lang.IllegalStateException: {n}",
    "Traceback (most recent call last):",
    "    raise Torn({n})",
    "quay.errors.Torn: rope {n}",
    "... 12 more",
    "\x1b[31m2026-05-04 10:00:00 ERROR red {n}\x1b[0m",
    "x" * 2_100,
    "#Version: 1.0",
    "goroutine {n} [running]:",
    "2026-05-04T10:00:00.000000000Z stdout P half {n}",
    "2026-05-04T10:00:00.000000000Z stderr F other {n}",
    "May 04, 2026 10:00:00 AM quay.Pier run",
    "info: quay.Pier[{n}]",
    "      told by its next line {n}",
    "# Time: 2026-05-04T10:00:00Z",
)
WORDS = ("open", "shut", "ash-3", "b2", "deadbeef", "INFO")
LEVELS = ("INFO", "WARN", "ERROR", "DEBUG")


@st.composite
def lines_of(draw: st.DrawFn, *, mixed: bool) -> list[str]:
    """Some lines of one format or several, with other lines between them."""
    names = draw(st.lists(st.sampled_from(sorted(FORMATS)), min_size=1, max_size=4 if mixed else 1))
    random = draw(st.randoms(use_true_random=False))
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 40))):
        if mixed and random.random() < 0.12:
            lines.append(random.choice(OTHERS).replace("{n}", str(random.randrange(200))))
            continue
        level = random.choice(LEVELS)
        odd = random.random() < 0.1
        lines.append(
            FORMATS[random.choice(names)].format(
                d=random.randrange(0, 34) if odd else random.randrange(1, 30),
                h=random.randrange(26) if odd else random.randrange(24),
                m=random.randrange(62) if odd else random.randrange(60),
                s=random.randrange(62) if odd else random.randrange(60),
                f=random.randrange(1000),
                n=random.choice((random.randrange(10), random.randrange(1000))),
                z=random.randrange(1, 10),
                y=random.randrange(20, 30),
                word=random.choice(WORDS),
                level=level,
                lower=level.lower(),
                tens=random.choice((20, 30, 50)),
                pri=random.choice((3, 30, 134, 190)),
                st=random.choice((200, 404, 503)),
            )
        )
    return lines


@settings(deadline=None, max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(lines_of(mixed=False), st.integers(40, 3_000), st.sampled_from(["\n", "\r\n"]))
def test_lines_of_one_format(lines: list[str], size: int, end: str) -> None:
    assert_equal("".join(line + end for line in lines).encode(), size)


@settings(deadline=None, max_examples=250, suppress_health_check=[HealthCheck.too_slow])
@given(lines_of(mixed=True), st.integers(40, 3_000), st.booleans())
def test_mixed_lines(lines: list[str], size: int, ended: bool) -> None:
    assert_equal("\n".join(lines).encode() + b"\n" * ended, size)


@pytest.mark.parametrize("zone", [ZoneInfo("Europe/Berlin"), timezone(timedelta(hours=-9, minutes=-30))], ids=str)
def test_zones_of_times_that_name_none(zone: tzinfo) -> None:
    days = [datetime(2026, month, day, tzinfo=UTC) for month, day in ((3, 29), (10, 25), (5, 4))]
    lines = [
        f"{day + timedelta(minutes=17 * n):%Y-%m-%d %H:%M:%S} INFO quay - berth {n} taken"
        for day, n in itertools.product(days, range(80))
    ]
    assert_equal("\n".join(lines).encode(), 2_000, zone)


@pytest.mark.parametrize("good", ["2026-05-04 9:05:02", "1777777701", "04.05.2026 9:05:01"])
def test_a_time_that_the_fast_way_cannot_read_is_not_lost_behind_one_that_is_none(good: str) -> None:
    """All lines have one form; what the first ones hold is no time."""
    none = good.translate(str.maketrans("0123456789", "9" * 10))
    lines = [f"{stamp} INFO quay berth {n} taken" for stamp in (none, good) for n in range(30)]
    expected, _ = slow("\n".join(lines).encode())
    assert any(row.first is not None for row in expected.rows)
    assert_equal("\n".join(lines).encode(), 1 << 20)


@pytest.mark.parametrize(
    "name", ["iso", "offset", "python", "syslog", "short", "dense", "apache", "klog", "runtime", "plain", "level"]
)
def test_common_formats_do_not_need_the_parser(name: str) -> None:
    lines = [
        FORMATS[name].format(
            d=1 + n % 28, h=n % 24, m=n % 60, s=n % 59, f=n % 1000, n=n, z=n % 9, y=26, word="open", level="INFO",
            lower="info", pri=30, st=200, tens=30,
        )
        for n in range(300)
    ]  # fmt: skip
    assert assert_equal("\n".join(lines).encode(), 1 << 20) > 0.9
