"""Settings for all tests: hypothesis without a deadline (machines are noisy), and one place that says where data is."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("rootproof", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("rootproof")


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real inputs; the test is skipped with a reason where there is none."""
    folder = Path(os.environ.get("ROOTPROOF_DATA", Path(__file__).parents[1] / ".." / "shared" / "data")).resolve()
    if not folder.is_dir():
        pytest.skip(f"no incident data at {folder}: set ROOTPROOF_DATA")
    return folder
