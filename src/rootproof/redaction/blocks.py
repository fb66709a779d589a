"""Secrets that span lines: private keys, single lines of their bodies, the data of Kubernetes Secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import SECRET, Span
from rootproof.redaction.values import is_reference

_PRIVATE_KEY: Final = SECRET + "private-key"
_BEGIN: Final = re.compile(
    r"-{4,5} ?BEGIN[ +][A-Z0-9 +]{0,40}PRIVATE[ +]KEY(?:[ +]BLOCK)? ?-{4,5}|PuTTY-User-Key-File-\d: [^\n]{0,80}"
)
_END: Final = re.compile(r"-{4,5} ?END[ +]")
_EDGE: Final = re.compile(r"(?:\s|\\{1,4}[nr]|%0[AaDd])*+")
# Where an unterminated key stops at the latest: a blank line, or a line that looks like the next log record.
_NEXT_RECORD: Final = re.compile(
    r"\n(?=\s*\n|\d{4}-\d\d-\d\d|\[?\d{2,4}[/:-]\d\d|[A-Z][a-z]{2} [ \d]\d \d\d:|\{\"|level=|time=|ts=)"
)
_BODY_LINE: Final = re.compile(r"^[ \t]{0,16}([A-Za-z0-9+/]{64}|[A-Za-z0-9+/]{70}|[A-Za-z0-9+/]{76})\r?$", re.MULTILINE)
_SECRET_KIND: Final = re.compile(r"^[ \t]*(?:- )?kind:[ \t]*[\"']?Secret(?:List)?[\"']?[ \t]*\r?$", re.MULTILINE)
_DATA: Final = re.compile(r"^(?P<indent>[ \t]*)(?:data|stringData):[ \t]*\r?$", re.MULTILINE)
_Q: Final = r"\\{0,15}[\"']"
_JSON_SECRET: Final = re.compile(rf"{_Q}kind{_Q}\s{{0,4}}:\s{{0,4}}{_Q}Secret(?:List)?\\{{0,15}}[\"']")
_JSON_MARK: Final = re.compile(
    rf"{_Q}kind{_Q}\s{{0,4}}:\s{{0,4}}{_Q}(?P<kind>\w{{1,64}})|{_Q}(?P<data>data|stringData){_Q}\s{{0,4}}:\s{{0,4}}\{{|[{{}}]"
)
_JSON_ENTRY: Final = re.compile(
    rf"[\s,]{{0,64}}(?:\\{{1,15}}n\s{{0,64}})?{_Q}[\w.-]{{1,253}}{_Q}\s{{0,4}}:\s{{0,4}}{_Q}(?P<value>[^\"'\\]*+(?:\\{{1,15}}n[^\"'\\]*+)*+){_Q}"
)
_ENTRY: Final = re.compile(r"\n(?P<indent>[ \t]*)(?:(?P<name>[\w.-]{1,253}):)?(?P<value>[^\n]*)")


def private_keys(text: str) -> Iterator[Span]:
    """Yield the bodies of private keys (the header and footer stay), unterminated ones too."""
    position = 0
    terminated = True
    while (begin := _BEGIN.search(text, position)) is not None:
        body = begin.end()
        footer = _END.search(text, body) if terminated else None
        end = footer.start() if footer is not None else -1
        if footer is None:
            terminated = False  # no footer from here on: searching again would make many headers quadratic
            following = _NEXT_RECORD.search(text, body)
            end = following.start() if following else len(text)
        position = max(end, body)
        start, end = _stripped(text, body, end)
        if start < end:
            yield start, end, _PRIVATE_KEY


def key_lines(text: str) -> Iterator[Span]:
    """Yield whole lines that are a line of a key's body: base64 of the usual width, of both cases and digits."""
    whole = _BODY_LINE.match(text) if "\n" not in text else None
    for match in _BODY_LINE.finditer(text) if "\n" in text else () if whole is None else (whole,):
        line = match[1]
        if any(map(str.isdigit, line)) and any(map(str.islower, line)) and any(map(str.isupper, line)):
            yield match.start(1), match.end(1), _PRIVATE_KEY


def secret_manifests(text: str) -> Iterator[Span]:
    """Yield the values under `data` and `stringData` of a Kubernetes Secret in YAML."""
    if _SECRET_KIND.search(text) is None:
        return
    for block in _DATA.finditer(text):
        depth = len(block["indent"])
        position = block.end()
        while (entry := _ENTRY.match(text, position)) is not None:
            position = entry.end()
            if (entry["name"] or entry["value"].strip()) and len(entry["indent"]) <= depth:
                break
            start, end = _stripped(text, entry.start("value"), entry.end("value"))
            if start < end and text[start:end] not in {"|", "|-", ">", ">-"} and not is_reference(text[start:end]):
                yield start, end, SECRET + "kubernetes"


def json_secrets(text: str) -> Iterator[Span]:
    """Yield the values under `data` and `stringData` of Kubernetes Secrets in JSON, escaped at any depth."""
    if not _JSON_SECRET.search(text):
        return
    open_objects: list[list[Span]] = []
    kinds: list[bool] = []
    position = 0
    while (mark := _JSON_MARK.search(text, position)) is not None:
        position = mark.end()
        if mark["kind"] is not None and kinds:
            kinds[-1] = mark["kind"] in {"Secret", "SecretList"}
        elif mark["data"] is not None and open_objects:
            while (entry := _JSON_ENTRY.match(text, position)) is not None:
                position = entry.end()
                if entry.start("value") < entry.end("value") and not is_reference(entry["value"]):
                    open_objects[-1].append((*entry.span("value"), SECRET + "kubernetes"))
            open_objects.append([])
            kinds.append(False)
        elif mark.group() == "{":
            open_objects.append([])
            kinds.append(False)
        elif mark.group() == "}" and open_objects:
            values = open_objects.pop()
            if kinds.pop():
                yield from values
    for values, is_kind in zip(open_objects, kinds, strict=True):  # the text was cut
        if is_kind:
            yield from values


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the bounds without white space and escaped line breaks at either side."""
    edge = _EDGE.match(text, start, end)
    start = edge.end() if edge else start
    while end > start:
        if text[end - 1].isspace():
            end -= 1
        elif text[end - 1] in "nr" and text[end - 2 : end - 1] == "\\":
            end -= 2
            while end > start and text[end - 1] == "\\":
                end -= 1
        else:
            break
    return start, max(start, end)
