"""The server as VS Code, Neovim and Emacs meet it: their capabilities, through pytest-lsp's typed client."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator  # noqa: TC003 -- pytest-lsp evaluates its fixtures' annotations
from typing import TYPE_CHECKING, Any

import pytest
import pytest_lsp
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities, make_test_lsp_client

from tests.e2e.strict_client import SERVER, WATCHDOG_SECONDS
from tests.e2e.workspace import opened, place, write_workspace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.asyncio(loop_scope="module")

CLIENTS = ("visual-studio-code", "neovim", "emacs")


class Watcher(LanguageClient):
    """The client, and what the server told it."""

    reindexed: list[Any]
    root: Path
    result: types.InitializeResult


def make_client() -> LanguageClient:
    client = make_test_lsp_client()
    client.reindexed = []

    @client.feature("granum/didReindex")
    def _(batch: Any) -> None:
        client.reindexed.append(batch)

    @client.feature("granum/status")
    def _(_status: Any) -> None:
        pass

    @client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
    def _(_params: None) -> None:
        pass

    @client.feature(types.CLIENT_REGISTER_CAPABILITY)
    def _(_params: Any) -> None:
        pass

    return client


CONFIG = ClientServerConfig(
    server_command=[sys.executable, "-m", "granum", "serve"],
    server_env={**os.environ, "PYTHONPATH": str(SERVER)},
    client_factory=make_client,
)


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    assert CONFIG.server_env is not None
    CONFIG.server_env["GRANUM_CACHE_DIR"] = str(tmp_path_factory.mktemp("cache"))


@pytest_lsp.fixture(params=CLIENTS, config=CONFIG, scope="module")
async def client(
    request: pytest.FixtureRequest, lsp_client: Watcher, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[None]:
    root = write_workspace(tmp_path_factory.mktemp(request.param) / "work")
    capabilities = client_capabilities(request.param)
    capabilities.experimental = {"granum": {}}
    lsp_client.set_configuration({"granum": {"hover": {"maxFacts": 2}}})
    lsp_client.root = root
    lsp_client.result = await lsp_client.initialize_session(
        types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=[types.WorkspaceFolder(uri=root.as_uri(), name="work")],
        )
    )
    await lsp_client.protocol.send_request_async("granum/reindex", {})
    yield
    await lsp_client.shutdown_session()


def position(client: Watcher, path: str, needle: str) -> types.HoverParams:
    encoding = types.PositionEncodingKind(client.result.capabilities.position_encoding).value
    where = place(client.root, path, needle, encoding=encoding)
    return types.HoverParams(
        text_document=types.TextDocumentIdentifier(uri=where["textDocument"]["uri"]),
        position=types.Position(**where["position"]),
    )


async def until(done: Callable[[], bool]) -> None:
    async with asyncio.timeout(WATCHDOG_SECONDS):
        while not done():  # noqa: ASYNC110 -- pytest-lsp's client offers no event for custom notifications
            await asyncio.sleep(0.01)


async def test_hover_in_the_clients_format_and_encoding(client: Watcher) -> None:
    hover = await client.text_document_hover_async(position(client, "pkg/use.py", "post(3)"))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert hover.contents.value.count("\n- ") == 3
    assert "and 2 more" in hover.contents.value  # one of them the test that calls it
    start = position(client, "pkg/use.py", "post(3)").position
    assert hover.range == types.Range(start, types.Position(start.line, start.character + 4))


async def test_symbols_and_lenses(client: Watcher) -> None:
    document = types.TextDocumentIdentifier(uri=(client.root / "pkg/pay.py").as_uri())
    symbols = await client.text_document_document_symbol_async(types.DocumentSymbolParams(text_document=document))
    assert symbols is not None
    assert symbols[0].name == "Ledger"
    lenses = await client.text_document_code_lens_async(types.CodeLensParams(text_document=document))
    assert lenses
    resolved = await client.code_lens_resolve_async(lenses[0])
    assert resolved.command is not None
    assert "rule" in resolved.command.title
    found = await client.workspace_symbol_async(types.WorkspaceSymbolParams(query="#audits"))
    assert found is not None
    assert found[0].location.uri == (client.root / "docs/adr.md").as_uri()


async def test_commands_answer_as_the_requests(client: Watcher) -> None:
    command = types.ExecuteCommandParams(command="granum.symbol", arguments=[{"fqn": "Ledger.post"}])
    answer = await client.workspace_execute_command_async(command)
    assert answer["symbol"]["fqn"] == "pkg.pay.Ledger.post"


async def test_wrong_params_are_refused(client: Watcher) -> None:
    with pytest.raises(JsonRpcException, match="textDocument: expected object"):
        await client.protocol.send_request_async("granum/layers", {"textDocument": 3})


async def test_a_save_is_followed_to_the_hover(client: Watcher) -> None:
    path = client.root / "pkg/danger.py"
    document = opened(client.root, "pkg/danger.py")["textDocument"]
    item = types.TextDocumentItem(uri=document["uri"], language_id="python", version=1, text=document["text"])
    client.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
    path.write_text(path.read_text().replace("no <b>", "not one <b>"))
    versioned = types.VersionedTextDocumentIdentifier(uri=item.uri, version=2)
    change = types.TextDocumentContentChangeWholeDocument(text=path.read_text())
    client.text_document_did_change(
        types.DidChangeTextDocumentParams(text_document=versioned, content_changes=[change])
    )
    client.reindexed.clear()
    identifier = types.TextDocumentIdentifier(uri=item.uri)
    client.text_document_did_save(types.DidSaveTextDocumentParams(text_document=identifier))
    await until(
        lambda: any(each.uri == item.uri and each.stale for batch in client.reindexed for each in batch.documents)
    )
    hover = await client.text_document_hover_async(position(client, "pkg/danger.py", "danger"))
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    assert "not one" in hover.contents.value
    assert not client.messages
