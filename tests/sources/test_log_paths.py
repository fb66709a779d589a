"""What `--logs` is given: a file or a folder, and nothing that can be read only once."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rootproof.bootstrap import SourceSpec, open_inputs
from rootproof.errors import UsageError
from rootproof.settings import Settings


def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.log"
    os.mkfifo(pipe)
    with pytest.raises(UsageError, match="save them to a file"):
        open_inputs(Settings(), SourceSpec(logs=(str(pipe),)))


def test_a_path_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"gone\.log are not there"):
        open_inputs(Settings(), SourceSpec(logs=(str(tmp_path / "gone.log"),)))
