"""Answers from documents: whole steps of the section that fits, cited; no root cause, and an honest "not found".

A procedure with a step left out is worse than none: steps are quoted in order, as numbered, and what is missing is
counted. A section answers a "how to" only if its heading speaks of the same deed or thing as the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.observations import KnowledgeItem, Observations
from rootproof.agent.playbook.wording import quote, sentence
from rootproof.domain.claim import ClaimKind

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+|\s+[*•]\s+|\s+-\s+(?=[A-Z`])")
_STEP = re.compile(r"(?:^|(?<=\s))(\d{1,2})[.)]\s+")
_LATER_HEADING = re.compile(r"\n\s*(?:#{1,6} |\*\*[^*\n]{2,80}\*\*\s*\n)|\n\s*\n(?![ \t]*(?:\d{1,2}[.)]|[-*•`>])\s?)")
_CUT_NOTE = re.compile(r"\s*\[… \d+ more characters\]\s*$")
_DEED = re.compile(
    r"\bhow (?:do|can|should|would|could|to|does)\s+(?:(?:i|we|you|one|someone|to)\s+)?(?:safely |quickly |best )?([a-z]+)"
    r"|\b(?:steps?|procedure|process|command|best way|runbook|guide) (?:to|for) ([a-z]+)"
    r"|\b(?:can|may|should|could) (?:i|we|you|one) ([a-z]+)",
    re.IGNORECASE,
)
_ALIKE = (
    "add create new", "restart reboot bounce recycle", "remove delete drop", "drain evacuate", "renew rotate refresh",
    "fail failover switch promote", "scale grow expand resize enlarge", "restore recover", "stop shutdown halt",
    "upgrade update", "deploy release rollout", "revert rollback undo", "contact call page reach escalate",
)  # fmt: skip
_MAX_STEPS = 14
_MAX_STEP_CHARS = 600
_MAX_SENTENCES = 4


@dataclass(frozen=True, slots=True)
class Answer:
    """What one section says to the question."""

    item: KnowledgeItem
    steps: tuple[tuple[str, str], ...]
    """Numbered steps in order; empty for prose."""
    sentences: tuple[str, ...]
    left_out: bool
    """The excerpt was cut, so there may be more."""
    score: float


def write_answer(draft: DraftBuilder, briefing: Briefing, seen: Observations) -> None:
    """Fill `draft` from the section that fits best."""
    deed = _deed(briefing.question)
    answers = [answer for item in seen.knowledge[:8] if (answer := _answer(item, briefing.question, deed)) is not None]
    if not answers:
        _write_none(draft, briefing, seen)
        return
    best = max(answers, key=lambda answer: answer.score)
    lines = [_write(draft, best)]
    if not best.steps:
        near = [a for a in answers if a is not best and not a.steps and a.score >= 0.75 * best.score]
        lines += [_write(draft, answer) for answer in near[:2]]
    draft.summary = " ".join(lines)


def _write_none(draft: DraftBuilder, briefing: Briefing, seen: Observations) -> None:
    calls = seen.named("lookup_knowledge")
    documents = max((call.number("scanned") for call in calls), default=0)
    where = f"{documents} documents were searched" if calls else "no document source is connected"
    draft.summary = f"Nothing in the documents answers this: {where} for: {quote(briefing.question, 200)}"
    draft.step("Ask with other words, or add the document that should answer it.", "none: it only reads")


def _write(draft: DraftBuilder, answer: Answer) -> str:
    """Add the claims of an answer; its text for the summary."""
    title = answer.item.breadcrumb or answer.item.title
    shown = answer.steps[:_MAX_STEPS]
    told = [f"{number}. {text}" for number, text in shown] or list(answer.sentences)
    bodies = [text for _, text in shown] or list(answer.sentences)
    for text, body in zip(told, bodies, strict=True):
        draft.claim(ClaimKind.ACTION, sentence(f"{title}: {text}"), [(answer.item.evidence_id, quote(body, 380))])
    more = len(answer.steps) - len(shown)
    note = f" {more} more steps are left out here." if more else ""
    if answer.left_out:
        note += " The section goes on: read the rest in the document."
    return f"{title}: {' '.join(sentence(text) for text in told)}{note}"


def _answer(item: KnowledgeItem, question: str, deed: str) -> Answer | None:
    """What the section says; None where it is about something else."""
    asked = tokens(question)
    heading = tokens(f"{item.title} {item.breadcrumb} {item.source}")
    about = heading | tokens(item.excerpt)
    things = asked - _alike(deed) if deed else asked
    if len(asked & about) < min(2, len(asked)) or (things and not things & about):
        return None
    named = tokens(item.breadcrumb.rsplit(" > ", 1)[-1] or item.title)
    cut = bool(_CUT_NOTE.search(item.excerpt))
    text = _CUT_NOTE.sub("", item.excerpt)
    steps = _steps(text)
    if deed:
        fits = bool(_alike(deed) & (named | heading))
        if steps and not fits:
            return None
        if not steps and not fits and not _alike(deed) & about:
            return None
    score = 3.0 * len(things & named) + 1.0 * len(things & heading) + 1.0 * len(asked & about)
    score += 3.0 * bool(deed and _alike(deed) & named) + 1.0 * bool(steps)
    sentences = () if steps and deed else _sentences(text, asked)
    if not steps and not sentences:
        return None
    return Answer(item, steps if deed or not sentences else (), sentences, cut, score)


def _deed(question: str) -> str:
    """What the question wants to do, as a word; empty where it asks for a fact."""
    found = _DEED.search(question)
    word = next((group for group in found.groups() if group), "") if found else ""
    return word.lower()


def _alike(deed: str) -> frozenset[str]:
    """The deed and the words that runbooks use for it."""
    words = next((group for group in _ALIKE if deed in group.split()), deed)
    return tokens(f"{words} {deed}")


def _steps(text: str) -> tuple[tuple[str, str], ...]:
    """The steps of the numbered list, whole and in order; numbers inside a step do not start one."""
    marks: list[re.Match[str]] = []
    for found in _STEP.finditer(text):
        if int(found.group(1)) == (int(marks[-1].group(1)) + 1 if marks else 1):
            marks.append(found)
    if len(marks) < 2:
        return ()
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    steps = []
    for number, (mark, end) in enumerate(zip(marks, ends, strict=True), 1):
        body = text[mark.end() : end]
        if number == len(marks):
            later = _LATER_HEADING.search(body)
            body = body[: later.start()] if later else body
        steps.append((mark.group(1), quote(" ".join(body.split()), _MAX_STEP_CHARS)))
    return tuple(steps)


def _sentences(text: str, asked: frozenset[str]) -> tuple[str, ...]:
    """The sentences that share most words with the question, in reading order."""
    found = [s.strip(" *#-") for s in _SENTENCE.split(text)]
    found = [s for s in found if len(s) > 12]
    ranked = sorted(range(len(found)), key=lambda i: (-len(tokens(found[i]) & asked), i))[:_MAX_SENTENCES]
    return tuple(quote(found[i], 300) for i in sorted(ranked))


def cite_guidance(draft: DraftBuilder, seen: Observations) -> None:
    """Name the runbooks that were found in the next steps: their heading only, for whoever writes a runbook must not
    write our next steps; guidance confirms nothing.
    """
    for item in seen.knowledge[:2]:
        title = " ".join((item.breadcrumb or item.title).split())
        draft.step(f'Read the runbook "{quote(title, 100)}" and judge whether it applies.', "as the runbook says")
