"""The only reader of the environment and of `rootproof.toml`. Frozen; an unknown key is an error with a suggestion.

Order: a variable `ROOTPROOF_<SECTION>_<KEY>` beats the file, the file beats the default. The file is the one named by
`ROOTPROOF_CONFIG`, else `rootproof.toml` in the working folder, else `$XDG_CONFIG_HOME/rootproof/rootproof.toml`.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_type_hints

from rootproof.domain.toml_text import parse_toml
from rootproof.errors import UsageError
from rootproof.settings.sections import (
    ElasticsearchSettings,
    IntakeSettings,
    LimitSettings,
    LokiSettings,
    ModelSettings,
    NotifySettings,
    RedactionSettings,
    RedisSettings,
    ServerSettings,
    SourceSettings,
    StoreSettings,
    TelemetrySettings,
    VictoriaLogsSettings,
    WorkerSettings,
)

__all__ = [
    "ElasticsearchSettings",
    "IntakeSettings",
    "LimitSettings",
    "LokiSettings",
    "ModelSettings",
    "NotifySettings",
    "RedactionSettings",
    "RedisSettings",
    "ServerSettings",
    "Settings",
    "SourceSettings",
    "StoreSettings",
    "TelemetrySettings",
    "VictoriaLogsSettings",
    "WorkerSettings",
    "load_settings",
]

CONFIG_NAME = "rootproof.toml"
_PREFIX = "ROOTPROOF_"
_NOT_SETTINGS = frozenset({"CONFIG", "DATA", "REQUIRE_SERVICES"})


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    store: StoreSettings = field(default_factory=StoreSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    limits: LimitSettings = field(default_factory=LimitSettings)
    sources: SourceSettings = field(default_factory=SourceSettings)
    loki: LokiSettings = field(default_factory=LokiSettings)
    victorialogs: VictoriaLogsSettings = field(default_factory=VictoriaLogsSettings)
    elasticsearch: ElasticsearchSettings = field(default_factory=ElasticsearchSettings)
    redaction: RedactionSettings = field(default_factory=RedactionSettings)
    server: ServerSettings = field(default_factory=ServerSettings)
    redis: RedisSettings = field(default_factory=RedisSettings)
    worker: WorkerSettings = field(default_factory=WorkerSettings)
    intake: IntakeSettings = field(default_factory=IntakeSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    config_file: str | None = None
    """The file that was read."""

    @property
    def home(self) -> Path:
        """The folder of embedded files."""
        if self.store.home:
            return Path(self.store.home).expanduser()
        data_home = os.environ.get("XDG_DATA_HOME")
        return (Path(data_home) if data_home else Path.home() / ".local" / "share") / "rootproof"


_LARGEST = 10**12
_MOST_DAYS = 36_500
_SWITCHES = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}
_SECTIONS = tuple(item.name for item in fields(Settings) if item.name != "config_file")


def load_settings(environ: Mapping[str, str] | None = None, *, folder: Path | None = None) -> Settings:
    """The settings in force.

    Raises: UsageError that names file and key, and the nearest key that exists.
    """
    env = dict(os.environ if environ is None else environ)
    path = _config_path(env, folder or Path.cwd())
    table = _read(path) if path else {}
    settings = Settings(config_file=str(path) if path else None)
    for section, values in table.items():
        settings = _with_section(settings, section, values, f"{path}")
    for name, value in sorted(env.items()):
        if name.startswith(_PREFIX) and name.removeprefix(_PREFIX) not in _NOT_SETTINGS:
            section, _, key = name.removeprefix(_PREFIX).lower().partition("_")
            settings = _with_section(settings, section, {key: value}, f"environment variable {name}")
    return settings


def _config_path(env: Mapping[str, str], folder: Path) -> Path | None:
    named = env.get("ROOTPROOF_CONFIG")
    if named:
        path = Path(named).expanduser()
        if not path.is_file():
            raise UsageError(f"ROOTPROOF_CONFIG names {named!r}, and there is no such file")
        return path
    config_home = env.get("XDG_CONFIG_HOME") or (f"{env['HOME']}/.config" if env.get("HOME") else "")
    candidates = [folder / CONFIG_NAME] + ([Path(config_home) / "rootproof" / CONFIG_NAME] if config_home else [])
    return next((path for path in candidates if path.is_file()), None)


def _read(path: Path) -> dict[str, Any]:
    try:
        return parse_toml(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise UsageError(f"{path} cannot be read as TOML: {error}") from error


def _with_section(settings: Settings, section: str, values: object, where: str) -> Settings:
    if section not in _SECTIONS:
        raise UsageError(f"{where}: there is no section {section!r}{_nearest(section, _SECTIONS)}")
    if not isinstance(values, dict):
        raise UsageError(f"{where}: `{section}` must be a table such as [{section}]")
    current = getattr(settings, section)
    known = tuple(item.name for item in fields(current))
    for key, value in values.items():
        if key not in known:
            raise UsageError(f"{where}: section {section!r} has no key {key!r}{_nearest(key, known)}")
        current = replace(current, **{key: _typed(current, key, value, f"{where}: {section}.{key}")})
    changed: Settings = replace(settings, **{section: current})
    return changed


def _typed(section: object, key: str, value: object, where: str) -> object:
    kind = get_type_hints(type(section))[key]
    if kind is bool:
        return _switch(value, where)
    if kind is int:
        try:
            number = int(str(value))
        except ValueError:
            raise UsageError(f"{where} must be a whole number, not {value!r}") from None
        if number < 0:
            raise UsageError(f"{where} must not be negative, and is {number}")
        if number > _LARGEST:
            raise UsageError(f"{where} must be at most {_LARGEST}, and is {number}")
        if key.endswith("_days") and number > _MOST_DAYS:
            raise UsageError(f"{where} must be at most {_MOST_DAYS} days, and is {number}")
        return number
    if kind is str:
        if not isinstance(value, str):
            raise UsageError(f"{where} must be text, not {value!r}")
        return value
    if isinstance(value, str):
        return tuple(part for part in value.split(os.pathsep) if part)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return tuple(value)
    raise UsageError(f"{where} must be a list of texts, not {value!r}")


def _switch(value: object, where: str) -> bool:
    word = str(value).lower()
    if word not in _SWITCHES:
        raise UsageError(f"{where} must be true or false, not {value!r}")
    return _SWITCHES[word]


def _nearest(word: str, known: tuple[str, ...]) -> str:
    near = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean {near[0]!r}?" if near else f"; known: {', '.join(known)}"
