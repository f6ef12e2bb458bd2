"""Settings: from ``initializationOptions``, pulled by ``workspace/configuration``, pushed by the client.

One wrong value costs that value only: the default stands in for it, and the client is told which it was.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import msgspec
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from granum.lsp.errors import invalid_params
from granum.model.settings import Settings

if TYPE_CHECKING:
    from granum.lsp.params import DidChangeConfigurationParams
    from granum.lsp.server import GranumServer

log = logging.getLogger(__name__)

SECTION = "granum"
PULL_TIMEOUT_SECONDS = 3.0


def read_settings(value: object) -> tuple[Settings, list[str]]:
    """Decodes settings field by field.

    Returns:
        The settings, and for each value that was wrong a sentence that names it.
    """
    if value is None:
        return Settings(), []
    complaints: list[str] = []
    read = _read(value, Settings, SECTION, complaints)
    return read if isinstance(read, Settings) else Settings(), complaints


def _read(value: object, kind: type[msgspec.Struct], path: str, complaints: list[str]) -> msgspec.Struct:
    if not isinstance(value, dict):
        complaints.append(f"{path}: expected object; the default is used")
        return kind()
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        given = value.get(field.encode_name)
        if given is None:
            continue
        inner = f"{path}.{field.encode_name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            fields[field.name] = _read(given, field.type, inner, complaints)
            continue
        try:
            fields[field.name] = msgspec.convert(given, field.type)
        except msgspec.ValidationError as error:
            complaints.append(f"{invalid_params(error, inner).message}; the default is used")
    return kind(**fields)


def section_of(value: object) -> object:
    """The ``granum`` section of settings that may come with or without its name around them."""
    return value[SECTION] if isinstance(value, dict) and SECTION in value else value


def did_change_configuration(server: GranumServer, params: DidChangeConfigurationParams) -> None:
    """Takes settings that the client pushes; one that sends none wants to be asked."""
    pushed = section_of(params.settings)
    if server.flags.configuration and not pushed:
        server.lane.put("configuration", lambda: pull(server))
    elif pushed is not None:
        server.lane.put("configuration", lambda: apply(server, pushed))


async def pull(server: GranumServer) -> None:
    """Asks the client for its settings and takes them."""
    params = types.ConfigurationParams(items=[types.ConfigurationItem(section=SECTION)])
    try:
        answer = await server.protocol.ask(types.WORKSPACE_CONFIGURATION, params, PULL_TIMEOUT_SECONDS)
    except (TimeoutError, JsonRpcException) as error:
        log.warning("the client told no settings", extra={"reason": str(error)})
        return
    if isinstance(answer, list) and answer and answer[0] is not None:
        await apply(server, answer[0])


async def apply(server: GranumServer, value: object) -> None:
    """Makes settings hold, for the folders too; tells the client of wrong values."""
    settings, complaints = read_settings(value)
    for complaint in complaints:
        server.tell(types.MessageType.Warning, f"Granum: {complaint}")
    if settings == server.settings:
        return
    server.settings = settings
    await server.executors.in_order(lambda: server.folders.configure(settings))
