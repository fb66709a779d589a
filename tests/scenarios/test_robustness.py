"""A cause rests on evidence: names do not matter, and without the decisive inputs it is gone."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.robustness import diagnose, outcome, removed, rename
from rootproof.scenarios import scenario_names, scenario_path


@pytest.mark.parametrize("name", scenario_names())
async def test_renaming_everything_changes_no_verdict(name: str, tmp_path: Path) -> None:
    bundle = Path(scenario_path(name))
    assert rename(bundle, tmp_path / "renamed", seed=7)
    assert outcome(await diagnose(bundle)) == outcome(await diagnose(tmp_path / "renamed"))


async def test_the_real_fault_is_found_and_the_false_alarm_is_called_healthy() -> None:
    fault = outcome(await diagnose(Path(scenario_path("order-pool-leak"))))
    alarm = outcome(await diagnose(Path(scenario_path("node-flap-recovered"))))
    assert not fault.healthy
    assert len(fault.causes) == 1
    assert (alarm.healthy, alarm.causes) == (True, ())


async def test_without_the_decisive_inputs_the_cause_is_gone() -> None:
    bundle = Path(scenario_path("order-pool-leak"))
    gone, still = await removed(bundle, await diagnose(bundle))
    assert gone
    assert still == set()
