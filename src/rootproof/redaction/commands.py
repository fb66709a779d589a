"""Passwords on command lines: one-letter flags of known tools, and the places that tools keep for a password."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.values import is_mixed, is_reference

_PASSWORD: Final = SECRET + "password"
_FLAG: Final = re.compile(
    r"(?<=[\s\"'\[,])-(?P<flag>[apuwUPcAX])(?:[ \t]{1,4}|\"?,[ ]?(?=\")|(?=[^\s-]))(?P<quote>\\?[\"'])?"
)
_FLAG_HINT: Final = re.compile(r"-[apuwUPcAX][^\s-]|-[apuwUPcAX][ \t]")
_FLAG_VALUE: Final = re.compile(r"""[^\s"'`\\,]{1,512}""")
_TOOLS: Final = {
    "u": ("curl", "wget", "http ", "https ", "hey ", "ab ", "siege", "mosquitto_", "kcat"),
    "U": ("curl",),
    "a": ("redis-cli", "redis-benchmark", "valkey-cli"),
    "p": (
        "mysql",
        "mariadb",
        "sshpass",
        "docker login",
        "podman login",
        "mongo",
        "rabbitmqadmin",
        "sqlplus",
        "zabbix",
        "helm",
        "skopeo",
    ),
    "P": ("sqlcmd", "bcp ", "mosquitto_", "isql", "tsql", "ipmitool"),
    "w": ("ldap", "psql"),
    "c": ("snmp",),
    "A": ("snmp",),
    "X": ("snmp",),
}
_VALUE: Final = r"""["']?(?P<secret>[^\s"'`|&;]{1,256}+)"""
_PLACES: Final = tuple(
    (word, re.compile(pattern))
    for word, pattern in (
        ("-user", r"""--(?:proxy-)?user[= ]["']?[^\s:"'@/]{1,64}:(?P<secret>[^\s"']{1,256}+)"""),
        ("-pass", r"""-pass(?:in|out)? (?:pass:)""" + _VALUE),
        (
            "htpasswd -",
            r"""\bhtpasswd (?:-\w{1,8} (?:\d{1,2} )?){1,4}(?:[^\s-]\S{0,255} )?[\w.@-]{1,64} """ + _VALUE + r"(?=\s|$)",
        ),
        ("/user:", r"""(?i:\bnet use\b)[^\n]{0,256}?/user:\S{1,64} """ + _VALUE),
        ("-password-stdin", r"""\becho (?:-n )?""" + _VALUE + r"""["']? ?\|[^\n|]{0,128}?--?password-stdin"""),
        (
            "%",
            r"""\b(?:smbclient|rpcclient|smbget|winexe|nmblookup|net rpc)\b[^\n%]{0,200} """
            r"""(?:-U|--user(?:=| ))\s?["']?[\w.\\-]{1,64}%""" + _VALUE,
        ),
        ("--from-literal", r"""--from-literal[= ]["']?[\w.-]{1,64}=""" + _VALUE),
        ("config password", r"""\brclone config password \S{1,64} \S{1,64} """ + _VALUE),
    )
)
_SECRET_COMMAND: Final = re.compile(r"\bsecrets? ")


def commands(text: str) -> Iterator[Span]:
    """Yield the passwords that stand on a command line without a name that says so."""
    if _FLAG_HINT.search(text):
        yield from _flags(text)
    for word, pattern in _PLACES:
        if word in text:
            if word == "--from-literal" and not _SECRET_COMMAND.search(text):
                continue
            for match in pattern.finditer(text):
                value = match["secret"]
                plain = is_reference(value) or PLACEHOLDER.fullmatch(value) or value.isdigit()
                if not plain and (word != "-user" or is_mixed(value)):
                    yield *match.span("secret"), _PASSWORD


def _flags(text: str) -> Iterator[Span]:
    """Yield the values of one-letter flags, of tools whose flag is a password or `user:password`."""
    position = 0
    while (match := _FLAG.search(text, position)) is not None:
        position = match.end()
        flag = match["flag"]
        if not any(text.rfind(tool, max(0, match.start() - 300), match.start()) >= 0 for tool in _TOOLS[flag]):
            continue
        quote = match["quote"]
        start = match.end()
        if quote:
            end = text.find(quote, start, start + 512)
            end = min(len(text), start + 512) if end < 0 else end
        else:
            value = _FLAG_VALUE.match(text, start)
            if value is None:
                continue
            end = value.end()
        position = max(position, end)
        if flag in "uU":
            colon = text.find(":", start, end)
            if colon < 0:
                continue
            start = colon + 1
        value_text = text[start:end]
        if (
            value_text
            and not is_reference(value_text)
            and not (flag in "pP" and value_text.isdigit() and len(value_text) <= 5)
        ):
            yield start, end, _PASSWORD
