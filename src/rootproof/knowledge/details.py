"""The modular trace of a knowledge lookup, for `tool_invocation.retrieval_details`: the seed's keys, bounded."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

MAX_BYTES = 8_000
_MAX_TEXT_CHARS = 240
_MAX_ITEMS = 10
_MAX_DEPTH = 6
_SUMMARY_CHARS = 200
_TRIM_ORDER = ("rerankTrace", "retrievalTrace", "evidenceSummaries", "contextPack", "queryTransform")
_CASE_KEYS = ("class", "caseId", "runId", "causeId", "caseDate")
"""What a block of a past case has besides."""
_KEYS = ("queryTransform", "retrievalTrace", "rerankTrace", "contextPack")


def retrieval_details(raw: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a raw knowledge answer.

    Shape: always the keys queryTransform, retrievalTrace, rerankTrace, contextPack, fallbackReason, evidenceSummaries;
    at most MAX_BYTES of JSON. What the answer does not have, or has in another shape, is an empty mapping or list.
    Lists are cut to their first items, long texts end in an ellipsis, and a part dropped for size is replaced by
    `{"omitted": true}`.
    """
    details: dict[str, Any] = {
        key: _bounded(raw.get(key), 0) if isinstance(raw.get(key), Mapping) else {} for key in _KEYS
    }
    reason = raw.get("fallbackReason")
    details["fallbackReason"] = _text(reason, _MAX_TEXT_CHARS) if isinstance(reason, str) else None
    details["evidenceSummaries"] = _summaries(raw.get("evidenceBlocks"))
    for key in _TRIM_ORDER:
        if _size(details) <= MAX_BYTES:
            break
        details[key] = [] if key == "evidenceSummaries" else {"omitted": True}
    return details


def _summaries(blocks: object) -> list[dict[str, Any]]:
    if not isinstance(blocks, list):
        return []
    found = []
    for block in blocks[:_MAX_ITEMS]:
        if not isinstance(block, Mapping):
            continue
        content = block.get("content")
        found.append(
            {
                key: _bounded(block.get(key), _MAX_DEPTH - 1)
                for key in ("documentId", "source", "title", "breadcrumb", "version", "lineStart", "lineEnd", "score")
            }
            | {key: _bounded(block[key], _MAX_DEPTH - 1) for key in _CASE_KEYS if key in block}
            | {
                "hitReasons": _bounded(block.get("hitReasons"), _MAX_DEPTH - 1) or [],
                "summary": _text(" ".join(content.split()), _SUMMARY_CHARS) if isinstance(content, str) else "",
            }
        )
    return found


def _bounded(value: object, depth: int) -> Any:
    if isinstance(value, str):
        return _text(value, _MAX_TEXT_CHARS)
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if depth >= _MAX_DEPTH:
        return None
    if isinstance(value, Mapping):
        items = list(value.items())[: _MAX_ITEMS * 2]
        return {_text(str(key), _MAX_TEXT_CHARS): _bounded(item, depth + 1) for key, item in items}
    if isinstance(value, (list, tuple)):
        return [_bounded(item, depth + 1) for item in value[:_MAX_ITEMS]]
    return _text(str(value), _MAX_TEXT_CHARS)


def _text(text: str, limit: int) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


def _size(details: Mapping[str, Any]) -> int:
    return len(json.dumps(details, ensure_ascii=False).encode("utf-8", "surrogatepass"))
