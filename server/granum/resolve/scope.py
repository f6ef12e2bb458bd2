"""Python's scopes: what a name sees from where it stands, and which class a method belongs to."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from granum.resolve.table import Binding, Definition, Table


def visible_scopes(table: Table, scope: str) -> Iterator[str]:
    """The scopes that a name looks through: a class's names are seen by its own statements only, not by its methods."""
    yield scope
    while scope:
        scope = scope.rpartition(".")[0]
        definition = table.first(scope) if scope else None
        if definition is None or not definition.is_class:
            yield scope


def enclosing_class(table: Table, scope: str) -> Definition | None:
    """The class whose method (or a function inside that) the scope is."""
    while scope:
        parent = scope.rpartition(".")[0]
        definition = table.first(scope)
        owner = table.first(parent) if parent else None
        # a method that the index does not have yet (an unsaved one) still belongs to its class
        if owner and owner.is_class and not (definition and definition.is_class):
            return owner
        scope = parent
    return None


def class_around(table: Table, scope: str) -> Definition | None:
    """The class that the scope is, or whose method it is."""
    definition = table.first(scope) if scope else None
    return definition if definition and definition.is_class else enclosing_class(table, scope)


def dotted_import(imports: dict[str, Binding] | None, steps: tuple[str, ...]) -> Binding | None:
    """``import a.b`` binds ``a``; of several, the one that the name goes along furthest."""
    best: Binding | None = None
    best_length = 0
    for local, binding in (imports or {}).items():
        if "." in local and local.startswith(steps[0] + "."):
            parts = tuple(local.split("."))
            length = sum(a == b for a, b in zip(parts, steps, strict=False))
            if length > best_length:
                best, best_length = binding, length
    return best


def exports(table: Table, name: str) -> bool:
    """Whether a star import takes the name: ``__all__`` says it, else the leading underscore."""
    exported = table.exported
    return name in exported if exported is not None else not name.startswith("_")


def binds_in_module(table: Table, name: str) -> bool:
    """Whether the module itself defines or imports the name."""
    return table.first(name) is not None or name in table.imports.get("", {})


def folder_above(table: Table, levels: int = 1) -> str:
    """The folder that is ``levels`` dotted steps above a module."""
    path = table.folder if table.is_package else table.path.rpartition(".")[0]
    for _ in range(levels):
        path = path.rpartition("/")[0]
    return path


def merge_lines(parents: list[list[Definition]]) -> list[Definition]:
    """Python's C3 order of the bases' own orders; where they contradict, the first one wins."""
    merged: list[Definition] = []
    queues = [list(parent) for parent in parents if parent]
    queues.append([parent[0] for parent in parents if parent])
    while queues := [queue for queue in queues if queue]:
        tails = {definition.id for queue in queues for definition in queue[1:]}
        head = next((queue[0] for queue in queues if queue[0].id not in tails), queues[0][0])
        merged.append(head)
        queues = [[d for d in queue if d.id != head.id] for queue in queues]
    return merged
