"""Which words in a log line mean what: one table, linear patterns, no names of anybody's services.

A line may mean several things. Rules that are not `any_level` are only read from lines that are not routine (level
WARN or worse, or no level but error words): their words also occur in healthy talk. The others mean what they say.
"""

from __future__ import annotations

import re

from rootproof.agent.playbook.log_rule import LogRule, rule
from rootproof.agent.playbook.log_rules_cluster import CLUSTER_RULES
from rootproof.agent.playbook.signals import Kind

_CALM = r"\b(?:no|zero|0|without|not)\s+(?:\w+\s+)?(?:errors?|failures?|restarts?)\b"

LOG_RULES: tuple[LogRule, ...] = (
    rule(
        Kind.OOM,
        r"out of memory",
        r"oom[-_ ]?kill",
        r"killed process \S+",
        r"exit(?:ed with)? code:? 137",
        r"cgroup oom",
    ),
    rule(
        Kind.HEAP_EXHAUSTED,
        r"outofmemoryerror",
        r"java heap space",
        r"heap out of memory",
        r"gc overhead limit",
        r"memoryerror",
    ),
    rule(
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
    rule(
        Kind.CONNECTION_LEAK,
        r"connection leak",
        r"leak detection triggered",
        r"(?:leaked|unclosed|abandoned) (?:\w+ )?connections?",
        r"connections? (?:was|were|is|are) (?:leaked|never (?:closed|returned|released))",
        unless=r"\bno (?:connection )?leak",
    ),
    rule(
        Kind.SESSIONS_IDLE,
        r"in state sleep",
        r"idle[- ]in[- ]transaction",
        r"\d+ (?:of \w+ )?(?:are |is )?idle\b",
        r"idle (?:client )?(?:sessions|connections)\W+(?:\w+\W+){0,3}(?:\d|accumul|piling|held|open)",
        unless=r"timeout",
    ),
    rule(
        Kind.TOO_MANY_CONNECTIONS,
        r"\d[\d,]* (?:of|out of|/) \d[\d,]* (?:\w+ )?connections",
        r"connections?\W+(?:\w+\W+){0,3}\d[\d,]* (?:of|out of|/) \d[\d,]*",
        r"too many (?:clients|connections)",
        r"remaining connection slots",
        r"(?:approach|reach|exceed|hit)\w*\W+(?:\w+\W+){0,3}max_?connections",
        r"max_?connections (?:limit )?(?:reached|exceeded)",
        r"connections?,? approaching the (?:maximum|limit)",
        r"connection limit (?:exceeded|reached)",
        r"new connections (?:may|will|are)(?: be)?(?: being)? refused",
    ),
    rule(
        Kind.CONN_REFUSED,
        r"connection refused",
        r"connection to \S+ (?:was |is )?refused",
        r"econnrefused",
        r"actively refused",
        r"connection reset",
        r"econnreset",
        unless=r"probe (?:failed|errored)",
    ),
    rule(
        Kind.CALL_TIMEOUT,
        r"time-?out",
        r"timed[- ]out",
        r"etimedout",
        r"deadline exceeded",
        unless=r"timeout(?:s|seconds|ms)?\W{0,2}[=:]|\btimeouts?=\d|no timeouts?|probe",
        any_level=False,
    ),
    rule(
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
    rule(
        Kind.CERT_FAILURE,
        r"certificate\W+(?:\w+\W+){0,3}(?:expired|invalid|not yet valid)",
        r"x509\b[^\n]{0,120}(?:expired|not (?:yet )?valid|unknown authority|cannot|failed|mismatch|doesn't|is not)",
        r"cert_has_expired",
        r"certificate verify failed",
    ),
    rule(
        Kind.AUTH_FAILURE,
        r"(?:password )?authentication failed",
        r"access denied for user",
        r"invalid (?:credentials|password|api key|token)",
        r"login failed",
        r"\b401 unauthorized",
        r"wrongpass",
        r"noauth",
    ),
    rule(
        Kind.PERMISSION_DENIED,
        r"permission denied",
        r"eacces",
        r"\b403 forbidden",
        r"is forbidden:",
        r"access ?denied",
        r"not authorized to",
        unless=r"denied for user|exceeded quota",
    ),
    rule(
        Kind.ENV_MISSING,
        r"(?:environment variable|env(?:ironment)?[ _]var)\W+(?:\w+\W+){0,4}"
        r"(?:undefined|not set|missing|required|unset|not defined|is empty|not found|must be set)",
        r"(?:missing|undefined|unset|required)\W+(?:\w+\W+){0,2}(?:environment variable|env var)",
        r"\b[A-Z][A-Z0-9]*_[A-Z0-9_]+(?-i:) (?:is|must be|was) (?:undefined|not set|required|unset|set|missing)\b",
        r"keyerror: '[a-z0-9_]+'",
    ),
    rule(
        Kind.COMMAND_MISSING,
        r"command not found",
        r"executable file not found",
        r"exec: \S+ .{0,20}not found",
        r"exec format error",
        r": not found$",
    ),
    rule(
        Kind.FILE_MISSING,
        r"no such file or directory",
        r"enoent",
        r"filenotfound",
        r"cannot open (?:file )?\S+",
        unless=r"executable file",
    ),
    rule(
        Kind.SQL_SYNTAX,
        r"syntax error (?:at or )?near",
        r"error in your sql syntax",
        r"sqlsyntaxerror",
        r"ora-009\d\d",
        r"incorrect syntax near",
    ),
    rule(
        Kind.SCRIPT_SYNTAX,
        r"syntax ?error",
        r"unexpected (?:token|end of file|eof|indent)",
        r"parse error",
        unless=r"syntax error (?:at or )?near|sql",
    ),
    rule(
        Kind.UNIQUE_VIOLATION,
        r"duplicate key",
        r"unique constraint",
        r"unique violation",
        r"duplicate entry",
        r"e11000",
    ),
    rule(
        Kind.SCHEMA_MISSING,
        r"(?:relation|table|column) \S+ (?:does not|doesn't) exist",
        r"no such (?:table|column)",
        r"unknown column",
        r"undefined ?(?:table|column)",
    ),
    rule(
        Kind.BAD_CONFIG,
        r"invalid config\w*",
        r"unknown (?:flag|option|directive|field)",
        r"fail\w* to (?:parse|load|read) config\w*",
        r"configuration error",
        r"invalid value for",
    ),
    rule(
        Kind.DEADLOCK,
        r"deadlock (?:detected|found)",
        r"lock wait timeout",
        r"could not obtain lock",
        r"canceling statement due to lock",
    ),
    rule(
        Kind.DISK_FULL,
        r"no space left",
        r"enospc",
        r"disk (?:is )?full",
        r"storage[- ]full",
        r"storage (?:space )?(?:is )?(?:critically low|exhausted|full)",
        r"could not extend file",
        r"(?:storage|disk)(?: capacity| space)?\W+(?:\S+\W+){0,7}(?:exhausted|has run out|ran out)",
        r"ran out of (?:disk|storage)",
        r"out of (?:disk|storage) space",
        r"insufficient storage",
    ),
    rule(
        Kind.DISK_LOW,
        r"low (?:storage|disk)(?: space)?",
        r"storage space is (?:low|at \d)",
        r"disk usage (?:is )?(?:at|above)",
        unless=r"critically low",
    ),
    rule(
        Kind.READ_ONLY,
        r"read[- ]only (?:transaction|mode|file ?system|option)",
        r"--read-only",
        r"readonlyerror",
    ),
    rule(
        Kind.REPLICATION_BEHIND,
        r"replication lag",
        r"replica lag",
        r"replay (?:is )?(?:behind|lag)",
        r"(?:replica|standby)\W+(?:\w+\W+){0,4}(?:behind|lagging)",
        r"seconds_behind",
    ),
    rule(
        Kind.VACUUM,
        r"vacuum",
    ),
    rule(
        Kind.CHECKPOINT_FREQUENT,
        r"checkpoints?\W+(?:\w+\W+){0,2}(?:too frequently|storm)",
        r"\d+ checkpoints completed",
        r"checkpoint storm",
        r"max_wal_size threshold",
    ),
    rule(
        Kind.FAILOVER,
        r"fail(?:ed)?[- ]?over",
        r"promot(?:ed|ing|ion)\W+(?:\w+\W+){0,4}(?:primary|master|leader|writer)",
        r"role (?:change|switch)",
        r"new primary",
        r"switchover",
        unless=r"successful(?:ly)? tested",
    ),
    rule(
        Kind.DB_RESTART,
        r"(?:db instance|database|server)\W+(?:\w+\W+){0,3}(?:restarted|rebooted|shutdown|shut down|recovery mode)",
        r"crash recovery",
    ),
    rule(
        Kind.HOST_FAILED,
        r"(?:primary|underlying|physical) (?:host|node|instance|hardware)\W+(?:\S+\W+){0,8}(?:fail\w*"
        r"|unresponsive|unreachable|unhealthy)",
        r"hardware (?:fault|failure|degrad\w+)",
    ),
    rule(
        Kind.DB_UNREACHABLE,
        r"(?:unable|fail\w*|could not|cannot|can't|couldn't) (?:to )?(?:connect|reach|open)\w*\W+(?:\w+\W+){0,4}"
        r"(?:database|db|mysql|postgres\w*|server|redis|mongo\w*|broker|host|upstream)",
        r"database (?:is )?(?:unavailable|unreachable|down)",
        r"lost connection to",
        r"communications link failure",
    ),
    rule(
        Kind.CACHE_FAILURE,
        r"(?:redis|memcached?|valkey|cache)\W+(?:\w+\W+){0,5}(?:timeout\w*|unavailable|fail\w*|refused|misconf|oom)",
        any_level=False,
    ),
    rule(
        Kind.QUEUE_LAG,
        r"consumer (?:group )?\W*(?:\S+\W+){0,4}(?:lag|behind|rebalanc)",
        r"(?:queue|topic|backlog)\W+(?:\w+\W+){0,4}(?:growing|full|overflow|exceeded)",
    ),
    rule(
        Kind.RATE_LIMITED,
        r"rate limit",
        r"\b429\b",
        r"too many requests",
        r"throttlingexception",
        r"request was throttled",
        r"quota exceeded for",
    ),
    rule(
        Kind.CALL_STEP,
        r"stored procedure",
        r"(?:executing|running) (?:the )?(?:query|statement)",
        r"(?:fetching|loading|reading) (?:\w+ )?(?:from|using|via)",
        r"(?:calling|requesting|sending request to) \S+",
    ),
    rule(
        Kind.HTTP_5XX,
        r"\b(?:http/\d(?:\.\d)?\"? |status(?:code)?\W{0,2}|[a-z/]+ )5\d\d\b",
        r"\b50[0234] (?:bad gateway|service unavailable|internal server|gateway time)",
        unless=r"probe",
        any_level=False,
    ),
    rule(
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
    rule(
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
    *CLUSTER_RULES,
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
_HOST = r"[ :='\"]+(?:https?://|tcp://|[a-z]+://)?([A-Za-z][A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*)"
_PEERS = tuple(
    re.compile(rf"(?:{cue}){_HOST}")
    for cue in (
        "ENOTFOUND|EAI_AGAIN|UnknownHostException",
        r"\b[Ll]ookup|\b[Rr]esolve(?: host(?:name)?)?",
        r"\b[Cc]onnect(?:ing|ion)? to(?: server(?: at)?)?",
        r"\b[Dd]ial tcp|\b[Hh]ost(?:name)?",
    )
)
_NAMED = re.compile(
    r"(?:\b[Rr]each|\bfrom|\bto|\bupstream|\bcalling) (?:https?://)?([A-Za-z]\w*(?:[.-]\w+)+|[A-Za-z]\w+(?=:\d))"
)
"""After a common word only what is written like a host or a service counts."""
_NOT_PEERS = frozenset(
    [
        "the",
        "a",
        "an",
        "connect",
        "connection",
        "server",
        "database",
        "db",
        "host",
        "upstream",
        "service",
        "server's",
        "tcp",
        "dial",
        "lookup",
        "on",
        "is",
        "was",
        "its",
    ]
)


def peer(text: str) -> str | None:
    """The host or service that a failing call names, most specific cue first."""
    for pattern in (*_PEERS, _NAMED):
        for found in pattern.finditer(text):
            if found.group(1).lower() not in _NOT_PEERS:
                return found.group(1)
    return None


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
