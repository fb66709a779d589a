"""Which lines belong to the record before them: stack traces, indented text, the statements of a slow query log."""

from __future__ import annotations

import re

from rootproof.logs.draft import Draft

_FOLLOWS = re.compile(
    r"Caused by: |Suppressed: |\.\.\. \d+ (?:more|common frames)|at [\w.$<>/]+\(|Traceback \(most recent call last\):|"
    r"During handling of the above exception|The above exception was the direct cause|goroutine \d+ \[|"
    r"created by [\w./]|#\d+ |\[stacktrace\]|\[previous exception\]|\"\}|[}\])]+[,;]?$|--- End of |---> |"
    r"exit status \d|\^+$|[Ss]tack ?trace:|stack backtrace:|\[signal |[\w./*()\-]{1,200}\((?:0x[0-9a-f]|\.\.\.|\)$)"
)
_RAISED = re.compile(
    r"[A-Za-z_][\w.$]{0,200}(?:Error|Exception|Failure|Exit|Interrupt|Timeout|Warning|Fault)(?::\s.*|$)"
)
_QUALIFIED = re.compile(r"(?:[a-z_]\w*\.){2,}[A-Z]\w*(?:Error|Exception|Throwable|Failure)\b")
_SLOW = re.compile(r"# (?!Time:)|[A-Za-z(/`]")


def continues(record: Draft, last_line: str, text: str, line: Draft, *, grown: bool) -> bool:
    """Whether `text` (read as `line`) goes on with `record`, whose last line is `last_line`; `grown`: not its first."""
    if not record.open:
        return False
    if line.recognised:
        return line.form in ("stamped", "cri") and _indented(line.message) and record.form == line.form
    if record.form == "category" and last_line == "":
        return True
    if record.form == "slow-query":
        return bool(_SLOW.match(text)) or _indented(text)
    if _indented(text):
        return True
    if _FOLLOWS.match(text):
        return True
    if grown and _indented(last_line) and _RAISED.match(text):
        return True
    return record.recognised and bool(_QUALIFIED.match(text))


def _indented(text: str) -> bool:
    return text[:1] in (" ", "\t") and bool(text.strip())
