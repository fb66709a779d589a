"""Names known beforehand, the workload in a pod's name, and stable numbers."""

from __future__ import annotations

import pytest

from rootproof.redaction import Numbering, find, redact, workload_stem


@pytest.mark.parametrize(
    ("name", "stem"),
    [
        ("cart-7f9dd8b6c4-x7gr9", "cart"),
        ("cart-front-6b7c9d5f8-zq2lk", "cart-front"),
        ("backup-28497120-lm8vz", "backup"),
        ("scrape-x7gr9", "scrape"),
        ("db-0", "db"),
        ("db-main-12", "db-main"),
        ("web-1234567890-abcde", "web"),
        ("cart", None),
        ("cart-front", None),
        ("kube-proxy", None),
        ("order-cache", None),
        ("Cart-0", None),
        ("-0", None),
        ("", None),
        ("a" * 300 + "-0", None),
        ("123e4567-e89b-12d3-a456-426614174000", None),
    ],
)
def test_the_workload_of_a_pod_name(name: str, stem: str | None) -> None:
    assert workload_stem(name) == stem


KNOWN = {"db-0": "pod", "edge14": "host", "worker-a": "node"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("edge14 lost worker-a", "[host] lost [node]"),
        ("http://edge14:9100/metrics", "http://[host]:9100/metrics"),
        ("db-0.db.shop.svc.cluster.local", "[pod].db.shop.svc.cluster.local"),
        ("db-0_shop_main", "[pod]_shop_main"),
        ("db-0, edge14.", "[pod], [host]."),
        ("(worker-a)", "([node])"),
        ("edge145 myedge14 db-01 worker-ab", "edge145 myedge14 db-01 worker-ab"),
        ("password=edge14", "password=[secret:password]"),
    ],
)
def test_known_names_are_found_as_whole_tokens(text: str, expected: str) -> None:
    assert redact(text, lambda kind, value: f"[{kind}]", known=KNOWN) == expected


def test_unknown_names_stay() -> None:
    assert find("edge14 lost worker-a") == []


def test_numbers_are_stable_and_by_kind() -> None:
    n = Numbering()
    out = redact(
        "10.0.0.1 10.0.0.2 10.0.0.1 jo@post.shop.org cart-7f9dd8b6c4-x7gr9 cart-7f9dd8b6c4-b2k4q pay-7f9dd8b6c4-x7gr9",
        n,
    )
    assert out == "<ip:1> <ip:2> <ip:1> <email:1> <pod:cart-1> <pod:cart-2> <pod:pay-1>"
    assert redact("again 10.0.0.2", n) == "again <ip:2>"
    assert n.identifiers["<pod:cart-2>"] == "cart-7f9dd8b6c4-b2k4q"


def test_equal_secrets_get_equal_numbers_and_are_not_kept() -> None:
    n = Numbering()
    assert redact("password=tr0ub4dor password=other99 password=tr0ub4dor", n) == (
        "password=<secret:password:1> password=<secret:password:2> password=<secret:password:1>"
    )
    assert n.identifiers == {}
    assert "tr0ub4dor" not in repr(vars(n))


def test_one_machine_keeps_one_name() -> None:
    n = Numbering()
    assert n("node", "worker-3") == n("host", "worker-3") == "<node:1>"


def test_noise_is_not_numbered() -> None:
    n = Numbering()
    assert (n("sql", "1"), n("stack", "at x"), n("addr", "0x7f"), n("sql", "2")) == ("?", "<stack>", "<addr>", "?")


def test_an_adopted_placeholder_is_given_again_and_counted_on_from() -> None:
    n = Numbering()
    for placeholder, value in [
        ("<ip:3>", "10.0.0.3"),
        ("<pod:cart-2>", "cart-7f9dd8b6c4-x7gr9"),
        ("<pod:4>", "odd"),
        ("<secret:token:5>", ""),
    ]:
        n.adopt(placeholder, value)
    assert (
        redact("10.0.0.3 10.0.0.9 cart-7f9dd8b6c4-x7gr9 cart-7f9dd8b6c4-b2k4q", n)
        == "<ip:3> <ip:4> <pod:cart-2> <pod:cart-3>"
    )
    assert n("pod", "strange") == "<pod:5>"
    assert n("secret:token", "abc") == "<secret:token:6>"
