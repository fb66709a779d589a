"""Where reports go, as set: addresses and secrets come from the environment where they are secret."""

from __future__ import annotations

from collections.abc import Mapping

from rootproof.domain.outgoing import ReportTargets, Target, TargetKind
from rootproof.settings import Settings
from rootproof.settings.named_secrets import named_secret


def report_targets(settings: Settings, environ: Mapping[str, str] | None = None) -> ReportTargets:
    """The configured targets, none where nothing is set. Raises: UsageError for a variable that is not set."""
    chosen = settings.notify
    targets = []
    if chosen.webhook_url:
        secret = named_secret(chosen.webhook_secret_env, "notify.webhook_secret_env", environ)
        targets.append(Target("webhook", TargetKind.WEBHOOK, chosen.webhook_url, secret))
    if slack := named_secret(chosen.slack_url_env, "notify.slack_url_env", environ):
        targets.append(Target("slack", TargetKind.SLACK, slack))
    return ReportTargets(tuple(targets), chosen.chat_runs, settings.server.public_url)
