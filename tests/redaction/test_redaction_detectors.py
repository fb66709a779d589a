"""Each detector by kind: what must go, under which name, and what beside it must stay."""

from __future__ import annotations

import pytest

from rootproof.redaction import FindingClass, find, redact


def mark(kind: str, value: str) -> str:
    return f"[{kind}]"


def found(text: str) -> list[tuple[str, str]]:
    return [(finding.kind, text[finding.start : finding.end]) for finding in find(text)]


HEX32 = "9f86d081884c7d659a2feaa0c55ad015"
MIX40 = "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKqV6tB"
MIX30 = MIX40[:30]

VENDOR = [
    ("aws-key", "AKIA" + "Q3EGRT5YUIOPLKJH"),
    ("aws-key", "ASIA" + "Q3EGRT5YUIOPLKJH"),
    ("gcp-key", "AIza" + MIX40[:35]),
    ("gcp-key", "ya29." + MIX40),
    ("gcp-key", "GOCSPX-" + MIX30),
    ("alibaba-key", "LTAI" + MIX30[:20]),
    ("github-token", "ghp_" + MIX40[:36]),
    ("github-token", "ghs_" + MIX40[:36]),
    ("github-token", "github_pat_" + MIX40 + "_" + MIX40),
    ("gitlab-token", "glpat-" + MIX30[:20]),
    ("gitlab-token", "glptt-" + HEX32 + "12345678"),
    ("slack-token", "xoxb-123456789012-1234567890123-" + MIX30[:24]),
    ("slack-token", "xapp-1-A0B1C2D3E4-1234567890123-" + HEX32),
    ("stripe-key", "sk_live_" + MIX30[:24]),
    ("stripe-key", "whsec_" + MIX40[:32]),
    ("ai-key", "sk-ant-api03-" + MIX40 + MIX40),
    ("ai-key", "sk-proj-" + MIX40),
    ("ai-key", "gsk_" + MIX40 + MIX30[:12]),
    ("ai-key", "hf_" + MIX40[:34]),
    ("registry-token", "npm_" + MIX40[:36]),
    ("registry-token", "pypi-AgEIcHlwaS5vcmc" + MIX40),
    ("registry-token", "dckr_pat_" + MIX30[:27]),
    ("registry-token", "rubygems_" + HEX32 + HEX32[:16]),
    ("vault-token", "hvs." + MIX40 + MIX30),
    ("token", "s." + MIX30[:24]),
    ("sendgrid-key", "SG." + MIX30[:22] + "." + MIX40 + "x1Y"),
    ("mail-key", "key-" + HEX32),
    ("mail-key", HEX32 + "-us12"),
    ("twilio-key", "SK" + HEX32),
    ("grafana-token", "glsa_" + MIX40[:32] + "_c0ffee12"),
    ("sentry-token", "sntryu_" + HEX32 + HEX32),
    ("monitoring-key", "NRAK-" + "Q3EGRT5YUIOPLKJHQ3EGRT5YUIO"),
    ("monitoring-key", "dt0c01." + "Q3EGRT5YUIOPLKJHQ3EGRT5Y." + "Q3EGRT5YUIOPLKJH" * 4),
    ("atlassian-token", "ATATT3xFfGF0" + MIX40 + MIX40),
    ("cloud-token", "dop_v1_" + HEX32 + HEX32),
    ("cloud-token", "dapi" + HEX32),
    ("cloud-token", "pscale_pw_" + MIX40),
    ("cloud-token", "lin_api_" + MIX40),
    ("cloud-token", "AVNS_" + MIX30[:18]),
    ("ci-token", "PMAK-" + HEX32[:24] + "-" + HEX32 + "ab"),
    ("ci-token", "sqp_" + HEX32 + HEX32[:8]),
    ("commerce-key", "shpat_" + HEX32),
    ("commerce-key", "rzp_live_" + MIX30[:14]),
    ("app-token", "pat-na1-1b2c3d4e-5f60-4a1b-8c2d-3e4f5a6b7c8d"),
    ("app-token", "figd_" + MIX40),
    ("azure-key", "abC8Q~" + MIX40[:34]),
    ("telegram-token", "8123456789:AA" + MIX40[:33]),
    ("cluster-token", "SWMTKN-1-" + "3x7b" * 13),
    ("private-key", "AGE-SECRET-KEY-1" + "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L" * 2),
    ("jwt", "eyJhbGciOiJFUzI1NiIsImtpZCI6IjEifQ.eyJpc3MiOiJsYWIiLCJleHAiOjF9." + MIX40),
    ("password-hash", "$2y$10$" + MIX40 + MIX30[:13]),
    ("password-hash", "$6$saltsalt$" + MIX40),
]


@pytest.mark.parametrize(("kind", "token"), VENDOR, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(VENDOR)])
@pytest.mark.parametrize("frame", ["{}", "using {} now", '{{"k":"{}"}}', "a={},b=2", "x\\n{}\\ny", "v%3D{}"])
def test_a_vendor_token_goes_whole_by_its_shape(kind: str, token: str, frame: str) -> None:
    out = redact(frame.format(token), mark)
    assert token[:12] not in out
    assert token[-8:] not in out
    assert f"[secret:{kind}]" in out or "[secret:" in out


@pytest.mark.parametrize(("kind", "token"), VENDOR, ids=[f"{kind}-{i}" for i, (kind, _) in enumerate(VENDOR)])
def test_a_vendor_token_is_named_after_its_vendor(kind: str, token: str) -> None:
    assert found(f"using {token} now") == [(f"secret:{kind}", token)]


def test_a_webhook_address_loses_its_path_but_not_its_host() -> None:
    text = "POST https://hooks.slack.com/services/T0AAAA111/B0BBBB222/abcdefghijklmnopqrstuvwx gave 404"
    assert redact(text, mark) == "POST https://hooks.slack.com/services/[secret:webhook] gave 404"


FIELDS = [
    ("password=tr0ub4dor", "password=[secret:password]"),
    ("DB_PASSWORD=tr0ub4dor MODE=fast", "DB_PASSWORD=[secret:password] MODE=fast"),
    ("dbPassword: tr0ub4dor", "dbPassword: [secret:password]"),
    ('{"password":"two words here","n":1}', '{"password":"[secret:password]","n":1}'),
    ('{"outer":"{\\"password\\":\\"tr0ub4dor\\",\\"n\\":1}"}',
     '{"outer":"{\\"password\\":\\"[secret:password]\\",\\"n\\":1}"}'),
    (
        '{"a":"{\\"b\\":\\"{\\\\\\"api_key\\\\\\":\\\\\\"qwe-rty-12\\\\\\"}\\"}"}',
        '{"a":"{\\"b\\":\\"{\\\\\\"api_key\\\\\\":\\\\\\"[secret:api-key]\\\\\\"}\\"}"}',
    ),
    ("'passwd': 'it\\'s me', 'x': 1", "'passwd': '[secret:password]', 'x': 1"),
    ('passphrase="never closed', 'passphrase="[secret:password]'),
    ("Config(user=app, password=tr0ub4dor, retries=3)", "Config(user=app, password=[secret:password], retries=3)"),
    ("Config(password=tr0ub4dor)", "Config(password=[secret:password])"),
    ("{client_secret: tr0ub4dor-xyz}", "{client_secret: [secret:secret]}"),
    ("secret => 'tr0ub4dor'", "secret => '[secret:secret]'"),
    ("api_key := tr0ub4dor", "api_key := [secret:api-key]"),
    ('settings["auth_token"] = "tr0ub4dor"', 'settings["auth_token"] = "[secret:token]"'),
    ('<add key="SmtpPassword" value="tr0ub4dor"/>', '<add key="SmtpPassword" value="[secret:password]"/>'),
    ("<password>tr0ub4dor</password>", "<password>[secret:password]</password>"),
    ('{"name":"SMTP_PASSWORD","value":"tr0ub4dor"}', '{"name":"SMTP_PASSWORD","value":"[secret:password]"}'),
    ("- name: SMTP_PASSWORD\n  value: tr0ub4dor\n", "- name: SMTP_PASSWORD\n  value: [secret:password]\n"),
    ("password: |\n  line one\n  line two\nnext: 1", "password: |\n[secret:password]next: 1"),
    ("GET /v1/q?sym=X&api_key=tr0ub4dor&page=2 402", "GET /v1/q?sym=X&api_key=[secret:api-key]&page=2 402"),
    ("body=user%3Dapp%26password%3Dtr0ub4dor%26x%3D1", "body=user%3Dapp%26password%3D[secret:password]%26x%3D1"),
    ("%22password%22%3A%22tr0ub4dor%22", "%22password%22%3A%22[secret:password]%22"),
    ("run --password tr0ub4dor --verbose", "run --password [secret:password] --verbose"),
    ("run --api-key=tr0ub4dor --verbose", "run --api-key=[secret:api-key] --verbose"),
    (f"X-Api-Key: {HEX32} sent", "X-Api-Key: [secret:api-key] sent"),
    (f"routing_key={HEX32} 400", "routing_key=[secret:key] 400"),
    (f"session_id={HEX32} tier=gold", "session_id=[secret:session] tier=gold"),
    (f"?se=2030-01-01&sig={MIX40}%3D&sp=r", "?se=2030-01-01&sig=[secret:signature]&sp=r"),
    ("aws_secret_access_key = short1", "aws_secret_access_key = [secret:secret]"),
    ("otp=491823 ok", "otp=[secret:code] ok"),
    ("Pwd=tr0ub4dor;Encrypt=yes;", "Pwd=[secret:password];Encrypt=yes;"),
    ("AccountName=a1;AccountKey=" + "aB3/" * 21 + "==;EndpointSuffix=x",
     "AccountName=a1;AccountKey=[secret:key];EndpointSuffix=x"),
    ("refreshToken: tr0ub4dor9, scope: read", "refreshToken: [secret:token], scope: read"),
    ("CREATE USER app IDENTIFIED BY 'tr0ub4dor'", "CREATE USER app IDENTIFIED BY '[secret:password]'"),
    ("machine git.lab login bot password tr0ub4dor", "machine git.lab login bot password [secret:password]"),
    ("the password is 'tr0ub4dor' again", "the password is '[secret:password]' again"),
    ("msg=\"login\\npassword=tr0ub4dor\\nnext\"", "msg=\"login\\npassword=[secret:password]\\nnext\""),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), FIELDS)
def test_a_value_beside_a_secret_name_goes_and_its_surroundings_stay(text: str, expected: str) -> None:
    assert redact(text, mark) == expected


HTTP = [
    ("Authorization: Bearer abcdef0123456789abcdef -> 401", "Authorization: Bearer [secret:token] -> 401"),
    ("Authorization: token tr0ub4dor rejected", "Authorization: token [secret:token] rejected"),
    ("proxy-authorization: Basic dXNlcjpwYXNz 407", "proxy-authorization: Basic [secret:basic] 407"),
    ('{"Authorization":"Bearer abc.def","id":7}', '{"Authorization":"Bearer [secret:token]","id":7}'),
    ('{"headers":{"authorization":["Bearer abcdef99"]}}', '{"headers":{"authorization":["Bearer [secret:token]"]}}'),
    ("got basic dXNlcjpwYXNzd29yZA== from proxy", "got basic [secret:basic] from proxy"),
    (f"sent bearer {MIX40} twice", "sent bearer [secret:token] twice"),
    ("Set-Cookie: SID=31d4d96e407aad42; Path=/; Secure", "Set-Cookie: SID=[secret:cookie]; Path=/; Secure"),
    ("Cookie: a=11; theme=dark; b=22", "Cookie: a=[secret:cookie]; theme=[secret:cookie]; b=[secret:cookie]"),
    (
        'Authorization: Digest username="app", realm="r", response="6629fae4" 401',
        "Authorization: Digest [secret:token] 401",
    ),
    (
        "Authorization: AWS4-HMAC-SHA256 Credential=abc/2030/eu/s3, SignedHeaders=host, Signature=ff00 done",
        "Authorization: AWS4-HMAC-SHA256 [secret:token] done",
    ),
]


@pytest.mark.parametrize(("text", "expected"), HTTP)
def test_http_credentials_go_and_the_scheme_stays(text: str, expected: str) -> None:
    assert redact(text, mark) == expected


CONNECTIONS = [
    (
        "postgres://app:tr0ub4dor@db.shop:5432/orders?sslmode=on",
        "postgres://app:[secret:password]@db.shop:5432/orders?sslmode=on",
    ),
    ("redis://:tr0ub4dor@cache:6379/0 down", "redis://:[secret:password]@cache:6379/0 down"),
    ("mysql://app:p%40ss%2Fword@db/x", "mysql://app:[secret:password]@db/x"),
    ("amqp://u:p@ss@mq:5672/v", "amqp://u:[secret:password]@mq:5672/v"),
    ("mongodb://a:s3/cr3t@m-0:27017,m-1:27017/db", "mongodb://a:[secret:password]@m-0:27017,m-1:27017/db"),
    ('"url":"postgres:\\/\\/app:tr0ub4dor@db\\/x"', '"url":"postgres:\\/\\/app:[secret:password]@db\\/x"'),
    ("u=postgres%3A%2F%2Fapp%3Atr0ub4dor%40db%2Fx", "u=postgres%3A%2F%2Fapp%3A[secret:password]%40db%2Fx"),
    ("app:tr0ub4dor@tcp(db:3306)/orders?parseTime=true", "app:[secret:password]@tcp(db:3306)/orders?parseTime=true"),
    ("jdbc:oracle:thin:app/tr0ub4dor@db:1521/x", "jdbc:oracle:thin:app/[secret:password]@db:1521/x"),
    ("host=pg port=5432 password=tr0ub4dor dbname=x", "host=pg port=5432 password=[secret:password] dbname=x"),
    (f"https://{HEX32}@sentry.shop/42", "https://[secret:token]@sentry.shop/42"),
    ("curl -u app:tr0ub4dor https://api.shop", "curl -u app:[secret:password] https://api.shop"),
    ("mysql -uroot -ptr0ub4dor -e status", "mysql -uroot -p[secret:password] -e status"),
    ("redis-cli -a tr0ub4dor ping", "redis-cli -a [secret:password] ping"),
    ("proxy app:tr0ub4dor9@gw:3128 refused", "proxy app:[secret:password]@gw:3128 refused"),
]


@pytest.mark.parametrize(("text", "expected"), CONNECTIONS)
def test_a_connection_string_loses_only_its_password(text: str, expected: str) -> None:
    assert redact(text, mark) == expected


PEM_BODY = "\n".join(["MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"] * 3)


@pytest.mark.parametrize(
    "label", ["RSA PRIVATE KEY", "PRIVATE KEY", "EC PRIVATE KEY", "OPENSSH PRIVATE KEY", "ENCRYPTED PRIVATE KEY"]
)
@pytest.mark.parametrize("joint", ["\n", "\\n", "\\\\n", "\r\n", " "])
def test_the_body_of_a_private_key_goes(label: str, joint: str) -> None:
    text = f"pem -----BEGIN {label}-----{joint}{PEM_BODY.replace(chr(10), joint)}{joint}-----END {label}----- refused"
    out = redact(text, mark)
    assert "MIIE" not in out
    assert "VJTU" not in out
    assert "[secret:private-key]" in out
    assert out.endswith("refused")


def test_an_unterminated_private_key_goes_up_to_the_next_record() -> None:
    text = f"a -----BEGIN PRIVATE KEY-----\n{PEM_BODY}\n2030-01-01T00:00:00Z INFO next"
    assert redact(text, mark) == "a -----BEGIN PRIVATE KEY-----\n[secret:private-key]\n2030-01-01T00:00:00Z INFO next"
    assert (
        redact(f"-----BEGIN PRIVATE KEY-----\n{PEM_BODY}", mark) == "-----BEGIN PRIVATE KEY-----\n[secret:private-key]"
    )


def test_one_line_of_a_key_body_goes_but_a_digest_stays() -> None:
    line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
    assert redact(line, mark) == "[secret:private-key]"
    digest = HEX32 + HEX32
    assert redact(digest, mark) == digest


def test_the_data_of_a_kubernetes_secret_goes_in_yaml() -> None:
    text = "kind: Secret\ndata:\n  tls.crt: TUlJQ2\n  ca: |\n    abc\n    def\nmetadata:\n  name: front-tls\n"
    out = redact(text, mark)
    assert "TUlJQ2" not in out
    assert "abc" not in out
    assert "def" not in out
    assert out.endswith("metadata:\n  name: front-tls\n")
    config = text.replace("kind: Secret", "kind: ConfigMap")
    assert redact(config, mark) == config


IDENTIFIERS = [
    ("dial tcp 10.4.7.19:5432: refused", "ip", "10.4.7.19"),
    ("peer 203.0.113.9 closed", "ip", "203.0.113.9"),
    ("x-forwarded-for=198.51.100.23, 10.0.0.1", "ip", "198.51.100.23"),
    ("listen [2001:db8:7::1f]:443", "ip", "2001:db8:7::1f"),
    ("via fe80::1c2d:3eff:fe4f:5a6b on eth0", "ip", "fe80::1c2d:3eff:fe4f:5a6b"),
    ("msg\\n10.9.8.7 refused", "ip", "10.9.8.7"),
    ("lease for 02:42:ac:11:00:02 ended", "mac", "02:42:ac:11:00:02"),
    ("port 0242.ac11.0002 down", "mac", "0242.ac11.0002"),
    ("mail to <jo.doe+x@post.shop.org> bounced", "email", "jo.doe+x@post.shop.org"),
    ("paid with 4111 1111 1111 1111 today", "card", "4111 1111 1111 1111"),
    ("card=5555555555554444", "card", "5555555555554444"),
    ("call +44 20 7946 0958 failed", "phone", "+44 20 7946 0958"),
    ("phone: 020 7946 0958", "phone", "020 7946 0958"),
    ("container in cart-7f9dd8b6c4-x7gr9 died", "pod", "cart-7f9dd8b6c4-x7gr9"),
    ("job backup-28497120-lm8vz failed", "pod", "backup-28497120-lm8vz"),
    ("pod db-0 is not ready", "pod", "db-0"),
    ('pod="kube-system/scrape-x7gr9" evicted', "pod", "scrape-x7gr9"),
    ("kubelet on ip-10-0-1-42.eu-west-1.compute.internal NotReady", "node", "ip-10-0-1-42.eu-west-1.compute.internal"),
    ("from ec2-54-1-2-3.compute-1.amazonaws.com port 22", "host", "ec2-54-1-2-3.compute-1.amazonaws.com"),
    ("node gke-main-pool-1-7c9d2f4b-x7gr drained", "node", "gke-main-pool-1-7c9d2f4b-x7gr"),
    ("node/worker-3 is tainted", "node", "worker-3"),
    ("tls to broker-2.eu.internal:9093 failed", "host", "broker-2.eu.internal"),
    ('{"hostname":"edge-14","n":1}', "host", "edge-14"),
    ("Mar  3 04:05:06 edge14 cron[811]: started", "host", "edge14"),
    ("Mar  3 04:05:06 edge14 cron[811]: started", "pid", "811"),
    ("worker process 20411 exited", "pid", "20411"),
    ('{"pid":4411,"msg":"x"}', "pid", "4411"),
    ("Killed process 30412 (java)", "pid", "30412"),
]


@pytest.mark.parametrize(("text", "kind", "value"), IDENTIFIERS)
def test_an_identifier_is_found_with_its_kind(text: str, kind: str, value: str) -> None:
    assert (kind, value) in found(text)


NOISE = [
    ("UPDATE t SET name='O''Hara', n=42 WHERE id = 7", "UPDATE t SET name='[sql]', n=[sql] WHERE id = [sql]"),
    ("SELECT a FROM t WHERE b IN (1, 2) took 5034 ms", "SELECT a FROM t WHERE b IN ([sql], [sql]) took 5034 ms"),
    ("INSERT INTO t VALUES (1, 'x')", "INSERT INTO t VALUES ([sql], '[sql]')"),
    ('{"sql":"DELETE FROM t WHERE id=9","rows":5}', '{"sql":"DELETE FROM t WHERE id=[sql]","rows":5}'),
    ("Key (email)=(a-b) already exists.", "Key (email)=([sql]) already exists."),
    ("Duplicate entry 'abc' for key 'uq_name'", "Duplicate entry '[sql]' for key 'uq_name'"),
    ("boom at com.shop.Pool.take(Pool.java:12) at com.shop.Api.run(Api.java:9)", "boom [stack]"),
    ("panic at 0x7ffe12345678 in worker", "panic at [addr] in worker"),
]


@pytest.mark.parametrize(("text", "expected"), NOISE)
def test_noise_goes(text: str, expected: str) -> None:
    assert redact(text, mark) == expected


def test_classes_say_what_may_be_shown_again() -> None:
    text = "password=tr0ub4dor from 10.1.2.3: UPDATE t SET a=5"
    assert [finding.cls for finding in find(text)] == [
        FindingClass.CREDENTIAL,
        FindingClass.IDENTIFIER,
        FindingClass.VOLATILE,
    ]


def test_a_finding_holds_no_value() -> None:
    finding = find("password=tr0ub4dor")[0]
    assert "tr0ub4dor" not in repr(finding)
