"""A slow-query log is told by its costliest statement, with numbers that the verifier finds in the evidence."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

from rootproof.adapters.sources.files import FolderLogs
from rootproof.agent.playbook.model import PlaybookModel
from rootproof.diagnosis.present import run_view
from rootproof.ports.sources import Sources
from tests.fakes.builtin_playbook import BUILTIN
from tests.fakes.driving import NOW, World


def slow_log(path: Path, *, runs: int) -> Path:
    """`runs` runs of a report that reads a whole table, each beside a quick one; the report's last run is the worst."""
    lines = []
    for number in range(runs):
        at = NOW - timedelta(minutes=20) + timedelta(seconds=20 * number)
        for took, examined, sql in (
            (10 + number, 500_000, f"SELECT sum(weight) FROM parcels WHERE depot = 'd{number}'"),
            (1.5, 3, f"UPDATE bins SET n = n + 1 WHERE id = {number}"),
        ):
            lines += [
                f"# Time: {at:%Y-%m-%dT%H:%M:%S.%f}Z",
                f"# User@Host: depot[depot] @ app [10.0.0.5]  Id: {number + 7}",
                f"# Query_time: {took:.6f}  Lock_time: 0.000100 Rows_sent: 1  Rows_examined: {examined}",
                f"SET timestamp={int(at.timestamp())};",
                f"{sql};",
            ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


async def told(path: Path) -> list[tuple[str, str]]:
    world = World(PlaybookModel(BUILTIN), Sources(logs=FolderLogs([path])))
    report = run_view(await world.diagnose("why is the depot page slow?")).report
    assert report is not None
    return [(claim.text, str(claim.verdict)) for claim in report.claims if "of the time of all" in claim.text]


async def test_the_costliest_statement_is_told_with_its_totals(tmp_path: Path) -> None:
    ((text, verdict),) = await told(slow_log(tmp_path / "depot-slow.log", runs=20))
    assert "20 runs, 390 s in total, p95 28 s, rows examined 10000000 for rows sent 20" in text
    assert "SUM(weight)" in text.replace("sum", "SUM")
    assert verdict == "SUPPORTED"


async def test_one_run_has_no_totals(tmp_path: Path) -> None:
    assert await told(slow_log(tmp_path / "depot-slow.log", runs=1)) == []
