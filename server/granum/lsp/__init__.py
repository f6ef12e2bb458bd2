"""The language-server front: the only part that knows pygls and lsprotocol."""

from __future__ import annotations

__all__ = ["serve_stdio", "serve_tcp"]


def serve_stdio() -> int:
    """Serves one client over stdin and stdout. The process ends here, with the protocol's exit code.

    The imports are late so that the command line pays for them only when it serves.
    """
    from granum.lsp import process

    return process.serve_stdio()


def serve_tcp(host: str, port: int) -> int:
    """Serves the first client that connects to an address of this machine, for debugging; returns the exit code."""
    from granum.lsp import process

    return process.serve_tcp(host, port)
