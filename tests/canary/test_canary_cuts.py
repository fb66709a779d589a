"""A token that a length limit cuts in two leaks no piece: texts are redacted whole and cut afterwards.

Each case puts so many tokens into one text, at each of forty offsets, that every limit falls into one of them. They
shrink when they are redacted, so what stood behind a cut that came too early would move up into what is shown.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from rootproof.aci.identifiers import IdentifierMap
from rootproof.adapters.memory.scripted_model import calls
from rootproof.adapters.models.provider import ProviderModel
from rootproof.adapters.observability.logs import LineFormatter
from rootproof.diagnosis.history import pair_of
from rootproof.diagnosis.start_run import RunRequest, as_stored
from rootproof.diagnosis.take_alerts import clean_alert
from rootproof.domain.alert import Alert
from rootproof.domain.cutting import within
from rootproof.domain.run import Run, RunMode
from rootproof.entrypoints.http.problem_answers import leaving
from rootproof.errors import SourceUnavailable
from rootproof.ports.sources import Sources
from tests.aci.projecting import Projecting
from tests.canary.forms import Canaries
from tests.fakes.driving import World, claim, report, scripted
from tests.fakes.sources import FakeLogs, log

NOW = datetime(2026, 5, 4, 10, 30, tzinfo=UTC)
OFFSETS = range(0, 40, 3)


def tokens(canaries: Canaries, offset: int, chars: int = 9_000) -> str:
    """A line of tokens, the first of them `offset` characters from its beginning."""
    words = [canaries.word("github", f"{offset} {number}") for number in range(chars // 41)]
    return "x" * offset + " " + " ".join(words)


def stored_payload(text: str) -> str:
    alert = Alert(
        name="A", service=text, raw_severity=text, summary=text, description=text, labels={"a": text, text: "b"}
    )
    return repr(as_stored(RunRequest(question=text[:8_000].rpartition(" ")[0], payload=(alert,))))


def taken_alert(text: str) -> str:
    return repr(
        clean_alert(Alert(name=text, summary=text, description=text, labels={"a": text}, annotations={text: "b"}))
    )


def knowledge(text: str) -> str:
    projecting = Projecting()
    block = {"content": text, "source": text, "title": text, "breadcrumb": text, "hitReasons": [text]}
    shown = projecting.knowledge([block | {"documentId": "d"}], queryTransform={"original": text, "terms": [text]})
    assert projecting.last is not None
    return repr(shown) + repr(projecting.last)


def logs(text: str) -> str:
    projecting = Projecting()
    shown = projecting.logs([log(text), log("ok"), log(text, service=text, instance=text, level="FATAL")])
    return repr(shown) + repr(projecting.last)


def metrics(text: str) -> str:
    projecting = Projecting()
    series = {
        "name": text,
        "labels": {"note": text, text: "x"},
        "unit": text,
        "values": [[1_777_888_800, 1], [1_777_888_860, 2]],
    }
    return repr(projecting.metrics([series])) + repr(projecting.last)


def alerts(text: str) -> str:
    projecting = Projecting()
    alert = {
        "name": text,
        "state": text,
        "severity": text,
        "labels": {"service": text},
        "annotations": {"summary": text},
    }
    return repr(projecting.alerts([alert | {"value": text}])) + repr(projecting.last)


DESCRIBED = """Name: ledger-0
Namespace: shop
Status: Failed
Message: {0}
Containers:
  main:
    Image: app
    Args:
      {0}
    State: Terminated
      Reason: Error
      Message: {0}
Events:
  Type     Reason   Age  From     Message
  ----     ------   ---- ----     -------
  Warning  Failed   2m   kubelet  {0}
"""
UNIT = """● kubelet.service - kubelet
   Active: failed (Result: exit-code) since Mon 2026-05-04 10:00:00 UTC; 3min ago
May 04 10:00:01 node-1 kubelet[411]: {0}
May 04 10:00:02 node-1 kubelet[411]: {0}
"""


def cluster(text: str) -> str:
    *_, status, name = text.split()
    events = "LAST SEEN   TYPE      REASON   OBJECT         MESSAGE\n"
    outputs = {
        "kubectl describe pod ledger-0 -n shop": DESCRIBED.format(text),
        "ssh node-1 systemctl status kubelet": UNIT.format(text),
        "kubectl get pods -n shop": f"NAME READY STATUS RESTARTS AGE\n{name} 0/1 {status} 7 3m\n",
        "kubectl get events -n shop": f"{events}2m          Warning   Failed   pod/ledger-0   {text}\n",
        "kubectl get configmaps -n shop": f"Error from server (Forbidden): {text}",
        "kubectl get pod ledger-0 -n shop -o yaml": f"kind: Pod\n  bad: [{text}",
        "nc -zv ledger 80": f"nc: connect to ledger port 80 failed: {text}",
        f"kubectl get pods --token {text}": "what",
    }
    changes = [{"time": "2026-05-04T10:00:00Z", "kind": text, "object": text, "summary": text, "author": text}]
    body = {"outputs": [{"command": key, "text": value} for key, value in outputs.items()], "changes": changes}
    body["objects"] = {"pods": [{"name": "ledger-0", "namespace": "shop", "phase": "Failed", "message": text}]}
    projecting = Projecting()
    return repr(projecting.cluster(body)) + repr(projecting.last)


def provider(text: str) -> str:
    said = ProviderModel("openai:m", base_url="http://127.0.0.1:1", api_key_env=None)._words(ValueError(text))
    return IdentifierMap().redact(f"ModelError: {said}")


def log_line(text: str) -> str:
    record = logging.LogRecord("x", logging.INFO, "f", 1, "%s", (text,), None)
    return LineFormatter(as_json=True).format(record)


def session(text: str) -> str:
    report = {"summary": text, "rootCauses": []}
    run = Run("run-1", "ses-1", "ana", RunMode.CHAT, text, NOW, report=report, headline=report)
    return repr(pair_of(run))


CASES: dict[str, Callable[[str], str]] = {
    "payload of a run": stored_payload,
    "payload of an incident": taken_alert,
    "knowledge projection": knowledge,
    "log projection": logs,
    "metrics projection": metrics,
    "alerts projection": alerts,
    "cluster projection": cluster,
    "words of a provider": provider,
    "log line": log_line,
    "session": session,
    "problem": leaving,
}
LENGTHS = {"log line": 110_000}


@pytest.mark.parametrize("name", CASES)
def test_no_limit_cuts_a_token_in_two(name: str) -> None:
    leaks = []
    for offset in OFFSETS:
        canaries = Canaries()
        shown = CASES[name](tokens(canaries, offset, LENGTHS.get(name, 9_000)))
        leaks += canaries.found_in(shown)
        assert "<secret:" in shown
    assert leaks == []


@pytest.mark.parametrize("kind", [SourceUnavailable, RuntimeError])
async def test_an_error_of_any_length_is_bounded_and_holds_no_piece(kind: type[Exception]) -> None:
    """D21: 733 000 characters; and a length at which what is looked at ends in a token."""
    for offset, chars in ((0, 733_000), (7, 40_000)):
        canaries = Canaries()
        failing = FakeLogs(answer=kind(tokens(canaries, offset, chars)))
        model = scripted([calls(("query_logs", {"topic": "APPLICATION"})), report(claim("x", "E1"))])
        rows = await World(model, Sources(logs=failing)).diagnose()
        assert canaries.found_in(repr(rows) + repr(model.requests)) == []
        assert 0 < len(rows.invocations[0].error) <= 600
        assert len(rows.invocations[0].result) < 2_000


def test_the_check_sees_a_limit_that_comes_too_early() -> None:
    canaries = Canaries()
    text = tokens(canaries, 3)
    assert canaries.found_in(IdentifierMap().redact(text[:515])) != []
    assert canaries.found_in(IdentifierMap().redact(within(text, 515))) == []
