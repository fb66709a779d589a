"""Every fault of the shared list ends typed, within its budget, with the best report there can be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from rootproof.adapters.models.provider import ProviderModel
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.diagnosis.present import RunView
from rootproof.domain.invocation import is_final
from rootproof.domain.limits import RunLimits
from rootproof.domain.run import RunStatus
from tests.fakes.builtin_playbook import BUILTIN
from tests.fakes.fault_runs import Played, play, play_scripted
from tests.fakes.processes import Provider, fake_provider
from tests.fakes.provider_faults import CAUSE, FAULTS, KEY, Fault, write_bundle

LOOP = [fault for fault in FAULTS if not fault.wire]
WIRE = [fault for fault in FAULTS if fault.wire]
SILENCE_MS = 30_000


@pytest.fixture(scope="session")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_bundle(tmp_path_factory.mktemp("faults") / "bundle")


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Provider]:
    scripts = {fault.name: fault.script for fault in FAULTS}
    with fake_provider(tmp_path_factory.mktemp("provider"), scripts) as provider:
        yield provider


async def over_http(fault: Fault, server: Provider, bundle: Path, monkeypatch: pytest.MonkeyPatch) -> Played:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    model = ProviderModel(f"openai:{fault.name}", base_url=server.base_url, idle_s=fault.idle_s)
    before = len(server.requests)
    rows, view = await play(model, bundle, model_deadline_s=fault.deadline_s)
    sent = [item for item in server.requests[before:] if item["model"] == fault.name]
    return Played(rows, view, [(item["agent"], item["point"]) for item in sent])


@pytest.mark.parametrize("fault", LOOP, ids=lambda fault: fault.name)
async def test_what_a_model_says_wrong_ends_typed_within_budget(fault: Fault, bundle: Path) -> None:
    check(fault, await play_scripted(fault, bundle))


@pytest.mark.parametrize("fault", WIRE, ids=lambda fault: fault.name)
async def test_what_a_provider_sends_wrong_ends_typed_within_budget(
    fault: Fault, server: Provider, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check(fault, await over_http(fault, server, bundle, monkeypatch))


def check(fault: Fault, played: Played) -> None:
    view, limits = played.view, RunLimits()
    assert view.status is RunStatus.COMPLETED
    assert view.status_reason is not None
    assert view.status_reason.value == fault.reason, view.status_detail
    assert view.report is not None
    assert view.usage.tool_calls <= limits.max_tool_calls + limits.max_fallback_calls
    assert view.usage.duration_ms < SILENCE_MS, "a silence was waited for to its end"
    assert len(played.requests) <= fault.most_requests
    tries = Counter(played.requests)
    if fault.most_tries is not None:
        assert max(tries.values()) == fault.most_tries
    assert all(is_final(row.status) for row in played.rows.invocations)
    assert KEY not in repr(played.rows)
    assert ([item.cause_id for item in view.report.root_causes] == [CAUSE]) is fault.found
    if fault.honest:
        assert view.report.summary.startswith("Root cause not verified")
    if fault.reason == "MODEL_FAILED":
        assert view.status_detail
        assert "playbook reasoner" in view.report.summary


@pytest.mark.parametrize(
    "name",
    ["85 identical calls, one a turn", "200 calls in each turn", "unknown tool", "503 from the first request on"],
)
async def test_the_fallback_is_as_good_as_the_playbook_reasoner_alone(
    name: str, server: Provider, bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fault = next(fault for fault in FAULTS if fault.name == name)
    if fault.wire:
        fallen = await over_http(fault, server, bundle, monkeypatch)
    else:
        fallen = await play_scripted(fault, bundle)
    _, alone = await play(PlaybookModel(BUILTIN), bundle)
    assert fallen.view.status_reason is not alone.status_reason
    assert essence(fallen.view) == essence(alone)


def essence(view: RunView) -> object:
    """What a reader takes from a report; the numbers of its evidence do not matter."""
    assert view.report is not None
    claims = [(item.kind, item.text, item.verdict, len(item.citations)) for item in view.report.claims]
    causes = [(item.cause_id, item.text, item.confidence) for item in view.report.root_causes]
    steps = [step.text for step in view.report.next_steps]
    return claims, causes, steps, view.report.healthy, view.report.summary.split("\nNote: ")[0]
