"""``initialize`` to ``shutdown``: the order in which a connection comes to life and ends."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from granum import __version__
from granum.lsp.capabilities import client_flags, server_capabilities
from granum.lsp.features import configuration, watched_files
from granum.lsp.features.workspace_folders import open_folder
from granum.lsp.folders import initial_folders
from granum.lsp.protocol import Phase

if TYPE_CHECKING:
    from granum.lsp.params import CancelParams, InitializeParams, NoParams, ProgressCancelParams
    from granum.lsp.server import GranumServer

log = logging.getLogger(__name__)

#: How long the server waits for ``initialized`` before it goes to work without it.
INITIALIZED_TIMEOUT_SECONDS = 3.0


def initialize(server: GranumServer, params: InitializeParams) -> types.InitializeResult:
    """Settles what both sides can do. The folders open afterwards: the answer waits for no disk."""
    flags = client_flags(params.capabilities)
    server.begin(flags)
    options = configuration.section_of(params.initialization_options)
    folders = initial_folders(params)
    server.lane.put("start", lambda: _start(server, options, folders))
    if params.process_id is not None:
        server.watch(params.process_id)
    client = params.client_info
    log.info("initialize", extra={"client": client.name if client else "", "folders": len(folders)})
    server.protocol.phase = Phase.RUNNING
    return types.InitializeResult(
        capabilities=server_capabilities(flags), server_info=types.ServerInfo(name="granum", version=__version__)
    )


def initialized(server: GranumServer, _: NoParams) -> None:
    """The client takes requests from now on."""
    server.initialized.set()


async def _start(server: GranumServer, options: object, folders: list[str]) -> None:
    """Settings first, since they say where the index lies; then the folders."""
    await configuration.apply(server, options)
    try:
        await asyncio.wait_for(server.initialized.wait(), INITIALIZED_TIMEOUT_SECONDS)
    except TimeoutError:
        log.warning("no initialized notification came")
    else:
        await _introduce(server)
    for uri in folders:
        await open_folder(server, uri)


async def _introduce(server: GranumServer) -> None:
    if server.flags.register_configuration:
        server.register(types.WORKSPACE_DID_CHANGE_CONFIGURATION, {"section": configuration.SECTION})
    if server.flags.register_watched_files:
        server.register(types.WORKSPACE_DID_CHANGE_WATCHED_FILES, watched_files.EVERYTHING)
    if server.flags.configuration:
        await configuration.pull(server)


def shutdown(server: GranumServer, _: NoParams) -> None:
    """Answers nothing but ``exit`` from now on."""
    server.protocol.shut_down()


def cancel(server: GranumServer, params: CancelParams) -> None:
    """``$/cancelRequest``."""
    server.protocol.cancel(params.id)


def cancel_progress(server: GranumServer, params: ProgressCancelParams) -> None:
    """``window/workDoneProgress/cancel``."""
    server.works.cancel(params.token)
