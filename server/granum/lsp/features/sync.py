"""``textDocument/did…``: open documents. The text changes at once, on the loop; the engine hears of it in the lane."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.lsp.buffers import Buffer
    from granum.lsp.folders import Site
    from granum.lsp.params import DidChangeParams, DidOpenParams, DocumentParams
    from granum.lsp.server import GranumServer

log = logging.getLogger(__name__)


def did_open(server: GranumServer, params: DidOpenParams) -> None:
    """Begins a document."""
    announce(server, server.buffers.open(params.text_document))


def announce(server: GranumServer, buffer: Buffer) -> None:
    """Tells the engine of an open document."""
    text, version = buffer.text, buffer.version

    def tell(site: Site) -> None:
        server.folders.spell(site)
        site.workspace.document_opened(site.full_path, text, version)

    _in_lane(server, buffer.uri, tell)


def did_change(server: GranumServer, params: DidChangeParams) -> None:
    """Edits a document. Of edits that pile up before the engine hears of the first, it hears the last only."""
    document = params.text_document
    buffer = server.buffers.change(document.uri, document.version, params.content_changes, server.flags.encoding)
    if buffer is None:
        return
    version = buffer.version

    def tell(site: Site) -> None:
        if buffer.version == version:
            site.workspace.document_changed(site.full_path, buffer.text, version)

    _in_lane(server, buffer.uri, tell)


def did_save(server: GranumServer, params: DocumentParams) -> None:
    """Reads a saved document again."""
    _in_lane(server, params.text_document.uri, _saved)


def _saved(site: Site) -> None:
    site.workspace.document_saved(site.full_path)


def did_close(server: GranumServer, params: DocumentParams) -> None:
    """Ends a document; the disk speaks for it again."""
    if server.buffers.close(params.text_document.uri) is None:
        log.warning("close of a document that is not open", extra={"uri": params.text_document.uri})

    def tell(site: Site) -> None:
        server.folders.forget(site)
        site.workspace.document_closed(site.full_path)

    _in_lane(server, params.text_document.uri, tell)


def _in_lane(server: GranumServer, uri: str, tell: Callable[[Site], None]) -> None:
    def work() -> None:
        site = server.folders.find(uri)
        if site is not None:
            tell(site)

    server.lane.put(f"document {uri}", lambda: server.executors.in_order(work))
