"""Advice that an attacker wrote does not leave the report: the one choke point for what people are told to do.

Log text, alert texts and labels can be written by anybody who can send a request. A link, host, e-mail address,
package, image, repository or command that only such a text names is taken out of next steps, ACTION claims and the
summary, and a note says what was withheld, why, and in which evidence it stands. Guidance (runbooks, skills), cluster
state and the user's own question may name them. Pure; told by form, not by the words of attacks.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rootproof.agent.advice_sources import UNPROVEN, AdviceSources
from rootproof.domain.claim import CheckedClaim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence
from rootproof.domain.report import Draft, NextStep

_WRITABLE: Final = "text that anyone can write"


@dataclass(frozen=True, slots=True)
class Screened:
    """What of a draft may be told, and what was withheld, one sentence each."""

    draft: Draft
    checked: tuple[CheckedClaim, ...]
    withheld: tuple[str, ...]


def screened(
    draft: Draft,
    checked: Sequence[CheckedClaim],
    evidence: Mapping[str, Evidence],
    guidance: Iterable[str],
    *,
    told: Mapping[str, str] | None = None,
    invents: bool = True,
) -> Screened:
    """The draft and its claims without what only attacker-writable text tells people to do.

    `guidance` are texts that the run's owner chose: the skills that were read, the names of tools. `told` are the other
    texts that the reasoner saw and anyone may have written, by what they are cited as. A reasoner that
    `invents` (a language model) may put a link together from pieces, so its links must stand in such a text.
    """
    sources = AdviceSources(evidence, tuple(guidance), checked, told=told or {}, invents=invents)
    notes: list[str] = []
    steps = [_step(sources, number, step, notes) for number, step in enumerate(draft.next_steps, start=1)]
    claims = [_claim(sources, item, notes) for item in checked]
    lead = _told(sources, "strongest lead", draft.strongest_lead or "", notes, guess=True)
    summary = _told(sources, "summary", draft.summary, notes)
    clean = replace(draft, summary=summary, next_steps=tuple(dict.fromkeys(steps)), strongest_lead=lead or None)
    return Screened(clean, tuple(claims), tuple(notes))


def _step(sources: AdviceSources, number: int, step: NextStep, notes: list[str]) -> NextStep:
    carried = sources.advice(" \n".join(part for part in (step.text, step.query, step.risk) if part))
    if not carried:
        return step
    notes.append(f"next step {number}: {_in_words(carried)}")
    return NextStep(f"A next step was withheld: it carries {_in_words(carried)}.")


def _claim(sources: AdviceSources, item: CheckedClaim, notes: list[str]) -> CheckedClaim:
    carried = sources.advice(item.claim.text) if item.claim.kind is ClaimKind.ACTION else {}
    if not carried:
        return item
    what = _in_words(carried)
    notes.append(f"claim {item.claim.id}: {what}")
    note = replace(item.claim, text=f"An action was withheld: it carries {what}.", citations=())
    return CheckedClaim(note, Verdict.NOT_CHECKABLE, (f"Withheld: it carries {what}.",))


def _told(sources: AdviceSources, where: str, text: str, notes: list[str], *, guess: bool = False) -> str:
    """The text without the sentences that carry what they must not, and a note in their place."""
    carried = {
        sentence: found
        for sentence in sentences_of(text)
        if not sources.is_claim(sentence) and (found := sources.told(sentence, guess=guess))
    }
    if not carried:
        return text
    together: dict[str, tuple[str, ...]] = {}
    for found in carried.values():
        together |= found
    what = _in_words(together)
    notes.append(f"{where}: {what}")
    kept = [sentence for sentence in sentences_of(text) if sentence not in carried]
    return " ".join([*kept, f"A sentence was withheld: it carries {what}."])


def sentences_of(text: str) -> Iterator[str]:
    """The sentences of a text; a full stop inside quotation marks ends none."""
    start = 0
    inside = False
    for at, char in enumerate(text):
        inside ^= char == '"'
        ends = char == "\n" or (char in ".!?" and text[at + 1 : at + 2].isspace())
        if ends and not inside:
            yield text[start : at + 1].strip()
            start = at + 1
    if text[start:].strip():
        yield text[start:].strip()


def _in_words(carried: Mapping[str, Sequence[str]]) -> str:
    """`a link and a host that only E5 holds, text that anyone can write`."""
    what = " and ".join(carried)
    ids = sorted({name for names in carried.values() for name in names}, key=lambda name: (len(name), name))
    if not ids and set(carried) == {UNPROVEN}:
        return UNPROVEN
    if not ids:
        return f"{what} that no runbook, skill or cluster state of this run names"
    shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return f"{what} that only {shown} {'holds' if len(ids) == 1 else 'hold'}, {_WRITABLE}"
