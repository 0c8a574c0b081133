"""Shapes of secrets, and texts that look like them and are none.

Values are made here letter by letter, so that no file of this repository holds anything a scanner would take for a
secret. ``SHAPES``: id, text before the value, the value, text after it. ``LOOK_ALIKES``: whole texts.
"""

from __future__ import annotations

import base64
import random
import string

LOWER, UPPER, DIGITS = string.ascii_lowercase, string.ascii_uppercase, string.digits
ALNUM = string.ascii_letters + DIGITS
HEX = DIGITS + "abcdef"
URLSAFE = ALNUM + "_-"
_random = random.Random(20261130)


def made(count: int, letters: str = ALNUM) -> str:
    """So many letters, with a digit and a letter of each case among them where the alphabet has them."""
    text = [_random.choice(letters) for _ in range(count)]
    for sure, at in ((DIGITS, 1), (LOWER, 3), (UPPER, 5)):
        if count > 5 and set(sure) <= set(letters):
            text[at] = _random.choice(sure)
    return "".join(text)


def pem(kind: str, lines: int = 6) -> tuple[str, str, str]:
    body = "\n".join(made(64, ALNUM + "+/") for _ in range(lines))
    return f"-----BEGIN {kind}PRIVATE KEY-----\n", body, f"\n-----END {kind}PRIVATE KEY-----\n"


def basic() -> str:
    return base64.b64encode(f"ci:{made(18)}".encode()).decode()


def _jwt() -> str:
    head = base64.urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("=")
    body = base64.urlsafe_b64encode(b'{"sub":"1234567890","iat":1516239022}').decode().rstrip("=")
    return f"{head}.{body}.{made(43, URLSAFE)}"


SHAPES: tuple[tuple[str, str, str, str], ...] = (
    ("aws access key", "id = ", "AKIA" + made(16, UPPER + "234567"), "\n"),
    ("aws session key", "", "ASIA" + made(16, UPPER + "234567"), ""),
    ("aws secret key", "aws_secret_access_key = ", made(40, ALNUM + "/+"), "\n"),
    ("google api key", "key=", "AIza" + made(35, URLSAFE), "&q=1"),
    ("google oauth", "Bearer ", "ya29." + made(60, URLSAFE), "\n"),
    ("google client secret", '"client_secret":"', "GOCSPX-" + made(28, URLSAFE), '"'),
    ("azure storage", "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=", made(86, ALNUM + "+/") + "==", ";"),
    ("azure client secret", "AZURE_CLIENT_SECRET: ", made(3) + "8Q~" + made(34), "\n"),
    ("digitalocean", "token: ", "dop_v1_" + made(64, HEX), "\n"),
    ("github classic", "git clone https://", "ghp_" + made(36), "@github.com/a/b"),
    ("github app", "GITHUB_TOKEN=", "ghs_" + made(36), "\n"),
    ("github fine grained", "", "github_pat_" + made(22) + "_" + made(59), ""),
    ("gitlab", "PRIVATE-TOKEN: ", "glpat-" + made(20, URLSAFE), "\n"),
    ("gitlab runner", "", "glrt-" + made(20, URLSAFE), "\n"),
    ("slack bot", "slack = '", "xoxb-" + made(12, DIGITS) + "-" + made(12, DIGITS) + "-" + made(24), "'"),
    ("slack app", "", "xapp-1-" + made(11, UPPER + DIGITS) + "-" + made(13, DIGITS) + "-" + made(64, HEX), "\n"),
    ("slack webhook", "https://hooks.slack.com/services/", f"T{made(8, UPPER)}/B{made(8, UPPER)}/{made(24)}", "\n"),
    ("stripe live", "Stripe('", "sk_live_" + made(24), "')"),
    ("stripe restricted", "", "rk_live_" + made(24), "\n"),
    ("stripe webhook", "", "whsec_" + made(32), "\n"),
    ("npm", "", "npm_" + made(36), "\n"),
    ("npmrc", "//registry.npmjs.org/:_authToken=", made(36, HEX + "-"), "\n"),
    ("pypi", "password = ", "pypi-AgEIcHlwaS5vcmc" + made(70, URLSAFE), "\n"),
    ("rubygems", "", "rubygems_" + made(48, HEX), "\n"),
    ("docker hub", "docker login -p ", "dckr_pat_" + made(27, URLSAFE), "\n"),
    ("docker auth", '"auths": {"r.example.com": {"auth": "', basic(), '"}}'),
    ("hugging face", "", "hf_" + made(34), "\n"),
    ("openai project", "OpenAI(api_key='", "sk-proj-" + made(48, URLSAFE), "')"),
    ("anthropic", "", "sk-ant-api03-" + made(93, URLSAFE), "\n"),
    ("groq", "", "gsk_" + made(52), "\n"),
    ("sendgrid", "", "SG." + made(22, URLSAFE) + "." + made(43, URLSAFE), "\n"),
    ("twilio", "", "SK" + made(32, HEX), "\n"),
    ("mailgun", "api:", "key-" + made(32, HEX), "\n"),
    ("mailchimp", "apikey ", made(32, HEX) + "-us12", "\n"),
    ("telegram", "https://api.telegram.org/bot", made(10, DIGITS) + ":AA" + made(33, URLSAFE), "/getMe"),
    ("discord webhook", "https://discord.com/api/webhooks/" + made(18, DIGITS) + "/", made(68, URLSAFE), "\n"),
    ("vault", "VAULT_TOKEN=", "hvs." + made(90, URLSAFE), "\n"),
    ("age", "", "AGE-SECRET-KEY-1" + made(58, UPPER + DIGITS), "\n"),
    ("shopify", "", "shpat_" + made(32, HEX), "\n"),
    ("square", "", "sq0atp-" + made(22, URLSAFE), "\n"),
    ("databricks", "token = ", "dapi" + made(32, HEX), "\n"),
    ("linear", "", "lin_api_" + made(40), "\n"),
    ("notion", "", "ntn_" + made(46), "\n"),
    ("grafana", "", "glsa_" + made(32) + "_" + made(8, HEX), "\n"),
    ("new relic", "", "NRAK-" + made(27, UPPER + DIGITS), "\n"),
    ("sentry", "", "sntrys_" + made(120, ALNUM + "+/=_"), "\n"),
    ("doppler", "", "dp.pt." + made(43), "\n"),
    ("postman", "", "PMAK-" + made(24, HEX) + "-" + made(34, HEX), "\n"),
    ("pulumi", "", "pul-" + made(40, HEX), "\n"),
    ("terraform cloud", 'token = "', made(14) + ".atlasv1." + made(64, URLSAFE), '"'),
    ("supabase", "", "sbp_" + made(40, HEX), "\n"),
    ("heroku", "", "HRKU-" + made(60, URLSAFE), "\n"),
    ("planetscale", "", "pscale_tkn_" + made(43, URLSAFE), "\n"),
    ("airtable", "", "pat" + made(14) + "." + made(64, HEX), "\n"),
    ("artifactory", "X-JFrog-Art-Api: ", "AKCp" + made(69), "\n"),
    ("jwt", "cookie: session=", _jwt(), ";"),
    ("rsa key", *pem("RSA ")),
    ("ec key", *pem("EC ", 3)),
    ("openssh key", *pem("OPENSSH ")),
    ("pkcs8 key", *pem("")),
    ("pgp key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n", "\n".join(made(64) for _ in range(4)), "\n-----END"),
    ("postgres url", "postgres://app:", made(16), "@db.internal:5432/shop"),
    ("redis url", "redis://:", made(16), "@cache:6379/0"),
    ("basic auth url", "curl https://ci:", made(20), "@example.com/x"),
    ("jdbc password", "jdbc:sqlserver://h;user=sa;password=", made(14), ";encrypt=true"),
    ("connection string", "Server=db;Database=a;User Id=sa;Password=", made(14) + "!", ";"),
    ("bearer header", "Authorization: Bearer ", made(40, URLSAFE), "\n"),
    ("basic header", "headers = {'Authorization': 'Basic ", basic(), "'}"),
    ("api key header", "-H 'X-Api-Key: ", made(32), "'"),
    ("python assignment", 'DB_PASSWORD = "', made(12), '"\n'),
    ("json value", '"apiKey": "', made(24), '",'),
    ("javascript value", "const clientSecret = '", made(24), "';"),
    ("go value", 'secretKey := "', made(24), '"'),
    ("java value", 'private static final String PASSWORD = "', made(14), '";'),
    ("go struct", 'Password: "', made(14), '",'),
    ("dotenv", "SESSION_SECRET=", made(32), "\n"),
    ("yaml value", "  password: ", made(16), "\n"),
    ("toml value", 'access_token = "', made(40), '"'),
    ("shell export", "export API_TOKEN=", made(32), "\n"),
    ("docker env", "ENV MYSQL_ROOT_PASSWORD=", made(14), "\n"),
    ("keyword argument", 'connect(host, password="', made(14), '")'),
    ("netrc", "machine example.com login ci password ", made(16), "\n"),
    ("curl user", "curl -u admin:", made(16), " https://example.com"),
    ("properties", "spring.datasource.password=", made(14), "\n"),
    ("xml element", "<password>", made(14), "</password>"),
)

LOOK_ALIKES: tuple[str, ...] = (
    f"commit {made(40, HEX)}",
    f"sha256:{made(64, HEX)}",
    f'"integrity": "sha512-{made(86, ALNUM + "+/")}=="',
    "id: 123e4567-e89b-12d3-a456-426614174000",
    f"h1:{made(43, ALNUM + '+/')}=",
    f"--hash=sha256:{made(64, HEX)}",
    f"data:image/png;base64,iVBORw0KGgo{made(80, ALNUM + '+/')}",
    f'ETAG = "{made(32, HEX)}"',
    'password = os.environ["DB_PASSWORD"]',
    "password: str",
    "password: str | None = None",
    "def login(user: str, password: str) -> Token:",
    "token = get_token(request)",
    'secret_key = config.get("SECRET_KEY")',
    "const password = process.env.PASSWORD;",
    "let apiKey = settings.apiKey",
    'password := os.Getenv("PASSWORD")',
    "String password = request.getParameter(NAME);",
    "password=password",
    "connect(user=user, password=password)",
    "self.token = token",
    'parser.add_argument("--password", help="the password to use")',
    '<input type="password" name="password" placeholder="Your password">',
    "password: ${DB_PASSWORD}",
    "password: {{ vault_password }}",
    "PASSWORD=$(cat /run/secrets/password)",
    "API_TOKEN=${{ secrets.API_TOKEN }}",
    "TOKEN=<your token here>",
    "export API_KEY=$API_KEY",
    'if token == "":',
    "token_type = TokenType.BEARER",
    "# the password must be at least 12 characters long",
    'raise ValueError("password is required")',
    '"password": {"type": "string", "minLength": 12}',
    "password_hash = hash_password(password)",
    "tokens = tokenizer.encode(text)",
    "max_tokens: 4096",
    "secretName: database-credentials",
    "secretKeyRef:",
    "AccountKeyVault = vault",
    "https://example.com/path?x=1#@anchor",
    "mailto:someone@example.com",
    "http://localhost:8080/@types/node",
    "npm install @scope/package@1.2.3",
    "git@github.com:owner/repository.git",
    "https://user@example.com/repo.git",
    "ssh://git@example.com:22/x.git",
    "postgres://localhost:5432/shop",
    "redis://cache:6379/0",
    "postgres://app:%s@db/shop",
    "postgres://app:{password}@db/shop",
    "postgres://app:$PASSWORD@db/shop",
    "Authorization: Bearer <token>",
    'headers["Authorization"] = f"Bearer {token}"',
    "authorization: token",
    "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
    "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl+gAwIBAgIE\n-----END CERTIFICATE-----",
    "skip-link sk-navigation sk_test",
    "key-value pair key-0123",
    "SKU12345 SKIPPED SK-42",
    "assertTrue(isPasswordValid(input))",
    "PASSWORD_RESET_TIMEOUT = 3600",
    "ACCESS_TOKEN_EXPIRE_MINUTES=30",
    "token_urlsafe(32)",
    "csrf_token()",
    "eyJ is how a token begins",
    "class PasswordField(Field):",
    "api_key_header = APIKeyHeader(name=HEADER)",
    "npm_config_registry=https://registry.example.com",
    "hf_hub_download(repo_id, filename)",
    "xoxo-hugs-and-kisses",
    "pul-request pulumi up",
    '"parse-passwd": "^1.0.0",',
    "pytest.mark.parametrize(('username', 'password', 'message'), [",
    "const total = patients.length;",
)
