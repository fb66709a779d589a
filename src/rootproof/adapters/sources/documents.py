"""JSON files of a recorded source, read strictly at query time: a broken one makes its source say so."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rootproof.domain.alert import NormalizedPayload
from rootproof.errors import SourceDenied, SourceGarbled, SourceUnavailable, UsageError
from rootproof.intake.document import MAX_BYTES as MAX_PAYLOAD_BYTES
from rootproof.intake.normalize import normalize

MAX_BYTES = 64 * 1024 * 1024


def read_at_most(path: Path, max_bytes: int) -> bytes:
    """The file's bytes; one more than `max_bytes` of them where it is longer. Raises: OSError."""
    with path.open("rb") as stream:
        return stream.read(max_bytes + 1)


def read_payload(path: Path, label: str) -> NormalizedPayload:
    """What the alert payload in the file holds. Raises: UsageError, also where it is too large or refused."""
    try:
        content = read_at_most(path, MAX_PAYLOAD_BYTES)
    except OSError as error:
        raise UsageError(f"{label}: {error.strerror or error}. Give a file that this user may read.") from error
    if len(content) > MAX_PAYLOAD_BYTES:
        raise UsageError(
            f"{label}: larger than {MAX_PAYLOAD_BYTES // 2**20} MiB, which no alert payload is. Give the webhook body."
        )
    try:
        return normalize(content)
    except UsageError as error:
        raise UsageError(f"{label}: {error}") from error


def read_text(path: Path, label: str, *, max_bytes: int = MAX_BYTES) -> str:
    """The file as text. Raises: SourceDenied, SourceUnavailable with the system's words; SourceGarbled."""
    try:
        content = read_at_most(path, max_bytes)
        if len(content) > max_bytes:
            raise SourceGarbled(f"{label}: larger than {max_bytes // 2**20} MiB. Record less, or split the file.")
        return content.decode("utf-8-sig")
    except PermissionError as error:
        raise SourceDenied(f"{label}: {error.strerror}. Give the user that runs this read access.") from error
    except OSError as error:
        raise SourceUnavailable(f"{label}: {error.strerror or error}. Check that the file is still there.") from error
    except UnicodeDecodeError as error:
        raise SourceGarbled(f"{label}: not UTF-8 at byte {error.start}. Save it as UTF-8.") from error


def read_json(path: Path, label: str) -> Any:
    """The file's JSON value; `NaN` and `Infinity` are read as null. Raises: as `read_text`."""
    try:
        return json.loads(read_text(path, label), parse_constant=lambda _: None)
    except json.JSONDecodeError as error:
        raise SourceGarbled(
            f"{label}: not JSON: {error.msg} at line {error.lineno}, column {error.colno}. Repair or remove the file."
        ) from error
    except (ValueError, RecursionError) as error:
        raise SourceGarbled(f"{label}: cannot be read as JSON: {error}. Repair or remove the file.") from error


def garbled(label: str, found: str, wanted: str) -> SourceGarbled:
    """The error for a value of the wrong shape, with what was there and what should be."""
    return SourceGarbled(f"{label}: {found}, expected {wanted}. Repair or remove the file.")


def answer_of(body: Any, label: str) -> Any:
    """The `data` of a Prometheus HTTP API answer, or the body itself where it is no such answer.

    Raises: SourceUnavailable with the monitoring system's words when it answered with an error.
    """
    if not isinstance(body, dict) or "status" not in body:
        return body
    if body["status"] == "error":
        raise SourceUnavailable(f"{label}: recorded error {body.get('errorType', '')}: {body.get('error', 'no words')}")
    return body.get("data", body)
