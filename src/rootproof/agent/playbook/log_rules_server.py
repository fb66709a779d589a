"""What a database server says of its own transactions, its log and its locks."""

from __future__ import annotations

from rootproof.agent.playbook.log_rule import LogRule, rule
from rootproof.agent.playbook.signals import Kind

_ADVICE = r"might also need|you may need|consider|routine"

SERVER_RULES: tuple[LogRule, ...] = (
    rule(
        Kind.WRAPAROUND,
        r"must be vacuumed within \d",
        r"transaction[- ]id wraparound",
        r"(?:avoid|risk of|approach\w*|near\w*|close to|before) (?:\w+ ){0,4}wraparound",
        r"not accepting commands\b",
        r"oldest (?:xmin|multixact) is far in the past",
        r"(?:xid|datfrozenxid|relfrozenxid) age\W+(?:\w+\W+){0,4}\d{10}",
        unless=r"automatic (?:aggressive )?vacuum|autovacuum: |\bno (?:risk|danger)",
    ),
    rule(
        Kind.PREPARED_TRANSACTION,
        r"pg_prepared_xacts\W+(?:holds|has|lists|shows|contains)",
        r"(?:orphaned|stale|abandoned|forgotten|open|old) prepared (?:xact|transaction)s?",
        r"prepared transaction\W+(?:\S+\W+){0,8}(?:since|age|open|held|holds|prepared|old)\b",
        unless=_ADVICE,
    ),
    rule(
        Kind.SLOT_INACTIVE,
        r"slot \S{1,80}(?: \(\w{1,20}\))? (?:is |was |has been |became )?(?:now )?(?:inactive|not active|unused)",
        r"inactive (?:logical |physical )?(?:replication )?slot",
        r"slot\W+(?:\S+\W+){0,10}active ?[=:] ?(?:f|false|no)\b",
        r"slot\W+(?:\S+\W+){0,6}(?:no|without an?) (?:active )?(?:consumer|subscriber|reader|walsender)",
        r"wal is (?:being )?(?:retained|kept|held) for",
        unless=_ADVICE,
    ),
    rule(
        Kind.RECOVERY_CONFLICT,
        r"recovery conflict",
        r"conflict(?:s|ed|ing)? with recovery",
        r"recovery (?:is )?still waiting",
        r"\bconflicting process(?:es)?: \d",
        r"replay\W+(?:\w+\W+){0,3}(?:stopped|stalled|blocked|halted|stuck)\b",
        r"(?:sql|applier|apply) thread\W+(?:\w+\W+){0,4}(?:waiting for|blocked)\W+(?:\w+\W+){0,4}lock",
    ),
    rule(
        Kind.LOCK_HOLDER,
        r"process(?:es)? holding the lock: ",
        r"blocked by (?:process|pid|session|transaction|spid|thread|connection)s? \W?[\dx<]",
        r"blocking[_ ](?:pids?|process|session|spid|transaction|thread)\W{1,3}[\d<]",
        r"idle in transaction\b.{0,160}\bholds?\b.{0,80}\block",
        r"\bholds? (?:an? |the )?\S*(?:exclusive|share|metadata)\S* ?lock",
        r"\bholds? (?:back )?(?:\w+ ){0,3}(?:snapshot|xmin|horizon)\b",
        unless=r"deadlock",
    ),
)
