"""The module names of the workspace's files, by what is on the disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    import apsw

    from granum.index.rows import Row

#: A file of this name makes its folder a package, and so changes the names of the modules below it.
PACKAGE_MARKERS = ("__init__.py", "__init__.pyi")


class Modules:
    """Names modules; what it has seen of the folders it remembers, so it is made anew for each batch."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._packages: dict[str, bool] = {}

    def name(self, path: str) -> str:
        """The module's name of a file."""
        # late: the languages' specifications are not needed to answer from the index
        from granum.extract import module_of

        return module_of(path, self._is_package)

    def _is_package(self, folder: str) -> bool:
        known = self._packages.get(folder)
        if known is None:
            known = any((self._root / folder / marker).is_file() for marker in PACKAGE_MARKERS)
            self._packages[folder] = known
        return known


def renamed_modules(connection: apsw.Connection, modules: Modules, folder: str) -> list[str]:
    """The documents below a folder whose module's name is no longer the one that is stored."""
    condition, params = ("1", ()) if not folder else ("path >= ? AND path < ?", (f"{folder}/", f"{folder}0"))
    rows: list[Row] = connection.execute(
        f"SELECT path, module FROM document WHERE NOT is_stale AND {condition}", params
    ).fetchall()
    return [path for path, module in rows if modules.name(path) != module]


def is_marker(path: str) -> bool:
    """Whether the file makes its folder a package."""
    return path.rpartition("/")[2] in PACKAGE_MARKERS
