"""The sections of `rootproof.toml`: every setting with its default and its unit. Secrets are named, never held."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreSettings:
    """Where runs are kept."""

    url: str = ""
    """SQLAlchemy URL of the store (`sqlite+aiosqlite:///`, `mysql+asyncmy://`, `postgresql+psycopg://`); empty means
    the embedded SQLite file in `store.home`."""
    home: str = ""
    """Folder of embedded files; empty means `$XDG_DATA_HOME/rootproof` or `~/.local/share/rootproof`."""
    raw_ttl_days: int = 7
    """Days that complete raw outputs of tools are kept."""
    session_ttl_days: int = 30
    """Days after which a session is marked as expired; its runs stay."""


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model diagnoses."""

    name: str = "playbook"
    """Which model diagnoses: `playbook` (built in: no key, no network), `openai:<model>` or `anthropic:<model>`."""
    base_url: str = ""
    """Address of an OpenAI-compatible server to use instead of the provider's own."""
    api_key_env: str = ""
    """Name of the variable that holds the key; empty means the provider's usual one."""
    request_timeout_s: int = 120
    """Seconds that one model turn may take, tries included."""
    idle_timeout_s: int = 30
    """Seconds that a reply which has begun may stand still."""
    max_retries: int = 2
    """How often a request is sent again where nothing was received."""


@dataclass(frozen=True, slots=True)
class LimitSettings:
    """Budgets of one run."""

    tool_calls: int = 40
    """Tool calls of one run, refused ones included."""
    model_requests: int = 30
    """Model turns of one run."""
    call_s: int = 30
    """Seconds that one tool call may take."""
    run_s: int = 600
    """Seconds that a run may take before it must report."""
    tokens: int = 400_000
    """Input and output tokens of one run together."""
    projection_bytes: int = 7_000
    """UTF-8 bytes of one tool result that a model sees."""


@dataclass(frozen=True, slots=True)
class SourceSettings:
    """What every diagnosis may look at beside what is given on the command line."""

    logs: tuple[str, ...] = ()
    """Log files or folders."""
    knowledge: tuple[str, ...] = ()
    """Folders of runbooks."""
    skills: tuple[str, ...] = ()
    """Folders of own skills; a skill replaces a built-in one of the same name."""
    bundle: str = ""
    """A recorded incident that every run of the service looks at: for trying it out."""


@dataclass(frozen=True, slots=True)
class LokiSettings:
    """Logs in Grafana Loki: every diagnosis without a bundle asks it where `url` is set."""

    url: str = ""
    """Address of the server, such as `https://loki.example.com`; a path prefix may follow."""
    token_env: str = ""
    """Name of the variable with a bearer token."""
    user: str = ""
    """User of basic authentication."""
    password_env: str = ""
    """Name of the variable with that user's password."""
    tenant: str = ""
    """Sent as `X-Scope-OrgID`."""
    ca_file: str = ""
    """PEM file of the authority that signed the server's certificate; empty means the system's authorities."""
    service_label: str = "service_name"
    """Label that names the service; where the server does not have it, `service`, `app`, `job` and `container` are
    tried."""
    application: str = ""
    """Stream selector of application logs, such as `{namespace="shop"}`; empty means every stream."""
    slow_query: str = ""
    """Stream selector of slow-query logs; empty means that Loki has none."""
    system_events: str = ""
    """Stream selector of system events; empty means that Loki has none."""
    page_size: int = 5_000
    """Lines of one request; the server's `max_entries_limit_per_query`."""
    max_records: int = 20_000
    """Most lines that one tool call pulls; the newest are kept."""


@dataclass(frozen=True, slots=True)
class VictoriaLogsSettings:
    """Logs in VictoriaLogs: every diagnosis without a bundle asks it where `url` is set."""

    url: str = ""
    """Address of the server, such as `http://victorialogs:9428`; a path prefix may follow."""
    token_env: str = ""
    """Name of the variable with a bearer token."""
    user: str = ""
    """User of basic authentication."""
    password_env: str = ""
    """Name of the variable with that user's password."""
    account_id: str = ""
    """Sent as `AccountID`."""
    project_id: str = ""
    """Sent as `ProjectID`."""
    ca_file: str = ""
    """PEM file of the authority that signed the server's certificate; empty means the system's authorities."""
    service_field: str = "service.name"
    """Field that names the service; `service`, `app`, `job`, `container` and Kubernetes' own names are looked at
    too."""
    level_field: str = "level"
    """Field that holds the level."""
    application: str = "*"
    """LogsQL filter of application logs, such as `{namespace="shop"}`."""
    slow_query: str = ""
    """LogsQL filter of slow-query logs; empty means that VictoriaLogs has none."""
    system_events: str = ""
    """LogsQL filter of system events; empty means that VictoriaLogs has none."""
    max_records: int = 20_000
    """Most records that one tool call pulls; the newest are kept."""


@dataclass(frozen=True, slots=True)
class ElasticsearchSettings:
    """Logs in Elasticsearch or OpenSearch: every diagnosis without a bundle asks it where `url` is set."""

    url: str = ""
    """Address of the server, such as `https://search.example.com:9200`; a path prefix may follow."""
    token_env: str = ""
    """Name of the variable with an API key (sent as `ApiKey`)."""
    user: str = ""
    """User of basic authentication."""
    password_env: str = ""
    """Name of the variable with that user's password."""
    ca_file: str = ""
    """PEM file of the authority that signed the server's certificate; empty means the system's authorities."""
    application: str = "logs-*,filebeat-*"
    """Index pattern of application logs."""
    slow_query: str = ""
    """Index pattern of slow-query logs; empty means that Elasticsearch has none."""
    system_events: str = ""
    """Index pattern of system events; empty means that Elasticsearch has none."""
    time_field: str = "@timestamp"
    """Field with a record's time."""
    message_field: str = "message"
    """Field with its text."""
    level_field: str = "log.level"
    """Field with its level."""
    service_field: str = "service.name"
    """Field with its service."""
    host_field: str = "host.name"
    """Field with its host or pod."""
    max_records: int = 20_000
    """Most records that one tool call pulls; the newest are kept."""


@dataclass(frozen=True, slots=True)
class RedactionSettings:
    """What a model may see."""

    policy: str = ""
    """A TOML file with `[identifiers]` and one switch a class, such as `ip = false`; empty hides every class."""


@dataclass(frozen=True, slots=True)
class ServerSettings:
    """`rootproof serve`."""

    host: str = "127.0.0.1"
    """Without API keys only a loopback address is accepted."""
    port: int = 8420
    """Where it listens."""
    public_url: str = ""
    """How others reach the server, for links in messages."""
    allowed_hosts: tuple[str, ...] = ()
    """Names in `Host` beside the loopback ones, `host` and that of `public_url`."""
    grace_s: int = 20
    """Seconds that work under way may take after SIGTERM."""
    max_body_bytes: int = 1_048_576
    """Largest request body; a larger one is refused with 413."""
    heartbeat_s: int = 15
    """Seconds between signs of life on a quiet stream."""
    max_streams: int = 2_000
    """Streams at once; one more is refused with 503."""


@dataclass(frozen=True, slots=True)
class RedisSettings:
    """Session context, raw outputs, events and queue; embedded where `url` is empty."""

    url: str = ""
    """`redis://host:6379/0`."""
    prefix: str = "rootproof"
    """Begins every key."""
    timeout_s: int = 2
    """Seconds to wait for Redis before going on without it."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """Who carries out runs."""

    concurrency: int = 4
    """Runs at once in one process; 0: `serve` takes none itself."""
    lease_s: int = 30
    """Seconds after which a silent worker's run is given to another one."""
    sweep_s: int = 5
    """Seconds between looks for runs that nobody works on."""
    max_queued: int = 1_000
    """Runs waiting; one more is refused with 503 and `Retry-After`."""


@dataclass(frozen=True, slots=True)
class IntakeSettings:
    """Alerts that come in by webhook."""

    owner: str = "local"
    """Whose incidents they are where the sender is known by its signature and has no API key."""
    group_labels: tuple[str, ...] = ("cluster", "namespace", "service", "alertname")
    """What alerts of one incident have in common, where the sender does not group them itself."""
    cool_down_s: int = 900
    """Seconds after a run's end before the same incident may begin another."""
    settle_s: int = 5
    """Seconds between an incident's first alert and its run, so that a storm is seen whole."""
    daily_runs: int = 200
    """Runs that alerts may begin in 24 hours; the rest waits, visibly."""
    max_open_runs: int = 4
    """Runs of alerts at the same time."""
    replay_window_s: int = 300
    """How old a signed delivery may be."""
    pagerduty_secret_env: str = ""
    """Name of the variable with the signing secret of the PagerDuty webhook."""
    sentry_secret_env: str = ""
    """Name of the variable with the client secret of the Sentry integration."""
    grafana_secret_env: str = ""
    """Name of the variable with the HMAC secret of the Grafana contact point."""
    token_env: str = ""
    """Variable with the token of senders that do not sign (`Authorization: Bearer`, `X-Rootproof-Token`)."""
    sns_topics: tuple[str, ...] = ()
    """ARNs of the SNS topics whose signed messages are taken."""


@dataclass(frozen=True, slots=True)
class NotifySettings:
    """Where finished reports of alert runs go."""

    webhook_url: str = ""
    """Where finished reports are posted as JSON."""
    webhook_secret_env: str = ""
    """Name of the variable with the secret that signs outgoing webhooks (HMAC-SHA256)."""
    slack_url_env: str = ""
    """Name of the variable with a Slack-compatible incoming webhook's address: the address is the secret."""
    allow_private: bool = False
    """Whether messages may go to loopback and private addresses."""
    chat_runs: bool = False
    """Whether reports of questions are sent too."""


@dataclass(frozen=True, slots=True)
class TelemetrySettings:
    """Logs and traces of Rootproof itself."""

    log_level: str = "info"
    """`debug`, `info`, `warning` or `error`."""
    log_format: str = "json"
    """`json` or `text`, on stderr."""
    otlp_endpoint: str = ""
    """OTLP/HTTP address; empty: no spans. Needs the extra `otel`."""
    content: bool = False
    """Whether spans hold prompts and answers, redacted; else only names, counts and times."""
