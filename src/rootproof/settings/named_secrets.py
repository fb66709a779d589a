"""Secrets by the name of their environment variable: settings name them, and hold none."""

from __future__ import annotations

import os
from collections.abc import Mapping

from rootproof.errors import UsageError
from rootproof.intake.signatures import Secrets, Vendor
from rootproof.settings.sections import IntakeSettings


def named_secret(name: str, setting: str, environ: Mapping[str, str] | None = None) -> str:
    """The secret in the variable `name`, empty where the setting names none.

    Raises: UsageError naming variable and setting when it is not set or empty: a check that is set up must not be
    switched off by a missing variable.
    """
    if not name:
        return ""
    found = (os.environ if environ is None else environ).get(name, "").strip()
    if not found:
        raise UsageError(
            f"{setting} names the environment variable {name!r}, which is not set or empty; set it, or clear {setting}"
        )
    return found


def intake_secrets(settings: IntakeSettings, environ: Mapping[str, str] | None = None) -> Secrets:
    """What the senders of alerts prove themselves with. Raises: UsageError for a variable that is not set."""
    named = {
        Vendor.PAGERDUTY: ("pagerduty_secret_env", settings.pagerduty_secret_env),
        Vendor.SENTRY: ("sentry_secret_env", settings.sentry_secret_env),
        Vendor.GRAFANA: ("grafana_secret_env", settings.grafana_secret_env),
    }
    signing = {vendor: named_secret(name, f"intake.{key}", environ) for vendor, (key, name) in named.items()}
    return Secrets(
        signing={vendor: secret for vendor, secret in signing.items() if secret},
        token=named_secret(settings.token_env, "intake.token_env", environ),
    )
