"""JSON-RPC as Granum speaks it: pygls' protocol with every way in and out closed against bad input.

pygls answers nothing to a request whose params do not fit, to one without params, to a nested key ``jsonrpc``
and after shutdown; here every request is answered exactly once. Incoming params are decoded by msgspec into the
type that their method declares; outgoing msgspec values are encoded as they are, lsprotocol's by its converter.

Everything in this module runs on the event loop.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from enum import Enum
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import LanguageServerProtocol
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage, JsonRPCResponseMessage

from granum.lsp import surrogates
from granum.lsp.errors import REQUEST_FAILED, logged, response_error
from granum.lsp.params import NoParams

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping

    from cattrs import Converter

    from granum.lsp.outbox import Outbox
    from granum.lsp.server import GranumServer

log = logging.getLogger(__name__)

MessageId = int | str

#: A client that sends faster than it can be answered is refused beyond these, so that memory stays bounded.
MAX_WAITING_REQUESTS = 32_768
MAX_WAITING_BYTES = 256 * 1024 * 1024


class Phase(Enum):
    """Where the connection stands."""

    CREATED = "created"
    RUNNING = "running"
    SHUT_DOWN = "shut down"


class Request(NamedTuple):
    """How one request is served: the type of its params, and the function that answers it.

    A plain function answers at once, before the next message is read; a coroutine function whenever it is done.
    """

    params: type[msgspec.Struct]
    handle: Callable[[GranumServer, Any], Any]


class Notice(NamedTuple):
    """How one notification is taken. Handlers run on the loop, in the order of arrival, and must not block."""

    params: type[msgspec.Struct]
    handle: Callable[[GranumServer, Any], None]


class Envelope(msgspec.Struct):
    """A message with everything that depends on its method left undecoded."""

    jsonrpc: Any = None
    id: Any = msgspec.UNSET
    method: Any = msgspec.UNSET
    params: msgspec.Raw = msgspec.Raw()
    result: msgspec.Raw = msgspec.Raw()
    error: msgspec.Raw = msgspec.Raw()


_ENVELOPE = msgspec.json.Decoder(Envelope)
_ENCODER = msgspec.json.Encoder()
_BATCH = "a batch was sent; the Language Server Protocol has none, send one message at a time"


class GranumProtocol(LanguageServerProtocol):
    """One connection: takes message bodies, answers each request once, and sends what the server says."""

    _server: GranumServer

    def __init__(self, server: GranumServer, converter: Converter) -> None:
        super().__init__(server, converter)
        self.phase = Phase.CREATED
        self.requests: Mapping[str, Request] = {}
        self.notices: Mapping[str, Notice] = {}
        self.outbox: Outbox | None = None
        self._running: dict[MessageId, list[asyncio.Task[Any]]] = {}
        self._waiting = 0
        self._waiting_bytes = 0

    # -- in ---------------------------------------------------------------------------------------------

    def receive(self, body: bytes) -> None:
        """Takes one message. Never raises for anything that a client can send."""
        try:
            try:
                envelope = _ENVELOPE.decode(body)
            except msgspec.DecodeError:
                body = surrogates.replaced(body)
                envelope = _ENVELOPE.decode(body)
        except msgspec.ValidationError:
            batch = body.lstrip()[:1] == b"["
            self.refuse(None, JsonRpcInvalidRequest(_BATCH if batch else "a message must be a JSON object"))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            self.refuse(None, JsonRpcParseError(f"malformed JSON: {error}"))
        else:
            self._dispatch(envelope, len(body))

    def _dispatch(self, envelope: Envelope, size: int) -> None:
        has_id = _is_id(envelope.id)
        answer_to = envelope.id if has_id else None
        if envelope.method is msgspec.UNSET and has_id and (bytes(envelope.result) or bytes(envelope.error)):
            self._take_response(envelope)
        elif envelope.jsonrpc != "2.0":
            self.refuse(answer_to, JsonRpcInvalidRequest('jsonrpc: expected "2.0"'))
        elif not isinstance(envelope.method, str):
            self.refuse(answer_to, JsonRpcInvalidRequest("method: expected string"))
        elif envelope.id is msgspec.UNSET:
            self._take_notification(envelope.method, envelope.params)
        elif not has_id:
            self.refuse(None, JsonRpcInvalidRequest("id: expected integer | string"))
        else:
            self._take_request(envelope.id, envelope.method, envelope.params, size)

    def _take_request(self, message_id: MessageId, method: str, raw: msgspec.Raw, size: int) -> None:
        try:
            request = self._admit(method)
            outcome = request.handle(self._server, _decode(raw, request.params))
        except Exception as error:  # noqa: BLE001 -- whatever went wrong, the request must be answered
            self.refuse(message_id, response_error(error, method))
            return
        if asyncio.iscoroutine(outcome):
            self._await(message_id, method, outcome, size)
        else:
            self.answer(message_id, outcome, method)

    def _await(self, message_id: MessageId, method: str, outcome: Coroutine[Any, Any, Any], size: int) -> None:
        self._waiting += 1
        self._waiting_bytes += size
        task = asyncio.get_running_loop().create_task(outcome, name=method)
        self._running.setdefault(message_id, []).append(task)
        task.add_done_callback(lambda done: self._finish(message_id, method, done, size))

    def _admit(self, method: str) -> Request:
        """Finds who serves ``method`` now.

        Raises:
            JsonRpcException: Nobody does, or the connection's phase does not allow it.
        """
        if self.phase is Phase.SHUT_DOWN:
            raise JsonRpcInvalidRequest(f"{method}: the server has been shut down")
        if self.phase is Phase.CREATED and method != types.INITIALIZE:
            raise JsonRpcServerNotInitialized(f"{method}: the server is not initialized yet")
        if self.phase is Phase.RUNNING and method == types.INITIALIZE:
            raise JsonRpcInvalidRequest("initialize: the server is initialized already")
        request = self.requests.get(method)
        if request is None:
            raise JsonRpcMethodNotFound(f"unknown method {method[:200]}")
        if self._waiting >= MAX_WAITING_REQUESTS or self._waiting_bytes >= MAX_WAITING_BYTES:
            raise JsonRpcException(f"{method}: too many requests are waiting", code=REQUEST_FAILED)
        return request

    def _finish(self, message_id: MessageId, method: str, task: asyncio.Task[Any], size: int) -> None:
        self._waiting -= 1
        self._waiting_bytes -= size
        siblings = self._running[message_id]
        siblings.remove(task)
        if not siblings:
            del self._running[message_id]
        if task.cancelled():
            self.refuse(message_id, JsonRpcRequestCancelled("the request was cancelled"))
        elif error := task.exception():
            self.refuse(message_id, response_error(error, method))
        else:
            self.answer(message_id, task.result(), method)

    def _take_notification(self, method: str, raw: msgspec.Raw) -> None:
        if method == types.EXIT:
            self._server.stop(self.exit_code())
            return
        notice = self.notices.get(method)
        if self.phase is not Phase.RUNNING or notice is None:
            log.debug("notification ignored", extra={"method": method})
            return
        try:
            params = _decode(raw, notice.params)
        except (msgspec.DecodeError, RecursionError) as error:
            log.warning("notification with wrong params", extra={"method": method, "reason": str(error)})
            return
        try:
            notice.handle(self._server, params)
        except Exception as error:  # noqa: BLE001 -- the border to the client: nothing that it sends may end the server
            logged(error, method)

    def _take_response(self, envelope: Envelope) -> None:
        if envelope.id not in self._request_futures:
            log.warning("response to no request of ours", extra={"id": envelope.id})
            return
        future = self._request_futures.pop(envelope.id)
        self._result_types.pop(envelope.id, None)
        if future.done():
            return
        try:
            if not _is_null(envelope.error):
                failure = msgspec.json.decode(envelope.error, type=_ResponseError)
                future.set_exception(JsonRpcException(failure.message, failure.code))
            else:
                future.set_result(msgspec.json.decode(envelope.result))
        except msgspec.DecodeError as error:
            future.set_exception(JsonRpcException(f"the client's response is malformed: {error}"))

    def cancel(self, message_id: MessageId) -> None:
        """Cancels the running requests of that id. A finished or unknown one is nobody's fault: requests race."""
        for task in self._running.get(message_id, ()):
            task.cancel()

    def shut_down(self) -> None:
        """Ends the phase of answers: whatever still runs is cancelled, and so answered."""
        self.phase = Phase.SHUT_DOWN
        for task in [task for tasks in self._running.values() for task in tasks]:
            task.cancel()

    def exit_code(self) -> int:
        """0 after an orderly shutdown, else 1."""
        return 0 if self.phase is Phase.SHUT_DOWN else 1

    # -- out --------------------------------------------------------------------------------------------

    def answer(self, message_id: MessageId, result: object, method: str) -> None:
        """Sends a request's result."""
        try:
            self._send({"jsonrpc": "2.0", "id": message_id, "result": self.plain(result)})
        except (TypeError, ValueError, RecursionError) as error:
            self.refuse(message_id, response_error(error, method))

    def refuse(self, message_id: MessageId | None, error: JsonRpcException) -> None:
        """Sends a request's failure; ``message_id`` is None where the request's own could not be read."""
        self._send({"jsonrpc": "2.0", "id": message_id, "error": {"code": error.code, "message": error.message}})

    def _send_data(self, data: object) -> None:
        """What pygls sends for ``notify`` and ``send_request``."""
        match data:
            case JsonRPCNotification(params=msgspec.Struct() as params, method=method):
                self._send({"jsonrpc": "2.0", "method": method, "params": params})
            case JsonRPCRequestMessage() | JsonRPCResponseMessage() | JsonRPCNotification():
                raise TypeError(f"{data!r} is not sent through pygls")
            case _:
                self._send(self._converter.unstructure(data))

    def _send(self, message: dict[str, Any]) -> None:
        if self.outbox is not None:
            self.outbox.send(_ENCODER.encode(message))

    def plain(self, result: object) -> object:
        """A value as it is encoded: msgspec's own types as they are, lsprotocol's as plain dictionaries."""
        return result if isinstance(result, msgspec.Struct | msgspec.Raw) else self._converter.unstructure(result)

    def encoded(self, result: object) -> msgspec.Raw:
        """The same as JSON. Safe from any thread."""
        return msgspec.Raw(msgspec.json.encode(self.plain(result)))

    async def ask(self, method: str, params: object, seconds: float) -> object:
        """Sends a request to the client and waits for its plain result.

        Raises:
            TimeoutError: The client did not answer within ``seconds``.
            JsonRpcException: It answered with an error.
        """
        message_id = uuid.uuid4().hex
        try:
            return await asyncio.wait_for(
                asyncio.wrap_future(self.send_request(method, params, None, message_id)), seconds
            )
        finally:
            self._request_futures.pop(message_id, None)
            self._result_types.pop(message_id, None)


class _ResponseError(msgspec.Struct):
    code: int = -32603
    message: str = ""


def _is_null(raw: msgspec.Raw) -> bool:
    return bytes(raw) in (b"", b"null")


def _is_id(value: object) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _decode(raw: msgspec.Raw, params: type[msgspec.Struct]) -> msgspec.Struct:
    """Decodes params; missing ones and null are an empty object."""
    if params is NoParams or _is_null(raw):
        return msgspec.convert({}, params)
    return msgspec.json.decode(raw, type=params)
