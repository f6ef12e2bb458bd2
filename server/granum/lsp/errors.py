"""How failures are told to the client: a code, and a message that names the wrong field or a line in the log."""

from __future__ import annotations

import logging
import re
import uuid

import msgspec
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInternalError,
    JsonRpcInvalidParams,
    JsonRpcParseError,
    JsonRpcRequestCancelled,
)

from granum.model.errors import (
    CancelledRequestError,
    GranumError,
    InvalidRequestError,
    NotInWorkspaceError,
)

log = logging.getLogger(__name__)

REQUEST_FAILED = -32803  # LSP: the request was right, and yet failed

_PLACE = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>.*)`)?$", re.DOTALL)
_MISSING = re.compile(r"^Object missing required field `(?P<field>[^`]+)`$")
_JSON_NAMES = {"str": "string", "int": "integer", "bool": "boolean", "float": "number"}


def invalid_params(error: msgspec.ValidationError, prefix: str = "") -> JsonRpcInvalidParams:
    """Puts msgspec's complaint in the protocol's words, path first: ``textDocument.uri: expected string, got integer``.

    Args:
        error: What msgspec raised.
        prefix: The path of the value that it was raised for, for values inside others.
    """
    match = _PLACE.match(str(error))
    what, path = (match["what"], match["path"] or "") if match else (str(error), "")
    if missing := _MISSING.match(what):
        what, path = "required", f"{path}.{missing['field']}"
    what = re.sub(r"`([^`]*)`", lambda quoted: _json_names(quoted[1]), what)
    where = (prefix + path).lstrip(".")
    return JsonRpcInvalidParams(f"{where or 'params'}: {what[:1].lower()}{what[1:]}")


def _json_names(names: str) -> str:
    return " | ".join(_JSON_NAMES.get(name, name) for name in names.split(" | "))


def response_error(error: BaseException, method: str) -> JsonRpcException:
    """The answer to a request that ended in ``error``. A fault of our own is logged; the client learns only its id."""
    match error:
        case JsonRpcException():
            return error
        case CancelledRequestError():
            return JsonRpcRequestCancelled("the request was cancelled")
        case msgspec.ValidationError():
            return invalid_params(error)
        case msgspec.DecodeError():
            return JsonRpcParseError(f"params: {error}")
        case InvalidRequestError(field=field) if field:
            return JsonRpcInvalidParams(f"{_camel(field)}: {error}")
        case InvalidRequestError():
            return JsonRpcInvalidParams(str(error))
        case NotInWorkspaceError():
            return JsonRpcInvalidParams(str(error))
        case GranumError():
            return JsonRpcException(str(error), code=REQUEST_FAILED)
    return JsonRpcInternalError(f"internal error; the log has it under {logged(error, method)}")


def logged(error: BaseException, what: str) -> str:
    """Writes a fault with its traceback to the log and returns the id that finds it there."""
    fault = uuid.uuid4().hex[:8]
    log.error("fault", extra={"fault": fault, "during": what}, exc_info=error)
    return fault


def _camel(field: str) -> str:
    return re.sub(r"_([a-z])", lambda match: match[1].upper(), field)
