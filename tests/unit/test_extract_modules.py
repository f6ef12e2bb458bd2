"""Dotted module names, and languages by file name."""

from __future__ import annotations

import pytest

from granum.extract import language_of, module_of

PACKAGES = frozenset({"src/pkg", "src/pkg/sub", "app", "loose/inner", "src"})


@pytest.mark.parametrize(
    ("path", "module"),
    [
        ("app/views.py", "app.views"),
        ("app/__init__.py", "app"),
        ("loose/inner/a.py", "inner.a"),
        ("lib/tool.py", "tool"),
        ("python/deep/tool.py", "deep.tool"),
        ("scripts/run.py", "scripts.run"),
        ("setup.py", "setup"),
        ("app/types.pyi", "app.types"),
        ("docs/guide.md", "docs/guide.md"),
        ("README", "README"),
    ],
)
def test_a_module_is_named_from_the_topmost_package_around_it(path: str, module: str) -> None:
    assert module_of(path, (PACKAGES - {"src"}).__contains__) == module


def test_a_source_folder_that_is_no_package_is_left_out() -> None:
    assert module_of("src/pkg/sub/a.py", (PACKAGES - {"src"}).__contains__) == "pkg.sub.a"
    assert module_of("src/pkg/sub/a.py", PACKAGES.__contains__) == "src.pkg.sub.a"
    assert module_of("src/alone.py", lambda _: False) == "alone"


@pytest.mark.parametrize(
    ("path", "language"),
    [
        ("a.py", "python"),
        ("a/b.pyi", "python"),
        ("A.PY", "python"),
        ("x.md", "markdown"),
        ("x.markdown", "markdown"),
        ("x.rst", "rst"),
        ("docs/x.txt", "rst"),
        ("README", "rst"),
        ("docs/CHANGES", "rst"),
        ("LICENSE", None),
        ("Makefile", None),
        ("a.json", None),
        (".gitignore", None),
    ],
)
def test_the_language_goes_by_the_files_name(path: str, language: str | None) -> None:
    assert language_of(path) == language
