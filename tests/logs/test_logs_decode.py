"""Bytes of many encodings."""

from __future__ import annotations

import pytest

from rootproof.logs.decode import decode, split_lines


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8-sig", "rope torn"),
        ("utf-16", "rope torn"),
        ("utf-16-le", "rope torn at the quay"),
        ("utf-16-be", "rope torn at the quay"),
        ("utf-16-le", "10:00 数据库连接超时，请稍后再试 (5)"),
        ("utf-16-be", "10:00 数据库连接超时，请稍后再试 (5)"),
        ("utf-32", "rope torn"),
        ("utf-32-le", "10:00 数据库连接超时"),
        ("utf-32-be", "rope torn at the quay"),
        ("cp932", "10:00 データベースの接続が切れました。再試行します"),
        ("gb18030", "数据库连接超时，请稍后再试"),
        ("euc_jp", "データベースの接続が切れました"),
        ("euc_kr", "데이터베이스 연결이 끊어졌습니다"),
    ],
)
def test_encodings(encoding: str, text: str) -> None:
    assert decode(text.encode(encoding)) == text


def test_bytes_that_are_no_text_stay_visible() -> None:
    assert decode(b"rope \xff\xfe torn \x80") == "rope \ufffd\ufffd torn \ufffd"
    assert decode("café très cher".encode("latin-1")).startswith("caf\ufffd")
    assert decode(b"a\x00b") == "a\u2400b"


def test_a_few_broken_bytes_do_not_make_it_another_encoding() -> None:
    text = "数据库连接超时\n" * 5
    assert decode(text.encode() + b"\xff\x80 bad") == f"{text}\ufffd\ufffd bad"


def test_encodings_that_are_not_told_apart_stay_visible() -> None:
    assert "\ufffd" in decode("資料庫連線逾時，請稍後再試".encode("big5"))
    assert decode("資料庫".encode("big5") + b" ERROR rope").endswith(" ERROR rope")


def test_line_ends() -> None:
    assert split_lines("a\r\nb\n\nc") == ["a", "b", "", "c"]
    assert split_lines("a\u2028b\x0bc\n") == ["a\u2028b\x0bc"]
    assert split_lines("") == []
