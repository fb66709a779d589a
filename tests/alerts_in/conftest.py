"""A backend on an embedded database, and the policy that alerts are taken by."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from rootproof.bootstrap.backend import open_backend
from rootproof.diagnosis.backend import Backend
from rootproof.settings import IntakeSettings, Settings, StoreSettings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=StoreSettings(home=str(tmp_path / "home")), intake=IntakeSettings(settle_s=0))


@pytest.fixture
async def backend(settings: Settings) -> AsyncIterator[Backend]:
    opened = await open_backend(settings)
    yield opened
    await opened.close()
