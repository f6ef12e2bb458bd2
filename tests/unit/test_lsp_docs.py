"""docs/protocol.md and docs/settings.md say what the code does."""

from __future__ import annotations

import json
import re
import typing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from granum.lsp import wire
from granum.lsp.features import requests
from granum.lsp.features.configuration import read_settings
from granum.model.settings import Settings
from tests.protocol_page import enums_of, spell_default, spell_type

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGE = (DOCS / "protocol.md").read_text(encoding="utf-8")
TYPES = {
    name: value
    for name, value in vars(wire).items()
    if isinstance(value, type) and issubclass(value, wire.Wire) and value is not wire.Wire
}
ROW = re.compile(
    r"^\| `(?P<field>[^`]+)` \| (?P<type>.+?) \| (?P<default>-|`[^|]*`) \| (?P<meaning>.+) \|$", re.MULTILINE
)


def section(title: str) -> str:
    """A heading's text, up to the next heading."""
    found = re.search(rf"^###? {re.escape(title)}\n(.*?)(?=^##|\Z)", PAGE, re.MULTILINE | re.DOTALL)
    assert found, f"docs/protocol.md has no section {title}"
    return found[1]


def examples(text: str) -> dict[str, Any]:
    return {
        name: json.loads(body)
        for name, body in re.findall(r"^```json (\w+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    }


@pytest.mark.parametrize("name", TYPES)
def test_every_type_is_described_as_it_is(name: str) -> None:
    hints = typing.get_type_hints(TYPES[name])
    wanted = [
        (field.encode_name, spell_type(hints[field.name]), spell_default(field))
        for field in msgspec.structs.fields(TYPES[name])
    ]
    rows = list(ROW.finditer(section(f"`{name}`")))
    assert [(row["field"], row["type"], row["default"]) for row in rows] == wanted
    assert all(row["meaning"].strip() not in ("", "TODO") for row in rows)


def test_no_type_is_described_that_is_not_there() -> None:
    described = set(re.findall(r"^### `([A-Z]\w+)`$", PAGE, re.MULTILINE))
    assert described == set(TYPES)


def test_enumerations_are_complete() -> None:
    rows = dict(re.findall(r"^\| `([A-Z]\w+)` \| (`[^|]+`) \|$", section("Enumerations"), re.MULTILINE))
    enums = {enum.__name__: enum for struct in TYPES.values() for enum in enums_of(struct)}
    assert rows == {name: ", ".join(f"`{each.value}`" for each in enum) for name, enum in enums.items()}


def strictly(name: str, example: Any) -> None:
    """An example holds only fields that exist, with values that they take; a result holds all of them."""
    kind = TYPES[name]
    again = msgspec.to_builtins(msgspec.convert(example, kind))
    if kind.__struct_fields__ and name.endswith("Params") and name != "DidReindexParams":
        again = {field: again[field] for field in again if field in example}
        again = json.loads(json.dumps(again))
        for field, value in example.items():
            if value is not None and isinstance(value, dict):
                again[field] = {inner: again[field][inner] for inner in again[field] if inner in value}
    assert json.loads(json.dumps(again)) == example


@pytest.mark.parametrize("method", list(wire.REQUESTS))
def test_every_request_has_real_examples(method: wire.Method) -> None:
    text = section(f"`{method.value}`")
    assert f"`{method.command}`" in text
    params, result = wire.REQUESTS[method]
    found = examples(text)
    assert list(found) == [params.__name__, result.__name__]
    for name, example in found.items():
        strictly(name, example)


@pytest.mark.parametrize("method", list(wire.NOTIFICATIONS))
def test_every_notification_has_a_real_example(method: wire.Notification) -> None:
    ((name, example),) = examples(section(f"`{method.value}` (notification)")).items()
    assert name == wire.NOTIFICATIONS[method].__name__
    strictly(name, example)


def test_the_page_names_every_standard_method_that_is_served() -> None:
    standard = [method for method in requests() if not method.startswith("granum/") and method != "shutdown"]
    assert [method for method in standard if f"`{method}`" not in PAGE] == []


def test_the_server_answers_every_request_of_the_wire() -> None:
    assert {method: request.params for method, request in requests().items() if method.startswith("granum/")} == {
        method.value: params for method, (params, _) in wire.REQUESTS.items()
    }


def settings_of(kind: type[msgspec.Struct], prefix: str) -> list[tuple[str, str, str]]:
    """Name, type with bounds, and default of every setting."""
    rows: list[tuple[str, str, str]] = []
    for field in msgspec.structs.fields(kind):
        name = f"{prefix}.{field.encode_name}"
        if isinstance(field.type, type) and issubclass(field.type, msgspec.Struct):
            rows += settings_of(field.type, name)
            continue
        hint, bounds = field.type, ""
        if meta := getattr(hint, "__metadata__", None):
            hint, bounds = hint.__origin__, f", {meta[0].ge} to {meta[0].le}"
        rows.append((name, spell_type(hint) + bounds, spell_default(field)))
    return rows


def test_every_setting_is_described_as_it_is() -> None:
    page = (DOCS / "settings.md").read_text(encoding="utf-8")
    rows = [(row["field"], row["type"], row["default"]) for row in ROW.finditer(page)]
    assert rows == settings_of(Settings, "granum")
    (example,) = re.findall(r"^```json\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    assert read_settings(json.loads(example)["granum"])[1] == []
