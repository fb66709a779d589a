"""Credentials in unusual places, each kind beside a harmless twin that must stay as it is."""

from __future__ import annotations

import base64
import json

import pytest

from rootproof.redaction import PLACEHOLDER, Numbering, find, redact, redact_structure

V = "gr4nite-Quay"
W = "0tter!Lake7"
R = "Wm4tQz81LpXc"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def json_escaped(text: str) -> str:
    return "".join(f"\\u{ord(c):04x}" for c in text)


GONE = [
    (f"db:\n  password:\n    {V}\n  port: 5432", [V], ["port: 5432"]),
    (f"password:\n  {V}", [V], []),
    (f"password:\\n  {V}\\nport: 1", [V], ["port: 1"]),
    (f"db_password =\n\t'{V}'\nmode: fast", [V], ["mode: fast"]),
    (f"passwords:\n  - {V}\n  - {W}\nmode: fast", [V, W], ["mode: fast"]),
    (f"password: >-\n  {V}\nmode: fast", [V], ["mode: fast"]),
    (f"password:\n{R}\nmode: fast", [R], ["mode: fast"]),
    (f'{{"password":\n  "{V}"}}', [V], []),
    (f'{{"passwords": [\n  "{V}"\n]}}', [V], []),
    (f"SET PASSWORD FOR ops = {V}", [V], ["ops"]),
    ("user ops\npassword hunter2\nport 80", ["hunter2"], ["port 80"]),
    ("password hunter2 is wrong", ["hunter2"], ["is wrong"]),
    (f"пароль {V}", [V], []),
    (f"password -> {V}", [V], []),
    (f"password \u2192 {V}", [V], []),
    (f"pass phrase: {V}", [V], []),
    (f"pass-word: {V}", [V], []),
    (f"pw: {V}", [V], []),
    (f"pwd: {V}", [V], []),
    (f"passwrd={V} n=1", [V], ["n=1"]),
    (f"db_pw={V} n=1", [V], ["n=1"]),
    (f"dbPw={V} n=1", [V], ["n=1"]),
    (f"rootpw {V}", [V], []),
    (f"passphrase: {V}", [V], []),
    (f"PW={V}", [V], []),
    (f"AUTH {R}", [R], []),
    (f'1714557600.1 [0 10.1.2.3:6000] "AUTH" "{V}"', [V], []),
    (f'"auth" "app" "{V}"', [V], ["app"]),
    (f"redis: AUTH {V} -> WRONGPASS", [V], ["WRONGPASS"]),
    ("redis> AUTH correcthorse", ["correcthorse"], []),
    (f"*2\\r\\n$4\\r\\nAUTH\\r\\n$12\\r\\n{V}\\r\\n", [V], []),
    (f'args: ["--db-password","{V}","--port","80"]', [V], ['"--port","80"']),
    (f'["--password", "{V}"]', [V], []),
    ('["--password", "correcthorse"]', ["correcthorse"], []),
    (f"['--api-token', '{R}']", [R], []),
    (f"[--password, {V}, --port, 80]", [V], ["--port, 80"]),
    (f"command:\n  - --password\n  - {V}\n  - --port", [V], ["--port"]),
    (f"('password', '{R}')", [R], []),
    (f"login user=%s password=%s args=('ops', '{V}',)", [V], ["ops"]),
    (f"msg='password=%s' args=('{V}',)", [V], []),
    (f"password={{}} params=['{V}']", [V], []),
    (f'password=%s" % ("{V}",)', [V], []),
    (f"requests.get(url, auth=('ops','{V}'), timeout=5)", [V], ["ops", "timeout=5"]),
    (f'auth=["ops", "{V}"]', [V], ["ops"]),
    ("HTTPBasicAuth('ops', 'correcthorse')", ["correcthorse"], ["ops"]),
    (f"password changed from {V} to {W}", [V, W], []),
    (f"the password for ops was changed from {V} to {W}.", [V, W], ["ops"]),
    ("password rotated from hunter to winter", ["hunter", "winter"], []),
    ("password hunter2 was used", ["hunter2"], ["was used"]),
    ("tried with password hunter2 and failed", ["hunter2"], ["and failed"]),
    (f"login with password {W} failed", [W], ["failed"]),
    (f"set DB_PASSWORD to {V} and restart", [V], ["and restart"]),
    ("set DB_PASSWORD to correcthorse", ["correcthorse"], []),
    (f"changed the password to {V}", [V], []),
    (f"| user | password |\n|---|---|\n| root | {V} |\n| ops | {W} |\n\nend", [V, W], ["root", "ops", "end"]),
    (f"| user | password |\\n|---|---|\\n| root | {V} |", [V], ["root"]),
    (f"+------+----+\n| user | pw |\n+------+----+\n| root | {V} |\n+------+----+", [V], ["root"]),
    (f"| setting | value |\n|:--|--:|\n| db_password | {V} |\n| port | 80 |", [V], ["| port | 80 |"]),
    (f"user,password,port\nroot,{V},80\n", [V], ["root", "80"]),
    (f"login_password_{R}_total 14", [R], ["_total 14"]),
    ("db_token_tr0ub4d0r9{a=\"b\"} 1", ["tr0ub4d0r9"], ["1"]),
    (f"connect ops/{V}@//db:1521/SALES failed", [V], ["db:1521/SALES failed"]),
    (f"ops/{V}@db:1521/SALES", [V], ["db:1521/SALES"]),
    ("CONNECT ops/correcthorse@SALES", ["correcthorse"], ["SALES"]),
    (f"next=%252Fpassword%253D{R}%2526n%253D1", [R], ["n%253D1"]),
    (f"q=%25257Bpassword%25253D{R}", [R], []),
    (f"%70assword={V}", [V], []),
    ("payload " + encoded(json.dumps({"password": V})) + " refused", [encoded(json.dumps({"password": V}))[14:30]],
     ["payload", "refused"]),
    ("body=" + encoded(f"user=ops&password={V}&n=1"), [encoded(f"user=ops&password={V}&n=1")[14:30]], ["body="]),
    (f'{{"pass\\u0077ord":"{V}"}}', [V], []),
    (f'{{"{json_escaped("password")}":"{V}","n":1}}', [V], ['"n":1']),
    (f'{{\\"pass\\\\u0077ord\\":\\"{V}\\",\\"n\\":1}}', [V], ["n"]),
    (f"ｐａｓｓｗｏｒｄ＝{V}", [V], []),
    (f"ｐａｓｓｗｏｒｄ：{V} ok", [V], ["ok"]),
    (f"𝐩𝐚𝐬𝐬𝐰𝐨𝐫𝐝={V} ok", [V], ["ok"]),
    (f"パスワード：{V} です", [V], []),
    (f"パスワードは{V}", [V], []),
    (f"密码：{V}，端口 80", [V], ["80"]),
    (f"密码是 {V}", [V], []),
    (f"口令={V}", [V], []),
    (f"пароль: {V} порт: 80", [V], ["порт: 80"]),
    (f"Пароль={V}", [V], []),
    (f"contraseña: {V}", [V], []),
    (f"contrasen\u0303a: {V}", [V], []),
    (f"mot de passe : {V}", [V], []),
    (f"Mot de passe\u202f: {V}", [V], []),
    (f"mot_de_passe={V}", [V], []),
    (f"Passwort: {V}", [V], []),
    (f"Kennwort={V}", [V], []),
    (f"senha={V}", [V], []),
    (f"wachtwoord: {V}", [V], []),
    (f"hasło: {V}", [V], []),
    (f"비밀번호: {V}", [V], []),
    (f"- name: DB_PASSWORD\n  value: {V}\n- name: MODE\n  value: fast", [V], ["value: fast"]),
    (f'- name: DB_PASSWORD\n  value: "{V}"', [V], []),
    (f"- name: DB_PASSWORD\r\n  value: {V}\r\n", [V], []),
    ('- name: "DB_PASSWORD"\n  value: correcthorse', ["correcthorse"], []),
    (f"- name: DB_PASSWORD\n  # the owner is ops\n  value: {V}", [V], []),
    (f"- name: DB_PASSWORD\n  value: |\n    {V}\n- name: X", [V], ["name: X"]),
    (f"- value: {V}\n  name: DB_PASSWORD\n", [V], []),
    (f"-----BEGIN PRIVATE KEY-----{R}-----END PRIVATE KEY-----", [R], []),
    ("-----BEGIN EC PRIVATE KEY-----\nabc=\n-----END EC PRIVATE KEY----- x", ["abc="], ["x"]),
    (f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ---- {R} ---- END SSH2 ENCRYPTED PRIVATE KEY ----", [R], []),
    (f"-----BEGIN\\u0020PRIVATE\\u0020KEY-----\\n{R}\\n-----END PRIVATE KEY-----", [R], []),
    (f"key=-----BEGIN+PRIVATE+KEY-----%0A{R}%0A-----END+PRIVATE+KEY-----", [R], []),
    ("refund to DE89 3704 0044 0532 0130 00 failed", ["3704 0044"], ["failed"]),
    ("iban=GB82WEST12345698765432 n=1", ["WEST1234"], ["n=1"]),
    ('{"iban":"FR1420041010050500013M02606"}', ["20041010"], []),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gone", "kept"), GONE, ids=range(len(GONE)))
def test_a_credential_goes_wherever_it_stands(text: str, gone: list[str], kept: list[str]) -> None:
    numbering = Numbering()
    out = redact(text, numbering)
    outside = PLACEHOLDER.sub("<>", out)
    assert [value for value in gone if value in outside] == []
    assert [value for value in kept if value not in out] == []
    assert redact(out, numbering) == out


KEPT = r"""
password:\n  required
password:\n  type: string\n  minLength: 8
password:\n  valueFrom:\n    secretKeyRef:\n      name: db-auth
password -> required
password – choose one
pass phrase is required
pass codes: 3
password field2
Enter password:\n2031-05-01T10:00:00Z INFO ready
password:\n\nnext paragraph
passwords:\n  - must be rotated\n  - must be long
password policy changed from 3 to 5 words
replicas changed from 3 to 5 replicas
password changed from old to new
password changed from the console to the portal
password hash changed from bcrypt to argon2
password changed from 12 to 16 characters
password encryption set to scram-sha-256
set password to expire in 90 days
set DB_PASSWORD to the value in the vault
set replicas to 5
password authentication failed
password policy is strict
password field2 is missing
password reset for user1 was sent
password sha256 mismatch
password user=ops1 failed
password rotation db-auth-2 finished
token bucket was used
with password and without
(using password: YES)
pw.x finished in 3 s
pwd is /srv/app
AUTH failed for user ops
AUTH service2 is down
AUTH command is missing
AUTH LOGIN not supported
NOAUTH Authentication required.
["--db-password-file","/run/secrets/db"]
["--password-stdin","--verbose"]
["user","password","email"]
("password", "email1")
columns=('user', 'password', 'created_at')
msg='user=%s' args=('ops',)
password=%s args=()
login user=%s after %d tries args=('ops', 3)
auth=('ops',)
auth=(user, password)
| column | type |\n|---|---|\n| password | varchar(64) |\n| user | text |
| user | password |\n|---|---|\n| root | required |\n| ops | yes |
| field | password policy |\n|---|---|\n| length | min12 |
| field | meaning |\n|---|---|\n| password | the word that a user types |
| step | token bucket |\n|---|---|\n| 1 | x7 |
user,password,port
user, password and port are needed\nroot may log in, too, now
login_password_sha256_total 14
password_reset_p99_seconds 0.3
token_v2_requests_total 7
db-secret-g5hmd2fk9t is mounted
default-token-x7gr9 is mounted
image ops/cart@sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
npm i @shop/cart@1.2.3 ops/cart@2.0
actions/checkout@v4 ran
clone ops/cart@web:22/x
next=%252Fitems%253Fpage%253D2
discount 25%25 applied
path C:\x64\u0070 kept
{"na\u006de":"ops"}
icon data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk== end
body eyJuYW1lIjoib3BzIiwicGFnZSI6Miwic2l6ZSI6NTB9 ok
body cGFzc3dvcmQgYXV0aGVudGljYXRpb24gZmFpbGVkIGZvciBvcHM= ok
パスワードが一致しません
パスワードの変更が必要です
密码错误，请重试
口令策略已更新
пароль не подходит
пароль: обязателен
la contraseña no es válida
le mot de passe est incorrect
mot de passe : requis
Passwort falsch
Das Kennwort ist abgelaufen
hasło wygasło
senha inválida
ｔｏｋｅｎ ｂｕｃｋｅｔ
- name: DB_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      key: password
- name: DB_PASSWORD_FILE\n  value: /run/secrets/db
- name: MODE\n  value: fast
-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----
-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----
order DE89370400440532013001 shipped
build AB12CDEF3456GHIJ done
part GB82WEST12345698765431 missing
""".strip().splitlines()  # fmt: skip


@pytest.mark.parametrize("line", KEPT)
def test_a_harmless_twin_stays(line: str) -> None:
    assert redact(line, Numbering()) == line
    real = line.replace("\\n", "\n")
    assert redact(real, Numbering()) == real


def test_an_iban_is_an_identifier_with_a_placeholder() -> None:
    text = "refund to DE89 3704 0044 0532 0130 00 failed"
    assert [(f.kind, text[f.start : f.end]) for f in find(text)] == [("iban", "DE89 3704 0044 0532 0130 00")]
    numbering = Numbering()
    out = redact(text, numbering)
    assert out == "refund to <iban:1> failed"
    assert redact(out, numbering) == out


def test_encoded_text_is_decoded_once_only() -> None:
    once = encoded(json.dumps({"password": V}))
    twice = encoded(json.dumps({"body": once}))
    assert redact(f"x {once}", Numbering()) == "x <secret:encoded:1>"
    assert redact(f"x {twice}", Numbering()) == f"x {twice}"


def test_a_structure_hides_the_same_kinds() -> None:
    value = {
        "ｐａｓｓｗｏｒｄ": V,
        "contraseña": V,
        "пароль": V,
        "db_pw": V,
        "args": ["--password", V, "--port", "80"],
        "env": [{"name": "DB_PASSWORD", "value": V}],
        "message": f"password:\n  {V}",
    }
    out = redact_structure(value, Numbering())
    assert V not in json.dumps(out, ensure_ascii=False)
    assert out["args"][2:] == ["--port", "80"]


def test_a_folded_text_gives_offsets_of_the_original() -> None:
    text = f"é％ ｐａｓｓｗｏｒｄ＝{V}, пароль: {W} 10.1.2.3"
    assert [text[f.start : f.end] for f in find(text)] == [V, W, "10.1.2.3"]
