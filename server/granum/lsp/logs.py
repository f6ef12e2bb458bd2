"""The server's log: one JSON object a line on stderr, quiet unless asked (``GRANUM_LOG=debug``)."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from datetime import UTC, datetime

import msgspec

from granum.text.redact import redact

LEVEL_VARIABLE = "GRANUM_LOG"
_LEVELS = ("debug", "info", "warning", "error", "critical")
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}


class JsonLines(logging.Formatter):
    """Formats a record: time, level, logger, event, and whatever the call gave as ``extra``."""

    def format(self, record: logging.LogRecord) -> str:
        """One line of JSON."""
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": redact(record.getMessage()),
        }
        line.update({name: redact(str(value)) for name, value in vars(record).items() if name not in _STANDARD})
        if record.exc_info and record.exc_info[1] is not None:
            line["traceback"] = redact("".join(traceback.format_exception(record.exc_info[1])))
        return msgspec.json.encode(line).decode()


def configure() -> None:
    """Sends the log of the whole process to stderr. An unknown level in the environment means ``warning``."""
    level = os.environ.get(LEVEL_VARIABLE, "").lower()
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper() if level in _LEVELS else "WARNING")
    # pygls logs every message's body at INFO: source text has no business in a log
    for noisy in ("pygls", "asyncio"):
        logging.getLogger(noisy).setLevel(logging.ERROR)
