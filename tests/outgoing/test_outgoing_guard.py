"""Where messages may not go: private, metadata and odd addresses, at once and behind a redirect or a second look."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

import pytest

from rootproof.adapters.outgoing.addresses import check_address, destination
from rootproof.adapters.outgoing.guarded import GuardedClient
from rootproof.adapters.outgoing.http_sender import HttpCertificates, HttpSender
from rootproof.errors import SourceDenied, SourceUnavailable
from tests.outgoing.http_server import answer, served

NEVER = ["169.254.169.254", "169.254.170.2", "100.100.100.200", "fd00:ec2::254", "::ffff:169.254.169.254",
         "64:ff9b::a9fe:a9fe", "2002:a9fe:a9fe::1", "224.0.0.1", "ff02::1", "0.0.0.0", "::", "240.0.0.1",
         "255.255.255.255", "fe80::1", "169.254.7.7"]  # fmt: skip
PRIVATE = ["127.0.0.1", "127.9.9.9", "10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "198.18.0.1", "::1",
           "fd12::1", "192.0.2.1", "::ffff:10.0.0.1", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "::7f00:1"]  # fmt: skip
PUBLIC = ["93.184.216.34", "8.8.8.8", "2606:4700::1111"]


@pytest.mark.parametrize("text", NEVER)
def test_some_addresses_are_never_called(text: str) -> None:
    with pytest.raises(SourceDenied):
        check_address(ipaddress.ip_address(text), allow_private=True)


@pytest.mark.parametrize("text", PRIVATE)
def test_private_addresses_need_leave(text: str) -> None:
    with pytest.raises(SourceDenied):
        check_address(ipaddress.ip_address(text), allow_private=False)


def test_leave_opens_private_addresses_and_public_ones_need_none() -> None:
    for text in ("127.0.0.1", "10.1.2.3", "192.168.1.1", "fd12::1", "::1"):
        check_address(ipaddress.ip_address(text), allow_private=True)
    for text in PUBLIC:
        check_address(ipaddress.ip_address(text), allow_private=False)


@pytest.mark.parametrize(
    "url",
    [
        "ftp://example.com/",
        "file:///etc/passwd",
        "gopher://example.com/",
        "//example.com/",
        "example.com/hook",
        "http://",
        "http://user:pw@example.com/",
        "http://user@example.com/",
        "http://2130706433/",
        "http://0x7f000001/",
        "http://0177.0.0.1/",
        "http://127.1/",
        "http://0x7f.0.0.1/",
        "http://[::1/",
        "http://exa mple.com/",
        "http://example.com\\@127.0.0.1/",
        "http://exämple.com/",
        "http://example.com:0/",
        "http://example.com:99999/",
        "http://example.com/\r\nX: y",
        "http://[fe80::1%25eth0]/",
        "https://" + "a" * 3_000,
    ],
)
def test_an_odd_address_is_refused_without_repeating_it(url: str) -> None:
    with pytest.raises(SourceDenied) as refused:
        destination(url)
    assert "example" not in str(refused.value)
    assert "pw" not in str(refused.value)


def test_a_plain_address_is_taken_apart() -> None:
    found = destination("https://Hooks.Example.com:8443/a/b?c=d")
    assert (found.scheme, found.host, found.port, found.path) == ("https", "hooks.example.com", 8443, "/a/b?c=d")
    assert found.authority == "hooks.example.com:8443"
    assert destination("http://[2606:4700::1111]/").authority == "[2606:4700::1111]"


def names(*addresses: str, asked: list[str] | None = None) -> object:
    """A resolver that gives the next list at every look."""
    left = [address.split(",") for address in addresses]

    async def found(host: str, _port: int) -> Sequence[str]:
        if asked is not None:
            asked.append(host)
        return left.pop(0) if len(left) > 1 else left[0]

    return found


async def refused(url: str, *addresses: str) -> None:
    sender = HttpSender(resolver=names(*addresses))  # type: ignore[arg-type]
    try:
        with pytest.raises(SourceDenied):
            await sender.post(url, b"{}", {})
    finally:
        await sender.close()


@pytest.mark.parametrize("address", ["127.0.0.1", "169.254.169.254", "10.0.0.5", "8.8.8.8,10.0.0.5", "fe80::1%eth0"])
async def test_a_name_that_leads_inside_is_refused_before_a_connection(address: str) -> None:
    async with served() as server:
        await refused(f"http://hooks.example:{server.port}/", address)
        assert server.seen == []


async def test_the_connection_goes_to_the_address_that_was_checked() -> None:
    async with served(answer(204)) as server:
        asked: list[str] = []
        sender = HttpSender(allow_private=True, resolver=names("127.0.0.1", "169.254.169.254", asked=asked))  # type: ignore[arg-type]
        await sender.post(f"http://hooks.example:{server.port}/in?x=1", b"{}", {"X-One": "1"})
        await sender.close()
        (seen,) = server.seen
        assert asked == ["hooks.example"], "one look: a second one may say something else"
        assert (seen.method, seen.path, seen.body) == ("POST", "/in?x=1", b"{}")
        assert seen.headers["host"] == f"hooks.example:{server.port}"
        assert seen.headers["x-one"] == "1"


async def test_a_redirect_keeps_the_message_and_is_checked_again() -> None:
    async with served(answer(200)) as last, served(answer(307, Location=f"http://b.example:{last.port}/two")) as first:
        sender = HttpSender(allow_private=True, resolver=names("127.0.0.1"))  # type: ignore[arg-type]
        await sender.post(f"http://a.example:{first.port}/one", b"body", {})
        await sender.close()
        assert [(seen.path, seen.body) for seen in first.seen + last.seen] == [("/one", b"body"), ("/two", b"body")]


@pytest.mark.parametrize(
    "onward",
    ["http://169.254.169.254/latest/meta-data", "file:///etc/passwd", "http://2130706433/", "http://u:p@b.example/"],
)
async def test_a_redirect_inside_is_refused(onward: str) -> None:
    async with served(answer(308, Location=onward)) as server:
        sender = HttpSender(allow_private=True, resolver=names("127.0.0.1"))  # type: ignore[arg-type]
        with pytest.raises(SourceDenied):
            await sender.post(f"{server.url}/", b"{}", {})
        await sender.close()
        assert len(server.seen) == 1


async def test_redirects_end() -> None:
    async with served(answer(307, Location="/again")) as server:
        sender = HttpSender(allow_private=True)
        with pytest.raises(SourceDenied, match="more than 3"):
            await sender.post(f"{server.url}/", b"{}", {})
        await sender.close()
        assert len(server.seen) == 4


@pytest.mark.parametrize(
    ("status", "kind"),
    [(500, SourceUnavailable), (503, SourceUnavailable), (429, SourceUnavailable), (408, SourceUnavailable),
     (400, SourceDenied), (404, SourceDenied), (410, SourceDenied), (302, SourceDenied)],
)  # fmt: skip
async def test_what_the_other_side_says_decides_about_another_try(status: int, kind: type[Exception]) -> None:
    canary = b"CANARY-of-the-answer"
    async with served(answer(status, canary, Location="http://elsewhere.example/")) as server:
        sender = HttpSender(allow_private=True)
        with pytest.raises(kind) as said:
            await sender.post(f"{server.url}/path-is-secret", b"{}", {})
        await sender.close()
        assert str(status) in str(said.value)
        assert "CANARY" not in str(said.value)
        assert "path-is-secret" not in str(said.value)


async def test_nobody_listens_is_worth_another_try() -> None:
    async with served() as server:
        port = server.port
    sender = HttpSender(allow_private=True)
    with pytest.raises(SourceUnavailable):
        await sender.post(f"http://127.0.0.1:{port}/secret", b"{}", {})
    await sender.close()


async def test_an_endless_answer_is_not_read() -> None:
    async with served(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"400\r\n" + b"x" * 1024) as server:
        client = GuardedClient(allow_private=True)
        found = await client.request("GET", f"{server.url}/", headers={}, read_bytes=100)
        await client.close()
        assert (found.status, found.body) == (200, b"x" * 100)


async def test_a_certificate_is_fetched_once() -> None:
    async with served(answer(200, b"PEM")) as server:
        source = HttpCertificates(allow_private=True)
        assert [await source.fetch(f"{server.url}/a.pem") for _ in range(2)] == [b"PEM", b"PEM"]
        assert len(server.seen) == 1
