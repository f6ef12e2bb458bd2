"""How the command ends: the exit codes, and the errors that lead to them."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """The exit codes that docs/cli.md promises."""

    OK = 0
    NOTHING_FOUND = 1
    USAGE = 2
    ENVIRONMENT = 3
    INTERNAL = 4
    INTERRUPTED = 130
    BROKEN_PIPE = 141


class CommandError(Exception):
    """An expected failure of a command: one line that says what is wrong, and a remedy where there is one."""

    exit = Exit.ENVIRONMENT

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.remedy = remedy


class UsageError(CommandError):
    """The command was given values that make no sense."""

    exit = Exit.USAGE


class EnvironmentFaultError(CommandError):
    """The machine lacks something that the command needs, or refuses it."""

    exit = Exit.ENVIRONMENT
