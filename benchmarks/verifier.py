"""How many false claims grounding catches, and how many true ones it refuses, beside a bigram-overlap baseline.

Run: `python -m benchmarks.verifier [--seed N] [--show KIND|refused|believed]`. A mutant is caught when it is not
SUPPORTED; a true claim is refused when it is not SUPPORTED. The baseline calls a claim supported when enough of its
word pairs occur in the cited text; its threshold is the one with the best balanced accuracy on the very same claims.
"""

from __future__ import annotations

import argparse
import itertools
import re
import time
from collections import Counter
from collections.abc import Sequence

from benchmarks.verifier_claims.load import Case, load, load_false
from benchmarks.verifier_claims.mutate import Mutant, mutants
from rootproof.agent.grounding.check import check_claim
from rootproof.domain.claim import Claim, Verdict

TARGET_CAUGHT = 0.98
TARGET_KIND = 0.95
"""Of each kind alone, where there are enough mutants of it to tell."""
ENOUGH = 20
TARGET_FALSE = 0.95
"""Of the false claims written by hand, which are harder than mutants: they say something else in good words."""
TARGET_REFUSED = 0.02


def _bigrams(text: str) -> set[tuple[str, str]]:
    words = re.findall(r"[a-z0-9]+", text.lower())
    return set(itertools.pairwise(words))


def overlap(case: Case, claim: Claim) -> float:
    """The share of a claim's bigrams that occur in the evidence it cites; 0 where a citation does not resolve."""
    if not claim.citations or any(citation.evidence_id not in case.evidence for citation in claim.citations):
        return 0.0
    mine = _bigrams(claim.text)
    cited = _bigrams(" ".join(case.evidence[citation.evidence_id].text for citation in claim.citations))
    return len(mine & cited) / len(mine) if mine else 0.0


def refused(cases: Sequence[Case]) -> list[tuple[Case, tuple[str, ...]]]:
    """The true claims that are not SUPPORTED, with the reasons."""
    checked = [(case, check_claim(case.claim, case.evidence, case.coverage)) for case in cases]
    return [(case, found.reasons) for case, found in checked if found.verdict is not Verdict.SUPPORTED]


def believed(cases: Sequence[Case]) -> list[tuple[Case, tuple[str, ...]]]:
    """The false claims that are SUPPORTED, with the reasons."""
    checked = [(case, check_claim(case.claim, case.evidence, case.coverage)) for case in cases]
    return [(case, found.reasons) for case, found in checked if found.verdict is Verdict.SUPPORTED]


def missed(made: Sequence[Mutant]) -> list[Mutant]:
    """The mutants that are SUPPORTED."""
    return [
        each
        for each in made
        if check_claim(each.claim, each.case.evidence, each.case.coverage).verdict is Verdict.SUPPORTED
    ]


def _best_threshold(true: Sequence[float], false: Sequence[float]) -> float:
    """The threshold with the best balanced accuracy: the kindest choice for the baseline, made with hindsight."""
    candidates = sorted({*true, *false})
    return max(
        candidates, key=lambda cut: sum(s >= cut for s in true) / len(true) + sum(s < cut for s in false) / len(false)
    )


def main() -> int:
    """Print the table; 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--show", default="", help="print the missed mutants of a kind, `refused` or `believed`")
    arguments = parser.parse_args()
    cases = load()
    made = mutants(cases, arguments.seed)
    begun = time.process_time()
    lost, not_believed = missed(made), refused(cases)
    elapsed = time.process_time() - begun
    false = load_false()
    taken_in = believed(false)
    scores = [overlap(case, case.claim) for case in cases]
    threshold = _best_threshold(scores, [overlap(each.case, each.claim) for each in made])
    baseline_lost = [each for each in made if overlap(each.case, each.claim) >= threshold]
    total, ours, theirs = (Counter(each.kind for each in group) for group in (made, lost, baseline_lost))
    print(f"{'kind':18}{'mutants':>8}{'caught':>9}{'bigrams':>9}")
    for kind, count in sorted(total.items()):
        print(f"{kind:18}{count:8}{100 * (1 - ours[kind] / count):8.1f}%{100 * (1 - theirs[kind] / count):8.1f}%")
    caught = 1 - len(lost) / len(made)
    share = len(not_believed) / len(cases)
    print(f"{'all':18}{len(made):8}{100 * caught:8.1f}%{100 * (1 - len(baseline_lost) / len(made)):8.1f}%")
    doubted = sum(score < threshold for score in scores) / len(scores)
    print(f"true claims refused: {len(not_believed)} of {len(cases)} = {100 * share:.1f}%")
    fooled = sum(overlap(case, case.claim) >= threshold for case in false)
    print(
        f"hand-written false claims caught: {len(false) - len(taken_in)} of {len(false)} = "
        f"{100 * (1 - len(taken_in) / len(false)):.1f}% (bigrams {100 * (1 - fooled / len(false)):.1f}%)"
    )
    print(f"refused by bigrams, at threshold {threshold:.2f}: {100 * doubted:.1f}%")
    print(
        f"{len(made) + len(cases)} checks in {elapsed:.2f} s, {1000 * elapsed / (len(made) + len(cases)):.2f} ms each"
    )
    if arguments.show == "refused":
        for case, reasons in not_believed:
            print(f"- {case.run} {case.claim.id}: {case.claim.text}", *reasons[:3], sep="\n    ")
    if arguments.show == "believed":
        for case, reasons in taken_in:
            print(f"- {case.run} {case.claim.id}: {case.claim.text}", *reasons[:3], sep="\n    ")
    for each in lost:
        if arguments.show in {each.kind, "all"}:
            ids = [citation.evidence_id for citation in each.claim.citations]
            print(f"- {each.kind} {each.case.run} {each.case.claim.id} {ids}: {each.claim.text}")
    weak = [kind for kind, count in total.items() if count >= ENOUGH and 1 - ours[kind] / count < TARGET_KIND]
    reached = caught >= TARGET_CAUGHT and not weak and share <= TARGET_REFUSED
    reached = reached and 1 - len(taken_in) / len(false) >= TARGET_FALSE
    return 0 if reached else 1


if __name__ == "__main__":
    raise SystemExit(main())
