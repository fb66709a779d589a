"""Names of pods, nodes and hosts, and process ids: found by shape, by the word beside them, or known beforehand."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rootproof.redaction.finding import Span
from rootproof.redaction.measure import Measure
from rootproof.redaction.wordset import word_set

# Kubernetes builds random name parts from these characters only: no vowels, no 0, 1, 3.
_SAFE: Final = frozenset("bcdfghjklmnpqrstvwxz2456789")
_LOWER: Final = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")
_POD_SHAPE: Final = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?\Z")
_LONG_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{13,252}+(?![A-Z])")
_POD_HINT: Final = re.compile(r"-[a-z0-9]{6,10}-[a-z0-9]{5}(?![a-z0-9])")
_ESCAPED: Final = re.compile(r"\\[nrt]\Z")
_POD_CUE: Final = re.compile(
    r"(?i:\bpods?(?:[._]?name)?(?:/|\s+\\?[\"']?|\\?[\"']?\s{0,4}[=:]\s{0,4}\\?[\"']?))(?:[a-z0-9-]{1,63}/)?"
    r"(?P<name>[a-z0-9][a-z0-9.-]{1,252}+)"
)
_CLOUD_HOST: Final = re.compile(
    r"(?<![\w.-])(?:ip-\d{1,3}(?:-\d{1,3}){3}(?:\.[a-z0-9-]{1,63}){0,5}"
    r"|ec2-\d{1,3}(?:-\d{1,3}){3}(?:\.[a-z0-9-]{1,63}){1,6}"
    r"|(?:gke|aks|eks|ocp|doks|lke)-[a-z0-9-]{3,80}-[a-z0-9]{4,20}(?:\.[a-z0-9-]{1,63}){0,5}"
    r"|\d{1,3}(?:-\d{1,3}){3}\.[a-z0-9-]{1,63}\.pod(?:\.[a-z0-9-]{1,63}){0,3}"
    r"|i-[0-9a-f]{17}(?:\.[a-z0-9-]{1,63}){1,4})(?![\w-])"
)
_CLOUD_MARKS: Final = ("ip-", "ec2-", "gke-", "aks-", "eks-", "ocp-", "doks-", "lke-", ".pod", "i-0")
_ADDRESS_HOST: Final = re.compile(
    r"(?:\d(?<![\w.-].)\d{0,2}(?:[.-]\d{1,3}){3}|(?<![\w.-])[A-Za-z][A-Za-z0-9-]{0,40}?(?:-\d{1,3}){4})"
    r"(?:\.[A-Za-z0-9-]{1,63}){1,6}\.[A-Za-z]{2,12}(?![\w-])"
)
_PRIVATE_HOST: Final = re.compile(
    r"(?<![\w.@%-])(?<![A-Za-z0-9_]/)(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}"
    r"(?:internal|local|localdomain|lan|corp|intra|intranet|private|home)(?![\w-]|\.[A-Za-z0-9])"
)
_ZONES: Final = (".internal", ".local", ".lan", ".corp", ".intra", ".private", ".home")
_FIELD_HOST: Final = re.compile(
    r"(?i:(?<![A-Za-z0-9])(?P<key>r?host[._]?name|rhost|host\\{0,4}[\"']\s?:\s?\{\s?\\{0,4}[\"']name|"
    r"host\.name|node[._]?name|nodename|node|"
    r"machine[._]?name|computer[._]?name|instance[._]?host|vm[._]?name)"
    r"\\{0,4}[\"']?\s{0,4}[=:]\s{0,4}\\{0,4}[\"']?)(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]{0,252}[A-Za-z0-9])?)(?![A-Za-z0-9_/-])"
)
_SAID_NODE: Final = re.compile(r"\b[Nn]odes?(?:/|\s\\?[\"']?)(?P<name>[a-z0-9][a-z0-9.-]{1,252}+)")
_PUBLIC: Final = re.compile(
    r"(?:^|\.)(?:localhost|example\.(?:com|org|net)|(?:example|test|invalid)|svc|cluster\.local"
    r"|docker\.internal|metadata\.google\.internal)$|\.svc\.",
    re.IGNORECASE,
)
_NO_NAMES: Final = word_set("localhost null none true false")
_FILE_ENDINGS: Final = word_set(
    "gz tgz zip jar war rpm deb log txt whl exe dll so noarch tar bz xz zst conf json yaml yml md html"
)
_SYSLOG: Final = re.compile(
    r"^(?:<\d{1,3}>)?(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d))"
    r" (?P<host>[A-Za-z0-9][\w.-]{0,252}+) (?P<program>[A-Za-z_(][\w./()@-]{0,63}+)(?:\[(?P<pid>\d{1,10})\])?:",
    re.MULTILINE,
)
_SYSLOG_5424: Final = re.compile(
    r"^<\d{1,3}>1 \S{10,40} (?P<host>[A-Za-z0-9][\w.:-]{0,252}+) (?P<program>\S{1,48}) (?P<pid>\d{1,10}|-|\S{1,128}) ",
    re.MULTILINE,
)
_PROGRAM_PID: Final = re.compile(
    r"^(?:\S{1,40} ){0,1}[A-Za-z_][\w./(-]{0,63}[a-z][)]?\[(?P<pid>\d{3,10})\]:", re.MULTILINE
)
_PID: Final = re.compile(r"(?i:pid)\\{0,4}[\"']?(?:\s{0,4}[=:#]\s{0,4}|\s)\\{0,4}[\"']?(?P<number>\d{1,10})\b")
_PROCESS: Final = re.compile(
    r"(?i:\b(?:killed|kill|killing|worker|child|parent|backend|server|master|main|background|"
    r"stopped|reaped|zombie|spawned|forked|"
    r"signal(?:l?ed)?|started|terminating|terminated)\s(?:the\s)?process\s(?:id\s|#)?)(?P<b>\d{1,10})\b"
    r"|(?i:\bprocess(?:\sid)?\s)(?P<c>\d{2,10})"
    r"(?=\s\(|:\s|\s(?i:exited|died|was|has|terminated|crashed|killed|got|received|is|waits|detected|acquired|still)\b)"
    r"|\bkill\s-(?:9|\d{1,2}|[A-Z]{3,7})\s(?P<d>\d{1,10})\b"
)
_TOKEN: Final = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?")


def workload_stem(pod_name: str) -> str | None:
    """Return the workload's part of a pod's name, None if the name is not shaped like a pod's.

    `cart-7f9dd8b6c4-x7gr9` (deployment) -> `cart`, `backup-28497120-lm8vz` (cron job) -> `backup`, `scrape-x7gr9`
    (daemon set) -> `scrape`, `db-0` (stateful set) -> `db`.
    """
    if not _POD_SHAPE.match(pod_name) or len(pod_name) > 253:
        return None
    rest, joint, last = pod_name.rpartition("-")
    if not joint or not rest or not rest[-1].isalnum():
        return None
    if last.isdigit() and len(last) <= 4:
        return rest
    if not _is_suffix(last):
        return None
    stem, joint, middle = rest.rpartition("-")
    if joint and stem and _is_template_hash(middle):
        return stem
    return rest if _is_strict(last) else None


def _is_suffix(part: str) -> bool:
    return len(part) == 5 and _LOWER.issuperset(part)


def _is_strict(part: str) -> bool:
    """Return True if a suffix can only be generated: safe characters, a digit and a letter among them."""
    return _SAFE.issuperset(part) and any(map(str.isdigit, part)) and any(map(str.isalpha, part))


def _is_template_hash(part: str) -> bool:
    if part.isdigit():
        return 8 <= len(part) <= 10
    if not 6 <= len(part) <= 10 or not _LOWER.issuperset(part):
        return False
    if len(part) < 8:
        return _is_strict(part)
    return any(map(str.isdigit, part)) or _SAFE.issuperset(part)


def machines(text: str, lowered: str, measure: Measure) -> Iterator[Span]:
    """Yield pod, node and host names and process ids that the text itself gives away."""
    yield from _pods(text, lowered, measure)
    yield from _hosts(text, lowered, measure)
    yield from _processes(text, lowered)


def known_names(text: str, known: Mapping[str, str]) -> Iterator[Span]:
    """Yield whole-token mentions of identifiers that are known from structure (`{"web-01": "host"}`)."""
    for match in _TOKEN.finditer(text):
        token = match.group()
        start = match.start()
        kind = known.get(token)
        if kind is not None:
            yield start, match.end(), kind
            continue
        if "." in token and (kind := known.get(token.partition(".")[0])) is not None:
            yield start, start + token.index("."), kind
        elif "_" in token:
            for part in token.split("_"):
                if part and (kind := known.get(part)) is not None:
                    yield start, start + len(part), kind
                start += len(part) + 1


def _pods(text: str, lowered: str, measure: Measure) -> Iterator[Span]:
    if measure.run >= 14 and _POD_HINT.search(text):
        for match in _LONG_NAME.finditer(text):
            name = match.group()
            before = text[match.start() - 1 : match.start()]
            if (
                before.isalpha()
                and before.isascii()
                and not _ESCAPED.search(text[max(0, match.start() - 2) : match.start()])
            ) or before == "-":
                continue
            rest, _, last = name.rpartition("-")
            stem, _, middle = rest.rpartition("-")
            if stem and _is_suffix(last) and _is_template_hash(middle) and _is_generated(middle, last):
                yield match.start(), match.end(), "pod"
    if "pod" in lowered:
        for match in _POD_CUE.finditer(text):
            name = match["name"].rstrip(".-")
            if workload_stem(name) is not None:
                yield match.start("name"), match.start("name") + len(name), "pod"


def _is_generated(middle: str, last: str) -> bool:
    """Return True if the two last parts of a name cannot be words or dates: both are random enough."""
    if middle.isdigit():
        return _SAFE.issuperset(last) and any(map(str.isalpha, last))
    return _SAFE.issuperset(last) or any(map(str.isdigit, last))


def _hosts(text: str, lowered: str, measure: Measure) -> Iterator[Span]:
    if measure.digits and "-" in text and any(map(text.__contains__, _CLOUD_MARKS)):
        for match in _CLOUD_HOST.finditer(text):
            yield match.start(), match.end(), "host" if match.group().startswith("ec2-") else "node"
    if measure.has_quad and text.count(".") >= 2:
        for match in _ADDRESS_HOST.finditer(text):
            if match.group().rpartition(".")[2].lower() not in _FILE_ENDINGS and ".pod" not in match.group():
                yield match.start(), match.end(), "host"
    if "." in text and any(map(lowered.__contains__, _ZONES)):
        for match in _PRIVATE_HOST.finditer(text):
            if not _PUBLIC.search(match.group()):
                yield match.start(), match.end(), "host"
    if "host" in lowered or "node" in lowered or "machine" in lowered or "computer" in lowered or "vm" in lowered:
        yield from _field_hosts(text)


def _field_hosts(text: str) -> Iterator[Span]:
    for match in _FIELD_HOST.finditer(text):
        name = match["name"]
        always = match["key"].lower() == "rhost"
        if (_PUBLIC.search(name) and not always) or name.isdigit() or name.lower() in _NO_NAMES:
            continue
        if workload_stem(name) is not None and not name[-2:].lstrip("-").isdigit():
            yield match.start("name"), match.end("name"), "pod"
        elif always or "." in name or any(map(str.isdigit, name)):
            yield match.start("name"), match.end("name"), "node" if match["key"].lower().startswith("node") else "host"
    for match in _SAID_NODE.finditer(text):
        name = match["name"].rstrip(".-")
        if "-" in name and any(map(str.isdigit, name)) and not _PUBLIC.search(name) and name[0].isalpha():
            yield match.start("name"), match.start("name") + len(name), "node"


def _at_line_starts(pattern: re.Pattern[str], text: str) -> Iterable[re.Match[str]]:
    """Return the matches of a pattern that starts with `^`; a single line is tried once, not at every character."""
    if "\n" in text:
        return pattern.finditer(text)
    match = pattern.match(text)
    return () if match is None else (match,)


def _processes(text: str, lowered: str) -> Iterator[Span]:
    if ":" in text and (text[:1].isalnum() or text[:1] == "<" or "\n" in text):
        for pattern in (_SYSLOG, _SYSLOG_5424):
            for match in _at_line_starts(pattern, text):
                if not _PUBLIC.search(match["host"]) and match["host"] not in {"kernel", "localhost"}:
                    yield match.start("host"), match.end("host"), "host"
                if match["pid"] is not None and match["pid"].isdigit():
                    yield match.start("pid"), match.end("pid"), "pid"
    if "]:" in text:
        for match in _at_line_starts(_PROGRAM_PID, text):
            yield match.start("pid"), match.end("pid"), "pid"
    yield from _process_ids(text, lowered)
    if "process" in lowered or "kill" in lowered:
        for match in _PROCESS.finditer(text):
            group = match.lastgroup or "b"
            yield match.start(group), match.end(group), "pid"


def _process_ids(text: str, lowered: str) -> Iterator[Span]:
    """Yield the number behind `pid` or `ppid` where that is a word of its own."""
    at = lowered.find("pid")
    while at >= 0:
        match = _PID.match(text, at)
        if match is not None:
            start = at - 1 if text[at - 1 : at] in {"p", "P"} else at
            if not (start and text[start - 1].isascii() and text[start - 1].isalpha()):
                yield *match.span("number"), "pid"
        at = lowered.find("pid", at + 3)
