"""Log lines: one JSON object each, ids on every line of a run, no secret, whatever is logged."""

from __future__ import annotations

import asyncio
import io
import json
import logging
from collections.abc import Iterator

import pytest

from rootproof.adapters.observability.logs import LineFormatter, set_up_logging
from rootproof.errors import UsageError
from rootproof.telemetry import log_about

CANARY = "Zq7canary9Xw3secret5Lm1"
LOG = logging.getLogger("rootproof.test")


@pytest.fixture
def lines() -> Iterator[io.StringIO]:
    root = logging.getLogger()
    before, level = root.handlers, root.level
    stream = io.StringIO()
    set_up_logging("info", "json", stream=stream)
    yield stream
    root.handlers, root.level = before, level


def read(stream: io.StringIO) -> list[dict[str, object]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_lines_inside_a_run_carry_its_ids_and_lines_outside_none(lines: io.StringIO) -> None:
    LOG.info("before")
    with log_about("ses-1", "run-1"):
        LOG.info("inside")
    LOG.info("after")
    assert [(line["message"], line["session_id"], line["run_id"]) for line in read(lines)] == [
        ("before", None, None),
        ("inside", "ses-1", "run-1"),
        ("after", None, None),
    ]


async def test_runs_that_are_driven_at_once_do_not_mix_their_ids(lines: io.StringIO) -> None:
    async def run(number: int) -> None:
        with log_about(f"ses-{number}", f"run-{number}"):
            for _ in range(3):
                LOG.info("%s", number)
                await asyncio.sleep(0)

    await asyncio.gather(*(run(number) for number in range(5)))
    found = read(lines)
    assert len(found) == 15
    assert all(line["run_id"] == f"run-{line['message']}" for line in found)


@pytest.mark.parametrize(
    "text",
    [
        f"could not connect to mysql://root:{CANARY}@db:3306/x",
        f"header Authorization: Bearer {CANARY}",
        f'{{"password": "{CANARY}"}}',
        f"api_key={CANARY}",
    ],
)
def test_no_credential_reaches_a_line_as_message_argument_or_exception(lines: io.StringIO, text: str) -> None:
    LOG.warning(text)
    LOG.warning("it said: %s", text)
    try:
        raise ValueError(text)  # noqa: TRY301 - what is tested
    except ValueError:
        LOG.exception("failed")
    assert len(read(lines)) == 3
    assert CANARY not in lines.getvalue()
    assert "test_logs" in str(read(lines)[2]["frames"])


def test_a_line_is_one_line_bounded_and_without_terminal_codes(lines: io.StringIO) -> None:
    LOG.info("a\nforged {}\x1b[2J%s", "x" * 10_000)
    (line,) = read(lines)
    assert "\n" not in str(line["message"])
    assert "\x1b" not in lines.getvalue()
    assert len(str(line["message"])) < 5_000
    assert "cut:" in str(line["message"])


def test_arguments_that_do_not_fit_their_line_lose_nothing() -> None:
    record = logging.LogRecord("x", logging.INFO, "x.py", 1, "%d things", ("many",), None)
    assert json.loads(LineFormatter(as_json=True).format(record))["message"] == "%d things"


@pytest.mark.parametrize(("level", "form"), [("loud", "json"), ("info", "xml")])
def test_what_cannot_be_set_is_refused_with_what_can(level: str, form: str) -> None:
    with pytest.raises(UsageError, match=r"must be"):
        set_up_logging(level, form)


def test_text_lines_show_ids_too() -> None:
    root = logging.getLogger()
    before, level = root.handlers, root.level
    stream = io.StringIO()
    try:
        set_up_logging("info", "text", stream=stream)
        with log_about("ses-1", "run-1"):
            LOG.info("hello")
    finally:
        root.handlers, root.level = before, level
    assert "hello" in stream.getvalue()
    assert "run_id=run-1" in stream.getvalue()
