"""What a text shows, and what it merely tells.

Whoever can make a system log a line can put words into it: the path of a request, a user agent, a search word, and in
the end a whole sentence that states a diagnosis. Such words are testimony. They may be quoted as what was seen; they
confirm no cause by themselves. Nothing here looks for the words of attacks: only for fields that a client fills in,
and for sentences that speak of the cause of an incident, which a component that fails does not do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from rootproof.agent.grounding.check import check_claim
from rootproof.domain.claim import CheckedClaim, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence
from rootproof.domain.report import Coverage

TOLD: Final = "<told>"
_FIELD: Final = "<field>"
_TARGET: Final = re.compile(
    r"(\b(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|CONNECT) )((?:https?://[^/\s]{1,253})?/\S{0,4000})"
)
_FILLED_IN: Final = re.compile(
    r"\b((?:http_)?(?:user[-_ ]?agent|referr?er|path|uri|url|query(?:_?string)?|q|search|form|comment|feedback|title"
    r"|subject|user(?:_?name)?|login|cookie|x-[a-z-]{1,40}|param\w{0,8}|header|args)[\"']?\s?[=:]\s?)"
    r"(\"[^\"]{0,4000}\"|'[^']{0,4000}'|[^\s,;]{1,4000})",
    re.IGNORECASE,
)
_RECORD: Final = re.compile(
    r"\s(?:\\x0[ad]\s{0,4}){0,4}\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,16}\s+"
    r"\[?(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERROR|FATAL|CRITICAL|SEVERE|ALERT|EMERG(?:ENCY)?)\b.*",
    re.DOTALL,
)
"""A whole record, time and level and all, inside another one: a client's line break, or a quotation."""
_QUOTING: Final = re.compile(r".{0,400}?\b(?:probe|hook) (?:failed|errored|warning): ", re.IGNORECASE | re.DOTALL)
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+|\n+")
_ASKS: Final = re.compile(
    r"\?\W*$|^\W*(?:please |can you |could you |we (?:need|want) to |help (?:me|us) (?:to )?)*"
    r"(?:find|identify|determine|tell|what|which|why|who|where|how|explain|give|show|investigate|diagnose|analy[sz]e|look|check|is|are|was|were|do|does"
    r"|did|report|provide|name|list|figure|search)\b",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[a-z0-9][a-z0-9_.-]{2,}")
_PIECES: Final = re.compile(r"[-_+.~]|%[0-9A-Fa-f]{2}|(?<=[a-z])(?=[A-Z])")
_PLAIN_SEGMENT: Final = 3
_PLAIN_CHARS: Final = 32
_TROUBLE: Final = (
    r"(?:outage|incident|errors?|failures?|problem|issue|alert|latency|slow(?:ness|down)|downtime|disruption|fault"
    r"|degradation|crash(?:es)?)"
)
_TELLS: Final = re.compile(
    r"(?<!with )\broot[ _-]?cause\b(?!:? [\w.$]{0,200}(?:Exception|Error)\b)"
    r"|\b(?:the|real|actual|true|only|underlying|probable|likely|confirmed)\s+(?:\w+\s+)?(?:cause|culprit)\b"
    r"|\bculprit\b|\bto blame\b|\bblamed? on\b"
    r"|\bcause (?:is|was|has been|of)\b|\b(?:reason|source) (?:of|for|behind) (?:the|this|all)\b"
    rf"|\b{_TROUBLE}\s+(?:is|are|was|were|comes?|came|stems?)\s+(?:\w+\s+)?"
    r"(?:caused by|due to|because of|from|owing to)\b"
    r"|\bdiagnos(?:is|ed)\b|\bpost-?mortem\b|\brca\b",
    re.IGNORECASE,
)


def shown_in(message: str) -> str:
    """The message with its sentences that state a diagnosis masked, and the fields that a client fills in.

    What a probe's own report quotes of a container is one such field.
    """
    if not _TELLS.search(message):
        return without_fields(message)
    quoting = _QUOTING.match(message)
    head = quoting[0] if quoting and not _TELLS.search(quoting[0]) else ""
    kept = [TOLD if _TELLS.search(one) else one for one in _SENTENCE.split(message[len(head) :])]
    return head + without_fields(" ".join(kept))


def without_diagnoses(text: str) -> str:
    """The text without the sentences that state a diagnosis; those that ask for one stay."""
    return " ".join(one for one in _SENTENCE.split(text) if _ASKS.search(one) or not _TELLS.search(one))


def sentences(text: str) -> list[str]:
    """The sentences of a text."""
    return _SENTENCE.split(text)


def without_fields(text: str) -> str:
    """The text with request targets, the fields that a client fills in and records inside the record masked."""
    text = _RECORD.sub(f" {TOLD}", text)
    text = _TARGET.sub(lambda match: match[1] + _plain_target(match[2]), text)
    return _FILLED_IN.sub(lambda match: match[1] + _plain_value(match[2]), text)


def states_diagnosis(text: str) -> bool:
    """Whether the text speaks of the cause of an incident."""
    return bool(_TELLS.search(text))


def observed(item: Evidence) -> Evidence:
    """The item with what it merely tells masked; its head (count, level, service, times) is ours and stays."""
    head, colon, body = item.text.partition(": ")
    if not colon or states_diagnosis(head):
        head, colon, body = "", "", item.text
    text = f"{head}{colon}{shown_in(body)}"
    return item if text == item.text else replace(item, text=text)


def without_testimony(
    checked: Sequence[CheckedClaim], evidence: Mapping[str, Evidence], coverage: Sequence[Coverage]
) -> tuple[CheckedClaim, ...]:
    """The claims, with each cause lowered that testimony alone carries."""
    return tuple(_weighed(item, evidence, coverage) for item in checked)


def _weighed(item: CheckedClaim, evidence: Mapping[str, Evidence], coverage: Sequence[Coverage]) -> CheckedClaim:
    if item.claim.kind is not ClaimKind.CAUSE or item.verdict is not Verdict.SUPPORTED:
        return item
    seen = {c.evidence_id: observed(evidence[c.evidence_id]) for c in item.claim.citations if c.evidence_id in evidence}
    telling = [name for name, each in seen.items() if each is not evidence[name]]
    if not telling:
        return item
    claim = _on_what_is_seen(item.claim, seen, telling)
    again = check_claim(claim, {**evidence, **seen}, coverage)
    if again.verdict is Verdict.SUPPORTED and _adds_something(claim, seen, [evidence[name].text for name in telling]):
        return item
    reason = (
        f"{', '.join(telling)} only tells so, in words that anyone can put there: nothing else that is cited shows it."
    )
    return CheckedClaim(item.claim, Verdict.PARTIAL, (reason, *item.reasons))


def _on_what_is_seen(claim: Claim, seen: Mapping[str, Evidence], telling: Sequence[str]) -> Claim:
    """The claim without the items that only tell, and without quotes of what is masked."""
    kept = [c for c in claim.citations if c.evidence_id not in telling or _shows_anything(seen[c.evidence_id])]
    kept = [replace(c, quote=None) if _masked(c.quote, seen[c.evidence_id]) else c for c in kept]
    return replace(claim, citations=tuple(kept))


def _adds_something(claim: Claim, seen: Mapping[str, Evidence], told: Sequence[str]) -> bool:
    """Whether the claim holds a word that what is seen shows and what is told does not: else it repeats the telling."""
    shown = _words(" ".join(seen[c.evidence_id].text for c in claim.citations))
    return bool((_words(claim.text) & shown) - _words(" ".join(told)))


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.lower()))


def _shows_anything(item: Evidence) -> bool:
    """Whether anything but marks stands behind the head of an item."""
    return bool(_WORD.search(item.text.partition(": ")[2].replace(TOLD, "").replace(_FIELD, "").lower()))


def _masked(quote: str | None, item: Evidence) -> bool:
    return quote is not None and quote not in item.text and (TOLD in item.text or _FIELD in item.text)


def _plain_target(target: str) -> str:
    """A request target without its query and without segments that spell more than a name."""
    path, mark, _ = target.partition("?")
    segments = [segment if _is_plain(segment) else _FIELD for segment in path.split("/")]
    return "/".join(segments) + (f"?{_FIELD}" if mark else "")


def _plain_value(value: str) -> str:
    bare = value.strip("\"'")
    if bare.startswith(("/", "http://", "https://")):
        return _plain_target(bare)
    return value if _is_plain(bare) else _FIELD


def _is_plain(segment: str) -> bool:
    """Whether a segment is at most a short name: no sentence is spelled in it."""
    return (
        len(segment) <= _PLAIN_CHARS
        and " " not in segment
        and len([piece for piece in _PIECES.split(segment) if piece]) <= _PLAIN_SEGMENT
    )
