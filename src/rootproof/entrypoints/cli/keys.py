"""`rootproof keys`: who may use the server."""

from __future__ import annotations

import asyncio
import re
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rootproof.domain.api_key import ApiKey, Scope
from rootproof.entrypoints.cli.output import emit_json, say, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rootproof.diagnosis.keys import NewKey

app = typer.Typer(help="Make, list and revoke API keys.", no_args_is_help=True, rich_markup_mode=None)
AsJson = Annotated[bool, typer.Option("--json", help="JSON on stdout, for programs.")]
_LIFETIME = re.compile(r"([1-9][0-9]{0,4})([dhm])")
_ID_CHARS = 20
_UNITS = {"d": timedelta(days=1), "h": timedelta(hours=1), "m": timedelta(minutes=1)}


@app.command("create")
def create(
    owner: Annotated[str, typer.Option("--owner", help="Whose runs, sessions and cases the key opens.")],
    scope: Annotated[
        list[Scope] | None,
        typer.Option(
            "--scope", help="What the key allows; each allows what stands before it. Default: read, diagnose."
        ),
    ] = None,
    name: Annotated[str, typer.Option("--name", help="What the key is for, for your own list.")] = "",
    expires: Annotated[
        str | None, typer.Option("--expires", help="When it ends, such as 90d, 12h or 30m; never when left out.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make a key and show it, once: the store keeps only its hash."""
    new = asyncio.run(_create(owner, scope or [Scope.READ, Scope.DIAGNOSE], name, _lifetime(expires)))
    if as_json:
        emit_json({**_as_json(new.key, datetime.now(UTC)), "key": new.text})
        return
    say(new.text + "\n")
    tell(
        f"key {new.key.key_id} of {owner}: {_in_words(new.key)}. It is shown this once; keep it where secrets are kept"
    )


@app.command("list")
def list_keys(as_json: AsJson = False) -> None:
    """List the keys, revoked and expired ones too; never their secrets."""
    keys = asyncio.run(_all())
    now = datetime.now(UTC)
    if as_json:
        emit_json([_as_json(key, now) for key in keys])
        return
    if not keys:
        tell("no keys: `rootproof serve` answers this machine only; make one with `rootproof keys create`")
    for key in keys:
        used = f", last used {key.last_used_at:%Y-%m-%d %H:%M}Z" if key.last_used_at else ", never used"
        say(f"{key.key_id}  {_state(key, now)}  {key.owner}  {_in_words(key)}{used}  {key.name}".rstrip() + "\n")


@app.command("revoke")
def revoke(
    key_id: Annotated[str, typer.Argument(help="The key's id, as `rootproof keys list` shows it.")],
    as_json: AsJson = False,
) -> None:
    """Revoke a key: running servers refuse it within seconds, and browsers that logged in with it are logged out."""
    from rootproof.diagnosis.keys import parse_key
    from rootproof.errors import UsageError

    whole = parse_key(key_id)
    named = whole.key_id if whole else key_id
    if not asyncio.run(_revoke(named)):
        shown = repr(named) if len(named) <= _ID_CHARS else "of that text, which may hold a secret and is not repeated"
        raise UsageError(f"there is no key {shown}; `rootproof keys list` shows the ids")
    if as_json:
        emit_json({"keyId": named, "state": "revoked"})
    else:
        tell(f"key {named} is revoked")


async def _create(owner: str, scopes: Sequence[Scope], name: str, lifetime: timedelta | None) -> NewKey:
    from rootproof.bootstrap.keys import open_keys
    from rootproof.diagnosis.keys import create_key, make_key
    from rootproof.settings import load_settings

    new = make_key(owner, scopes, now=datetime.now(UTC), name=name, lifetime=lifetime)
    async with open_keys(load_settings()) as store:
        return await create_key(store, new)


async def _all() -> Sequence[ApiKey]:
    from rootproof.bootstrap.keys import open_keys
    from rootproof.settings import load_settings

    async with open_keys(load_settings()) as store:
        return await store.all()


async def _revoke(key_id: str) -> bool:
    from rootproof.bootstrap.keys import open_keys
    from rootproof.settings import load_settings

    async with open_keys(load_settings()) as store:
        return await store.revoke(key_id, at=datetime.now(UTC))


def _lifetime(text: str | None) -> timedelta | None:
    from rootproof.errors import UsageError

    if text is None:
        return None
    found = _LIFETIME.fullmatch(text.strip())
    if found is None:
        raise UsageError(f"--expires takes a number and d, h or m, such as 90d; not {text!r:.40}")
    return int(found[1]) * _UNITS[found[2]]


def _state(key: ApiKey, now: datetime) -> str:
    if key.revoked_at is not None:
        return "revoked"
    return "expired" if key.expires_at is not None and key.expires_at <= now else "active"


def _in_words(key: ApiKey) -> str:
    scopes = ", ".join(scope.value for scope in Scope if scope in key.scopes)
    return f"{scopes}, until {key.expires_at:%Y-%m-%d %H:%M}Z" if key.expires_at else scopes


def _as_json(key: ApiKey, now: datetime) -> dict[str, Any]:
    times = {
        "createdAt": key.created_at,
        "expiresAt": key.expires_at,
        "revokedAt": key.revoked_at,
        "lastUsedAt": key.last_used_at,
    }
    return {
        "keyId": key.key_id,
        "owner": key.owner,
        "name": key.name,
        "scopes": [scope.value for scope in Scope if scope in key.scopes],
        "state": _state(key, now),
        **{name: at.isoformat().replace("+00:00", "Z") if at else None for name, at in times.items()},
    }
