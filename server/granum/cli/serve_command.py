"""The full parser's form of ``granum serve``, apart from ``serve`` so that the server's start imports no parser."""

from __future__ import annotations

from granum.cli.serve import ServeOptions, loopback, run


def command(*, tcp: str | None = None, stdio: bool = True) -> int:
    """Serves.

    Args:
        tcp: Serve one client at HOST:PORT instead; the host must be this machine.
        stdio: Serve over stdin and stdout, which is the default; editors add this option.
    """
    del stdio
    return run(ServeOptions(address=loopback(tcp) if tcp else None))
