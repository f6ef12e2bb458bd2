"""The commands' parser. A command's own module is imported when it is run, so that none pays for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cyclopts import App, CycloptsError, Parameter

from granum import __version__
from granum.cli.commands import COMMANDS
from granum.cli.exits import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence

EXIT_CODES = "Exit codes: 0 done, 1 nothing found, 2 wrong usage, 3 a fault of the machine, 4 a fault of Granum."


def _build() -> App:
    about = "Remembers a workspace's rules, risks and decisions, and shows them where they matter."
    app = App(
        name="granum",
        help=about,
        help_epilogue=EXIT_CODES,
        help_format="plaintext",
        version=__version__,
        default_parameter=Parameter(negative="", show_default=False),
    )
    for order, (name, (text, examples)) in enumerate(COMMANDS.items()):
        epilogue = "\n".join(("Examples:", *(f"  {example}" for example in examples)))
        module = "serve_command" if name == "serve" else name
        app.command(f"granum.cli.{module}:command", name=name, help=text, help_epilogue=epilogue, sort_key=order)
    return app


def run_command(words: Sequence[str]) -> int:
    """Parses and runs one command.

    Returns:
        Its exit code.

    Raises:
        UsageError: No command can be made of the words.
    """
    try:
        code = _build()(list(words), result_action="return_value", exit_on_error=False, print_error=False)
    except CycloptsError as error:
        command = f" {words[0]}" if words and words[0] in COMMANDS else ""
        raise UsageError(str(error).strip(), f"see 'granum{command} --help'") from error
    return code if isinstance(code, int) else 0
