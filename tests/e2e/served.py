"""A workspace that a real server has indexed, and a client that forgives nothing on it."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from granum.index.connection import open_reader
from tests.e2e.strict_client import SERVER, RpcError, StrictClient

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MARKDOWN = {"textDocument": {"hover": {"contentFormat": ["markdown"]}}}
REFUSED = -32602


class Served:
    """What the tests ask of it."""

    def __init__(self, root: Path, cache: Path, client: StrictClient) -> None:
        self.root = root
        self.cache = cache
        self.client = client

    def ask(self, method: str, params: object = None) -> Any:
        """A request's result, or the code with which it was refused."""
        try:
            return self.client.request(method, params)
        except RpcError as error:
            return error.code

    def document(self, path: str) -> dict[str, Any]:
        return {"textDocument": {"uri": (self.root / path).as_uri()}}

    def at(self, path: str, line: int, character: int) -> dict[str, Any]:
        return {**self.document(path), "position": {"line": line, "character": character}}

    def hover(self, path: str, line: int = 0, character: int = 5) -> str | None:
        answer = self.client.request("textDocument/hover", self.at(path, line, character))
        return None if answer is None else str(answer["contents"]["value"])

    def layers(self, path: str) -> Any:
        return self.ask("granum/layers", {**self.document(path), "includeText": True})

    def symbol_path(self, fqn: str) -> str | None:
        """The path of the one definition of that name, if there is one."""
        found = self.client.request("granum/symbol", {"fqn": fqn})["symbol"]
        return None if found is None else str(found["location"]["path"])

    def open(self, path: str, text: str, version: int = 1) -> None:
        item = {**self.document(path)["textDocument"], "languageId": "any", "version": version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})

    def edit(self, path: str, text: str, version: int = 2) -> None:
        item = {**self.document(path)["textDocument"], "version": version}
        self.client.notify("textDocument/didChange", {"textDocument": item, "contentChanges": [{"text": text}]})


@contextmanager
def served(root: Path, cache: Path, capabilities: dict[str, Any] | None = None, **client: Any) -> Iterator[Served]:
    """Starts a server and waits for its index."""
    with StrictClient(cache, **client) as speaker:
        speaker.initialize(root, capabilities=capabilities or {})
        speaker.request("granum/reindex")
        yield Served(root, cache, speaker)


def granum(root: Path, cache: Path, *words: str) -> subprocess.CompletedProcess[bytes]:
    """Runs the command line in ``root``."""
    environment = {**os.environ, "PYTHONPATH": str(SERVER), "GRANUM_CACHE_DIR": str(cache)}
    command: Sequence[str] = [sys.executable, "-P", "-m", "granum", *words]
    return subprocess.run(command, cwd=root, env=environment, capture_output=True, check=False)


def stored(cache: Path) -> str:
    """All that an index holds: its rows with their texts unpacked, the terms of its full-text tables, and its bytes."""
    (index,) = cache.rglob("index-*.db")
    connection = open_reader(index)
    connection.execute("PRAGMA query_only = 0")  # for the table of terms, which is temporary
    try:
        names = connection.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type IN ('table', 'view') AND sql IS NOT NULL"
        )
        words: list[str] = []
        for name, sql in names.fetchall():
            words.extend(str(value) for row in connection.execute(f'SELECT * FROM "{name}"') for value in row)
            if "fts5" in str(sql):
                connection.execute(f"CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, '{name}', row)")
                words.extend(str(term) for (term,) in connection.execute("SELECT term FROM temp.terms"))
                connection.execute("DROP TABLE temp.terms")
    finally:
        connection.close()
    raw = b"".join(file.read_bytes() for file in sorted(cache.rglob("*")) if file.is_file())
    return "\n".join([*words, raw.decode("latin-1")])
