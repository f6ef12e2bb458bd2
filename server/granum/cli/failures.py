"""What a person sees when a command fails: one line and a remedy, or a JSON value; never a traceback."""

from __future__ import annotations

import json
import logging
import os
import sys
from typing import TYPE_CHECKING

from granum.cli.exits import CommandError, Exit
from granum.model.errors import GranumError, IndexUnavailableError
from granum.text.controls import visible

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def guarded(command: Callable[[], int], words: list[str]) -> int:
    """Runs ``command`` and answers its exit code, or that of its failure.

    Args:
        command: What to run.
        words: The command line, which says whether failures are told as JSON, and whether to trace them.
    """
    try:
        code = command()
        sys.stdout.flush()
    except KeyboardInterrupt:
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return _leave_broken_pipe()
    except CommandError as error:
        return _told(str(error), error.exit, words, error.remedy)
    except IndexUnavailableError as error:
        return _told(str(error), Exit.ENVIRONMENT, words, "'granum doctor' examines the place of the index")
    except GranumError as error:
        return _told(str(error), Exit.USAGE, words)
    except OSError as error:
        where = f": {error.filename}" if error.filename else ""
        return _told(f"{error.strerror or error}{where}", Exit.ENVIRONMENT, words)
    except Exception as error:
        log, where = _fault_log(words)
        log.exception("granum %s", words[0] if words else "")
        return _told(f"unexpected fault: {type(error).__name__}: {error}", Exit.INTERNAL, words, where)
    return code


def _told(message: str, code: Exit, words: list[str], remedy: str = "") -> int:
    if _has(words, "--json"):
        value = {"error": {"message": message, "remedy": remedy, "exit_code": int(code)}}
        sys.stdout.write(json.dumps(value, indent=2) + "\n")
        sys.stdout.flush()
    # a file's name in it was chosen by others
    sys.stderr.write(f"granum: {visible(message)}\n" + (f"        {remedy}\n" if remedy else ""))
    return code


def _fault_log(words: list[str]) -> tuple[logging.Logger, str]:
    """Where the trace of our own fault goes (a file, or stderr with ``--debug``), and how a person finds it."""
    log = logging.getLogger("granum.cli")
    log.propagate = False
    path = None if _has(words, "--debug") else _log_file()
    log.addHandler(logging.FileHandler(path, encoding="utf-8") if path else logging.StreamHandler(sys.stderr))
    return log, f"the details are in {path}; --debug shows them here" if path else "please report the trace above"


def _log_file() -> Path | None:
    """Where the trace of a fault is kept; None where nothing can be written."""
    from pathlib import Path

    from platformdirs import user_log_path

    own = os.environ.get("GRANUM_CACHE_DIR")
    folder = Path(own) if own else user_log_path("granum", appauthor=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "cli.log"
        path.open("a").close()
    except OSError:
        return None
    return path


def _leave_broken_pipe() -> int:
    """The reader (``head``) has gone. Without this, the interpreter complains when it flushes stdout at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return Exit.BROKEN_PIPE


def _has(words: list[str], flag: str) -> bool:
    before_delimiter = words[: words.index("--")] if "--" in words else words
    return flag in before_delimiter
