"""What the run knows against a claim that the claim does not cite: a calm series, a later recovery, an event denied."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from rootproof.agent.grounding import signs
from rootproof.agent.grounding.check_affirmations import covered_positions
from rootproof.agent.grounding.facts import Item
from rootproof.agent.grounding.findings import Finding, Ground, State, terms
from rootproof.agent.grounding.negations import Denial
from rootproof.agent.grounding.run import Run
from rootproof.agent.grounding.units import Dimension
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, phrase_at
from rootproof.domain.claim import ClaimKind
from rootproof.domain.window import iso

CALM_PERCENT: Final = 60.0
"""A share that never passed this is no shortage."""
STRAINED_PERCENT: Final = 80.0
_MEASURED: Final = frozenset(["cpu", "memory", "disk", "connection", "thread", "descriptor", "pool"])
_STRAIN: Final = signs.STRAIN_WORDS | words("""
    saturates saturating exhaustion pegged pinned overload capped hot hogged hogging filled depleted bottlenecked
    exhausts exhausting bursting
""")
_PAST: Final = words("was were had did until recovered briefly transient earlier temporarily over then before")
_PRESENT: Final = words("is are has have keeps remains cannot can still now currently continues")
_RECOVERED: Final = words("recovered restored resolved reconnected healthy reestablished re-established normal")
_HEALTHY: Final = words("healthy fine unaffected unharmed stable ready intact operational ok health")
_BAD_STATE: Final = frozenset(["crash", "oom", "unhealthy", "eviction", "kill", "panic"])
_DATED: Final = words("before after since until when while")
_EVENTS: Final = frozenset(
    ["restart", "oom", "crash", "eviction", "throttle", "kill", "failover", "panic", "deploy", "scale", "probe"]
)


def check_rivals(ground: Ground) -> Iterator[Finding]:
    """CONTRADICTED for what an observation of the run, cited or not, says against the claim; never a FOUND."""
    run = ground.run
    if run is None:
        return
    about = _about(ground, run)
    uncited = [item for item in about if item not in ground.items]
    if ground.parsed.claim.kind is not ClaimKind.RULED_OUT:
        yield from _calm_series(ground, about)
    yield from _recovered(ground, uncited)
    yield from _not_healthy(ground, uncited)
    yield from _own_alert(ground, uncited)
    yield from _unmeasured(ground, run)
    yield from _not_yet(ground, run)
    yield from _alert_over(ground, run)
    for denial in ground.parsed.denials:
        yield from _happened(denial, ground, uncited)


def _about(ground: Ground, run: Run) -> list[Item]:
    """The run's observations about what the claim names, or about the subjects of what it cites."""
    named = [name.text for name in ground.parsed.names if name.text in run.names]
    return run.about(named or [item.subject for item in ground.items if item.subject])


def _calm_series(ground: Ground, about: Sequence[Item]) -> Iterator[Finding]:
    """Against `the CPU of X is saturated`: a percentage of X's CPU that stayed low."""
    skipped = covered_positions(ground) | ground.parsed.hypothesis
    lowers = [token.lower for token in ground.parsed.tokens]
    for position, word in enumerate(lowers):
        strained = word in _STRAIN or "exhausted" in phrase_at(lowers, position)[1]
        if not strained or position in skipped:
            continue
        stretches = (lowers[max(0, position - 5) : position], lowers[position + 1 : position + 5])
        found = [{c for each in stretch for c in concepts_of(each)} & _MEASURED for stretch in stretches]
        near = found[0] or found[1]
        if len(near) != 1:
            continue
        series = [item for item in about if _share_of(item) is not None and near & _head(item)]
        peaks = [peak for item in series if (peak := _share_of(item)) is not None]
        if peaks and max(peaks) < CALM_PERCENT and not any(_shows(near, item) for item in ground.items):
            yield Finding(State.CONTRADICTED, f"The claim says {word}; {series[0].id} never passed {peaks[0]:g} %.")
            return


def _share_of(item: Item) -> float | None:
    """The highest percentage of a usage series; None for others."""
    if item.series is None or {"free", "freeable", "idle", "available", "hit", "error", "errors"} & item.head:
        return None
    peak = item.series.values.get("max")
    return peak.value if peak is not None and peak.dimension is Dimension.PERCENT else None


def _head(item: Item) -> set[str]:
    return {concept for word in item.head for concept in concepts_of(word)}


def _shows(near: set[str], item: Item) -> bool:
    """Whether a cited item without a series says itself that the thing ran short."""
    return item.series is None and bool(near & item.words[1]) and bool({"exhausted", "throttle"} & item.direct)


def _recovered(ground: Ground, uncited: Sequence[Item]) -> Iterator[Finding]:
    """Against a CAUSE in the present tense: an observation after all that is cited that it is over."""
    lowers = {token.lower for token in ground.parsed.tokens}
    if ground.parsed.claim.kind is not ClaimKind.CAUSE or lowers & _PAST or not lowers & _PRESENT:
        return
    ends = [max(item.times) for item in ground.items if item.times and item.series is None]
    if not ends:
        return
    topic = [ground.parsed.tokens[position].lower for position in ground.parsed.topic]
    for item in uncited:
        plain = {token.lower for token in item.tokens} & _RECOVERED - item.denials[0]
        later = item.series is None and bool(item.times) and min(item.times) > max(ends)
        if later and plain and any(item.shares(word) for word in topic):
            yield Finding(
                State.CONTRADICTED, f"{item.id}, which the claim does not cite, later says {min(plain)}: it is over."
            )
            return


def _not_healthy(ground: Ground, uncited: Sequence[Item]) -> Iterator[Finding]:
    """Against `X is healthy`: a state of X that is not."""
    skipped = covered_positions(ground) | ground.parsed.hypothesis
    tokens = ground.parsed.tokens
    if any(item.evidence.tool == "query_cluster" for item in ground.items):
        return
    for position, token in enumerate(tokens):
        lead = {each.lower for each in tokens[max(0, position - 4) : position]}
        if token.lower not in _HEALTHY or position in skipped or not lead & (signs.AUXILIARY | {"stayed", "remained"}):
            continue
        for item in uncited:
            state = item.evidence.tool == "query_cluster" and item.log is None and "terminating" not in item.denials[1]
            if state and _BAD_STATE & item.direct:
                shown = min(_BAD_STATE & item.direct)
                yield Finding(State.CONTRADICTED, f"The claim says {token.text}; {item.id} shows a {shown}.")
                return


def _own_alert(ground: Ground, uncited: Sequence[Item]) -> Iterator[Finding]:
    """Against `X is healthy`: an alert about X that is firing."""
    tokens = ground.parsed.tokens
    for name in ground.parsed.names:
        said = [token.lower for token in tokens[name.at + 1 : name.at + 5]]
        if said[:1] not in (["is"], ["was"], ["remains"], ["stayed"]) or not set(said) & _HEALTHY - {"ready"}:
            continue
        for item in uncited:
            if item.evidence.tool == "query_alerts" and item.subject == name.text and "firing" in item.denials[1]:
                yield Finding(State.CONTRADICTED, f"The claim says {name.text} is healthy; {item.id} is firing.")
                return


def _unmeasured(ground: Ground, run: Run) -> Iterator[Finding]:
    """Against `X slowed down`, where nothing cited measures X: a series of X that stayed flat."""
    names = {name.at: name.text for name in ground.parsed.names if name.text in run.names}
    for direction in ground.parsed.directions:
        lead = [at for at in names if direction.at - 4 <= at < direction.at]
        if (
            not lead
            or direction.negated
            or any(item.series and item in ground.owners(names[max(lead)]) for item in ground.items)
        ):
            continue
        wanted = (Dimension.TIME,) if direction.word in signs.SLOWER | signs.FASTER else ()
        for item in run.about([names[max(lead)]]):
            dimensions = {each.dimension for each in item.series.values.values()} if item.series is not None else set()
            if item.series is not None and wanted and set(wanted) & dimensions and item.series.trend == "flat":
                yield Finding(State.CONTRADICTED, f"The claim says {direction.word}; {item.id}, not cited, is flat.")
                return


def _not_yet(ground: Ground, run: Run) -> Iterator[Finding]:
    """Against `the certificate expired`: one that is valid past everything the run saw."""
    if not {"expired", "lapsed"} & {token.lower for token in ground.parsed.tokens}:
        return
    for item in ground.items:
        if {"valid", "until"} <= item.words[0] and item.series is None and item.times and run.latest is not None:
            others = [each for each in ground.items if each is not item and "expired" in each.direct]
            if max(item.times) > run.latest and not others:
                yield Finding(State.CONTRADICTED, f"{item.id} is valid until {iso(max(item.times))}: not expired.")


def _alert_over(ground: Ground, run: Run) -> Iterator[Finding]:
    """Against `alert X is firing`: the monitoring system's own word that it is not."""
    tokens = ground.parsed.tokens
    firing = [index for index, token in enumerate(tokens) if token.lower in {"firing", "fires", "active", "open"}]
    if not firing or firing[0] in covered_positions(ground):
        return
    names = {name.text for name in ground.parsed.names}
    for evidence in run.evidence.values():
        if evidence.tool == "query_alerts" and any(f'"{name}"' in evidence.text for name in names):
            item = run.item(evidence.id)
            over = {"inactive", "resolved"} & {token.lower for token in item.tokens}
            if item.observed and over and not any(each in item.denials[1] for each in ("firing", "active")):
                yield Finding(State.CONTRADICTED, f"The claim says firing; {item.id} says {min(over)}.")
                return


def _happened(denial: Denial, ground: Ground, uncited: Sequence[Item]) -> Iterator[Finding]:
    """Against `X did not restart`, wherever it was looked for: an observation of X that it did."""
    if denial.excepting or denial.unable or denial.at in ground.parsed.hypothesis:
        return
    clause = ground.parsed.clauses[denial.at]
    rest = {
        token.lower
        for index, token in enumerate(ground.parsed.tokens)
        if ground.parsed.clauses[index] == clause and index > denial.at
    }
    if rest & _DATED or ground.parsed.times:
        return
    wanted = {concept for word in denial.scope for concept in concepts_of(word)} & _EVENTS
    wanted -= {concept for item in ground.items for concept in item.denials[0]}
    if {"crash", "restart"} & {concept for item in ground.items for concept in item.absent}:
        wanted -= {"crash", "restart"}
    for item in uncited:
        shown = wanted & (item.direct | (terms("restarts") & item.denials[1])) - item.absent
        if shown and item.series is None and "alert" not in item.evidence.tool:
            yield Finding(
                State.CONTRADICTED, f'The claim says "{denial.text}"; {item.id}, not cited, shows {min(shown)}.'
            )
            return
