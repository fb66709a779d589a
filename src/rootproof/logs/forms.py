"""How likely a word of a shape is a value, told from its own form and from what stands beside it.

Nothing here knows a system: the rules are about quotes, brackets, `key=value`, prepositions and the spelling of
identifiers. Words that say how something went are never values.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from enum import IntEnum
from functools import lru_cache
from typing import NamedTuple

from rootproof.logs.masking import GLUE, is_mark
from rootproof.logs.wordlists import CUES, FUNCTION_WORDS, STATE_WORDS, STRONG_CUES

_STATE_LABELS = ("state", "status", "phase", "health")
_EDGES = "\x02([{<\"'`)]}>,;:.!?*"
_LETTER = re.compile(r"[A-Za-z]")
_SEPARATOR = re.compile(r"[-_.$@/\\]")
_HUMP = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_LAST_HUMP = re.compile(r"(?<=[a-z])[A-Z][a-z]+(?=\W*$)")
_RAISED = re.compile(r"[A-Za-z](?:Exception|Error)(?![A-Za-z])")
_QUOTED = re.compile(r"""[(\[{<]?(?:"[^"]*"|'[^']*'|`[^`]*`)[)\]}>,;:.!?]*""", re.DOTALL)
_BRACKETED = re.compile(r"\([^()]*\)[,;:.]?|\[[^\[\]]*\][,;:.]?|<[^<>]*>[,;:.]?", re.DOTALL)
_BETWEEN_NAMES = re.compile(r"[/.:@,|]+")
_NAME = re.compile(r"[A-Z][\w'\-]*(?: [A-Z][\w'\-]*)+")
_REMEMBERED = 1 << 18


class Form(IntEnum):
    """The form of one word."""

    MARK = -1
    """No word, but a value already."""
    FIXED = 0
    """Stays whatever stands beside it: a state, a function word, the name of an exception, a label."""
    CAPITALS = 1
    PLAIN = 2
    IDENTIFIER = 3
    BRACKETED = 4
    QUOTED = 5


class Soft(IntEnum):
    """How strongly the neighbours and the form say that a value stands here."""

    NO = 0
    WEAK = 1
    STRONG = 2
    KEYED = 3


class Look(NamedTuple):
    """What can be told from one part alone."""

    form: Form
    bare: str
    """The part without the punctuation around it, in small letters."""
    names: tuple[str, ...]
    """The names a compound one is made of (`shop/cart`), else none."""
    wordy: bool
    """Whether it holds a word that stays."""
    glued: bool
    key: bool
    """Whether it is the `key=` of what follows."""
    label: bool
    cue: bool
    strong_cue: bool
    state_label: bool
    """Whether what follows it is a state (`state=`, `podStatus:`)."""
    opens: bool
    """Whether it is a name before a bracket or `#`, as in `worker[12]`."""

    def is_known(self, known: Collection[str]) -> bool:
        """Whether this part, or each of the names it is made of, was a value elsewhere."""
        return self.bare in known or (bool(self.names) and all(name in known for name in self.names))

    @property
    def states(self) -> bool:
        """Whether it says how something went."""
        return self.bare in STATE_WORDS


@lru_cache(maxsize=_REMEMBERED)
def look(part: str) -> Look:
    """What can be told from `part` alone."""
    bare = part.strip(_EDGES).lower()
    cue = part.strip("([\"'").lower()
    names = tuple(filter(None, _BETWEEN_NAMES.split(bare))) if _BETWEEN_NAMES.search(bare) else ()
    return Look(
        form=Form.MARK if is_mark(part) else _form(part, bare),
        bare=bare,
        names=names,
        wordy=sum(map(str.isalpha, part)) >= 2,
        glued=part.startswith(GLUE),
        key=part.endswith("="),
        label=part.endswith(":"),
        cue=cue in CUES,
        strong_cue=cue in STRONG_CUES,
        state_label=part.rstrip("=:").lower().endswith(_STATE_LABELS),
        opens=part.endswith(("(", "[", "#", "@")),
    )


def _form(part: str, bare: str) -> Form:
    if part.endswith("=") or bare in STATE_WORDS or _RAISED.search(part):
        return Form.FIXED
    core = part.strip(_EDGES)
    if "()" in part or not core.strip("-") or (bare in FUNCTION_WORDS and not core.isupper()):
        return Form.FIXED
    text = part.removeprefix(GLUE)
    if _QUOTED.fullmatch(text):
        return Form.QUOTED
    if _BRACKETED.fullmatch(text):
        return Form.BRACKETED
    if core.isalpha() and not _HUMP.search(core):
        return Form.CAPITALS if core.isupper() else Form.PLAIN
    if not any(map(str.isalpha, core)):
        return Form.FIXED
    if hump := _LAST_HUMP.search(core):
        return Form.FIXED if hump[0].lower() in STATE_WORDS else Form.IDENTIFIER
    if _HUMP.search(core) or _separated(core) or _NAME.fullmatch(core):
        return Form.IDENTIFIER
    return Form.CAPITALS if core.isupper() else Form.PLAIN


def _separated(core: str) -> bool:
    """Whether a separator stands between letters."""
    first, last = _LETTER.search(core), _LETTER.search(core[::-1])
    return bool(first and last and _SEPARATOR.search(core, first.end(), len(core) - last.end()))


def softness(looks: Sequence[Look], at: int, known: Collection[str], *, beside: bool) -> Soft:
    """How much the part at `at` looks like a value.

    `known` are words that were values elsewhere; `beside` says whether to stand beside a value counts.
    """
    own = looks[at]
    if own.form <= Form.FIXED or says_state(looks, at):
        return Soft.NO
    if own.glued:
        if own.form is Form.CAPITALS:
            return Soft.WEAK
        return Soft.KEYED if looks[at - 1].key else Soft.STRONG
    if known and own.is_known(known):
        return Soft.STRONG
    if own.opens and at + 1 < len(looks) and looks[at + 1].form is Form.MARK and looks[at + 1].glued:
        return Soft.WEAK
    if at == 0 or own.form is Form.CAPITALS:
        return Soft.NO
    before = looks[at - 1]
    if before.key:
        return Soft.KEYED
    if own.form is Form.QUOTED:
        return Soft.STRONG
    if own.label:
        return Soft.NO
    if own.form is Form.IDENTIFIER and before.strong_cue:
        return Soft.STRONG
    cued = expected(looks, at) if beside else before.label or before.cue
    return Soft.WEAK if own.form > Form.PLAIN or cued else Soft.NO


def says_state(looks: Sequence[Look], at: int) -> bool:
    """Whether a label before `at` (`state=`, `state change:`) says that a state stands there."""
    if at == 0:
        return False
    before = looks[at - 1]
    return before.state_label or (before.label and at > 1 and looks[at - 2].bare in _STATE_LABELS)


def expected(looks: Sequence[Look], at: int) -> bool:
    """Whether a value is expected at `at` (not the first): after a label or a cue, or beside a value."""
    before = looks[at - 1]
    if before.label or before.key or before.cue or before.form is Form.MARK:
        return True
    return at + 1 < len(looks) and looks[at + 1].form is Form.MARK
