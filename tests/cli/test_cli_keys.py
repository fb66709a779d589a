"""`rootproof keys`: made, shown once, listed without secrets, revoked."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from rootproof.diagnosis.keys import parse_key, secret_hash
from tests.cli.conftest import Cli


def test_a_key_is_shown_once(cli: Cli, tmp_path: Path) -> None:
    made = cli("keys", "create", "--owner", "ana", "--scope", "read", "--name", "grafana", "--expires", "90d")
    assert made.code == 0
    key = parse_key(made.out.strip())
    assert key is not None
    assert "shown this once" in made.err
    assert key.secret not in made.err
    listed = cli("keys", "list")
    assert key.key_id in listed.out
    assert "active" in listed.out
    assert "grafana" in listed.out
    assert key.secret not in listed.out + listed.err
    shown = cli("keys", "list", "--json").json
    assert [(item["keyId"], item["owner"], item["scopes"], item["state"]) for item in shown] == [
        (key.key_id, "ana", ["read"], "active")
    ]
    store = tmp_path / "home" / ".local" / "share" / "rootproof" / "rootproof.db"
    with sqlite3.connect(store) as connection:
        row = connection.execute("SELECT * FROM api_key").fetchone()
    connection.close()
    assert secret_hash(key.secret) in row
    for file in store.parent.rglob("*"):
        assert not file.is_file() or key.secret.encode() not in file.read_bytes()


def test_json_and_defaults(cli: Cli) -> None:
    made = cli("keys", "create", "--owner", "ben", "--json").json
    assert made["scopes"] == ["read", "diagnose"]
    assert made["expiresAt"] is None
    assert parse_key(made["key"]) is not None
    admin = cli("keys", "create", "--owner", "ben", "--scope", "admin", "--json", "--expires", "12h").json
    assert admin["scopes"] == ["admin"]
    assert admin["expiresAt"] > admin["createdAt"]


def test_revoking(cli: Cli) -> None:
    made = cli("keys", "create", "--owner", "ana", "--json").json
    assert cli("keys", "revoke", made["keyId"]).code == 0
    assert cli("keys", "revoke", made["keyId"], "--json").json == {"keyId": made["keyId"], "state": "revoked"}
    assert cli("keys", "list", "--json").json[0]["state"] == "revoked"
    other = cli("keys", "create", "--owner", "ana").out.strip()
    assert cli("keys", "revoke", other).code == 0  # the whole key was pasted
    assert [item["state"] for item in cli("keys", "list", "--json").json] == ["revoked", "revoked"]


def test_what_does_not_work_says_so(cli: Cli) -> None:
    assert "no keys" in cli("keys", "list").err
    unknown = cli("keys", "revoke", "absent000000")
    assert unknown.code == 2
    assert "'absent000000'" in unknown.err
    nearly = "rp_absent000000_" + "s" * 42
    assert nearly not in cli("keys", "revoke", nearly).err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--owner", ""],
        ["--owner", " ana"],
        ["--owner", "ana", "--expires", "soon"],
        ["--owner", "ana", "--expires", "0d"],
        ["--owner", "ana", "--expires", "99999d"],
        ["--owner", "ana", "--scope", "everything"],
        ["--owner", "ana", "--name", "x" * 101],
    ],
)
def test_keys_that_are_not_made(cli: Cli, arguments: list[str]) -> None:
    assert cli("keys", "create", *arguments).code == 2
    assert cli("keys", "list", "--json").json == []
