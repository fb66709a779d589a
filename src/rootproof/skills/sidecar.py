"""Read a sidecar `playbook.toml`: text in, a playbook and problems out. Strict: a file with a problem is not used.

The schema is described in docs/reference/skill-sidecar.md.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass

from rootproof.domain.claim import CauseCategory
from rootproof.domain.playbook import (
    Action,
    CauseSpec,
    EvidenceRequest,
    Need,
    Pattern,
    Playbook,
    SeriesState,
    Source,
)
from rootproof.domain.toml_text import parse_toml
from rootproof.domain.vocabulary import CUSTOM, AnyKind, CustomKind, Kind, Scope, Topic
from rootproof.skills.phrase import names_of, phrase_faults
from rootproof.skills.tables import Findings, Table, near
from rootproof.skills.tool_shapes import TOOLS, faults
from rootproof.skills.validate import Problem, ProblemSeverity

SIDECAR = "playbook.toml"
SCHEMA = 1
_KINDS = frozenset(kind.value for kind in Kind)
_TOPICS = frozenset(topic.value for topic in Topic)
_SCOPES = frozenset(scope.value for scope in Scope)
_CATEGORIES = frozenset(category.value for category in CauseCategory)
_STATES = frozenset(state.value for state in SeriesState)
_LOG_TOPICS = ("APPLICATION", "DATABASE_SLOW_QUERY", "SYSTEM_EVENTS")
ALWAYS = frozenset({"subject", "object"})
"""Slots of a sentence that are always known."""
SLOTS = ALWAYS | {
    "peer", "variable", "command", "limit", "took", "statement", "wait", "storage_class", "replica", "call", "killed",
    "oom", "flaw", "filled", "locks",
}  # fmt: skip
"""Slots that the built-in signals fill."""
_SLOT = re.compile(r"\{([a-z][a-z0-9_]{0,30})\}")
_ID = re.compile(r"[a-z][a-z0-9_]{2,60}")
_CUSTOM = re.compile(r"custom\.[a-z][a-z0-9_]{1,60}")


def read_playbook(skill: str, text: str) -> tuple[Playbook | None, list[Problem]]:
    """The playbook in `text`, or None with what is wrong, by line."""
    findings = Findings(text.replace("\r\n", "\n"))
    try:
        values = parse_toml(findings.text)
    except ValueError as error:
        line = re.search(r"at line (\d+)", str(error))
        findings.add("", f"not valid TOML: {error}; correct the syntax", int(line.group(1)) if line else 1)
        return None, findings.problems
    root = Table(values, SIDECAR, ("", -1), findings)
    if not root.has("schema") or type(values["schema"]) is not int or values["schema"] != SCHEMA:
        root.wrong("schema", f"must be {SCHEMA}; the first line is `schema = {SCHEMA}`")
    patterns = tuple(_pattern(table) for table in root.tables("pattern", most=50, header="pattern"))
    custom = {pattern.kind.value: pattern for pattern in patterns}
    evidence = tuple(_evidence(table) for table in root.tables("evidence", most=20, header="evidence"))
    slots = SLOTS | {name for pattern in patterns for phrase in pattern.any_of for name in names_of(phrase)}
    words = _Words(_KINDS | set(custom), slots)
    hypotheses = tuple(_hypothesis(table, words) for table in root.tables("hypothesis", most=50, header="hypothesis"))
    _once(root, "hypothesis", [spec.cause_id for spec in hypotheses])
    _once(root, "pattern", [pattern.kind.value for pattern in patterns])
    root.no_others()
    if findings.problems:
        return None, sorted(findings.problems, key=lambda problem: problem.line or 0)
    return Playbook(skill, hypotheses, evidence, patterns), []


def check_sidecar(skill: str, text: str, causes: Collection[str]) -> list[Problem]:
    """What is wrong with the sidecar in `text`; a cause that is none of `causes` nor its own is a warning."""
    playbook, problems = read_playbook(skill, text)
    if playbook is None:
        return problems
    known = {*causes, *(spec.cause_id for spec in playbook.hypotheses)}
    findings = Findings(text)
    for number, spec in enumerate(playbook.hypotheses):
        for name in sorted(spec.consequence_of - known):
            where = f"hypothesis {number + 1} ({spec.cause_id}), consequence_of"
            line = findings.line_of("hypothesis", number, "consequence_of")
            findings.add(where, f"there is no cause {name[:80]!r}; {near(name, known)}", line, ProblemSeverity.WARNING)
    return findings.problems


@dataclass(frozen=True, slots=True)
class _Words:
    """The words that a file's hypotheses may use."""

    kinds: Collection[str]
    slots: Collection[str]


def _once(root: Table, key: str, names: list[str]) -> None:
    for name in sorted({name for name in names if name and names.count(name) > 1}):
        root.wrong(key, f"{name!r} is defined twice; give each its own name")


def kind_of(word: str) -> AnyKind:
    """A kind by its word."""
    return CustomKind(word) if word.startswith(CUSTOM) else Kind(word)


def _hypothesis(table: Table, words: _Words) -> CauseSpec:
    cause_id = table.text("id")
    table.name = f"{table.name} ({cause_id[:40]})" if cause_id else table.name
    if cause_id and not _ID.fullmatch(cause_id):
        table.wrong("id", f"{cause_id[:80]!r} may hold lower-case letters, digits and _ only, 3 to 61 of them")
    sentence = _template(table, "sentence", words.slots)
    extra = set(_SLOT.findall(sentence)) - ALWAYS
    if extra and not table.has("fallback"):
        table.wrong("fallback", f"is missing; say it without {', '.join(sorted(extra))}, which is not always known")
    fallback = _template(table, "fallback", ALWAYS) if table.has("fallback") else sentence
    topic = table.choice("topic_needed", _TOPICS, default="")
    spec = CauseSpec(
        cause_id,
        CauseCategory(table.choice("category", _CATEGORIES) or "UNKNOWN"),
        table.text("title", most=120),
        sentence,
        fallback,
        tuple(_need(need, words.kinds) for need in table.tables("needs", least=1, most=6)),
        frozenset(Topic(word) for word in table.choices("explains", _TOPICS, least=1)),
        Scope(table.choice("scope", _SCOPES, default="app") or "app"),
        {kind_of(word): weight for word, weight in table.numbers("confirming", words.kinds).items()},
        frozenset(kind_of(word) for word in table.choices("ruled_out_by", words.kinds)),
        frozenset(table.texts("consequence_of")),
        Topic(topic) if topic else None,
        tuple(_action(action) for action in table.tables("actions", most=6)),
        table.text("decide", default=""),
        table.text("ruled_out", default=""),
    )
    _has_needs(table)
    table.no_others()
    return spec


def _has_needs(table: Table) -> None:
    if "needs" not in table.values:
        table.wrong("needs", "is missing; say what must be seen: needs = [{ any_of = [...] }]")


def _template(table: Table, key: str, slots: Collection[str]) -> str:
    text = table.text(key, most=400)
    for name in _SLOT.findall(text):
        table.known(key, name, slots)
    if set("{}") & set(_SLOT.sub("", text)):
        table.wrong(key, "braces hold the name of a slot such as {subject}; write no others")
    return text


def _need(table: Table, kinds: Collection[str]) -> Need:
    found = table.choices("any_of", kinds, least=1)
    words = tuple(word.lower() for word in table.texts("words"))
    table.no_others()
    return Need(frozenset(kind_of(word) for word in found), words)


def _action(table: Table) -> Action:
    action = Action(
        table.text("text"),
        table.text("risk", default="none: it only reads"),
        table.text("query", default="") or None,
    )
    table.no_others()
    return action


def _evidence(table: Table) -> EvidenceRequest:
    tool = table.choice("tool", TOOLS)
    arguments = table.values.get("arguments", {}) if table.has("arguments") else {}
    if not isinstance(arguments, dict):
        table.wrong("arguments", 'must be a table, such as { topic = "APPLICATION" }')
        arguments = {}
    for fault in faults(tool, arguments) if tool else ():
        table.wrong("arguments", fault)
    request = EvidenceRequest(tool, arguments, table.text("why"))
    table.no_others()
    return request


def _pattern(table: Table) -> Pattern:
    name = table.text("name")
    table.name = f"{table.name} ({name[:40]})" if name else table.name
    if name and not _CUSTOM.fullmatch(name):
        table.wrong("name", f"{name[:80]!r} must be custom.<name> with lower-case letters, digits and _")
    source = Source(table.choice("source", tuple(Source), default="logs") or "logs")
    phrases: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
    series: tuple[str, ...] = ()
    state = ""
    if source is Source.METRICS:
        series = table.texts("series", least=1)
        state = table.choice("state", _STATES)
    else:
        phrases = table.texts("any_of", least=1)
        topics = table.choices("topics", _LOG_TOPICS) if source is Source.LOGS else ()
        for fault in (fault for phrase in phrases for fault in phrase_faults(phrase)):
            table.wrong("any_of", fault)
    table.no_others()
    return Pattern(
        CustomKind(name), source, phrases, topics, tuple(word.lower() for word in series),
        SeriesState(state) if state else None,
    )  # fmt: skip
