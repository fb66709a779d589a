"""What is told first of many records: odd words, odd speakers, marks over the time, causes of traces."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs.patterns import mine
from rootproof.logs.record import LogRecord
from rootproof.logs.story_mining import MAX_MINED, mined_of
from rootproof.logs.story_order import story
from rootproof.logs.story_patterns import choose, grouped
from rootproof.logs.story_traces import excerpt, headlines, outline
from rootproof.logs.story_words import surprises
from rootproof.logs.templates import OTHER, Mined
from rootproof.logs.timeline import sample

T0 = datetime(2026, 5, 4, tzinfo=UTC)
SYLLABLES = ("ba", "ke", "di", "fo", "gu", "la", "me", "ni", "ro", "su")


def record(message: str, second: float, level: str = "INFO", service: str = "mill") -> LogRecord:
    return LogRecord(message, T0 + timedelta(seconds=second), level, service)  # type: ignore[arg-type]


def name(rng: random.Random) -> str:
    return "".join(rng.choices(SYLLABLES, k=5))


def routine(rng: random.Random, count: int = 2_000) -> list[LogRecord]:
    """Three sentences, two of them with a name that is new in every line."""
    forms = (
        lambda: f"sack {rng.randrange(999)} of {name(rng)} weighed {rng.randrange(90)} kg",
        lambda: f"miller {name(rng)} greeted",
        lambda: f"wheel turned {rng.randrange(9_999)} times",
    )
    return [record(rng.choice(forms)(), n) for n in range(count)]


@pytest.mark.parametrize(
    "odd",
    [
        record("gnomes pilfered our rye", 700.5),  # words that nobody says
        record("wheel weighed 40 times", 700.5),  # known words, never side by side
        record("wheel turned 7 times", 700.5, level="ERROR"),  # a level that is never heard
        record("wheel turned 7 times", 700.5, service="owl"),  # a service that never speaks
    ],
    ids=["words", "order", "level", "service"],
)
def test_what_is_odd_in_any_way_is_told_first(odd: LogRecord) -> None:
    records = routine(random.Random(3))
    records.insert(701, odd)
    assert surprises(records)[0].records == (701,)


def test_a_new_name_where_names_stand_is_not_odd() -> None:
    records = routine(random.Random(4))
    records[900] = record("miller saboteur greeted", 900)
    bits = {told.records[0]: told.bits for told in surprises(records)}
    assert bits[900] < 8 < max(surprises([*records, record("saboteur in the mill", 1)]), key=lambda t: t.bits).bits


def test_one_crowded_moment_does_not_hide_what_comes_alone() -> None:
    rng = random.Random(5)
    burst = [record(f"{name(rng)} {name(rng)} {name(rng)} {name(rng)}", 10 + n / 50) for n in range(200)]
    wheel = [record(f"wheel turned {n} times", n) for n in range(3_000)]
    alone = record("gnomes pilfered rye", 2_000.5)
    records = [*burst, *wheel, alone]
    place = [told.records[0] for told in story(surprises(records), records, mine([r.message for r in records]))]
    assert place.index(len(records) - 1) < 12


def test_records_of_one_time_may_come_in_any_order() -> None:
    rng = random.Random(6)
    records = [record(f"miller {name(rng)} {rng.choice(['sat', 'stood', 'fell'])}", n // 40) for n in range(800)]
    other = records[:]
    rng.shuffle(other)
    shown = [[each[index] for index in sample(each, 24).indexes] for each in (records, other)]
    assert shown[0] == shown[1]


@settings(deadline=None, max_examples=60)
@given(
    st.lists(
        st.tuples(st.sampled_from(["a b", "a c", "1 2", "", "é 漢字", "x" * 3_000]), st.integers(0, 9)), max_size=40
    )
)
def test_everything_is_told_once(lines: list[tuple[str, int]]) -> None:
    records = [record(message, second) for message, second in lines]
    told = surprises(records)
    assert sorted(index for one in told for index in one.records) == list(range(len(records)))
    assert [one.bits for one in told] == sorted((one.bits for one in told), reverse=True)


# Mining ------------------------------------------------------------------------------------------------------------


def test_what_differs_in_a_name_only_shares_a_pattern_however_many_there_are() -> None:
    rng = random.Random(7)
    count = MAX_MINED * 2
    records = [record(f"miller {name(rng)}{name(rng)} greeted at {n} pm", n) for n in range(count)]
    mined = mined_of(records, surprises(records))
    assert mined.counts().most_common(1)[0][1] == count
    assert len(mined.templates) == 1


def test_what_has_no_pattern_is_counted_as_such() -> None:
    rng = random.Random(8)
    records = [record(" ".join(name(rng) for _ in range(9)), n) for n in range(MAX_MINED + 50)]
    counts = mined_of(records, surprises(records)).counts()
    assert sum(counts.values()) == len(records)
    assert len(counts) <= MAX_MINED + 1


# Marks and choice --------------------------------------------------------------------------------------------------


def marks(records: list[LogRecord]) -> dict[str | None, str]:
    return {g.template: g.mark for g in grouped(records, mine([r.message for r in records]), range(len(records)))}


def test_what_begins_stops_or_comes_at_once_is_marked() -> None:
    steady = [record("wheel turned", n * 10) for n in range(100)]
    late = [record("rye gone", 900 + n) for n in range(3)]
    ended = [record("owl hooted", n * 10) for n in range(40)]
    flood = [record("sack split", 300 + n) for n in range(30)] + [record("sack split", 990)]
    once = [record("gate shut", 950)]
    assert marks([*steady, *late, *ended, *flood, *once]) == {
        "wheel turned": "",
        "rye gone": "new",
        "owl hooted": "stopped",
        "sack split": "burst",
        "gate shut": "",
    }


def test_records_without_pattern_are_one_group_without_template() -> None:
    records = [record("a", 1), record("b", 2)]
    (group,) = grouped(records, Mined((), [OTHER, OTHER]), [0, 1])
    assert (group.template, group.count) == (None, 2)


def test_the_same_pattern_of_many_services_does_not_take_the_room_of_others() -> None:
    loud = [record("rope torn", n, "ERROR", f"mill-{chr(97 + n % 20)}") for n in range(400)]
    rare = [record("sluice jammed", 350, "ERROR", "mill-a")]
    records = [*loud, *rare]
    mined = mine([r.message for r in records])
    groups = grouped(records, mined, range(len(records)))
    chosen = choose(groups, 6, story(surprises(records), records, mined))
    assert "sluice jammed" in [group.template for group, _ in chosen]


# Traces and long messages ------------------------------------------------------------------------------------------

JAVA = (
    "order failed\n\tat a.B.c(B.java:1)\nCaused by: a.X: first\n\tat a.B.d(B.java:2)\n"
    "Caused by: a.Y: at the root\n\tat z"
)
PYTHON = (
    'boom\nTraceback (most recent call last):\n  File "a.py", line 1, in f\nKeyError: root\n\nDuring handling of the '
    'above exception, another exception occurred:\n\nTraceback (most recent call last):\n  File "b.py", line 2\n'
    "RuntimeError: outer"
)
GO = (
    "worker 3 leaves\npanic: assignment to entry in nil map\n\ngoroutine 7 [running]:\nmain.main()\n\t/a/main.go:9 +0x1"
)


@pytest.mark.parametrize(
    ("trace", "told"),
    [
        (JAVA, ["order failed", "Caused by: a.Y: at the root"]),
        (PYTHON, ["boom", "KeyError: root", "RuntimeError: outer"]),
        (GO, ["worker 3 leaves", "panic: assignment to entry in nil map"]),
        ("one line", ["one line"]),
        ("\n \n", []),
    ],
    ids=["java", "python", "go", "line", "empty"],
)
def test_a_trace_is_told_by_its_head_and_its_deepest_cause(trace: str, told: list[str]) -> None:
    assert headlines(trace) == told


def test_a_cut_trace_keeps_head_and_cause() -> None:
    long = JAVA.replace("\tat a.B.d(B.java:2)", "\tat a.B.d(B.java:2)\n" * 60)
    cut = excerpt(long, 80)
    assert len(cut) <= 80
    assert cut.startswith("order failed")
    assert "at the root" in cut


def test_a_long_line_keeps_its_head_and_its_odd_words() -> None:
    line = "grain " * 100 + "weevil larvae found " + "grain " * 100
    cut = excerpt(line, 120, ("weevil", "larvae"))
    assert len(cut) <= 120
    assert cut.startswith("grain")
    assert "weevil larvae" in cut
    assert "weevil" not in excerpt(line, 120)


def test_an_odd_word_among_words_that_stand_everywhere_is_shown_whole_with_what_is_beside_it() -> None:
    filler = " ".join(f"crate={n}" for n in range(100))
    line = f"{filler} larder=weevils nibbled through {filler}"
    cut = excerpt(line, 120, ("crate", "nibbled"))
    assert " larder=weevils nibbled through " in cut
    assert cut.partition(" … ")[2].startswith("crate="), "no word is cut at the beginning"


@settings(deadline=None)
@given(st.text(max_size=600), st.integers(1, 200), st.lists(st.text(min_size=1, max_size=8), max_size=4))
def test_no_excerpt_is_longer_than_asked(text: str, limit: int, focus: list[str]) -> None:
    assert len(excerpt(text, limit, focus)) <= limit


@settings(deadline=None)
@given(st.text(max_size=2_000))
def test_an_outline_is_bounded(text: str) -> None:
    assert len(outline(text * 3)) <= 500
