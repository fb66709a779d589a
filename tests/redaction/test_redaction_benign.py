"""Evidence that must stay as it is: over-redaction hides the cause."""

from __future__ import annotations

import pytest

from rootproof.redaction import Numbering, redact

KEPT = """
password authentication failed for user "billing_rw"
password: required
Enter password:
password must not be empty
wrong password: 3 attempts left
reset_password_path=/users/password/edit
password_policy=strict password_min_length=12
"password":null,"token":""
token bucket exhausted, retry in 3s
unexpected token: } at line 4
Unexpected token o in JSON at position 1
invalid token: expired at 2031-05-01T10:00:00Z
token expired for subject worker
prompt_tokens=812 completion_tokens=77 total_tokens: 889
next_page_token=eyJvZmZzZXQiOjEwMH0 has_more=true
token_type=bearer expires_in=3600
token_endpoint=https://login.example.com/oauth2/token
secretName: front-tls
secret "front-tls" not found
MountVolume.SetUp failed for volume "cert" : secret "edge/front-tls" not found
secretKeyRef: name: db-auth
DB_PASSWORD:  <set to the key 'password' in secret 'db-auth'>  Optional: false
Authorization header is malformed
authorization: denied for role viewer
authentication required, no credentials provided
BasicAuthFilter rejected the request
bearer token missing
API key is not valid. Please pass a valid API key.
primary key violation on (tenant_id, seq)
partition_key=orders-2031-05 sort_key=17
cache key user:1234:cart missed
key=value pairs expected
public_key_size=2048
keyspace=shop table=orders
cookie policy accepted
session timeout after 1800s
session_timeout=30m
passed=14 failed=2 skipped=0
PASS: TestReconnect (0.31s)
compass=north bypass=true
author=kim authority=root
signature mismatch for request r-17
commit 3f786850e387550fdab836ed7e6dc881de23001b by kim
trace_id=0af7651916cd43dd8448eb211c80319c span_id=b7ad6b7169203331
traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01
request_id=123e4567-e89b-12d3-a456-426614174000
image registry.example.com/shop/cart@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
image cart:v1.24.3-rc.1+build.77
etag "33a64df551425fcc55e4d42a148795d9f25f89d4"
2031-05-01T10:00:00.123456789Z 1714557600123 1714557600.123
2031/05/01 10:00:00 [error] upstream timed out (110: Connection timed out)
http_requests_total{code="500",path="/v1/pay"} 1027
p99=1873.2ms max=12459832kB ratio=0.9823
listening on 0.0.0.0:8080 and 127.0.0.1:9090
connect to cart.shop.svc.cluster.local:8080 refused
lookup orders.shop.svc on resolver: no such host
see https://kubernetes.io/docs/concepts/storage/ for help
GET https://api.example.com/v2/users?page=2&limit=50 503
https://api.example.com:8443/a@b
git@github.com:shop/cart.git not found
getty@tty1.service failed
Chrome/120.0.0.0 Safari/537.36
OpenSSL 1.1.1.14 loaded
upgraded agent to version 7.52.1.3
std::chrono::duration cast failed
Foo::Bar::baz raised
at 12:34:56 the lag was 7:08
HRESULT 0x80070005 E_ACCESSDENIED
exit code 137 (OOMKilled), signal 9
thread 14 waits for lock 0x5
deployment/cart-frontend scaled from 3 to 5
order-service-canary rollout-restart done
statefulset db has 3 replicas
namespace shop, container main, app cart
node is not ready
node version 20.11.1 host unknown
items[12]: invalid value
SQLSTATE[42000]: syntax error
ORA-00060: deadlock detected
process 12 records in 3 s
select all rows that apply
we select a primary from 3 candidates
update 14 packages
+0000 offset, +15% load, 1+2=3
order 4111111111111112 shipped
blk_-4265150363959543078 replicated
arn:aws:iam::aws:policy/ReadOnlyAccess attached
user_tier=gold plan:"pro" color=#ff00aa
password=${DB_PASSWORD} token={{ .Values.token }} key=$API_KEY
password=******** token=[REDACTED] secret=<hidden>
password = os.environ["DB_PASSWORD"]
I0511 08:15:30.123456       1 controller.go:114] "Reconciling" namespace="shop" name="cart-config" generation=4
E0511 08:15:30.12345       1 lease.go:332] error retrieving lock kube-system/cloud-controller: context deadline exceeded
2031-05-11 08:15:30.123 UTC [4123] ERROR:  deadlock detected
2031-05-11T08:15:30Z [Note] [MY-010051] [Server] Event Scheduler: scheduler thread started with Thread Id: 12.
Failed to pull image "registry.k8s.io/pause:3.9": rpc error: code = Unknown desc = failed to resolve reference
Readiness probe failed: HTTP probe failed with statuscode: 503
Liveness probe failed: Get "http://:8080/healthz": context deadline exceeded (Client.Timeout exceeded)
0/6 nodes are available: 3 Insufficient memory, 3 node(s) had untolerated taint {dedicated: gpu}
Back-off pulling image "shop/cart:1.4.2"
java.lang.OutOfMemoryError: Java heap space
Caused by: java.sql.SQLException: ThePool-1 - Connection is not available, request timed out after 30000ms.
ConfigMap "cart-env" not found
certificate has expired or is not yet valid: current time 2031-05-11T08:15:30Z is after 2031-05-10T00:00:00Z
SELECT count(*) FROM pg_stat_activity
Slow query: Query_time: 12.204 Lock_time: 0.000120 Rows_sent: 1 Rows_examined: 81231442
level=info msg="token refresh scheduled" next_in=55m
keepalive timeout, key rotation pending, keys=14
Secret "pay-tls" has no key "tls.crt"
spec.template.spec.containers[0].env[3].valueFrom.secretKeyRef.key: not found
Warning: secret key missing from vault path kv/data/shop
session 0x14f05578bd80018 expired, timeout of 40000ms exceeded
memcached: 4194304 bytes limit, hits=99182 misses=12
kafka: partition=12 offset=981723 leader epoch=44 isr=[1,2,3]
auth service latency p95 812 ms (threshold 300 ms)
cookie banner rendered
authorization server returned 503
code=14 desc="unavailable"
signature verification failed for webhook evt_1029
pinned version 2.4.1, ping=12ms
monkey=banana turkey: roast
seed=42 lr=0.001 epochs=10
salt-minion restarted
authored by kim
key: cart/2031/05/11/part-0001.parquet
object key=logs/2031/05/11/app.log.gz size=12345
cache_key="user:77:cart:v2" miss
sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 ok
uid=0 gid=0 tty=ssh
x-request-id: 3f786850e387550fdab836ed7e6dc881
correlationId=4fa1c2d3e4f5a6b7c8d9e0f1a2b3c4d5
etcdserver: request timed out, possibly due to previous leader failure
deployment "cart" rolled back to revision 7
replicaset cart-7f9dd8b6c4 scaled down to 0
GET /api/v1/namespaces/shop/secrets?limit=500 403
GET /users/password/reset 200
POST /oauth/token 401 12ms
path=/v1/tokens/refresh status=401
{"level":"warn","logger":"auth","msg":"password attempt failed","user":"kim","attempt":3}
{"code":"INVALID_TOKEN","message":"The token is invalid"}
{"token_count":812,"key_count":3,"secret_version":7}
error: pathspec 'main' did not match any file(s) known to git
Process finished with exit code 1
Host key verification failed.
host unreachable: cart-db
upstream: "http://cart:8080/items", host: "shop.example.com"
phone number validation failed
version: 10.2.1.5 of the agent
SemVer 1.2.3.4 is not valid
ratio 1.5.2
interface Foo { password: string; token?: string }
def check(password, token=None, secret_key=''):
if token == nil { return err }
func auth(token string) error
password: str = Field(...)
env PASSWORD_FILE=/run/secrets/db
--password-stdin --token-ttl=30m --key-file=/etc/ssl/key.pem --tls-private-key-file=/x/y.key
ssl_certificate_key /etc/nginx/tls.key;
tls.key: no such file
private key does not match certificate
Unable to load key pair
public key: ssh-ed25519 comment
the pod restarted 3 times
pods are pending
node pool scaled from 3 to 5 nodes
host=cart-db port=5432
""".strip().splitlines()


@pytest.mark.parametrize("line", KEPT)
def test_evidence_stays_as_it_is(line: str) -> None:
    assert redact(line, Numbering()) == line
