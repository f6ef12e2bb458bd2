"""``workspace/executeCommand``: every custom request under a command's name, for clients that know only those."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING

import msgspec
from pygls.exceptions import JsonRpcInvalidParams

from granum.lsp.errors import invalid_params
from granum.lsp.wire import Method

if TYPE_CHECKING:
    from granum.lsp.params import ExecuteCommandParams
    from granum.lsp.server import GranumServer

_METHODS = {method.command: method for method in Method}


async def execute_command(server: GranumServer, params: ExecuteCommandParams) -> object:
    """Answers as the request of the same name does; its params are the one argument."""
    method = _METHODS.get(params.command)
    if method is None:
        raise JsonRpcInvalidParams(f"command: unknown command {params.command[:200]}")
    arguments = params.arguments or ()
    if len(arguments) > 1:
        raise JsonRpcInvalidParams("arguments: expected one object")
    request = server.protocol.requests[method.value]
    raw = arguments[0] if arguments else msgspec.Raw(b"{}")
    try:
        decoded = msgspec.json.decode(b"{}" if bytes(raw) == b"null" else raw, type=request.params)
    except msgspec.ValidationError as error:
        raise invalid_params(error, "arguments[0]") from error
    outcome = request.handle(server, decoded)
    return await outcome if inspect.isawaitable(outcome) else outcome
