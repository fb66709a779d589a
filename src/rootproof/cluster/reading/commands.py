"""What a recorded command asked for, and what kind of text came back."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from enum import StrEnum

from rootproof.domain.cutting import within

KINDS = {
    "po": "pod",
    "pod": "pod",
    "svc": "service",
    "service": "service",
    "deploy": "deployment",
    "deployment": "deployment",
    "sts": "statefulset",
    "statefulset": "statefulset",
    "ds": "daemonset",
    "daemonset": "daemonset",
    "rs": "replicaset",
    "replicaset": "replicaset",
    "job": "job",
    "cj": "cronjob",
    "cronjob": "cronjob",
    "no": "node",
    "node": "node",
    "ns": "namespace",
    "namespace": "namespace",
    "pvc": "pvc",
    "persistentvolumeclaim": "pvc",
    "pv": "pv",
    "persistentvolume": "pv",
    "sc": "storageclass",
    "storageclass": "storageclass",
    "cm": "configmap",
    "configmap": "configmap",
    "secret": "secret",
    "sa": "serviceaccount",
    "serviceaccount": "serviceaccount",
    "ep": "endpoints",
    "endpoint": "endpoints",
    "endpointslice": "endpointslice",
    "ing": "ingress",
    "ingress": "ingress",
    "netpol": "networkpolicy",
    "networkpolicy": "networkpolicy",
    "quota": "quota",
    "resourcequota": "quota",
    "limit": "limitrange",
    "limitrange": "limitrange",
    "ev": "event",
    "event": "event",
    "hpa": "hpa",
    "horizontalpodautoscaler": "hpa",
    "httproute": "httproute",
    "virtualservice": "virtualservice",
    "vs": "virtualservice",
    "destinationrule": "destinationrule",
    "gateway": "gateway",
}
CLUSTER_WIDE = frozenset({"node", "namespace", "pv", "storageclass", "priorityclass", "ingressclass", "clusterrole"})
WORKLOAD_KINDS = frozenset({"deployment", "statefulset", "daemonset", "replicaset", "job", "cronjob"})
_VALUE_FLAGS = frozenset(
    {"-n", "--namespace", "-o", "--output", "-l", "--selector", "--field-selector", "--context", "--for", "--sort-by"}
    | {"--kubeconfig", "--cluster", "--types", "--user", "--chunk-size", "-L", "--label-columns"}
)
_FAILED = re.compile(r"^(?:Command `.{0,4000}?` )?failed with return code (?P<code>\d+)", re.MULTILINE)
_FAILED_PREFIX = re.compile(r"^Command .{0,4000}? failed with return code (?P<code>\d+)", re.DOTALL)
_ERROR_LINE = re.compile(
    r"^(?:error:|Error from server|Error:|Unable to connect|The connection to the server|command not found"
    r"|Permission denied|ssh: |bash: |sh: |the server doesn't have a resource type|Network error|Traceback \()",
    re.IGNORECASE,
)
_NOTHING_FOUND = re.compile(r"^(?:No [a-z ]{1,40} found|Could not find [a-z ]{1,40}$)", re.IGNORECASE)


_NOT_FOUND = re.compile(r'\(NotFound\): (?P<kind>[a-z]+)(?:\.[a-z0-9.]+)? "(?P<name>[^"]{1,253})" not found')


class TextKind(StrEnum):
    """What an output holds."""

    DATA = "data"
    EMPTY = "empty"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Output:
    """An output without its wrapping; `message` is the failed command's own words."""

    kind: TextKind
    text: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Command:
    """A parsed command line. `kind` is the canonical object kind, `tool` the program."""

    line: str
    tool: str
    verb: str = ""
    kind: str | None = None
    names: tuple[str, ...] = ()
    namespace: str | None = None
    all_namespaces: bool = False
    output: str | None = None
    filtered: bool = False
    """Whether a pipe, a selector or a limit may have left objects out."""
    cut_header: bool = False
    """Whether a pipe may have removed the header line."""
    node: str | None = None
    """The host of `ssh HOST ...`."""
    arguments: tuple[str, ...] = ()

    @property
    def lists_all(self) -> bool:
        """Whether the command lists every object of its kind in its namespace (or in all)."""
        return self.verb == "get" and self.kind is not None and not self.names and not self.filtered


def canonical_kind(word: str) -> str:
    """The kind in our words: `persistentvolumeclaims` and `PersistentVolumeClaim` are `pvc`, `Pod` is `pod`."""
    plain = word.lower().partition(".")[0]
    if plain in KINDS:
        return KINDS[plain]
    for ending, replacement in (("ies", "y"), ("sses", "ss"), ("s", "")):
        if plain.endswith(ending):
            singular = plain.removesuffix(ending) + replacement
            if singular in KINDS:
                return KINDS[singular]
    return plain.removesuffix("s") if not plain.endswith("ss") else plain


def unwrap(text: str) -> Output:
    """An output without `stdout:` / `stderr:` framing, with failures and emptiness recognised."""
    body, errors = _streams(text.replace("\r\n", "\n"))
    failed = _FAILED_PREFIX.match(text.lstrip()) or _FAILED.match(text.lstrip())
    if failed is not None:
        words = errors.strip() or body.partition("failed with return code")[2].partition("\n")[2].strip()
        words = words.removeprefix("Output:").strip()
        return Output(
            TextKind.FAILED, "", f"failed with return code {failed['code']}" + (f": {words}" if words else "")
        )
    stripped = body.strip()
    if not stripped:
        if errors.strip() and not _NOTHING_FOUND.match(errors.strip()):
            return Output(TextKind.FAILED, "", errors.strip())
        return Output(TextKind.EMPTY, "")
    if _NOTHING_FOUND.match(stripped):
        return Output(TextKind.EMPTY, "")
    if _ERROR_LINE.match(stripped) and len(stripped) < 4000:
        return Output(TextKind.FAILED, "", stripped)
    return Output(TextKind.DATA, body.strip("\n"))


def not_found(message: str) -> tuple[str, str] | None:
    """The (kind, name) that the API server says does not exist."""
    match = _NOT_FOUND.search(message)
    return (canonical_kind(match["kind"]), match["name"]) if match is not None else None


def _streams(text: str) -> tuple[str, str]:
    start = text.find("stdout:\n")
    if start < 0 or (text[:start].strip() and "failed with return code" not in text[:start]):
        if text.startswith("stderr:"):
            return "", text.removeprefix("stderr:")
        return text, ""
    body = text[start + len("stdout:\n") :]
    cut = body.rfind("\nstderr:")
    if body.startswith("stderr:"):
        return "", body.removeprefix("stderr:")
    return (body, "") if cut < 0 else (body[:cut], body[cut + len("\nstderr:") :])


def parse_command(line: str) -> Command:
    """What the command asked for. Anything that is no known tool keeps its first word as `tool`."""
    head, *pipes = _split_pipes(line) or [""]
    words = _words(head)
    if not words:
        return Command(line=line, tool="")
    filtered = bool(pipes)
    cut_header = any(pipe.split()[:1] and pipe.split()[0] in {"grep", "egrep", "awk", "tail"} for pipe in pipes)
    if words[0] == "ssh" and len(words) > 2:
        inner = parse_command(" ".join(words[2:]))
        return Command(line=line, tool=inner.tool, verb=inner.verb, arguments=inner.arguments, node=words[1])
    tool = words[0].rpartition("/")[2]
    if tool == "systemctl":
        verb = next((word for word in words[1:] if not word.startswith("-")), "")
        units = tuple(word for word in words[words.index(verb) + 1 :] if not word.startswith("-")) if verb else ()
        return Command(line=line, tool=tool, verb=verb, arguments=units)
    if tool not in {"kubectl", "oc", "k"}:
        return Command(line=line, tool=tool, arguments=tuple(words[1:]), filtered=filtered)
    return _kubectl(line, words[1:], filtered=filtered, cut_header=cut_header)


def _kubectl(line: str, words: list[str], *, filtered: bool, cut_header: bool) -> Command:
    flags: dict[str, str] = {}
    plain: list[str] = []
    position = 0
    while position < len(words):
        word = words[position]
        name, equals, value = word.partition("=")
        if not word.startswith("-"):
            plain.append(word)
        elif equals:
            flags[name] = value
        elif name in _VALUE_FLAGS and position + 1 < len(words):
            position += 1
            flags[name] = words[position]
        elif name.startswith("-o") and not name.startswith("--") and len(name) > 2:
            flags["-o"] = name[2:]
        else:
            flags[name] = ""
        position += 1
    verb = plain[0] if plain else ""
    kind, names = _targets(verb, plain[1:])
    selective = filtered or any(flag in flags for flag in ("-l", "--selector", "--field-selector", "--for"))
    return Command(
        line=line,
        tool="kubectl",
        verb=verb,
        kind=kind,
        names=names,
        namespace=flags.get("-n") or flags.get("--namespace"),
        all_namespaces="-A" in flags or "--all-namespaces" in flags,
        output=flags.get("-o") or flags.get("--output"),
        filtered=selective,
        cut_header=cut_header or "--no-headers" in flags,
    )


def _targets(verb: str, words: list[str]) -> tuple[str | None, tuple[str, ...]]:
    if verb == "events":
        return "event", ()
    if not words:
        return None, ()
    if verb == "top":
        return canonical_kind(words[0]), tuple(words[1:])
    if "/" in words[0]:
        kind = canonical_kind(words[0].partition("/")[0])
        return kind, tuple(word.partition("/")[2] for word in words if "/" in word)
    if "," in words[0]:
        return "all", tuple(words[1:])
    return canonical_kind(words[0]), tuple(words[1:])


def _split_pipes(line: str) -> list[str]:
    if len(line) > 20_000:
        return [within(line, 20_000)]
    parts: list[str] = []
    current: list[str] = []
    quote = ""
    for letter in line:
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "|":
            parts.append("".join(current).strip())
            current = []
            continue
        current.append(letter)
    parts.append("".join(current).strip())
    return [part for part in parts if part]


def _words(text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError:
        return text.split()
