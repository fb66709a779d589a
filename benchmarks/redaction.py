"""Measure redaction: recall by family on labelled lines, cost of plain lines, and linear time on hostile ones.

Run `python -m benchmarks.redaction [--json]`. The labelled lines are our own (`tests/redaction/labelled`) and those of
`$ROOTPROOF_DATA` (default `../shared/data` beside the project), if they are there. Beside ours, on the same lines in
the same run: detect-secrets with its default plugins and filters, one line at a time, if it is installed. It looks for
credentials only. Exit code 1 if a target is missed.
"""

from __future__ import annotations

import gzip
import json
import os
import string
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

from rootproof.redaction import PLACEHOLDER, Numbering, redact

SIZE = 256 * 1024
MAX_SECONDS = 0.25
MAX_RATIO = 2.5
PLAIN = (
    "2024-05-11T08:15:30.12Z INFO [http-nio-8080-exec-7] c.a.shipping.RateService - computed 14 rates in 38 ms",
    'ts=2024-05-11T08:15:30Z level=warn caller=pool.go:88 msg="pool is full" waiting=41 max=50',
    "Reconciling object of kind HelmRelease in namespace shipping, generation 42, result unchanged",
)


def hostile(size: int) -> dict[str, str]:
    """Return single lines that make careless patterns slow, each about `size` characters long."""

    def fill(unit: str) -> str:
        return (unit * (size // len(unit) + 1))[:size]

    base64 = string.ascii_letters + string.digits + "+/"
    mixed = "".join(base64[(i * 7919 + i // 61) % 64] for i in range(4096))
    return {
        "capitals and _": fill("ABCDEF_GHIJ_"),
        "one capital": fill("A"),
        "base64": fill(mixed),
        "PEM headers": "-----BEGIN RSA PRIVATE KEY-----" * (20_000 * size // SIZE),
        "a= pairs": fill("a="),
        "password=": fill("password="),
        "token: ": fill("token: "),
        "key=key": fill("api_key=key:"),
        "quotes, backslashes": fill('\\"\'\\\\'),
        "password=\\\"": fill('password=\\"'),
        "digits and dots": fill("1.2.3.4.5."),
        "digits": fill("4"),
        "colons and hex": fill("ab:cd:ef:01:"),
        "colons": fill(":"),
        "at signs": fill("@"),
        "a@a.": fill("a@a."),
        "://a:b": fill("://a:b"),
        "bearer ": fill("bearer "),
        "eyJ.": fill("eyJabcdefghijklmn."),
        "hyphens": fill("a-b-"),
        "sk-": fill("sk-"),
        "spaces": fill(" "),
        "newlines": fill("\n"),
        "select ": fill("select 1 "),
        "values ('": fill("values ('"),
        " at a.b(": fill(" at a.b("),
        "curl -u ": fill("curl -u "),
        "zero width": fill("a\u200b"),
        "control": fill("\x1b[31m"),
        "placeholders": fill("<ip:1>"),
        "addresses": fill("10.1.2.3 "),
        "cookie: a=b;": fill("cookie: a=b; "),
        "pid 1": fill("pid 12 "),
        "+1 202": fill("+1 202 555 "),
        "double %25": fill("%2570ass%253D"),
        "\\u0070": fill("\\u0070"),
        "wide letters": fill("\uff50"),
        "password words": fill("\u5bc6\u7801\u662f "),
        "next line": fill("password:\n  a\n"),
        "escaped line": fill("password:\\n "),
        "table": "| password |\n|---|\n" + fill("| tr0ub4dor |\n"),
        "tables": fill("| pw |\n|---|\n| a |\n"),
        "rules": fill("---|"),
        "csv": fill("user,password\n"),
        "AUTH ": fill("AUTH a "),
        "\"auth\" \"": fill("\"auth\" \"a"),
        "%s args": fill("password=%s "),
        "args=(": "password=%s args=(" + fill("'a',"),
        "changed from": fill("password changed from a to "),
        "x_password_": fill("a_password_b1c2d3e4_"),
        "a/b@": fill("ops/b@db:15"),
        "auth=('": fill("auth=('a', 'b"),
        "value: name": fill("value: a\n name: b\n"),
        "base64 of text": fill("cGFzc3dvcmQgaXMg"),
        "IBAN": fill("DE89 3704 0044 0532 0130 00 "),
        "- --password": fill("- --password\n"),
        "name: type =": fill("token: aaaa"),
        "call": fill("password(\"a"),
        "tag": fill("<password a=\"b\" "),
        "map": fill("secrets: {a: b1c2d3e, "),
        "lists": fill("(password,a) "),
        "list names": fill("[password, "),
        "value for": fill("value a1b2c3d4e5 for key "),
        "JSON Secret": "\"kind\":\"Secret\"," + fill("{\"data\":{\"a\":\"b\","),
        "braces": "\"kind\":\"Secret\"" + fill("{"),
        "docker auth": fill("echo a | "),
        "literals": "secret " + fill("--from-literal=a=b "),
        "smb": fill("smbclient -U a ") + "%",
        "setuser": fill("setuser a "),
        "334 ": fill("334 A "),
        "u= p=": fill("?u=a&p=b"),
        "pgpass": fill("a:5432:b:c:d\n"),
        "key key": fill("radius key "),
        "long key": fill("a_secret_key b1c2d3e4f5g6h7 "),
        "triple quotes": fill("password='''"),
        "remark": fill("password (a"),
        "typed": fill("login with password whatever "),
    }  # fmt: skip


def timed(text: str) -> float:
    """Return the best of up to three runs, in seconds of processor time (so that a busy machine changes little)."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        redact(text, Numbering())
        best = min(best, time.process_time() - start)
        if best > 0.15:
            break
    return best


Finder = Callable[[str], tuple[str, bool]]
"""`finder(text)` gives the text without what it found, and whether it found anything."""


def ours(text: str) -> tuple[str, bool]:
    """Return what stays readable, and whether anything was replaced."""
    out = redact(text, Numbering())
    # ("password" in `<secret:password:1>` is no leak of a password "password")
    return PLACEHOLDER.sub("<>", out), out != text


def peer() -> Finder | None:
    """Return detect-secrets as a finder, None if it is not installed."""
    try:
        from detect_secrets.core.scan import get_plugins, scan_line
        from detect_secrets.settings import default_settings
    except ImportError:
        return None
    with default_settings():
        limits = {
            plugin.secret_type: lambda value, plugin=plugin: (
                plugin.calculate_shannon_entropy(value) > plugin.entropy_limit
            )
            for plugin in get_plugins()
            if hasattr(plugin, "entropy_limit")
        }

    def found(text: str) -> tuple[str, bool]:
        secrets = [secret for line in text.split("\n") for secret in scan_line(line) if secret.secret_value]
        # Of a bare line it tells every string with its entropy; `detect-secrets scan` drops those below the limit.
        values = {s.secret_value for s in secrets if s.type not in limits or limits[s.type](s.secret_value)}
        for value in sorted(values, key=len, reverse=True):
            text = text.replace(value, "<>")
        return text, bool(values)

    return found


def families(rows: list[dict[str, Any]], finder: Finder = ours) -> dict[str, dict[str, int]]:
    """Return the counts by class and family: lines, values found of all, kept texts of all, lines changed."""
    table: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in rows:
        hidden, changed = finder(row["text"])
        for name in (f"{row['cls']} / {row['family']}", f"{row['cls']} / all"):
            counts = table[name]
            counts["lines"] += 1
            counts["values"] += len(row["secret_values"])
            counts["found"] += sum(value not in hidden for value in row["secret_values"])
            counts["keep"] += len(row["must_keep"])
            counts["kept"] += sum(text in hidden for text in row["must_keep"])
            counts["changed"] += changed
    return {name: dict(counts) for name, counts in sorted(table.items())}


def own_rows() -> list[dict[str, Any]]:
    """Return our own labelled lines in the form of the others."""
    from tests.redaction.labelled_lines import labelled

    classes = {"credentials": "credential", "identifiers": "identifier", "benign": "benign"}
    return [
        {"cls": cls, "family": line.family, "text": line.text, "secret_values": line.hidden, "must_keep": line.kept}
        for name, cls in classes.items()
        for line in labelled(name)
    ]


def load() -> list[dict[str, Any]]:
    """Return the labelled lines, none if they are absent."""
    root = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).resolve().parents[2] / "shared" / "data"))
    path = root / "redaction_cases.jsonl.gz"
    if not path.exists():
        return []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def ratio(part: int, whole: int) -> float:
    """Return part / whole, 1 if there is nothing."""
    return part / whole if whole else 1.0


def verdicts(table: dict[str, dict[str, int]]) -> dict[str, bool]:
    """Return which targets hold."""
    every = [counts for name, counts in table.items() if name.endswith("/ all")]
    credential, identifier = table["credential / all"], table["identifier / all"]
    return {
        "credential recall >= .98": ratio(credential["found"], credential["values"]) >= 0.98,
        "identifier recall >= .95": ratio(identifier["found"], identifier["values"]) >= 0.95,
        "must-keep >= .99": ratio(sum(c["kept"] for c in every), sum(c["keep"] for c in every)) >= 0.99,
        "benign lines changed <= 2 %": ratio(table["benign / all"]["changed"], table["benign / all"]["lines"]) <= 0.02,
    }


def throughput() -> dict[str, float]:
    """Return lines and megabytes a second of processor time, on lines as services write them (none holds a secret)."""
    lines = [line.replace("42", str(number)) for number in range(2000) for line in PLAIN]
    start = time.process_time()
    for line in lines:
        redact(line, Numbering())
    took = time.process_time() - start
    return {"lines_per_s": len(lines) / took, "mb_per_s": sum(map(len, lines)) / took / 1e6}


def main() -> int:
    """Print the tables; return 0 if every target holds."""
    report: dict[str, Any] = {"sets": {}, "targets": {}, "plain_us": {}, "hostile": {}, "throughput": throughput()}
    other = peer()
    for name, rows in {"own lines": own_rows(), "data": load()}.items():
        if rows:
            table = families(rows)
            beside = _beside(rows, other) if other else None
            report["sets"][name] = {"ours": table, "detect-secrets": beside}
            report["targets"] |= {f"{name}: {target}": good for target, good in verdicts(table).items()}
    for line in PLAIN:
        start = time.process_time()
        for _ in range(2000):
            redact(line, Numbering)  # type: ignore[arg-type]  # never called: the lines hold nothing
        report["plain_us"][line[:40]] = (time.process_time() - start) / 2000 * 1e6
    doubled = hostile(2 * SIZE)
    for name, text in hostile(SIZE).items():
        for _ in range(3):  # a busy machine spoils a measurement now and then
            once, twice = timed(text), timed(doubled[name])
            if twice < MAX_RATIO * once:
                break
        report["hostile"][name] = {"ms": once * 1000, "ratio": twice / once}
        report["targets"][f"linear: {name}"] = once < MAX_SECONDS and (twice / once < MAX_RATIO or twice < 0.02)
    if "--json" in sys.argv[1:]:
        print(json.dumps(report, indent=2))
    else:
        show(report)
    return 0 if all(report["targets"].values()) else 1


def _beside(rows: list[dict[str, Any]], other: Finder) -> dict[str, dict[str, int]]:
    from detect_secrets.settings import default_settings

    with default_settings():
        return families(rows, other)


def show(report: dict[str, Any]) -> None:
    """Print the report for people."""
    for title, tables in report["sets"].items():
        print(f"{title}: class / family                lines  recall            kept  changed  | detect-secrets")
        for name, t in tables["ours"].items():
            beside = tables["detect-secrets"]
            print(f"{name:36} {t['lines']:5}  {_counts(t)}  | {_counts(beside[name]) if beside else 'not installed'}")
        print()
    print("{lines_per_s:.0f} plain lines/s, {mb_per_s:.1f} MB/s of processor time".format(**report["throughput"]))
    print("\nplain lines (microseconds a line)")
    for name, cost in report["plain_us"].items():
        print(f"{name:40} {cost:6.1f}")
    print(f"\nhostile single lines of {SIZE // 1024} KiB: ms, and time at 2x the size")
    for name, t in report["hostile"].items():
        print(f"{name:40} {t['ms']:7.1f}  {t['ratio']:.2f}x")
    print()
    for name, good in report["targets"].items():
        if not good:
            print(f"MISSED {name}")


def _counts(t: dict[str, int]) -> str:
    recall = ratio(t["found"], t["values"])
    return f"{recall:.3f} {t['found']:4}/{t['values']:<4} {ratio(t['kept'], t['keep']):.3f}  {t['changed']:4}"


if __name__ == "__main__":
    raise SystemExit(main())
