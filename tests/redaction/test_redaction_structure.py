"""JSON values: keys decide, strings are read as text, Kubernetes Secrets lose their data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootproof.redaction import Numbering, redact, redact_structure


def clean(value: Any) -> Any:
    return redact_structure(value, lambda kind, text: f"[{kind}]", {"edge14": "host"})


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"password": "plain words", "user": "app"}, {"password": "[secret:password]", "user": "app"}),
        ({"a": [{"apiKey": "tr0ub4dor"}]}, {"a": [{"apiKey": "[secret:api-key]"}]}),
        ({"pin": 4711, "port": 5432, "ok": True, "none": None}, {"pin": 4711, "port": 5432, "ok": True, "none": None}),
        ({"password": 12345678}, {"password": "[secret:password]"}),
        ({"token": None, "secret": "", "password": "${DB}"}, {"token": None, "secret": "", "password": "${DB}"}),
        ({"Authorization": "Bearer abc.def.ghi"}, {"Authorization": "Bearer [secret:token]"}),
        ({"authorization": ["Bearer abc99"]}, {"authorization": ["Bearer [secret:token]"]}),
        ({"cookie": "a=1x; b=2y"}, {"cookie": "a=[secret:cookie]; b=[secret:cookie]"}),
        ({"tokens": ["a", "b"], "total_tokens": 17}, {"tokens": ["a", "b"], "total_tokens": 17}),
        ({"passwords": ["one two", "three"]}, {"passwords": ["[secret:password]", "[secret:password]"]}),
        ({"name": "SMTP_PASSWORD", "value": "tr0ub4dor"}, {"name": "SMTP_PASSWORD", "value": "[secret:password]"}),
        ({"name": "MODE", "value": "fast"}, {"name": "MODE", "value": "fast"}),
        ({"msg": "edge14 at 10.1.2.3"}, {"msg": "[host] at [ip]"}),
        ({"edge14": {"up": 1}}, {"[host]": {"up": 1}}),
        (["password=tr0ub4dor", 3, 1.5], ["password=[secret:password]", 3, 1.5]),
        ("plain", "plain"),
        (7, 7),
    ],
)
def test_a_json_value_keeps_its_shape(value: Any, expected: Any) -> None:
    assert clean(value) == expected


def test_the_data_of_kubernetes_secrets_goes() -> None:
    secret = {
        "kind": "Secret",
        "metadata": {"name": "front"},
        "data": {"tls.crt": "QUJD"},
        "stringData": {"note": "hello"},
    }
    out = clean({"kind": "SecretList", "items": [secret]})
    assert out["items"][0]["data"] == {"tls.crt": "[secret:kubernetes]"}
    assert out["items"][0]["stringData"] == {"note": "[secret:kubernetes]"}
    assert out["items"][0]["metadata"] == {"name": "front"}
    config = {"kind": "ConfigMap", "data": {"mode": "fast"}}
    assert clean(config) == config


def test_json_in_a_string_is_walked_as_json() -> None:
    applied = json.dumps({"kind": "Secret", "data": {"cert": "QUJD"}, "n": 1})
    out = clean({"annotations": {"last-applied": applied}})
    assert "QUJD" not in json.dumps(out)
    assert json.loads(out["annotations"]["last-applied"])["n"] == 1


def test_json_in_json_in_a_string_hides_nothing() -> None:
    inner = json.dumps({"password": "correct horse", "note": "x"})
    outer = json.dumps({"body": json.dumps({"payload": inner})})
    assert "horse" not in json.dumps(clean({"message": outer}))
    assert "horse" not in json.dumps(clean({"message": "request failed: " + outer}))


def test_deep_nesting_ends() -> None:
    value: Any = "password=tr0ub4dor"
    for _ in range(200):
        value = [value]
    assert "tr0ub4dor" not in json.dumps(clean(value))


def test_redacting_a_structure_twice_is_once() -> None:
    n = Numbering()
    value = {
        "password": "x y",
        "Authorization": "Basic dXNlcjpwYXNz",
        "cookie": "a=b1",
        "m": "10.1.2.3",
        "d": {"kind": "Secret", "data": {"a": "QQ=="}},
    }
    once = redact_structure(value, n)
    assert redact_structure(once, n) == once


def test_labels_that_name_a_machine_give_its_name_away() -> None:
    numbers = Numbering()
    labels = redact_structure({"node": "worker-07", "hostname": "rack4-n2", "pod": "cart-0"}, numbers)
    assert labels == {"node": "<node:1>", "hostname": "<host:1>", "pod": "<pod:cart-1>"}
    assert redact("pods moved off node worker-07", numbers) == "pods moved off node <node:1>"


def test_a_label_whose_key_only_sounds_like_a_machine_keeps_its_value() -> None:
    assert redact_structure({"node": "primary", "pods": "3", "host": "db"}, Numbering()) == {
        "node": "primary",
        "pods": "3",
        "host": "db",
    }
