"""Word lists of operations English: what is prose, what names the same thing, what has an opposite.

They are general on purpose: no product, service or sentence of any data set is in them.
"""

from __future__ import annotations

from typing import Final

from rootproof.agent.grounding.wordlists import words

STOP: Final = words("""
    a an the this that these those it its they them their there here which who whom whose what when
    where why how i we you our your he she of in on at to from by for with into onto over under about as
    than and or nor but so if because while whereas although though is are was were be been being am has
    have had having do does did done doing will would shall should can could may might must not no never
    none neither without also just only even still already yet again very quite rather too more most
    less least much many such same other others another each every both all any some few several own up
    down out off through during across per via within between among against after before then once since
    until till ago later earlier prior following followed preceded subsequently next now whole entire
    entirely around roughly approximately nearly almost exactly respectively including plus along away
    back well above below toward towards throughout whether either
""")
PROSE: Final = words("""
    show shown see seen saw observe note indicate suggest confirm appear seem look point reveal
    demonstrate mean imply consistent report say state tell happen occur experience suffer hit get got
    give go went come came take took make made put keep kept become became begin begun began start end
    finish stop continue run running remain stay hold last find found record log logged emit write wrote
    raise throw threw produce cause causing lead led result trigger drive driven drove contribute
    explain account responsible due reason root culprit source origin affect impact hurt involve relate
    match follow precede reach move turn change shift leave left need want use used using work set serve
    first second third final initial new old single full total count number amount value level rate size
    figure time times minute hour day moment window period span interval incident issue problem symptom
    fault outage event evidence sign claim fact case instance occurrence system service component
    application app workload process server series metric graph line entry message thing part side high
    low large small big great long short early late quick sudden suddenly steadily sharply slowly
    gradually quickly immediately directly clear clearly likely probably possible apparently evidently
    actually itself themselves rule ruled exclude dismiss unlikely normal usual typical ordinary current
    currently recent previous entire constant repeated repeatedly continuous continuously seconds
    minutes hours milliseconds bytes percent average maximum minimum peak top bottom mark worth kind
    sort type one two three four five six seven eight nine ten dozen hundred thousand half twice thrice
    double triple share fraction portion bulk majority handful group place way course order background
    meanwhile instead however therefore hence thus user customer team people client caller engineer them
    mainly mostly largely simply merely really fully partly utc gmt am pm today yesterday onward onwards
    afterwards beforehand earlier later roughly together combined overall altogether bring brought send
    sent try tried tries trying able unable manage fail pass let ask told call called name named alone
    anything nothing everything something anyone someone nobody worst best better worse bad good plain
    plainly
""")

CONCEPTS: Final[dict[str, frozenset[str]]] = {
    "memory": words("memory mem ram heap rss swap working-set oom oomkilled memoryleak heapspace"),
    "cpu": words("cpu cpus core cores processor processors millicore millicores vcpu compute cfs"),
    "disk": words("""
    disk disks storage volume volumes filesystem fs pvc pv inode inodes iops io partition mount device
    devices ebs space
"""),
    "network": words("""
    network packet packets interface subnet connectivity firewall route nic egress ingress networkpolicy
    unreachable tcp
"""),
    "dns": words("""
    dns resolve resolved resolver resolution nxdomain getaddrinfo coredns nameserver hostname lookup
"""),
    "certificate": words("certificate certificates cert certs x509 tls ssl handshake ca"),
    "lock": words("""
    lock locks locked deadlock deadlocks deadlocked latch mutex row-lock contention
"""),
    "quota": words("quota quotas resourcequota limitrange"),
    "image": words("image images imagepullbackoff errimagepull registry pull pulled pulling tag"),
    "cache": words("cache caches cached caching redis memcached eviction-rate hit-ratio"),
    "queue": words("""
    queue queues queued enqueued backlog backlogs broker consumer topic consumers consuming
"""),
    "thread": words("thread threads goroutine goroutines worker workers executor"),
    "pool": words("pool pools pooled hikari hikaripool pgbouncer"),
    "probe": words("probe probes liveness readiness healthcheck health-check startup-probe"),
    "replication": words("replication replicate lag lagging lagged behind wal binlog"),
    "replica": words("replica replicas standby follower slave secondary"),
    "restart": words("""
    restart restarts restarted restarting reboot rebooted relaunch relaunched bounced respawned respawn
    crashloopbackoff
"""),
    "oom": words("""
    oom oomkilled oomkill oom-killed oom-kill out-of-memory outofmemory outofmemoryerror memoryerror enomem bad_alloc
"""),
    "timeout": words("""
    timeout timeouts timed-out time-out timedout deadline etimedout deadlineexceeded
    sockettimeoutexception timing-out
"""),
    "refused": words("""
    forbidden denied refused refuse refuses refusing refusal refusals reject rejected rejecting rejects
    rejection econnrefused declined
"""),
    "throttle": words("""
    throttle throttled throttling throttles cfs ratelimit rate-limit rate-limited ratelimited
    toomanyrequests
"""),
    "auth": words("""
    auth authentication authenticate login password credential credentials unauthorized forbidden denied
    permission unauthenticated
"""),
    "eviction": words("evict evicted eviction evictions evicting"),
    "schedule": words("""
    schedule scheduled scheduling unschedulable failedscheduling scheduler taint affinity unscheduled
"""),
    "gc": words("gc garbage collector stop-the-world"),
    "deploy": words("""
    updated deploy deployed deploys rollout rollouts release released revision rolled upgrade upgraded version
    redeploy
"""),
    "config": words("""
    config configuration configmap configured misconfigured misconfiguration setting settings env
    variable flag parameter
"""),
    "latency": words("""
    latency latencies slow slower slowed slowest slowness delay delayed duration response-time p50 p90
    p95 p99 p999 took elapsed sluggish
"""),
    "traffic": words("traffic request requests req rps qps throughput load calls rpm hits"),
    "connection": words("""
    connection connections connect connects connected connecting conn conns socket sockets session
    sessions reconnect connector link
"""),
    "query": words("query queries sql statement statements select insert update"),
    "dependency": words("""
    depend depends depending dependent dependency dependencies downstream upstream relies rely relying
    calls call calling uses caller callee
"""),
    "backup": words("backup backups snapshot dump"),
    "job": words("job jobs cronjob batch"),
    "descriptor": words("descriptor descriptors fd fds nofile ulimit"),
    "crash": words("""
    fatal crash crashed crashes crashing crashloop crashloopbackoff exited exit
    terminated killed fell-over abort aborted
"""),
    "panic": words("panic panics panicked panicking"),
    "down": words("down died dies dead dying"),
    "kill": words("kill killed kills killing oomkilled sigkill terminated kill-switch killer"),
    "error": words("""
    error errors err failure failures failed fails fail failing exception exceptions fatal errored fault
    faults severe unsuccessful
"""),
    "warning": words("warn warning warnings warned"),
    "exhausted": words("""
    exhausted exhaust exhaustion exhausting lack lacks lacking shortage short overloaded bottleneck
    constrained saturated saturation depleted full insufficient drained starved starvation maxed
    unavailable busy
"""),
    "expired": words("expired expire expires expiry expiration lapsed outdated"),
    "missing": words("""
    unknown missing absent nonexistent notfound lacks lacking lack nowhere gone deleted removed
    undefined unset
"""),
    "database": words("""
    database databases db postgres postgresql pg mysql mariadb mongo mongodb rds sql oracle aurora
"""),
    "firing": words("firing fired fires active triggered raised"),
    "alert": words("alert alerts alerting alarm pager paged firing fires"),
    "endpoint": words("endpoint endpoints backend backends upstream upstreams target"),
    "unhealthy": words("unhealthy notready unready not-ready degraded"),
    "node": words("node nodes host hosts machine machines kubelet vm"),
    "pod": words("pod pods container containers"),
    "secret": words("secret secrets"),
    "leak": words("leak leaks leaked leaking"),
    "retry": words("retry retries retried retrying reattempt attempt attempts"),
    "transaction": words("transaction transactions commit rollback txn begin"),
    "partition": words("partition partitions shard shards"),
    "index": words("index indexes indices"),
    "write": words("write writes writing written insert inserts append persisting"),
    "read": words("read reads reading"),
    "primary": words("primary master leader writer"),
    "failover": words("failover promoted promotion switchover elected election"),
    "usage": words("usage utilization utilisation consumption used use util consumed"),
    "limit": words("limit limits cap ceiling quota capped maximum allowance"),
    "pressure": words("pressure memorypressure diskpressure pidpressure"),
    "frequency": words("rate frequency"),
    "wait": words("wait waiting waited waits pending queued blocked acquire acquiring"),
    "reset": words("reset resets econnreset"),
    "close": words("close closed closes closing disconnect disconnected disconnects dropped"),
    "reach": words("reach reachable unreachable"),
    "order": words("order orders"),
    "message": words("message messages"),
    "start": words("startup boot booting init initialisation initialization"),
    "scale": words("scale scaled scaling autoscaler hpa autoscaled"),
    "checkpoint": words("checkpoint checkpoints vacuum autovacuum"),
    "template": words("template templates"),
    "slot": words("slot slots"),
    "row": words("row rows record records"),
    "upload": words("upload uploads"),
    "payment": words("payment payments"),
    "policy": words("policy policies"),
}
"""What a word is about. One word may be about several things; sharing one is enough."""

HARD: Final = words("""
    memory cpu disk dns certificate lock quota image cache thread pool probe oom throttle eviction gc
    replication backup descriptor failover queue restart crash expired timeout refused auth warning
    latency retry network deploy config
""")
"""Concepts that a claim may not bring in by itself unless most of its other words are those of the cited evidence."""

STRICT: Final = words("""
    memory heap rss cpu cpus processor disk disks storage filesystem inode inodes iops dns certificate
    certificates cert certs tls ssl gc oom oomkilled out-of-memory quota quotas lag replication wal
    descriptor descriptors thread threads goroutine goroutines cache caches queue queues backlog password
    passwords credential credentials image images database databases lock locks restart restarts
""")
"""Words for one measured or managed thing and nothing else: a claim may not bring one in, whatever it else shares."""

EVENTS: Final = words("""
    restarted expired expires refused refuse refuses refusing rejected denied timeout timeouts evicted eviction
    evictions
    throttled throttling deadlock deadlocks locked panic panicked crash crashes crashed crashing deleted
    created rotated revoked renewed promoted rebooted
""")
"""What may befall a thing: the same holds, unless a claim denies it."""

LOOSE: Final = words("""
    broker brokers
    volume volumes mount mounts mounted partition partitions device devices space core cores pull pulled tag
    topic consumer consumers worker workers executor behind kill killed killing kills settings setting
    version release environment env flag load calls interface route took delay delayed session sessions link
    short full busy gone removed degraded pool pools pooled network
""")
"""Words of several meanings: a claim may use one (`request volume`, `the kill`) without bringing in a new subject."""

COMPONENTS: Final = words("""
    database db scheduler balancer proxy broker ingress gateway registry controller operator
    firewall sidecar cache queue backend frontend provider apiserver etcd bucket consumer
    producer server
""")
"""Parts of a system: `the broker refused it` needs evidence that knows of a broker."""

IMPLIES: Final[dict[str, tuple[str, ...]]] = {
    "oom": ("memory", "kill", "crash", "exhausted", "limit"),
    "crash": ("error", "unhealthy", "down"),
    "panic": ("crash", "error"),
    "kill": ("crash", "down"),
    "restart": ("crash",),
    "gc": ("memory",),
    "timeout": ("latency", "error", "wait"),
    "refused": ("connection", "error", "network"),
    "reset": ("connection", "error", "network"),
    "auth": ("error",),
    "dns": ("network",),
    "pool": ("connection", "thread"),
    "lock": ("wait",),
    "wait": ("latency", "queue"),
    "throttle": ("limit",),
    "quota": ("limit",),
    "eviction": ("pressure", "kill"),
    "deploy": ("config", "image"),
    "image": ("deploy",),
    "expired": ("error", "refused"),
    "query": ("database", "read"),
    "transaction": ("database",),
    "replication": ("database",),
    "descriptor": ("limit", "connection"),
    "retry": ("traffic",),
    "missing": ("error",),
    "secret": ("config",),
    "unhealthy": ("error", "probe", "down"),
    "probe": ("unhealthy",),
    "endpoint": ("network", "connection"),
    "exhausted": ("limit", "pressure", "error", "refused"),
    "message": ("queue",),
    "scale": ("deploy",),
    "leak": ("memory", "connection"),
    "pressure": ("exhausted",),
    "checkpoint": ("write", "disk"),
}
"""What evidence about one thing also says about others (one step, not chained)."""

PHRASES: Final[tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]] = (
    (("transaction", "log"), ("replication",)),
    (("read", "latency"), ("disk", "latency")),
    (("write", "latency"), ("disk", "latency")),
    (("transaction", "logs"), ("replication",)),
    (("out", "of", "memory"), ("oom", "memory")),
    (("memory", "killer"), ("oom",)),
    (("timed", "out"), ("timeout",)),
    (("times", "out"), ("timeout",)),
    (("not", "answer"), ("timeout",)),
    (("not", "respond"), ("timeout",)),
    (("no", "response"), ("timeout",)),
    (("missed", "for"), ("timeout",)),
    (("rolled", "back"), ("lock",)),
    (("connection", "slots"), ("exhausted", "connection")),
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
    (("valid", "from"), ("expired",)),
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
