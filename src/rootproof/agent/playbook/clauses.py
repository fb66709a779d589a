"""Evidence in a few decisive words: what a tired reader needs of an item, never the whole item.

Everything stands in the signal's own evidence: numbers as measured, quotations letter for letter and short.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from rootproof.agent.playbook import log_parts
from rootproof.agent.playbook import log_rules as rules
from rootproof.agent.playbook.observations import AlertItem, FactItem, LogItem, SeriesItem
from rootproof.agent.playbook.signals import AnyKind, Kind, Signal
from rootproof.agent.playbook.wording import QUIET_METRICS, quote, range_phrase, said, series_phrase
from rootproof.agent.testimony import TOLD, shown_in

_CLAUSE_CHARS = 150
_QUOTE_CHARS = 110
_STATEMENT_CHARS = 70
_FIRST_TABLE = re.compile(r"\b(?:FROM|INTO|UPDATE|COPY|TABLE) +[A-Za-z_\"][\w.\"]*(?= |$)")
_OPEN_BRACKET = re.compile(r"(?<=\S{3}) ?\([^()]{0,60}$")
"""What a cut leaves open at a statement's end."""
_EVENT_HEAD = re.compile(
    r"^(?:[A-Z]\w+ )?(?:Pod|Node|Job|Deployment|ReplicaSet|StatefulSet|DaemonSet|PersistentVolumeClaim|Service"
    r"|HorizontalPodAutoscaler)/\S+:? (?!from \d)"
    r"(?:\(x\d[^()]{0,60}\):? ?)?"
)
_OWN_NAME = re.compile(r"^(?P<name>[\w.-]{3,80}): (?=.*(?P=name)|[A-Z])", re.DOTALL)
_PARTS = re.compile(
    r"(?<=[.;!?])\s+| [\u2014\u2013] |\s*\n\s*|, trace_?id=|; (?=[a-z])| preemption: "
    r"|\s*[~^]{3,}\s*|, line \d{1,6}, in \S{1,80}\s+(?=[\w.]{1,80}(?:Error|Exception|Exit)\b)"
)
_BRACKETED = re.compile(r"^(?:\[[^\]]{1,60}\] ?)+")
_NOISE = re.compile(
    r"^(?:phase |status (?!Error|Unknown)|on (?:no )?nodes? |age |command: |used by |over: |last words: "
    r"|the same for |the last |\d+/\d+ containers ready|storage class \S+$|condition |allocatable \d|0 restarts"
    r"|[\d.]+\w* memory$|declared: |message: back-off|tolerations |asks for |access modes \w+$"
    r"|\d+ (?:No preemption victims|Preemption is not)"
    r"|scheduler: \d+/\d+ nodes are available: \d+ node\(s\) were unschedulable)"
)
_QUOTED = re.compile(
    r'"[^"]*"|\([^()]*\)|allocatable (?:cpu|memory): [^:,]*(?::\d+> )?[\d.]+\w*(?:, (?:<[^>]+>|[\w.-]+) [\d.]+\w*)*'
    r"|scheduler: [^.]*|taints: \S+ \S+(?:, \S+ \S+:\S+)*|on nodes? \S+(?:, [\w<][\w.:>-]+(?=,|$))*"
)
_BRACKETS = re.compile(r" \([^()]*\)")
_SAME = re.compile(r"; the same for \d.*$", re.DOTALL)
_RETRY = re.compile(r"message: back-off [^;]*; |, exit_code=\d+")
_BREAK = re.compile(r"[:;,] |\) ")
_TELLING_TAIL = 24
"""Room for what comes behind the words that were found; a quote that this makes whole is not cut."""
_HAS_TAIL = 3
"""A message of more nested parts than this is told by its head and its end."""


def clause(signal: Signal, about: str = "", told: str = "") -> str:
    """A signal in at most about 150 characters, to stand inside a sentence; `about` is the object already named,
    `told` what the sentence says so far.
    """
    if signal.values.get("words"):
        return str(signal.values["words"])
    series = signal.values.get("series")
    if isinstance(series, SeriesItem):
        whose = "" if signal.subject == about else signal.subject
        if signal.kind in QUIET_METRICS or signal.kind is Kind.CONNECTIONS_DROPPED:
            return range_phrase(series, whose)
        return series_phrase(series, whose)
    if "activity" in signal.values:
        return _activity(signal)
    if signal.kind is Kind.SQL_SLOW:
        return _slow(signal, told)
    fact = signal.values.get("fact")
    if isinstance(fact, FactItem):
        return fact_words(fact, told=told)
    alert = signal.values.get("alert")
    if isinstance(alert, AlertItem):
        return f'the alert "{alert.name}" is {alert.state}'
    item = signal.values.get("item")
    if isinstance(item, LogItem):
        return f"{_teller(item)} {said(telling(signal), _QUOTE_CHARS + 40)}{_holder(signal)}"
    return quote(signal.quote, _CLAUSE_CHARS)


def whole(signal: Signal) -> str:
    """A signal as a short sentence of its own, naming its object."""
    if signal.values.get("words"):
        return str(signal.values["words"])
    alert = signal.values.get("alert")
    if isinstance(alert, AlertItem) and alert.summary and signal.kind is not Kind.ALERT_QUIET:
        return f"{clause(signal)}: {said(alert.summary, 120)}"
    fact = signal.values.get("fact")
    if isinstance(fact, FactItem):
        return _healthy(fact) or f"{_object_of(fact)}: {fact_words(fact)}"
    item = signal.values.get("item")
    if isinstance(item, LogItem) and "activity" not in signal.values:
        words = said(telling(signal), _QUOTE_CHARS + 40)
        whom = "" if differ(item) else _for(signal, item)
        return f"{item.service or 'the log'} logged{counted(item)} {words}{whom}"
    return clause(signal)


_NAMED_THING = re.compile(r"<(?!ts>|time|date|dur)[^<>\s]{1,30}>")


def differ(item: LogItem) -> bool:
    """Whether a pattern stands for records that name different things: its example is one of them."""
    return item.count > 1 and item.is_pattern and bool(_NAMED_THING.search(item.text))


def counted(item: LogItem) -> str:
    """How often a record was written, as a part of a sentence before its words; empty for once."""
    if item.count < 2:
        return ""
    return f" {item.count} lines such as" if differ(item) else f" {item.count} times"


_PODS = re.compile(r"(\d+) pods?: (\d+) Running and Ready(, [1-9]\d* restarts?)?")
_READY = re.compile(r"\d+/\d+ ready$")
_NODE_READY = re.compile(r"is Ready(?:, no pressure)?")


def _healthy(fact: FactItem) -> str:
    """A healthy object's state as a plain sentence; empty where it is not of a known form."""
    name = fact.object.split("/", 1)[-1]
    pods = _PODS.search(fact.text)
    if fact.abnormal:
        return ""
    if pods is not None and pods.group(1) == pods.group(2):
        return f"{pods.group(1)} of {pods.group(1)} pods of {name} are Running and Ready{pods.group(3) or ''}"
    if fact.object.startswith("deployment/") and (ready := _READY.search(fact.text)):
        return f"deployment {name} is {ready.group()}"
    if fact.object.startswith("node/") and (node := _NODE_READY.search(fact.text)):
        return f"node {name} {node.group()}"
    return ""


def _for(signal: Signal, item: LogItem) -> str:
    """Whom an event is about, where its words do not say so themselves."""
    _, _, name = signal.subject.partition("/")
    return f" for {name}" if item.topic == "SYSTEM_EVENTS" and name and name not in telling(signal) else ""


def _teller(item: LogItem) -> str:
    if item.topic == "SYSTEM_EVENTS":
        return "an event says"
    return f"{item.service} logs" if item.service else "the log says"


def _object_of(fact: FactItem) -> str:
    kind, _, name = fact.object.partition("/")
    return f"{kind.capitalize() if kind != 'pvc' else 'PVC'} {name}" if name else fact.object


def fact_words(fact: FactItem, limit: int = _CLAUSE_CHARS, told: str = "") -> str:
    """The decisive parts of a fact's text: without its object, its place, its age, what else is routine, and what
    `told` says already. Empty where nothing is left.
    """
    body = fact.text.split("): ", 1)[-1] if "): " in fact.text[:240] else fact.text.split(": ", 1)[-1]
    body = _RETRY.sub("", _SAME.sub("", body))
    parts = [_shortened(part) for part in _split(body) if part]
    # Which port is asked and which is open is one fact in two parts.
    asked = "container's ports are" in body
    telling_parts = [part for part in parts if not _NOISE.match(part) or (asked and part.startswith("declared: "))]
    kept = [_BRACKETS.sub("", part) if part.startswith("declared: ") else part for part in telling_parts] or parts
    chosen = ""
    for part in kept:
        if (told and _told(part, told)) or (chosen and len(chosen) + len(part) + 2 > limit):
            continue
        chosen = f"{chosen}, {part}" if chosen else part
    return _upto(chosen, limit + 60)


def _told(part: str, told: str) -> bool:
    if part == "Ready is False" and "not Ready" in told:
        return True
    return part[-40:] in told or (part.startswith("waiting with ") and part.rsplit(" ", 1)[-1] in told)


def _shortened(part: str) -> str:
    """A message inside a fact, cut to its first sentence."""
    part = re.split(r"(?<=\w)\. |; ", part, maxsplit=1)[0]
    nested = part.split(": ")
    if len(nested) > _HAS_TAIL and len(part) > _QUOTE_CHARS:
        start = next((i for i, one in enumerate(nested) if one == "exec" or one.endswith(" exec")), len(nested) - 1)
        return f"{nested[0]}: {': '.join(nested[start:])}"
    return _upto(part, 170)


def _upto(text: str, limit: int) -> str:
    if len(text) <= limit:
        return _balanced(text)
    return _balanced(text[:limit].rsplit(" ", 1)[0].rstrip(" ,:;"))


def _balanced(text: str) -> str:
    """`text` without a quotation that was cut open."""
    return text[: text.rindex('"')].rstrip(" ,:;") if text.count('"') % 2 else text


def _split(body: str) -> Iterator[str]:
    """The parts between commas, not cut inside quotation marks or brackets."""
    start = 0
    masked = _QUOTED.sub(lambda m: "x" * len(m.group()), body)
    for found in re.finditer(r", ", masked):
        yield body[start : found.start()].strip()
        start = found.end()
    yield body[start:].strip()


def telling(signal: Signal, limit: int = _QUOTE_CHARS) -> str:
    """The sentence of a log line that carries the signal's meaning, without the feed's own heading."""
    text = bare(signal.quote)
    parts = [part.strip() for part in _PARTS.split(text) if part.strip()] or [text]
    matched = str(signal.values.get("matched") or "")
    best = next((part for part in parts if _means(signal.kind, part) or (matched and matched in part)), parts[0])
    best = _seen(signal.kind, _with_next(best, parts, text, limit))
    if len(best) > limit:
        best = _around(_match(signal.kind, best := _thrown(best)), best, limit)
    cut = quote(best, _room(_match(signal.kind, best), best, limit))
    if cut.count("(") > cut.count(")") and cut.rindex("(") > limit // 3:
        cut = cut[: cut.rindex("(")]
    if len(cut) < len(best):
        cut = _DANGLING.sub("", cut)
    return cut.strip(" ,:;.")


def _around(found: tuple[int, int] | None, text: str, limit: int) -> str:
    """The text from where a cut at `limit` keeps what was found and, as far as it goes, what is said after it."""
    if found is None or found[1] <= limit or len(text) <= limit:
        return text
    breaks = [one.end() for one in _BREAK.finditer(text, 0, found[0] + 1)]
    fitting = [at for at in breaks if found[1] - at <= limit + _TELLING_TAIL]
    start = fitting[0] if fitting else text.rfind(" ", 0, max(found[0] - limit // 4, 0)) + 1
    return text[start:]


def _room(found: tuple[int, int] | None, text: str, limit: int) -> int:
    """How long the quote may be: somewhat longer than `limit` where that makes it whole, or keeps what was found."""
    most = limit + _TELLING_TAIL
    if len(text) <= most and limit >= _QUOTE_CHARS:
        return most
    return max(limit, found[1] + 1) if found is not None and found[1] <= most else limit


def _with_next(part: str, parts: Sequence[str], text: str, limit: int) -> str:
    """The part with the one behind its semicolon, where that tells a meaning of its own and there is room."""
    behind = next((two for one, two in pairwise(parts) if one == part and part.endswith(";")), "")
    whole_part = f"{part} {behind}"
    if not behind or limit < _QUOTE_CHARS or len(whole_part) > limit + _TELLING_TAIL or whole_part not in text:
        return part
    return whole_part if any(rule.pattern.search(behind) for rule in rules.LOG_RULES) else part


def _seen(kind: AnyKind, text: str) -> str:
    """The run of words around the meaning that no client fills in; the whole text where there are none."""
    pieces = [piece.strip() for piece in _MASKED.split(shown_in(text))]
    found = _match(kind, text)
    if len(pieces) == 1 or found is None:
        return text
    return next((piece for piece in pieces if piece in text and text[slice(*found)] in piece), text)


_MASKED = re.compile(rf"<field>|{re.escape(TOLD)}")
_DANGLING = re.compile(
    r"(?: \(?(?:is|are|was|after|before|to|the|an?|of|and|or|with|at|in|on|for|from|by|during|while)|,(?: \w+)?)+$"
)
"""What a cut leaves hanging: words that lead to more, the first word of a further part."""
_STACK = re.compile(r"\s*(?:<stack>|\n\s*at \S|\bTraceback \()")
_EXCEPTION = re.compile(r"(?:[a-z_$][\w$]*\.){1,12}([A-Z][\w$]*(?:Exception|Error|Failure))\b")
_LEAST_HEAD = 12


def first_line(text: str) -> str:
    """What a record says before its stack trace, and before it names the same exception again."""
    found = _STACK.search(text)
    if found is not None and found.start() >= _LEAST_HEAD:
        text = text[: found.start()]
    seen: set[str] = set()
    for named in _EXCEPTION.finditer(text):
        if named.group(1) in seen and named.start() >= _LEAST_HEAD:
            return text[: named.start()].rstrip()
        seen.add(named.group(1))
    return text


def _thrown(text: str) -> str:
    """`text` from the exception's own name on: package names and what was being done are the first to go."""
    named = _EXCEPTION.search(text)
    return text[named.start(1) :] if named is not None else text


def bare(text: str) -> str:
    """An event's words without `Reason Pod/name (xN, first T):` and without the instance that it repeats."""
    text = first_line(text)
    text = _BRACKETED.sub("", " ".join(text.split()))
    text = _EVENT_HEAD.sub("", text)
    return _OWN_NAME.sub("", text)


def _match(kind: AnyKind, text: str) -> tuple[int, int] | None:
    for rule in rules.LOG_RULES:
        if rule.kind is kind:
            found = rule.pattern.search(text)
            if found is not None:
                return found.span()
    if kind is Kind.SLOW_CALL:
        found = log_parts.DURATION.search(text)
        return found.span() if found else None
    return None


def _means(kind: AnyKind, text: str) -> bool:
    return _match(kind, text) is not None


def statement(text: str) -> str:
    """A statement's head as a quotation."""
    table = _FIRST_TABLE.search(text)
    limit = max(_STATEMENT_CHARS, min(table.end() + 1, _QUOTE_CHARS) if table is not None else 0)
    head = quote(text, limit)
    whole_parts = _OPEN_BRACKET.sub("", head) if len(head) < len(text) else head
    return said(whole_parts.rstrip(" ,("), limit + 10)


def _holder(signal: Signal) -> str:
    """Who it is that holds what others wait for, and what it runs, as far as the quoted words leave it out."""
    told = telling(signal)
    by, runs = str(signal.values.get("by", "")), str(signal.values.get("runs", ""))
    who = f" ({by})" if by and by not in told else ""
    return f"{who}, which runs {statement(runs)}" if runs and runs[:20] not in told else who


def _activity(signal: Signal) -> str:
    values = signal.values
    wait = f", {values['amount']:g} of it in {values['wait']}," if values.get("wait") else ""
    return f"a load of {values['load']:g}{wait} comes from {statement(str(values['statement']))}"


def _slow(signal: Signal, told: str) -> str:
    """A slow statement with its time; only the time where the statement has been named."""
    took, named = signal.values.get("took"), statement(str(signal.values["statement"]))
    if named in told:
        return f"a run of that statement {took}" if took else ""
    where = f"{signal.subject} logs that " if signal.subject else ""
    return f"{where}{named} {took}" if took else f"the slow log holds {named}"


def listed(words: Iterable[str]) -> str:
    """`a`, `a and b`, `a, b and c`."""
    items = list(words)
    if len(items) < 2:
        return "".join(items)
    return f"{', '.join(items[:-1])} and {items[-1]}"
