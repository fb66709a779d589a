"""Each format in a line or two of its own: what is read out of it."""
# ruff: noqa: E501, ISC004 - log lines are as long as they are

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from rootproof.logs.parse import parse
from rootproof.logs.record import LogRecord

NEAR = datetime(2026, 5, 20, tzinfo=UTC)
AT = datetime(2026, 5, 4, 9, 15, 30, 250_000, tzinfo=UTC)
SECOND = AT.replace(microsecond=0)


def read(text: str) -> LogRecord:
    records = list(parse(text.split("\n"), default_year_from=NEAR))
    assert len(records) == 1, records
    return records[0]


# text, time, level, service, logger, instance, message
CASES: list[tuple[str, str, datetime | None, str | None, str | None, str | None, str | None, str]] = [
    (
        "bunyan",
        '{"name":"ledger","hostname":"vm7","pid":9,"level":50,"msg":"no quorum","time":"2026-05-04T09:15:30.250Z","v":0}',
        AT, "ERROR", None, "ledger", "vm7", "no quorum",
    ),
    (
        "pino epoch",
        '{"level":30,"time":1777886130250,"pid":4,"hostname":"vm7","msg":"listening"}',
        AT, "INFO", None, None, "vm7", "listening",
    ),
    (
        "zap with error",
        '{"level":"warn","ts":1777886130.25,"logger":"sync.peer","caller":"a/b.go:3","msg":"retrying","error":"broken pipe"}',
        AT, "WARN", None, "sync.peer", None, "retrying: broken pipe",
    ),
    (
        "structlog",
        '{"event":"tile stale","level":"warning","timestamp":"2026-05-04T09:15:30.25Z","logger":"maps.tiles"}',
        AT, "WARN", None, "maps.tiles", None, "tile stale",
    ),
    (
        "ecs nested",
        '{"@timestamp":"2026-05-04T09:15:30.250Z","log":{"level":"ERROR","logger":"io.quay.Main"},"message":"boom",'
        '"service":{"name":"quay"},"host":{"name":"vm1"}}',
        AT, "ERROR", "quay", "io.quay.Main", "vm1", "boom",
    ),
    (
        "log4j json layout",
        '{"instant":{"epochSecond":1777886130,"nanoOfSecond":250000000},"level":"INFO","loggerName":"io.quay.Main","message":"up"}',
        AT, "INFO", None, "io.quay.Main", None, "up",
    ),
    (
        "rust tracing",
        '{"timestamp":"2026-05-04T09:15:30.250Z","level":"INFO","fields":{"message":"bound"},"target":"quay::net"}',
        AT, "INFO", None, "quay::net", None, "bound",
    ),
    (
        "journald",
        '{"MESSAGE":"unit failed","PRIORITY":"3","SYSLOG_IDENTIFIER":"initd","_HOSTNAME":"vm1","__REALTIME_TIMESTAMP":"1777886130250000"}',
        AT, "ERROR", "initd", None, "vm1", "unit failed",
    ),
    (
        "docker json-file around a java line",
        '{"log":"2026-05-04 11:15:30,250 ERROR [main] io.quay.Store - disk gone\\n","stream":"stderr","time":"2026-05-04T09:15:30.250000000Z"}',
        AT, "ERROR", None, "io.quay.Store", None, "disk gone",
    ),
    (
        "document database",
        '{"t":{"$date":"2026-05-04T09:15:30.250+00:00"},"s":"W","c":"REPL","id":1,"ctx":"x","msg":"oplog behind","attr":{"n":1}}',
        AT, "WARN", None, "REPL", None, "oplog behind",
    ),
    (
        "gelf",
        '{"version":"1.1","host":"vm2","short_message":"queue full","level":4,"timestamp":1777886130.25}',
        AT, "WARN", None, None, "vm2", "queue full",
    ),
    (
        "pod gives the service",
        '{"time":"2026-05-04T09:15:30Z","level":"info","message":"ok","pod":"quay-api-6d5c7b9f8-x2x4z","container":"main"}',
        SECOND, "INFO", "quay-api", None, "quay-api-6d5c7b9f8-x2x4z", "ok",
    ),
    (
        "json without a message",
        '{"time":"2026-05-04T09:15:30Z","method":"PUT","path":"/boats/7","status":502}',
        SECOND, None, None, None, None, "PUT /boats/7 502",
    ),
    (
        "logfmt",
        'time="2026-05-04T09:15:30Z" level=warning msg="tide \\"late\\"" component=harbour',
        SECOND, "WARN", None, "harbour", None, 'tide "late"',
    ),
    ("logfmt without time", "level=error msg=stuck module=winch", None, "ERROR", None, "winch", None, "stuck"),
    (
        "syslog 3164",
        "May  4 09:15:30 vm3 winchd[881]: rope slack",
        SECOND, None, "winchd", None, "vm3", "rope slack",
    ),
    (
        "syslog 3164 with priority",
        "<11>May  4 09:15:30 vm3 winchd: rope torn",
        SECOND, "ERROR", "winchd", None, "vm3", "rope torn",
    ),
    (
        "syslog 5424",
        '<165>1 2026-05-04T09:15:30.250Z vm3.example winch 77 ID9 [a@1 b="c]d"] rope \\ new',
        AT, "INFO", "winch", None, "vm3.example", "rope \\ new",
    ),
    (
        "modern syslog around klog",
        "2026-05-04T09:15:30.250000+00:00 vm3 agentd[4]: E0504 09:15:30.250000       4 pods.go:12] cannot sync",
        AT, "ERROR", "agentd", "pods.go:12", "vm3", "cannot sync",
    ),
    ("klog", "W0504 09:15:30.250000   12345 lease.go:88] lease late", AT, "WARN", None, "lease.go:88", None, "lease late"),
    (
        "cri around json",
        '2026-05-04T09:15:30.250000000Z stdout F {"level":"info","msg":"sail set"}',
        AT, "INFO", None, None, None, "sail set",
    ),
    (
        "kubectl timestamps around json",
        '2026-05-04T11:15:30.250000000+02:00 {"severity":"error","message":"mast bent"}',
        AT, "ERROR", None, None, None, "mast bent",
    ),
    (
        "access, server error",
        '203.0.113.9 - ana [04/May/2026:11:15:30 +0200] "POST /berths HTTP/1.1" 503 17 "-" "probe/1"',
        SECOND, "ERROR", None, None, None, "POST /berths HTTP/1.1",
    ),
    (
        "access, fine",
        '203.0.113.9 - - [04/May/2026:09:15:30 +0000] "GET / HTTP/2.0" 200 5',
        SECOND, None, None, None, None, "GET / HTTP/2.0",
    ),
    (
        "nginx error",
        "2026/05/04 09:15:30 [crit] 31#31: *7 open() failed (13: Permission denied)",
        SECOND, "FATAL", None, None, None, "open() failed (13: Permission denied)",
    ),
    (
        "apache error",
        "[Mon May 04 09:15:30.250000 2026] [ssl:warn] [pid 9:tid 3] [client 203.0.113.9:7] AH01: no cert",
        AT, "WARN", None, "ssl", None, "[client 203.0.113.9:7] AH01: no cert",
    ),
    ("python basic", "ERROR:harbour.crane:stuck", None, "ERROR", None, "harbour.crane", None, "stuck"),
    (
        "python dashes",
        "2026-05-04 09:15:30,250 - harbour.crane - WARNING - slow",
        AT, "WARN", None, "harbour.crane", None, "slow",
    ),
    ("uvicorn", "INFO:     Application startup complete.", None, "INFO", None, None, None, "Application startup complete."),
    (
        "uvicorn access",
        'INFO:     203.0.113.9:5000 - "GET / HTTP/1.1" 200 OK',
        None, "INFO", None, None, None, '203.0.113.9:5000 - "GET / HTTP/1.1" 200 OK',
    ),
    (
        "log4j",
        "2026-05-04 09:15:30,250 WARN [pool-2-thread-1] io.quay.Store: lagging",
        AT, "WARN", None, "io.quay.Store", None, "lagging",
    ),
    (
        "spring",
        "2026-05-04T09:15:30.250Z  INFO 1 --- [quay] [           main] io.quay.App                     : Started App",
        AT, "INFO", None, "io.quay.App", None, "Started App",
    ),
    (
        "logback with time of day only",
        "09:15:30.250 [main] ERROR io.quay.Store - gone",
        None, "ERROR", None, "io.quay.Store", None, "gone",
    ),
    (
        "tomcat",
        "04-May-2026 09:15:30.250 SEVERE [main] org.cat.Core.start One listener failed",
        AT, "ERROR", None, "org.cat.Core.start", None, "One listener failed",
    ),
    (
        "java.util.logging over two lines",
        "May 04, 2026 9:15:30 AM io.quay.Main run\nSEVERE: sank",
        SECOND, "ERROR", None, "io.quay.Main", None, "sank",
    ),
    (
        "postgres",
        "2026-05-04 09:15:30.250 UTC [77] app@berths FATAL:  too many clients",
        AT, "FATAL", None, "app@berths", None, "too many clients",
    ),
    (
        "mysql error log",
        "2026-05-04T09:15:30.250000Z 8 [Warning] [MY-010055] [Server] name not resolved",
        AT, "WARN", None, None, None, "[MY-010055] [Server] name not resolved",
    ),
    (
        "redis",
        "77:M 04 May 2026 09:15:30.250 # out of memory",
        AT, "WARN", None, None, None, "out of memory",
    ),
    (
        "old redis",
        "[77] 04 May 09:15:30.250 * saved",
        AT, "INFO", None, None, None, "saved",
    ),
    (
        "celery",
        "[2026-05-04 09:15:30,250: ERROR/MainProcess] task lost",
        AT, "ERROR", None, None, None, "task lost",
    ),
    ("gunicorn", "[2026-05-04 09:15:30 +0000] [7] [INFO] Booting", SECOND, "INFO", None, None, None, "Booting"),
    ("ruby", "E, [2026-05-04T09:15:30.250000 #12] ERROR -- winch: torn", AT, "ERROR", None, "winch", None, "torn"),
    (
        "monolog",
        "[2026-05-04 09:15:30] local.CRITICAL: no disk",
        SECOND, "FATAL", None, "local", None, "no disk",
    ),
    (
        "serilog",
        "2026-05-04 11:15:30.250 +02:00 [INF] Now listening",
        AT, "INFO", None, None, None, "Now listening",
    ),
    ("dotnet console", "fail: Quay.Api[3]\n      Port is taken", None, "ERROR", None, "Quay.Api", None, "Port is taken"),
    (
        "nlog",
        "2026-05-04 09:15:30.250|ERROR|Quay.Orders|lost",
        AT, "ERROR", None, "Quay.Orders", None, "lost",
    ),
    (
        "loguru",
        "2026-05-04 09:15:30.250 | WARNING  | quay.main:run:42 - slow",
        AT, "WARN", None, "quay.main:run:42", None, "slow",
    ),
    ("android", "05-04 09:15:30.250  1702  2395 D Winch: turn", AT, "DEBUG", None, "Winch", None, "turn"),
    (
        "bracketed service",
        "2026-05-04T09:15:30.250Z [quay-api] info: order placed",
        AT, "INFO", "quay-api", None, None, "order placed",
    ),
    (
        "service before a dash",
        "2026-05-04T09:15:30.250Z [ERROR] tide-service - tide table gone",
        AT, "ERROR", "tide-service", None, None, "tide table gone",
    ),
    (
        "named zone",
        "2026-05-04 11:15:30 CEST [9] LOG:  ready",
        SECOND, "INFO", None, None, None, "ready",
    ),
    ("two-digit year", "26/05/04 09:15:30 INFO dock.Master: open", SECOND, "INFO", None, "dock.Master", None, "open"),
    ("epoch milliseconds", "1777886130250 anchored", AT, None, None, None, None, "anchored"),
    ("ordinal date", "2026-124T09:15:30,250:DEBUG:foo", AT, "DEBUG", None, None, None, "foo"),
    ("level before time", "WARN  2026-05-04 09:15:30,250 [main] io.quay.Store: odd", AT, "WARN", None, "io.quay.Store", None, "odd"),
    ("gnu style", "winch: error: rope torn", None, "ERROR", None, None, None, "winch: error: rope torn"),
    ("plain", "the tide is out", None, None, None, None, None, "the tide is out"),
    ("level word inside prose", "2026-05-04 09:15:30 customer saw ERROR on page", SECOND, None, None, None, None, "customer saw ERROR on page"),
    ("capital in prose", "2026-05-04 09:15:30 Error while mooring", SECOND, None, None, None, None, "Error while mooring"),
    ("colour codes", "\x1b[31m2026-05-04 09:15:30 ERROR\x1b[0m winch.Main - torn", SECOND, "ERROR", None, "winch.Main", None, "torn"),
    (
        "windows event",
        "<Event xmlns='x'><System><Provider Name='Quay-Disk'/><EventID>7</EventID><Level>2</Level>"
        "<TimeCreated SystemTime='2026-05-04T09:15:30.2500000Z'/><Computer>VM9</Computer></System>"
        "<EventData><Data Name='Disk'>D:</Data></EventData></Event>",
        AT, "ERROR", "Quay-Disk", None, "VM9", "event 7: Disk=D:",
    ),

]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "time", "level", "service", "logger", "instance", "message"),
    [case[1:] for case in CASES],
    ids=[case[0] for case in CASES],
)
def test_first_record(
    text: str,
    time: datetime | None,
    level: str | None,
    service: str | None,
    logger: str | None,
    instance: str | None,
    message: str,
) -> None:
    record = read(text)
    assert record.timestamp == time
    assert record.level == level
    assert (record.service, record.logger, record.instance) == (service, logger, instance)
    assert record.message == message


def test_metrics_are_allow_listed_numbers() -> None:
    record = read(
        '{"level":"info","msg":"x","duration_ms":12.5,"status":200,"user_id":7,"port":80,"line":3,'
        '"pool":{"active":4,"maxSize":10},"took":"35ms","rows_examined":9,"trace":"abc"}'
    )
    assert dict(record.metrics) == {
        "duration_ms": 12.5,
        "status": 200.0,
        "active": 4.0,
        "max_size": 10.0,
        "took_ms": 35.0,
        "rows_examined": 9.0,
    }


def test_access_log_metrics() -> None:
    record = read('203.0.113.9 - - [04/May/2026:09:15:30 +0000] "GET / HTTP/2.0" 500 5 "-" "x" 0.250')
    assert dict(record.metrics) == {"status": 500.0, "bytes": 5.0, "duration_ms": 250.0}


def test_otlp_line_holds_several_records() -> None:
    line = (
        '{"resourceLogs":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"quay"}}]},"scopeLogs":'
        '[{"scope":{"name":"io.quay"},"logRecords":[{"timeUnixNano":"1777886130250000000","severityNumber":17,"body":'
        '{"stringValue":"torn"}},{"timeUnixNano":"1777886130250000000","severityText":"INFO","body":{"stringValue":"ok"}}]}]}]}'
    )
    first, second = parse([line])
    assert (first.timestamp, first.level, first.service, first.logger) == (AT, "ERROR", "quay", "io.quay")
    assert (first.message, second.message, second.level) == ("torn", "ok", "INFO")
    assert first.lines + second.lines == 1


def test_csv_with_a_header_and_w3c_with_fields() -> None:
    rows = list(parse(["time,level,message", '2026-05-04T09:15:30Z,error,"rope, torn"']))
    assert (rows[1].timestamp, rows[1].level, rows[1].message) == (SECOND, "ERROR", "rope, torn")
    lines = ["#Fields: date time cs-method cs-uri-stem sc-status time-taken", "2026-05-04 09:15:30 GET /dock 500 42"]
    served = list(parse(lines))[-1]
    assert (served.timestamp, served.level, served.message) == (SECOND, "ERROR", "GET /dock 500")


def test_year_and_zone_come_from_the_caller() -> None:
    east = timezone(timedelta(hours=3))
    (record,) = parse(
        ["Dec 31 23:59:59 vm winchd: x"], default_year_from=datetime(2026, 1, 1, tzinfo=UTC), timezone=east
    )
    assert record.timestamp == datetime(2025, 12, 31, 20, 59, 59, tzinfo=UTC)
    (unknown,) = parse(["Dec 31 23:59:59 vm winchd: x"])
    assert unknown.timestamp is None
    assert unknown.service == "winchd"
