"""What a recorded command asked for: verb, kind, names, namespace. Only the command line is read, never its output."""

from __future__ import annotations

from dataclasses import dataclass

_KINDS = {
    "pod": "po pods", "node": "no nodes", "deployment": "deploy deployments", "service": "svc services",
    "replicaset": "rs replicasets", "statefulset": "sts statefulsets", "daemonset": "ds daemonsets", "job": "jobs",
    "cronjob": "cj cronjobs", "pvc": "persistentvolumeclaim persistentvolumeclaims pvcs",
    "pv": "persistentvolume persistentvolumes pvs", "storageclass": "sc storageclasses", "configmap": "cm configmaps",
    "secret": "secrets", "endpoints": "ep endpoint endpointslice endpointslices", "ingress": "ing ingresses",
    "networkpolicy": "netpol networkpolicies", "serviceaccount": "sa serviceaccounts", "event": "ev events",
    "namespace": "ns namespaces", "resourcequota": "quota resourcequotas", "limitrange": "limits limitranges",
    "hpa": "horizontalpodautoscaler horizontalpodautoscalers", "role": "roles", "rolebinding": "rolebindings",
    "poddisruptionbudget": "pdb poddisruptionbudgets",
}  # fmt: skip
_ALIASES = {alias: kind for kind, names in _KINDS.items() for alias in (kind, *names.split())}
CLUSTER_SCOPED = frozenset({"node", "pv", "storageclass", "namespace"})
_VALUE_FLAGS = frozenset(
    {"-n", "--namespace", "-o", "--output", "-l", "--selector", "-c", "--container", "-f", "--filename"}
    | {"--tail", "--since", "--sort-by", "--field-selector", "--context", "--kubeconfig"}
)
_PROBES = frozenset(["nc", "ncat", "curl", "wget", "ping", "nslookup", "dig", "telnet", "traceroute", "host", "getent"])
_NODE_TOOLS = frozenset({"systemctl", "journalctl", "crictl", "df", "free", "top", "uptime", "dmesg", "ss", "ip"})


def kind_of(name: str | None) -> str | None:
    """The singular kind that `name` (singular, plural or short, with or without an API group) stands for."""
    if not name:
        return None
    lowered = name.lower()
    plain = lowered.partition(".")[0]
    return _ALIASES.get(plain) or lowered


@dataclass(frozen=True, slots=True)
class Command:
    """A recorded command line. `kind` and `namespace` are None where it names none."""

    line: str
    verb: str
    """`get`, `describe`, `logs`, ... of kubectl; `probe`, `node` or `other` for the rest."""
    kind: str | None = None
    names: tuple[str, ...] = ()
    namespace: str | None = None
    everywhere: bool = False
    output: str | None = None


def parse_command(line: str) -> Command:
    """What the first command of a pipe asked for."""
    words = line.split("|", 1)[0].split()
    if not words:
        return Command(line=line, verb="other")
    tool = words[0].rsplit("/", 1)[-1]
    match tool:
        case "kubectl" | "oc" | "k":
            return _kubectl(line, words[1:])
        case "kubectl-lineage" | "kube-lineage":
            return _kubectl(line, ["lineage", *words[1:]])
        case "ssh" if len(words) > 1:
            return _on_node(line, words)
        case _ if tool in _PROBES:
            return Command(line=line, verb="probe", kind="service", names=tuple(_targets(words[1:])))
        case _ if tool in _NODE_TOOLS:
            return Command(line=line, verb="node", kind="node")
    return Command(line=line, verb="other", names=tuple(words[1:]))


def _on_node(line: str, words: list[str]) -> Command:
    """`ssh [flags] [user@]NODE command`; a probe run from a node is a probe."""
    rest = [word for word in words[1:] if not word.startswith("-")]
    node = rest[0].rpartition("@")[2] if rest else ""
    inner = rest[1:]
    if inner and inner[0] == "sudo":
        inner = inner[1:]
    if inner and inner[0] in _PROBES:
        return Command(line=line, verb="probe", kind="service", names=(node, *_targets(inner[1:])))
    return Command(line=line, verb="node", kind="node", names=(node, *inner))


def _targets(words: list[str]) -> list[str]:
    return [word for word in words if not word.startswith("-") and not word.isdigit()]


def _kubectl(line: str, words: list[str]) -> Command:
    flags: dict[str, str] = {}
    plain: list[str] = []
    waiting: str | None = None
    for word in words:
        if waiting:
            flags[waiting], waiting = word, None
        elif word in _VALUE_FLAGS:
            waiting = word
        elif word == "--":
            break
        elif word.startswith("-"):
            key, _, value = word.partition("=")
            if not value and len(key) > 2 and key[:2] in ("-n", "-o") and not key.startswith("--"):
                key, value = key[:2], key[2:]
            flags[key] = value
        else:
            plain.append(word)
    verb = plain[0] if plain else "other"
    kind, names = _kind_and_names(plain[1:], pods_only=verb in ("logs", "exec"))
    return Command(
        line=line,
        verb=verb,
        kind=kind,
        names=names,
        namespace=flags.get("-n") or flags.get("--namespace"),
        everywhere="-A" in flags or "--all-namespaces" in flags,
        output=flags.get("-o") or flags.get("--output"),
    )


def _kind_and_names(words: list[str], *, pods_only: bool) -> tuple[str | None, tuple[str, ...]]:
    if not words:
        return None, ()
    if pods_only and "/" not in words[0]:
        return "pod", tuple(words[:1])
    if "/" in words[0]:
        kinds = {kind_of(word.partition("/")[0]) for word in words}
        return (kinds.pop() if len(kinds) == 1 else None), tuple(word.rpartition("/")[2] for word in words)
    if "," in words[0]:
        return None, tuple(words[1:])
    return kind_of(words[0]), tuple(words[1:])
