"""Secrets of nobody, planted in every input of a bundle; each is its own, so a leak tells where it came from."""

from __future__ import annotations

import base64
import json
import random
import string
from pathlib import Path

ALNUM = string.ascii_letters + string.digits
KINDS = ("aws", "github", "dsn", "bearer", "private_key", "jwt", "slack")


class Canaries:
    """Makes the secrets and remembers the telling part of each."""

    def __init__(self) -> None:
        self.planted: dict[str, str] = {}

    def text(self, kind: str, place: str) -> str:
        """Words with one secret in them."""
        rng = random.Random(f"{kind}/{place}")

        def chars(count: int, alphabet: str = ALNUM) -> str:
            return "".join(rng.choice(alphabet) for _ in range(count))

        secret = chars(36)
        match kind:
            case "aws":
                secret = chars(16, string.ascii_uppercase + "234567")
                shown = f"using key AKIA{secret} for the bucket"
            case "github":
                shown = f"cloning with ghp_{secret} now"
            case "dsn":
                secret = chars(20)
                shown = f"dialing postgresql://ledger:{secret}@db-main:5432/ledger"
            case "bearer":
                shown = f"sent Authorization: Bearer {secret}"
            case "private_key":
                secret = chars(64)
                shown = f"-----BEGIN RSA PRIVATE KEY----- {secret} {chars(64)} -----END RSA PRIVATE KEY-----"
            case "jwt":
                body = base64.urlsafe_b64encode(json.dumps({"sub": chars(12)}).encode()).decode().rstrip("=")
                secret = chars(43)
                shown = f"session eyJhbGciOiJIUzI1NiJ9.{body}.{secret} was refused"
            case _:
                secret = chars(24)
                shown = f"posted to https://hooks.slack.com/services/T{chars(8).upper()}/B{chars(8).upper()}/{secret}"
        self.planted[f"{kind} in {place}"] = secret
        return shown

    def all_in(self, place: str) -> dict[str, str]:
        """One text of each kind."""
        return {kind: self.text(kind, place) for kind in KINDS}

    def found_in(self, text: str, length: int = 8) -> list[str]:
        """Which secrets, or pieces of them, stand in a text."""
        return [
            name
            for name, secret in self.planted.items()
            if any(secret[at : at + length] in text for at in range(len(secret) - length + 1))
        ]


def planted_bundle(folder: Path, canaries: Canaries) -> str:
    """Write the bundle; its question."""
    for name in ("logs", "metrics", "cluster", "knowledge"):
        (folder / name).mkdir(parents=True)
    question = "why is ledger slow? " + "; ".join(canaries.all_in("question").values())
    (folder / "bundle.toml").write_text(f'now = "2026-05-04T10:30:00Z"\nquestion = {json.dumps(question)}\n')
    lines = []
    for number, (kind, words) in enumerate(canaries.all_in("log").items()):
        lines.append(f"2026-05-04T10:{number:02d}:00Z ERROR ledger {words}: connection pool exhausted, 41 waiting")
        record = {"time": f"2026-05-04T10:{number:02d}:30Z", "level": "error", "service": "ledger"}
        record |= {"msg": canaries.text(kind, "json log"), "password": canaries.text(kind, "log field")}
        lines.append(json.dumps(record))
    (folder / "logs" / "ledger.log").write_text("\n".join(lines) + "\n")
    _metrics(folder, canaries)
    _alerts(folder, canaries)
    describe = "Name: ledger-0\nNamespace: shop\nStatus: Running\nContainers:\n  main:\n    Environment:\n"
    describe += "".join(f"      NOTE_{kind}: {words}\n" for kind, words in canaries.all_in("cluster env").items())
    describe += "Events:\n  Type     Reason   Age  From     Message\n  ----     ------   ---- ----     -------\n"
    describe += "".join(
        f"  Warning  Failed   2m   kubelet  {words}\n" for words in canaries.all_in("cluster event").values()
    )
    commands = {"kubectl describe pod ledger-0 -n shop": describe}
    (folder / "cluster" / "commands.json").write_text(json.dumps(commands))
    runbook = "# Ledger is slow\n\n## Connection pool exhausted\n\nLook at who holds connections.\n\n"
    runbook += "\n\n".join(canaries.all_in("runbook").values()) + "\n"
    (folder / "knowledge" / "ledger.md").write_text(runbook)
    return question


def _metrics(folder: Path, canaries: Canaries) -> None:
    result = [
        {
            "metric": {"__name__": "pool_active", "service": "ledger", "note": words, "kind": kind},
            "values": [[1_777_888_800 + 60 * n, str(n)] for n in range(10)],
        }
        for kind, words in canaries.all_in("metric label").items()
    ]
    body = {"status": "success", "data": {"resultType": "matrix", "result": result}}
    (folder / "metrics" / "pool.json").write_text(json.dumps(body))


def _alerts(folder: Path, canaries: Canaries) -> None:
    labels = {"alertname": "LedgerSlow", "service": "ledger", "severity": "critical"}
    notes = {"summary": "ledger is slow", "description": canaries.text("dsn", "payload description")}
    payload = {
        "version": "4",
        "groupKey": "g",
        "status": "firing",
        "receiver": "r",
        "groupLabels": {},
        "commonLabels": {},
        "commonAnnotations": {},
        "externalURL": "http://am.example",
        "alerts": [
            {
                "status": "firing",
                "labels": labels | {f"l_{kind}": words for kind, words in canaries.all_in("payload label").items()},
                "annotations": notes | {f"a_{k}": words for k, words in canaries.all_in("payload annotation").items()},
                "startsAt": "2026-05-04T10:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "generatorURL": "http://prom.example",
                "fingerprint": "f",
            }
        ],
    }
    (folder / "alert.json").write_text(json.dumps(payload))
    active = [
        {
            "labels": labels | {"alertname": f"Ledger_{kind}", "note": words},
            "annotations": {"summary": canaries.text(kind, "alert annotation")},
            "state": "firing",
            "activeAt": "2026-05-04T10:00:00Z",
            "value": "1e+00",
        }
        for kind, words in canaries.all_in("alert label").items()
    ]
    (folder / "alerts.json").write_text(json.dumps({"status": "success", "data": {"alerts": active}}))
