"""What a document offers to others: the names, types, bases and imports that links elsewhere can rest on."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from granum.resolve.table import Table

#: Fastest level: interfaces are small, and written once a changed document.
_LEVEL = 1

#: Above every id: whoever was linked before has seen the definition that is gone.
GONE = 2**62


def interface_of(table: Table) -> bytes:
    """Equal for two states of a document exactly when no link in another document can tell them apart.

    Definitions inside functions are left out: nobody else sees them, and they come and go with every edit.
    """
    lines = [f"{table.path}\t{table.module}"]
    for meanings in table.definitions.values():
        for definition in meanings:
            around = table.first(definition.scope) if definition.scope else None
            if around is None or around.is_class:
                name = definition.qualified_name or table.module
                lines.append(f"{definition.id}\t{name}\t{definition.kind}\t{definition.type_name}")
    if table.exported is not None:
        lines.append(f"*\t{' '.join(sorted(table.exported))}")
    lines += [f"<\t{name}\t{' '.join(bases)}" for name, bases in table.bases.items()]
    lines += [f">\t{b.local}\t{b.level}\t{b.module}\t{b.name}\t{b.scope}" for b in table.bindings]
    return zlib.compress("\n".join(lines).encode(), _LEVEL)


def changed_names(before: bytes | None, after: bytes | None) -> dict[str, int]:
    """The last names of definitions that one of two interfaces has and the other lacks.

    Each with the highest id of an added definition, or with ``GONE`` where one was removed or changed.
    """
    old, new = _lines(before), _lines(after)
    names = {_last_name(line): int(line.partition("\t")[0]) for line in sorted(new - old, key=_id)}
    names.update({_last_name(line): GONE for line in old - new})
    return names


def is_elsewhere(before: bytes | None, after: bytes) -> bool:
    """Whether a document is new, or its path or its module's name is another one."""
    return before is None or _place(before) != _place(after)


def _place(interface: bytes) -> bytes:
    return zlib.decompress(interface).partition(b"\n")[0]


def _lines(interface: bytes | None) -> set[str]:
    lines = zlib.decompress(interface).decode().split("\n")[1:] if interface else []
    return {line for line in lines if line[:1].isdigit()}


def _id(line: str) -> int:
    return int(line.partition("\t")[0])


def _last_name(line: str) -> str:
    return line.split("\t", 2)[1].rpartition(".")[2]
