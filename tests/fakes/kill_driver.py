"""Kill -9 a real process at every write of a run, then let another process go on from the real store.

`python -m tests.fakes.kill_driver FOLDER URL BUNDLE`: for n = 1, 2, ... a forked process drives a new run and sends
itself SIGKILL before its n-th write; a second one resumes it. One JSON line a boundary; ends at the n that no run
reaches. Forking saves the imports: the killed process is as real as any other.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import rootproof.adapters.sql.canonical_store
import rootproof.adapters.sql.run_store
import rootproof.agent.playbook.model  # noqa: F401 - imported before forking, so that no child pays for it again
from rootproof.bootstrap import SourceSpec, open_inputs, open_services
from rootproof.diagnosis.drive_run import drive_run
from rootproof.diagnosis.present import run_view
from rootproof.diagnosis.start_run import RunRequest, start_run
from rootproof.domain.invocation import is_final
from rootproof.ports.run_store import RunRows
from rootproof.settings import Settings, StoreSettings

WRITES = ("append_step", "open_invocation", "update_invocation", "update_run")


def kill_before(stores: Sequence[tuple[Any, Sequence[str]]], deadly: int) -> None:
    """Make the `deadly`-th call of these methods the end of this process."""
    made = 0
    for store, names in stores:
        for name in names:
            original = getattr(store, name)

            async def counted(*args: Any, _original: Any = original, **named: Any) -> Any:
                nonlocal made
                made += 1
                if made == deadly:
                    os.kill(os.getpid(), signal.SIGKILL)
                return await _original(*args, **named)

            setattr(store, name, counted)


async def go(settings: Settings, bundle: str, run_id: str | None, deadly: int) -> tuple[str, RunRows | None]:
    services = await open_services(settings)
    inputs = open_inputs(settings, SourceSpec(bundle=bundle))
    if run_id is None:
        request = RunRequest(inputs.question, bool(inputs.sources.payload), now=inputs.now)
        return (await start_run(services, request)).run_id, None
    if deadly:
        kill_before([(services.runs, WRITES)], deadly)
    rows = await drive_run(services, run_id, inputs.sources, inputs.skills)
    await services.runs.close()
    return run_id, rows


def forked(work: Any, out: Path) -> int:
    """Run `work` in a child that writes its JSON answer to `out`; the child's wait status."""
    pid = os.fork()
    if pid == 0:
        try:
            out.write_text(json.dumps(work()))
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - the child must end here whatever happens
            out.write_text(json.dumps({"error": repr(error)}))
            os._exit(1)
    return os.waitpid(pid, 0)[1]


def summary(rows: RunRows) -> dict[str, Any]:
    """What must not differ from a run that nobody killed."""
    report = run_view(rows).report
    assert report is not None
    return {
        "status": rows.run.status.value,
        "steps": [[step.agent.value, step.kind.value] for step in rows.steps],
        "stepNumbers": [step.step_no for step in rows.steps],
        "calls": [[c.step_no, c.call_index, c.tool_name, c.status.value] for c in rows.invocations],
        "doubled": [key for key, n in Counter((c.step_no, c.call_index) for c in rows.invocations).items() if n > 1],
        "unfinished": [c.tool_name for c in rows.invocations if not is_final(c.status)],
        "report": json.loads(report.model_dump_json(exclude={"coverage"})),
    }


def main() -> None:
    folder, url, bundle = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    settings = Settings(store=StoreSettings(url=url, home=str(folder)))
    out = folder / "answer.json"

    def answer() -> Any:
        return json.loads(out.read_text())

    for deadly in range(400):
        forked(lambda: asyncio.run(go(settings, bundle, None, 0))[0], out)
        run_id = answer()

        def drive(deadly: int, run_id: str = run_id) -> Any:
            rows = asyncio.run(go(settings, bundle, run_id, deadly))[1]
            assert rows is not None
            return summary(rows)

        status = forked(partial(drive, deadly), out)
        killed = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        if killed:
            forked(partial(drive, 0), out)
        print(json.dumps({"deadly": deadly, "killed": killed, **answer()}), flush=True)
        if deadly and not killed:
            return


if __name__ == "__main__":
    main()
