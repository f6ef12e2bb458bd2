"""A language server that answers every hover with one constant: what a hover costs before anything is looked up."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

server = LanguageServer("bare", "1")


@server.feature(types.TEXT_DOCUMENT_HOVER)
def hover(_server: LanguageServer, _params: types.HoverParams) -> types.Hover:
    """Answers."""
    return types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "**bare** answer"))


if __name__ == "__main__":
    server.start_io()
