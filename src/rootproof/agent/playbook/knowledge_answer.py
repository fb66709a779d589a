"""Answers from documents: whole steps of the section that fits, cited; no root cause, and an honest "not found".

A procedure with a step left out is worse than none: steps are quoted in order, as numbered, and what is missing is
counted. A section answers a "how to" only if its heading speaks of the same deed or thing as the question.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from rootproof.agent.briefing import Briefing
from rootproof.agent.playbook.draft import DraftBuilder
from rootproof.agent.playbook.lexicon import tokens
from rootproof.agent.playbook.observations import KnowledgeItem, Observations
from rootproof.agent.playbook.wording import quote, sentence
from rootproof.domain.claim import ClaimKind

_SENTENCE = re.compile(r"(?<=[.!?:])\s+|\n+|\s+[*•]\s+|\s+-\s+(?=[A-Z`])")
_STEP = re.compile(r"(?:^|(?<=\s))(\d{1,2})[.)]\s+")
_HEADING = re.compile(r"\n\s*\n(?:#{1,6} +)?(?![ \t]*(?:\d{1,2}[.)]|[-*•`>|]))([A-Z0-9][^\n]{1,58}[^\n.:;,!?])\n(?=\S)")
"""How an excerpt shows where the next section begins: a short line of its own above a text."""
_AFTER_STEPS = re.compile(r"\n\s*\n(?![ \t]|\d{1,2}[.)]|[-*•`>|])")
_CUT_NOTE = re.compile(r"\s*\[… \d+ more characters\]\s*$")
_DEED = re.compile(
    r"\bhow (?:do|can|should|would|could|to|does)\s+(?:(?:i|we|you|one|someone|to)\s+)?(?:safely |quickly |best )?"
    r"([a-z]+)"
    r"|\b(?:steps?|procedure|process|command|best way|runbook|guide) (?:to|for) ([a-z]+)",
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
_LEAST_SENTENCE = 8
_LEAST_ROOT = 3
_NEAR = 0.75


@dataclass(frozen=True, slots=True)
class Answer:
    """What one section says to the question."""

    item: KnowledgeItem
    steps: tuple[tuple[str, str], ...]
    """Numbered steps in order; empty for prose."""
    sentences: tuple[str, ...]
    """What answers in prose; after steps, what the section adds to them."""
    left_out: bool
    """The excerpt was cut, so there may be more."""
    score: float


def write_answer(draft: DraftBuilder, briefing: Briefing, seen: Observations) -> None:
    """Fill `draft` from the section that fits best."""
    deed = _deed(briefing.question)
    sections = [section for item in seen.knowledge[:8] for section in _sections(item)]
    answers = [found for section in sections if (found := _answer(section, briefing.question, deed)) is not None]
    if not answers:
        _write_none(draft, briefing, seen)
        return
    best = max(answers, key=lambda answer: answer.score)
    lines = [_write(draft, best)]
    if not best.steps:
        near = [a for a in answers if a is not best and not a.steps and a.score >= _NEAR * best.score]
        lines += [_write(draft, answer) for answer in near[:2]]
    draft.summary = " ".join(lines)


def _sections(item: KnowledgeItem) -> list[KnowledgeItem]:
    """An excerpt may hold the sections that follow: each under its own heading."""
    starts = list(_HEADING.finditer(item.excerpt))
    ends = [*(mark.start() for mark in starts), len(item.excerpt)]
    found = [replace(item, excerpt=item.excerpt[: ends[0]])]
    above = item.breadcrumb.rsplit(" > ", 1)[0] or item.title
    for mark, end in zip(starts, ends[1:], strict=True):
        heading = f"{above} > {mark.group(1).strip()}"
        found.append(replace(item, breadcrumb=heading, excerpt=item.excerpt[mark.end() : end]))
    return [section for section in found if section.excerpt.strip()]


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
    told = [*(f"{number}. {text}" for number, text in shown), *answer.sentences]
    bodies = [*(text for _, text in shown), *answer.sentences]
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
    if deed and _alike(deed):
        # Another deed on the same thing is another procedure: its steps would do harm.
        fits = _speaks(deed, named | heading)
        if not fits and (steps or not _speaks(deed, about)):
            return None
    score = 3.0 * len(things & named) + 1.0 * len(things & heading) + 1.0 * len(asked & about)
    score += 3.0 * bool(deed and _speaks(deed, named)) + 1.0 * bool(steps)
    if steps and deed:
        return Answer(item, steps, _notes(text), cut, score)
    if deed:
        # A procedure in prose is one all the same: from its start, in order.
        prose = _split(text)
        return Answer(item, (), prose[:_MAX_STEPS], cut or len(prose) > _MAX_STEPS, score) if prose else None
    found = _sentences(text, asked, named)
    return Answer(item, (), found, cut, score) if found else None


def _deed(question: str) -> str:
    """What the question wants to do, as a word; empty where it asks for a fact."""
    found = _DEED.search(question)
    word = next((group for group in found.groups() if group), "") if found else ""
    return word.lower()


def _alike(deed: str) -> frozenset[str]:
    """The deed and the words that runbooks use for it."""
    words = next((group for group in _ALIKE if deed in group.split()), deed)
    return tokens(f"{words} {deed}")


def _speaks(deed: str, words: frozenset[str]) -> bool:
    """Whether `words` name the deed: `drain`, `draining` and `drained` do."""
    roots = [word.removesuffix("e") for word in _alike(deed)]
    return any(word == root or (len(root) >= _LEAST_ROOT and word.startswith(root)) for root in roots for word in words)


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
            later = _AFTER_STEPS.search(body)
            body = body[: later.start()] if later else body
        steps.append((mark.group(1), quote(" ".join(body.split()), _MAX_STEP_CHARS)))
    return tuple(steps)


def _notes(text: str) -> tuple[str, ...]:
    """What stands below the steps: often a warning, never to be left out."""
    last = list(_STEP.finditer(text))[-1]
    after = _AFTER_STEPS.search(text, last.end())
    return _split(text[after.end() :])[:_MAX_SENTENCES] if after else ()


def _split(text: str) -> tuple[str, ...]:
    found = (" ".join(s.split()).strip(" *#-") for s in _SENTENCE.split(text))
    return tuple(quote(s, 300) for s in found if len(s) > _LEAST_SENTENCE)


def _sentences(text: str, asked: frozenset[str], named: frozenset[str]) -> tuple[str, ...]:
    """The sentences that share most words with the question, in reading order; the first ones where the heading alone
    speaks of what was asked.
    """
    found = _split(_STEP.sub("", text))
    shared = [len(tokens(one) & asked) for one in found]
    most = max(shared, default=0)
    if most < 2 and asked & named:
        return found[:_MAX_SENTENCES]
    keep = sorted(range(len(found)), key=lambda i: (-shared[i], i))
    keep = [i for i in keep if shared[i] and shared[i] >= _NEAR * most][:_MAX_SENTENCES]
    return tuple(found[i] for i in sorted(keep))


def cite_guidance(draft: DraftBuilder, seen: Observations) -> None:
    """Name the runbooks that were found in the next steps: their heading only, for whoever writes a runbook must not
    write our next steps; guidance confirms nothing.
    """
    for item in seen.knowledge[:2]:
        title = " ".join((item.breadcrumb or item.title).split())
        draft.step(f'Read the runbook "{quote(title, 100)}" and judge whether it applies.', "as the runbook says")
