"""Patterns: what merges, what does not, how slots are named, and the laws they keep."""

from __future__ import annotations

import itertools
import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rootproof.logs import patterns, templates
from rootproof.logs.patterns import mine
from rootproof.logs.templates import OTHER, Mined, pattern_id


def template(message: str) -> str:
    return mine([message]).templates[0]


def partition(mined: Mined, messages: list[str]) -> set[frozenset[str]]:
    groups: defaultdict[int, set[str]] = defaultdict(set)
    for message, index in zip(messages, mined.assignment, strict=True):
        groups[index].add(message)
    return {frozenset(group) for group in groups.values()}


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("berth 17 taken", "berth <num> taken"),
        ("connect to 203.0.113.9:5432 failed after 30s", "connect to <ip> failed after <dur>"),
        ("peer fe80::1:2 left", "peer <ip> left"),
        ("run 0b7e1d7e-3f67-4a44-9a3c-5f4f7c0f8a11 lost", "run <uuid> lost"),
        ("handle 0x7fed806e closed", "handle <hex> closed"),
        ("read /var/lib/quay/a.db in 1.5 ms", "read <path> in <dur>"),
        ("open C:\\quay\\a.ini: denied", "open <path>: denied"),
        ("fetched https://quay.example/x?y=1 twice", "fetched <url> twice"),
        ("mail to ana@quay.example sent", "mail to <email> sent"),
        ("heap 384Mi of 512Mi used", "heap <size> of <size> used"),
        ("at 2026-05-04T09:15:30.250Z it stopped", "at <ts> it stopped"),
        ("at Mon May 04 09:15:30 2026 it stopped", "at <ts> it stopped"),
        ("pool active=4 idle=0 enabled=true", "pool active=<num> idle=<num> enabled=<bool>"),
        ("pod <pod:cart-1> on <ip:2>:8080 died", "pod <pod> on <ip> died"),
        ("status: 503, retry 3/5", "status: <num>, retry <num>"),
        ("got (17), [18] and {19}", "got (<num>), [<num>] and {<num>}"),
        ("x509: certificate has expired", "x509: certificate has expired"),
        ("io.quay.Store failed: no space left on device", "io.quay.Store failed: no space left on device"),
        ("", ""),
    ],
)
def test_slots(message: str, expected: str) -> None:
    assert template(message) == expected


def test_a_stack_trace_is_its_head_and_its_deepest_cause() -> None:
    head, cause = "java.lang.IllegalStateException: no berth", "java.net.ConnectException: refused"
    trace = f"{head}\n\tat a.b(C.java:1)\nCaused by: {cause}\n\tat d.e(F.java:2)"
    assert template(trace) == f"{head} / {cause}"


def test_words_after_a_cue_merge_from_three_values_on() -> None:
    two = [f"tide table for {port} is missing" for port in ("ostend", "dover")]
    assert len(mine(two).templates) == 2
    three = [*two, "tide table for calais is missing"]
    assert mine(three).templates == ("tide table for <*> is missing",)


def test_two_names_merge_behind_a_word_that_names_things_elsewhere() -> None:
    two = [f"crane {name} needs grease" for name in ("big", "yellow")]
    assert len(mine(two).templates) == 2
    led = [*two, "crane 4 lowered its hook", "the crane 5 is idle now"]
    assert "crane <*> needs grease" in mine(led).templates
    again = [*two, *(f"crane {name} turns over berth 3" for name in ("big", "yellow"))]
    assert mine(again).templates == ("crane <*> needs grease", "crane <*> turns over berth <num>")


def test_two_identifiers_merge_behind_a_plain_word() -> None:
    assert mine([f"pilot {name} came aboard" for name in ("li.wei", "j_okafor")]).templates == (
        "pilot <*> came aboard",
    )


def test_a_name_of_several_words_may_stand_behind_a_label() -> None:
    names = ("Loose Cannon", "Sea Otter", "Kestrel", "North Star")
    assert mine([f"vessel in sight: {name} from the north" for name in names]).templates == (
        "vessel in sight: <*> from the north",
    )


@pytest.mark.parametrize("words", [("greased", "painted"), ("LOWERING", "RAISING"), ("enable", "disable")])
def test_what_is_done_to_a_thing_is_not_its_name(words: tuple[str, str]) -> None:
    messages = [f"crane {word} at berth now" for word in words]
    assert len(mine([*messages, "crane 4 lowered its hook", "the crane 5 is idle now"]).templates) == 4


def test_verbs_and_states_stay_apart() -> None:
    states = ("started", "stopped", "failed", "ready", "killed", "closed", "lost", "restarted", "degraded")
    messages = [f"berth controller is {state}" for state in states]
    assert len(mine(messages).templates) == len(states)


def test_one_word_messages_never_merge() -> None:
    words = ["ping", "pong", "sync", "flush", "drain", "spill", "trim", "reef", "furl", "haul"]
    assert len(mine(words).templates) == len(words)


def test_a_list_of_values_is_one_slot() -> None:
    assert len(mine(["ids 1, 2, 3 gone", "ids 4 gone", "ids 5, 6 gone"]).templates) == 1


def test_the_id_depends_on_the_template_only() -> None:
    assert pattern_id("took <dur> for <ip>") == pattern_id("took <num> for <*>")
    assert pattern_id("took <dur>") != pattern_id("lost <dur>")
    assert pattern_id(template("berth 1 taken")) == pattern_id(template("berth 99 taken"))
    assert len({pattern_id(f"word {a}{b}") for a, b in itertools.product("abcdefgh", repeat=2)}) == 64


TEXT = "rope torn at quay 12 203.0.113.9 level=3 user=ana <pod:cart-1> /var/log/x [7] 0xff failed: ok , - true 5ms"
WORDS = st.sampled_from(TEXT.split())
MESSAGES = st.lists(st.one_of(st.lists(WORDS, max_size=7).map(" ".join), st.text(max_size=20)), max_size=40)


@settings(deadline=None)
@given(MESSAGES)
def test_every_message_has_exactly_one_template(messages: list[str]) -> None:
    mined = mine(messages)
    assert len(mined.assignment) == len(messages)
    assert len(set(mined.templates)) == len(mined.templates)
    assert sum(mined.counts().values()) == len(messages)
    assert set(mined.assignment) == set(range(len(mined.templates)))


@settings(deadline=None)
@given(MESSAGES, st.randoms(use_true_random=False))
def test_order_does_not_change_the_partition(messages: list[str], rng: random.Random) -> None:
    shuffled = messages[:]
    rng.shuffle(shuffled)
    first, second = mine(messages), mine(shuffled)
    assert partition(first, messages) == partition(second, shuffled)
    assert sorted(first.templates) == sorted(second.templates)


@settings(deadline=None)
@given(MESSAGES)
def test_repeating_the_input_changes_nothing(messages: list[str]) -> None:
    assert mine(messages * 2).templates == mine(messages).templates


@settings(deadline=None)
@given(MESSAGES)
def test_the_vectorised_path_agrees(messages: list[str]) -> None:
    slow, fast = patterns._mine_in_python(messages), patterns._mine_distinct(messages)
    assert list(slow.assignment) == list(fast.assignment)


def test_more_shapes_than_the_cap_go_to_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "MAX_SHAPES", 3)
    messages = ["alpha one", "beta two three", "gamma", "delta four five six", "alpha one"]
    mined = mine(messages)
    assert mined.assignment.count(OTHER) == 1
    assert mined.assignment[0] == mined.assignment[4] != OTHER


def test_large_inputs_take_the_vectorised_path_and_stay_quick() -> None:
    messages = [f"order {n} for berth {n % 40} took {n % 900} ms" for n in range(25_000)]
    mined = mine(messages)
    assert mined.templates == ("order <num> for berth <num> took <dur>",)
    assert mined.counts()[0] == len(messages)
