"""What an editor does to a server, one function a gesture, each measured by the wall clock."""

from __future__ import annotations

import os
import statistics
import sys
import time
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from granum import __version__
from granum.cli.lsp_client import Client, ServerError
from granum.lsp import wire
from granum.model.answers import Health
from granum.model.layers import Layer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

HOVERS = 20
#: A first index of a very large workspace may take this long, in seconds, before the tour gives up.
INDEX_PATIENCE = 1800.0
STATUS_PATIENCE = 0.5
STALE_HITS = 50

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-32"]},
    "textDocument": {"hover": {"contentFormat": ["plaintext"]}, "synchronization": {"didSave": True}},
    "window": {"workDoneProgress": True},
    "workspace": {"workspaceFolders": True, "configuration": True},
    "experimental": {"granum": True},
}


class HoverContents(msgspec.Struct, frozen=True):
    """A hover's text."""

    value: str


class Hover(msgspec.Struct, frozen=True):
    """The answer to ``textDocument/hover``."""

    contents: HoverContents


class Capabilities(msgspec.Struct, frozen=True, rename="camel"):
    """The part of the server's capabilities that the tour depends on."""

    position_encoding: str = "utf-16"


class Initialized(msgspec.Struct, frozen=True):
    """The answer to ``initialize``."""

    capabilities: Capabilities


class Place(NamedTuple):
    """A position as the wire has it: both numbers 0-based, columns in code points."""

    uri: str
    line: int
    character: int

    def params(self) -> dict[str, Any]:
        """As LSP's params."""
        return {"textDocument": {"uri": self.uri}, "position": {"line": self.line, "character": self.character}}


def server_command() -> tuple[str, ...]:
    """How an editor starts the server, with the interpreter that runs the tour."""
    # -P: a toured workspace's own secrets.py or types.py must not be imported in the standard library's place
    return (sys.executable, "-P", "-m", "granum", "serve")


def environment(cache: Path) -> dict[str, str]:
    """The server's environment: the tour's own index, and no settings of the person's editor."""
    return {**os.environ, "GRANUM_CACHE_DIR": str(cache)}


def initialize(client: Client, root: Path) -> None:
    """Opens the workspace.

    Raises:
        ServerError: The server cannot count columns in code points, which the tour does.
    """
    params = {
        "processId": os.getpid(),
        "clientInfo": {"name": "granum tour", "version": __version__},
        "rootUri": root.as_uri(),
        "workspaceFolders": [{"uri": root.as_uri(), "name": root.name}],
        "capabilities": CAPABILITIES,
    }
    answer = client.request("initialize", params, Initialized)
    if answer.capabilities.position_encoding != "utf-32":
        raise ServerError("the server does not offer the utf-32 position encoding")
    client.notify("initialized", {})


def wait_until_indexed(client: Client, on_progress: Callable[[int, int], None]) -> wire.FolderStatus:
    """Waits for the end of the first index.

    Raises:
        ServerError: It does not end.
    """
    deadline = time.monotonic() + INDEX_PATIENCE
    while time.monotonic() < deadline:
        folder = client.request(wire.Method.STATUS, {}, wire.StatusResult).folders[0]
        on_progress(folder.files_done, folder.files_total)
        if folder.quiescent and folder.health in (Health.READY, Health.DEGRADED):
            return folder
        # woken by the server's own news; asking again covers news that came before
        client.wait_for(wire.Notification.STATUS, wire.StatusResult, lambda _: True, STATUS_PATIENCE)
    raise ServerError("the first index did not end")


def layers(client: Client, uri: str) -> wire.LayersResult:
    """All rows of one file."""
    return client.request(wire.Method.LAYERS, {"textDocument": {"uri": uri}}, wire.LayersResult)


def facts(client: Client, place: Place, *, include_stale: bool) -> wire.FactsResult:
    """What is known of the symbol at a place."""
    params = {**place.params(), "includeStale": include_stale, "includeMentions": True}
    return client.request(wire.Method.FACTS, params, wire.FactsResult)


def gone_stale(client: Client, path: str, facts: Iterable[wire.FactView]) -> tuple[wire.FactView, ...]:
    """Those of the facts that a search among stale rows finds, marked stale."""
    found = []
    for fact in facts:
        params = {
            "query": fact.text,
            "preferredLayers": [Layer.PROPOSITION],
            "pathGlob": path,
            "includeStale": True,
            "limit": STALE_HITS,
        }
        hits = client.request(wire.Method.SEARCH, params, wire.SearchResult).hits
        if any(hit.id == fact.id and hit.layer is Layer.PROPOSITION and hit.is_stale for hit in hits):
            found.append(msgspec.structs.replace(fact, is_stale=True))
    return tuple(found)


def open_document(client: Client, uri: str, language: str, text: str) -> None:
    """Opens a file in the editor."""
    document = {"uri": uri, "languageId": language, "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})


def change_document(client: Client, uri: str, text: str) -> None:
    """Types: replaces the whole text."""
    client.notify(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": text}]},
    )


def hover(client: Client, place: Place) -> tuple[str, float]:
    """The hover's text, empty if there is none, and how long it took in seconds."""
    started = time.perf_counter()
    answer = client.request("textDocument/hover", place.params(), Hover | None)  # type: ignore[arg-type]
    return answer.contents.value if answer else "", time.perf_counter() - started


def warm_hover(client: Client, place: Place) -> float:
    """The median of several hovers over one place, in seconds."""
    return statistics.median(hover(client, place)[1] for _ in range(HOVERS))


def save(client: Client, uri: str) -> float:
    """Tells of the save and waits until the index has followed; the time between, in seconds.

    Raises:
        ServerError: It does not follow.
    """
    client.forget(wire.Notification.DID_REINDEX)
    started = time.perf_counter()
    client.notify("textDocument/didSave", {"textDocument": {"uri": uri}})
    news = client.wait_for(
        wire.Notification.DID_REINDEX,
        wire.DidReindexParams,
        lambda batch: any(document.uri == uri for document in batch.documents),
    )
    if news is None:
        raise ServerError("the server did not reindex the saved file")
    return time.perf_counter() - started
