"""Typed requests: schemas that a model can act on, and errors that say what to mend."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from rootproof.aci.requests import (
    QueryAlertsRequest,
    QueryClusterRequest,
    QueryLogsRequest,
    QueryMetricsRequest,
    RagToolRequest,
    ReadSkillRequest,
    ToolRequest,
)
from rootproof.aci.tools.parse import InvalidRequest, arguments_object, typed
from rootproof.aci.toolset import evidence_tool_names, tool_specs
from rootproof.agent.answers import SUBMIT_PLAN, SUBMIT_REPORT, SUBMIT_VERDICTS, parse_answer
from rootproof.domain.invocation import InvocationStatus
from rootproof.ports.sources import Sources
from tests.aci.adapters_case import Tools
from tests.aci.boundary_case import Case, message_of
from tests.fakes.sources import FakeAlerts, FakeCluster, FakeKnowledge, FakeLogs, FakeMetrics

REQUESTS: dict[type[ToolRequest], dict[str, Any]] = {
    QueryLogsRequest: {"topic": "APPLICATION"},
    QueryMetricsRequest: {},
    QueryAlertsRequest: {},
    QueryClusterRequest: {"view": "overview"},
    RagToolRequest: {"query": "pool full"},
    ReadSkillRequest: {"name": "diagnose-pool"},
}
ALL = Sources(FakeLogs(), FakeMetrics(), FakeAlerts(), FakeCluster(), FakeKnowledge())
NAMES = evidence_tool_names(ALL)


def fields(schema: Mapping[str, Any], where: str = "") -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, field in schema.get("properties", {}).items():
        yield f"{where}{name}", field


def test_every_tool_with_a_source_is_told_with_a_schema() -> None:
    specs = tool_specs(NAMES, with_skills=True)
    assert [spec.name for spec in specs] == [*NAMES, "read_skill"]
    for spec in specs:
        assert len(spec.description) > 40
        assert spec.parameters["additionalProperties"] is False
        json.dumps(spec.parameters)


def test_every_field_of_every_request_is_described() -> None:
    for spec in tool_specs(NAMES, with_skills=True):
        for name, field in fields(spec.parameters):
            assert len(field.get("description", "")) > 8, f"{spec.name}.{name}"


def test_tools_without_a_source_are_not_told() -> None:
    assert evidence_tool_names(Sources(logs=FakeLogs())) == ("query_logs",)
    assert [spec.name for spec in tool_specs(("query_logs",), with_skills=False)] == ["query_logs"]


@pytest.mark.parametrize("model", REQUESTS, ids=lambda model: model.__name__)
def test_an_unknown_field_is_refused_by_name_with_the_fields_that_exist(model: type[ToolRequest]) -> None:
    with pytest.raises(InvalidRequest) as error:
        typed(model, REQUESTS[model] | {"since": "1h"})
    assert "since" in str(error.value)
    for field in model.model_fields:
        assert field in str(error.value)


def test_a_made_up_name_of_any_length_leaves_room_for_what_is_allowed() -> None:
    with pytest.raises(InvalidRequest) as error:
        typed(QueryMetricsRequest, {"x" * 10_000: 1, "y" * 10_000: 2})
    assert len(str(error.value)) < 600
    assert "Allowed fields: contains, lookback_minutes" in str(error.value)


@pytest.mark.parametrize(
    ("model", "arguments", "field"),
    [
        (QueryLogsRequest, {}, "topic"),
        (QueryLogsRequest, {"topic": "EVERYTHING"}, "topic"),
        (QueryLogsRequest, {"topic": "APPLICATION", "level": "LOUD"}, "level"),
        (QueryLogsRequest, {"topic": "APPLICATION", "lookback_minutes": 0}, "lookback_minutes"),
        (QueryLogsRequest, {"topic": "APPLICATION", "lookback_minutes": 10_081}, "lookback_minutes"),
        (QueryLogsRequest, {"topic": "APPLICATION", "services": ["a"] * 21}, "services"),
        (QueryLogsRequest, {"topic": "APPLICATION", "services": "a"}, "services"),
        (QueryLogsRequest, {"topic": "APPLICATION", "contains": ""}, "contains"),
        (QueryLogsRequest, {"topic": "APPLICATION", "contains": "x" * 201}, "contains"),
        (QueryClusterRequest, {"view": "everything"}, "view"),
        (QueryAlertsRequest, {"state": "on"}, "state"),
        (RagToolRequest, {"query": "   "}, "query"),
        (RagToolRequest, {"query": "x", "top_k": 9}, "top_k"),
        (ReadSkillRequest, {"name": {}}, "name"),
    ],
    ids=lambda value: str(value)[:50],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_field(
    model: type[ToolRequest], arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidRequest, match=field):
        typed(model, arguments)


@pytest.mark.parametrize(
    "text",
    [
        "{not json",
        "[]",
        '["topic"]',
        "null",
        '"APPLICATION"',
        "7",
        '{"topic": "APPLICATION", "lookback_minutes": 1e999}',
        '{"topic": "APPLICATION", "lookback_minutes": NaN}',
        '{"topic": "APPLICATION", "lookback_minutes": ' + "9" * 5_000 + "}",
        '{"topic": "\\ud800"}',
        '{"topic": "APPLICATION", "contains": "\\udc00"}',
        "[" * 15_000,
        '{"topic": ' * 1_900 + "1" + "}" * 1_900,
        '{"topic": "APPLICATION", "services": ' + "[" * 900 + "]" * 900 + "}",
        '{"topic": "APPLICATION", "contains": "' + "x" * 20_000 + '"}',
        '{"topic": "APPLICATION", "topic": "APPLICATION", "\\u0000": 1}',
    ],
    ids=lambda text: text[:48],
)
async def test_arguments_of_any_shape_are_recorded_and_reach_no_source(text: str) -> None:
    case = await Case().ready()
    tools = Tools(case)
    result = await tools.call("query_logs", text)
    assert result.status is InvocationStatus.DENIED
    assert message_of(result)
    assert case.runs.written[-1].status is InvocationStatus.DENIED
    assert "invalid" in case.runs.written[-1].request
    assert len(result.text.encode()) < 2_000
    logs = tools.sources.logs
    assert isinstance(logs, FakeLogs)
    assert logs.queries == []


async def test_an_unknown_tool_is_recorded_with_the_names_that_exist() -> None:
    case = await Case().ready()
    result = await Tools(case).call("query_everything\x1b[31m", {})
    assert "query_logs" in message_of(result)
    assert "\x1b" not in case.runs.written[-1].tool_name


def test_no_arguments_are_an_empty_object() -> None:
    assert arguments_object("") == arguments_object("  \n") == arguments_object("{}") == {}


def test_white_space_around_words_is_cut() -> None:
    assert typed(RagToolRequest, {"query": "  pool full "}).query == "pool full"


@pytest.mark.parametrize(
    ("answer", "text", "field"),
    [
        (SUBMIT_PLAN, "{}", "intent"),
        (SUBMIT_PLAN, '{"intent": "PARTY"}', "intent"),
        (SUBMIT_REPORT, "{}", "summary"),
        (SUBMIT_REPORT, '{"summary": "s", "claims": [{"kind": "GUESS", "text": "x"}]}', "claims.0.kind"),
        (SUBMIT_REPORT, '{"summary": "s", "claims": [{"kind": "CAUSE", "text": ""}]}', "claims.0.text"),
        (SUBMIT_VERDICTS, '{"lower": [{"claim_id": "C1", "verdict": "MAYBE", "reason": "r"}]}', "lower.0.verdict"),
        (SUBMIT_VERDICTS, "[1]", "arguments"),
        (SUBMIT_REPORT, "{", "arguments"),
    ],
    ids=lambda value: str(value)[:40],
)
def test_a_wrong_answer_is_refused_by_the_name_of_its_field(answer: str, text: str, field: str) -> None:
    with pytest.raises(ValueError, match=field):
        parse_answer(answer, text)
