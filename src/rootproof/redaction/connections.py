"""Passwords in URLs, data source names and on command lines, and credentials behind a scheme word.

Scheme, host, port and database stay: they say what could not be reached.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from rootproof.redaction.finding import PLACEHOLDER, SECRET, Span
from rootproof.redaction.values import PROSE, is_mixed, is_reference, is_strong, is_user_and_password, looks_random

_PASSWORD: Final = SECRET + "password"
_TOKEN: Final = SECRET + "token"
_AUTHORITY: Final = re.compile(r"""://|:\\/\\/|%3[Aa]%2[Ff]%2[Ff]""")
_USER_INFO: Final = re.compile(r"""[^\s"'`<>@:/?#]{0,256}+""")
_PERCENT_USER: Final = re.compile(
    r"((?:[A-Za-z0-9_.~-]|%(?!3[Aa]|40|2[Ff])[0-9A-Fa-f]{2}){0,256}+)%3[Aa]"
    r"((?:[A-Za-z0-9_.~!*-]|%(?!40)[0-9A-Fa-f]{2}){1,512}+)%40"
)
_GENERATED: Final = re.compile(r"(?=[a-f]*+\d)(?=\d*+[a-f])[0-9a-f]{8,}|AKIA[0-9A-Z]{16}")
_AUTHORITY_REST: Final = re.compile(r"""[^\s"'`/?#<>\\]{0,512}+""")
_URL_REST: Final = re.compile(r"""(?:[^\s:]|:(?!//)){0,512}+""")
_PORT: Final = re.compile(r"""\d{1,5}(?=[/?#\s"'`,;)\]}<>]|\Z)""")
_HOST_BEHIND: Final = re.compile(
    r"""(?:\[[0-9A-Fa-f:.]{2,45}\]|[A-Za-z0-9_][A-Za-z0-9_.-]{0,253}|\$\{?\w{1,64}\}?|/|<)"""
)
_GO_DSN: Final = re.compile(
    r"(?<![\w.%-])[\w.%+-]{1,64}:(?P<secret>[^\s\"'`]{1,256}?)@(?:tcp6?|udp|unix|cloudsql)\(", re.ASCII
)
_GO_NETWORKS: Final = ("@tcp", "@udp", "@unix", "@cloudsql")
_ORACLE: Final = re.compile(
    r"(?:jdbc:oracle:\w{1,16}:|(?:sqlplus|sqlldr|rman|expdp|impdp|(?i:connect|conn)) (?:-\w+ )?|\buserid=)"
    r"[\w$#.]{1,64}/(?P<secret>[^\s\"'`@]{1,128})@",
    re.ASCII,
)
_ORACLE_TOOLS: Final = ("oracle:", "sqlplus ", "sqlldr ", "rman ", "pdp ", "conn", "userid=")
_ORACLE_BARE: Final = re.compile(
    r"(?<![\w/.@:-])[A-Za-z][\w$#.]{0,63}/(?P<secret>[^\s\"'`@/]{1,128})@(?://|[A-Za-z0-9.-]{1,253}:15\d\d/)", re.ASCII
)
_BARE_URL: Final = re.compile(
    r"(?<![\w.@/:+-])(?!(?:mailto|to|from|cc|bcc|sip|sips|xmpp|email|mail|user|git)\b)[A-Za-z_][\w.-]{0,63}:"
    r"(?P<secret>[^\s\"'`:@/]{3,128})"
    r"@[A-Za-z0-9][A-Za-z0-9.-]{0,253}:\d{2,5}\b",
    re.ASCII,
)
_SCHEME_WORD: Final = re.compile(
    r"(?i:\b(?:bearer|basic|jwt|oauth2?)(?:[ \t]|%20|\+){1,4})(?P<secret>[A-Za-z0-9._~+/=-]{8,8192}+)"
)
_QUOTED_SQL: Final = re.compile(
    r"(?i:\b(?:identified\s{1,4}(?:with\s{1,4}\S{1,64}\s{1,4})?(?:by|as)"
    r"|(?<![\"'])password(?:\s{0,4}=\s{0,4}password)?)\s{0,4}\(?\s{0,4})(?:[nN]?'(?P<secret>[^'\n]{1,512})'|\"(?P<double>[^\"\n]{1,512})\")"
)
_NETRC: Final = re.compile(r"(?i:\blogin\s{1,8}\S{1,128}\s{1,8}password\s{1,8})(?P<secret>[^\s\"'`]{1,512}+)")
_REDIS_AUTH: Final = re.compile(
    r"\bAUTH(?: [a-z][\w-]{0,63}(?= \S))? (?P<quote>[\"'])?(?P<secret>[^\s\"']{4,512}+)"
    r"(?P<last>[\"']?\s{0,4}(?:\Z|\n|->|\\))?"
    r"|\b(?:requirepass|masterauth) [\"']?(?P<set>[^\s\"']{1,512}+)"
    r"|(?i:\"auth\")(?: \"[^\"\n]{1,128}\"(?= \"))? \"(?P<traced>[^\"\n]{1,512})\""
    r"|(?:\b|(?<=\\n))AUTH(?:(?:\\r\\n|\r?\n)\$\d{1,4}(?:\\r\\n|\r?\n)(?P<sent>[^\s\\]{1,512})){1,2}"
)
_MAIL_AUTH: Final = re.compile(
    r"\bAUTH (?:PLAIN|LOGIN|XOAUTH2|CRAM-MD5) (?P<secret>[A-Za-z0-9+/]{8,4096}+={0,2})"
    r"|\b334 [A-Za-z0-9+/=]{0,256}\r?(?:\n|\\r\\n|\\n)(?:[CS>]:? )?(?P<answer>[A-Za-z0-9+/]{4,4096}+={0,2})"
)
_SET_USER: Final = re.compile(r"""(?i:\bsetuser\b)[^\n>]{0,200}+>(?P<secret>[^\s"'~]{1,256}+)""")
_QUERY: Final = re.compile(r"""[?&]u=[^&\s"']{1,64}&p=(?P<secret>[^&\s"']{1,128}+)""")
_PGPASS: Final = re.compile(
    r"""(?:^|pgpass[:= ]{1,3})[A-Za-z*][\w.*-]{0,128}:(?:\d{3,5}|\*):[\w*.-]{1,64}:[\w*.@-]{1,64}:"""
    r"""(?P<secret>[^\s:"']{4,256}+)$""",
    re.MULTILINE,
)
_COMMUNITY: Final = re.compile(
    r"\bcommunity (?P<secret>[^\s\"']{4,64}) (?i:ro|rw|view)\b"
    r"|\b(?:radius|tacacs)[-\w]{0,16}(?: \S{1,64}){0,4}? key (?:[067] )?(?P<key>[^\s\"']{6,128})"
)
_REDIS: Final = re.compile(r"redis|valkey|> auth |\bset ")


def connections(text: str, lowered: str) -> Iterator[Span]:
    """Yield passwords and tokens that stand at a fixed place of a connection string or command line."""
    if "://" in text or ":\\/" in text or "%2f%2f" in lowered:
        yield from _urls(text)
    if "@" in text:
        if any(map(text.__contains__, _GO_NETWORKS)):
            yield from _named(_GO_DSN, text)
        if any(map(lowered.__contains__, _ORACLE_TOOLS)):
            yield from _named(_ORACLE, text)
        if "@//" in text or ":15" in text:
            yield from _named(_ORACLE_BARE, text)
        yield from (span for span in _named(_BARE_URL, text) if _is_not_a_word(text[span[0] : span[1]]))
    if "bearer" in lowered or "basic" in lowered or "jwt" in lowered or "oauth" in lowered:
        yield from _scheme_words(text)
    if "password" in lowered or "identified" in lowered:
        yield from _named(_QUOTED_SQL, text)
        yield from _named(_NETRC, text)
    yield from _fixed_places(text, lowered)
    if "AUTH" in text or '"auth" "' in text or "requirepass " in text or "masterauth " in text:
        yield from _redis(text, lowered)


def _fixed_places(text: str, lowered: str) -> Iterator[Span]:
    """Yield passwords at their place in a network device's line, a query, `~/.pgpass` or a mail server's dialogue."""
    if "community" in lowered or "radius" in lowered or "tacacs" in lowered:
        yield from _named(_COMMUNITY, text)
    if "&p=" in text:
        yield from _named(_QUERY, text)
    if "setuser" in lowered:
        yield from _named(_SET_USER, text)
    if text.count(":") >= 4:
        yield from _pgpass(text)
    if "AUTH " in text or "334 " in text:
        yield from _named(_MAIL_AUTH, text)


def _is_not_a_word(value: str) -> bool:
    """Return False for plain words and plain numbers: without a scheme, `owner:name@host:1` is no credential."""
    return not value.isdigit() and not value.replace("-", "").replace("_", "").isalpha()


def _pgpass(text: str) -> Iterator[Span]:
    for match in _PGPASS.finditer(text) if "\n" in text or "pgpass" in text else filter(None, [_PGPASS.match(text)]):
        if is_strong(match["secret"]):
            yield *match.span("secret"), _PASSWORD


def _named(pattern: re.Pattern[str], text: str) -> Iterator[Span]:
    for match in pattern.finditer(text):
        group = match.lastgroup or "secret"
        if not is_reference(match[group]) and not PLACEHOLDER.fullmatch(match[group]):
            yield match.start(group), match.end(group), _PASSWORD


def _redis(text: str, lowered: str) -> Iterator[Span]:
    """Yield the passwords of Redis commands: written, traced by MONITOR, or as sent over the wire."""
    known = _REDIS.search(lowered) is not None
    for match in _REDIS_AUTH.finditer(text):
        group = next(name for name in ("secret", "set", "traced", "sent") if match[name] is not None)
        value = match[group]
        if is_reference(value) or PLACEHOLDER.fullmatch(value) or value.lower().rstrip(".,:;") in PROSE:
            continue
        if (
            group != "secret"
            or match["quote"]
            or is_strong(value)
            or (known and (match["last"] is not None or is_mixed(value)))
        ):
            yield match.start(group), match.end(group), _PASSWORD


def _urls(text: str) -> Iterator[Span]:
    for match in _AUTHORITY.finditer(text):
        start = match.end()
        if match.group()[0] == "%":
            encoded = _PERCENT_USER.match(text, start)
            if encoded is not None:
                yield encoded.start(2), encoded.end(2), _PASSWORD
            continue
        user = _USER_INFO.match(text, start)
        if user is None:
            continue
        mark = text[user.end() : user.end() + 1]
        if mark == "@" and looks_random(user.group()):
            yield start, user.end(), _TOKEN
        elif mark == ":":
            yield from _url_password(text, user.end() + 1, start)


def _url_password(text: str, start: int, user_start: int) -> Iterator[Span]:
    """Yield the password that starts at `start`, behind `scheme://user:`, and a user's name that is half of a key.

    It ends at the last `@` of the authority. A password with an unescaped slash is read up to the next `@` that a host
    follows, unless what stands first is a port.
    """
    authority = _AUTHORITY_REST.match(text, start)
    end = authority.end() if authority else start
    at = text.rfind("@", start, end)
    if at < 0 and text[end : end + 1] and text[end] in "/?#\\<>\"'" and not _PORT.match(text, start):
        rest = _URL_REST.match(text, end)
        at = text.rfind("@", end, rest.end() if rest else end)
    if at <= start or not _HOST_BEHIND.match(text, at + 1):
        return
    if not is_reference(text[start:at]):
        yield start, at, _PASSWORD
        if _GENERATED.fullmatch(text, user_start, start - 1):
            yield user_start, start - 1, _PASSWORD


def _scheme_words(text: str) -> Iterator[Span]:
    for match in _SCHEME_WORD.finditer(text):
        value = match["secret"]
        basic = match.group()[:5].lower() == "basic"
        if (
            is_user_and_password(value)
            if basic
            else (looks_random(value) or (value.count(".") == 2 and len(value) > 40))
        ):
            yield match.start("secret"), match.end("secret"), SECRET + ("basic" if basic else "token")
