"""URIs, positions, markup, capabilities and settings at the border to the client."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from granum.lsp import markup, uris, wire
from granum.lsp.capabilities import ClientFlags, client_flags
from granum.lsp.convert import Texts, Translation
from granum.lsp.features.configuration import read_settings, section_of
from granum.model.answers import SymbolInfo
from granum.model.layers import SymbolKind
from granum.model.settings import CodeLensSettings, HoverSettings, Settings
from granum.text.lines import PositionEncoding


@pytest.mark.parametrize(
    ("uri", "path"),
    [
        ("file:///a/b.py", "/a/b.py"),
        ("FILE:///a/b.py", "/a/b.py"),
        ("file://localhost/a/b.py", "/a/b.py"),
        ("file:/a/b.py", "/a/b.py"),
        ("file:///a%20b/%C3%A9%23%25.py", "/a b/é#%.py"),
        ("file:///a/e%CC%81.py", "/a/e\u0301.py"),
        ("file:///a%2525", "/a%25"),
        ("file:///a b.py", "/a b.py"),
        ("file:///a.py?query#L3", "/a.py"),
    ],
)
def test_file_uris_are_decoded_once(uri: str, path: str) -> None:
    assert uris.path_of(uri, windows=False) == Path(path)


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "vscode-notebook-cell:/a.ipynb#c1",
        "git:/a.py",
        "file:",
        "file://",
        "",
        "/a.py",
        "file:///a%00b",
        "file://host/a",
    ],
)
def test_other_uris_have_no_path(uri: str) -> None:
    assert uris.path_of(uri, windows=False) is None


@pytest.mark.parametrize("uri", ["file:///c%3A/a.py", "file:///c:/a.py"])
def test_drive_letters_in_both_spellings(uri: str) -> None:
    assert str(uris.path_of(uri, windows=True)) == "c:/a.py"


def test_shares_on_windows() -> None:
    assert str(uris.path_of("file://server/share/a.py", windows=True)) == "//server/share/a.py"


@given(st.text(alphabet=st.characters(exclude_characters="\0", exclude_categories=("Cs",)), max_size=20))
def test_paths_survive_the_way_to_a_uri_and_back(name: str) -> None:
    path = Path("/root") / name.replace("/", "_")
    assert uris.path_of(uris.uri_of(path), windows=False) == path


def test_a_file_in_a_folder_keeps_the_folders_spelling() -> None:
    assert uris.join("file:///c%3A/My%20Work/", "a b/c#.py") == "file:///c%3A/My%20Work/a%20b/c%23.py"
    assert uris.join("file:///w", ".") == "file:///w"


def translation(line: str, encoding: PositionEncoding) -> Translation:
    texts = Texts(lambda uri, number: line if (uri, number) == ("file:///w/a.py", 2) else None)
    return Translation(Path("/w"), lambda path: f"file:///w/{path}", texts, encoding)


@pytest.mark.parametrize(
    ("encoding", "units"), [(PositionEncoding.UTF8, 6), (PositionEncoding.UTF16, 3), (PositionEncoding.UTF32, 2)]
)
def test_columns_in_all_encodings(encoding: PositionEncoding, units: int) -> None:
    mapper = translation("é😀name = 1", encoding)
    assert mapper.column("a.py", 2, units) == 2
    assert mapper.units("a.py", 2, 2) == units
    assert mapper.span("a.py", 2, 2, 6) == wire.Range(
        start=wire.Position(line=1, character=units), end=wire.Position(line=1, character=units + 4)
    )


def test_columns_past_the_line_clamp_and_unknown_files_count_as_ascii() -> None:
    mapper = translation("ab", PositionEncoding.UTF16)
    assert mapper.column("a.py", 2, 99) == 2
    assert mapper.column("missing.py", 1, 7) == 7


def test_files_that_are_not_open_are_read_from_the_disk(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_bytes(b"\xef\xbb\xbf" + "x\ré😀name\r\n".encode())
    texts = Texts(lambda _uri, _number: None)
    mapper = Translation(tmp_path, lambda path: (tmp_path / path).as_uri(), texts, PositionEncoding.UTF16)
    symbol = SymbolInfo(
        id=1, fqn="a.name", name="name", kind=SymbolKind.VARIABLE, path="a.py", start_line=2, end_line=2, name_line=2,
        name_column=2, name_end_column=6,
    )  # fmt: skip
    assert mapper.name_range(symbol).start == wire.Position(line=1, character=3)


def test_whole_lines_end_where_the_next_begins() -> None:
    place = translation("", PositionEncoding.UTF16).place("a.py", 3, 5)
    assert (place.range.start.line, place.range.end.line, place.range.end.character) == (2, 5, 0)
    assert (place.start_line, place.end_line) == (3, 5)


MARKDOWN = MarkdownIt("js-default", {"html": True, "linkify": False}).enable("table")


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script> & <b>bold</b> &lt; &#x41;",
        "[run](command:workbench.action.quit) ![x](http://e/x.png)",
        "[ref]: http://evil",
        "*a* _b_ **c** __init__ ~~d~~ `code` ``x",
        "# heading",
        "- item",
        "+ item",
        "1. item",
        "> quote",
        "a | b\\",
        "snake_case stays, so does 2 * 3",
        "$math$ <http://auto.link>",
    ],
)
def test_source_text_appears_as_the_characters_it_is(text: str) -> None:
    (block, inline, end) = MARKDOWN.parse(markup.escape(text))
    assert (block.type, end.type) == ("paragraph_open", "paragraph_close")
    assert {child.type for child in inline.children or ()} <= {"text", "text_special"}
    assert "".join(child.content for child in inline.children or ()) == text


@given(st.text(max_size=60))
def test_no_text_becomes_markup(text: str) -> None:
    shown = MARKDOWN.parse(f"- **risk** {markup.escape(text)}")
    kinds = {child.type for token in shown if token.children for child in token.children}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close"}
    assert sum(token.type == "list_item_open" for token in shown) == 1


@given(st.text(alphabet="`a b", min_size=1, max_size=12))
def test_code_spans_hold_any_backticks(text: str) -> None:
    tokens = MARKDOWN.parseInline(markup.code(text))[0].children or []
    wanted = markup.one_line(text)
    assert wanted == "" or [(token.type, token.content) for token in tokens] == [("code_inline", wanted)]


def test_automatic_links_and_hidden_characters_are_broken() -> None:
    assert markup.escape("see https://evil.example") == "see https\\://evil.example"
    assert markup.escape("command:x") == "command\\:x"
    assert markup.one_line("a\u202eb\x00c\td\n e") == "a\ufffdb\ufffdc d e"


def test_links_lead_to_the_line() -> None:
    assert markup.link("a b.py:3", "file:///w/a%20b(1).py", 3) == "[a b.py:3](file:///w/a%20b%281%29.py#L3)"


def test_a_client_that_says_nothing_gets_the_defaults() -> None:
    assert client_flags({}) == ClientFlags()
    assert ClientFlags().encoding is PositionEncoding.UTF16


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-16", "utf-8"], PositionEncoding.UTF8),
        (["utf-16", "utf-32"], PositionEncoding.UTF32),
        (["utf-16"], PositionEncoding.UTF16),
        (["utf-7"], PositionEncoding.UTF16),
        ("utf-8", PositionEncoding.UTF16),
        (None, PositionEncoding.UTF16),
    ],
)
def test_the_encoding_is_chosen_from_what_the_client_offers(offered: object, chosen: PositionEncoding) -> None:
    assert client_flags({"general": {"positionEncodings": offered}}).encoding is chosen


def test_capabilities_of_a_wrong_shape_count_as_absent() -> None:
    odd = {"workspace": [], "window": {"workDoneProgress": "yes"}, "textDocument": {"hover": {"contentFormat": {}}}}
    assert client_flags(odd) == ClientFlags()


@pytest.mark.parametrize(
    ("formats", "markdown"), [(["markdown", "plaintext"], True), (["plaintext", "markdown"], False), ([], False)]
)
def test_hovers_take_the_format_that_the_client_prefers(formats: list[str], markdown: bool) -> None:
    assert client_flags({"textDocument": {"hover": {"contentFormat": formats}}}).hover_markdown is markdown


def test_settings_are_read_in_the_clients_spelling() -> None:
    given_settings = {
        "maxFileSize": 5000,
        "exclude": ["*.gen.py"],
        "hover": {"maxFacts": 3},
        "codeLens": {"enabled": False},
    }
    expected = Settings(
        max_file_size=5000,
        exclude=("*.gen.py",),
        hover=HoverSettings(max_facts=3),
        code_lens=CodeLensSettings(enabled=False),
    )
    assert read_settings(given_settings) == (expected, [])
    assert section_of({"granum": given_settings}) == given_settings


def test_a_wrong_setting_costs_that_setting_only() -> None:
    settings, complaints = read_settings(
        {"maxFileSize": "big", "workers": 2, "hover": {"maxFacts": 0}, "codeLens": 3, "exclude": None}
    )
    assert settings == Settings(workers=2)
    assert complaints == [
        "granum.maxFileSize: expected integer, got string; the default is used",
        "granum.hover.maxFacts: expected integer >= 1; the default is used",
        "granum.codeLens: expected object; the default is used",
    ]


@pytest.mark.parametrize("value", [None, {}])
def test_no_settings_are_the_defaults(value: object) -> None:
    assert read_settings(value) == (Settings(), [])


def test_settings_that_are_no_object_are_complained_of() -> None:
    assert read_settings([1]) == (Settings(), ["granum: expected object; the default is used"])
