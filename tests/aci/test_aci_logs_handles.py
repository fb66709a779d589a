"""More of one pattern or one window: `pattern_id`, `after`, `before`."""

from __future__ import annotations

import json
from typing import Any

import pytest

from rootproof.aci.requests import QueryLogsRequest
from rootproof.aci.tools.parse import InvalidRequest, typed
from rootproof.adapters.memory.scripted_model import calls
from rootproof.domain.claim import Verdict
from rootproof.domain.invocation import InvocationStatus
from rootproof.ports.model import ModelReply, ModelRequest, ToolMessage
from rootproof.ports.sources import Sources
from tests.aci.adapters_case import Tools
from tests.aci.boundary_case import Case
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

VESSELS = ("heron", "plover", "curlew", "dunlin", "godwit", "avocet", "whimbrel", "sanderling", "turnstone", "knot")


def at(minute: int, second: int = 0) -> str:
    return f"2026-05-04T10:{minute:02d}:{second:02d}Z"


def records() -> list[dict[str, Any]]:
    """Half an hour of a ferry desk: routine, one sentence about many vessels, and something new in the last minutes."""
    found = [log(f"gate {n % 7} counted {n * 3} guests", "INFO", "gate", at=at(n % 29, n % 60)) for n in range(400)]
    found += [log(f"vessel {VESSELS[n % 10]} berthed at pier {n}", "INFO", "desk", at=at(n // 2)) for n in range(58)]
    found += [log("the tide table is upside down", "ERROR", "desk", at=at(25, n)) for n in range(5)]
    return sorted(found, key=lambda record: record["timestamp"])


async def asked(*requests: dict[str, Any], source: FakeLogs | None = None) -> list[dict[str, Any]]:
    """The views of these calls of one run, each with `outcome`."""
    tools = Tools(await Case().ready(), logs=source or FakeLogs(records()))
    views = []
    for request in requests:
        result = await tools.call("query_logs", {"topic": "APPLICATION"} | request)
        views.append(json.loads(result.text) | {"outcome": result.status})
    return views


async def id_of(words: str) -> str:
    (view,) = await asked({})
    return next(item["id"] for item in view["patterns"] if words in item["pattern"])


async def test_a_pattern_is_shown_by_its_own_lines_with_its_rate() -> None:
    wanted = await id_of("berthed at pier")
    (view,) = await asked({"pattern_id": wanted})
    assert view["scope"]["pattern_id"] == wanted
    assert {item["id"] for item in view["patterns"]} == {wanted}
    assert view["selected"] == sum(item["count"] for item in view["patterns"]) == 58
    assert view["services"] == {"desk": 58}
    assert sum(view["rate"]["counts"]) == 58
    assert view["rate"]["from"] == at(0)
    shown = {word for event in view["timeline"] for word in VESSELS if word in event["message"]}
    assert shown == set(VESSELS)
    assert len(view["timeline"]) + view["omitted"]["events"] == 58


async def test_a_window_shows_its_records_and_what_is_new_in_it() -> None:
    (view,) = await asked({"after": at(25), "before": at(26)})
    times = [event["time"] for event in view["timeline"]]
    assert all(at(25) <= time < at(26) for time in times)
    assert {item["pattern"]: item.get("mark", "") for item in view["patterns"] if "tide" in item["pattern"]} == {
        "the tide table is upside down": "new"
    }
    assert not [item for item in view["patterns"] if item.get("mark") and "tide" not in item["pattern"]]
    assert view["scope"]["after"] == at(25)
    assert view["selected"] < view["matched"] == 463


async def test_a_pattern_in_a_window_is_both() -> None:
    wanted = await id_of("berthed at pier")
    (view,) = await asked({"pattern_id": wanted, "before": at(5)})
    assert view["selected"] == 10
    assert max(event["time"] for event in view["timeline"]) < at(5)


async def test_the_same_id_means_the_same_pattern_in_every_view() -> None:
    views = await asked({}, {"after": at(20)}, {"before": at(10)})
    names = [{item["id"]: item["pattern"] for item in view["patterns"] if item["count"] > 9} for view in views]
    shared = names[0].keys() & names[1].keys() & names[2].keys()
    assert len(shared) == 2
    assert all(names[0][each] == names[1][each] == names[2][each] for each in shared)


async def test_an_id_of_another_search_is_no_evidence_and_says_what_to_do() -> None:
    wanted = await id_of("berthed at pier")
    (view,) = await asked({"pattern_id": wanted}, source=FakeLogs([log("nothing of the kind")]))
    assert view["outcome"] is InvocationStatus.NO_EVIDENCE
    assert wanted in view["note"]
    assert "lookback_minutes of the call that showed it" in view["note"]
    assert (view["selected"], view["patterns"], view["timeline"]) == (0, [], [])


async def test_an_empty_window_says_so() -> None:
    (view,) = await asked({"after": "2026-05-04T11:00:00Z"})
    assert view["outcome"] is InvocationStatus.NO_EVIDENCE
    assert view["note"] == "no record lies between after and before"


async def test_records_without_a_time_lie_in_no_window() -> None:
    untimed = FakeLogs([log("odd", at=None), log("even", at=at(3))])
    (view,) = await asked({"after": at(1)}, source=untimed)
    assert [item["pattern"] for item in view["patterns"]] == ["even"]


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"after": at(5), "before": at(5)}, "before must be later than after"),
        ({"after": "2026-05-04T10:00:00"}, "after: Input should have timezone info"),
        ({"pattern_id": "berthed"}, "pattern_id"),
        ({"after": "0001-01-01T00:00:00+14:00"}, "1971 to 9998"),
        ({"before": "9999-12-31T23:59:59-14:00"}, "1971 to 9998"),
    ],
)
def test_a_handle_that_means_nothing_is_refused(fields: dict[str, str], why: str) -> None:
    with pytest.raises(InvalidRequest, match=why):
        typed(QueryLogsRequest, {"topic": "APPLICATION"} | fields)


async def test_calls_with_other_handles_are_other_calls_and_one_without_is_as_before() -> None:
    wanted = await id_of("berthed at pier")
    case = await Case().ready()
    tools = Tools(case, logs=FakeLogs(records()))
    requests = [{}, {"pattern_id": wanted}, {"after": at(2)}, {"before": at(2)}, {"pattern_id": wanted}]
    for request in requests:
        await tools.call("query_logs", {"topic": "APPLICATION"} | request)
    assert len(tools.sources.logs.queries) == 4  # type: ignore[union-attr]
    plain = QueryLogsRequest(topic="APPLICATION").model_dump(mode="json")  # type: ignore[arg-type]
    assert set(plain) == {"topic", "services", "level", "contains", "lookback_minutes"}


# A run that asks for more ------------------------------------------------------------------------------------------


def answers(request: ModelRequest) -> list[str]:
    return [message.content for message in request.messages if isinstance(message, ToolMessage)]


def more_of_it(request: ModelRequest) -> ModelReply:
    patterns = json.loads(answers(request)[-1])["patterns"]
    wanted = next(item["id"] for item in patterns if "berthed" in item["pattern"])
    return calls(("query_logs", {"topic": "APPLICATION", "pattern_id": wanted}))


def reported(request: ModelRequest) -> ModelReply:
    first, handled = answers(request)
    event = next(each for each in json.loads(handled)["timeline"] if each["message"] not in first)
    reply: ModelReply = report(claim(f"At {event['time']} {event['message']}.", event["evidence_id"]))
    return reply


async def test_a_run_cites_a_line_that_only_the_handle_showed() -> None:
    first = calls(("query_logs", {"topic": "APPLICATION"}))
    model = scripted([first, more_of_it, reported])
    rows = await World(model=model, sources=Sources(logs=FakeLogs(records()))).diagnose("which vessels berthed?")
    plain, handled = rows.invocations
    assert rows.run.report is not None
    (checked,) = rows.run.report["claims"]
    assert checked["verdict"] == Verdict.SUPPORTED, checked
    said = checked["claim"]["text"].removesuffix(".").split("Z ", 1)[1]
    assert said in handled.result
    assert said not in plain.result
