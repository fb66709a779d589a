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
    from rootproof.adapters.sources.files import FolderLogs
    from rootproof.adapters.sources.skillfiles import SkillFiles
    from rootproof.diagnosis.recording import Recording
    from rootproof.diagnosis.replay import ReplayView, Stage
    from rootproof.diagnosis.services import Services
    from rootproof.domain.alert import Alert
    from rootproof.ports.model import Model
    from rootproof.ports.run_store import RunRows, RunStore
    from rootproof.ports.skills import SkillCatalog
    from rootproof.ports.sources import Sources
    from rootproof.skills.catalog import Catalog

DATABASE_NAME = "rootproof.db"
INDEX_NAME = "index"
MAX_NOTES = 100
"""Things that were found and not used, of one run."""
_STILL_LIVE = timedelta(minutes=10)
"""Log files whose newest record is younger than this are being written: the wall clock holds."""


@dataclass(frozen=True, slots=True)
class RunInputs:
    """What one run works with, opened."""

    sources: Sources
    skills: SkillCatalog
    question: str = ""
    now: datetime | None = None
    dated_by: FolderLogs | None = None
    """Log files whose newest record may be the clock."""


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """How to open a run's inputs again in another process: paths only, no secrets."""

    bundle: str | None = None
    alert: str | None = None
    logs: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    timezone: str = "UTC"
    """Of log times that name none; a bundle has its own."""
    payload: tuple[dict[str, Any], ...] | None = None
    """The alerts themselves, as `intake.stored_alert` writes them; they stand instead of those of a file or bundle."""

    def as_json(self) -> dict[str, Any]:
        """For the run's row."""
        return {
            "bundle": self.bundle,
            "alert": self.alert,
            "logs": list(self.logs),
            "knowledge": list(self.knowledge),
            "timezone": self.timezone,
        } | ({} if self.payload is None else {"payload": list(self.payload)})

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> SourceSpec:
        """From the run's row."""
        return cls(
            stored.get("bundle"),
            stored.get("alert"),
            tuple(stored.get("logs") or ()),
            tuple(stored.get("knowledge") or ()),
            stored.get("timezone") or "UTC",
            None if stored.get("payload") is None else tuple(stored["payload"]),
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
    from rootproof.bootstrap.policy import open_policy
    from rootproof.diagnosis.services import Services

    policy = open_policy(settings.redaction.policy)
    if not settings.store.url:
        _make_home(settings.home)
    elif settings.store.url.startswith("sqlite"):
        _make_private(Path(settings.store.url.partition(":///")[2].partition("?")[0]))
    runs = await open_run_store(database_url(settings))
    return Services(
        runs=runs,
        canonical=SqlCanonicalStore(runs.database),
        clock=SystemClock(),
        model=models(settings.model),
        limits=limits_of(settings),
        policy=policy,
        raw_ttl=timedelta(days=settings.store.raw_ttl_days),
        session_ttl=timedelta(days=settings.store.session_ttl_days),
    )


def _make_home(home: Path) -> None:
    """The folder and file of the embedded store, for this user only; those that are there lose others' rights.

    A folder that holds other things than ours is left as it is: its owner chose who may read it.
    Raises: UsageError when they cannot be made.
    """
    from rootproof.adapters.index.private import make_folder, tighten

    try:
        make_folder(home)
        if all(entry.name.startswith((DATABASE_NAME, INDEX_NAME)) for entry in home.iterdir()):
            tighten(home)
        tighten(home / INDEX_NAME)
        _make_private(home / DATABASE_NAME)
    except OSError as error:
        raise UsageError(
            f"the folder {home} cannot be used ({error}); set ROOTPROOF_STORE_HOME to one that can be written"
        ) from error


def _make_private(database: Path) -> None:
    """The SQLite file and what SQLite keeps beside it, which takes over the file's rights. Raises: OSError."""
    from rootproof.adapters.index.private import make_file, tighten

    if not database.name or database.name == ":memory:" or not database.parent.is_dir():
        return  # in memory, or for the store to say what is wrong
    make_file(database)
    for ending in ("", "-wal", "-shm"):
        tighten(database.with_name(database.name + ending))


def memory_services(settings: Settings, model: Callable[[str, SkillCatalog], Model] | None = None) -> Services:
    """Services that keep nothing: for benchmarks and tests."""
    from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
    from rootproof.adapters.memory.clock import SystemClock
    from rootproof.adapters.memory.run_store import InMemoryRunStore
    from rootproof.diagnosis.services import Services

    runs: RunStore = InMemoryRunStore()
    return Services(runs, InMemoryCanonicalStore(), SystemClock(), model or models(settings.model), limits_of(settings))


async def replay(services: Services, rows: RunRows) -> ReplayView:
    """A stored run played again. Raises: UsageError for a run that has not ended; StoreError."""
    from rootproof.adapters.memory.recorded import Echo
    from rootproof.diagnosis.replay import replay_run

    return await replay_run(services, rows, replay_stage, Echo())


def replay_stage(recording: Recording) -> Stage:
    """Where a recorded run is played again: nothing of it reaches a store, a model or a source."""
    from rootproof.adapters.memory.canonical_store import InMemoryCanonicalStore
    from rootproof.adapters.memory.recorded import (
        RecordedClock,
        RecordedModel,
        RecordedRunStore,
        RecordedSkills,
        RecordedSource,
    )
    from rootproof.diagnosis.replay import Stage
    from rootproof.diagnosis.services import Services
    from rootproof.ports.sources import Sources

    clock = RecordedClock(recording.ended_at, recording.schedule, recording.rows, recording.stop)
    runs = RecordedRunStore(clock, recording.said, recording.given)
    turns = list(recording.turns)

    def source(tool: str) -> RecordedSource | None:
        known = recording.tools.get(tool)
        return RecordedSource(known.name, known.kind, recording.answers.get(tool, {})) if known is not None else None

    return Stage(
        Services(
            runs,
            InMemoryCanonicalStore(),
            clock,
            model=lambda spec, _skills: RecordedModel(spec, turns),
            limits=recording.limits,
        ),
        Sources(
            logs=source("query_logs"),
            metrics=source("query_metrics"),
            alerts=source("query_alerts"),
            cluster=source("query_cluster"),
            knowledge=source("lookup_knowledge"),
            notes=recording.notes,
        ),
        RecordedSkills(recording.skills, list(recording.skill_reads)),
    )


def models(settings: ModelSettings) -> Callable[[str, SkillCatalog], Model]:
    """Models by spec: `playbook`, `openai:<model>`, `anthropic:<model>`."""

    def open_model(spec: str, skills: SkillCatalog) -> Model:
        if spec == "playbook":
            from rootproof.agent.playbook.catalogue import Catalogue
            from rootproof.agent.playbook.model import PlaybookModel

            return PlaybookModel(Catalogue.of(skills.playbooks()))
        provider, _, name = spec.partition(":")
        if provider not in ("openai", "anthropic") or not name:
            raise UsageError(
                f"model {spec!r} is not known; use `playbook`, `openai:<model>` or `anthropic:<model>`, with "
                "ROOTPROOF_MODEL_BASE_URL for another OpenAI-compatible server"
            )
        from rootproof.adapters.models.provider import ProviderModel

        return ProviderModel(
            spec,
            base_url=settings.base_url or None,
            api_key_env=settings.api_key_env or None,
            idle_s=settings.idle_timeout_s,
        )

    return open_model


def check_model(settings: Settings, spec: str) -> None:
    """Refuse a spec that names no model before a run is made for it. Raises: UsageError."""
    from rootproof.skills.catalog import Catalog

    models(settings.model)(spec, Catalog([]))


def open_inputs(settings: Settings, spec: SourceSpec) -> RunInputs:
    """The sources, skills, question and clock of a run.

    Raises: UsageError for a path that is not there or a bundle that cannot be read.
    """
    from rootproof.bootstrap.log_sources import open_logs
    from rootproof.intake.stored_alert import alert_from_stored
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
    opened = open_logs(
        settings, log_paths, timezone_of(spec.timezone), named=bool(spec.logs), servers=spec.bundle is None
    )
    if opened.source is not None:
        sources = replace(sources, logs=opened.source, notes=(*sources.notes, *opened.notes))
    if spec.alert is not None:
        sources = replace(sources, payload=read_alert(Path(spec.alert)))
    if spec.payload is not None:
        sources = replace(sources, payload=tuple(alert_from_stored(alert) for alert in spec.payload))
    if knowledge_paths:
        knowledge = open_knowledge_source(settings, knowledge_paths)
        sources = replace(sources, knowledge=knowledge, notes=(*sources.notes, *knowledge.problems))
    skills, problems = _skills(skill_paths)
    notes = (*sources.notes, *problems, *_left_out(skills, skill_paths))
    return RunInputs(replace(sources, notes=notes[:MAX_NOTES]), skills, question, now, opened.dated_by)


async def clock_of(inputs: RunInputs, services: Services) -> datetime | None:
    """The clock of an investigation of recorded inputs: the bundle's, else the newest record of log files that ended
    before now. None means the wall clock."""
    if inputs.now is not None or inputs.dated_by is None:
        return inputs.now
    try:
        newest = await inputs.dated_by.newest_at(deadline_s=services.limits.max_call_s)
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

    return open_knowledge(list(paths), cache_dir=settings.home / INDEX_NAME)


def open_skills(paths: Sequence[Path]) -> Catalog:
    """The built-in skills, with those of `paths` over them. Raises: UsageError, also for a file that is not read."""
    catalog, problems = _skills(paths)
    if problems:
        raise UsageError("; ".join(problems))
    return catalog


def skill_files(folder: Path) -> SkillFiles:
    """Every `SKILL.md` and its sidecar below a folder, two levels deep at most. Raises: UsageError."""
    from rootproof.adapters.sources.skillfiles import read_skills

    found = read_skills(folder)
    if found.problems:
        raise UsageError("; ".join(found.problems))
    return found


def _skills(paths: Sequence[Path]) -> tuple[Catalog, list[str]]:
    """The skills, and what was found and not read."""
    from rootproof.adapters.sources.skillfiles import read_skills
    from rootproof.skills.builtin import builtin_sidecars, builtin_texts
    from rootproof.skills.catalog import Catalog

    found = [read_skills(folder) for folder in paths]
    texts = [*builtin_texts(), *(text for files in found for text in files.texts)]
    sidecars = [text for files in found for text in files.sidecars]
    catalog = Catalog(texts, sidecars, builtin_sidecars=builtin_sidecars)
    return catalog, [problem for files in found for problem in files.problems]


def _left_out(catalog: Catalog, paths: Sequence[Path]) -> list[str]:
    """One note for each skill of `paths` that is not usable, and what stands in its place."""
    from rootproof.adapters.sources.skillfiles import label_of
    from rootproof.redaction import without_credentials

    first = {item.path: item.problem.message for item in reversed(catalog.problems) if item.skipped}
    notes = []
    for path, message in first.items():
        folder = next((folder for folder in paths if Path(path).is_relative_to(folder)), Path(path).parent)
        what = "it is not used" if path.endswith(".toml") else "the skill is left out"
        notes.append(f"{label_of(Path(path), folder)}: {message}; {what}")
    # A note stands in a report, and shows what was wrong in a file, whatever that was.
    return [without_credentials(note) for note in notes]


def read_alert(path: Path) -> tuple[Alert, ...]:
    """The alerts of a payload file. Raises: UsageError for a file that holds none."""
    from rootproof.adapters.sources.documents import read_payload
    from rootproof.domain.alert import PayloadKind

    payload = read_payload(path, f"the alert file {path}")
    if payload.kind is not PayloadKind.ALERT:
        seen = ", ".join(payload.seen) or "nothing known"
        raise UsageError(
            f"{path} holds no alert that is recognised ({payload.kind}; seen: {seen}); "
            f"`rootproof alerts normalize {path}` shows how it was read"
        )
    return payload.alerts
