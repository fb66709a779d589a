"""Which messages are one pattern and which are not, by the form of their words alone."""

from __future__ import annotations

import pytest

from rootproof.logs.patterns import mine


def of(*messages: str) -> set[str]:
    return set(mine(list(messages)).templates)


@pytest.mark.parametrize(
    ("messages", "expected"),
    [
        (["moored at quay.harbor.example", "moored at 203.0.113.9"], "moored at <ip>"),
        (["berth owner aa:bb:cc:dd:ee:ff left", "berth owner 00:11:22:33:44:5a left"], "berth owner <ip> left"),
        (["closed winch.Rope@abcdef now", "closed winch.Rope@1a2b3c now"], "closed <id> now"),
        (["rope user=ana torn", "rope user=bob torn"], "rope user=<*> torn"),
        (["paid 5 EUR in all", "paid 7 USD in all"], "paid <num> in all"),
        (['opened "/srv/my files/log 1.txt" twice', 'opened "/srv/b" twice'], 'opened "<path>" twice'),
        (["tides [ebb, flood] seen", "tides [ebb] seen", "tides [slack, ebb, flood] seen"], "tides [<*>] seen"),
        (["boat 'Ana Maria' sank", "boat 'Rose' sank", "boat 'Old Salt Two' sank"], "boat '<*>' sank"),
        (["fare of Blue Star unpaid", "fare of Tern unpaid", "fare of Old Salt unpaid"], "fare of <*> unpaid"),
        (
            ["tow user=ana app=winch", "tow user=bob app=crane", "tow user=ana app=Rope Tool 23.1"],
            "tow user=<*> app=<*>",
        ),
        (
            ["UPDATE berths SET state = 'open' WHERE id = 4", "UPDATE berths SET state = 'shut' WHERE id = 5"],
            "UPDATE berths SET state = '<*>' WHERE id = <num>",
        ),
        (
            [
                "SELECT a FROM t WHERE b IN (1)",
                "SELECT a FROM t WHERE b IN (1, 2, 3)",
                "SELECT a FROM t WHERE b IN (4,5)",
            ],
            "SELECT a FROM t WHERE b IN (<num>)",
        ),
    ],
)
def test_one_pattern(messages: list[str], expected: str) -> None:
    assert mine(messages).templates == (expected,)


@pytest.mark.parametrize(
    "messages",
    [
        ["tide gate status=open", "tide gate status=shut", "tide gate status=stuck"],
        ["harbor state change: booting", "harbor state change: free", "harbor state change: taken"],
        ["unit event Type:WinchStarted at 5", "unit event Type:WinchDied at 6"],
        [
            "berth failed: LostRopeException: torn",
            "berth failed: WetRopeError: torn",
            "berth failed: OldRopeError: torn",
        ],
        ["asked by 203.0.113.9 () at 5", "asked by 203.0.113.9 (ana) at 5"],
        ["imap(ana@quay.example): logged out", "lmtp(ana@quay.example): logged out"],
        ["queue from=<ana@quay.example> size=5", "queue to=<ana@quay.example> size=5"],
        ["Boat Started (Power Event)", "Boat Stopped (Power Event)", "Boat Paused (Power Event)"],
    ],
)
def test_kept_apart(messages: list[str]) -> None:
    assert len(of(*messages)) == len(messages)


def test_a_word_that_was_a_value_elsewhere_needs_less_evidence() -> None:
    ports = ("ostend", "dover", "calais", "hull")
    learned = [f"tide table for {port} is missing" for port in ports]
    alone = ["lights of ostend went dark", "lights of dover went dark"]
    assert len(of(*alone)) == 2
    assert len(of(*learned, *alone)) == 2
    assert "lights of <*> went dark" in of(*learned, *alone)


def test_several_words_may_vary_at_once() -> None:
    pairs = [("ana", "ostend"), ("bob", "dover"), ("cleo", "hull"), ("dee", "calais")]
    assert of(*(f"(quay) LOGIN ({user}) from ({port})" for user, port in pairs)) == {"(quay) LOGIN (<*>) from (<*>)"}


def test_a_message_in_a_field_keeps_its_words() -> None:
    lines = [f'"Probe failed" pod="cart-{n}" output="HTTP probe failed with statuscode: 50{n}"' for n in range(3)]
    lines += [f'"Probe failed" pod="cart-{n}" output="dial tcp 203.0.113.{n}:80: connect: refused"' for n in range(3)]
    assert len(of(*lines)) == 2


def test_statements_keep_their_keywords() -> None:
    (only,) = of("INSERT INTO berths (id, name) VALUES (4, 'Ana, the old one'), (5, 'b')")
    assert only.startswith("INSERT INTO berths (id, name) VALUES ")
    assert "Ana" not in only


@pytest.mark.parametrize(
    ("trace", "expected"),
    [
        ("it broke\nTraceback (most recent call last):\n  File\nKeyError: 'a'", "it broke / KeyError: 'a'"),
        (
            "it broke\nKeyError: 'a'\n\nDuring handling of the above exception, another\n\nRopeError: b",
            "it broke / KeyError: 'a'",
        ),
        (
            "Quay.RopeException: no rope\n ---> Quay.WetException: too wet\n   at Quay.Pull()\n   --- End of inner ---",
            "Quay.RopeException: no rope / Quay.WetException: too wet",
        ),
        ("Error: no rope\n    at pull (a.js:1)\n  [cause]: Error: too wet", "Error: no rope / Error: too wet"),
        ("cannot moor\n\nCaused by:\n    0: no rope\n    1: too wet", "cannot moor / too wet"),
        ("cannot moor\n\nCaused by:\n    too wet", "cannot moor / too wet"),
        ("panic: no rope\n\ngoroutine 1 [running]:\nmain.main()", "panic: no rope"),
    ],
)
def test_a_trace_is_its_head_and_its_deepest_cause(trace: str, expected: str) -> None:
    assert of(trace) == {expected}
