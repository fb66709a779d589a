"""Whether a text can be a log line of a known form: one look at its beginning, so that plain messages cost little."""

from __future__ import annotations

import re

_MAY_BE_LINE = re.compile(
    r"[^A-Za-z \t]"
    r"|[IWEFDCTV](?:\d{4}|, \[| \[|/[\w.$-]+\(|\d{6} )"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec|Mon|Tue|Wed|Thu|Fri|Sat|Sun)"
    r"|[A-Z]{3,11}\d?[\s:|\[>/]|[A-Z][A-Z0-9_]{1,20} \d{10} "
    r"|(?:trace|debug|info|notice|warn|warning|err|error|crit|critical|fatal|fail|dbug|trce|Trace|Debug|Info|Warn|Warning"
    r"|Error|Fatal|Critical|Severe)[\s:|\[]"
    r"|[A-Za-z_@][\w.@/-]{0,63}="
    r"|[\w./@:-]{1,120}(?: {1,4}\d{1,8})? {1,24}(?:\||\d{4}[-/]\d\d[-/]\d\d|- \d)"
    r"|Log Name: |[A-Z][\w.-]{0,80}::[A-Z]{4,9}::|[a-z0-9]{3,10} {0,6}:[a-z]"
    r"|[\w./-]{1,60}: \[?(?:fatal|error|err|warning|warn|info|debug|critical|notice|emerg|trace)\]?: "
)


def may_be_line(text: str) -> bool:
    """Whether reading `text` as a line could find more than plain text in it."""
    return _MAY_BE_LINE.match(text) is not None or ('] "' in text[:700])
