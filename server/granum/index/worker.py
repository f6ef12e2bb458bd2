"""A worker process: reads requests on stdin, answers readings on stdout, holds no database.

A reading is answered by two frames: itself, and what the extraction cache keeps of it, empty where that is nothing.

Run as ``python -P -m granum.index.worker``. A module run by name rather than ``multiprocessing``'s spawn, which would
import the parent's main module, and with it a whole language server, into every worker. It ends when its stdin
does, also when the parent was killed.
"""

from __future__ import annotations

import faulthandler
import gc
import os
import sys
import time
import zlib
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from granum.index.look import Rules, look, prepare
from granum.index.reading import Reading, Request, State

if TYPE_CHECKING:
    from collections.abc import Iterator

#: What the process ends with when a file took too long.
TIMED_OUT = 1
_LENGTH_BYTES = 4
_COLLECT_EVERY = 400


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """Files to look at, each answered by one frame in order. ``seconds`` is the most that one may take.

    A task without files has no answer; it readies the worker for the first one with files.
    """

    rules: Rules
    requests: tuple[Request, ...]
    seconds: float


encode = msgspec.msgpack.Encoder().encode
decode_task = msgspec.msgpack.Decoder(Task).decode
_decode_reading = msgspec.msgpack.Decoder(Reading).decode


def write_frame(stream: BinaryIO, payload: bytes) -> None:
    """Writes a payload behind its length."""
    stream.write(len(payload).to_bytes(_LENGTH_BYTES, "big") + payload)
    stream.flush()


def read_frame(stream: BinaryIO) -> bytes | None:
    """The next payload; None at the end of the stream, also in the middle of a frame."""
    head = stream.read(_LENGTH_BYTES)
    if len(head) < _LENGTH_BYTES:
        return None
    length = int.from_bytes(head, "big")
    payload = stream.read(length)
    return payload if len(payload) == length else None


def main() -> None:
    """Serves until stdin ends."""
    answers = os.fdopen(os.dup(1), "wb")
    # whatever a library prints must not end up between the frames
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    gc.disable()
    gc.freeze()
    done = 0
    for task in _tasks(sys.stdin.buffer):
        if not task.requests:
            prepare()
        for reading in _readings(task):
            try:
                _answer(answers, reading)
            except BrokenPipeError:
                return
            done += 1
            if done % _COLLECT_EVERY == 0:
                gc.collect()


def _answer(stream: BinaryIO, reading: Reading) -> None:
    payload = encode(reading)
    write_frame(stream, payload)
    # packed here, because the thread that keeps it is the one that everything waits for; the next levels take twice
    # the time for a tenth less
    write_frame(stream, zlib.compress(payload, 1) if reading.state is State.READ else b"")


def read_answer(stream: BinaryIO) -> Reading | None:
    """The next reading; None at the end of the stream."""
    payload = read_frame(stream)
    kept = None if payload is None else read_frame(stream)
    if payload is None or kept is None:
        return None
    return msgspec.structs.replace(_decode_reading(payload), weight=len(payload), packed=kept)


def _tasks(stream: BinaryIO) -> Iterator[Task]:
    while (frame := read_frame(stream)) is not None:
        yield decode_task(frame)


def _readings(task: Task) -> Iterator[Reading]:
    """Looks at each file in a box of time.

    A native parser that hangs holds the interpreter's lock, so that no Python code could stop it; faulthandler's own
    thread can. Arming it anew costs a thread, so one box serves until half of it is used up: a file gets between one
    and two times its seconds.
    """
    armed = time.monotonic()
    faulthandler.dump_traceback_later(2 * task.seconds, exit=True)
    try:
        for request in task.requests:
            if time.monotonic() - armed > task.seconds:
                armed = time.monotonic()
                faulthandler.dump_traceback_later(2 * task.seconds, exit=True)
            yield look(task.rules, request)
    finally:
        faulthandler.cancel_dump_traceback_later()


if __name__ == "__main__":
    main()
