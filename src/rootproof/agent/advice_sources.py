"""The texts of a run by who may have written them: what a piece of advice may take from where."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Final

from rootproof.agent.advice_tokens import COPIED_WORDS, Token, bids, host_of, normal, runs, tokens
from rootproof.agent.grounding.check import check_claim
from rootproof.agent.testimony import observed, sentences, states_diagnosis
from rootproof.domain.claim import CheckedClaim, Citation, Claim, ClaimKind, Verdict
from rootproof.domain.evidence import Evidence, EvidenceClass

Carried = dict[str, tuple[str, ...]]
"""What a text carries and must not, by class, with the evidence that it is from."""

_FREE_TEXT: Final = re.compile(r"\b(?:message|scheduler|event \w+[^:]{0,60}|condition \w+ is \w+): .*", re.DOTALL)
"""Where the words of an object's status or event begin in a cluster fact."""
_PRIVATE: Final = re.compile(r".+\.(?:svc|local|internal|localhost|home\.arpa)")
"""Names that nobody can register: no attacker's host."""
_EDGES: Final = re.compile(r"[\W_]+")
_ADDRESSES: Final = frozenset({"a link", "an e-mail address"})
_COMMAND: Final = "a command"
_QUOTED: Final = re.compile(r"\"[^\"]{1,600}\"|`[^`]{1,600}`")
_SENTENCE_PIECES: Final = 5
_FETCHING: Final = frozenset(
    ["install", "download", "fetch", "pull", "clone", "import", "run", "execute", "apply", "curl", "wget", "pip", "npm"]
)
_COPIED: Final = "words copied from there"
UNPROVEN: Final = "a cause that no supported claim states"
_MARK: Final = re.compile(r"^\(\d\) ")
_SHORT: Final = 3
_LEAST: Final = 5
"""Shorter names are only found as they are written."""
_HOLDS: Final = frozenset({Verdict.SUPPORTED, Verdict.PARTIAL})


class AdviceSources:
    """Answers what a text carries that only attacker-writable text names."""

    def __init__(
        self,
        evidence: Mapping[str, Evidence],
        guidance: Sequence[str],
        checked: Sequence[CheckedClaim],
        *,
        told: Mapping[str, str],
        invents: bool,
    ) -> None:
        self._told = told
        self._evidence = evidence
        self._guidance = guidance
        self._checked = checked
        self._invents = invents

    def advice(self, text: str) -> Carried:
        """What a text that tells people what to do carries and must not."""
        plain = normal(text)
        found = {token.what: self._holders(token) for token in tokens(plain) if self._is_foreign(token)}
        copied = self._copied(plain)
        return found | self.blamed(text) | ({_COPIED: copied} if copied else {})

    def is_claim(self, sentence: str) -> bool:
        """Whether the sentence is, word for word, a claim that holds: what it quotes, it quotes as seen."""
        plain = _MARK.sub("", sentence).strip().rstrip(".")
        return plain in self._claims

    @cached_property
    def _claims(self) -> frozenset[str]:
        return frozenset(
            item.claim.text.strip().rstrip(".")
            for item in self._checked
            if item.claim.kind is not ClaimKind.ACTION and item.verdict is Verdict.SUPPORTED
        )

    def told(self, sentence: str, *, guess: bool = False) -> Carried:
        """The same for a sentence that tells what was seen, or that is said to be a guess.

        Hosts, names and commands may stand in it where a holding claim cites evidence that shows them, unless the
        sentence bids somebody to use them.
        """
        plain = normal(sentence)
        foreign = [token for token in tokens(plain) if self._is_foreign(token)]
        bidding = bool(foreign) and bids(plain)
        found = {
            token.what: self._holders(token)
            for token in foreign
            if token.what in _ADDRESSES or bidding or not _occurs(token.key, self._seen)
        }
        copied = self._copied(normal(_QUOTED.sub(" ", sentence)), self._stated_words)
        blamed = self.blamed(sentence) if not guess or self._is_hearsay(sentence) else {}
        return found | blamed | ({_COPIED: copied} if copied else {})

    def _is_hearsay(self, sentence: str) -> bool:
        """Whether the sentence names a thing that some writable text blames."""
        plain = normal(sentence)
        return any(_occurs(name, plain) and _occurs(name, self._blaming) for name in self._subjects)

    @cached_property
    def _blaming(self) -> str:
        parts = (part for text in self._writable.values() for part in sentences(text))
        return "\n".join(part for part in parts if states_diagnosis(part))

    def blamed(self, sentence: str) -> Carried:
        """Whether the sentence states a diagnosis that no supported cause carries: of a thing that none names."""
        if not states_diagnosis(sentence):
            return {}
        proven = [i.claim for i in self._checked if i.claim.kind is ClaimKind.CAUSE and i.verdict is Verdict.SUPPORTED]
        if any(normal(sentence).rstrip(".") in normal(claim.text) for claim in self._stated):
            return {}
        stated = normal(
            " ".join([claim.text for claim in proven] + [name for claim in proven for name in claim.objects])
        )
        plain = normal(sentence)
        strange = any(_occurs(name, plain) and not _occurs(name, stated) for name in self._subjects)
        cited = tuple(dict.fromkeys(Citation(c.evidence_id) for claim in proven for c in claim.citations))
        if strange or (cited and self._is_denied(Claim("S", ClaimKind.CAUSE, sentence, cited))):
            return {UNPROVEN: ()}
        return {}

    def _is_denied(self, claim: Claim) -> bool:
        return check_claim(claim, self._evidence).verdict not in _HOLDS

    @cached_property
    def _stated(self) -> list[Claim]:
        """What is supported of causes."""
        kinds = (ClaimKind.CAUSE, ClaimKind.RULED_OUT)
        return [i.claim for i in self._checked if i.verdict is Verdict.SUPPORTED and i.claim.kind in kinds]

    @cached_property
    def _subjects(self) -> frozenset[str]:
        """The names of everything that the run's evidence is about."""
        named = {normal(item.subject).split("/", 1)[-1] for item in self._evidence.values() if item.subject}
        return frozenset(name for name in named if len(name) > _SHORT)

    @cached_property
    def _trusted(self) -> str:
        """The texts that may give advice."""
        parts = list(self._guidance)
        for item in self._evidence.values():
            if item.cls is EvidenceClass.GUIDANCE or item.tool == "question":
                parts.append(item.text)
            elif item.tool == "query_cluster" and not _spells(item.subject or ""):
                parts.append(_FREE_TEXT.sub("", item.text))
        return "\n".join([*map(normal, parts), *sorted(self._names)])

    @cached_property
    def _names(self) -> frozenset[str]:
        """What sources call the things they watch: services of logs, objects of the cluster but for pods."""
        named = [item.subject for item in self._evidence.values() if item.tool in ("query_logs", "query_cluster")]
        plain = (normal(name) for name in named if name and not _spells(name))
        return frozenset(name.split("/", 1)[-1] for name in plain if not name.startswith("pod/"))

    @cached_property
    def _writable(self) -> Mapping[str, str]:
        """By evidence id, or by what gave them, the texts that anyone may have written.

        Cluster state counts too: it is trusted where it names a thing as a whole, and not for a piece of a name.
        """
        found = {
            item.id: item.text
            for item in self._evidence.values()
            if item.cls is not EvidenceClass.GUIDANCE
            and item.tool != "question"
            # A past case may repeat this report word for word: whoever reads no words of it has not copied them.
            and (self._invents or item.cls is not EvidenceClass.MEMORY)
        }
        for name, text in self._told.items():
            found[name] = f"{found.get(name, '')} {text}"
        return {name: normal(text.replace("+", " ")) for name, text in found.items()}

    @cached_property
    def _squashed(self) -> Mapping[str, str]:
        return {name: _EDGES.sub("", text) for name, text in self._writable.items()}

    @cached_property
    def _seen(self) -> str:
        """What holding claims cite, without the parts that merely tell."""
        cited = {c.evidence_id for i in self._checked if i.verdict in _HOLDS for c in i.claim.citations}
        return "\n".join(normal(observed(self._evidence[name]).text) for name in sorted(cited & self._evidence.keys()))

    def _is_foreign(self, token: Token) -> bool:
        if self._is_trusted(token):
            return False
        return (self._invents and token.what in _ADDRESSES) or bool(self._holders(token))

    def _is_trusted(self, token: Token) -> bool:
        if _occurs(token.key, self._trusted):
            return True
        host = host_of(token.key) if token.what in _ADDRESSES else token.key
        if host != token.key and _occurs(host, self._trusted):
            return True
        return token.what == "a host" and bool(_PRIVATE.fullmatch(host))

    def _holders(self, token: Token) -> tuple[str, ...]:
        """The evidence whose writable text holds the token."""
        if token.what == _COMMAND:
            mine = (runs(token.key, 3) or {token.key}) - self._trusted_threes
            return tuple(name for name, text in self._writable.items() if any(run in text for run in mine))
        key = host_of(token.key) if token.what in _ADDRESSES else token.key
        squashed = _EDGES.sub("", key)
        return tuple(
            name
            for name, text in self._writable.items()
            if key in text or (len(squashed) >= _LEAST and squashed in self._squashed[name])
        )

    @cached_property
    def _stated_words(self) -> str:
        """The words of the claims that are supported."""
        return " ; ".join(normal(item.claim.text) for item in self._checked if item.verdict is Verdict.SUPPORTED)

    def _copied(self, plain: str, allowed: str = "") -> tuple[str, ...]:
        mine = runs(plain, COPIED_WORDS)
        if not mine:
            return ()
        mine -= self._trusted_runs | runs(allowed, COPIED_WORDS)
        return tuple(name for name, held in self._writable_runs.items() if mine & held)

    @cached_property
    def _trusted_threes(self) -> set[str]:
        return runs(self._trusted, 3)

    @cached_property
    def _trusted_runs(self) -> set[str]:
        return runs(self._trusted, COPIED_WORDS)

    @cached_property
    def _writable_runs(self) -> Mapping[str, set[str]]:
        return {name: runs(text, COPIED_WORDS) for name, text in self._writable.items()}


def _spells(name: str) -> bool:
    """Whether the name of an object is a sentence that tells to fetch or run something."""
    pieces = [piece for piece in _EDGES.split(name.split("/", 1)[-1].lower()) if piece]
    return len(pieces) >= _SENTENCE_PIECES and bool(_FETCHING.intersection(pieces))


def _occurs(key: str, text: str) -> bool:
    """Whether the key stands in the text as a whole."""
    return re.search(rf"(?<![\w.-]){re.escape(key)}(?![\w-])", text) is not None
