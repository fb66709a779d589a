"""Which words in a log line mean what: one table, linear patterns, no names of anybody's services.

A line may mean several things. Rules that are not `any_level` are only read from lines that are not routine (level
WARN or worse, or no level but error words): their words also occur in healthy talk. The others mean what they say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from rootproof.agent.playbook.signals import Kind


@dataclass(frozen=True, slots=True)
class LogRule:
    """`pattern` means `kind`, unless `unless` matches too."""

    kind: Kind
    pattern: re.Pattern[str]
    unless: re.Pattern[str] | None = None
    any_level: bool = True


def _rule(kind: Kind, *alternatives: str, unless: str | None = None, any_level: bool = True) -> LogRule:
    flags = re.IGNORECASE
    pattern = re.compile("|".join(alternatives), flags)
    return LogRule(kind, pattern, re.compile(unless, flags) if unless else None, any_level)


_CALM = r"\b(?:no|zero|0|without|not)\s+(?:\w+\s+)?(?:errors?|failures?|restarts?)\b"

LOG_RULES: tuple[LogRule, ...] = (
    _rule(
        Kind.OOM,
        r"out of memory",
        r"oom[-_ ]?kill",
        r"killed process \S+",
        r"exit(?:ed with)? code:? 137",
        r"cgroup oom",
    ),
    _rule(
        Kind.HEAP_EXHAUSTED,
        r"outofmemoryerror",
        r"java heap space",
        r"heap out of memory",
        r"gc overhead limit",
        r"memoryerror",
    ),
    _rule(
        Kind.POOL_EXHAUSTED,
        r"pool (?:is )?(?:exhausted|full|empty)",
        r"pool timeout",
        r"queuepool limit",
        r"connection is not available, request timed out",
        r"(?:acquir|obtain|borrow|check(?:ing)? ?out|wait)\w*\W+(?:\w+\W+){0,4}(?:connection|pool)\W+(?:\w+\W+){0,5}"
        r"(?:tim|fail|exhaust)",
        r"no (?:available|free|idle) connections?",
        r"tim(?:ed?|ing) ?out\W+(?:\w+\W+){0,3}(?:acquir|obtain|wait)\w*\W+(?:\w+\W+){0,4}connection",
    ),
    _rule(
        Kind.TOO_MANY_CONNECTIONS,
        r"too many (?:clients|connections)",
        r"remaining connection slots",
        r"(?:approach|reach|exceed|hit)\w*\W+(?:\w+\W+){0,3}max_?connections",
        r"max_?connections (?:limit )?(?:reached|exceeded)",
        r"connections?,? approaching the (?:maximum|limit)",
        r"connection limit (?:exceeded|reached)",
        r"new connections (?:may|will|are)(?: be)?(?: being)? refused",
    ),
    _rule(
        Kind.CONN_REFUSED,
        r"connection refused",
        r"econnrefused",
        r"actively refused",
        r"connection reset",
        r"econnreset",
    ),
    _rule(
        Kind.CALL_TIMEOUT,
        r"time-?out",
        r"timed[- ]out",
        r"etimedout",
        r"deadline exceeded",
        r"context canceled",
        unless=r"timeout(?:s|seconds|ms)?\W{0,2}[=:]|\btimeouts?=\d|no timeouts?|probe",
        any_level=False,
    ),
    _rule(
        Kind.DNS_FAILURE,
        r"enotfound",
        r"eai_again",
        r"getaddrinfo",
        r"no such host",
        r"name or service not known",
        r"(?:could not|unable to|failed to|cannot) resolve",
        r"temporary failure in name resolution",
        r"nxdomain",
        r"servfail",
        r"unknownhost",
        r"name resolution",
        r"dns (?:lookup|resolution)?\W*(?:fail|error|time)",
        r"lookup \S+(?: on \S+)?: ",
        r"\blookup failed",
    ),
    _rule(
        Kind.CERT_FAILURE,
        r"certificate\W+(?:\w+\W+){0,3}(?:expired|invalid|not yet valid)",
        r"x509",
        r"cert_has_expired",
        r"certificate verify failed",
    ),
    _rule(
        Kind.AUTH_FAILURE,
        r"(?:password )?authentication failed",
        r"access denied for user",
        r"invalid (?:credentials|password|api key|token)",
        r"login failed",
        r"\b401 unauthorized",
        r"wrongpass",
        r"noauth",
    ),
    _rule(
        Kind.PERMISSION_DENIED,
        r"permission denied",
        r"eacces",
        r"\b403 forbidden",
        r"is forbidden:",
        r"access ?denied",
        r"not authorized to",
        unless=r"denied for user",
    ),
    _rule(
        Kind.ENV_MISSING,
        r"(?:environment variable|env(?:ironment)?[ _]var)\W+(?:\w+\W+){0,4}"
        r"(?:undefined|not set|missing|required|unset|not defined|is empty|not found|must be set)",
        r"(?:missing|undefined|unset|required)\W+(?:\w+\W+){0,2}(?:environment variable|env var)",
        r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?-i:) (?:is|must be|was) (?:undefined|not set|required|unset|set|missing)\b",
        r"keyerror: '[a-z0-9_]+'",
    ),
    _rule(
        Kind.COMMAND_MISSING,
        r"command not found",
        r"executable file not found",
        r"exec: \S+ .{0,20}not found",
        r"exec format error",
        r": not found$",
    ),
    _rule(
        Kind.FILE_MISSING,
        r"no such file or directory",
        r"enoent",
        r"filenotfound",
        r"cannot open (?:file )?\S+",
        unless=r"executable file",
    ),
    _rule(
        Kind.SQL_SYNTAX,
        r"syntax error (?:at or )?near",
        r"error in your sql syntax",
        r"sqlsyntaxerror",
        r"ora-009\d\d",
        r"incorrect syntax near",
    ),
    _rule(
        Kind.SCRIPT_SYNTAX,
        r"syntax ?error",
        r"unexpected (?:token|end of file|eof|indent)",
        r"parse error",
        unless=r"syntax error (?:at or )?near|sql",
    ),
    _rule(
        Kind.UNIQUE_VIOLATION,
        r"duplicate key",
        r"unique constraint",
        r"unique violation",
        r"duplicate entry",
        r"e11000",
    ),
    _rule(
        Kind.SCHEMA_MISSING,
        r"(?:relation|table|column) \S+ (?:does not|doesn't) exist",
        r"no such (?:table|column)",
        r"unknown column",
        r"undefined ?(?:table|column)",
    ),
    _rule(
        Kind.BAD_CONFIG,
        r"invalid config\w*",
        r"unknown (?:flag|option|directive|field)",
        r"fail\w* to (?:parse|load|read) config\w*",
        r"configuration error",
        r"invalid value for",
    ),
    _rule(
        Kind.DEADLOCK,
        r"deadlock (?:detected|found)",
        r"lock wait timeout",
        r"could not obtain lock",
        r"canceling statement due to lock",
    ),
    _rule(
        Kind.DISK_FULL,
        r"no space left",
        r"enospc",
        r"disk (?:is )?full",
        r"storage[- ]full",
        r"storage (?:space )?(?:is )?(?:critically low|exhausted|full)",
        r"could not extend file",
        r"ran out of (?:disk|storage)",
        r"out of (?:disk|storage) space",
        r"insufficient storage",
    ),
    _rule(
        Kind.DISK_LOW,
        r"low (?:storage|disk)(?: space)?",
        r"storage space is (?:low|at \d)",
        r"disk usage (?:is )?(?:at|above)",
        unless=r"critically low",
    ),
    _rule(
        Kind.READ_ONLY,
        r"read[- ]only (?:transaction|mode|file ?system|option)",
        r"--read-only",
        r"readonlyerror",
    ),
    _rule(
        Kind.REPLICATION_BEHIND,
        r"replication lag",
        r"replica lag",
        r"replay (?:is )?(?:behind|lag)",
        r"(?:replica|standby)\W+(?:\w+\W+){0,4}(?:behind|lagging)",
        r"seconds_behind",
    ),
    _rule(
        Kind.VACUUM,
        r"vacuum",
    ),
    _rule(
        Kind.CHECKPOINT_FREQUENT,
        r"checkpoints?\W+(?:\w+\W+){0,2}(?:too frequently|storm)",
        r"\d+ checkpoints completed",
        r"checkpoint storm",
        r"max_wal_size threshold",
    ),
    _rule(
        Kind.FAILOVER,
        r"fail(?:ed)?[- ]?over",
        r"promot(?:ed|ing|ion)\W+(?:\w+\W+){0,4}(?:primary|master|leader|writer)",
        r"role (?:change|switch)",
        r"new primary",
        r"switchover",
        unless=r"successful(?:ly)? tested",
    ),
    _rule(
        Kind.DB_RESTART,
        r"(?:db instance|database|server)\W+(?:\w+\W+){0,3}(?:restarted|rebooted|shutdown|shut down|recovery mode)",
        r"crash recovery",
    ),
    _rule(
        Kind.DB_UNREACHABLE,
        r"(?:unable|fail\w*|could not|cannot|can't|couldn't) (?:to )?(?:connect|reach|open)\w*\W+(?:\w+\W+){0,4}"
        r"(?:database|db|mysql|postgres\w*|server|redis|mongo\w*|broker|host|upstream)",
        r"database (?:is )?(?:unavailable|unreachable|down)",
        r"lost connection to",
        r"communications link failure",
    ),
    _rule(
        Kind.CACHE_FAILURE,
        r"(?:redis|memcached?|valkey|cache)\W+(?:\w+\W+){0,5}(?:timeout\w*|unavailable|fail\w*|refused|misconf|oom)",
        any_level=False,
    ),
    _rule(
        Kind.QUEUE_LAG,
        r"consumer (?:group )?\W*(?:\S+\W+){0,4}(?:lag|behind|rebalanc)",
        r"(?:queue|topic|backlog)\W+(?:\w+\W+){0,4}(?:growing|full|overflow|exceeded)",
    ),
    _rule(
        Kind.RATE_LIMITED,
        r"rate limit",
        r"\b429\b",
        r"too many requests",
        r"throttlingexception",
        r"request was throttled",
        r"quota exceeded for",
    ),
    _rule(
        Kind.HTTP_5XX,
        r"\b(?:http/\d(?:\.\d)?\"? |status(?:code)?\W{0,2}|[a-z/]+ )5\d\d\b",
        r"\b50[0234] (?:bad gateway|service unavailable|internal server|gateway time)",
        unless=r"probe",
        any_level=False,
    ),
    _rule(
        Kind.CRASH,
        r"\bpanic(?:ked)?\b",
        r"segmentation fault",
        r"sigsegv",
        r"unhandled exception",
        r"uncaught (?:\w+ )?(?:exception|error)",
        r"fatal error",
        r"nullpointerexception",
        r"core dumped",
    ),
    _rule(
        Kind.PROBE_LIVENESS,
        r"liveness probe failed",
        r"failed liveness probe",
    ),
    _rule(
        Kind.PROBE_READINESS,
        r"(?:readiness|startup) probe failed",
        r"failed (?:readiness|startup) probe",
    ),
    _rule(
        Kind.IMAGE_PULL,
        r"imagepullbackoff",
        r"errimagepull",
        r"failed to pull image",
        r"back-off pulling image",
        r"manifest (?:for \S+ )?(?:unknown|not found)",
        r"invalidimagename",
    ),
    _rule(
        Kind.UNSCHEDULABLE,
        r"failedscheduling",
        r"nodes? (?:are|is) available:",
        r"unschedulable",
    ),
    _rule(
        Kind.UNSCHEDULABLE_CPU,
        r"insufficient cpu",
    ),
    _rule(
        Kind.UNSCHEDULABLE_MEMORY,
        r"insufficient memory",
    ),
    _rule(
        Kind.NODE_NOT_READY,
        r"nodenotready",
        r"node \S+ (?:status is now: )?not ?ready",
        r"node is not ready",
        r"kubelet stopped posting",
    ),
    _rule(
        Kind.NODE_PRESSURE,
        r"nodehas(?:disk|memory|pid)pressure",
        r"(?:disk|memory|pid) ?pressure",
        r"evictionthresholdmet",
    ),
    _rule(
        Kind.EVICTED,
        r"\bevicted\b",
        r"evicting pod",
    ),
    _rule(
        Kind.CRASH_LOOP,
        r"back-off restarting",
        r"crashloopbackoff",
    ),
    _rule(
        Kind.CONFIG_ERROR,
        r"createcontainerconfigerror",
        r"(?:configmap|secret) \"?[^\" ]+\"? not found",
        r"couldn't find key",
    ),
    _rule(
        Kind.MOUNT_FAILED,
        r"failedmount",
        r"failedattachvolume",
        r"mountvolume\.setup failed",
        r"unable to (?:attach or )?mount volumes",
        unless=r"retried successfully",
    ),
    _rule(
        Kind.STORAGE_CLASS,
        r"storageclass\S* \"?[^\" ]+\"? not found",
    ),
    _rule(
        Kind.JOB_FAILED,
        r"backofflimitexceeded",
        r"job has reached the specified backoff limit",
        r"deadlineexceeded",
    ),
    _rule(
        Kind.QUOTA,
        r"exceeded quota",
        r"forbidden: \w+ quota",
    ),
    _rule(
        Kind.TERMINATED,
        r"received sigterm",
        r"graceful shutdown",
        r"signal terminated",
    ),
    _rule(
        Kind.ROLLOUT,
        r"rollout",
        r"replica ?set \S+ (?:scaled|has)",
        r"scaled (?:up|down) replica set",
        r"deployed version",
        r"new revision",
    ),
    _rule(
        Kind.RECOVERED,
        r"\brecovered\b",
        r"back to normal",
        r"returned to (?:ready|normal)",
        r"no further (?:restarts|errors)",
        r"resumed normal",
        r"restored\b",
        r"now ready",
        r"has (?:been )?(?:resolved|cleared)",
        r"(?:storage|disk) (?:\w+ )?(?:expan|increas|extend|autoscal)\w+ (?:completed|finished|succeeded|successful)",
        r"finished applying modification",
        r"zero errors",
        r"no errors",
        r"all systems healthy",
    ),
)

ROUTINE = re.compile(_CALM, re.IGNORECASE)
ERROR_WORDS = re.compile(
    r"\b(?:error|err|exception|fail(?:ed|ure|ing)?|fatal|critical|panic|unable|cannot|could not|refused|denied"
    r"|timeout|timed out|traceback)\b",
    re.IGNORECASE,
)
NOT_AN_ERROR = re.compile(
    r"\berr(?:or)?s?\W{0,3}(?:null|nil|none|<nil>|0|false)\b|\b0 (?:errors|failures|failed)\b", re.IGNORECASE
)
PEER = re.compile(
    r"(?:ENOTFOUND|EAI_AGAIN|lookup|resolve(?: host(?:name)?)?|dial tcp|connect(?:ing|ion)? to|host|from|reach|to)"
    r"[ :='\"]+"
    r"([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)",
)
ENV_NAME = re.compile(r"\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b")
COMMAND = re.compile(
    r"exec: \\?\"?([A-Za-z0-9_./-]+)\\?\"?: (?:executable file )?not found|([A-Za-z0-9_./-]+): (?:command )?not found"
)
OF_LIMIT = re.compile(r"\b(\d[\d,]*) (?:of|out of|/) (\d[\d,]*)\b")
MAXIMUM = re.compile(r"(?:maximum|max_connections|max|limit)(?: of| is| =|=|:)? ?(\d[\d,]*)", re.IGNORECASE)
CURRENTLY = re.compile(r"(?:has|count at|count is|connections:?|count:) ?(\d[\d,]*)(?: connections)?", re.IGNORECASE)
REMAINING = re.compile(
    r"(\d+(?:\.\d+)?) ?([KMGT]i?B) (?:free|remaining|left|available) of (\d+(?:\.\d+)?) ?([KMGT]i?B)", re.IGNORECASE
)
DURATION = re.compile(
    r"\b(?:completed|complete|finished|took|rendered|elapsed|duration|responded|returned|processed|executed"
    r"|latency)\W{1,3}(?:in |after )?"
    r"(\d+(?:\.\d+)?) ?(s|sec|secs|seconds|ms|millis|milliseconds|min|minutes)\b",
    re.IGNORECASE,
)
