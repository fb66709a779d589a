"""Settings to log sources: the configured servers, and files beside them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rootproof.adapters.sources.records import APPLICATION, SLOW_QUERY, SYSTEM_EVENTS
from rootproof.errors import UsageError
from rootproof.settings import ElasticsearchSettings, LokiSettings, Settings, VictoriaLogsSettings
from rootproof.settings.named_secrets import named_secret

if TYPE_CHECKING:
    from rootproof.adapters.sources.files import FolderLogs
    from rootproof.adapters.sources.http_json import Credentials
    from rootproof.ports.sources import LogSource


@dataclass(frozen=True, slots=True)
class OpenedLogs:
    """The logs of a run without a bundle."""

    source: LogSource | None = None
    notes: tuple[str, ...] = ()
    dated_by: FolderLogs | None = None
    """The files whose newest record may be the run's clock; None where a server is asked and no file was named."""


def open_logs(settings: Settings, paths: Sequence[Path], timezone: tzinfo, *, named: bool, servers: bool) -> OpenedLogs:
    """Files and folders at `paths` with the configured servers beside them, as one source.

    `named`: whether the paths were given for this run; `servers`: whether the servers are asked.
    Raises: UsageError for a path that is not there or a server that is not set up right.
    """
    for path in paths:
        if not path.exists():
            raise UsageError(f"the logs {path} are not there; give a file or a folder that exists")
        if not (path.is_file() or path.is_dir()):
            raise UsageError(
                f"the logs {path} are a device or a pipe, which is read once and more; save them to a file"
            )
    asked = configured_servers(settings) if servers else []
    sources = [open_log_server(settings, section) for section in asked]
    notes: tuple[str, ...] = ()
    dated_by = None
    if paths:
        from rootproof.adapters.sources.files import FolderLogs

        files = FolderLogs(paths, timezone)
        notes = files.look()
        dated_by = files if named or not sources else None
        sources = [files, *sources]
    if len(sources) > 1:
        from rootproof.adapters.sources.several_logs import SeveralLogs

        return OpenedLogs(SeveralLogs(sources), notes, dated_by)
    return OpenedLogs(sources[0] if sources else None, notes, dated_by)


def configured_servers(settings: Settings) -> list[str]:
    """The sections of the log servers whose `url` is set."""
    return [section for section in _OPENERS if getattr(settings, section).url]


def open_log_server(settings: Settings, section: str, environ: Mapping[str, str] | None = None) -> LogSource:
    """The log server of a section; nothing is asked of it yet.

    Raises: UsageError for a setting or a named variable that cannot be used.
    """
    return _OPENERS[section](getattr(settings, section), environ)


def _loki(chosen: LokiSettings, environ: Mapping[str, str] | None) -> LogSource:
    from rootproof.adapters.sources.http_json import HttpJson
    from rootproof.adapters.sources.loki import LokiLogs

    topics = {SLOW_QUERY: chosen.slow_query, SYSTEM_EVENTS: chosen.system_events}
    http = HttpJson(
        chosen.url,
        source=LokiLogs.name,
        headers={"X-Scope-OrgID": chosen.tenant} if chosen.tenant else None,
        credentials=_credentials("loki", chosen, environ),
        ca_file=chosen.ca_file,
    )
    return LokiLogs(
        http,
        service_label=chosen.service_label,
        selectors={APPLICATION: chosen.application} | {topic: text for topic, text in topics.items() if text},
        page_size=chosen.page_size,
        max_records=chosen.max_records,
    )


def _victorialogs(chosen: VictoriaLogsSettings, environ: Mapping[str, str] | None) -> LogSource:
    from rootproof.adapters.sources.http_json import HttpJson
    from rootproof.adapters.sources.victorialogs import VictoriaLogs

    tenant = {"AccountID": chosen.account_id, "ProjectID": chosen.project_id}
    topics = {APPLICATION: chosen.application, SLOW_QUERY: chosen.slow_query, SYSTEM_EVENTS: chosen.system_events}
    http = HttpJson(
        chosen.url,
        source=VictoriaLogs.name,
        headers={name: value for name, value in tenant.items() if value},
        credentials=_credentials("victorialogs", chosen, environ),
        ca_file=chosen.ca_file,
    )
    return VictoriaLogs(
        http,
        service_field=chosen.service_field,
        level_field=chosen.level_field,
        filters={topic: text for topic, text in topics.items() if text},
        max_records=chosen.max_records,
    )


def _elasticsearch(chosen: ElasticsearchSettings, environ: Mapping[str, str] | None) -> LogSource:
    from rootproof.adapters.sources.elasticsearch import ElasticsearchLogs
    from rootproof.adapters.sources.http_json import HttpJson

    http = HttpJson(
        chosen.url,
        source=ElasticsearchLogs.name,
        credentials=_credentials("elasticsearch", chosen, environ, scheme="ApiKey"),
        ca_file=chosen.ca_file,
    )
    return ElasticsearchLogs(
        http,
        indices={
            APPLICATION: chosen.application,
            SLOW_QUERY: chosen.slow_query,
            SYSTEM_EVENTS: chosen.system_events,
        },
        time_field=chosen.time_field,
        message_field=chosen.message_field,
        level_field=chosen.level_field,
        service_field=chosen.service_field,
        host_field=chosen.host_field,
        max_records=chosen.max_records,
    )


def _credentials(
    section: str,
    chosen: LokiSettings | VictoriaLogsSettings | ElasticsearchSettings,
    environ: Mapping[str, str] | None,
    *,
    scheme: str = "Bearer",
) -> Credentials:
    """A token, or a user with a password, or nothing. Raises: UsageError for both, and for half of one."""
    from rootproof.adapters.sources.http_json import Credentials

    if chosen.token_env and (chosen.user or chosen.password_env):
        raise UsageError(f"{section}.token_env and {section}.user are both set; keep the one that the server takes")
    if chosen.password_env and not chosen.user:
        raise UsageError(f"{section}.password_env is set and {section}.user is not; set both")
    return Credentials(
        token=named_secret(chosen.token_env, f"{section}.token_env", environ),
        scheme=scheme,
        user=chosen.user,
        password=named_secret(chosen.password_env, f"{section}.password_env", environ),
    )


_OPENERS: dict[str, Callable[[Any, Mapping[str, str] | None], LogSource]] = {
    "loki": _loki,
    "victorialogs": _victorialogs,
    "elasticsearch": _elasticsearch,
}
