"""Texts from outside cut to a length before they are redacted: never inside what may be a token."""

from __future__ import annotations

import string
from typing import Final

_OF_TOKENS: Final = string.ascii_letters + string.digits + "_.+/=~%:@!$-"


def within(text: str, most: int) -> str:
    """The beginning of `text`, at most `most` characters, that ends before the word in which the limit falls.

    Half a secret is not recognised as one, so what is cut first and redacted later must be cut between words.
    """
    return text if len(text) <= most else text[:most].rstrip(_OF_TOKENS)
