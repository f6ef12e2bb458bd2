"""What each command is for, and its examples: the text of its help, which docs/cli.md is checked against."""

from __future__ import annotations

from typing import NamedTuple


class CommandHelp(NamedTuple):
    """The first line is shown in the list of commands; the rest and the examples in the command's own help."""

    about: str
    examples: tuple[str, ...]


COMMANDS = {
    "serve": CommandHelp(
        "Run the language server, for an editor to start.\n\n"
        "It speaks LSP over stdin and stdout, and ends with the editor.",
        ("granum serve", "granum serve --tcp 127.0.0.1:7777"),
    ),
    "index": CommandHelp(
        "Index a workspace, or bring its index up to date.\n\n"
        "Counts rows by layer, and lists the files that could not be indexed and why.",
        ("granum index", "granum index ~/src/flask --force", "granum index --json | jq .status.counts"),
    ),
    "facts": CommandHelp(
        "Show what is known of a symbol: its rules, risks, decisions, tests, and who speaks of it.\n\n"
        "A name may be cut off at a dot: Flask.run finds flask.app.Flask.run. A place in a file works too.",
        ("granum facts Flask.run", "granum facts src/flask/app.py:560", "granum facts Flask.run --type risk"),
    ),
    "search": CommandHelp(
        "Search all layers of the memory, best hits first.",
        (
            "granum search session cookie",
            "granum search --intent bug_fix --limit 5 cookie must be signed",
            "granum search --type constraint --path 'src/**' thread",
        ),
    ),
    "layers": CommandHelp(
        "Show every row that one file has in the index, layer by layer, with exact lines.",
        ("granum layers src/flask/app.py", "granum layers README.md --text"),
    ),
    "status": CommandHelp(
        "Show the state of a workspace: health, rows by layer, branch, where its index lies.",
        ("granum status", "granum status --json | jq .counts.propositions"),
    ),
    "doctor": CommandHelp(
        "Check that Granum can work here, with a remedy for whatever fails.\n\n"
        "With --why it also says whether a file is indexed, and which rule keeps it out.",
        ("granum doctor", "granum doctor --why build/output.py", "granum doctor --json"),
    ),
    "tour": CommandHelp(
        "Show what Granum does, on a copy of a workspace: index, hover, edit, save.\n\n"
        "Starts the real server as an editor would, and measures each step. The workspace itself is never touched.",
        ("granum tour", "granum tour ~/src/flask", "granum tour --symbol Flask.run"),
    ),
}
