"""Which well-known command a mistyped one may have meant."""

from __future__ import annotations

_COMMON = frozenset(
    [
        "wget",
        "curl",
        "bash",
        "sh",
        "python",
        "python3",
        "pip",
        "node",
        "npm",
        "yarn",
        "java",
        "javac",
        "ruby",
        "perl",
        "php",
        "go",
        "make",
        "cat",
        "grep",
        "sed",
        "awk",
        "find",
        "xargs",
        "sleep",
        "echo",
        "touch",
        "mkdir",
        "chmod",
        "chown",
        "cp",
        "mv",
        "rm",
        "ls",
        "tar",
        "gzip",
        "unzip",
        "ssh",
        "scp",
        "nc",
        "dig",
        "nslookup",
        "ping",
        "openssl",
        "git",
        "psql",
        "mysql",
        "redis-cli",
        "redis-server",
        "mongo",
        "nginx",
        "httpd",
        "gunicorn",
        "uvicorn",
        "celery",
        "kubectl",
        "helm",
        "aws",
        "gcloud",
        "jq",
        "yq",
        "date",
        "env",
        "exec",
        "test",
        "printf",
        "tail",
        "head",
        "sort",
        "uniq",
        "cut",
        "tee",
        "ps",
        "kill",
        "dotnet",
        "envoy",
        "haproxy",
        "busybox",
        "supervisord",
    ]
)


def likely_meant(command: str) -> str | None:
    """The common command one edit away from `command`; None when there is none, or when it is one itself."""
    if command in _COMMON or len(command) < 3:
        return None
    near = sorted(known for known in _COMMON if len(known) >= 3 and _one_edit(command, known))
    return near[0] if near else None


def _one_edit(a: str, b: str) -> bool:
    """Whether one insertion, deletion, replacement or swap of neighbours makes `a` into `b`."""
    if len(a) == len(b):
        off = [i for i in range(len(a)) if a[i] != b[i]]
        swapped = len(off) == 2 and off[1] == off[0] + 1 and a[off[0]] == b[off[1]] and a[off[1]] == b[off[0]]
        return len(off) == 1 or swapped
    short, long = sorted((a, b), key=len)
    return len(long) - len(short) == 1 and any(long[:i] + long[i + 1 :] == short for i in range(len(long)))
