"""One HTTP client for log sources: bounded, within its deadline, and every failure says what came back."""

from __future__ import annotations

import asyncio
import gzip
import json
import ssl
import time
import tracemalloc
from contextlib import aclosing, asynccontextmanager, suppress
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from rootproof.adapters.sources.deadline import Deadline
from rootproof.adapters.sources.http_json import AnswerTooLarge, Credentials, HttpJson
from rootproof.errors import (
    QueryRejected,
    SourceDenied,
    SourceError,
    SourceGarbled,
    SourceTimeout,
    SourceUnavailable,
    UsageError,
)
from tests.outgoing.http_server import answer, served

CANARY = "kestrel-canary-5f1d0c9a77"
JSON = {"Content_Type": "application/json; charset=UTF-8"}


def within(seconds: float = 10.0) -> Deadline:
    return Deadline(seconds, "Hut")


def client(url: str, **options) -> HttpJson:
    return HttpJson(url, source="Hut", **options)


async def raised(kind: type[SourceError], *answers: bytes, deadline_s: float = 10.0, **options) -> str:
    """The words of the error that the answers lead to."""
    async with served(*answers) as local:
        with pytest.raises(kind) as found:
            await client(local.url, **options).get("/logs", {"q": "x"}, deadline=within(deadline_s))
    assert type(found.value) is kind
    return str(found.value)


def packed(body: bytes) -> bytes:
    return answer(200, gzip.compress(body), Content_Encoding="gzip", **JSON)


async def test_what_is_asked_and_what_comes_back():
    async with served(answer(200, b'{"a": [1, "\xc3\xa9"]}', **JSON)) as local:
        hut = client(f"{local.url}/prefix/", headers={"X-Scope-OrgID": "team|b"})
        assert await hut.get("/logs", {"q": '{a="b c"}', "limit": 3}, deadline=within()) == {"a": [1, "é"]}
        assert await hut.post("/logs", {"k": None}, params={"a": "1"}, deadline=within())
        assert await hut.post("/logs", form={"query": "x y"}, deadline=within())
        assert await hut.delete("/pit", {"id": "1"}, deadline=within())
    got, body, form, gone = local.seen
    assert (got.method, got.path) == ("GET", "/prefix/logs?q=%7Ba%3D%22b+c%22%7D&limit=3")
    assert (got.headers["x-scope-orgid"], got.headers["accept-encoding"]) == ("team|b", "gzip")
    assert "authorization" not in got.headers
    assert (body.path, json.loads(body.body)) == ("/prefix/logs?a=1", {"k": None})
    assert (form.body, form.headers["content-type"]) == (b"query=x+y", "application/x-www-form-urlencoded")
    assert (gone.method, json.loads(gone.body)) == ("DELETE", {"id": "1"})


@pytest.mark.parametrize(
    ("credentials", "sent"),
    [
        (Credentials(token="t0ken"), "bearer t0ken"),
        (Credentials(token="t0ken", scheme="ApiKey"), "apikey t0ken"),
        (Credentials(user="ann", password="p:w"), "basic yw5uona6dw=="),
    ],
)
async def test_credentials_go_in_the_header(credentials, sent):
    async with served(answer(200, b"{}", **JSON)) as local:
        await client(local.url, credentials=credentials).get("/", deadline=within())
    assert local.seen[0].headers["authorization"] == sent


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (401, SourceDenied, "credentials"),
        (403, SourceDenied, "credentials"),
        (400, QueryRejected, "400 at /logs"),
        (422, QueryRejected, "422 at /logs"),
        (404, SourceUnavailable, "404 at /logs"),
        (500, SourceUnavailable, "500"),
        (502, SourceUnavailable, "502"),
        (504, SourceTimeout, "shorter window"),
        (301, SourceUnavailable, "redirect"),
        (307, SourceUnavailable, "redirect"),
    ],
)
async def test_a_status_is_a_typed_error_with_the_servers_own_words(status, kind, said):
    words = await raised(kind, answer(status, b"parse error at line 1, col 9", Location="http://127.0.0.1:1/"))
    assert said in words
    assert words.startswith(f"Hut answered {status} at /logs: ")
    assert "parse error at line 1, col 9" in words or status in (301, 307)
    assert "?q" not in words


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"status": "error", "errorType": "bad_data", "error": "unknown label"}', "unknown label"),
        (
            b'{"error": {"root_cause": [], "type": "x", "reason": "no such index [a]"}, "status": 400}',
            "no such index [a]",
        ),
        (b'{"message": "limit too high"}', "limit too high"),
        (b"", "no reason given"),
        (b"\xff\x00bad", "bad"),
        (b"[" * 50_000, "[[["),
    ],
)
async def test_the_explanation_is_found_in_the_error_document(body, said):
    words = await raised(QueryRejected, answer(400, body))
    assert said in words
    assert len(words) < 700


async def test_a_long_explanation_is_cut():
    assert len(await raised(QueryRejected, answer(400, b"why " * 100_000))) < 600


@pytest.mark.parametrize("status", [429, 503])
async def test_a_busy_server_is_asked_again_when_it_says_so(status):
    busy = answer(status, b"later", Retry_After="0")
    async with served(busy, busy, answer(200, b'{"ok": 1}', **JSON)) as local:
        assert await client(local.url).get("/", deadline=within()) == {"ok": 1}
    assert len(local.seen) == 3


async def test_a_server_that_stays_busy_is_asked_three_times_in_all():
    async with served(answer(429, b"too many outstanding requests", Retry_After="0")) as local:
        with pytest.raises(SourceUnavailable, match="429 at /: too many outstanding requests"):
            await client(local.url).get("/", deadline=within())
    assert len(local.seen) == 3


@pytest.mark.parametrize("after", ["3600", format_datetime(datetime.now(UTC) + timedelta(days=9), usegmt=True)])
async def test_a_wait_that_the_deadline_does_not_allow_is_not_begun(after):
    async with served(answer(503, b"later", Retry_After=after)) as local:
        with pytest.raises(SourceUnavailable, match="503"):
            await client(local.url).get("/", deadline=within(100))
    assert len(local.seen) == 1


@pytest.mark.parametrize("after", ["Mon, 01 Jan 2024 00:00:00 GMT", "Mon, 01 Jan 2024 00:00:00 -0000"])
async def test_a_date_that_has_passed_or_has_no_zone_is_no_long_wait(after):
    async with served(answer(503, Retry_After=after), answer(200, b"1", **JSON)) as local:
        assert await client(local.url).get("/", deadline=within()) == 1


async def test_what_is_no_json_is_named_with_its_beginning():
    page = b"<html><title>Sign in</title>" + b"x" * 5_000
    words = await raised(SourceGarbled, answer(200, page, Content_Type="text/html; charset=utf-8"))
    assert "text/html" in words
    assert "text/plain" in await raised(SourceGarbled, answer(200, b"{}", Content_Type="text/plain"))
    assert "Sign in" in words
    assert len(words) < 500


@pytest.mark.parametrize("body", [b"", b'{"a": ', b'{"a": NaN}', b"[" * 100_000, b'{"a": 1} trailing', b"\xff\xfe"])
async def test_json_that_is_broken_is_garbled(body):
    assert "did not answer with JSON" in await raised(SourceGarbled, answer(200, body, **JSON))


async def test_an_answer_over_the_limit_is_refused_while_it_comes():
    body = json.dumps("x" * 20_000).encode()
    words = await raised(AnswerTooLarge, answer(200, body, **JSON), max_bytes=10_000)
    assert "more than 10000 bytes" in words
    async with served(answer(200, body, **JSON)) as local:
        assert len(await client(local.url, max_bytes=len(body)).get("/", deadline=within())) == 20_000


async def test_a_small_packed_answer_that_unpacks_to_a_large_one_is_refused():
    bomb = packed(b'"' + b" " * 300_000_000 + b'"')
    assert len(bomb) < 400_000
    tracemalloc.start()
    try:
        await raised(AnswerTooLarge, bomb, max_bytes=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()


async def test_packed_answers_are_unpacked_and_broken_ones_named():
    body = json.dumps({"rows": list(range(50_000))}).encode()
    async with served(packed(body)) as local:
        assert len((await client(local.url).get("/", deadline=within()))["rows"]) == 50_000
    cut = answer(200, gzip.compress(body)[:-2_000], Content_Encoding="gzip", **JSON)
    assert "broke off" in await raised(SourceUnavailable, cut)
    assert "unpacked" in await raised(SourceGarbled, answer(200, b"not packed", Content_Encoding="gzip", **JSON))
    assert "br" in await raised(SourceGarbled, answer(200, b"x", Content_Encoding="br", **JSON))


async def test_an_answer_that_breaks_off():
    whole = answer(200, b'{"rows": [1, 2, 3]}', **JSON)
    assert "broke off after 14 bytes" in await raised(SourceUnavailable, whole[:-5])
    await raised(SourceUnavailable, b"garbage\r\n\r\n")
    await raised(SourceUnavailable, b"")


@asynccontextmanager
async def silent(first: bytes):
    """A server that says so much to whoever connects, and then nothing more."""
    writers = []

    async def handle(_reader, writer):
        writers.append(writer)
        writer.write(first)
        await writer.drain()

    server = await asyncio.start_server(handle, "127.0.0.1", 0)
    async with server:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
        for writer in writers:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()


@pytest.mark.parametrize("first", [b"", answer(200, b'{"rows": 1}', **JSON)[:-3]])
async def test_a_silent_server_ends_at_the_deadline(first):
    async with silent(first) as url:
        with pytest.raises(SourceTimeout, match="Hut did not answer within"):
            await client(url).get("/", deadline=within(0.2))


async def test_a_server_that_is_not_there():
    server = await asyncio.start_server(lambda _r, _w: None, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    with pytest.raises(SourceUnavailable, match=f"127.0.0.1:{port} cannot be reached: .*[Rr]efused"):
        await client(f"http://127.0.0.1:{port}").get("/", deadline=within())


async def test_a_name_that_does_not_resolve():
    with pytest.raises(SourceUnavailable, match=r"hut\.invalid:443 cannot be reached"):
        await client("https://hut.invalid").get("/", deadline=within())


async def test_a_server_that_speaks_no_tls_is_no_server():
    async with silent(answer(200, b"1", **JSON)) as url:
        with pytest.raises(SourceUnavailable, match="cannot be reached"):
            await client(url.replace("http:", "https:")).get("/", deadline=within())


def test_certificates_are_always_verified(tmp_path):
    trust = client("https://hut.example")._trust
    assert (trust.verify_mode, trust.check_hostname) == (ssl.CERT_REQUIRED, True)
    (tmp_path / "ca.pem").write_text("no certificate")
    for path in (tmp_path / "ca.pem", tmp_path / "absent.pem"):
        with pytest.raises(UsageError, match="ca_file"):
            client("https://hut.example", ca_file=str(path))


@pytest.mark.parametrize(
    "url",
    [
        "",
        "hut",
        "ftp://hut",
        "http://",
        "http://hut:x",
        "http://[",
        f"http://ann:{CANARY}@hut",
        f"http://hut/?k={CANARY}",
    ],
)
def test_an_address_that_cannot_be_used_is_refused_without_repeating_it(url):
    with pytest.raises(UsageError, match="`url`") as found:
        client(url)
    assert CANARY not in str(found.value)


@pytest.mark.parametrize("token", [f"{CANARY}\r\nX-Evil: 1", f"{CANARY}é"])
def test_a_header_that_no_header_can_hold_is_refused(token):
    with pytest.raises(UsageError, match="Authorization") as found:
        client("http://hut", credentials=Credentials(token=token))
    assert CANARY not in str(found.value)


@pytest.mark.parametrize(
    "credentials",
    [Credentials(token=CANARY), Credentials(token=CANARY, scheme="ApiKey"), Credentials(user="ann", password=CANARY)],
)
@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
async def test_our_credentials_are_in_no_message_even_if_the_server_repeats_them(credentials, status):
    repeated = f"denied: {credentials.authorization} {credentials.token}{credentials.password}".encode()
    async with served(answer(status, repeated, Content_Type="text/plain", Retry_After="0")) as local:
        hut = client(local.url, credentials=credentials)
        with pytest.raises(SourceError) as found:
            await hut.get("/", deadline=within())
    shown = [repr(found.value), str(found.value), repr(hut), repr(credentials), repr(found.value.__cause__)]
    for secret in credentials.secrets:
        assert all(secret not in text for text in shown)


async def test_credentials_of_others_are_removed_too():
    leaked = b"cannot query upstream: Authorization: Bearer " + b"q7" * 20
    assert "q7q7q7q7" not in await raised(SourceUnavailable, answer(500, leaked))


async def collected(url: str, **options) -> list[dict]:
    async with aclosing(client(url, **options).lines("POST", "/q", form={"query": "*"}, deadline=within())) as lines:
        return [line async for line in lines]


@pytest.mark.parametrize("ending", [b"", b"\n", b"\r\n\n\n"])
async def test_lines_come_as_objects(ending):
    body = b"\n".join(json.dumps({"n": n}).encode() for n in range(1_000)) + ending
    async with served(answer(200, body, Content_Type="application/stream+json")) as local:
        assert await collected(local.url) == [{"n": n} for n in range(1_000)]
    assert local.seen[0].body == b"query=%2A"


async def test_lines_before_the_break_are_given_and_the_break_is_told():
    body = b'{"n": 1}\n{"n": 2}\n{"n": 3}\n'
    async with served(answer(200, body, Content_Type="application/x-ndjson")[:-5]) as local:
        lines = client(local.url).lines("GET", "/q", deadline=within())
        assert [await anext(lines), await anext(lines)] == [{"n": 1}, {"n": 2}]
        with pytest.raises(SourceUnavailable, match="broke off"):
            await anext(lines)


@pytest.mark.parametrize("body", [b"[1]\n", b"{}\nnothing\n", b'"x"'])
async def test_a_line_that_is_no_object_is_garbled(body):
    async with served(answer(200, body, **JSON)) as local:
        with pytest.raises(SourceGarbled, match="line"):
            await collected(local.url)


def test_a_long_line_takes_time_in_proportion():
    async def took_s(size: int) -> float:
        async with served(answer(200, json.dumps({"m": "x" * size}).encode(), **JSON)) as local:
            started = time.process_time()
            await collected(local.url)
            return time.process_time() - started

    # Sixteen times the line; quadratic time would be 256 times as much.
    tries = (asyncio.run(took_s(24_000_000)) / max(1e-3, asyncio.run(took_s(1_500_000))) for _ in range(5))
    assert any(ratio < 48 for ratio in tries)


async def test_lines_are_bounded_together():
    body = b'{"n": 1}\n' * 10_000
    async with served(answer(200, body, **JSON)) as local:
        with pytest.raises(AnswerTooLarge):
            await collected(local.url, max_bytes=50_000)


async def test_lines_end_at_the_deadline_and_may_be_closed_early():
    async with silent(answer(200, b'{"n": 1}\n{"n": 2}\n', Content_Type="application/json")[:-3]) as url:
        async with aclosing(client(url).lines("GET", "/q", deadline=within())) as lines:
            assert await anext(lines) == {"n": 1}
        with pytest.raises(SourceTimeout):
            _ = [line async for line in client(url).lines("GET", "/q", deadline=within(0.3))]
