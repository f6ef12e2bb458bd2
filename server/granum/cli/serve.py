"""``granum serve``: the language server itself."""

from __future__ import annotations

from typing import NamedTuple

from granum.cli.exits import UsageError

HIGHEST_PORT = 65535


class ServeOptions(NamedTuple):
    """Where to serve: over stdio, or on a loopback address for debugging."""

    address: tuple[str, int] | None = None


def parse(words: list[str]) -> ServeOptions | None:
    """Reads the words after ``serve`` without the command line's libraries, which cost as much as the server's start.

    Editors add ``--stdio`` and ``--clientProcessId=N`` of their own accord; the process id also comes
    with ``initialize``, so that both are taken and say nothing.

    Returns:
        The options, or None for anything else (``--help``), which the full parser explains.

    Raises:
        UsageError: ``--tcp`` names no loopback address.
    """
    options = ServeOptions()
    rest = iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if name == "--tcp":
            options = ServeOptions(address=loopback(value or next(rest, "")))
        elif name == "--clientProcessId":
            value = value or next(rest, "")
        elif word != "--stdio":
            return None
    return options


def loopback(address: str) -> tuple[str, int]:
    """Splits ``HOST:PORT``.

    Raises:
        UsageError: It is malformed, or open to other machines: the server trusts whoever speaks to it.
    """
    host, _, port = address.rpartition(":")
    host = host.strip("[]")
    if not host or not port.isdecimal() or not 0 <= int(port) <= HIGHEST_PORT:
        raise UsageError(f"--tcp wants HOST:PORT, not {address!r}", "for example --tcp 127.0.0.1:7777")
    if not _is_loopback(host):
        raise UsageError(f"--tcp serves this machine only, and {host} is not a loopback address", "use 127.0.0.1")
    return host, int(port)


def _is_loopback(host: str) -> bool:
    import ipaddress

    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def run(options: ServeOptions) -> int:
    """Serves until the client goes."""
    from granum import lsp

    if options.address is None:
        return lsp.serve_stdio()
    return lsp.serve_tcp(*options.address)
