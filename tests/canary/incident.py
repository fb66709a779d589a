"""One incident on disk whose every readable place holds canaries: names of files, services and labels too.

The words around the canaries are ordinary, and each kind of place has a word of its own that is no secret (`MARKS`), by
which a test knows that the place was shown at all.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.canary.forms import TOKEN_FORMS, Canaries

NOW: Final = "2026-05-04T10:30:00Z"
SERVICE: Final = "ledger"
POOL: Final = "HikariPool-1 - Connection is not available, request timed out after 30000ms"
MARKS: Final = {
    "plain log": "marigold",
    "json log": "tamarind",
    "metric": "sorrel",
    "alert": "lavender",
    "cluster": "bergamot",
    "change": "fennel",
    "runbook": "juniper",
    "payload": "chicory",
}
LONG: Final = 300
"""Characters about which sentences of a projection are cut; secrets are put across all such places."""


def write_incident(folder: Path, canaries: Canaries) -> Path:
    """The bundle, made in `folder`."""
    for name in ("logs", "metrics", "cluster", "knowledge", "manifests"):
        (folder / name).mkdir(parents=True)
    (folder / "bundle.toml").write_text(f'now = "{NOW}"\nquestion = {json.dumps(question(canaries, "bundle"))}\n')
    (folder / "alert.json").write_text(json.dumps(payload(canaries, "file")))
    _logs(folder / "logs", canaries)
    _metrics(folder / "metrics", canaries)
    _alerts(folder, canaries)
    _cluster(folder, canaries)
    _knowledge(folder / "knowledge", canaries)
    return folder


def question(canaries: Canaries, place: str) -> str:
    """A question about the incident, with some canaries in it."""
    told = "; ".join(canaries.text(form, f"{place} question") for form in ("key=value", "postgres", "bearer", "github"))
    return f"Why is {SERVICE} slow? I saw: {told}; and {canaries.one(f'{place} question tail')}"


def payload(canaries: Canaries, place: str, **more: Any) -> dict[str, Any]:
    """An Alertmanager delivery; every part of it holds canaries."""
    labels = {"alertname": "LedgerSlow", "service": SERVICE, "severity": "critical", "mark": MARKS["payload"]}
    named = {f"l{n}": canaries.text(form, f"{place} payload label") for n, form in enumerate(canaries.every("-"))}
    token_names = {canaries.word(form, f"{place} payload label name"): "x" for form in ("github", "npm")}
    told = {f"a{n}": words for n, words in enumerate(canaries.every(f"{place} payload annotation").values())}
    told["summary"] = f"{SERVICE} is slow, {MARKS['payload']}: {canaries.text('postgres', f'{place} summary')}"
    told["description"] = cut_apart(canaries, f"{place} description")
    alert = {
        "status": "firing",
        "labels": labels | named | token_names,
        "annotations": told,
        "startsAt": "2026-05-04T10:00:00Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": f"http://{canaries.text('url userinfo', f'{place} generator').split('//')[1].split()[0]}",
        "fingerprint": canaries.word("stripe", f"{place} fingerprint"),
    }
    return {
        "version": "4",
        "groupKey": f"{{}}:{{note={json.dumps(canaries.one(f'{place} group key'))}}}",
        "status": "firing",
        "receiver": canaries.word("gitlab", f"{place} receiver"),
        "groupLabels": {"alertname": "LedgerSlow", "note": canaries.one(f"{place} group label")},
        "commonLabels": labels | {"note": canaries.one(f"{place} common label")},
        "commonAnnotations": {"note": canaries.one(f"{place} common annotation")},
        "externalURL": f"https://am.shop.example/?token={canaries.word('npm', f'{place} external url')}",
        "alerts": [alert],
    } | more


def cut_apart(canaries: Canaries, place: str, tokens: int = 30) -> str:
    """One long line with a token across each place where a limit might cut it."""
    text = ""
    for number in range(tokens):
        filler = "waiting for a connection of the pool " * 9
        text += filler[: LONG - 20 - len(text) % 7] + " " + canaries.text("github", f"{place} cut {number}") + " "
    return text


def _logs(folder: Path, canaries: Canaries) -> None:
    lines: list[str] = []
    for number, (form, words) in enumerate(canaries.every("log message").items()):
        at = f"2026-05-04T10:{number % 30:02d}:{number // 30:02d}Z"
        record = {"time": at, "level": "error", "service": SERVICE, "msg": f"{POOL} {MARKS['json log']}"}
        record |= {"detail": canaries.text(form, "json member"), "logger": canaries.one(f"logger {form}")}
        lines.append(f"{at} ERROR {SERVICE} {MARKS['plain log']} {words}: {POOL}")
        lines.append(json.dumps(record))
        record["msg"] = canaries.text(form, "json message")
        lines.append(json.dumps(record | {"password": canaries.text(form, "member of a secret name")}))
        lines.append(f"{at[:-1]}.500Z ERROR [main] c.s.Pool - {words[:1]}{canaries.text(form, 'logback')}")
        lines.append(f"java.sql.SQLException: {canaries.text(form, 'exception message')}\n\tat a.b.C.run(C.java:1)")
    lines.append(f"2026-05-04T10:29:00Z ERROR {SERVICE} {cut_apart(canaries, 'long line')}")
    for start in range(60, 560, 20):
        long = "x" * start + " " + canaries.text("gitlab", f"cut at {start}") + " y" * 200
        lines.append(f"2026-05-04T10:29:01Z FATAL {SERVICE} {long}")
    (folder / f"{SERVICE}.log").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for form in TOKEN_FORMS:
        name = canaries.word(form, "name of a log file")
        (folder / f"{name}.log").write_text(f"2026-05-04T10:05:00Z ERROR {POOL}\n")
    other = {
        "logfmt.log": [f'time="2026-05-04T10:06:00Z" level=error msg={json.dumps(w)} svc={canaries.one(f"svc {f}")}'
                       for f, w in canaries.every("logfmt").items()],
        "syslog.log": [f"<34>1 2026-05-04T10:07:00Z host-1 {SERVICE} 411 ID4 - {w}"
                       for w in canaries.every("syslog").values()],
        "klog.log": [f"E0504 10:08:00.000000 1 pool.go:7] {w}" for w in canaries.every("klog").values()],
        "access.log": [f'10.0.0.1 - - [04/May/2026:10:09:00 +0000] "GET /v1?q={canaries.one(f"path {f}")} HTTP/1.1" '
                       f'500 12 "{canaries.one(f"referer {f}")}" "{w}"'
                       for f, w in canaries.every("user agent").items()],
        "cri.log": [f"2026-05-04T10:10:00.000000000Z stderr F {w}" for w in canaries.every("cri").values()],
        "names.log": [json.dumps({"time": "2026-05-04T10:11:00Z", "level": "error", "msg": POOL, "service": w})
                      for w in canaries.every("name of a service").values()],
        "levels.log": [json.dumps({"time": "2026-05-04T10:12:00Z", "level": w, "msg": POOL, "host": w})
                       for w in canaries.every("level").values()],
        "members.log": [json.dumps({"time": "2026-05-04T10:13:00Z", "level": "error", "msg": POOL, w: "x",
                                    "metrics": {w: 1.0}})
                        for w in canaries.every("name of a member").values()],
        "database-slow-query.log": [f"# Time: 2026-05-04T10:14:00Z\n# User@Host: app[app] @ [10.0.0.1]\n"
                                    f"# Query_time: 31.0  Lock_time: 0.0 Rows_sent: 1  Rows_examined: 900000\n"
                                    f"SELECT * FROM notes WHERE body = '{w}' /* {canaries.one(f'comment {f}')} */;"
                                    for f, w in canaries.every("slow statement").items()],
        "system-events.log": [f"2026-05-04T10:15:00Z kernel: {w}" for w in canaries.every("system event").values()],
    }  # fmt: skip
    for name, written in other.items():
        (folder / name).write_text("\n".join(written) + "\n", encoding="utf-8")


def _metrics(folder: Path, canaries: Canaries) -> None:
    points = [[1_777_888_800 + 60 * n, str(20 if n > 5 else 4)] for n in range(30)]
    named = {"__name__": "pool_active", "service": SERVICE, "mark": MARKS["metric"]}
    series = [
        {"metric": named | {"note": words}, "values": points} for words in canaries.every("metric label").values()
    ]
    for form in TOKEN_FORMS:
        names = {canaries.word(form, "name of a metric label"): "x"}
        names["__name__"] = canaries.word(form, "name of a metric")
        series.append({"metric": names | {"service": SERVICE}, "values": points})
    body = {"status": "success", "data": {"resultType": "matrix", "result": series}}
    (folder / "pool.json").write_text(json.dumps(body))
    head = ",".join(["time", *(canaries.word(form, "column") for form in TOKEN_FORMS)])
    rows = "\n".join(f"2026-05-04T10:{n:02d}:00Z,1,2,3,4,{n}" for n in range(30))
    (folder / f"{canaries.word('github', 'name of a metrics file')}.csv").write_text(f"{head}\n{rows}\n")


def _alerts(folder: Path, canaries: Canaries) -> None:
    active = [
        {
            "labels": {"alertname": f"Ledger{number}", "service": SERVICE, "note": words, "mark": MARKS["alert"]},
            "annotations": {"summary": canaries.text(form, "alert annotation"), "more": cut_apart(canaries, form, 3)},
            "state": "firing",
            "activeAt": "2026-05-04T10:00:00Z",
            "value": "1e+00",
        }
        for number, (form, words) in enumerate(canaries.every("alert label").items())
    ]
    for form in TOKEN_FORMS:
        labels = {"alertname": canaries.word(form, "name of an alert"), canaries.word(form, "name of a label"): "x"}
        active.append(active[0] | {"labels": labels})
    (folder / "alerts.json").write_text(json.dumps({"status": "success", "data": {"alerts": active}}))


def _cluster(folder: Path, canaries: Canaries) -> None:
    describe = f"Name: ledger-0\nNamespace: shop\nStatus: Running\nLabels: app={SERVICE}\n"
    describe += f"Annotations: note: {canaries.one('pod annotation')}\nContainers:\n  main:\n"
    describe += f"    Image: {canaries.text('url userinfo', 'image').split()[1]}\n    Args:\n"
    describe += "".join(f"      {words}\n" for words in canaries.every("argument").values())
    describe += "    State: Waiting\n      Reason: CrashLoopBackOff\n    Environment:\n"
    describe += "".join(f"      NOTE_{n}: {words}\n" for n, words in enumerate(canaries.every("variable").values()))
    describe += "".join(f"      DB_PASSWORD: {canaries.word(form, 'password')}\n" for form in TOKEN_FORMS)
    describe += "Events:\n  Type     Reason   Age  From     Message\n  ----     ------   ---- ----     -------\n"
    describe += "".join(
        f"  Warning  Failed   2m   kubelet  {MARKS['cluster']} {words}\n" for words in canaries.every("event").values()
    )
    secret = "apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n"
    secret += "".join(f"  key{n}: {canaries.word(f, 'secret data')}\n" for n, f in enumerate(TOKEN_FORMS))
    commands = {
        "kubectl describe pod ledger-0 -n shop": describe,
        "kubectl get secret db -n shop -o yaml": secret,
        f"kubectl get pods -n shop --token={canaries.word('github', 'command line')}": (
            "NAME READY STATUS RESTARTS AGE\nledger-0 0/1 CrashLoopBackOff 7 3m\n"
            f"{canaries.word('gitlab', 'name of a pod')} 1/1 Running 0 3m\n"
        ),
        "kubectl logs ledger-0 -n shop": "\n".join(canaries.every("logs of a pod").values()),
    }
    (folder / "cluster" / "commands.json").write_text(json.dumps(commands))
    (folder / "manifests" / "db.yaml").write_text(secret.replace("kind: Secret", "kind: ConfigMap", 0))
    pods = [{"name": "ledger-0", "namespace": "shop", "phase": "Running", "message": canaries.one("state of a pod")}]
    (folder / "cluster" / "pods.json").write_text(json.dumps(pods))
    topology = {"calls": [["web", SERVICE], [SERVICE, canaries.word("npm", "topology")]]}
    (folder / "topology.json").write_text(json.dumps(topology))
    changes = [
        {
            "time": f"2026-05-04T09:{number:02d}:00Z",
            "kind": "config",
            "object": SERVICE if number % 2 else canaries.word("github", f"changed object {number}"),
            "summary": f"{MARKS['change']} {words}",
            "author": canaries.one(f"author {form}"),
        }
        for number, (form, words) in enumerate(canaries.every("change").items())
    ]
    (folder / "changes.json").write_text(json.dumps(changes))


def _knowledge(folder: Path, canaries: Canaries) -> None:
    text = f"# {SERVICE} is slow {MARKS['runbook']} {canaries.one('heading')}\n\n## Connection pool exhausted\n\n"
    text += "Look at who holds connections of the pool.\n\n"
    parts = list(canaries.every("runbook").values())
    text += "\n\n".join(parts[: len(parts) // 2]) + "\n\n```\n" + "\n".join(parts[len(parts) // 2 :]) + "\n```\n"
    (folder / "pool.md").write_text(text, encoding="utf-8")
    for form in TOKEN_FORMS:
        name = canaries.word(form, "name of a runbook")
        (folder / f"{name}.md").write_text(f"# Pool of {SERVICE}\n\nconnection pool exhausted: raise it.\n")
