"""What a run is given of its session."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

from rootproof.domain.evidence import Evidence
from rootproof.ports.session_context import MessagePair


@dataclass(frozen=True, slots=True)
class SessionHistory:
    """Questions and answers, evidence of the runs that the question names, and what is to be said about both."""

    pairs: tuple[MessagePair, ...] = ()
    """Oldest first; identifiers as their owner knows them."""
    evidence: tuple[Evidence, ...] = ()
    """Named `run-<id>:E3`; identifiers as their owner knows them."""
    notes: tuple[str, ...] = ()
    """For the coverage."""


def digest(pair: MessagePair) -> str:
    """The SHA-256 of a pair's words, hexadecimal."""
    words = json.dumps([pair.run_id, pair.question, pair.answer], ensure_ascii=False)
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest()
