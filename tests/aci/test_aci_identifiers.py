"""The run's identifier map: stable placeholders, resolved in requests, restored for the owner, never for secrets."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rootproof.aci.identifiers import IdentifierMap, restore
from rootproof.ports.sources import MetricQuery
from tests.aci.adapters_case import Tools, run_tool
from tests.aci.boundary_case import Case
from tests.fakes.sources import FakeKnowledge, FakeLogs, FakeMetrics, log

TEXT = "pod cart-5d9c7b6f4-x2k9q at 10.1.2.3 asked node-7.corp.example; password=Hunter2Hunter2; ops@corp.example"


def test_the_same_value_has_the_same_placeholder_everywhere() -> None:
    known = IdentifierMap()
    first = known.redact("from 10.1.2.3 to 10.9.9.9")
    second = known.redact_structure({"peer": "10.9.9.9", "list": ["10.1.2.3"]})
    assert first == "from <ip:1> to <ip:2>"
    assert second == {"peer": "<ip:2>", "list": ["<ip:1>"]}


def test_placeholders_of_identifiers_resolve_to_what_they_stand_for() -> None:
    known = IdentifierMap()
    shown = known.redact(TEXT)
    for value in ("10.1.2.3", "x2k9q", "ops@corp.example"):
        assert value not in shown
        assert value in known.resolve(shown)
    assert known.resolve_structure({"a": ["<ip:1>"]}) == {"a": ["10.1.2.3"]}


def test_a_credential_is_never_restored() -> None:
    known = IdentifierMap()
    shown = known.redact(TEXT)
    entries = known.take_fresh()
    assert "Hunter2" not in json.dumps(entries)
    assert "Hunter2" not in known.resolve(shown)
    assert "Hunter2" not in restore(shown, entries)
    assert "<secret:" in restore(shown, entries)
    assert "<secret:" in IdentifierMap(entries).resolve(shown)


def test_unknown_placeholders_stay_as_they_are() -> None:
    assert IdentifierMap().resolve("<pod:cart-9> <ip:3> <b>") == "<pod:cart-9> <ip:3> <b>"
    assert restore({"n": 1, "t": "<ip:3>", "x": None}, {}) == {"n": 1, "t": "<ip:3>", "x": None}


def test_fresh_entries_are_given_out_once() -> None:
    known = IdentifierMap()
    known.redact("10.1.2.3")
    assert known.take_fresh() == {"<ip:1>": "10.1.2.3"}
    known.redact("10.1.2.3 and 10.4.4.4")
    assert known.take_fresh() == {"<ip:2>": "10.4.4.4"}


def test_a_credential_that_comes_again_in_another_row_has_another_number_there() -> None:
    known = IdentifierMap()
    assert known.redact("password=c0rrecth0rse99 password=c0rrecth0rse99").count("<secret:password:1>") == 2
    known.take_fresh()
    assert known.redact("password=c0rrecth0rse99") == "password=<secret:password:2>"


def test_a_map_made_from_stored_entries_goes_on_numbering() -> None:
    before = IdentifierMap()
    before.redact(TEXT + " and 10.7.7.7")
    after = IdentifierMap(before.take_fresh())
    assert after.redact("10.7.7.7 10.8.8.8") == "<ip:2> <ip:3>"
    shown = after.redact("password=AnotherOne99")
    assert "<secret:password:2>" in shown
    assert after.redact("pod cart-5d9c7b6f4-zzzz9") == "pod <pod:cart-2>"


def test_names_learned_from_structure_stay_hidden_after_a_restart() -> None:
    before = IdentifierMap()
    before.learn("blue-rack7", "node")
    shown = before.redact("blue-rack7 is slow")
    after = IdentifierMap(before.take_fresh())
    assert shown == after.redact("blue-rack7 is slow") == "<node:1> is slow"


def test_a_plain_word_is_not_hidden_in_every_sentence_after_a_restart() -> None:
    after = IdentifierMap({"<host:1>": "cart"})
    assert after.redact("the cart service is slow") == "the cart service is slow"


def test_maps_of_two_runs_know_nothing_of_each_other() -> None:
    one, other = IdentifierMap(), IdentifierMap()
    one.redact("10.1.2.3")
    assert other.redact("10.9.9.9") == "<ip:1>"
    assert other.resolve("<ip:1>") == "10.9.9.9"


@given(st.lists(st.ip_addresses(v=4).map(str), min_size=1, max_size=6))
def test_redacting_and_resolving_gives_the_text_back(addresses: list[str]) -> None:
    known = IdentifierMap()
    text = " then ".join(addresses)
    shown = known.redact(text)
    assert known.resolve(shown) == text
    assert restore(shown, known.take_fresh()) == text
    assert known.redact(shown) == shown


@pytest.mark.parametrize("tool", ["query_logs", "query_metrics", "lookup_knowledge"])
async def test_placeholders_in_a_request_are_resolved_before_they_reach_the_source(tool: str) -> None:
    case = await Case().ready()
    logs = FakeLogs([log("refused by 10.1.2.3 for pod cart-5d9c7b6f4-x2k9q")])
    metrics, runbooks = FakeMetrics(), FakeKnowledge()
    tools = Tools(case, logs=logs, metrics=metrics, knowledge=runbooks)
    first = await tools.call("query_logs", {"topic": "APPLICATION"})
    assert "<pod:cart-1>" in first.text
    words = "<pod:cart-1> <ip:1>"
    arguments = {
        "query_logs": {"topic": "APPLICATION", "services": ["<pod:cart-1>"], "contains": words},
        "query_metrics": {"contains": ["<pod:cart-1>"]},
        "lookup_knowledge": {"query": words},
    }[tool]
    result = await tools.call(tool, arguments)
    real = "cart-5d9c7b6f4-x2k9q"
    match tool:
        case "query_logs":
            assert logs.queries[-1].services == (real,)
            assert logs.queries[-1].contains == f"{real} 10.1.2.3"
            assert "<pod:cart-1>" in result.text
        case "query_metrics":
            assert metrics.queries[-1].contains == (real,)
        case _:
            assert runbooks.queries[-1] == f"{real} 10.1.2.3"
    assert real not in result.text
    assert real not in repr(case.runs.written[-1].request)


async def test_a_credentials_placeholder_reaches_the_source_as_it_is() -> None:
    _, query = await run_tool("query_metrics", {"contains": ["<secret:password:1>"]})
    assert isinstance(query, MetricQuery)
    assert query.contains == ("<secret:password:1>",)


def test_json_text_of_any_depth_is_redacted() -> None:
    deep = '{"a": ' * 900 + '"10.1.2.3"' + "}" * 900
    known = IdentifierMap()
    output = {"calls": [{"arguments": deep, "password": "Hunter2Hunter2"}], "text": "from 10.1.2.3", "n": 1}
    shown = known.redact_structure(output)
    assert set(shown) == {"calls", "text", "n"}
    assert shown["text"] == "from <ip:1>"
    assert "10.1.2.3" not in shown["calls"][0]["arguments"]
    assert "Hunter2" not in str(shown)


def test_a_credential_never_shares_the_placeholder_that_stands_in_a_text() -> None:
    identifiers = IdentifierMap()
    text = identifiers.redact("the question said <secret:password:1> and <secret:password:2>, password=Tr0ub4dor&3xyz")
    assert "<secret:password:3>" in text
    assert identifiers.take_fresh() == dict.fromkeys(
        ["<secret:password:1>", "<secret:password:2>", "<secret:password:3>"], ""
    )
    assert identifiers.redact_structure([["<secret:token:7>"]]) == [["<secret:token:7>"]]
    assert identifiers.take_fresh() == {"<secret:token:7>": ""}


def test_a_number_in_a_text_cannot_use_up_the_numbers() -> None:
    identifiers = IdentifierMap()
    assert "<secret:password:1>" in identifiers.redact("<secret:password:999999999> then password=Tr0ub4dor&3xyz")
