"""What surrounds the state: warnings about objects that are gone or well again, changes, calls, failed commands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from rootproof.cluster.fact import ClusterFact, Weight, one_line, sentence
from rootproof.cluster.observations import Event
from rootproof.cluster.rules.messages import Meaning, meaning_of
from rootproof.cluster.rules.pods import event_fact
from rootproof.cluster.rules.view import View, app_of_object, fact

_HANDLED = frozenset({"node", "pvc"})
"""Kinds whose events other rules read."""
_MAX_PROBLEMS = 8


def history_facts(view: View) -> Iterator[ClusterFact]:
    """Warnings that no rule about current failures took, then changes, calls and failed commands."""
    yield from _past_events(view)
    for change in view.state.changes:
        kind, _, name = change.object.partition("/")
        words = sentence(
            f"{change.kind}: {one_line(change.summary, 300)}", f"by {change.author}" if change.author else None
        )
        yield fact(
            kind if name else "object", name or kind or change.kind, "change", "changed", words, app=name or None,
            abnormal=False, weight=Weight.LEAD, first_at=change.at, last_at=change.at,
        )  # fmt: skip
    yield from _calls(view)
    for problem in view.state.problems[:_MAX_PROBLEMS]:
        words = f"{one_line(problem.command, 120)} gave no data: {one_line(problem.message, 240)}"
        yield fact("source", "cluster", "collection", "command_failed", words, abnormal=False)


def _past_events(view: View) -> Iterator[ClusterFact]:
    """Per app and reason one line; current only where nothing else was recorded about the object."""
    grouped: dict[tuple[str, str, str], list[tuple[Event, Meaning]]] = defaultdict(list)
    for event in view.state.events:
        meaning = meaning_of(event)
        if meaning is None or event.kind in _HANDLED or event.reason == "FailedCreate":
            continue
        pod = view.state.pods.get((event.namespace, event.name)) if event.kind == "pod" else None
        if pod is not None and view.is_bad(pod):
            continue
        app = app_of_object(view, event.kind, event.namespace, event.name) or event.name
        grouped[event.namespace, app, meaning.reason].append((event, meaning))
    for (namespace, app, _), found in grouped.items():
        events = [event for event, _ in found]
        gone = not view.pods_of.get((namespace, app)) and not view.state.is_listed("pod", namespace)
        current = gone and any(event.last_age_s is not None and event.last_age_s < 600 for event in events)
        base = event_fact(view, events, found[0][1], current=current, app=app)
        yield base if current else _as_history(base)


def _as_history(item: ClusterFact) -> ClusterFact:
    from dataclasses import replace

    return replace(
        item, weight=Weight.NORMAL, text=f"{item.text} (over: nothing of this app is unhealthy because of it now)"
    )


def _calls(view: View) -> Iterator[ClusterFact]:
    callees: dict[str, list[str]] = defaultdict(list)
    for caller, callee in view.state.calls:
        callees[caller].append(callee)
    for caller, names in callees.items():
        words = f"calls {', '.join(names)}"
        yield fact("app", caller, "topology", "calls", words, app=caller, abnormal=False)
