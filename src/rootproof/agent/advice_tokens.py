"""What in a piece of advice sends somebody somewhere or makes them run something: addresses, packages, commands.

Classes are told by their form alone. Texts are compared in a normal form, so that `hxxps://a[.]example` and its real
spelling are one.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final
from urllib.parse import unquote

from rootproof.agent.grounding.wordlists import words
from rootproof.redaction import visible

COPIED_WORDS: Final = 8
"""So many words in a row, word for word the same, are copied."""

_DASHES: Final = dict.fromkeys((*range(0x2010, 0x2016), 0x2212), "-")
_DOT: Final = re.compile(r"\s?[\[({<]\s?(?:\.|dot)\s?[\])}>]\s?|(?<=\w)\s+dot\s+(?=\w)", re.IGNORECASE)
_SCHEME: Final = re.compile(r"\bh[tx]{2}p(s?)(?:\[:\]|:)//", re.IGNORECASE)
_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]{1,15}://[^\s<>\"'`)\]]{1,2000}|\bwww\.[^\s<>\"'`)\]]{1,500}")
_EMAIL: Final = re.compile(r"<email:[^<>\s]{1,120}>|[^\s@:/<>\"'(]{1,80}@[a-z0-9-]{1,60}(?:\.[a-z0-9-]{1,60}){1,8}")
_HOST: Final = re.compile(
    r"<(?:ip|host):[^<>\s]{1,120}>"
    r"|(?<![\w@/.-])(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9])?\.){1,8}[a-z][a-z0-9-]{1,23}(?![\w(])"
)
_IP: Final = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?!\.?\w)")
_REFERENCE: Final = re.compile(
    r"(?<![\w/.@<:-])@?[a-z0-9][\w.-]{0,120}(?:/[\w.-]{1,120}){1,8}(?::[\w.-]{1,128})?(?:@sha256:[0-9a-f]{8,64})?"
)
_STRONG: Final = r"install|download|fetch|pull|clone"
_WEAK: Final = (
    r"import|deploy|run|execute|apply|(?:upgrade|switch|roll|move|point) to|use|replace(?:d)?(?: it)? (?:with|by)"
)
_VERBS: Final = rf"{_STRONG}|{_WEAK}|add"
_NOUNS: Final = (
    r"packages?|images?|repositor(?:y|ies)|repo|chart|module|library|plugin|extension|dependency|script|binary|patch"
    r"|hot-?fix|mirror|registry|artifact|wheel|gem|crate|sidecar|fork"
)
_DASHED: Final = r"@?[a-z0-9]+(?:[-.][a-z0-9]+)+(?::v?[\w.-]{1,60})?|[a-z][\w.-]{1,80}(?:==|@|:v?)\d[\w.-]{0,40}"
_NAME: Final = r"@?[a-z0-9]+(?:[-_.][a-z0-9]+)+(?::v?[\w.-]{1,60})?|[a-z][\w.-]{1,80}(?:==|@|:v?)\d[\w.-]{0,40}"
_BETWEEN: Final = r"\W{1,3}(?:(?!and\b|or\b|of\b)[a-z]+\W{1,3}){0,3}"
_FETCHED: Final = re.compile(
    rf"\b(?:{_STRONG}|{_NOUNS}){_BETWEEN}((?>{_NAME}))(?![\w/@-])"
    rf"|\b(?:{_WEAK}){_BETWEEN}((?>{_DASHED}))(?![\w/@-])"
    rf"|(?<![\w/.@<:-])((?>{_NAME}))\W{{1,3}}(?:{_NOUNS})\b"
)
_BARE: Final = re.compile(
    r"(?:^|[.:;,!\"'`(-]\s?|\b(?:please|then|and|to|just)\s)"
    r"((?:install|download|clone)\s(?:(?:the|a|an|package|module|tool|image)\s){0,2}[a-z][a-z0-9]{4,40})\b"
)
_HANDLE: Final = re.compile(r"(?<![\w.@/])@[a-z0-9_]{3,40}\b(?![./@-]\w)")
_PINNED: Final = re.compile(r"(?<![\w/.@<:-])[a-z][\w.-]{1,80}(?:==|@)v?\d[\w.-]{0,40}")
_FETCH: Final = re.compile(rf"\b(?:{_VERBS}|{_NOUNS}|pr|pull request|commit|fix|fixed|branch|build|release)\b")
_BIDS: Final = re.compile(
    rf"(?:^|[.:;,!\"'`(–—-]\s?|\b(?:please|then|just|should|must|first|and|to fix (?:it|this)|now)\s)(?:{_VERBS})\b"
)
_SHELL: Final = re.compile(
    r"(?:^|(?<=[\s`'\"(:;|&$]))(?:sudo|sh|bash|zsh|curl|wget|kubectl|helm|oc|docker|podman|nerdctl|crictl|ctr|pip3?|pipx"
    r"|uv|npm|npx|yarn|pnpm|apt|apt-get|yum|dnf|apk|brew|gem|cargo|go(?= get| install)|git|ssh|scp|rsync|nc|ncat"
    r"|systemctl|psql|mysql|redis-cli|mongosh?|aws|gcloud|az|terraform|ansible\S{0,20}|istioctl|etcdctl|openssl"
    r"|python3?|perl|ruby|php|java|node|rm|chmod|chown|iptables|crontab|powershell|pwsh|base64) [^\n`]{1,400}"
)
_RUNS_SOMETHING: Final = re.compile(
    r"\s--?[a-z]|[|&;<>$]|://|^(?:sudo )?\S+ (?:install|get|run|exec|apply|delete|create|pull|push|add|i|x|rollout"
    r"|scale|patch|edit|set|upgrade|clone|build|restart|stop|start|drain|cordon|login|label|annotate|config|s3|sh)\b"
)
_MASK: Final = re.compile(r"<[a-z_]+:[^<>\s]{1,120}>")
"""A name under its alias, which redirects nothing: `node <node:1> is ready` runs no program."""
_SPAN: Final = re.compile(r"`([^`\n]{3,400})`")
_WORDS: Final = re.compile(r"[^\s,;\"'`()\[\]]+")
_FILES: Final = words(
    """yaml yml json log conf cfg ini toml xml properties txt md sql csv pid sock key pem crt cnf lock java go jar ts js
    py rs rb out err"""
)
"""Endings of file names, which look like those of hosts."""
_CODE: Final = words("com org net io java javax jakarta sun jdk kotlin scala spring")
"""What the names of packages of code begin with."""


@dataclass(frozen=True, slots=True)
class Token:
    """One thing in a text that somebody may follow: its class in words, its normal form."""

    what: str
    key: str


def normal(text: str) -> str:
    """The text as it is compared: no hidden characters, one spelling of dots, schemes, escapes and cases."""
    text = unicodedata.normalize("NFKC", visible(text)).translate(_DASHES)
    if "%" in text:
        text = unquote(text)
    text = _SCHEME.sub(r"http\1://", _DOT.sub(".", text))
    return " ".join(text.split()).casefold()


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a text that is in its normal form."""
    taken = [match.span() for match in _URL.finditer(text)]
    for what, pattern in (("a link", _URL), ("an e-mail address", _EMAIL)):
        yield from (Token(what, match[0].strip(" .,;:!?")) for match in pattern.finditer(text))
    yield from (Token("a command", key) for key in _commands(text))
    for pattern in (_HOST, _IP):
        for match in pattern.finditer(text):
            if not _inside(match, taken) and not _is_file_or_code(match[0]):
                yield Token("a host", match[0])
    fetches = bool(_FETCH.search(text))
    for match in _REFERENCE.finditer(text):
        if not _inside(match, taken) and (fetches or ":" in match[0] or "@" in match[0]):
            yield Token("a repository or image", match[0])
    yield from (Token("a chat handle", match[0]) for match in _HANDLE.finditer(text))
    for pattern in (_FETCHED, _PINNED, _BARE):
        for match in pattern.finditer(text):
            name = next(group for group in (*match.groups(), match[0]) if group)
            if not _inside(match, taken):
                yield Token("the name of a package or image", name)


def bids(text: str) -> bool:
    """Whether a text in its normal form tells somebody to fetch or run something, rather than that it was."""
    return bool(_BIDS.search(text)) or any(True for _ in _commands(text))


def host_of(key: str) -> str:
    """The host in a link or an e-mail address."""
    return re.split(r"[/:?#]", key.rpartition("://")[2].rpartition("@")[2], maxsplit=1)[0]


def runs(text: str, length: int) -> set[str]:
    """The runs of `length` words of a text in its normal form."""
    found = [word.strip(".:!?<>") for word in _WORDS.findall(text)]
    return {" ".join(found[at : at + length]) for at in range(len(found) - length + 1)}


def _commands(text: str) -> Iterator[str]:
    for match in _SHELL.finditer(text):
        if _RUNS_SOMETHING.search(_MASK.sub("it", match[0])):
            yield match[0].strip(" .,;:!?\"'")
    for match in _SPAN.finditer(text):
        if " " in match[1] and _RUNS_SOMETHING.search(match[1]):
            yield match[1].strip()


def _inside(match: re.Match[str], taken: list[tuple[int, int]]) -> bool:
    return any(start <= match.start() < end for start, end in taken)


def _is_file_or_code(name: str) -> bool:
    if name.startswith("<"):
        return False
    first, *_, last = name.split(".")
    return last in _FILES or first in _CODE
