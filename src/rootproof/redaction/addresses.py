"""Identifiers with a shape of their own: IP and MAC addresses, e-mail addresses, card, account and phone numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import AddressValueError, IPv6Address
from typing import Final

from rootproof.redaction.finding import Span
from rootproof.redaction.measure import Measure
from rootproof.redaction.wordset import word_set

_OCTET: Final = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
# A pattern that starts with a set of characters is searched much faster than one that starts with a look behind; so the
# look behind comes after the first character.
_IPV4: Final = re.compile(r"\d(?<![\d.].)\d{0,2}(?:\.\d{1,3}){3}(?!\w|\.\d|-\d)", re.ASCII)
_OCTETS: Final = re.compile(rf"{_OCTET}(?:\.{_OCTET}){{3}}\Z", re.ASCII)
_GLUED: Final = re.compile(r"(?<!\\)[\w.]\Z|[\d.]\Z|\d-\Z|\\[^nrt]\Z", re.ASCII)
_WORD_BEFORE: Final = re.compile(r"([A-Za-z][A-Za-z0-9_.+-]*)[ \t=:/\"']{1,3}\Z")
_VERSION_WORDS: Final = word_set(
    """
    v version versions ver release rev revision build kernel driver firmware agent fileversion productversion
    assemblyversion appversion upgrade upgraded upgrading protocol schema chart app tag semver oid
    """
)
_NETWORK_WORDS: Final = word_set(
    """
    from to by at host hostname peer addr address client ip server upstream src dst source destination via for
    with connect connection connected connecting user node remote local on and or listen listening bind gateway
    dns nameserver rhost of route master replica primary leader follower broker endpoint target proxy forwarded
    request accepted between lease router subnet cidr blocked banned ban unban ping http https tcp udp tls is
    nxdomain contact reach dial resolved
    """
)
_IPV6: Final = re.compile(
    r"(?<![\w:.])(?:[0-9A-Fa-f]{1,4}:|:(?=:)){1,8}:?(?:[0-9A-Fa-f]{1,4}(?::[0-9A-Fa-f]{1,4}){0,7})?"
    r"(?:(?<=:)\d{1,3}(?:\.\d{1,3}){3})?(?![\w:])",
    re.ASCII,
)
_MAC: Final = re.compile(
    r"[0-9A-Fa-f](?<![\w:-].)[0-9A-Fa-f]([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}(?![\w:-])", re.ASCII
)
_DOTTED_MAC: Final = re.compile(r"\.[0-9A-Fa-f]{4}\.(?=[0-9A-Fa-f]{4}(?![\w.-]))", re.ASCII)
_FOUR_HEX: Final = re.compile(r"(?<![\w.-])[0-9A-Fa-f]{4}\Z", re.ASCII)
_EMAIL: Final = re.compile(
    r"(?<![\w.+%~-])(?P<user>[\w.+%~'-]{1,64})(?:@|%40)"
    r"(?P<domain>(?:[A-Za-z0-9](?:[A-Za-z0-9-]{0,62})\.){1,8}(?P<tld>[A-Za-z]{2,24}))(?![\w-])"
)
_NOT_TLDS: Final = word_set(
    """
    service socket timer target mount automount slice scope device path swap final release jar js ts py go java
    git snapshot beta alpha dev rc png jpg svg css html conf json yaml yml
    """
)
_CARD: Final = re.compile(
    r"[2-6](?<![\w.+-].)\d{3}[ -]?(?:\d{4}[ -]?\d{4}[ -]?\d{1,7}+|\d{6}[ -]?\d{4,5}+)(?![\w-]|\.\d)", re.ASCII
)
_CARD_HINT: Final = re.compile(r"[2-6]\d{3}[ -]?\d{4}[ -]?\d", re.ASCII)
_CARD_BRANDS: Final = re.compile(
    r"4\d{12}(?:\d{3})?\Z|(?:5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}\Z|3[47]\d{13}\Z|6(?:011|5\d\d|4[4-9]\d)\d{12}\Z"
    r"|35(?:2[89]|[3-8]\d)\d{12}\Z|3(?:0[0-5]|[68]\d)\d{11}\Z|62\d{14}\Z|62\d{17}\Z"
)
_IBAN: Final = re.compile(
    r"[A-Z](?<![A-Za-z0-9].)[A-Z]\d\d(?:[A-Z0-9]{11,30}+|(?: [A-Z0-9]{4}){2,7}+(?: [A-Z0-9]{1,3})?)(?![A-Za-z0-9])",
    re.ASCII,
)
_IBAN_HINT: Final = re.compile(r"[A-Z]{2}\d\d[ A-Z0-9]", re.ASCII)
_IBAN_SIZES: Final = {
    country: size
    for size, countries in {
        15: "NO", 16: "BE", 18: "DK FI FO GL NL SD", 19: "MK SI", 20: "AT BA EE KZ LT LU MN XK", 21: "CH HR LI LV",
        22: "BG BH CR DE GB GE IE ME RS VA", 23: "AE GI IL IQ OM SO TL", 24: "AD CZ ES MD PK RO SA SE SK TN VG",
        25: "LY PT ST", 26: "IS TR", 27: "BI DJ FR GR IT MC MR SM", 28: "AL AZ BY CY DO GT HU LB NI PL SV",
        29: "BR EG PS QA UA", 30: "JO KW MU YE", 31: "MT SC", 32: "LC", 33: "RU",
    }.items()
    for country in countries.split()
}  # fmt: skip
"""Characters in the numbers of each country."""
_PHONE: Final = re.compile(
    r"(?<![\w+.-])\+[1-9]\d{0,2}(?:[ .-]?\(\d{1,4}\))?(?:[ .-]?\d{2,5}){2,5}(?![\w-]|\.\d)"
    r"|(?i:\b(?:phone|tel|mobile|cell|msisdn|fax|whatsapp|sms)(?:[_ -]?(?:number|no|to))?[\"']?[ ]?[:=]?[ ]?[\"']?)"
    r"(?P<labelled>\+?\(?\d{2,4}\)?(?:[ .-]?\d{2,5}){2,4})(?![\w-]|\.\d)",
    re.ASCII,
)


def addresses(text: str, lowered: str, measure: Measure) -> Iterator[Span]:
    """Yield IP, MAC and e-mail addresses, card and phone numbers."""
    if measure.has_quad:
        yield from _ipv4(text)
    colons = text.count(":")
    if "::" in text or colons >= 5:
        yield from _ipv6(text)
    if colons >= 5 or text.count("-") >= 5:
        for match in _MAC.finditer(text):
            yield match.start(), match.end(), "mac"
    if measure.run >= 4 and text.count(".") >= 2:
        yield from _dotted_macs(text)
    if "@" in text or "%40" in text:
        yield from _emails(text)
    if measure.digits < 8:
        return
    if measure.digits >= 13 and _CARD_HINT.search(text):
        yield from _cards(text)
    if _IBAN_HINT.search(text):
        yield from _ibans(text)
    if (
        "+" in text
        or "phone" in lowered
        or "tel" in lowered
        or "mobile" in lowered
        or "sms" in lowered
        or "msisdn" in lowered
    ):
        yield from _phones(text)


def _ipv4(text: str) -> Iterator[Span]:
    for match in _IPV4.finditer(text):
        if not _OCTETS.match(match.group()) or _GLUED.search(text[max(0, match.start() - 2) : match.start()]):
            continue
        if _is_doubled(text, match) or (not _stays(match.group()) and not _is_version(text, match)):
            yield match.start(), match.end(), "ip"


def _is_doubled(text: str, match: re.Match[str]) -> bool:
    """Return True for `a/a`, as Java writes an address that has no name."""
    address = match.group()
    return text.startswith("/" + address, match.end()) or text.endswith(address + "/", 0, match.start())


def _stays(address: str) -> bool:
    """Return True for addresses that name no machine: any, loopback, masks."""
    return address.startswith(("0.", "127.", "255."))


def _is_version(text: str, match: re.Match[str]) -> bool:
    """Return True if the four numbers are a version: a cue word before them, or a product's name and small numbers."""
    address = match.group()
    if text[match.end() : match.end() + 1] == "-" and text[match.end() + 1 : match.end() + 2].isalpha():
        return _cue(text, match.start()) not in _NETWORK_WORDS - {"to"}
    if address.startswith(("10.", "192.168.", "172.", "169.254.", "100.")) or text[match.end() : match.end() + 1] in {
        ":",
        "/",
    }:
        return _cue(text, match.start()) in _VERSION_WORDS
    if address.endswith(".0.0"):
        return True
    cue = _cue(text, match.start())
    if not cue or cue in _NETWORK_WORDS:
        return False
    if cue in _VERSION_WORDS or cue.endswith("version"):
        return True
    return int(address.split(".", 1)[0]) < 10


def _cue(text: str, start: int) -> str:
    """Return the word right before `start`, in lower case; empty if none."""
    found = _WORD_BEFORE.search(text[max(0, start - 32) : start])
    return found[1].lower() if found else ""


def _ipv6(text: str) -> Iterator[Span]:
    for match in _IPV6.finditer(text):
        found = (
            match.group().rstrip(":")
            if match.group().endswith(":") and not match.group().endswith("::")
            else match.group()
        )
        groups = [group for group in found.split(":") if group]
        if len(groups) < 2 or len(found) < 6 or not any(map(str.isdigit, found)):
            continue
        try:
            address = IPv6Address(found)
        except AddressValueError:
            continue
        if not address.is_loopback and not address.is_unspecified:
            yield match.start(), match.start() + len(found), "ip"


def _dotted_macs(text: str) -> Iterator[Span]:
    for match in _DOTTED_MAC.finditer(text):
        if _FOUR_HEX.search(text[max(0, match.start() - 5) : match.start()]):
            yield match.start() - 4, match.end() + 4, "mac"


def _emails(text: str) -> Iterator[Span]:
    for match in _EMAIL.finditer(text):
        user, domain = match["user"], match["domain"]
        if user == "git" or match["tld"].lower() in _NOT_TLDS or domain.replace(".", "")[: len(domain) // 2].isdigit():
            continue
        start = match.start() + len(user) - len(user.lstrip(".'"))
        yield start, match.end(), "email"


def _cards(text: str) -> Iterator[Span]:
    for match in _CARD.finditer(text):
        digits = "".join(filter(str.isdigit, match.group()))
        if _CARD_BRANDS.match(digits) and _luhn(digits):
            yield match.start(), match.end(), "card"


def _ibans(text: str) -> Iterator[Span]:
    for match in _IBAN.finditer(text):
        number = match.group().replace(" ", "")
        size = _IBAN_SIZES.get(number[:2], 0)
        if len(number) < size:
            continue
        end = match.end()
        while len(number) > size:  # words in capitals behind the number
            end = match.start() + match.group().rfind(" ", 0, end - match.start())
            if end < match.start():
                break
            number = text[match.start() : end].replace(" ", "")
        if len(number) == size and int("".join(str(int(c, 36)) for c in number[4:] + number[:4])) % 97 == 1:
            yield match.start(), end, "iban"


def _luhn(digits: str) -> bool:
    total = 0
    for index, digit in enumerate(reversed(digits)):
        number = int(digit) * (2 if index % 2 else 1)
        total += number - 9 if number > 9 else number
    return total % 10 == 0


def _phones(text: str) -> Iterator[Span]:
    for match in _PHONE.finditer(text):
        group = "labelled" if match["labelled"] else 0
        size = sum(map(str.isdigit, match[group]))
        if 8 <= size <= 15:
            yield match.start(group), match.end(group), "phone"
