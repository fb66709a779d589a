"""The shapes of tokens: a vendor's prefix and the alphabet behind it, or a word that must occur and a pattern.

Source: the public documentation of each vendor's token format. Tails are open-ended (at least so long), so that a
longer token of a later format leaves no readable end.
"""

from __future__ import annotations

from typing import Final

from rootproof.redaction.finding import SECRET

_A: Final = "[A-Za-z0-9]"
_W: Final = "[A-Za-z0-9_-]"
_HEX: Final = "[0-9a-fA-F]"
_B64: Final = "[A-Za-z0-9+/_-]"
_UP: Final = "[A-Z0-9]"
# Also behind an escaped control character or a percent escape: their last letter is no part of the token.
_LEFT: Final = r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))"
_UUID: Final = f"{_HEX}{{8}}(?:-{_HEX}{{4}}){{3}}-{_HEX}{{12}}"


def _tail(alphabet: str, least: int) -> str:
    return f"{alphabet}{{{least},}}+"


# type -> patterns. Each pattern starts with a literal, by which `vendors` groups them.
RULES: Final[dict[str, tuple[str, ...]]] = {
    "aws-key": (
        *(f"{prefix}{_tail(_UP, 16)}" for prefix in ("AKIA", "ASIA", "ABIA", "ACCA", "AGPA", "AROA", "AIPA", "ANPA")),
        f"A3T[A-Z0-9]{_tail(_UP, 16)}",
        f"ABSK{_tail(_B64, 100)}={{0,2}}",
        f"bedrock-api-key-{_tail(_B64, 30)}={{0,2}}",
        rf"amzn\.mws\.{_UUID}",
    ),
    "gcp-key": (
        f"AIza{_tail(_W, 30)}",
        rf"ya29\.{_tail('[A-Za-z0-9_.-]', 20)}",
        f"GOCSPX-{_tail(_W, 20)}",
        f"1//0{_tail(_W, 30)}",
    ),
    "azure-key": (f"AZDO{_tail(_A, 40)}",),
    "alibaba-key": (f"LTAI{_tail(_A, 12)}",),
    "tencent-key": (f"AKID{_tail(_A, 32)}",),
    "yandex-key": (
        f"AQVN{_tail(_W, 34)}",
        f"YCAJ{_tail(_W, 16)}",
        rf"t1\.[A-Z0-9a-z_-]{{1,64}}={{0,2}}\.{_tail(_W, 60)}",
    ),
    "github-token": (
        *(f"gh{letter}_{_tail(_A, 30)}" for letter in "pousr"),
        f"github_pat_{_tail('[A-Za-z0-9_]', 22)}",
    ),
    "gitlab-token": (
        *(
            f"{prefix}-{_tail('[A-Za-z0-9_.-]', 15)}"
            for prefix in (
                "glpat",
                "gldt",
                "glrt",
                "glrtr",
                "glcbt",
                "glptt",
                "glft",
                "glimt",
                "glagent",
                "gloas",
                "glsoat",
                "glffct",
                "glwt",
            )
        ),
        f"GR1348941{_tail(_W, 18)}",
    ),
    "slack-token": (
        f"xox[abcdeoprs]-{_tail(_W, 10)}",
        rf"xoxe\.xox[bp]-{_tail(_W, 10)}",
        f"xapp-{_tail(_W, 20)}",
        f"xwfp-{_tail(_W, 20)}",
    ),
    "stripe-key": (
        *(f"{kind}_{mode}_{_tail(_A, 10)}" for kind in ("sk", "rk") for mode in ("live", "test", "prod")),
        f"whsec_{_tail(_B64, 20)}={{0,2}}",
    ),
    "ai-key": (
        *(f"sk-{part}-{_tail(_W, 20)}" for part in ("ant", "proj", "svcacct", "admin", "or", "None")),
        rf"sk-[A-Za-z0-9]{{10,60}}T3BlbkFJ{_tail(_W, 10)}",
        f"pplx-{_tail(_A, 40)}",
        f"gsk_{_tail(_A, 40)}",
        f"xai-{_tail(_W, 60)}",
        f"hf_{_tail(_A, 30)}",
        f"api_org_{_tail(_A, 30)}",
        f"r8_{_tail(_A, 36)}",
        f"lsv2_(?:pt|sk)_{_tail('[A-Za-z0-9_]', 32)}",
        f"pcsk_{_tail('[A-Za-z0-9_]', 40)}",
        f"tgp_v1_{_tail(_W, 30)}",
        f"nvapi-{_tail(_W, 50)}",
        f"jina_{_tail(_W, 40)}",
    ),
    "registry-token": (
        f"npm_{_tail(_A, 30)}",
        f"pypi-{_tail(_W, 30)}",
        f"rubygems_{_tail(_HEX, 32)}",
        f"CLOJARS_{_tail(_A, 40)}",
        f"dckr_(?:pat|oat)_{_tail(_W, 20)}",
        f"AKCp{_tail(_A, 8)}",
        f"cmVmdGtu{_tail(_A, 50)}",
    ),
    "vault-token": (
        rf"hv[bsr]\.{_tail(_W, 20)}",
        rf"b\.AAAA{_tail(_W, 80)}",
    ),
    "sendgrid-key": (rf"SG\.{_W}{{16,32}}\.{_tail(_W, 20)}",),
    "mail-key": (
        f"key-{_tail(_HEX, 32)}",
        f"pubkey-{_tail(_HEX, 32)}",
        f"xkeysib-{_tail(_W, 60)}",
        f"xsmtpsib-{_tail(_W, 60)}",
        rf"mlsn\.{_tail(_HEX, 40)}",
        f"POSTMARK_{_tail(_UP, 16)}",
    ),
    "loose-token": (  # short or plain prefixes: the tail must look random as well
        rf"s\.{_tail(_A, 24)}",
        f"AKC{_tail(_A, 10)}",
        f"AP[0-9ABCDEF]{_tail(_A, 10)}",
        f"sk-{_tail(_W, 20)}",
        f"fw_{_tail(_A, 22)}",
        f"oy2{_tail('[a-z0-9]', 43)}",
        f"cio{_tail(_A, 32)}",
        f"md-{_tail(_W, 22)}",
        f"rnd_{_tail(_A, 28)}",
        f"ph[cx]_{_tail(_A, 32)}",
        f"secret_{_tail(_A, 40)}",
        f"API-{_tail(_UP, 26)}",
        f"ico-{_tail(_A, 32)}",
        rf"sl\.{_tail('[A-Za-z0-9_=-]', 100)}",
        f"re_{_A}{{6,12}}_{_tail(_A, 16)}",
        f"nf[pcu]_{_tail(_A, 36)}",
        f"4b1d{_tail(_A, 38)}",
        *(f"{mode}_(?:pub_)?{_tail('[A-Za-z0-9_-]', 35)}" for mode in ("live", "test")),
    ),
    "twilio-key": (f"SK{_tail('[0-9a-z]', 32)}", f"AC{_tail('[0-9a-z]', 32)}"),
    "grafana-token": (f"glc_{_tail('[A-Za-z0-9+/]', 32)}={{0,3}}", f"glsa_{_A}{{32,64}}_{_HEX}{{8}}"),
    "sentry-token": (
        f"sntrys_{_tail('[A-Za-z0-9+/_=-]', 40)}",
        f"sntryu_{_tail(_HEX, 64)}",
        f"sntrya_{_tail(_HEX, 32)}",
    ),
    "monitoring-key": (
        f"NRAK-{_tail(_UP, 27)}",
        f"NRJS-{_tail(_HEX, 19)}",
        f"NRI[IQ]-{_tail(_W, 20)}",
        f"NRA[AD]-{_tail(_W, 20)}",
        *(rf"dt0{kind}\.[A-Z0-9]{{24}}\.{_tail(_UP, 64)}" for kind in ("c01", "s01", "s02", "s08", "s16")),
        f"ddp_{_tail(_A, 36)}",
        f"hcaik_{_tail(_A, 50)}",
        f"hcxik_{_tail(_A, 50)}",
        f"rootly_{_tail(_HEX, 40)}",
    ),
    "atlassian-token": (
        f"ATATT3{_tail('[A-Za-z0-9_=-]', 40)}",
        f"ATCTT3{_tail('[A-Za-z0-9_=-]', 40)}",
        f"ATBB{_tail(_A, 24)}",
        f"BBDC-{_tail('[A-Za-z0-9+/=_-]', 30)}",
    ),
    "cloud-token": (
        *(f"do{letter}_v1_{_tail(_HEX, 40)}" for letter in "opr"),
        rf"dp\.(?:pt|st|ct|sa|scim|audit)\.{_tail('[A-Za-z0-9._-]', 30)}",
        f"HRKU-{_tail(_W, 36)}",
        f"dapi{_HEX}{{32}}(?:-[0-9]{{1,2}})?",
        f"dose{_HEX}{{32}}",
        f"dkea{_HEX}{{32}}",
        f"pscale_(?:tkn|pw|oauth|pat)_{_tail('[A-Za-z0-9_.=-]', 32)}",
        f"sha256~{_tail(_W, 43)}",
        f"pul-{_tail(_HEX, 40)}",
        f"sbp_{_tail(_HEX, 40)}",
        f"sb_secret_{_tail(_W, 20)}",
        f"tskey-{_tail(_W, 16)}",
        rf"v1\.0-{_tail(_HEX, 24)}-{_tail(_HEX, 146)}",
        rf"FlyV1\ {_tail('[A-Za-z0-9+/=_,-]', 40)}",
        f"fm[12]_{_tail('[A-Za-z0-9+/=_,-]', 40)}",
        f"fo1_{_tail(_W, 43)}",
        f"tk-us-{_tail(_W, 48)}",
        f"AVNS_{_tail(_W, 12)}",
        f"ocid1_{_tail(_W, 40)}",
        f"neon_api_{_tail(_A, 32)}",
        f"cfut_{_tail(_A, 40)}",
        f"lin_(?:api|oauth)_{_tail(_A, 32)}",
    ),
    "ci-token": (
        f"bku[ai]_{_tail(_A, 32)}",
        f"bkc[ta]_{_tail(_A, 24)}",
        f"CCI(?:PAT|PRJ)_{_tail('[A-Za-z0-9_]', 30)}",
        f"sq[apu]_{_tail(_HEX, 40)}",
        f"PMAK-{_tail('[A-Za-z0-9-]', 50)}",
        f"PMAT-{_tail('[A-Za-z0-9-]', 20)}",
        f"pn[ub]_{_tail(_A, 30)}",
        f"sgp_{_tail('[A-Za-z0-9_-]', 40)}",
        *(f"{kind}\\.{_A}{{16,32}}\\.{_A}{{16,32}}\\.{_tail(_A, 16)}" for kind in ("pat", "sat")),
        f"jenkins-{_tail(_HEX, 34)}",
    ),
    "commerce-key": (
        f"shp(?:at|ss|ca|pa|tka|ua)_{_tail(_HEX, 32)}",
        *(f"sq0{kind}-{_tail(_W, 22)}" for kind in ("atp", "csp", "idp")),
        f"EAAA{_tail('[A-Za-z0-9_+=-]', 56)}",
        f"access_token\\$(?:production|sandbox)\\${_tail('[A-Za-z0-9$]', 24)}",
        f"FLW(?:PUB|SEC)K(?:_TEST)?-{_tail('[A-Za-z0-9-]', 12)}",
        f"rzp_(?:live|test)_{_tail(_A, 14)}",
        f"shippo_(?:live|test)_{_tail(_HEX, 32)}",
        f"EZ[AT]K{_tail(_A, 50)}",
        f"duffel_(?:live|test)_{_tail('[A-Za-z0-9_=-]', 40)}",
        f"access-(?:production|sandbox|development)-{_UUID}",
        f"sm_(?:aat|pat|sat)_{_tail(_A, 16)}",
    ),
    "app-token": (
        f"pat-(?:na|eu|ap)[0-9]-{_UUID}",
        f"ntn_{_tail(_A, 40)}",
        f"fig[dou]_{_tail(_W, 36)}",
        f"tfp_{_tail('[A-Za-z0-9_.=-]', 40)}",
        f"rdme_{_tail('[a-z0-9]', 60)}",
        f"fio-u-{_tail(_W, 50)}",
        f"CFPAT-{_tail(_W, 40)}",
        *(rf"{kind}\.eyJ{_W}{{20,2048}}\.{_tail(_W, 16)}" for kind in ("pk", "sk")),
        f"ops_eyJ{_tail(_B64, 100)}={{0,3}}",
        f"A3-{_UP}{{6}}-{_tail('[A-Z0-9-]', 20)}",
        f"pat{_A}{{14}}\\.{_tail(_HEX, 60)}",
        f"EAA[MC]{_tail(_A, 60)}",
        f"APA91b{_tail(_W, 100)}",
        f"aio_{_tail(_A, 28)}",
        rf"mfa\.{_tail(_W, 80)}",
        f"dnkey-{_W}{{26}}-{_tail(_W, 52)}",
        *(
            rf"{kind}_[A-Za-z0-9]{{5,30}}\.[A-Za-z0-9]{{4,6}}\.acc[_-][A-Za-z0-9-]{{10,32}}\."
            f"{_tail('[A-Za-z0-9+/_=-]', 30)}"
            for kind in ("sc", "ext", "scauth", "authress")
        ),
        *(f"s-s4t2{kind}-{_tail(_HEX, 64)}" for kind in ("ud", "af")),
        f"ZDX{_tail(_A, 32)}",
        f"AAAAAAAA{_tail('[A-Za-z0-9%]', 80)}",
        f"apify_api_{_tail(_A, 30)}",
        f"xau_{_tail(_A, 30)}",
        *(f"{kind}-{_UUID}" for kind in ("sdk", "mob", "api")),
    ),
    "cluster-token": (
        f"SWMTKN-1-{_tail('[a-z0-9-]', 50)}",
        f"SWMKEY-1-{_tail(_B64, 40)}",
        f"K10{_HEX}{{64}}::\\S{{1,256}}+",
    ),
    "private-key": (f"AGE-SECRET-KEY-1{_tail(_UP, 50)}", f"AGE-PLUGIN-{_tail('[A-Z0-9-]', 40)}"),
    "jwt": (rf"eyJ{_tail(_W, 12)}\.[A-Za-z0-9_-]{{8,16384}}+(?:\.[A-Za-z0-9_-]{{0,8192}}+){{0,3}}",),
}

# Shapes without a leading literal, each behind a word that must occur: (word, kind, pattern; group 1 is the secret).
KEYED: Final[tuple[tuple[str, str, str], ...]] = tuple(
    (word, SECRET + kind, pattern)
    for word, kind, pattern in (
        (
            "hooks.slack.com/",
            "webhook",
            r"hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_-]{20,512}+)",
        ),
        ("/api/webhooks/", "webhook", r"/api/webhooks/([0-9]{6,24}/[A-Za-z0-9_-]{20,512}+)"),
        ("webhook.office.com/", "webhook", r"webhook\.office\.com/(webhook[^\s\"'<>]{20,512}+)"),
        ("chat.googleapis.com/", "webhook", r"chat\.googleapis\.com/v1/spaces/([^\s\"'<>]{20,512}+)"),
        (
            "Q~",
            "azure-key",
            r"(?:(?<![A-Za-z0-9_~.-])|(?<=\\[nrt])|(?<=%[0-9A-F]{2}))([A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,64}+)",
        ),
        (
            ":A",
            "telegram-token",
            r"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{2})|(?<=/bot))([0-9]{5,16}:A[A-Za-z0-9_-]{34,64}+)",
        ),
        (
            "-us",
            "mail-key",
            _LEFT + r"([0-9a-f]{32}-us[0-9]{1,2})(?![A-Za-z0-9])",
        ),
        (
            "NRAL",
            "monitoring-key",
            _LEFT + r"([0-9a-fA-F]{36}(?:FFFF)?NRAL)",
        ),
        (
            "atlasv1",
            "vault-token",
            _LEFT + r"([A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,128}+)",
        ),
        (
            "_mmk",
            "app-token",
            _LEFT + r"([A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk)",
        ),
        ("$2", "password-hash", r"(\$2[abxy]?\$[0-9]{2}\$[./A-Za-z0-9]{20,60}+)"),
        ("$argon2", "password-hash", r"(\$argon2(?:id|i|d)\$[A-Za-z0-9$+/=,]{20,512}+)"),
        (
            "$",
            "password-hash",
            r"(\$(?:1|5|6|7|y|gy|apr1|sha1|scrypt|pbkdf2[a-z0-9-]{0,8})\$[./A-Za-z0-9=,$+]{16,512}+)",
        ),
        ("pbkdf2_", "password-hash", r"(pbkdf2_sha[0-9]{1,3}\$[0-9]{1,9}\$[A-Za-z0-9+/=$]{16,512}+)"),
        ("{S", "password-hash", r"(\{S?SHA(?:256|384|512)?\}[A-Za-z0-9+/]{20,256}+={0,2})"),
        ("SCRAM-", "password-hash", r"(SCRAM-SHA-[0-9]{1,3}\$[0-9]{1,9}:[A-Za-z0-9+/=$:]{16,512}+)"),
    )
)
