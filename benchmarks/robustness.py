"""Does the diagnosis rest on evidence, or on names? Every bundle is diagnosed as it is, renamed, and with less.

`python -m benchmarks.robustness [DIR] [--seed N] [--only ID]`. Renaming replaces the names of services, workloads,
databases, namespaces, clusters and alerts, found in the alert's labels and in the names of pods, by made-up ones, in
every file and file name (`expected.toml` is not touched and not read). The health verdict and the ordered cause ids
must stay. Removal deletes the inputs that a SUPPORTED cause's evidence came from, by tool; a cause that then rests on
other evidence loses that too; in the end it must be gone or unverified.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rootproof.bootstrap import SourceSpec, memory_services, open_inputs
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.present import RunView, run_view
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.settings import Settings

DEFAULT = Path(os.environ.get("ROOTPROOF_DATA", "../shared/data")) / "bundles"
_NAMING = re.compile(
    r"(?:^|_)(service|app|workload|deployment|db|database|instance|cluster|replica|namespace|job|alertname)"
)
_POD = re.compile(r"^(.+?)-[0-9a-f]{7,10}-[a-z0-9]{5}$")
_KEPT = frozenset({"default", "kube-system", "rds", "postgres", "mysql", "kubernetes", "deployment", "true", "false"})
_FOLDERS = {"query_logs": "logs", "query_metrics": "metrics", "query_cluster": "cluster", "query_alerts": "alerts.json"}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What must not depend on names."""

    healthy: bool
    causes: tuple[str, ...]


async def diagnose(bundle: Path) -> RunView:
    """The run over a bundle, on memory stores."""
    settings = Settings()
    services = memory_services(settings)
    inputs = open_inputs(settings, SourceSpec(bundle=str(bundle)))
    request = RunRequest(inputs.question, bool(inputs.sources.payload), now=inputs.now)
    run = await start_run(services, request)
    return run_view(await drive_run(services, run.run_id, inputs.sources, inputs.skills))


def outcome(view: RunView) -> Outcome:
    """The part of a run that names must not change."""
    assert view.report is not None
    return Outcome(view.report.healthy, tuple(cause.cause_id for cause in view.report.root_causes))


def names_in(bundle: Path) -> set[str]:
    """Names worth replacing."""
    found: set[str] = set()
    alert = bundle / "alert.json"
    if alert.is_file():
        for key, value in _texts(json.loads(alert.read_text(encoding="utf-8"))):
            if _NAMING.search(key.lower()) and re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{3,60}", value):
                found.add(value)
    for file in (bundle / "logs").glob("*"):
        pod = _POD.match(file.name.split(".")[0])
        if pod:
            found.add(pod.group(1))
    for text in (file.read_text(encoding="utf-8", errors="replace") for file in (bundle / "cluster").glob("pods.json")):
        for pod_name in re.findall(r'"name": "([^"]+)"', text):
            pod = _POD.match(pod_name)
            if pod:
                found.add(pod.group(1))
    stems = {pod.group(1) for name in found if (pod := _POD.match(name))}
    return {name for name in found | stems if name.lower() not in _KEPT and not _POD.match(name)}


def _texts(value: Any, key: str = "") -> Iterator[tuple[str, str]]:
    match value:
        case str():
            yield key, value
        case dict():
            for name, item in value.items():
                yield from _texts(item, name)
        case list():
            for item in value:
                yield from _texts(item, key)


def rename(bundle: Path, into: Path, seed: int) -> dict[str, str]:
    """Copy the bundle with its names replaced; the replacements. A name that begins with another keeps its rest."""
    chance = random.Random(f"{seed} {bundle.name}")
    made: dict[str, str] = {}
    for name in sorted(names_in(bundle), key=len):
        base = max((known for known in made if name.startswith(f"{known}-")), key=len, default=None)
        word = "".join(chance.choice("bdfgklmnprtvz") + chance.choice("aeiou") for _ in range(4))
        made[name] = made[base] + name[len(base) :] if base else (word.title() if name[:1].isupper() else word)
    pattern = re.compile("|".join(re.escape(name) for name in sorted(made, key=len, reverse=True)) or r"(?!)")

    def renamed(text: str) -> str:
        return pattern.sub(lambda match: made[match.group()], text)

    for file in bundle.rglob("*"):
        if file.is_file() and file.name != "expected.toml":
            target = into / renamed(str(file.relative_to(bundle)))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(renamed(file.read_text(encoding="utf-8", errors="replace")), encoding="utf-8")
    return made


def decisive(view: RunView, wanted: set[str]) -> set[str]:
    """The inputs that the supported causes among `wanted` cite evidence from."""
    assert view.report is not None
    causes = {cause.claim_id for cause in view.report.root_causes if cause.cause_id in wanted}
    cited = {c.evidence_id for claim in view.report.claims if claim.id in causes for c in claim.citations}
    return {_FOLDERS[item.tool] for item in view.evidence if item.id in cited and item.tool in _FOLDERS}


async def removed(bundle: Path, view: RunView) -> tuple[set[str], set[str]]:
    """The inputs that were taken away, and the causes of the whole bundle that were still supported at the end."""
    wanted = set(outcome(view).causes)
    gone: set[str] = set()
    while more := decisive(view, wanted) - gone:
        gone |= more
        with tempfile.TemporaryDirectory() as folder:
            fewer = Path(folder) / bundle.name
            left_out = {*gone, "expected.toml"}
            shutil.copytree(bundle, fewer, ignore=lambda _folder, names, out=left_out: [n for n in names if n in out])
            view = await diagnose(fewer)
    return gone, wanted & set(outcome(view).causes)


async def check(bundle: Path, seed: int) -> tuple[bool, bool]:
    """Print one bundle's line; whether renaming and removal came out as they must."""
    view = await diagnose(bundle)
    plain = outcome(view)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder) / "renamed"
        made = rename(bundle, copy, seed)
        other = outcome(await diagnose(copy))
    gone, still = await removed(bundle, view)
    same = plain == other
    found = ", ".join(plain.causes) or ("healthy" if plain.healthy else "no cause")
    renamed = "same" if same else f"CHANGED to {other}"
    left = f"STILL {sorted(still)}" if still else "gone"
    print(f"{bundle.name}  {found}  renamed ({len(made)} names): {renamed}", end="")
    print(f"  without {', '.join(sorted(gone))}: {left}" if gone else "")
    return same, not still


async def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[])
    options = parser.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"no bundles at {options.folder}: set ROOTPROOF_DATA or name a folder")
    results = [
        await check(bundle, options.seed)
        for bundle in sorted(options.folder.iterdir())
        if bundle.is_dir() and (not options.only or bundle.name in options.only)
    ]
    print(f"\nrenamed: {sum(same for same, _ in results)} of {len(results)} unchanged")
    print(f"decisive inputs removed: cause gone or unverified in {sum(gone for _, gone in results)} of {len(results)}")


if __name__ == "__main__":
    asyncio.run(main())
