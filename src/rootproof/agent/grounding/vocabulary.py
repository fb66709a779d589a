"""Word lists of operations English: what is prose, what names the same thing, what has an opposite.

They are general on purpose: no product, service or sentence of any data set is in them.
"""

from __future__ import annotations

from typing import Final


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


STOP: Final = _words(
    """a an the this that these those it its they them their there here which who whom whose what when where why how i we you our your he she
    of in on at to from by for with into onto over under about as than and or nor but so if because while whereas although though
    is are was were be been being am has have had having do does did done doing will would shall should can could may might must
    not no never none neither without also just only even still already yet again very quite rather too more most less least much many
    such same other others another each every both all any some few several own up down out off through during across per via within
    between among against after before then once since until till ago later earlier prior following followed preceded subsequently next
    now whole entire entirely around roughly approximately nearly almost exactly respectively including plus along away back well
    above below toward towards throughout while whether either"""
)
PROSE: Final = _words(
    """show shown see seen saw observe note indicate suggest confirm appear seem look point reveal demonstrate mean imply consistent report say
    state tell happen occur experience suffer hit get got give go went come came take took make made put keep kept become became begin begun began start
    end finish stop continue run running remain stay hold last find found record log logged emit write wrote raise throw threw produce
    cause causing lead led result trigger drive driven drove contribute explain account responsible due reason root culprit source origin
    affect impact hurt involve relate match follow precede reach move turn change shift leave left need want use used using work set serve
    first second third final initial new old single full total count number amount value level rate size figure time times minute second hour day moment
    point window period span interval incident issue problem symptom fault outage event evidence sign claim fact case instance occurrence
    system service component application app workload process server instance series metric graph line entry message thing part side end
    high low large small big great long short early late quick sudden suddenly steadily sharply slowly gradually quickly immediately directly
    clear clearly likely probably possible apparently evidently actually itself themselves rule ruled exclude dismiss unlikely
    normal usual typical ordinary current currently recent previous entire constant repeated repeatedly continuous continuously
    seconds minutes hours milliseconds bytes percent average mean maximum minimum peak top bottom mark worth kind sort type
    one two three four five six seven eight nine ten dozen hundred thousand half twice thrice double triple
    share fraction portion bulk majority handful group place way course order background meanwhile instead however therefore hence thus
    user customer team people client caller engineer them mainly mostly largely simply merely really fully partly
    utc gmt am pm today yesterday onward onwards afterwards beforehand earlier later roughly together combined overall altogether
    look bring brought send sent try tried tries trying able unable manage fail pass let ask told call called name named
    alone anything nothing everything something anyone someone nobody worst best better worse bad good plain plainly""",
)

CONCEPTS: Final[dict[str, frozenset[str]]] = {
    "memory": _words("memory mem ram heap rss swap working-set oom oomkilled memoryleak heapspace"),
    "cpu": _words("cpu cpus core cores processor processors millicore millicores vcpu compute cfs"),
    "disk": _words(
        "disk disks storage volume volumes filesystem fs pvc pv inode inodes iops io partition mount device devices ebs space"
    ),
    "network": _words(
        "network packet packets interface subnet connectivity firewall route nic egress ingress networkpolicy unreachable tcp"
    ),
    "dns": _words("dns resolve resolved resolver resolution nxdomain getaddrinfo coredns nameserver hostname lookup"),
    "certificate": _words("certificate certificates cert certs x509 tls ssl handshake ca"),
    "lock": _words("lock locks locked deadlock deadlocks deadlocked latch mutex row-lock contention"),
    "quota": _words("quota quotas resourcequota limitrange"),
    "image": _words("image images imagepullbackoff errimagepull registry pull pulled pulling tag"),
    "cache": _words("cache caches cached caching redis memcached eviction-rate hit-ratio"),
    "queue": _words("queue queues queued enqueued backlog backlogs broker consumer topic consumers consuming"),
    "thread": _words("thread threads goroutine goroutines worker workers executor"),
    "pool": _words("pool pools pooled hikari hikaripool pgbouncer"),
    "probe": _words("probe probes liveness readiness healthcheck health-check startup-probe"),
    "replication": _words("replication replicate lag lagging lagged behind wal binlog"),
    "replica": _words("replica replicas standby follower slave secondary"),
    "restart": _words(
        "restart restarts restarted restarting reboot rebooted relaunch relaunched bounced respawned respawn crashloopbackoff"
    ),
    "oom": _words("oom oomkilled oomkill oom-killed oom-kill out-of-memory outofmemory outofmemoryerror"),
    "timeout": _words(
        "timeout timeouts timed-out time-out timedout deadline etimedout deadlineexceeded sockettimeoutexception timing-out"
    ),
    "refused": _words(
        "forbidden denied refused refuse refuses refusing refusal refusals reject rejected rejecting rejects rejection econnrefused declined"
    ),
    "throttle": _words(
        "throttle throttled throttling throttles cfs ratelimit rate-limit rate-limited ratelimited toomanyrequests"
    ),
    "auth": _words(
        "auth authentication authenticate login password credential credentials unauthorized forbidden denied permission unauthenticated"
    ),
    "eviction": _words("evict evicted eviction evictions evicting"),
    "schedule": _words(
        "schedule scheduled scheduling unschedulable failedscheduling scheduler taint affinity unscheduled"
    ),
    "gc": _words("gc garbage collector stop-the-world"),
    "deploy": _words(
        "deploy deployed deploys rollout rollouts release released revision rolled upgrade upgraded version redeploy"
    ),
    "config": _words(
        "config configuration configmap configured misconfigured misconfiguration setting settings env variable flag parameter"
    ),
    "latency": _words(
        "latency latencies slow slower slowed slowest slowness delay delayed duration response-time p50 p90 p95 p99 p999 took elapsed sluggish"
    ),
    "traffic": _words("traffic request requests req rps qps throughput load calls rpm hits"),
    "connection": _words(
        "connection connections connect connects connected connecting conn conns socket sockets session sessions reconnect connector link"
    ),
    "query": _words("query queries sql statement statements select"),
    "backup": _words("backup backups snapshot dump"),
    "job": _words("job jobs cronjob batch"),
    "descriptor": _words("descriptor descriptors fd fds nofile ulimit"),
    "crash": _words(
        "fatal crash crashed crashes crashing crashloop crashloopbackoff died dies panic panicked exited exit terminated killed fell-over abort aborted dead"
    ),
    "kill": _words("kill killed kills killing oomkilled sigkill terminated kill-switch killer"),
    "error": _words(
        "error errors err failure failures failed fails fail failing exception exceptions fatal errored fault faults severe unsuccessful"
    ),
    "warning": _words("warn warning warnings warned"),
    "exhausted": _words(
        "exhausted exhaust exhaustion exhausting lack lacks lacking shortage short overloaded bottleneck constrained saturated saturation depleted full insufficient drained starved starvation maxed unavailable busy"
    ),
    "expired": _words("expired expire expires expiry expiration lapsed outdated"),
    "missing": _words(
        "unknown missing absent nonexistent notfound lacks lacking lack nowhere gone deleted removed undefined unset"
    ),
    "database": _words("database db postgres postgresql mysql mariadb mongo mongodb rds sql oracle aurora"),
    "firing": _words("firing fired fires active triggered"),
    "alert": _words("alert alerts alerting alarm pager paged firing fires"),
    "endpoint": _words("endpoint endpoints backend backends upstream upstreams target"),
    "unhealthy": _words("unhealthy notready unready not-ready degraded"),
    "node": _words("node nodes host hosts machine machines kubelet vm"),
    "pod": _words("pod pods container containers"),
    "secret": _words("secret secrets"),
    "leak": _words("leak leaks leaked leaking"),
    "retry": _words("retry retries retried retrying reattempt attempt attempts"),
    "transaction": _words("transaction transactions commit rollback txn"),
    "partition": _words("partition partitions shard shards"),
    "index": _words("index indexes indices"),
    "write": _words("write writes writing written insert inserts append persisting"),
    "read": _words("read reads reading"),
    "primary": _words("primary master leader writer"),
    "failover": _words("failover promoted promotion switchover elected election"),
    "usage": _words("usage utilization utilisation consumption used use util consumed"),
    "limit": _words("limit limits cap ceiling quota capped maximum allowance"),
    "pressure": _words("pressure memorypressure diskpressure pidpressure"),
    "frequency": _words("rate frequency"),
    "wait": _words("wait waiting waited waits pending queued blocked acquire acquiring"),
    "reset": _words("reset resets econnreset"),
    "close": _words("close closed closes closing disconnect disconnected disconnects dropped"),
    "reach": _words("reach reachable unreachable"),
    "order": _words("order orders"),
    "message": _words("message messages"),
    "start": _words("startup boot booting init initialisation initialization"),
    "scale": _words("scale scaled scaling autoscaler hpa autoscaled"),
    "checkpoint": _words("checkpoint checkpoints vacuum autovacuum"),
    "template": _words("template templates"),
    "slot": _words("slot slots"),
    "row": _words("row rows record records"),
    "upload": _words("upload uploads"),
    "payment": _words("payment payments"),
    "policy": _words("policy policies"),
}
"""What a word is about. One word may be about several things; sharing one is enough."""

HARD: Final = _words(
    """memory cpu disk dns certificate lock quota image cache thread pool probe oom throttle eviction gc replication backup descriptor failover queue
    restart crash expired timeout refused auth warning latency retry network deploy config"""
)
"""Concepts that a claim may not bring in by itself unless most of its other words are those of the cited evidence."""

STRICT: Final = _words("memory cpu disk dns certificate gc oom pool quota replication descriptor")
"""Those of HARD that no share of other common words excuses: the measured resources."""

IMPLIES: Final[dict[str, tuple[str, ...]]] = {
    "oom": ("memory", "kill", "crash", "exhausted", "limit"),
    "crash": ("error", "unhealthy"),
    "kill": ("crash",),
    "restart": ("crash",),
    "gc": ("memory",),
    "timeout": ("latency", "error", "wait"),
    "refused": ("connection", "error", "network"),
    "reset": ("connection", "error", "network"),
    "auth": ("error",),
    "dns": ("network",),
    "pool": ("connection",),
    "lock": ("wait",),
    "wait": ("latency", "lock", "queue"),
    "throttle": ("limit",),
    "quota": ("limit",),
    "eviction": ("pressure", "kill"),
    "deploy": ("config", "image"),
    "image": ("deploy",),
    "expired": ("error",),
    "query": ("database", "read"),
    "transaction": ("database",),
    "replication": ("database",),
    "latency": ("timeout",),
    "descriptor": ("limit", "connection"),
    "retry": ("traffic",),
    "missing": ("error",),
    "secret": ("config", "auth"),
    "unhealthy": ("error", "probe"),
    "probe": ("unhealthy",),
    "endpoint": ("network", "connection"),
    "exhausted": ("limit", "pressure", "error"),
    "message": ("queue",),
    "scale": ("deploy",),
    "leak": ("memory", "connection"),
    "pressure": ("exhausted",),
    "checkpoint": ("write", "disk"),
}
"""What evidence about one thing also says about others (one step, not chained)."""

PHRASES: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = (
    (("out", "of", "memory"), ("oom", "memory")),
    (("memory", "killer"), ("oom",)),
    (("timed", "out"), ("timeout",)),
    (("times", "out"), ("timeout",)),
    (("time", "out"), ("timeout",)),
    (("timing", "out"), ("timeout",)),
    (("deadline", "exceeded"), ("timeout",)),
    (("no", "space"), ("disk", "exhausted")),
    (("no", "route"), ("network",)),
    (("no", "such", "host"), ("dns", "missing")),
    (("name", "resolution"), ("dns",)),
    (("rate", "limit"), ("throttle",)),
    (("rate", "limited"), ("throttle",)),
    (("rate", "limiting"), ("throttle",)),
    (("too", "many", "requests"), ("throttle",)),
    (("too", "many", "connections"), ("exhausted",)),
    (("too", "many", "clients"), ("exhausted", "connection")),
    (("too", "many", "open", "files"), ("descriptor", "exhausted")),
    (("open", "files"), ("descriptor",)),
    (("file", "handles"), ("descriptor",)),
    (("not", "found"), ("missing",)),
    (("does", "not", "exist"), ("missing",)),
    (("do", "not", "exist"), ("missing",)),
    (("did", "not", "exist"), ("missing",)),
    (("no", "such"), ("missing",)),
    (("not", "available"), ("exhausted",)),
    (("not", "ready"), ("unhealthy",)),
    (("valid", "until"), ("expired",)),
    (("not", "after"), ("expired",)),
    (("sped", "up"), ("faster",)),
    (("ran", "dry"), ("exhausted",)),
    (("ran", "out"), ("exhausted",)),
    (("run", "out"), ("exhausted",)),
    (("running", "out"), ("exhausted",)),
    (("used", "up"), ("exhausted",)),
    (("fell", "behind"), ("replication", "queue")),
    (("falling", "behind"), ("replication", "queue")),
    (("fell", "over"), ("crash",)),
    (("crash", "loop"), ("crash", "restart")),
    (("crash", "looping"), ("crash", "restart")),
    (("back", "off"), ("restart",)),
    (("turned", "away"), ("refused",)),
    (("turned", "down"), ("refused",)),
    (("access", "denied"), ("auth",)),
    (("garbage", "collection"), ("gc",)),
    (("health", "check"), ("probe",)),
    (("health", "checks"), ("probe",)),
    (("response", "time"), ("latency",)),
    (("response", "times"), ("latency",)),
    (("went", "away"), ("connection",)),
    (("rolled", "out"), ("deploy",)),
    (("back", "off"), ("crash",)),
)
"""Word sequences that mean a concept, in claims and in evidence."""
