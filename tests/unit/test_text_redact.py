"""Secrets are masked, lines and columns hold, and everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from granum.text import redact

# written in two pieces, so that no scanner takes this file for a leak
TOKENS = {
    "aws access key": "AKIA" + "IOSFODNN7EXAMPLE",
    "aws key without digits": "AKIA" + "ABCDEFGHIJKLMNOP",
    "github": "ghp_" + "16C7e42F292c6912E7710c838347Ae178B4a",
    "github without digits": "ghp_" + "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ",
    "github fine-grained": "github_pat_" + "11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789",
    "gitlab": "glpat-" + "xY3kP9sQ2mN7vB4cT8wZ",
    "slack": "xoxb-" + "123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx",
    "google": "AIza" + "SyD-9tSrke72PouQMnMX-a7eZSW0jkFMBWY",
    "stripe": "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc",
    "openai": "sk-" + "proj-abcdefghij1234567890ABCDEFGH",
    "openai, old": "sk-" + "T3BlbkFJ1234567890abcdefghijklmnopqrstuv",
    "npm": "npm_" + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5",
    "sendgrid": "SG." + "ngeVfQFYQlKU0ufo8x5d1A.TwL2iGABf9DHoTf-09kqeF8tAmbihYzrnopKc-1s5cr",
    "jwt": "eyJ" + "hbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV",
}
SECRETS = [
    'password = "Tr0ub4dor&3"',
    "password: str = 'correcthorsebattery'",
    'connect(user="bob", password="hunter2")',
    '{"password": "S3cure!pass"}',
    "DB_PASSWORD=correcthorse",
    "export API_TOKEN=8f14e45fceea167a5a36dedd4bea2543",
    "  api_key: 9aF3kLm2Qx7Zt5Wb",
    'SECRET_KEY = "django-insecure-8#kz!q2v^x1m@7w&r5t(3y)p0"',
    'client_secret="4fG7hJ9kL2mN5pQ8"',
    'os.environ.setdefault("API_KEY", "a8f5f167f44f4964e6c998dee827110c")',
    "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "postgres://admin:s3cr3tPass@db.internal/app",
    "https://deploy:x9Kq2@git.example.com/repo.git",
    "Authorization: Bearer abc123def456ghi789jk",
    '"Authorization": "Basic ZGVwbG95OnM0ZmVQYXNz"',
    'password = "Vx9$kQ2mLw8p"',
    'password = "Tr0ub4dor&3',
    "- Set `export DB_PASSWORD=hG7#kd92Lq!x` first.",
    "docker run -e MYSQL_PASSWORD=Tr0ub4dor3xZ mysql",
    ":password: Tr0ub4dor&3",
    'The password must be "Tr0ub4dor&3xZ!".',
    "https://api.example.com/v1?api_key=9f8Qw2Lk7Zx4Vb1N&page=2",
    "app.secret_key = b'_5#y2L\"F4Q8z\\n\\xec]/'",
]
INNOCENT = [
    'commit = "da39a3ee5e6b4b0d3255bfef95601890afd80709"',
    "See 9f01e82 and 858c4dd3f2a14b6c8d9e0f1a2b3c4d5e6f708192 for the reason.",
    'sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
    'id = "550e8400-e29b-41d4-a716-446655440000"',
    'password = "password"',
    'password = "changeme123"',
    "password = '<password>'",
    'password = os.environ["DB_PASSWORD"]',
    'password = f"{prefix}{name}"',
    "DB_PASSWORD=${DB_PASSWORD}",
    "mysql://root:$MYSQL_PASSWORD@db/",
    'run("make", "DB_PASSWORD=$DB_PASSWORD2")',
    "call(TOKEN=parser, key=Token2X1b)",
    'The token must be "csrfmiddlewaretoken2" and the password is "not set".',
    "https://example.com/?token=abc&next=/a1B2c3D4",
    "token = tokens[position1]",
    "token = self.parser.next_token2()",
    'token = "csrfmiddlewaretoken"',
    'TOKEN_NAME = "X-CSRFToken"',
    'key = "user:1234:profile:v2"',
    "primary_key = models.UUIDField4Legacy",
    'error = {"password": "Enter the same password as before, for verification."}',
    '{"autocomplete": "new-password", "password": "id_password_field"}',
    "https://user:password@example.com/",
    "bob@example.com, http://localhost:8000/@user",
    "Authorization: Bearer <token>",
    "-----BEGIN PRIVATE KEY----- marks where a key begins, -----END PRIVATE KEY----- where it ends.",
    "class ImproperlyConfiguredException2ForTests: test_a_long_name_with_1_digit",
    "a tokenizer = Tokenizer2(password_validators=validators)",
    "task-list-with-a-very-long-name-0123456789",
]


@pytest.mark.parametrize("token", TOKENS.values(), ids=TOKENS)
@pytest.mark.parametrize("frame", ["{}", 'x = "{}"', "# uses {} here\n", "https://x.y/?k={}&z=1"])
def test_credentials_of_a_known_form_are_masked_wherever_they_stand(token: str, frame: str) -> None:
    text = frame.format(token)
    masked = redact(text)
    assert token not in masked
    assert masked == frame.format("[redacted" + "*" * (len(token) - 10) + "]")


@pytest.mark.parametrize("text", SECRETS)
def test_assigned_secrets_are_masked(text: str) -> None:
    masked = redact(text)
    assert masked != text
    assert "[redacted" in masked or "*****" in masked


@pytest.mark.parametrize("text", INNOCENT)
def test_hashes_names_placeholders_and_prose_stay(text: str) -> None:
    assert redact(text) == text


def test_only_the_value_is_masked() -> None:
    assert (
        redact('connect("db", password="hunter2-hunter2", port=1)')
        == 'connect("db", password="[redacted*****]", port=1)'
    )


def test_a_private_key_block_is_masked_between_its_lines() -> None:
    body = "MIIEowIBAAKCAQEA1c7+9z5Pad7OejecsQ0buH\nVXvjQbUHdqkkvKYKGBXQKbBfUkBKkZ4qtQ==\n"
    text = f"before\n-----BEGIN RSA PRIVATE KEY-----\n{body}-----END RSA PRIVATE KEY-----\nafter\n"
    masked = redact(text)
    assert [len(line) for line in masked.split("\n")] == [len(line) for line in text.split("\n")]
    assert masked.split("\n")[0::6] == ["before", ""]
    assert "MIIE" not in masked
    assert "qtQ" not in masked
    assert "-----END RSA PRIVATE KEY-----\nafter" in masked


def test_a_private_key_that_was_cut_off_is_masked() -> None:
    masked = redact(
        "-----BEGIN PRIVATE KEY-----\nMIIEowIBAAKCAQEA1c7z5Pad7Oej\nVXvjQbUHdqkkvKYKGBXQKbBf\n\ndef f():\n    pass\n"
    )
    assert "MIIE" not in masked
    assert "VXvj" not in masked
    assert "def f():" in masked


def test_a_private_key_in_code_leaves_the_code_parsable() -> None:
    lines = ["-----BEGIN PRIVATE KEY-----", "MIIEowIBAAKCAQEA1c7z5Pad", "-----END PRIVATE KEY-----"]
    text = "KEY = (\n" + "".join(f'    "{line}\\n"\n' for line in lines) + ")\n"
    masked = redact(text)
    compile(masked, "key.py", "exec")
    assert "MIIE" not in masked


def test_the_same_secret_is_masked_every_time() -> None:
    token = TOKENS["github"]
    assert token not in redact(f"{token}\n{token} {token}")


def test_text_without_secrets_is_returned_itself() -> None:
    text = "def f(token):\n    return token\n" * 10
    assert redact(text) is text


PIECES = st.sampled_from([*TOKENS.values(), *SECRETS, *INNOCENT, "é😀\u2028", "password=", "://", '"', "'"])
BREAKS = st.sampled_from(["\n", "\r\n", "\r", " ", ", "])


@given(st.lists(st.tuples(PIECES, BREAKS).map("".join), max_size=8).map("".join))
def test_masks_keep_lines_and_columns_and_a_second_pass_changes_nothing(text: str) -> None:
    masked = redact(text)
    assert len(masked) == len(text)
    assert [i for i, char in enumerate(masked) if char in "\r\n"] == [
        i for i, char in enumerate(text) if char in "\r\n"
    ]
    assert redact(masked) == masked


@given(
    st.lists(st.text(st.sampled_from("ab1 \n=é:'"), max_size=20), min_size=1),
    st.sampled_from(list(TOKENS.values())),
    st.data(),
)
def test_what_stands_around_a_secret_stays_where_it_was(parts: list[str], token: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(parts)))
    before, after = " ".join([*parts[:at], ""]), " ".join(["", *parts[at:]])
    masked = redact(f"{before} {token} {after}")
    assert masked.startswith(before)
    assert masked.endswith(after)
    assert token not in masked
