"""Every recorded bundle of the shared data is read whole, quickly, and leads to facts. Skipped where there is none."""

from __future__ import annotations

import json
import os
import time
import tomllib
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from rootproof.cluster.facts import facts
from rootproof.cluster.read import read
from rootproof.cluster.taxonomy import CAUSE_OF_REASON

DATA = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[2].parent / "shared" / "data"))


def recorded() -> list[Path]:
    """The bundles that hold cluster outputs."""
    found = [path.parent for folder in ("bundles", "cluster-bundles") for path in DATA.glob(f"{folder}/*/bundle.toml")]
    return sorted(path for path in found if (path / "cluster").is_dir())


def raw_of(bundle: Path) -> dict[str, Any]:
    """The raw answer that the bundle source gives for the whole cluster."""
    commands = bundle / "cluster" / "commands.json"
    outputs = json.loads(commands.read_text("utf-8")) if commands.exists() else {}
    objects = {
        path.stem: json.loads(path.read_text("utf-8"))
        for path in (bundle / "cluster").glob("*.json")
        if path.name != "commands.json"
    }
    topology = bundle / "topology.json"
    return {
        "outputs": [{"command": command, "text": text} for command, text in outputs.items()],
        "objects": objects,
        "manifests": [{"file": path.name, "text": path.read_text("utf-8")} for path in bundle.glob("manifests/*.yaml")],
        "topology": json.loads(topology.read_text("utf-8")) if topology.exists() else None,
        "changes": [],
    }


BUNDLES = recorded()
pytestmark = pytest.mark.skipif(not BUNDLES, reason=f"no recorded bundles below {DATA} (set ROOTPROOF_DATA)")


def now_of(bundle: Path) -> datetime:
    """The bundle's fixed clock."""
    return datetime.fromisoformat(tomllib.loads((bundle / "bundle.toml").read_text("utf-8"))["now"])


@pytest.mark.timeout(300)
def test_outputs_are_understood_and_no_bundle_is_slow() -> None:
    understood = total = 0
    for bundle in BUNDLES:
        raw = raw_of(bundle)
        started = time.process_time()
        state = read(raw)
        found = facts(state, now=now_of(bundle))
        spent = time.process_time() - started
        assert spent < 2.0, f"{bundle.name} took {spent:.2f} s"
        assert found, bundle.name
        assert all("\n" not in item.text and len(item.text) <= 900 for item in found)
        understood += state.counts.total - state.counts.unknown
        total += state.counts.total
    assert understood / total >= 0.95, f"{understood} of {total} outputs understood"


@pytest.mark.timeout(300)
def test_most_cluster_faults_are_named_with_their_object() -> None:
    named, missed = 0, []
    for bundle in (path for path in BUNDLES if path.parent.name == "cluster-bundles"):
        expected = tomllib.loads((bundle / "expected.toml").read_text("utf-8"))
        kind, _, name = expected["fault_object"].partition("/")
        wrong = [item for item in facts(read(raw_of(bundle)), now=now_of(bundle)) if item.abnormal and item.current]
        causes = [item for item in wrong if CAUSE_OF_REASON.get(item.reason) == expected["root_cause"]]
        if any(item.app == name if kind == "app" else item.object == expected["fault_object"] for item in causes):
            named += 1
        else:
            missed.append(expected["root_cause"])
    assert named + len(missed) == 0 or named >= 30, f"{named} named, missed {missed}"
