"""Signal words: direction, comparison, order, negation, start and end, states with an opposite."""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


UP: Final = _words(
    """raised rose rise rises rising risen increase increases increased increasing climb climbs climbed climbing grew grow grows growing grown spike spikes
    spiked spiking jump jumps jumped jumping surge surges surged surging soar soars soared soaring escalated escalating ballooned ballooning
    mounted mounting accumulated accumulating doubled doubling tripled tripling quadrupled rocketed skyrocketed shot inflated swelled
    upward upwards upswing rampup ramped ramping leapt leaped crept elevated worsened growth"""
)
DOWN: Final = _words(
    """shrunk lowered reduced reduces fell fall falls falling fallen decrease decreases decreased decreasing decline declines declined declining dip dips dipped dipping plunge plunges
    plunged plunging sank sink sinking shrank shrink shrinking plummeted plummet plummeting halved halving slid slides sliding eased easing subsided
    subsiding downward downwards dwindled dwindling slumped slump tumbled tumbling tumble diminished dropped drop drops dropping collapsed"""
)
FLAT: Final = _words("flat steady stable unchanged constant flatlined plateaued level")
FLAT_PHRASES: Final = (
    ("not", "change"),
    ("no", "change"),
    ("not", "move"),
    ("barely", "moved"),
    ("hardly", "moved"),
    ("barely", "changed"),
)
UP_PHRASES: Final = (
    ("went", "up"),
    ("going", "up"),
    ("shot", "up"),
    ("built", "up"),
    ("building", "up"),
    ("piled", "up"),
)
DOWN_PHRASES: Final = (("went", "down"), ("going", "down"), ("came", "down"), ("coming", "down"))
NOT_DIRECTION: Final = (
    ("fell", "over"), ("fell", "behind"), ("falling", "behind"), ("fall", "behind"), ("falls", "behind"), ("fall", "back"), ("fell", "back"),
    ("drop", "in"), ("steady", "state"), ("log", "level"), ("level", "of"), ("mounted", "volume"), ("stable", "release"), ("constant", "errors"),
)  # fmt: skip
AMBIGUOUS: Final = _words(
    "went raised lowered reduced dropped drop drops dropping collapsed collapse mounted mounting level shot elevated crept grown fall falls"
)
"""Direction words that mean something else as often (dropped packets, mounted volumes): a direction only beside a measured series."""

SLOWER: Final = _words("slower slowed slows slowing")
FASTER: Final = _words("faster sped quicker")
"""Directions of a series of durations only."""

FACTORS: Final[dict[str, float]] = {
    "doubled": 2.0, "doubling": 2.0, "tripled": 3.0, "tripling": 3.0, "quadrupled": 4.0, "halved": 0.5, "halving": 0.5,
    "twofold": 2.0, "threefold": 3.0, "fourfold": 4.0, "fivefold": 5.0, "tenfold": 10.0,
}  # fmt: skip

ABOVE: Final = _words(
    "above over exceeded exceeds exceed exceeding beyond past surpassed surpassing topped topping > +"
)
BELOW: Final = _words("below under beneath <")
AT_LEAST: Final = _words(">= minimum")
AT_MOST: Final = _words("<= maximum")
MORE_THAN: Final = (
    ("more", "than"),
    ("greater", "than"),
    ("higher", "than"),
    ("larger", "than"),
    ("longer", "than"),
    ("in", "excess", "of"),
    ("upwards", "of"),
)
LESS_THAN: Final = (("less", "than"), ("fewer", "than"), ("lower", "than"), ("smaller", "than"), ("shorter", "than"))
AT_LEAST_PHRASES: Final = (("at", "least"), ("no", "less", "than"), ("no", "fewer", "than"), ("not", "less", "than"))
AT_MOST_PHRASES: Final = (("at", "most"), ("no", "more", "than"), ("not", "more", "than"), ("up", "to"))
APPROXIMATE: Final = _words("about roughly approximately around circa nearly almost some close near approx ~")
NEARLY: Final = _words("nearly almost")

NEGATORS: Final = _words("not no never without none neither nor zero nothing nobody free non absent absence")
NO_SIGN: Final = _words(
    "sign signs evidence trace traces indication indications hint hints record records mention instance single any occurrence occurrences"
)
EXCEPT: Final = _words("other further more additional longer new only just alone single later subsequent")

BEFORE: Final = _words("before preceded precedes preceding predates predated")
AFTER: Final = _words("after following followed-up")
THEN: Final = _words("then subsequently afterwards")

START_WORDS: Final = _words(
    "began begin begins begun started start starts starting since onset first onward onwards appeared emerged beginning opened"
)
END_WORDS: Final = _words("ended end ends ending stopped until till last latest ceased finished")

OPPOSITES: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = (
    (_words("firing active"), _words("resolved inactive pending")),
    (_words("pending"), _words("firing resolved inactive running")),
    (_words("healthy"), _words("unhealthy failing")),
    (_words("ready"), _words("unready notready not-ready")),
    (_words("available"), _words("unavailable")),
    (
        _words("succeeded success successful successfully completed done finished computed"),
        _words("failed failure failing fail error unsuccessful"),
    ),
    (_words("enabled"), _words("disabled")),
    (_words("disabled"), _words("enabled")),
    (_words("accepted accepting allowed permitted"), _words("refused rejected denied forbidden declined")),
    (_words("valid"), _words("invalid expired")),
    (_words("critical"), _words("warning info")),
    (_words("warning warnings"), _words("critical error fatal")),
    (_words("reachable"), _words("unreachable")),
    (_words("schedulable"), _words("unschedulable")),
    (_words("liveness"), _words("readiness")),
    (_words("readiness"), _words("liveness")),
    (_words("ingress inbound incoming"), _words("egress outbound outgoing")),
    (_words("egress outbound outgoing"), _words("ingress inbound incoming")),
    (_words("full exhausted saturated"), _words("empty idle")),
    (_words("locked"), _words("unlocked")),
    (_words("upgraded"), _words("downgraded")),
    (_words("mounted"), _words("unmounted")),
    (_words("synced"), _words("unsynced")),
)
"""A word of the left set in a claim is contradicted by evidence that has a word of the right set and none of the left."""

ABILITY: Final = _words("could can able managed succeeded")
FAILED_TO: Final = _words("failed fails failing unable failure inability refused refuses")
AUXILIARY: Final = _words(
    "is are was were be been being has have had do does did will would could can became become remained there get got"
)

STRAIN_WORDS: Final = _words(
    "exhausted overloaded overload saturated bottleneck starved starvation constrained short shortage full maxed pressure busy"
)
"""What a calm or falling series speaks against."""

EQUIVALENT_FAILURE: Final[dict[str, frozenset[str]]] = {
    "connect": _words("refused network timeout dns reset exhausted auth unreachable close error"),
    "connection": _words("refused network timeout dns reset exhausted auth unreachable"),
    "reach": _words("refused network timeout dns reset unreachable"),
    "resolve": _words("dns missing"),
    "resolved": _words("dns missing"),
    "start": _words("crash restart image schedule error config missing"),
    "schedule": _words("schedule exhausted quota"),
    "scheduled": _words("schedule exhausted quota"),
    "place": _words("schedule exhausted quota"),
    "placed": _words("schedule exhausted quota"),
    "fit": _words("schedule exhausted quota"),
    "pull": _words("image missing auth"),
    "pulled": _words("image missing auth"),
    "download": _words("image missing auth"),
    "find": _words("missing dns"),
    "found": _words("missing dns"),
    "exist": _words("missing"),
    "respond": _words("timeout refused unhealthy probe"),
    "answer": _words("timeout refused unhealthy probe dns"),
    "answering": _words("timeout refused unhealthy probe dns"),
    "ready": _words("unhealthy probe"),
    "available": _words("exhausted missing unhealthy"),
    "free": _words("exhausted"),
    "enough": _words("exhausted oom"),
    "room": _words("exhausted disk"),
    "space": _words("exhausted disk"),
    "acquire": _words("timeout exhausted lock wait"),
    "obtain": _words("timeout exhausted lock wait"),
    "get": _words("timeout exhausted lock wait refused"),
    "write": _words("disk exhausted error timeout"),
    "read": _words("error timeout"),
    "authenticate": _words("auth expired"),
    "login": _words("auth expired"),
    "log": _words("auth expired"),
    "verify": _words("certificate expired auth"),
    "verified": _words("certificate expired auth"),
    "trusted": _words("certificate expired"),
    "valid": _words("expired certificate auth missing"),
    "attach": _words("disk error timeout missing"),
    "mount": _words("disk error timeout missing"),
    "complete": _words("timeout error close reset"),
    "finish": _words("timeout error"),
    "keep": _words("replication queue latency"),
    "allocate": _words("oom memory exhausted"),
    "open": _words("descriptor exhausted error"),
    "run": _words("crash image schedule error"),
    "talk": _words("refused network timeout dns reset"),
    "serve": _words("error unhealthy refused timeout"),
    "pass": _words("probe unhealthy error"),
    "permitted": _words("auth refused"),
    "allowed": _words("auth refused quota"),
    "load": _words("missing error config"),
    "set": _words("missing config"),
    "defined": _words("missing config"),
    "match": _words("missing endpoint config"),
    "endpoints": _words("missing endpoint"),
    "bind": _words("missing disk"),
    "bound": _words("missing disk"),
}
"""`could not VERB` is the same as one of these in the evidence; `could VERB` is the opposite."""

JUDGEMENT: Final = _words(
    "impact effect harm problem problems issue issues concern concerns degradation damage loss consequence consequences user users customer customers user-facing customer-facing visible"
)
"""What `no impact` denies is a judgement; the measured words beside it are checked instead."""
LIGHT_VERBS: Final = _words(
    """start started starts starting begin began begun keep kept keeps continue continued happen happened occur occurred go went goes get got gets see saw seen show
    shows showed log logged logs report reported reports make made take took takes cause caused due stop stopped experience experienced suffer suffered hit run ran
    runs running write wrote throw threw emit emitted raise return returned"""
)
"""Verbs that say little: a negation over them denies what follows."""
RESULTS: Final = _words(
    """ready available found exist resolve resolved respond answer answering reach scheduled set defined valid trusted bound start complete finish pass endpoints free enough
    room space match verified"""
)
"""States whose plain negation (`is not ready`) is the same as a failure in the evidence."""
FAILURES: Final = _words("error refused timeout missing exhausted network dns reset auth expired unhealthy oom")
BLAME: Final = _words(
    "factor bottleneck cause culprit problem blame responsible issue fault overloaded saturated exhausted starved short"
)

OBSERVABLE: Final = _words(
    """error warning restart oom crash kill eviction throttle alert timeout refused lock retry reset deploy config expired
    unhealthy pressure failover schedule image probe gc backup leak scale descriptor"""
)
"""Happenings that our tools would show if they had happened: only their absence can follow from coverage."""
