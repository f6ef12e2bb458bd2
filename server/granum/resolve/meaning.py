"""What a name can stand for while it is followed, step by step, to a definition."""

from __future__ import annotations

from enum import Enum
from typing import TypeAlias

from granum.resolve.modules import Folder
from granum.resolve.table import Definition, Table


class Outside(Enum):
    """A name that is known not to be one of the workspace's own."""

    OUTSIDE = "outside"


OUTSIDE = Outside.OUTSIDE


class Instance:
    """An object of a class, known by ``self``, an annotation or a constructor call."""

    __slots__ = ("of",)

    def __init__(self, of: Definition) -> None:
        self.of = of


class Parent:
    """``super()`` inside a class: its bases, without itself."""

    __slots__ = ("of",)

    def __init__(self, of: Definition) -> None:
        self.of = of


#: A table is the module that it describes, a folder a package without a file of its own.
Value: TypeAlias = Definition | Table | Folder | Instance | Parent | Outside

#: Several values are alternatives that nothing tells apart; none means that nobody knows.
Values: TypeAlias = tuple[Value, ...]

UNKNOWN: Values = ()
FOREIGN: Values = (OUTSIDE,)
