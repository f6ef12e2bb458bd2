"""Follows a dotted name, step by step, from where it stands to what it means, by Python's rules.

Nothing here guesses: a step whose receiver is not known ends in no value at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from granum.resolve.meaning import FOREIGN, OUTSIDE, UNKNOWN, Instance, Parent, Value, Values
from granum.resolve.modules import Folder, Modules, Sought
from granum.resolve.names import BUILTINS, CALL, annotated_types, split
from granum.resolve.scope import (
    binds_in_module,
    class_around,
    dotted_import,
    enclosing_class,
    exports,
    folder_above,
    merge_lines,
    visible_scopes,
)
from granum.resolve.table import Binding, Definition, Table

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

T = TypeVar("T")

#: What the first identifier means, and the steps that are left to follow.
_Start: TypeAlias = tuple[Values, tuple[str, ...]]

#: How many aliases, types and re-exports one name may lead through; a circle of imports ends there.
MAX_DEPTH = 12

#: The local type of a name that a function binds to nobody knows what.
ANYTHING = "?"

_RECEIVERS = frozenset({"self", "cls", "mcs", "metacls"})


class Follower:
    """Resolves names over the tables of one index. It remembers, so make one for a request or a linking run."""

    def __init__(self, modules: Modules) -> None:
        self.modules = modules
        #: The ids of the documents whose names were looked at, and the dotted names of modules looked for. A caller
        #: that wants to know what an answer rests on sets it to an empty set before it asks.
        self.consulted: set[int | str] = set()
        self._known: dict[Hashable, tuple[Any, frozenset[int | str]]] = {}
        self._depth = 0

    def name(self, table: Table, scope: str, name: str, local_type: str = "") -> Values:
        """What a dotted name means in the scope (a local name) of a document.

        Args:
            table: The document's names.
            scope: The local name of the definition around it, empty at module level.
            name: The name as written, calls as ``()``.
            local_type: How an enclosing function binds the first identifier, see ``model.layers.Reference``.
        """
        steps = split(name)
        if not steps:
            return UNKNOWN
        return self.along(*self._start(table, scope, steps, local_type))

    def along(self, values: Values, steps: tuple[str, ...]) -> Values:
        """What the steps lead to from these values."""
        for step in steps:
            if not values:
                return UNKNOWN
            values = self._step_all(values, step)
        return values

    # -- the first identifier

    def _start(self, table: Table, scope: str, steps: tuple[str, ...], local_type: str) -> _Start:
        first = steps[0]
        if first in _RECEIVERS and (owner := enclosing_class(table, scope)):
            return ((Instance(owner),), steps[1:])
        if first == "super" and (owner := enclosing_class(table, scope)):
            return ((Parent(owner),), steps[2:] if steps[1:2] == (CALL,) else steps[1:])
        if local_type == ANYTHING or (local_type and len(steps) == 1):
            # a local itself is no symbol; only what it leads to may be
            return UNKNOWN, steps[1:]
        if local_type:
            return self.instances(table, scope, local_type), steps[1:]
        return self.first_name(table, scope, steps)

    def first_name(self, table: Table, scope: str, steps: tuple[str, ...]) -> _Start:
        """What the first identifier is bound to, and the steps that are left to follow."""
        self.consulted.add(table.document_id)
        for level in visible_scopes(table, scope):
            qualified = f"{level}.{steps[0]}" if level else steps[0]
            definition = table.first(qualified)
            binding = table.imports.get(level, {}).get(steps[0])
            if binding:
                return self._imported_or(table, binding, definition), steps[1:]
            if definition:
                return (definition,), steps[1:]
            dotted = dotted_import(table.imports.get(level), steps)
            if dotted:
                return self._top_of(table, dotted), steps[1:]
            if level in table.stars and (starred := self._starred(table, level, steps[0])):
                return starred, steps[1:]
        return (FOREIGN if steps[0] in BUILTINS else UNKNOWN), steps[1:]

    def _imported_or(self, table: Table, binding: Binding, definition: Definition | None) -> Values:
        """An import, unless it leads out of the workspace and a class or function here stands in for it."""
        values = self.imported(table, binding)
        stands_in = definition is not None and (definition.is_class or definition.is_callable)
        if definition and stands_in and (not values or OUTSIDE in values):
            return (definition,)
        return values

    # -- imports

    def imported(self, table: Table, binding: Binding) -> Values:
        """What an import binds its local name to."""
        found: list[Value] = []
        for origin in self._origins(table, binding):
            if not binding.name:
                found.append(origin)
                continue
            found += self._guarded(origin, binding.name)
        return tuple(dict.fromkeys(found)) if found else self._missing(table, binding)

    def module_named(self, table: Table, written: str) -> Values:
        """The module that an import spells, its leading dots included."""
        module = written.lstrip(".")
        return self.imported(table, Binding((module, module, len(written) - len(module), "", 0, "")))

    def _missing(self, table: Table, binding: Binding) -> Values:
        """A name that its own module lacks is unknown; a module that the workspace lacks is foreign."""
        return UNKNOWN if binding.level or self._origins(table, binding) else FOREIGN

    def _origins(self, table: Table, binding: Binding) -> tuple[Table | Folder, ...]:
        if binding.level:
            return self._found(self.modules.relative(table.folder, binding.level, binding.module)).found
        found = self._absolute(table, binding.module)
        if found or not binding.name:
            return found
        # from namespace import module: the folder has no document of its own
        below = self._absolute(table, f"{binding.module}.{binding.name}")
        return tuple(Folder(folder_above(module)) for module in below)

    def _absolute(self, importer: Table, module: str) -> tuple[Table, ...]:
        return self._found(self.modules.absolute(importer.folder, module)).tables

    def _found(self, sought: Sought) -> Sought:
        self.consulted |= sought.rests_on
        return sought

    def _top_of(self, table: Table, binding: Binding) -> Values:
        """What ``import a.b`` binds: ``a``."""
        top = binding.module.partition(".")[0]
        found = self._absolute(table, top)
        if found:
            return found
        depth = binding.module.count(".")
        folders = [folder_above(module, depth) for module in self._absolute(table, binding.module)]
        return tuple(Folder(folder) for folder in dict.fromkeys(folders)) or FOREIGN

    def _starred(self, table: Table, level: str, name: str) -> Values:
        stars = table.stars.get(level, ())
        is_foreign = False
        for star in reversed(stars):
            for origin in self._origins(table, star):
                if isinstance(origin, Table) and exports(origin, name):
                    values = self._guarded(origin, name)
                    if values:
                        return values
            is_foreign |= not star.level and not self._origins(table, star)
        is_hidden = name in BUILTINS or (bool(level) and binds_in_module(table, name))
        return FOREIGN if is_foreign and not is_hidden else UNKNOWN

    def _guarded(self, origin: Table | Folder, name: str) -> Values:
        """A module's member; a circle of imports ends without an answer."""
        if self._depth >= MAX_DEPTH:
            return UNKNOWN
        self._depth += 1
        try:
            return self._step(origin, name)
        finally:
            self._depth -= 1

    # -- further steps

    def _step_all(self, values: Values, step: str) -> Values:
        if len(values) == 1:
            return self._step(values[0], step)
        found = [value for receiver in values for value in self._step(receiver, step)]
        known = [value for value in found if value is not OUTSIDE]
        return tuple(dict.fromkeys(known or found))

    def _step(self, value: Value, step: str) -> Values:
        if isinstance(value, Definition):
            return self._step_definition(value, step)
        if isinstance(value, Instance):
            return UNKNOWN if step == CALL else self.member(value.of, step)
        if isinstance(value, Table):
            return self.module_member(value, step)
        if isinstance(value, Parent):
            return self.member(value.of, step, skip=1)
        if isinstance(value, Folder):
            return self._folder_member(value, step)
        return FOREIGN

    def _step_definition(self, definition: Definition, step: str) -> Values:
        if definition.is_class:
            return (Instance(definition),) if step == CALL else self.member(definition, step)
        if definition.is_callable:
            return self.types_of(definition) if step == CALL else UNKNOWN
        found: list[Value] = []
        for instance in self.types_of(definition):
            found += self._step(instance, step)
        return tuple(dict.fromkeys(found))

    def _folder_member(self, folder: Folder, name: str) -> Values:
        table = self._child(folder.path, name)
        return (table,) if table else (Folder(f"{folder.path}/{name}" if folder.path else name),)

    def module_member(self, table: Table, name: str) -> Values:
        """What ``module.name`` means: its own definition, a re-export, a submodule, or a star import's name."""
        return self._remembered(("module", table.document_id, name), UNKNOWN, lambda: self._find_in_module(table, name))

    def _child(self, folder: str, name: str) -> Table | None:
        tables = self._found(self.modules.member(folder, name)).tables
        return tables[0] if tables else None

    def _find_in_module(self, table: Table, name: str) -> Values:
        self.consulted.add(table.document_id)
        definition = table.first(name)
        binding = table.imports.get("", {}).get(name)
        if binding:
            values = self._imported_or(table, binding, definition)
            if values:
                return values
        if definition:
            return (definition,)
        if table.is_package and (child := self._child(table.folder, name)):
            return (child,)
        return self._starred(table, "", name) if "" in table.stars else UNKNOWN

    # -- classes and types

    def member(self, owner: Definition, name: str, skip: int = 0) -> Values:
        """What ``Class.name`` means, by the order of its bases; ``skip`` leaves the class itself out."""
        key = ("member", owner.id, name, skip)
        return self._remembered(key, UNKNOWN, lambda: self._find_member(owner, name, skip))

    def _find_member(self, owner: Definition, name: str, skip: int) -> Values:
        line, has_foreign = self.line_of(owner)
        for cls in line[skip:]:
            self.consulted.add(cls.table.document_id)
            definition = cls.table.first(f"{cls.qualified_name}.{name}")
            if definition:
                return (definition,)
            binding = cls.table.imports.get(cls.qualified_name, {}).get(name)
            if binding:
                return self.imported(cls.table, binding)
        return FOREIGN if has_foreign else UNKNOWN

    def line_of(self, owner: Definition) -> tuple[tuple[Definition, ...], bool]:
        """A class and its bases in method resolution order, and whether some base is not known."""
        itself: tuple[tuple[Definition, ...], bool] = ((owner,), True)  # where a class inherits from itself by mistake
        return self._remembered(("line", owner.id), itself, lambda: self._find_line(owner))

    def _find_line(self, owner: Definition) -> tuple[tuple[Definition, ...], bool]:
        lines: list[list[Definition]] = []
        has_foreign = False
        for base in self.bases(owner):
            if base is None:
                has_foreign = True
                continue
            line, is_open = self.line_of(base)
            lines.append(list(line))
            has_foreign |= is_open
        return (owner, *merge_lines(lines)), has_foreign

    def bases(self, owner: Definition) -> list[Definition | None]:
        """The base classes as written, None for one outside the workspace or not known."""
        found: list[Definition | None] = []
        for base in owner.table.bases.get(owner.qualified_name, ()):
            if base in {"object", "Generic", "Protocol", "typing.Generic", "typing.Protocol"}:
                continue
            classes = [value for value in self.name(owner.table, owner.scope, base) if isinstance(value, Definition)]
            if owner in classes:
                # class Base(Base), where the second is an import of the same name
                classes = [c for c in self._outer_meaning(owner, base) if isinstance(c, Definition)]
            found.append(classes[0] if classes and classes[0].is_class and classes[0] is not owner else None)
        return found

    def _outer_meaning(self, owner: Definition, base: str) -> Values:
        binding = owner.table.imports.get(owner.scope, {}).get(base)
        return self.imported(owner.table, binding) if binding else UNKNOWN

    def types_of(self, definition: Definition) -> Values:
        """The objects that a variable, attribute or property holds, or that a function returns."""
        if not definition.type_name:
            return UNKNOWN
        return self.instances(definition.table, definition.scope, definition.type_name)

    def instances(self, table: Table, scope: str, annotation: str) -> Values:
        """The objects that an annotation, or the name of a called constructor, allows."""
        if self._depth >= MAX_DEPTH:
            return UNKNOWN
        self._depth += 1
        try:
            found: list[Value] = []
            for name in annotated_types(annotation):
                found += self._instances_of(table, scope, name)
        finally:
            self._depth -= 1
        known = [value for value in found if value is not OUTSIDE]
        return tuple(dict.fromkeys(known or found))

    def _instances_of(self, table: Table, scope: str, name: str) -> Iterable[Value]:
        is_class_itself = name.startswith("type[")
        inner = name[5:-1] if is_class_itself else name
        if inner.rpartition(".")[2] == "Self" and (owner := class_around(table, scope)):
            inner_values: Values = (owner,)
        else:
            inner_values = self.name(table, scope, inner)
        for value in inner_values:
            if isinstance(value, Definition) and value.is_class:
                yield value if is_class_itself else Instance(value)
            elif isinstance(value, Definition) and value.is_callable:
                yield from self.types_of(value)
            elif value is OUTSIDE:
                yield OUTSIDE

    def _remembered(self, key: Hashable, in_circle: T, find: Callable[[], T]) -> T:
        """Finds an answer once, with what it rests on; ``in_circle`` is what a circle finds on its way back."""
        known = self._known.get(key)
        if known is None:
            outer, self.consulted = self.consulted, set()
            self._known[key] = (in_circle, frozenset())
            try:
                answer = find()
                known = self._known[key] = (answer, frozenset(self.consulted))
            except BaseException:
                del self._known[key]  # an interrupted search has found nothing
                raise
            finally:
                self.consulted = outer
        self.consulted |= known[1]
        found: T = known[0]
        return found
