"""Texts that the index has not read are extracted once, and nobody waits for a large one."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from granum.engine.buffers import digest_of
from granum.engine.extractions import INLINE_CHARACTERS, Extractions

if TYPE_CHECKING:
    from collections.abc import Iterator

    from granum.model.layers import Extraction

WATCHDOG = 60.0
SMALL = "def first(): pass\n"


def large(name: str) -> str:
    return f"def {name}(): pass\n" + "# a comment of no weight\n" * (INLINE_CHARACTERS // 20)


@pytest.fixture
def extractions() -> Iterator[Extractions]:
    extractions = Extractions(patience=0.05)
    yield extractions
    extractions.close()


def ask(extractions: Extractions, text: str, path: str = "a.py") -> Extraction | None:
    return extractions.of(path, text, digest_of(text))


def wait(extractions: Extractions, text: str, path: str = "a.py") -> Extraction:
    """Asks until there is an answer."""
    deadline = time.monotonic() + WATCHDOG
    while (found := ask(extractions, text, path)) is None:
        assert time.monotonic() < deadline
    return found


def names(extraction: Extraction | None) -> list[str]:
    return [symbol.name for symbol in extraction.symbols if symbol.name] if extraction is not None else []


def test_a_small_text_is_extracted_at_once_and_once(extractions: Extractions) -> None:
    found = ask(extractions, SMALL)
    assert names(found) == ["first"]
    assert ask(extractions, "".join(SMALL)) is found


def test_a_large_text_is_extracted_elsewhere_while_who_asks_goes_on(extractions: Extractions) -> None:
    text = large("first")
    asked = time.monotonic()
    found = ask(extractions, text)  # a process must start first, which takes longer than anybody waits
    assert found is None
    assert time.monotonic() - asked < WATCHDOG
    found = wait(extractions, text)
    assert names(found) == ["first"]
    assert ask(extractions, text) is found


def test_of_texts_typed_while_one_is_extracted_only_the_last_is_next() -> None:
    extractions = Extractions(patience=0.0)
    try:
        texts = [large(f"name_{number}") for number in range(100)]
        for text in texts:
            ask(extractions, text)
        assert names(wait(extractions, texts[-1])) == ["name_99"]
        assert extractions.sent < 10, "what was typed in between is not queued"
    finally:
        extractions.close()


def test_questions_at_the_same_time_share_one_extraction(extractions: Extractions) -> None:
    text = large("first")
    wait(extractions, text)
    found: list[Extraction | None] = []
    threads = [threading.Thread(target=lambda: found.append(ask(extractions, SMALL))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(WATCHDOG)
    assert len({id(each) for each in found if each is not None}) == 1


def test_what_was_asked_for_longest_ago_makes_room() -> None:
    extractions = Extractions(characters=2 * len(SMALL))
    first = ask(extractions, SMALL, "a.py")
    ask(extractions, SMALL, "b.py")
    assert ask(extractions, SMALL, "a.py") is first
    ask(extractions, SMALL, "c.py")
    assert extractions.has("a.py", digest_of(SMALL))
    assert not extractions.has("b.py", digest_of(SMALL))


def test_after_the_end_nothing_is_begun(extractions: Extractions) -> None:
    extractions.close()
    assert ask(extractions, large("first")) is None
    assert ask(extractions, SMALL) is None
