"""Whole lines of many kinds: what must be gone and what must still be there."""

from __future__ import annotations

import pytest

from rootproof.redaction import PLACEHOLDER, Numbering, redact

S = "Zk3vQ9xT7bLm2RwYc8HdNf5PjSgA4uEo1iKqV6tB"
H = "9f86d081884c7d659a2feaa0c55ad015"
CASES = [
    ("export GITHUB_TOKEN=" + H + H[:8], [H], ["export"]),
    ('time=10 level=info msg="auth ok" apiKey=' + S[:20] + " dur=3ms", [S[:20]], ["dur=3ms"]),
    ('{"event":"x","db":{"user":"app","pass":"s3cr3tP4ss"},"ms":4}', ["s3cr3tP4ss"], ['"ms":4']),
    ('{\\"login\\":\\"bob\\",\\"passwd\\":\\"hun\\\\\\"ter\\"}', ["hun"], ["login"]),
    (
        "spring.datasource.password=Secr3t#1 spring.datasource.url=jdbc:mysql://db:3306/x",
        ["Secr3t#1"],
        ["jdbc:mysql://db:3306/x"],
    ),
    (
        "jdbc:postgresql://db:5432/x?user=app&password=abc123&ssl=true failed",
        ["abc123"],
        ["ssl=true failed", "db:5432/x"],
    ),
    (
        "Server=tcp:sql.shop,1433;Database=orders;User ID=sa;Password=P@ss;word1;Encrypt=True;",
        ["P@ss"],
        ["Database=orders", "Encrypt=True"],
    ),
    ("kubectl create secret generic db --from-literal=password=hunter22", ["hunter22"], ["generic db"]),
    ("docker login -u bot -p dckrsecret9 registry.shop", ["dckrsecret9"], ["registry.shop"]),
    ("sshpass -p hunter2! ssh root@web", ["hunter2!"], ["ssh"]),
    ("PGPASSWORD=hunter2 psql -h db", ["hunter2"], ["psql -h db"]),
    ("MYSQL_PWD=hunter2 mysqldump shop", ["hunter2"], ["mysqldump shop"]),
    ("x-amz-security-token: IQoJb3JpZ2luX2VjE" + S + S, ["IQoJb3JpZ2luX2VjE"], []),
    ("X-Auth-Token: " + H + " 403", [H], ["403"]),
    ("X-Vault-Token: root 403", ["root"], ["403"]),
    ("grpc-metadata-authorization: Bearer " + S, [S], []),
    ("headers={Authorization=[Bearer " + S + "], Accept=[*/*]}", [S], ["Accept=[*/*]"]),
    ("headers: {'Authorization': 'Basic dXNlcjpwYXNz', 'Accept': '*/*'}", ["dXNlcjpwYXNz"], ["'Accept': '*/*'"]),
    ("[('Authorization', 'Bearer " + S + "'), ('Accept', '*/*')]", [S], ["Accept"]),
    ('--header "X-API-KEY: ' + S[:24] + '" https://api.shop/x', [S[:24]], ["https://api.shop/x"]),
    ("http://api.shop/x?access_token=" + S + "&v=2", [S], ["&v=2"]),
    ("GET /cb?code=" + S + "&state=xyz HTTP/1.1", [S], ["HTTP/1.1"]),
    ('GET /login?user=bob&pwd=opensesame HTTP/1.1" 200', ["opensesame"], ["200"]),
    ("set-cookie: connect.sid=s%3AabcDEF123." + S + "; HttpOnly", ["abcDEF123"], ["HttpOnly"]),
    ('{"set-cookie":["sid=' + S + '; Path=/"],"status":200}', [S], ['"status":200']),
    ("PHPSESSID=" + H + "; csrftoken=" + S + "; theme=x", [H, S], []),
    ("redis AUTH failed: AUTH default hunter2x", ["hunter2x"], ["failed"]),
    ("requirepass foobared9", ["foobared9"], []),
    ("smtp user=bot@post.shop.org pass=xk29dk2 host=mx", ["xk29dk2", "bot@post.shop.org"], ["host=mx"]),
    ("ftp://bob:s3cr3t@files.shop/x.csv", ["s3cr3t"], ["files.shop/x.csv"]),
    ("git+https://x-access-token:" + S + "@git.shop/a/b.git", [S], ["git.shop/a/b.git"]),
    ("svn://u:a:b:c@svn.shop/x", ["a:b:c"], ["svn.shop/x"]),
    (
        'kafka sasl.jaas.config=org.apache.kafka.X required username="app" password="p4ss-w0rd";',
        ["p4ss-w0rd"],
        ["required", 'username="app"'],
    ),
    ("clientSecret=" + S[:30] + ", clientId=abc", [S[:30]], ["clientId=abc"]),
    ("encryption_key: " + H, [H], []),
    (
        '{"private_key_id":"'
        + H
        + H[:8]
        + '","private_key":"-----BEGIN PRIVATE KEY-----\\nMIIEvQ'
        + S
        + '\\n-----END PRIVATE KEY-----\\n"}',
        ["MIIEvQ"],
        [],
    ),
    ("wg PrivateKey = " + "aB3" * 14 + "=", ["aB3" * 14], []),
    ("SAMLResponse=PHNhbWxwOlJlc3BvbnNl" + S + " relay=x", ["PHNhbWxwOlJlc3BvbnNl"], ["relay=x"]),
    ("otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&issuer=y", ["JBSWY3DPEHPK3PXP"], ["issuer=y"]),
    ('new password set to "Winter2024!" for bob', ["Winter2024!"], ["for bob"]),
    ("Password for root is Toor12345", ["Toor12345"], []),
    ("login failed: username=bob, password=pa,ss1, ip=10.2.3.4", ["pa,ss1", "10.2.3.4"], ["username=bob"]),
    ("DATABASE_URL=postgresql://u:pw%2F1@10.1.2.3:5432/shop", ["pw%2F1", "10.1.2.3"], ["5432/shop"]),
    ('DATABASE_URL: "mysql2://u:pw@db/x"', [":pw@"], ["db/x"]),
    ("mongodb+srv://app:" + S[:16] + "@c0.abcde.mongodb.net/shop?retryWrites=true", [S[:16]], ["retryWrites=true"]),
    ("sentry dsn https://" + H + ":" + H[::-1] + "@o1.ingest.sentry.io/2", [H[::-1]], ["sentry.io/2"]),
    ("<Password>abc def</Password>", ["abc def"], []),
    ('<property name="password" value="abc9"/>', ["abc9"], []),
    ('<password value="abc9"/>', ["abc9"], []),
    ('password: "abc9" # comment', ["abc9"], ["# comment"]),
    ("'password' => 'abc9',", ["abc9"], []),
    ("password=abc9&x=1", ["abc9"], ["&x=1"]),
    ('"password" : "a\\"b9"', ["b9"], []),
    ("Secret data: token=abc9xyz", ["abc9xyz"], []),
    ("api-key=abc9xyz", ["abc9xyz"], []),
    ("AccessKey: " + S[:20], [S[:20]], []),
    ("ak=" + "LTAI5t" + S[:18], ["LTAI5t"], []),
    ("SharedAccessSignature sv=2020&sig=" + S + "%3D&se=1", [S], ["&se=1"]),
    (
        "Endpoint=sb://x.net/;SharedAccessKeyName=Root;SharedAccessKey=" + S + "abc=;EntityPath=q",
        [S],
        ["EntityPath=q", "Root"],
    ),
    ("bearer_token=" + S, [S], []),
    ("id_token: eyJhbGciOiJSUzI1NiJ9.eyJhIjoxfQ." + S, [S], []),
    ("hmac=" + H, [H], []),
    ("DD_API_KEY: " + H, [H], []),
    ("npm config set //r.shop/:_auth=dXNlcjpwYXNzd29yZA==", ["dXNlcjpwYXNzd29yZA"], []),
    ('{"auths":{"r.shop":{"auth":"dXNlcjpwYXNzd29yZA=="}}}', ["dXNlcjpwYXNzd29yZA"], ["r.shop"]),
    ("token " + H + " is revoked", [H], ["is revoked"]),
    ("ssh-rsa AAAAB3NzaC1yc2E" + S + " bob", [], ["bob"]),
    ('msg="user 10.2.3.4:5000 via 172.16.9.1"', ["10.2.3.4", "172.16.9.1"], ["5000"]),
    ("client=192.168.1.50,port=80", ["192.168.1.50"], ["port=80"]),
    ("addr:10.2.3.4->10.2.3.5", ["10.2.3.4", "10.2.3.5"], []),
    ('[10.2.3.4] (10.2.3.5) "10.2.3.6" <10.2.3.7>', ["10.2.3.4", "10.2.3.5", "10.2.3.6", "10.2.3.7"], []),
    ("http://10.2.3.4/x https://[2001:db8::5]:443/", ["10.2.3.4", "2001:db8::5"], []),
    ("ip=::ffff:10.2.3.4 ok", ["10.2.3.4"], ["ok"]),
    ("inet6 fe80::a00:27ff:fe4e:66a1/64", ["fe80::a00:27ff:fe4e:66a1"], ["/64"]),
    ("2001:0db8:85a3:0000:0000:8a2e:0370:7334 up", ["2001:0db8:85a3:0000:0000:8a2e:0370:7334"], ["up"]),
    ("arp 52-54-00-AB-CD-EF", ["52-54-00-AB-CD-EF"], []),
    ('E-mail: "Bob" <bob_k@corp-mail.co>', ["bob_k@corp-mail.co"], []),
    ("user=bob%40post.shop.org", ["bob%40post.shop.org"], []),
    ("card 4242-4242-4242-4242 declined", ["4242-4242-4242-4242"], ["declined"]),
    ("amex 378282246310005", ["378282246310005"], []),
    ("tel:+4915112345678", ["+4915112345678"], []),
    ("to=+14155550123 status=30003", ["+14155550123"], ["30003"]),
    ("Phone=(415) 555-0123", ["(415) 555-0123"], []),
    (
        "Started container in pod/pay-api-5d4f7c9b8-kq2zt on node aks-np1-12345678-vmss000002",
        ["pay-api-5d4f7c9b8-kq2zt", "aks-np1-12345678-vmss000002"],
        [],
    ),
    ('reflector.go: pods "pay-0" is forbidden', ["pay-0"], ["forbidden"]),
    ('{"kubernetes":{"pod_name":"ds-agent-z4k8p","node_name":"n-7","host":"n-7"}}', ["ds-agent-z4k8p"], []),
    ('"kubernetes.node.name":"pool-3-node-2"', ["pool-3-node-2"], []),
    (
        "dial tcp: lookup db-main.corp.lan on 10.0.0.2:53: no such host",
        ["db-main.corp.lan", "10.0.0.2"],
        ["no such host"],
    ),
    ("srv01.dc2.local: disk full", ["srv01.dc2.local"], ["disk full"]),
    ("<34>1 2031-01-01T00:00:00Z web-9.lan sshd 4123 ID47 - fail", ["web-9.lan", "4123"], ["fail"]),
    ("2031-01-01T00:00:00+00:00 web9 sshd[4123]: fail", ["web9", "4123"], ["fail"]),
    ("[pid 4123] exit", ["4123"], ["exit"]),
    ("(PID: 4123) exit", ["4123"], ["exit"]),
    ("postgres[4123]: LOG: x", ["4123"], ["LOG: x"]),
    ("process 4123 (java) killed", ["4123"], ["(java)"]),
    (
        "UPDATE users SET email='x@y.zz', age=31 WHERE id=77 -- 12 rows in 30 ms",
        ["x@y.zz", "31 ", "77"],
        ["12 rows in 30 ms"],
    ),
    ("select * from t where name = 'Al' and n > 5 limit 10", ["'Al'", "> 5"], ["limit 10"]),
]


@pytest.mark.parametrize(("text", "gone", "kept"), CASES, ids=range(len(CASES)))
def test_a_line_loses_its_secrets_and_keeps_the_rest(text: str, gone: list[str], kept: list[str]) -> None:
    out = redact(text, Numbering())
    outside = PLACEHOLDER.sub("<>", out)  # a placeholder's kind may repeat a word of the line
    assert [value for value in gone if value in outside] == []
    assert [value for value in kept if value not in out] == []
