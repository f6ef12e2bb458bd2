"""Secrets planted everywhere are in no table, log or answer; what is written by others is shown, never obeyed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from markdown_it import MarkdownIt

from tests.e2e.served import MARKDOWN, Served, granum, served, stored

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

# in two pieces each, so that no scanner takes this file for a leak
AWS = "AKIA" + "QZ3MBVCNXD7KWT2B"
GITHUB = "ghp_" + "a8Kd93jfLs02mXqPz71bVtYw64RneUcH5oGi"
SLACK = "xoxb-" + "213456789012-345678901234-AbCdEfGhIjKlMnOpQrStUvWx"
JWT = "eyJ" + "hbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"
STRIPE = "sk_live_" + "4eC39HqLyjWDarjtT1zdp7dc"
PASSWORD = "Tr0ub4dor" + "&3xZ!"
DOLLAR = "Vx9$k" + "Q2mLw8p"
IN_URL = "s3cr3t" + "Pazz9"
TOKEN = "9f8Qw2Lk" + "7Zx4Vb1N"
ENV = "hG7#kd92" + "Lq!x"
KEY = "MIIEpAIBAAKCAQEAx7Yk" + "0q2ZfW8mB3vT5nJr9sLd"
ALL = (AWS, GITHUB, SLACK, JWT, STRIPE, PASSWORD, DOLLAR, IN_URL, TOKEN, ENV, KEY)

FILES = {
    "pkg/a.py": f'''"""Module. The key {AWS} must never be used.

Example::

    password = "{DOLLAR}"
"""
API_TOKEN = "{TOKEN}"
# The token must never be {GITHUB} in production.
OPTIONS = dict(password="{PASSWORD}", url="postgres://admin:{IN_URL}@db.example.org/x")


def connect(url="https://bob:{IN_URL}@example.org", token="{SLACK}", password="{PASSWORD}"):
    """Connects. The header must be Bearer {JWT} always.

    Args:
        token: must be {STRIPE}
    """
    if not url:
        raise ValueError("never use password='{DOLLAR}' here")
    return url


def test_connect():
    assert connect(password="{PASSWORD}") == "{AWS}"


KEY = """-----BEGIN RSA PRIVATE KEY-----
{KEY}
-----END RSA PRIVATE KEY-----"""
''',
    "typing.py": f'def broken(:\n    x = "{GITHUB}" "never closed\npassword = "{PASSWORD}\n',
    "docs/a.md": f"""# Setup `{AWS}` must hold

- The token must be `{GITHUB}`.
- You must set `export DB_PASSWORD={ENV}` first.
- Never use https://user:{IN_URL}@example.org/ or https://example.org/?api_key={TOKEN}&page=2.

password: {PASSWORD}

You must never call `connect("{STRIPE}")`.
""",
    "docs/a.rst": f"""Setup {STRIPE}
=====================================

You must use ``{SLACK}`` always.

:password: {DOLLAR}

.. note:: The password must be "{PASSWORD}".
""",
    ".env": f"PASSWORD={ENV}\n",
    "secrets.toml": f'x = "{AWS}"\n',
    "credentials.txt": f"{KEY}\n",
}
#: What is left of them shows that the files were read at all.
KEPT = ("must never be used", "always", "must be `[redacted", "You must use")


def write(root: Path) -> Path:
    for path, text in FILES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    return root


def everything_shown(it: Served) -> str:
    """All that the server says of the files, saved and unsaved, and of the secrets themselves."""
    said: list[Any] = []
    for path, text in FILES.items():
        for is_unsaved in (False, True):
            if is_unsaved:
                it.open(path, text)
                it.edit(path, text + "\n")
            said.append(it.layers(path))
            said.append(it.ask("textDocument/documentSymbol", it.document(path)))
            for row, line in enumerate(text.split("\n")):
                for word in re.finditer(r"\w{4,}", line):
                    where = it.at(path, row, word.start() + 1)
                    said.append(it.ask("textDocument/hover", where))
                    said.append(it.ask("granum/facts", {**where, "includeMentions": True, "includeStale": True}))
    for query in ("connect", "password token must never"):
        said.append(it.ask("granum/search", {"query": query, "limit": 1000}))
        said.append(it.ask("workspace/symbol", {"query": "#" + query}))
    said.append(it.ask("granum/status"))
    return json.dumps(said, ensure_ascii=False)


def test_planted_secrets_reach_no_table_log_or_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GRANUM_LOG", "debug")
    root = write(tmp_path / "root")
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        shown = everything_shown(it)
    kept = stored(tmp_path / "cache")
    runs = [
        granum(root, tmp_path / "cache", *words)
        for words in (["layers", "pkg/a.py", "--text"], ["search", "password must token never"], ["facts", "connect"])
    ]
    printed = "".join((run.stdout + run.stderr).decode() for run in runs)
    for where, text in (("shown", shown), ("stored", kept), ("log", it.client.stderr.decode()), ("cli", printed)):
        found = [text[max(0, at - 60) : at + 60] for secret in ALL if (at := text.find(secret)) >= 0]
        assert not found, (where, found)
    assert all(words in shown for words in KEPT)
    assert "must never be used" in kept
    # the terms of the full-text tables are folded and cut at signs
    for secret in ALL:
        longest = max(re.findall(r"[a-z0-9]+", secret.lower()), key=len)
        assert longest[:12] not in kept.lower()


HOSTILE = "\x1b]0;owned\x07\x9b31m\u202eevil\u2066\U000e0041<b>x</b> ![i](http://x/y.png) [c](command:quit) `tick"
NAME = "a\x1b[31m\u202e<b>`](command:quit).py"


CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\U000e0000-\U000e007f]")


def test_markup_and_control_characters_are_shown_as_text(tmp_path: Path) -> None:
    root = tmp_path / "root"
    root.mkdir()
    (root / NAME).write_text(f'def danger(x):\n    # It must never {HOSTILE}.\n    raise ValueError("{HOSTILE}")\n')
    with served(root, tmp_path / "cache", MARKDOWN) as it:
        shown = str(it.hover(NAME))
    # this renderer makes no links to files, unlike editors
    html = MarkdownIt("commonmark").render(shown.replace("file:///", "http://disk/"))
    assert set(re.findall(r"<(\w+)", html)) == {"p", "ul", "li", "strong", "code", "a"}
    assert all(target.startswith("http://disk/") for target in re.findall(r'href="([^"]*)', html))
    assert "&lt;b&gt;x&lt;/b&gt; ![i](http://x/y.png) [c](command:quit) `tick" in html
    assert not CONTROLS.search(shown)
    with served(root, tmp_path / "cache") as it:
        plain = str(it.hover(NAME))
    assert not CONTROLS.search(plain)
    assert len(plain.split("\n")) == len(shown.split("\n")) - 1
    for words in (
        ["search", "never happen"],
        ["search", "never happen", "--json"],
        ["facts", "danger"],
        ["facts", "danger", "--json"],
        ["layers", NAME, "--text"],
        ["index", "."],
        ["layers", "no\x1b[31m.py"],
    ):
        run = granum(root, tmp_path / "cache", *words)
        assert not CONTROLS.search((run.stdout + run.stderr).decode()), words
