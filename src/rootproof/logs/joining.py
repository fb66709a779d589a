"""Which lines belong to the record before them: stack traces, indented text, the statements of a slow query log."""

from __future__ import annotations

import re

from rootproof.logs.draft import Draft

_FOLLOWS = re.compile(
    r"Caused by: |Suppressed: |Wrapped by: |\.\.\. \d+ (?:more|common frames)|at [\w.$<>/]+\(|"
    r"Traceback \(most recent call last\):|During handling of the above exception|"
    r"The above exception was the direct cause|goroutine \d+ \[|"
    r"created by [\w./]|#\d+ |\[stacktrace\]|\[previous exception\]|\"\}|[}\])]+[,;]?$|--- End of |---> |"
    r"exit status \d|\^+$|(?:PHP )?[Ss]tack ?trace:|stack backtrace:|note: run with |CallStack \(|\[signal |"
    r"\*\* \([A-Z]|(?:Last message|State|Function|Args|Client info)(?: \(.{1,80}\))?: |"
    r"[\w./\-]{1,200}\.\w{1,5}:\d{1,7}:in |[\w./*()\-]{1,200}\((?:0x[0-9a-f]|\.\.\.|\)$)"
)
_RAISED = re.compile(
    r"(?:[A-Za-z_][\w.$]{0,200}(?:Error|Exception|Failure|Exit|Interrupt|Timeout|Warning|Fault)|Error|Exception)"
    r"(?: \[\w{1,60}\])?(?::\s.*|$)"
)
_QUALIFIED = re.compile(
    r"(?:[A-Za-z_][\w$]{0,60}(?:\.|::|\\)){1,12}[A-Z][\w$]{0,80}?(?:Error|Exception|Throwable|Failure|Fault)\b"
)
_PANICKED = re.compile(r"thread '.{0,80}' .{0,20}panicked at .{1,300}:$")


def continues(record: Draft, last_line: str, text: str, line: Draft, *, grown: bool) -> bool:
    """Whether `text` (read as `line`) goes on with `record`, whose last line is `last_line`; `grown`: not its first."""
    if not record.open:
        return False
    if line.recognised:
        if line.form != record.form or not line.bare:
            return False
        text = line.message
        if not text:
            return True
    elif record.takes_plain or (record.form == "category" and last_line == ""):
        return True
    if text[:1] in (" ", "\t"):
        return not text.isspace()
    if _FOLLOWS.match(text):
        return True
    if grown and (last_line[:1] in (" ", "\t") or last_line[:1] == "^") and _RAISED.match(text):
        return True
    if _PANICKED.match(last_line):
        return True
    if not record.recognised or record.bare:
        return False
    return bool(_QUALIFIED.match(text)) or (record.level in ("ERROR", "FATAL") and bool(_RAISED.match(text)))
