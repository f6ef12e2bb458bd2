"""Summaries of classes, modules and folders."""

from __future__ import annotations

from granum.extract import extract
from granum.extract.summarise import LONGEST_SUMMARY, summarise_package
from granum.model.layers import Granularity

TEXT = '''"""Keeps things. And more."""

from .store import Store
import json


class Keeper(Base):
    """Holds them."""

    def put(self, thing):
        """Store a thing. The thing must never be None."""
        self.check(thing)
        Store(thing)

    def check(self, thing):
        json.dumps(thing)


class Empty(Base):
    pass


def make():
    return Keeper().check(Keeper())
'''


def test_a_module_is_summarised_from_its_docs_and_names() -> None:
    module = extract("pkg/keep.py", TEXT).summaries[0]
    assert module.granularity is Granularity.MODULE
    assert (module.key, module.start_line, module.end_line) == ("pkg/keep.py", 1, 24)
    assert module.purpose == "Keeps things."
    assert module.key_symbols[:3] == ("Keeper", "Keeper.check", "Keeper.put")
    assert module.responsibilities == (
        "Keeper: Holds them.",
        "class Empty(Base)",
        "def make()",
        "Keeper.put: Store a thing.",
        "def check(self, thing)",
    )
    assert module.constraints_mentioned == ("The thing must never be None.",)
    assert module.important_interactions == (".store", "json")


def test_a_class_with_methods_has_a_summary_of_its_own() -> None:
    (keeper,) = [item for item in extract("pkg/keep.py", TEXT).summaries if item.granularity is Granularity.CHUNK]
    assert (keeper.key, keeper.start_line, keeper.end_line) == ("Keeper", 7, 16)
    assert keeper.purpose == "Holds them."
    assert keeper.key_symbols == ("Keeper.check", "Keeper.put")
    assert keeper.important_interactions == ("Base", "Store", "json.dumps")
    assert keeper.summary_text.startswith("class Keeper(Base). Holds them.\nDoes: Keeper.put: Store a thing.")


def test_without_docs_the_names_tell_the_purpose() -> None:
    summary = extract("a.py", "X = 1\nclass A: ...\ndef f(): ...\ndef g(): ...\n").summaries[0]
    assert summary.purpose == "Defines classes A; functions f, g; variables X."


def test_redefined_classes_have_different_keys() -> None:
    text = "class A:\n    def m(self): ...\nclass A:\n    def m(self): ...\n"
    assert [item.key for item in extract("a.py", text).summaries] == ["a.py", "A", "A#1"]


def test_a_package_is_summarised_from_its_modules() -> None:
    files = {"pkg/__init__.py": '"""All about keeping."""\n', "pkg/keep.py": TEXT, "pkg/bare.py": "def f(): ...\n"}
    modules = [extract(path, text).summaries[0] for path, text in files.items()]
    package = summarise_package("pkg", modules)
    assert (package.granularity, package.key) == (Granularity.PACKAGE, "pkg")
    assert package.purpose == "All about keeping."
    assert package.responsibilities == ("keep: Keeps things.", "bare: Defines functions f.")
    assert package.key_symbols[:2] == ("Keeper", "f")
    assert package.constraints_mentioned == ("The thing must never be None.",)
    assert summarise_package("pkg", modules[1:]).purpose == "Package pkg with modules keep, bare."


def test_a_summary_stays_within_its_bound() -> None:
    functions = "".join(
        f'def function_number_{number}():\n    """Does {"something " * 20}{number}."""\n' for number in range(80)
    )
    summary = extract("a.py", functions).summaries[0]
    assert len(summary.summary_text) <= LONGEST_SUMMARY
    assert len(summary.key_symbols) == 15
    assert len(summary.responsibilities) == 40
