"""The errors that Granum raises on purpose; each message says what to do."""

from __future__ import annotations


class GranumError(Exception):
    """Base of all expected errors. Its message may be shown to a person."""


class InvalidRequestError(GranumError):
    """The caller's values make no sense; ``field`` is the path of the wrong one (``query``, ``position.line``)."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class NotInWorkspaceError(GranumError):
    """The path lies outside the workspace's root, or leads out of it through a symbolic link."""


class IndexUnavailableError(GranumError):
    """The index can neither be opened nor rebuilt (no space, no permission)."""


class CancelledRequestError(GranumError):
    """The caller no longer wants the answer."""
