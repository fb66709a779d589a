"""Which names say that the value beside them is a secret, and how sure that is.

A name is split into words (`dbPassword`, `DB_PASSWORD`, `db-password` are all "db password"), and its last word decides
first: `password_policy` and `token_ttl` tell about a secret but hold none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from rootproof.redaction.wordset import word_set


class Trust(Enum):
    """How much a name alone is worth."""

    NEVER_PROSE = "password"
    """Whatever stands beside it is a secret, unless it is a reference or says that there is none."""
    LIKELY = "secret"
    """A secret, unless the value is a plain word of a sentence, a path or a small number."""
    TERSE = "pass"
    """LIKELY, but where the separator also occurs in sentences (`PASS: TestAll`) it must look random."""
    IF_RANDOM = "key"
    """A secret only if the value looks random."""
    AUTHORIZATION = "authorization"
    """An HTTP authorization value: scheme, then credentials."""
    COOKIE = "cookie"
    """Cookie pairs."""


@dataclass(frozen=True, slots=True)
class KeyName:
    """What a secret-like name promises."""

    kind: str
    """The type behind `secret:`."""
    trust: Trust


# A quick look before names are parsed: a text without one of these (lower case) holds no secret-like name.
STEMS: Final = (
    "pass", "pw", "secret", "token", "key", "auth", "cred", "cookie", "sess", "sid", "sig", "jwt", "otp", "pin",
    "csrf", "xsrf", "hmac", "salt", "mnemonic", "seed", "pswd", "senha", "kennwort", "bearer", "assertion", "verifier",
    "art-api", "saml",
    "cvv", "cvc", "wachtwoord", "contras", "community", "code", "haslo", "parola", "heslo", "salasana", "jelszo",
    "sifre", "losenord", "adgangskode", "psk", "ticket", "login", "honeycomb", "dockerc", "bundle_",
)  # fmt: skip

_META: Final = word_set(
    """
    name names count counts type types ttl exp expiry expires expired expiration timeout length len size url uri
    endpoint endpoints path paths file files filename dir policy status state age ref refs version field fields
    header headers bucket buckets limit limits rate max min enabled disabled required valid validity invalid
    index resets reset attempts attempt prompt hint label labels manager provider providers service store server
    class format algorithm alg algo method methods mode scope scopes issuer audience loop map set list usage
    used total rotation rotated created updated changed at time date ts ms seconds duration interval reader
    handler callback validator check checker error errors exception failures failure cache pool table column row
    rows kid space spaces ring board word words stroke generator factory filter interceptor resolver strategy
    config configuration settings options policy metadata description message msg reason source target owner
    user username host port domain id ids uid uuid arn fingerprint length lifetime window refresh interval grant
    request response requests responses event events action operation permission role roles group groups module
    plugin client clients flow info data schema model serializer encoder strength history complexity expression
    regex pattern prefix suffix separator mask masks needed missing present exists found changedat last first
    step steps stage phase level levels stdin
    """
)
_NOT_SECRET_KEYS: Final = word_set(
    """
    public primary foreign partition partitioning sort row cache object group index unique composite natural
    surrogate shard range config idempotency dedup deduplication lookup registry missing duplicate bucket
    message record document translation i18n hot column map json dict entity tag label metric series context
    join cluster clustering order ordering search filter pub
    """
)
_NOT_SECRET_TOKENS: Final = word_set(
    """
    public cancellation pagination page next prev previous continuation continue sync cursor unexpected parser
    lex eos bos pad stop max min num total prompt completion input output fencing partition expected cached
    reasoning
    """
)
_PASSWORD: Final = word_set(
    """
    password passwd pwd passphrase passcode pswd psw pass passwort kennwort senha contrasena wachtwoord
    motdepasse passwords userpass masterpass passwrd passwort passwd haslo parola heslo salasana jelszo sifre
    losenord adgangskode
    """
)
_FORMS: Final = word_set("base hex pem plain plaintext raw value encoded")
"""How a value is written, behind what it is: `encryption.key.base64`."""
_SURE_KEYS: Final = word_set(
    """
    api access secret private encryption signing master account shared auth sas hmac aes crypto cipher
    decryption ssh rsa jwt encrypt decrypt art storage admin webhook apigw xapi
    """
)
_NOT_PASS: Final = word_set("bypass compass encompass surpass trespass overpass underpass multipass subpass")
_NOT_SECRET: Final = word_set("secretary secretariat secretion secretive secretly")
_SESSION: Final = word_set("sessionid sessid jsessionid phpsessid aspsessionid sid session connectsid aspnetsessionid")
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_RANDOM_LAST: Final = {
    "auth": "auth", "signature": "signature", "sig": "signature", "hmac": "signature", "jwt": "jwt",
    "credential": "credential",
    "credentials": "credential", "cred": "credential", "creds": "credential", "csrf": "token", "xsrf": "token",
    "salt": "salt", "seed": "key", "tokens": "token", "keys": "key", "assertion": "token", "verifier": "token",
    "bearer": "token", "code": "code", "community": "password", "nonce": "token", "ticket": "token", "login": "token",
    "dockerconfigjson": "auth", "dockercfg": "auth",
}  # fmt: skip


@lru_cache(maxsize=4096)
def secret_name(name: str) -> KeyName | None:
    """Return what the name promises, None if it is not secret-like.

    Shape: `name` is at most some 200 characters: letters, digits and the joints `_ - . $`.
    """
    words = [word.lower() for word in _WORD.findall(name)]
    while words and (words[-1].isdigit() or (len(words) > 1 and words[-1] in _FORMS)):
        words.pop()
    if not words:
        return None
    joined = "".join(words)
    last = words[-1]
    if last == "id":
        return _identifier(words, joined)
    if last == "hash" and any(word in _PASSWORD for word in words):
        return KeyName("password-hash", Trust.IF_RANDOM)
    if joined.endswith(("pullsecret", "pullsecrets")):
        return None  # names of Secrets
    if ".account.key." in name.lower():
        return KeyName("azure-key", Trust.LIKELY)  # Hadoop: fs.azure.account.key.ACCOUNT.dfs.core.windows.net
    if words[-2:] == ["key", "data"]:
        return KeyName("private-key", Trust.IF_RANDOM)
    if name.startswith("BUNDLE_") and "__" in name:
        return KeyName("password", Trust.IF_RANDOM)  # Bundler: BUNDLE_GEMS__EXAMPLE__COM=user:password
    if joined in {"samlresponse", "samlrequest"}:
        return KeyName("token", Trust.IF_RANDOM)
    if joined in _PASSWORD:
        return KeyName("password", Trust.TERSE if joined == "pass" else Trust.NEVER_PROSE)
    if len(words) > 1 and last in _META:
        return None
    return (
        _password(words, name)
        or _http(words, joined)
        or _session(words, joined)
        or _secret_or_token(words)
        or _key(words)
    )


def _identifier(words: list[str], joined: str) -> KeyName | None:
    if joined.endswith(("accesskeyid", "keyid")) and "access" in joined:
        return KeyName("aws-key", Trust.LIKELY)
    if joined.endswith("secretid"):
        return KeyName("secret", Trust.LIKELY)
    if words[-2:-1] in (["session"], ["sess"]):
        return KeyName("session", Trust.IF_RANDOM)
    return None


def _password(words: list[str], name: str) -> KeyName | None:
    if words == ["pass"]:
        return KeyName("password", Trust.TERSE)
    if words[-1].endswith("pw") or words[-3:] == ["mot", "de", "passe"]:
        return KeyName("password", Trust.NEVER_PROSE)
    for word in words:
        if word in _PASSWORD or word.endswith(("password", "passwd", "passphrase", "pwd")):
            return KeyName("password", Trust.NEVER_PROSE)
        if word.endswith("pass") and word not in _NOT_PASS:
            return KeyName("password", Trust.LIKELY)
    if words[-1] == "psk":
        return KeyName("password", Trust.LIKELY)
    if words[-1] in {"otp", "totp", "pin", "pincode", "cvv", "cvc", "mnemonic"} and not name.startswith("$"):
        return KeyName("code", Trust.NEVER_PROSE if words[-1] != "pin" else Trust.LIKELY)
    return None


def _http(words: list[str], joined: str) -> KeyName | None:
    if joined.endswith("authorization") and words[-1] == "authorization":
        return KeyName("token", Trust.AUTHORIZATION)
    if words[-1] in {"cookie", "cookies"}:
        return KeyName("cookie", Trust.COOKIE)
    if joined.endswith(("artapi", "apisecret", "honeycombteam")):
        return KeyName("api-key", Trust.LIKELY)
    return None


def _session(words: list[str], joined: str) -> KeyName | None:
    if joined in _SESSION or words[-1] in _SESSION or joined.endswith("sessionid"):
        return KeyName("session", Trust.IF_RANDOM)
    return None


def _secret_or_token(words: list[str]) -> KeyName | None:
    last = words[-1]
    if last.endswith("token") and not _NOT_SECRET_TOKENS.intersection(words):
        return KeyName("token", Trust.LIKELY)
    for word in words:
        if (word.startswith("secret") and word not in _NOT_SECRET) or word.endswith("secret"):
            return KeyName("secret", Trust.LIKELY)
    if last in _RANDOM_LAST:
        return KeyName(_RANDOM_LAST[last], Trust.IF_RANDOM)
    return None


def _key(words: list[str]) -> KeyName | None:
    last = words[-1]
    if not last.endswith("key") or last in {"monkey", "turkey", "hockey", "whiskey", "donkey"}:
        return None
    before = {*words[:-1], last.removesuffix("key")}
    if before & _NOT_SECRET_KEYS:
        return None
    if before & _SURE_KEYS or any(last.endswith(f"{word}key") for word in _SURE_KEYS):
        return KeyName("api-key" if "api" in before else "key", Trust.LIKELY)
    return KeyName("key", Trust.IF_RANDOM)
