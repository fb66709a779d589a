"""Signal words: direction, comparison, order, negation, start and end, states with an opposite."""

from __future__ import annotations

from typing import Final

from rootproof.agent.grounding.wordlists import words

UP: Final = words("""
    raised rose rise rises rising risen increase increases increased increasing climb climbs climbed
    climbing grew grow grows growing grown spike spikes spiked spiking jump jumps jumped jumping surge
    surges surged surging soar soars soared soaring escalated escalating ballooned ballooning mounted
    mounting accumulated accumulating doubled doubling tripled tripling quadrupled rocketed skyrocketed
    shot inflated swelled upward upwards upswing rampup ramped ramping leapt leaped crept elevated
    worsened growth leaked leaking drifted drifting
""")
DOWN: Final = words("""
    shrunk lowered reduced reduces fell fall falls falling fallen decrease decreases decreased
    decreasing decline declines declined declining dip dips dipped dipping plunge plunges plunged
    plunging sank sink sinking shrank shrink shrinking plummeted plummet plummeting halved halving slid
    slides sliding eased easing subsided subsiding downward downwards dwindled dwindling slumped slump
    tumbled tumbling tumble diminished draining drains emptying dropped drop drops dropping collapsed
""")
FLAT: Final = words("flat steady stable unchanged constant flatlined plateaued")
FLAT_PHRASES: Final = (
    ("not", "change"),
    ("no", "change"),
    ("as", "before"),
    ("as", "usual"),
    ("as", "ever"),
    ("not", "move"),
    ("barely", "moved"),
    ("hardly", "moved"),
    ("barely", "changed"),
)
UP_PHRASES: Final = (
    ("went", "up"),
    ("gone", "up"),
    ("come", "up"),
    ("going", "up"),
    ("shot", "up"),
    ("built", "up"),
    ("through", "the", "roof"),
    ("building", "up"),
    ("filling", "up"),
    ("got", "longer"),
    ("getting", "longer"),
    ("getting", "worse"),
    ("got", "worse"),
)
DOWN_PHRASES: Final = (
    ("got", "shorter"),
    ("getting", "shorter"),
    ("getting", "better"),
    ("got", "better"),
    ("went", "down"),
    ("gone", "down"),
    ("come", "down"),
    ("going", "down"),
    ("came", "down"),
    ("coming", "down"),
)
NOT_DIRECTION: Final = (
    ("fell", "over"),
    ("fell", "out"),
    ("fallen", "out"),
    ("fallen", "over"),
    ("fallen", "behind"),
    ("dropped", "off"),
    ("dropped", "out"),
    ("drop", "off"),
    ("fell", "behind"),
    ("falling", "behind"),
    ("fall", "behind"),
    ("falls", "behind"),
    ("fall", "back"),
    ("fell", "back"),
    ("drop", "in"),
    ("drop", "out"),
    ("drops", "out"),
    ("dropping", "out"),
    ("drops", "off"),
    ("piled", "up"),
    ("build", "up"),
    ("down", "to"),
    ("steady", "state"),
    ("log", "level"),
    ("level", "of"),
    ("mounted", "volume"),
    ("stable", "release"),
    ("constant", "errors"),
)
AMBIGUOUS: Final = words("""
    went raised lowered reduced dropped drop drops dropping collapsed collapse mounted mounting level
    drifted drifting more higher fewer less lower
    shot leaked leaking draining drains emptying elevated crept grown fall falls
""")
"""Direction words that mean something else as often (dropped packets, mounted volumes): a direction only
beside a measured series.
"""

MORE: Final = words("more higher")
COMPARED: Final = MORE | words("fewer less lower")
SLOWER: Final = words("slower slowed slows slowing")
FASTER: Final = words("faster sped quicker")
"""Directions of a series of durations only."""

FACTORS: Final[dict[str, float]] = {
    "doubled": 2.0,
    "doubling": 2.0,
    "tripled": 3.0,
    "tripling": 3.0,
    "quadrupled": 4.0,
    "halved": 0.5,
    "halving": 0.5,
    "twofold": 2.0,
    "threefold": 3.0,
    "fourfold": 4.0,
    "fivefold": 5.0,
    "sixfold": 6.0,
    "sevenfold": 7.0,
    "eightfold": 8.0,
    "ninefold": 9.0,
    "tenfold": 10.0,
    "twentyfold": 20.0,
}

ABOVE: Final = words("""
    above over exceeded exceeds exceed exceeding beyond past surpassed surpassing topped topping > +
""")
BELOW: Final = words("below under beneath <")
AT_LEAST: Final = words(">= minimum")
AT_MOST: Final = words("<= maximum")
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
AT_LEAST_PHRASES: Final = (
    (">", "="),
    ("at", "least"),
    ("at", "or", "above"),
    ("at", "or", "over"),
    ("no", "lower", "than"),
    ("no", "less", "than"),
    ("no", "fewer", "than"),
    ("not", "less", "than"),
)
AT_MOST_PHRASES: Final = (
    ("<", "="),
    ("at", "most"),
    ("at", "or", "below"),
    ("at", "or", "under"),
    ("no", "more", "than"),
    ("no", "higher", "than"),
    ("not", "more", "than"),
    ("up", "to"),
)
APPROXIMATE: Final = words("""
    about roughly approximately around circa nearly almost some close near approx ~
""")
NEARLY: Final = words("nearly almost")

NEGATORS: Final = words("""
    not no never without none neither nor zero nothing free non absent absence
""")
NO_SIGN: Final = words("""
    sign signs evidence trace traces indication indications hint hints record records mention instance
    single any occurrence occurrences
""")
EXCEPT: Final = words("""
    other further more additional longer new only just alone single later subsequent
""")

BEFORE: Final = words("before preceded precedes preceding predates predated")
AFTER: Final = words("after following followed-up")
THEN: Final = words("then subsequently afterwards")

START_WORDS: Final = words("""
    began begin begins begun started start starts starting since onset first onward onwards appeared
    emerged beginning opened
""")
END_WORDS: Final = words("ended end ends ending stopped until till last latest ceased finished")

OPPOSITES: Final[tuple[tuple[frozenset[str], frozenset[str]], ...]] = (
    (words("firing active fired fires triggered"), words("resolved inactive pending")),
    (words("resolved inactive"), words("firing")),
    (words("running"), words("pending terminating dead inactive stopped")),
    (words("pending"), words("firing resolved inactive running")),
    (words("healthy"), words("unhealthy failing")),
    (words("ready"), words("unready notready not-ready")),
    (words("available"), words("unavailable")),
    (
        words("succeeded success successful successfully completed done finished computed"),
        words("failed failure failing fail error unsuccessful"),
    ),
    (words("enabled"), words("disabled")),
    (words("disabled"), words("enabled")),
    (
        words("accept accepts accepted accepting"),
        words("""
    refused rejected denied forbidden declined
"""),
    ),
    (words("valid"), words("invalid expired")),
    (words("read reads reading"), words("write writes writing insert update")),
    (words("write writes writing"), words("read reads reading select")),
    (words("producer producers"), words("consumer consumers")),
    (words("consumer consumers"), words("producer producers")),
    (words("upload uploads uploaded"), words("download downloads downloaded")),
    (words("download downloads downloaded"), words("upload uploads uploaded")),
    (words("created added create add adds"), words("deleted removed dropped delete remove drop")),
    (words("deleted removed delete remove dropped"), words("created added create add")),
    (words("finished completed done over"), words("started starting begun")),
    (words("critical"), words("warning info")),
    (words("warning warnings"), words("critical error fatal")),
    (words("reachable"), words("unreachable")),
    (words("schedulable"), words("unschedulable")),
    (words("liveness"), words("readiness")),
    (words("readiness"), words("liveness")),
    (words("ingress inbound incoming"), words("egress outbound outgoing")),
    (words("egress outbound outgoing"), words("ingress inbound incoming")),
    (words("full exhausted saturated"), words("empty")),
    (words("locked"), words("unlocked")),
    (words("attached attaches"), words("detached detaches")),
    (words("detached detaches"), words("attached attaches")),
    (words("granted grants"), words("revoked revokes")),
    (words("revoked revokes"), words("granted grants")),
    (words("upgraded"), words("downgraded")),
    (words("mounted"), words("unmounted")),
    (words("synced"), words("unsynced")),
)
"""A word of the left set in a claim is contradicted by evidence that has a word of the right set and none of
the left.
"""

DID: Final = words("change suffer move produce return show drop grow increase rise log restart fail")
"""Verbs that a stressed `did` may put on a series: `did produce errors`."""
ABILITY: Final = words("could can able managed succeeded did often normally")
FAILED_TO: Final = words("failed fails failing unable failure inability refused refuses")
AUXILIARY: Final = words("""
    is are was were be been being has have had do does did will would could can became become remained
    there get got
""")

STRAIN_WORDS: Final = words("""
    bound limited struggling stressed exhausted overloaded overload saturated bottleneck starved
    starvation constrained short
    shortage full maxed pressure busy
""")
"""What a calm or falling series speaks against."""

EQUIVALENT_FAILURE: Final[dict[str, frozenset[str]]] = {
    "listen": words("refused unreachable"),
    "accept": words("refused"),
    "up": words("wait unhealthy crash refused missing image schedule"),
    "work": words("error unhealthy crash refused timeout"),
    "running": words("wait unhealthy crash image schedule"),
    "connect": words("refused network timeout dns reset exhausted auth unreachable close error"),
    "connection": words("refused network timeout dns reset exhausted auth unreachable"),
    "reach": words("refused network timeout dns reset unreachable"),
    "resolve": words("dns missing"),
    "resolved": words("dns missing"),
    "start": words("wait crash restart image schedule error config missing"),
    "schedule": words("wait schedule exhausted quota"),
    "scheduled": words("wait schedule exhausted quota"),
    "place": words("wait schedule exhausted quota"),
    "placed": words("wait schedule exhausted quota"),
    "fit": words("schedule exhausted quota"),
    "pull": words("image missing auth"),
    "pulled": words("image missing auth"),
    "download": words("image missing auth"),
    "find": words("missing dns"),
    "found": words("missing dns"),
    "know": words("missing"),
    "recognise": words("missing"),
    "recognize": words("missing"),
    "exist": words("missing"),
    "respond": words("timeout refused unhealthy probe"),
    "answer": words("timeout refused unhealthy probe dns"),
    "answering": words("timeout refused unhealthy probe dns"),
    "ready": words("unhealthy probe"),
    "available": words("exhausted missing unhealthy"),
    "free": words("exhausted"),
    "enough": words("exhausted oom"),
    "sufficient": words("exhausted oom"),
    "capacity": words("exhausted quota"),
    "room": words("exhausted disk"),
    "space": words("exhausted disk"),
    "acquire": words("timeout exhausted lock wait"),
    "obtain": words("timeout exhausted lock wait"),
    "get": words("timeout exhausted lock wait refused"),
    "write": words("disk exhausted error timeout"),
    "read": words("error timeout"),
    "authenticate": words("auth expired"),
    "login": words("auth expired"),
    "log": words("auth expired"),
    "verify": words("certificate expired auth"),
    "verified": words("certificate expired auth"),
    "trusted": words("certificate expired"),
    "valid": words("expired certificate auth missing"),
    "attach": words("disk error timeout missing"),
    "mount": words("disk error timeout missing"),
    "complete": words("timeout error close reset"),
    "finish": words("timeout error"),
    "keep": words("replication queue latency"),
    "allocate": words("oom memory exhausted"),
    "open": words("descriptor exhausted error"),
    "run": words("wait crash image schedule error"),
    "talk": words("refused network timeout dns reset"),
    "serve": words("error unhealthy refused timeout"),
    "pass": words("probe unhealthy error"),
    "permitted": words("auth refused"),
    "allowed": words("auth refused quota"),
    "load": words("missing error config"),
    "set": words("missing config"),
    "defined": words("missing config"),
    "match": words("missing endpoint config"),
    "endpoints": words("missing endpoint"),
    "bind": words("missing disk"),
    "bound": words("missing disk"),
}
"""`could not VERB` is the same as one of these in the evidence; `could VERB` is the opposite."""

JUDGEMENT: Final = words("""
    impact effect harm problem problems issue issues concern concerns degradation damage loss
    consequence consequences user users customer customers user-facing customer-facing visible
""")
"""What `no impact` denies is a judgement; the measured words beside it are checked instead."""
STATES: Final = words("""
    up down out place use sync live
    exist exists existing stuck failing failed broken crashing blocked gone lost dead healthy ready alive
    available exhausted full used needed able renewed changed restarted recovered resolved fixed
""")
"""Words for the state of a thing: to deny one takes evidence of it."""
LIGHT_VERBS: Final = words("""
    start started starts starting begin began begun keep kept keeps continue continued happen happened
    occur occurred go went goes get got gets see saw seen show shows showed log logged logs report
    reported reports make made take took takes cause caused due stop stopped experience experienced
    seeing showing getting having causing reporting suffer suffered hit run ran runs running write wrote throw
    threw emit emitted raise return returned
""")
"""Verbs that say little: a negation over them denies what follows."""
RESULTS: Final = words("""
    sufficient capacity accept accepting listening listen up running serving back working
    fit fits know recognise recognize
    ready available found exist resolve resolved respond answer answering reach scheduled set defined
    valid trusted bound start complete finish pass endpoints free enough room space match verified
""")
"""States whose plain negation (`is not ready`) is the same as a failure in the evidence."""
FAILURES: Final = words("""
    error refused timeout missing exhausted network dns reset auth expired unhealthy oom
""")
BLAME: Final = words("""
    factor bottleneck cause reason culprit problem blame responsible issue fault overloaded saturated exhausted
    trigger driver origin implicated suffer suffered suffers explanation explain
    starved short bound affected impacted involved
""")

OBSERVABLE: Final = words("""
    error warning restart oom crash kill eviction throttle alert timeout refused lock retry reset deploy
    config expired unhealthy pressure failover schedule image probe gc backup leak scale descriptor
""")
"""Happenings that our tools would show if they had happened: only their absence can follow from coverage."""
