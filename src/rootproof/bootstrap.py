"""Settings to services: the only module that names adapters. Heavy adapters are imported where they are used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from rootproof.domain.limits import RunLimits, ToolProjectionLimits
from rootproof.errors import SourceError, UsageError
from rootproof.settings import ModelSettings, Settings

if TYPE_CHECKING:
    from rootproof.adapters.index.folder import FolderKnowledge
    from rootproof.diagnosis.services import Services
    from rootproof.ports.model import Model
    from rootproof.ports.run_store import RunStore
    from rootproof.ports.skills import SkillCatalog
    from rootproof.ports.sources import Sources

DATABASE_NAME = "rootproof.db"
_STILL_LIVE = timedelta(minutes=10)
"""Log files whose newest record is younger than this are being written: the wall clock holds."""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What one run works with, opened."""

    sources: Sources
    skills: SkillCatalog
    question: str = ""
    now: datetime | None = None


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """How to open a run's inputs again in another process: paths only, no secrets."""

    bundle: str | None = None
    alert: str | None = None
    logs: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    timezone: str = "UTC"
    """Of log times that name none; a bundle has its own."""

    def as_json(self) -> dict[str, Any]:
        """For the run's row."""
        return {
            "bundle": self.bundle,
            "alert": self.alert,
            "logs": list(self.logs),
            "knowledge": list(self.knowledge),
            "timezone": self.timezone,
        }

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> SourceSpec:
        """From the run's row."""
        return cls(
            stored.get("bundle"),
            stored.get("alert"),
            tuple(stored.get("logs") or ()),
            tuple(stored.get("knowledge") or ()),
            stored.get("timezone") or "UTC",
        )


def limits_of(settings: Settings) -> RunLimits:
    """The run's budgets as set."""
    chosen = settings.limits
    return RunLimits(
        max_tool_calls=chosen.tool_calls,
        max_model_requests=chosen.model_requests,
        max_call_s=chosen.call_s,
        max_run_s=chosen.run_s,
        max_tokens=chosen.tokens,
        max_model_retries=settings.model.max_retries,
        model_deadline_s=settings.model.request_timeout_s,
        projection=ToolProjectionLimits(max_bytes=chosen.projection_bytes),
    )


def database_url(settings: Settings) -> str:
    """The SQLAlchemy URL in force."""
    return settings.store.url or f"sqlite+aiosqlite:///{settings.home / DATABASE_NAME}"


async def open_services(settings: Settings) -> Services:
    """The services on the configured store; the embedded one is made when it is not there.

    Raises: UsageError when the store's folder or server cannot be used; StoreError for a store that is broken.
    """
    from rootproof.adapters.memory.clock import SystemClock
    from rootproof.adapters.sql.canonical_store import SqlCanonicalStore
    from rootproof.adapters.sql.run_store import open_run_store
    from rootproof.diagnosis.services import Services

    if not settings.store.url:
        try:
            settings.home.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise UsageError(
                f"the folder {settings.home} cannot be made ({error}); set ROOTPROOF_STORE_HOME to one that can"
            ) from error
    runs = await open_run_store(database_url(settings))
    return Services(
        runs=runs,
        canonical=SqlCanonicalStore(runs.database),
        clock=SystemClock(),
        model=models(settings.model),
        limits=limits_of(settings),
        raw_ttl=timedelta(days=settings.store.raw_ttl_days),
        session_ttl=timedelta(days=settings.store.session_ttl_days),
    )


def memory_services(settings: Settings, model: Callable[[str], Model] | None = None) -> Services:
    """Services that keep nothing: for benchmarks and tests."""
    from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
    from rootproof.adapters.memory.clock import SystemClock
    from rootproof.adapters.memory.run_store import InMemoryRunStore
    from rootproof.diagnosis.services import Services

    runs: RunStore = InMemoryRunStore()
    return Services(runs, InMemoryCanonicalStore(), SystemClock(), model or models(settings.model), limits_of(settings))


def models(settings: ModelSettings) -> Callable[[str], Model]:
    """Models by spec: `playbook`, `openai:<model>`, `anthropic:<model>`."""

    def open_model(spec: str) -> Model:
        if spec == "playbook":
            from rootproof.agent.playbook.model import PlaybookModel

            return PlaybookModel()
        provider, _, name = spec.partition(":")
        if provider not in ("openai", "anthropic") or not name:
            raise UsageError(
                f"model {spec!r} is not known; use `playbook`, `openai:<model>` or `anthropic:<model>`, with "
                "ROOTPROOF_MODEL_BASE_URL for another OpenAI-compatible server"
            )
        from rootproof.adapters.models.provider import ProviderModel

        return ProviderModel(spec, base_url=settings.base_url or None, api_key_env=settings.api_key_env or None)

    return open_model


def check_model(settings: Settings, spec: str) -> None:
    """Refuse a spec that names no model before a run is made for it. Raises: UsageError."""
    models(settings.model)(spec)


def open_inputs(settings: Settings, spec: SourceSpec) -> RunInputs:
    """The sources, skills, question and clock of a run.

    Raises: UsageError for a path that is not there or a bundle that cannot be read.
    """
    from rootproof.ports.sources import Sources

    question = ""
    now: datetime | None = None
    sources = Sources()
    knowledge_paths = [Path(path) for path in (*settings.sources.knowledge, *spec.knowledge)]
    skill_paths = [Path(path) for path in settings.sources.skills]
    if spec.bundle is not None:
        from rootproof.adapters.sources.bundle import open_bundle

        bundle = open_bundle(Path(spec.bundle))
        question, now = bundle.question or "", bundle.now
        sources = bundle.sources()
        knowledge_paths += [bundle.knowledge_dir] if bundle.knowledge_dir else []
        skill_paths += [bundle.skills_dir] if bundle.skills_dir else []
    if spec.logs and sources.logs is not None:
        raise UsageError(f"the bundle {spec.bundle} has logs of its own: give --bundle or --logs, not both")
    log_paths = [Path(path) for path in spec.logs or (settings.sources.logs if spec.bundle is None else ())]
    for path in log_paths:
        if not path.exists():
            raise UsageError(f"the logs {path} are not there; give a file or a folder that exists")
    if log_paths:
        from rootproof.adapters.sources.files import FolderLogs

        sources = replace(sources, logs=FolderLogs(log_paths, timezone_of(spec.timezone)))
    if spec.alert is not None:
        sources = replace(sources, payload=read_alert(Path(spec.alert)))
    if knowledge_paths:
        knowledge = open_knowledge_source(settings, knowledge_paths)
        sources = replace(sources, knowledge=knowledge, notes=(*sources.notes, *knowledge.problems))
    return RunInputs(sources, open_skills(skill_paths), question, now)


async def clock_of(inputs: RunInputs, services: Services) -> datetime | None:
    """The clock of an investigation of recorded inputs: the bundle's, else the newest record of log files that ended
    before now. None means the wall clock."""
    from rootproof.adapters.sources.files import FolderLogs

    if inputs.now is not None or not isinstance(inputs.sources.logs, FolderLogs):
        return inputs.now
    try:
        newest = await inputs.sources.logs.newest_at(deadline_s=services.limits.max_call_s)
    except SourceError:
        return None  # the run asks the same source and reports what it says
    return newest if newest is not None and newest < services.clock.now() - _STILL_LIVE else None


def timezone_of(name: str) -> tzinfo:
    """The zone of that name. Raises: UsageError."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError(f"there is no timezone {name!r}; use a name such as UTC or Asia/Tokyo") from error


def open_knowledge_source(settings: Settings, paths: Sequence[Path]) -> FolderKnowledge:
    """The documents of `paths` as a knowledge source, with its problems. Raises: UsageError."""
    from rootproof.adapters.index.folder import open_knowledge

    return open_knowledge(list(paths), cache_dir=settings.home / "index")


def open_skills(paths: Sequence[Path]) -> Any:
    """The built-in skills, with those of `paths` over them."""
    from rootproof.skills.builtin import builtin_texts
    from rootproof.skills.catalog import Catalog

    texts = list(builtin_texts())
    for folder in paths:
        texts += skill_texts(folder)
    return Catalog(texts)


def skill_texts(folder: Path) -> list[tuple[str, str]]:
    """(path, text) of every `SKILL.md` below a folder, two levels deep at most. Raises: UsageError."""
    if not folder.is_dir():
        raise UsageError(f"{folder} is not a folder of skills; give the folder that holds <name>/SKILL.md")
    found = sorted({*folder.glob("SKILL.md"), *folder.glob("*/SKILL.md"), *folder.glob("*/*/SKILL.md")})
    return [(str(path), path.read_text(encoding="utf-8", errors="replace")) for path in found[:500]]


def read_alert(path: Path) -> Any:
    """The alerts of a payload file. Raises: UsageError for a file that holds none."""
    from rootproof.domain.alert import PayloadKind
    from rootproof.intake.normalize import normalize

    try:
        payload = normalize(path.read_bytes())
    except OSError as error:
        raise UsageError(f"the alert file {path} cannot be read: {error.strerror or error}") from error
    if payload.kind is not PayloadKind.ALERT:
        seen = ", ".join(payload.seen) or "nothing known"
        raise UsageError(
            f"{path} holds no alert that is recognised ({payload.kind}; seen: {seen}); "
            f"`rootproof alerts normalize {path}` shows how it was read"
        )
    return payload.alerts
