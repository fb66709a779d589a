"""Names: which tokens of a claim are identifiers, and whether an evidence item knows them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Final

from rootproof.agent.grounding.text import Kind, Token, parts
from rootproof.agent.grounding.units import RATE_WORDS
from rootproof.agent.grounding.vocabulary import PROSE, STOP
from rootproof.agent.grounding.wordlists import words
from rootproof.agent.grounding.words import concepts_of, is_prose, stem

MAX_NAME_CHARS = 200
_ACRONYMS: Final = words("""
    CPU RAM OOM DNS TLS SSL HTTP HTTPS API DB SQL JVM GC PVC PV IO I/O IOPS QPS RPS TPS SLA SLO UTC GMT
    TCP UDP IP URL JSON YAML CI CD AWS GCP ERROR WARN WARNING INFO DEBUG TRACE FATAL CRITICAL OK NOT NO
    AND OR TTL RSS FD FS HPA VM OS UI ID IDS SRE SSD NFS AZ K8S RPC GRPC REST SSH LB CDN ISP MTU LAN WAN
    VPN PR SHA CRD RBAC SIGTERM P1 P2 P3 CREATE SELECT INSERT UPDATE DELETE GET POST PUT PATCH DROP
    ALTER MAX MIN AVG
""")
_PRODUCTS: Final = words("""
    mysql postgresql mariadb rabbitmq mongodb graphql javascript typescript github gitlab opensearch
    dynamodb elasticsearch cockroachdb clickhouse grpc ipv4 ipv6 oauth oauth2 jwt http2 k8s kubernetes
    java python nodejs golang nginx haproxy envoy istio linux docker containerd
""")
_HYPHEN_WORDS: Final = words("""
    non re pre post multi over under self high low long short full half well per end out in up down back
    time read write first last cross single double fail client server user customer side level based
    only wide related specific running free off on facing bound induced triggered driven killed kill of
    to by looping loop memory cpu disk network dns i o day week hour minute second month one two three
    four five six seven eight nine ten fold digit step stage tier ready lived timed timing scoped aware
    heavy light hungry backed like style type node pod container request response error warning log
    point peak average mean max min old new hot cold warm near real all every no not sub super mid so
    called known limit limited rate backoff back-off timeout time-out follow start stop restart restarts
    roll rolling build built set unset key value pair opt ad hoc vice versa on-call call check health
    up-to-date date stale clean dirty working stop-the-world world the open closed circuit breaker round
    trip hand blast radius root cause right left connection connections pool pooled query queries lock
    locks cache image pull config storage database db certificate queue thread traffic retry deploy lag
    latency replica primary consumer producer scheduling quota probe failing crashing waiting starved
    bad good wrong still ever never
""")
KIND_WORDS: Final = words("""
    pod app deployment statefulset daemonset service node namespace container job workload configmap
    secret persistentvolumeclaim pvc change event cluster
""")
_COUNTED: Final = words("""
    tier top phase step stage level part round day week non half sub pre post
""")
_PLURAL_ACRONYM = re.compile(r"[A-Z]{2,6}s")
_IP = re.compile(r"[0-9]{1,3}(?:\.[0-9]{1,3}){3}(?::[0-9]{1,5})?")
_ABBREVIATIONS: Final = words("e.g i.e etc vs a.m p.m cf u.s")
_INNER_CAPITAL = re.compile(r"[a-z0-9][A-Z]|[A-Z]{2,}[a-z]")
_PERCENTILE = re.compile(r"p[0-9]{2,4}|[1-9]xx", re.IGNORECASE)
_EVIDENCE_ID = re.compile(r"E[1-9][0-9]{0,5}")
_PLACEHOLDER = re.compile(r"<([a-z][a-z0-9_]*)(?::([^<>]*))?>")
_ORDINAL = re.compile(r"[0-9]{1,2}(?:st|nd|rd|th)")


def is_evidence_reference(token: Token) -> bool:
    """Whether a token is an evidence id written into the sentence, as in `(E3)`."""
    return token.kind is Kind.WORD and _EVIDENCE_ID.fullmatch(token.text) is not None


def is_identifier(token: Token, lexicon: frozenset[str]) -> bool:
    """Whether a claim's token names one certain thing: by its shape, or because evidence of the run is about
    that name.
    """
    text = token.text
    if token.kind is Kind.PLACEHOLDER or token.kind is Kind.PATH:
        return True
    if token.kind is Kind.NUMBER:
        return _PERCENTILE.fullmatch(text) is not None
    if token.kind is not Kind.WORD or is_evidence_reference(token) or _ORDINAL.fullmatch(text):
        return False
    if text in lexicon:
        return text not in STOP and text not in PROSE and text not in _ACRONYMS
    if (
        text.upper() in _ACRONYMS
        or text.lower() in _PRODUCTS
        or text.lower() in _ABBREVIATIONS
        or text.lower() in RATE_WORDS
    ):
        return False
    return _has_name_shape(text)


def _has_name_shape(text: str) -> bool:
    if _PERCENTILE.fullmatch(text):
        return True
    if "_" in text.strip("_") or "/" in text or "@" in text or ":" in text:
        return True
    if "." in text.strip("."):
        return any(char.isalnum() for char in text)
    if "-" in text:
        return _hyphenated_name(text)
    if any(char.isdigit() for char in text):
        return any(char.isalpha() for char in text) and len(text) > 2
    if _INNER_CAPITAL.search(text):
        return _PLURAL_ACRONYM.fullmatch(text) is None
    return text.isupper() and len(text) >= 5


def _hyphenated_name(text: str) -> bool:
    pieces = text.lower().split("-")
    if any(any(char.isdigit() for char in piece) for piece in pieces):
        return not pieces[0].isdigit() and pieces[0] not in _COUNTED
    if text.lower() != text and text[0].islower():
        return True
    return not any(piece in _HYPHEN_WORDS or is_prose(piece) or piece.endswith(("ing", "ed")) for piece in pieces) or (
        pieces[-1] in _SERVICE_ENDINGS
        and pieces[0] not in {"non", "multi", "per", "cross", "client", "server"} | {"pre", "post"}
    )


_SERVICE_ENDINGS: Final = words("""
    api service svc db worker workers web gateway proxy backend frontend cron ui app scheduler
    controller store bus broker auth primary replica standby prod staging
""")

_HASHES = re.compile(
    r"(?:-(?:[a-z0-9]{1,10}[0-9][a-z0-9]{0,9}|[bcdfghjklmnpqrstvwxz2456789]{5}|[0-9]+|replica|primary|standby|secondary|master|leader))+$"
)


@lru_cache(maxsize=20_000)
def stems_of_name(name: str) -> frozenset[str]:
    """What else a name is known as: the name in a placeholder, without replica number or pod hash, after its kind."""
    found = {name}
    if len(name) > MAX_NAME_CHARS:
        return frozenset(found)
    held = _PLACEHOLDER.fullmatch(name)
    if held and held[2]:
        found.add(held[2])
        name = held[2]
    if "/" in name and not name.startswith("/"):
        tail = name.rsplit("/", 1)[1]
        found.add(tail)
        name = tail if len(tail) > 1 else name
    shorter = _HASHES.sub("", name)
    if len(shorter) >= 2:
        found.add(shorter)
    if ":" in name:
        found.add(name.split(":", 1)[0])
    if "." in name and not _IP.fullmatch(name):
        found.add(name.split(".", 1)[0])
    return frozenset(found)


_DETERMINERS: Final = words("the a an its this that each every no any their")


def is_common_use(tokens: Sequence[Token], position: int) -> bool:
    """Whether a word that is some service's name is used as an ordinary one: `the cache is`, but not `the
    cache service`.
    """
    token = tokens[position]
    if not token.text.isalpha() or not token.text.islower() or not concepts_of(token.text):
        return False
    following = tokens[position + 1].lower if position + 1 < len(tokens) else ""
    return position > 0 and tokens[position - 1].lower in _DETERMINERS and following.rstrip("s") not in KIND_WORDS


def names_in(tokens: Sequence[Token]) -> frozenset[str]:
    """Every token of an evidence text that may serve as a name, as written, with the pieces joined by `:` and `/`."""
    found: set[str] = set()
    for token in tokens:
        if token.kind in {Kind.WORD, Kind.PLACEHOLDER, Kind.PATH} or (
            token.kind is Kind.NUMBER and _PERCENTILE.fullmatch(token.text)
        ):
            found.add(token.text)
            if "://" in token.text:
                found |= _url_names(token.text)
            if token.kind is Kind.WORD and (":" in token.text or "/" in token.text or "@" in token.text):
                found.update(piece for piece in re.split(r"[:/@]", token.text) if piece)
            if token.kind is Kind.WORD and "." in token.text:
                found.add(token.text.rsplit(".", 1)[1])
    return frozenset(found)


def _url_names(url: str) -> set[str]:
    """Host with and without its port, and the path, of a URL."""
    rest = url.split("://", 1)[1]
    host, slash, path = rest.partition("/")
    host = host.rsplit("@", 1)[-1]
    return {each for each in (host, host.split(":", 1)[0], slash + path.split("?", 1)[0]) if len(each) > 1}


def knows(name: str, names: frozenset[str], aliases: frozenset[str]) -> bool:
    """Whether a name of a claim is one of an item's names: exactly, by its family name, or in another case
    where the claim writes prose.

    `aliases` are the `stems_of_name` of the item's names.
    """
    if name in names or name in aliases:
        return True
    if len(name) > 4 and name.endswith("s") and not name.endswith("ss") and name[:-1] in names | aliases:
        return True
    if len(name) >= 4 and any(char.isdigit() for char in name) and any(each.endswith(f"-{name}") for each in names):
        return True
    if name.isalpha() and name.islower() and any(name in parts(each) for each in names):
        return True
    if any(each in names for each in stems_of_name(name) if each != name and _same_thing(name, each)):
        return True
    if _PERCENTILE.fullmatch(name):
        lowered = name.lower()
        return any(lowered == each.lower() or lowered in parts_joined(each) for each in names)
    if "_" in name and any(f"_{name}" in each or f"{name}_" in each for each in names):
        return any(re.search(rf"(?<![A-Za-z0-9]){re.escape(name)}(?![A-Za-z0-9])", each) for each in names)
    plain = name.replace("-", "").replace("_", "").lower()
    return any(each.replace("-", "").replace("_", "").lower() == plain for each in names if len(each) <= len(name) + 4)


@lru_cache(maxsize=20_000)
def parts_joined(name: str) -> frozenset[str]:
    """Neighbouring parts of a name joined: `latency_p99` -> p99."""
    pieces = parts(name)
    return frozenset(left + right for left, right in itertools.pairwise(pieces))


def _same_thing(name: str, shorter: str) -> bool:
    """Whether leaving off a kind (`pod/x`) or a placeholder's brackets keeps the thing; leaving off a number
    does not.
    """
    return name.endswith("/" + shorter) or (name.startswith("<") and name.endswith(f":{shorter}>"))


def lexicon(subjects: Iterable[str]) -> frozenset[str]:
    """The names that evidence of a run is about, and what else they are known as; ordinary words are left out."""
    found: set[str] = set()
    for subject in subjects:
        for each in stems_of_name(subject):
            if (
                len(each) >= 2
                and not each.isdigit()
                and each not in KIND_WORDS
                and not (each.islower() and (each in STOP or each in PROSE))
            ):
                found.add(each)
    return frozenset(found)


def is_ordinary(word: str) -> bool:
    """Whether a lower-case word is known English of this field, so that it is no unknown name."""
    return is_prose(word) or bool(concepts_of(word)) or bool(concepts_of(stem(word)))
