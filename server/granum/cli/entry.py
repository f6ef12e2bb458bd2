"""Where the process begins: picks the short way for ``serve``, and lets every failure end in one line.

Only ``sys`` is imported when this loads. An editor waits for ``granum serve``, and the libraries of the other
commands would cost it more than the interpreter's whole start.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one command.

    Args:
        arguments: The words after the program's name; those of the process by default.

    Returns:
        The exit code, one of ``granum.cli.exits.Exit``.
    """
    words = list(sys.argv[1:] if arguments is None else arguments)
    from granum.cli.failures import guarded

    return guarded(lambda: _serve_or_run(words), words)


def _serve_or_run(words: list[str]) -> int:
    if words[:1] == ["serve"]:
        from granum.cli.serve import parse, run

        options = parse(words[1:])
        if options is not None:
            return run(options)
    from granum.cli.app import run_command

    return run_command(words)
