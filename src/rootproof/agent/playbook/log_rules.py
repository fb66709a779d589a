"""Which words in a log line mean what: one table, linear patterns, no names of anybody's services.

A line may mean several things. Rules that are not `any_level` are only read from lines that are not routine (level
WARN or worse, or no level but error words): their words also occur in healthy talk. The others mean what they say.
"""

from __future__ import annotations

import re

from rootproof.agent.playbook.log_rule import LogRule, rule
from rootproof.agent.playbook.log_rules_cluster import CLUSTER_RULES
from rootproof.agent.playbook.log_rules_database import DATABASE_RULES
from rootproof.agent.playbook.log_rules_server import SERVER_RULES
from rootproof.agent.playbook.signals import Kind

_CALM = r"\b(?:no|zero|0|without|not)\s+(?:\w+\s+)?(?:errors?|failures?|restarts?)\b"

_OVER = (
    r"\bback (?:below|under|above|over|within|to normal|in sync|to (?:its |the )?(?:usual|baseline))\b"
    r"|\b(?:has |have |is |now |fully )?caught up\b(?! (?:in|on)\b)"
    r"|\breturned to (?:ready|normal|(?:its |the )?(?:usual|baseline)|service|below|under|within|below)\b"
    r"|\bno longer (?:above|below|exceed\w*|over|behind|lagging|waiting|blocked|throttled|full|failing|under pressure"
    r"|unhealthy|unreachable|degraded|reproducible|firing)\b"
    r"|\b(?:alarm|alert|incident|condition|issue|problem|pressure|error|fault|outage)s? (?:\S+ ){0,3}?"
    r"(?:(?:is|was|has|have|were|been|now) ){0,2}(?:cleared|resolved)\b"
)
"""Words that tell of an end."""
_NOT_OVER = (
    r"\b(?:not|never|hasn't|haven't|isn't|until|unless|before|once|when|if|fail\w* to|unable to|cannot|can't"
    r"|waiting (?:for|to)|trying to|would|should|will) (?:\S+ ){0,5}?(?:back|caught|returned|cleared|resolved)\b"
    r"|\bstill\b|\bbut\b|\bhowever\b|\bagain\b|\bdropped back\b"
)
_GOOD_WHEN_HIGH = re.compile(
    r"\bfree|\bavailable|\bremaining|\bhit (?:rate|ratio)|\bcredits?\b|\bheadroom", re.IGNORECASE
)
_BACK_DOWN = re.compile(r"\bback (?:below|under)\b|\breturned to (?:below|under)\b", re.IGNORECASE)
_BACK_UP = re.compile(r"\bback (?:above|over)\b", re.IGNORECASE)

LOG_RULES: tuple[LogRule, ...] = (
    rule(
        Kind.OOM,
        r"out of memory",
        r"oom[-_ ]?kill",
        r"killed process \S+",
        r"cgroup oom",
        unless=r"out of memory allocating|aborting|heap out of memory",
    ),
    rule(
        Kind.OOM_ABORT,
        r"out of memory allocating",
        r"abort\w*\W+(?:\w+\W+){0,4}out of memory",
        r"out of memory\W+(?:\w+\W+){0,4}abort",
        r"javascript heap out of memory",
        r"fatal error: (?:runtime: )?out of memory",
        r"std::bad_alloc",
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
        unless=r"timeout(?:s|seconds|ms)?\W{0,2}[=:]|\btimeouts?=\d|no timeouts?|probe"
        r"|(?:statement|lock(?: wait)?|lock-wait) timeout",
        any_level=False,
    ),
    rule(
        Kind.DNS_FAILURE,
        r"enotfound",
        r"eai_again",
        r"getaddrinfo",
        r"no such host",
        r"name or service not known",
        r"(?:could not|unable to|failed to|cannot) resolve(?! (?:the |all )?(?:placeholder|depend|module|type|symbol"
        r"|import|reference|conflict|property|plugin|class|config|secret|issue))",
        r"temporary failure in name resolution",
        r"nxdomain",
        r"servfail",
        r"unknownhost",
        r"nodename nor servname",
        r"host not found",
        r"name resolution",
        r"dns (?:lookup|resolution)?\W*(?:fail|error|time)",
        r"lookup (?!failed|error)\S+(?: on \S+)?: ",
        r"\b(?:dns|host\w*|name|address|domain|srv)\W+lookup failed",
        r"(?<!\w )(?<!-)\blookup failed",
        unless=r"\" nxdomain |nxdomain qr,|reply \S+ is nxdomain",
    ),
    rule(
        Kind.CERT_FAILURE,
        r"certificate\W+(?:\w+\W+){0,3}(?:expired|invalid|not yet valid)",
        r"x509\b[^\n]{0,120}(?:expired|not (?:yet )?valid|unknown authority|cannot|failed|mismatch|doesn't|is not)",
        r"certificate is (?:only )?valid for",
        r"certificate (?:name )?(?:mismatch|does not match|doesn't match)",
        r"does not match certificate'?s?",
        r"no (?:alternative )?(?:certificate )?subject (?:alternative )?name\w* match",
        r"no subject alternative",
        r"cert_has_expired",
        r"certificate_expired",
        r"sec_error_(?:expired|unknown)\w*",
        r"ssl certificate verify error",
        r"(?:clock|time) (?:is )?(?:before|after) (?:the )?certificate",
        r"err_cert_\w+",
        r"certificate(?:expired|notyetvalid)exception",
        r"pkix path (?:validation|building) failed",
        r"certpathvalidatorexception",
        r"\bnot ?after: ",
        r"alert (?:bad certificate|certificate (?:expired|revoked|unknown))",
        r"self[- ]signed certificate",
        r"unable to (?:get local issuer|verify the first) certificate",
        r"certificate is not trusted",
        r"certificate verify failed",
    ),
    rule(
        Kind.AUTH_FAILURE,
        r"(?:password )?authentication failed",
        r"access denied for user",
        r"invalid (?:credentials|password|api key|token)",
        r"login failed(?!\W+(?:\w+\W+){0,3}(?:connection slots|too many))",
        r"\b401 unauthorized",
        r"wrongpass",
        r"noauth",
    ),
    rule(
        # What may not be done, and to what, says more than that something was refused.
        Kind.PERMISSION_DENIED,
        r"not authorized to perform: \S+",
        r"cannot (?:get|list|watch|create|update|patch|delete) resource \W?\w+",
        r"(?:user|role|account) \S+ (?:does not|lacks|doesn't) (?:have )?(?:the )?\S+ permission",
        r"permission \S+ (?:denied|is required|missing)",
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
        r"keyerror: '(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)'",
        r"(?:required|missing) (?:key|setting|variable|config(?:uration)?(?: key| value)?|env) \W?"
        r"(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)",
        r"\b(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\W{1,3}(?:is |was |must be |has )?(?:missing|required"
        r"|not (?:set|defined|provided|found)|unset|undefined|unbound variable|parameter (?:null or )?not set|no value"
        r"|empty)\b",
        r"(?:set|define|provide|specify) (?:the )?(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+) env(?:ironment)?[ _]var",
        r"could not resolve placeholder '(?-i:[A-Z][A-Z0-9_]+)'",
        r"key not found: \W?(?-i:[A-Z][A-Z0-9_]+)",
        r"(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)\W+field required",
        r"missing required (?:environment|env|config\w*|setting)\w*",
        r"no (?:value|default) (?:for|given for|set for) (?:required )?(?:variable |setting )?"
        r"(?-i:[A-Z][A-Z0-9]*_[A-Z0-9_]+)",
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
        r"unknown (?:shorthand )?(?:flag|option|argument|directive|field|command line option)",
        r"(?:flag|option|argument) provided but not defined",
        r"unrecogni[sz]ed (?:command[- ]line )?(?:flag|option|argument|parameter)s?",
        r"no such (?:flag|option)\b",
        r"(?:invalid|illegal|unexpected) (?:flag|option|argument) \W?-",
        r"found argument '\S+' which wasn't expected",
        r"flag redefined|flag needs an argument",
        r"fail\w* to (?:parse|load|read) (?:the )?config\w*",
        r"(?:could not|cannot|can't|unable to) (?:parse|load|read) (?:the )?(?:\S+ )?config\w*",
        r"config\w*(?: file)? (?:is (?:invalid|malformed)|validation (?:failed|error))",
        r"failed to bind properties|improperlyconfigured",
        r"yaml: (?:line \d+|unmarshal)|yaml\.(?:scanner|parser)\w*|tomldecodeerror",
        r"configuration error",
        r"invalid value for",
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
        r"\b(?:http(?:/\d(?:\.\d)?)?\"? |(?:status|code)(?: ?code)?\W{0,3}|(?:returned|responded|answered|got|received"
        r"|gave|with|response|reply|error) (?:with |a |an |http )*|(?:get|post|put|patch|delete|head) \S+(?: http/\S+)?"
        r"\W{1,4})"
        r"5\d\d\b(?! ?(?:ms|s|msec|sec|seconds|bytes|kb|mb|rows|items|records|entries|messages)\b)",
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
        _OVER,
        unless=_NOT_OVER,
    ),
    *DATABASE_RULES,
    *SERVER_RULES,
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
_ENDS = re.compile(_OVER, re.IGNORECASE)
_GOES_ON = re.compile(_NOT_OVER, re.IGNORECASE)


def is_over(text: str) -> bool:
    """Whether a line tells of the end of what it names: of a low that is left, or of a high that is left."""
    if not _ENDS.search(text) or _GOES_ON.search(text):
        return False
    wanted_high = bool(_GOOD_WHEN_HIGH.search(text))
    return not (_BACK_DOWN if wanted_high else _BACK_UP).search(text)
