"""Redaction: secrets and identifiers leave a text before a model, a log or a store sees it. Pure, linear in time.

Redact the complete text first, then cut it: see `redactor`.
"""

from rootproof.redaction.credentials import names_credential, structure_without_credentials, without_credentials
from rootproof.redaction.finding import PLACEHOLDER, Finding, FindingClass
from rootproof.redaction.machines import workload_stem
from rootproof.redaction.numbering import Numbering
from rootproof.redaction.policy import HIDE_ALL, IDENTIFIER_CLASSES, Policy, parse_policy
from rootproof.redaction.redactor import Placeholder, find, redact, redact_structure
from rootproof.redaction.unseen import hidden_tags, visible

__all__ = [
    "HIDE_ALL",
    "IDENTIFIER_CLASSES",
    "PLACEHOLDER",
    "Finding",
    "FindingClass",
    "Numbering",
    "Placeholder",
    "Policy",
    "find",
    "hidden_tags",
    "names_credential",
    "parse_policy",
    "redact",
    "redact_structure",
    "structure_without_credentials",
    "visible",
    "without_credentials",
    "workload_stem",
]
