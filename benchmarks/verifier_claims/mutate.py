# ruff: noqa: E501  (tables of word pairs read better in one line)
"""One-fact mutations of true claims. Nothing of the grounding code is imported here: a mutant is made from text alone."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from benchmarks.verifier_claims.load import Case
from rootproof.domain.claim import Citation, Claim
from rootproof.domain.evidence import Evidence, EvidenceClass


@dataclass(frozen=True, slots=True)
class Mutant:
    """A claim that is false in one fact."""

    kind: str
    case: Case
    claim: Claim


_NUMBER = re.compile(r"(?<![\w.:/-])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?=(?:[a-zA-Zµ%]{0,3})(?![\w:/-]|\.\d))")
_CLOCK = re.compile(r"(?<![\d:])(\d\d):(\d\d)(:\d\d)?(?![\d:])")
_DATE = re.compile(r"\d{4}-\d\d-(\d\d)")
_NUMBER_WORDS = ["two", "three", "four", "five", "six", "seven", "eight", "nine", "sixty-one", "sevenfold", "threefold"]
_UNITS = (
    ("seconds", ("minutes", "milliseconds")), ("second", ("minute",)), ("minutes", ("hours", "seconds")), ("minute", ("hour",)), ("hours", ("minutes",)), ("ms", ("s", "minutes")),
    ("s", ("ms", "min")), ("MiB", ("GiB", "KiB")), ("GiB", ("MiB", "TiB")), ("Mi", ("Gi", "Ki")), ("bytes", ("MiB", "KiB")), ("percent", ("ms", "seconds")), ("%", (" seconds", " ms")), ("k", ("M",)),
)  # fmt: skip
_DIRECTIONS = {
    "climbed": "dropped", "rose": "fell", "rises": "falls", "jumped": "fell", "grew": "shrank", "grown": "shrunk", "went up": "went down", "surged": "plunged", "increase": "decrease",
    "rise": "fall", "fell by": "rose by", "fell from": "rose from", "dropped from": "climbed from", "dropped to": "climbed to", "doubled": "halved", "tripled": "halved", "shot up": "fell",
    "more than": "less than", "over": "under", "above": "below", "less than": "more than", "stayed flat": "rose sharply", "held steady": "climbed steadily", "slowed down": "sped up",
    "went above": "fell below", "spiked": "dipped", "peaking": "bottoming out", "peaked": "bottomed out", "constant": "rising", "started building up": "started shrinking", "under": "over", "growing": "shrinking",
    "slower": "faster", "exceeded": "stayed below", "lowered": "raised", "getting worse": "getting better",
}  # fmt: skip
_ORDERS = {"before": "after", "after": "before", "preceded": "followed", "followed by": "preceded by"}
_AUXILIARY = re.compile(r"\b(is|are|was|were|has|have|had|been)\b (?!not\b|no\b)")
_UNNEGATE = (
    (re.compile(r"\bdid not (\w+)"), r"did \1"), (re.compile(r"\bcannot\b"), "can"), (re.compile(r"\bcould not\b"), "could"), (re.compile(r"\bhas no\b"), "has"), (re.compile(r"\bno (?=memory)"), ""),
    (re.compile(r"\b(was|is|has|were|are) not\b"), r"\1"), (re.compile(r"\bnever\b"), "often"), (re.compile(r"\bnone is\b"), "some are"), (re.compile(r"\bNo (\w+)"), r"A \1"), (re.compile(r"\bno longer\b"), "still"),
    (re.compile(r"\bneither of\b"), "both of"), (re.compile(r"\bNone of\b"), "All of"), (re.compile(r"\bwithout a restart\b"), "with a restart"), (re.compile(r"\bThere was no\b"), "There was a"),
)  # fmt: skip
_PAST = re.compile(
    r"\b(logged|saw|got|took|rejects|skipped|crashes|keeps|renamed|fired|kept|runs|hit|aborted|exited|timed|wrote|cut|began|started|returned)\b"
)


def mutants(cases: list[Case], seed: int) -> list[Mutant]:
    """Every mutant the rules give, without duplicates, in a stable order for a seed."""
    rng = random.Random(seed)
    found: list[Mutant] = []
    for case in cases:
        seen = {(case.claim.text, case.claim.citations)}
        for kind, rule in _RULES.items():
            for claim in rule(case, rng):
                if (claim.text, claim.citations) not in seen:
                    seen.add((claim.text, claim.citations))
                    found.append(Mutant(kind, case, claim))
        for kind, turn in _RUN_RULES.items():
            found += [Mutant(kind, other, other.claim) for other in turn(case, rng)]
    return found


def _cited(case: Case) -> str:
    return " ".join(
        f"{case.evidence[c.evidence_id].text} {case.evidence[c.evidence_id].subject}" for c in case.claim.citations
    )


def _text(case: Case, text: str) -> Claim:
    return replace(case.claim, text=text)


def _splice(text: str, found: re.Match[str], new: str) -> str:
    return text[: found.start()] + new + text[found.end() :]


def _outside_quotes(text: str, position: int) -> bool:
    return text[:position].count('"') % 2 == 0 and text[:position].count("`") % 2 == 0


_STILL_TRUE_BELOW = re.compile(r"(more than|over|above|at least|longer than|exceeds?|[>]) (a |the )?$|>$")
_STILL_TRUE_ABOVE = re.compile(
    r"(less than|fewer than|under|within|at most|up to|never (exceeded|above|over|more than)|did more than|just below) (the |its |a )?$"
)
_NEVER_BELOW = re.compile(r"never (dropped |fell |went )?below $")
_CONTRASTED = re.compile(r"(instead of|, not|rather than|not) $")


def _says_less(before: str, old: str, new: str) -> bool:
    """Whether a limit with another number is only weaker, or a number is only named as what it is not."""
    if _CONTRASTED.search(before):
        return True
    lower, was = float(new.replace(",", "")), float(old.replace(",", ""))
    if lower < was:
        return bool(_STILL_TRUE_BELOW.search(before) or _NEVER_BELOW.search(before))
    return bool(_STILL_TRUE_ABOVE.search(before))


def _digit(case: Case, rng: random.Random) -> Iterator[Claim]:
    text, cited = case.claim.text, _cited(case)
    spans = [span for found in (*_CLOCK.finditer(text), *_DATE.finditer(text)) for span in [found.span()]]
    for found in _NUMBER.finditer(text):
        if any(start <= found.start() < end for start, end in spans) or not _outside_quotes(text, found.start()):
            continue
        digits = found.group()
        loose = re.search(
            r"(about|roughly|nearly|around|almost|some|over|under|above|than|up to)( the)?( a)? $",
            text[: found.start()],
        )
        places = [index for index, char in enumerate(digits) if char.isdigit()]
        place = places[0] if loose or len(places) == 1 else rng.choice(places)
        for _ in range(8):
            new = digits[:place] + rng.choice([d for d in "123456789" if d != digits[place]]) + digits[place + 1 :]
            if not re.search(rf"(?<![\d.,]){re.escape(new)}(?![\d])", cited) and not _says_less(
                text[: found.start()], digits, new
            ):
                yield _text(case, _splice(text, found, new))
                break
    for word in _NUMBER_WORDS:
        found = re.search(rf"\b{word}\b(?!-and|[ -](thirds|quarters))", text, re.IGNORECASE)
        if found and not re.search(r"(than|within|over|under|below|above) $", text[: found.start()]):
            yield _text(
                case,
                _splice(
                    text, found, rng.choice([each for each in ("seventeen", "thirty", "forty-two") if each != word])
                ),
            )


def _unit(case: Case, rng: random.Random) -> Iterator[Claim]:
    for name, others in _UNITS:
        found = re.search(rf"(?<=\d)( ?){re.escape(name)}(?!\w)", case.claim.text)
        if found and _outside_quotes(case.claim.text, found.start()):
            new = rng.choice(others)
            yield _text(case, _splice(case.claim.text, found, (found[1] + new) if not new.startswith(" ") else new))


def _names(case: Case) -> list[str]:
    names = {(each.subject or "").split("/")[-1] for each in case.evidence.values()}
    return sorted(name for name in names if len(name) > 2)


def _entity(case: Case, rng: random.Random) -> Iterator[Claim]:
    text, cited = case.claim.text, _cited(case)
    for name in _names(case):
        found = re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
        if not found:
            continue
        others = [each for each in _names(case) if each not in cited and each not in text]
        if others:
            yield _text(case, _splice(text, found, rng.choice(others)))
        numbered = re.search(r"\d+(?!.*\d)", name)
        changed = (
            name[: numbered.start()] + str(int(numbered.group()) + 3) + name[numbered.end() :]
            if numbered
            else name + "-v2"
        )
        yield _text(case, text.replace(name, changed))


def _time(case: Case, rng: random.Random) -> Iterator[Claim]:
    text, cited = case.claim.text, _cited(case)
    for found in _CLOCK.finditer(text):
        for _ in range(8):
            total = (int(found[1]) * 60 + int(found[2]) + rng.choice([-63, -40, -17, -9, 8, 13, 36, 75])) % 1440
            new = f"{total // 60:02d}:{total % 60:02d}{found[3] or ''}"
            if new[:5] not in cited:
                yield _text(case, _splice(text, found, new))
                break
        if found[3]:
            new = f"{found[1]}:{found[2]}:{(int(found[3][1:]) + rng.randint(7, 50)) % 60:02d}"
            if new not in cited:
                yield _text(case, _splice(text, found, new))
    for found in _DATE.finditer(text):
        yield _text(case, _splice(text, found, found.group()[:-2] + f"{int(found[1]) % 27 + 1:02d}"))


def _direction(case: Case, rng: random.Random) -> Iterator[Claim]:
    del rng
    if re.search(
        r"(did not|is not|are not|was not|were not) (rise|rising|increase|fall|drop|growing)", case.claim.text
    ):
        return
    for word, opposite in _DIRECTIONS.items():
        found = re.search(rf"\b{word}\b", case.claim.text)
        if word in {"over", "under", "above"} and not re.search(rf"\b{word} (\d|an? |the )", case.claim.text):
            continue
        if (
            found
            and _outside_quotes(case.claim.text, found.start())
            and not re.search(rf"\b{word} (the )?(hour|window|course|two|nine|\d+) ?(hours|minutes)?", case.claim.text)
        ):
            yield _text(case, _splice(case.claim.text, found, opposite))
            return


def _negation(case: Case, rng: random.Random) -> Iterator[Claim]:
    del rng
    text = case.claim.text
    for pattern, plain in _UNNEGATE:
        found = pattern.search(text)
        if found:
            yield _text(case, _splice(text, found, found.expand(plain)))
            return
    if case.claim.kind.value == "RULED_OUT":
        return
    if re.search(r"\b([Nn]othing|[Nn]either|[Nn]one|nor)\b", text):
        return
    found = _AUXILIARY.search(text)
    if found and not re.match(r"(just|only|merely)\b", text[found.end() :]) and _outside_quotes(text, found.start()):
        yield _text(case, _splice(text, found, f"{found[1]} not "))
        return
    past = _PAST.search(text)
    if past:
        yield _text(case, _splice(text, past, f"never {past[1]}"))


def _order(case: Case, rng: random.Random) -> Iterator[Claim]:
    del rng
    if len(case.claim.citations) < 2:
        return
    for word, opposite in _ORDERS.items():
        found = re.search(rf"(?<!than )\b{word}\b", case.claim.text)
        if found:
            yield _text(case, _splice(case.claim.text, found, opposite))
            return


def _quote(case: Case, rng: random.Random) -> Iterator[Claim]:
    text = case.claim.text
    for found in re.finditer(r'"([^"]+)"|`([^`]+)`|(?<!\w)\'([^\']{6,})\'(?!\w)', text):
        words = found.group()[1:-1].split()
        index = rng.randrange(len(words))
        words[index] = rng.choice(["connection", "permanently", "replica", "42", "unknown"])
        yield _text(case, _splice(text, found, found.group()[0] + " ".join(words) + found.group()[-1]))
    cited = case.evidence[case.claim.citations[0].evidence_id].text
    words = cited.split()[-5:]
    words[rng.randrange(len(words))] = "otherwise"
    yield replace(
        case.claim,
        citations=(Citation(case.claim.citations[0].evidence_id, " ".join(words)), *case.claim.citations[1:]),
    )


def _citation(case: Case, rng: random.Random) -> Iterator[Claim]:
    if len(case.claim.citations) == 1:
        mine = case.claim.citations[0].evidence_id
        others = [
            each
            for each in case.evidence
            if each != mine and case.evidence[each].subject != case.evidence[mine].subject
        ]
        if others:
            yield replace(case.claim, citations=(Citation(rng.choice(others)),))
    yield replace(case.claim, citations=())


def _foreign(case: Case, rng: random.Random) -> Iterator[Claim]:
    new = rng.choice(["E77", "E912", "run-1f0c:E1", "e1"])
    place = rng.randrange(len(case.claim.citations))
    yield replace(
        case.claim,
        citations=tuple(Citation(new) if index == place else each for index, each in enumerate(case.claim.citations)),
    )


_VALUES = re.compile(r"(?:first|last|max|min|mean) ([\d.]+)|^([\d,]+) x | (\d+) restarts")


def _stolen(case: Case, rng: random.Random) -> Iterator[Claim]:
    """The right number of another item in place of the claim's own."""
    text, cited = case.claim.text, _cited(case)
    ids = {citation.evidence_id for citation in case.claim.citations}
    pool = [
        next(group for group in found.groups() if group)
        for each in case.evidence.values()
        if each.id not in ids
        for found in _VALUES.finditer(each.text)
    ]
    pool = [value for value in pool if not re.search(rf"(?<![\d.]){re.escape(value)}(?![\d])", cited)]
    spans = [found.span() for found in (*_CLOCK.finditer(text), *_DATE.finditer(text))]
    for found in _NUMBER.finditer(text):
        if (
            pool
            and not any(start <= found.start() < end for start, end in spans)
            and _outside_quotes(text, found.start())
        ):
            value = rng.choice(pool)
            if value != found.group():
                yield _text(case, _splice(text, found, value))
                return


def _swapped(case: Case, rng: random.Random) -> Iterator[Claim]:
    """Two services of one claim exchanged, so that each number belongs to the other one."""
    del rng
    text = case.claim.text
    present = [name for name in _names(case) if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]
    if len(present) == 2 and len(_NUMBER.findall(_CLOCK.sub("", text))) >= 2 and len(case.claim.citations) == 2:
        left, right = present
        yield _text(case, text.replace(left, "\0").replace(right, left).replace("\0", right))


_ATTRIBUTES = {
    "CPU": "memory", "cpu": "memory", "Memory": "Disk", "memory": "CPU", "disk": "memory", "Disk": "Memory", "lag": "CPU usage", "Latency": "Memory usage", "latency": "CPU", "Connections": "Threads", "DNS": "TLS",
    "certificate": "password", "queue": "cache", "Queue": "Cache", "deadlock": "certificate", "GC": "DNS", "image": "certificate", "probe": "certificate", "errors": "restarts", "warnings": "restarts", "restarts": "errors",
}  # fmt: skip


def _attribute(case: Case, rng: random.Random) -> Iterator[Claim]:
    """The right number said of another thing of the same service."""
    del rng
    cited = _cited(case).lower()
    for word, other in _ATTRIBUTES.items():
        found = re.search(rf"\b{word}\b", case.claim.text)
        if (
            found
            and other.lower().split()[0].rstrip("s") not in cited
            and case.claim.kind.value != "RULED_OUT"
            and _outside_quotes(case.claim.text, found.start())
        ):
            yield _text(case, _splice(case.claim.text, found, other))
            return


_ACTING = re.compile(
    r"\b(block|call|reject|refus|throttl|wait|depend|tim(?:e|es|ed|ing) out|evict|kill|retr|connect|reach|read|writ|send|query|queri|took over|fail(?:s|ed|ing)? over|replicat|to)\w*"
)


def _between(case: Case) -> tuple[re.Match[str], re.Match[str]] | None:
    """The first two different names of a claim with a verb of one acting on the other between them."""
    text = case.claim.text
    found = sorted(
        (match for name in _names(case) for match in re.finditer(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)),
        key=lambda match: match.start(),
    )
    for left in found:
        for right in found:
            between = text[left.end() : right.start()]
            if left.end() < right.start() and left.group() != right.group() and _ACTING.search(between):
                return (left, right) if len(between) < 50 and not re.search(r"[.;:,]", between) else None
    return None


def _roles(case: Case, rng: random.Random) -> Iterator[Claim]:
    """Who did it and whom it befell exchanged."""
    del rng
    pair = _between(case)
    if pair is not None and _outside_quotes(case.claim.text, pair[0].start()):
        left, right = pair
        text = case.claim.text
        yield _text(
            case,
            text[: left.start()]
            + right.group()
            + text[left.end() : right.start()]
            + left.group()
            + text[right.end() :],
        )


def _order_swap(case: Case, rng: random.Random) -> Iterator[Claim]:
    """The two events on either side of `before` or `after` exchanged."""
    del rng
    if len(case.claim.citations) < 2:
        return
    found = re.fullmatch(r"([^,;.]{8,}) (before|after) ([^,;.]{8,})\.", case.claim.text)
    if found and not re.search(r"\d+ \w+$|than$|shortly$|right$|just$|minute$|minutes$|seconds$", found[1]):
        yield _text(case, f"{found[3][:1].upper()}{found[3][1:]} {found[2]} {found[1][:1].lower()}{found[1][1:]}.")


def _same_number_elsewhere(case: Case, rng: random.Random) -> Iterator[Claim]:
    """A number that another service has under the same label, in place of the claim's own."""
    text, cited = case.claim.text, _cited(case)
    ids = {citation.evidence_id for citation in case.claim.citations}
    subjects = {case.evidence[each].subject for each in ids}
    for evidence_id in sorted(ids):
        for label, value in re.findall(r"\b(first|last|max|min|mean) ([\d.]+)", case.evidence[evidence_id].text):
            here = re.search(rf"(?<![\d.,:]){re.escape(value)}(?![\d.,:]\d)", text)
            others = [
                found
                for each in case.evidence.values()
                if each.id not in ids and each.subject not in subjects
                for found in re.findall(rf"\b{label} ([\d.]+)", each.text)
                if not re.search(rf"(?<![\d.]){re.escape(found)}(?![\d])", cited)
            ]
            if here and others and _outside_quotes(text, here.start()):
                yield _text(case, _splice(text, here, rng.choice(others)))
                return


_STATED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ")


def _late_cause(case: Case, rng: random.Random) -> Iterator[Case]:
    """The same CAUSE in a run where the change it blames came half a day after all else it cites."""
    del rng
    ids = [citation.evidence_id for citation in case.claim.citations]
    changes = [each for each in ids if case.evidence[each].text.startswith("change at ")]
    dated = [
        each
        for each in ids
        if each not in changes and re.search(r"between |changed at |ERROR", case.evidence[each].text)
    ]
    if case.claim.kind.value != "CAUSE" or not changes or not dated or _CLOCK.search(case.claim.text):
        return
    evidence = dict(case.evidence)
    for each in changes:
        old = evidence[each]
        moved = _STATED.sub(lambda found: _later(found.group()), old.text)
        first, last = old.first_at, old.last_at
        half = timedelta(hours=12)
        evidence[each] = replace(old, text=moved, first_at=first and first + half, last_at=last and last + half)
    yield replace(case, evidence=evidence)


def _later(stamp: str) -> str:
    at = datetime.fromisoformat(stamp) + timedelta(hours=12)
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


def _denied_elsewhere(case: Case, rng: random.Random) -> Iterator[Case]:
    """The same `did not restart` in a run where another item, not cited, counts restarts of that very thing."""
    del rng
    subjects = [case.evidence[each.evidence_id].subject for each in case.claim.citations]
    wanted = re.search(r"\b(not|never|no|without a|nor)\b[^.;]{0,20}\brestart", case.claim.text)
    if not wanted or not subjects or subjects[0] is None:
        return
    if any("restart" in case.evidence[each.evidence_id].text for each in case.claim.citations):
        return
    name = subjects[0].split("/")[-1]
    extra = Evidence(
        "E990",
        EvidenceClass.OBSERVATION,
        "query_cluster",
        "call-x",
        f"app {name}: 2 pods: 2 Running, 7 restarts, last terminated Error",
        subject=f"app/{name}",
    )
    yield replace(case, evidence={**case.evidence, extra.id: extra})


_RUN_RULES: dict[str, Callable[[Case, random.Random], Iterator[Case]]] = {
    "late cause": _late_cause, "denied elsewhere": _denied_elsewhere,
}  # fmt: skip
_RULES: dict[str, Callable[[Case, random.Random], Iterator[Claim]]] = {
    "digit": _digit, "unit": _unit, "entity": _entity, "time": _time, "direction": _direction, "negation": _negation, "order": _order, "quote": _quote, "attribute": _attribute, "citation": _citation,
    "foreign id": _foreign, "stolen number": _stolen, "swapped services": _swapped, "roles": _roles, "order swap": _order_swap,
    "number elsewhere": _same_number_elsewhere,
}  # fmt: skip
