"""The features over a real workspace, asked by a client that forgives nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.strict_client import RpcError, StrictClient
from tests.e2e.workspace import opened, place, run_git, write_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

CAPABILITIES = {
    "textDocument": {
        "hover": {"contentFormat": ["markdown"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
    },
    "experimental": {"granum": {}},
}
TOLD = ("granum/status", "granum/didReindex")


class Session:
    """A workspace, indexed, and a client on it."""

    def __init__(self, root: Path, client: StrictClient) -> None:
        self.root = root
        self.client = client

    def uri(self, path: str) -> str:
        return (self.root / path).as_uri()

    def at(self, path: str, needle: str, into: int = 0) -> dict[str, Any]:
        return place(self.root, path, needle, into=into)

    def hover(self, path: str, needle: str, into: int = 0) -> str | None:
        answer = self.client.request("textDocument/hover", self.at(path, needle, into))
        return None if answer is None else str(answer["contents"]["value"])


def quiescent(status: Any) -> bool:
    folders = status["folders"]
    return bool(status["quiescent"] and folders and all(folder["indexedAt"] for folder in folders))


def settle(client: StrictClient) -> Any:
    """Waits until the first index is done."""
    status = client.request("granum/status")
    return status if quiescent(status) else client.wait_for("granum/status", quiescent)


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """One server for the tests that only ask."""
    root = write_workspace(tmp_path_factory.mktemp("ledger work") / "a b#ü")
    with StrictClient(tmp_path_factory.mktemp("cache"), optional=TOLD) as client:
        client.initialize(root, capabilities=CAPABILITIES)
        settle(client)
        yield Session(root, client)


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Session]:
    """A server of the test's own, for tests that change the workspace."""
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache", optional=TOLD) as client:
        client.initialize(root, capabilities=CAPABILITIES)
        settle(client)
        yield Session(root, client)


def test_hover_shows_what_an_ordinary_server_does_not(session: Session) -> None:
    shown = session.hover("pkg/use.py", "ledger.post", into=len("ledger.p"))
    assert shown is not None
    assert "`pkg.pay.Ledger.post`" in shown
    assert "- **risk** Raises ValueError: amount must be positive when amount \\<= 0" in shown
    assert "- **decision** We decided that" in shown
    assert f"[pkg/pay.py:10]({session.uri('pkg/pay.py')}#L10)" in shown
    assert "Adds an entry" not in shown


def test_hover_gives_the_range_of_the_name_in_the_clients_units(session: Session) -> None:
    answer = session.client.request("textDocument/hover", session.at("pkg/use.py", "post(3)", into=1))
    start = session.at("pkg/use.py", "post(3)")["position"]
    assert answer["range"] == {"start": start, "end": {**start, "character": start["character"] + 4}}


def test_source_text_cannot_become_markup(session: Session) -> None:
    shown = session.hover("pkg/danger.py", "danger")
    assert shown is not None
    assert "no \\<b\\>bold\\</b\\> \\[x\\](command\\:quit)" in shown


@pytest.mark.parametrize(
    ("path", "needle"), [("pkg/pay.py", "plain"), ("pkg/pay.py", "return"), ("pkg/use.py", "\n\n")]
)
def test_hover_is_null_when_there_is_nothing_to_add(session: Session, path: str, needle: str) -> None:
    assert session.hover(path, needle) is None


@pytest.mark.parametrize(
    "uri", ["untitled:Untitled-1", "vscode-notebook-cell:/a.ipynb#c1", "git:/a.py?ref", "file:///elsewhere/a.py"]
)
def test_other_documents_have_no_hover(session: Session, uri: str) -> None:
    document = {"uri": uri, "languageId": "python", "version": 1, "text": "def f(): pass\n"}
    session.client.notify("textDocument/didOpen", {"textDocument": document})
    edit = {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [{"text": "x = 1\n"}]}
    session.client.notify("textDocument/didChange", edit)
    position = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 0}}
    assert session.client.request("textDocument/hover", position) is None
    assert session.client.request("textDocument/codeLens", {"textDocument": {"uri": uri}}) is None
    session.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})


def test_positions_past_the_end_are_answered(session: Session) -> None:
    past = {"textDocument": {"uri": session.uri("pkg/pay.py")}, "position": {"line": 2**32, "character": 2**32}}
    assert session.client.request("textDocument/hover", past) is None
    span = {"start": {"line": 0, "character": 0}, "end": {"line": 2**64, "character": 2**64}}
    assert session.client.request("granum/layers", {**past, "range": span})["paragraphs"]


def test_lenses_count_and_tell_when_they_are_shown(session: Session) -> None:
    lenses = session.client.request("textDocument/codeLens", {"textDocument": {"uri": session.uri("pkg/pay.py")}})
    (lens,) = [each for each in lenses if each["data"]["fqn"] == "pkg.pay.Ledger.post"]
    assert "command" not in lens
    shown = session.client.request("codeLens/resolve", lens)["command"]
    assert shown["command"] == "granum.facts"
    assert "1 rule" in shown["title"]
    assert "risk" in shown["title"]
    command = {"command": shown["command"], "arguments": shown["arguments"]}
    facts = session.client.request("workspace/executeCommand", command)
    assert facts["focus"]["symbol"]["fqn"] == "pkg.pay.Ledger.post"


def test_document_symbols_are_a_tree(session: Session) -> None:
    params = {"textDocument": {"uri": session.uri("pkg/pay.py")}}
    ledger, plain = session.client.request("textDocument/documentSymbol", params)
    assert (ledger["name"], plain["name"]) == ("Ledger", "plain")
    assert [child["name"] for child in ledger["children"]] == ["post"]
    assert ledger["range"]["start"] == {"line": 3, "character": 0}


def test_workspace_symbols_are_definitions_or_propositions(session: Session) -> None:
    found = session.client.request("workspace/symbol", {"query": "Ledg"})
    assert "Ledger" in [each["name"] for each in found]
    facts = session.client.request("workspace/symbol", {"query": "#audits"})
    assert [each["location"]["uri"] for each in facts] == [session.uri("docs/adr.md")]
    assert facts[0]["containerName"].startswith("decision")


def test_facts_by_place_and_by_name_agree(session: Session) -> None:
    here = {**session.at("pkg/use.py", "post(3)"), "includeMentions": True}
    by_place = session.client.request("granum/facts", here)
    by_name = session.client.request("granum/facts", {"fqn": "Ledger.post", "includeMentions": True})
    for answer in (by_place, by_name):
        assert answer["focus"]["symbol"]["fqn"] == "pkg.pay.Ledger.post"
        assert answer["freshness"] == "FRESH"
        assert any("amount must be positive" in fact["text"] for fact in answer["facts"])
        assert [fact["location"]["path"] for fact in answer["mentions"] if fact["type"] == "decision"] == [
            "docs/adr.md"
        ]
    assert by_place["facts"] == by_name["facts"]
    assert session.client.request("granum/facts", {"fqn": "Ledger.post"})["mentions"] == []
    risks = session.client.request("granum/facts", {"fqn": "Ledger.post", "types": ["risk"]})["facts"]
    assert {fact["type"] for fact in risks} == {"risk"}


def test_an_unknown_name_is_no_error(session: Session) -> None:
    answer = session.client.request("granum/facts", {"fqn": "no.such.name"})
    assert answer["focus"]["symbol"] is None
    assert answer["facts"] == []


def test_symbol_by_the_end_of_its_name(session: Session) -> None:
    found = session.client.request("granum/symbol", {"fqn": "Ledger.post"})["symbol"]
    assert (found["fqn"], found["location"]["uri"]) == ("pkg.pay.Ledger.post", session.uri("pkg/pay.py"))
    assert found["nameRange"]["start"] == session.at("pkg/pay.py", "post")["position"]


def test_layers_give_rows_with_their_lines(session: Session) -> None:
    document = {"textDocument": {"uri": session.uri("pkg/pay.py")}}
    layers = session.client.request("granum/layers", {**document, "includeText": True})
    assert layers["uri"] == session.uri("pkg/pay.py")
    assert layers["document"]["language"] == "python"
    (post,) = [each for each in layers["paragraphs"] if each["qualifiedName"] == "Ledger.post"]
    assert (post["location"]["startLine"], post["location"]["endLine"]) == (7, 11)
    assert "raise ValueError" in post["text"]
    start = {"line": 6, "character": 0}
    some = session.client.request("granum/layers", {**document, "range": {"start": start, "end": start}})
    assert {each["qualifiedName"] for each in some["paragraphs"]} == {"Ledger.post"}


def test_search_ranks_and_explains(session: Session) -> None:
    found = session.client.request("granum/search", {"query": "audits need every entry", "limit": 5})
    best = found["hits"][0]
    assert best["location"]["path"] == "docs/adr.md"
    assert sum(best["scoreBreakdown"].values()) == pytest.approx(best["score"])
    odd = session.client.request("granum/search", {"query": "ledger", "taskIntent": "no_such_intent"})
    assert odd["intent"] == "unknown"
    assert odd["notes"]


@pytest.mark.parametrize("query", ['"', "a AND", "NEAR(", "*", "a\0b", "", "(" * 500, "x" * 100_000])
def test_no_query_is_an_error(session: Session, query: str) -> None:
    assert "hits" in session.client.request("granum/search", {"query": query})


def test_status_tells_of_rows_and_git(session: Session) -> None:
    (folder,) = session.client.request("granum/status")["folders"]
    assert folder["uri"] == session.root.as_uri()
    assert folder["branch"] == "main"
    assert folder["head"] == run_git(session.root, "rev-parse", "HEAD")
    assert folder["counts"]["files"] == 6
    assert folder["counts"]["propositions"] > 0


def test_every_custom_request_is_a_command(session: Session) -> None:
    for command, params in [
        ("granum.facts", {"fqn": "plain"}),
        ("granum.symbol", {"fqn": "plain"}),
        ("granum.layers", {"textDocument": {"uri": session.uri("docs/adr.md")}}),
        ("granum.search", {"query": "ledger"}),
        ("granum.status", {}),
    ]:
        by_command = session.client.request("workspace/executeCommand", {"command": command, "arguments": [params]})
        assert by_command == session.client.request(command.replace(".", "/"), params)


def test_saving_tells_what_changed_and_marks_rows_stale(own: Session) -> None:
    path = own.root / "pkg/pay.py"
    own.client.drop("granum/didReindex")
    own.client.notify("textDocument/didOpen", opened(own.root, "pkg/pay.py"))
    path.write_text(path.read_text().replace("amount must be positive", "amount must exceed zero"))
    saved = {"textDocument": {"uri": own.uri("pkg/pay.py")}}
    text = {"textDocument": {**saved["textDocument"], "version": 2}, "contentChanges": [{"text": path.read_text()}]}
    own.client.notify("textDocument/didChange", text)
    own.client.notify("textDocument/didSave", saved)

    def changed(batch: Any) -> bool:
        return any(each["uri"] == own.uri("pkg/pay.py") and each["stale"] for each in batch["documents"])

    own.client.wait_for("granum/didReindex", changed)
    current = own.client.request("granum/facts", {"fqn": "Ledger.post"})["facts"]
    assert any("amount must exceed zero" in fact["text"] for fact in current)
    assert not any("amount must be positive" in fact["text"] for fact in current)
    kept = own.client.request("granum/facts", {"fqn": "Ledger.post", "includeStale": True})["facts"]
    (old,) = [fact for fact in kept if "amount must be positive" in fact["text"]]
    assert old["isStale"]
    assert old["staleSince"] > 0


def test_unsaved_edits_are_shown_as_such_and_forgotten_when_closed(own: Session) -> None:
    own.client.notify("textDocument/didOpen", opened(own.root, "pkg/pay.py"))
    lines = (own.root / "pkg/pay.py").read_text().split("\n")
    row = next(number for number, line in enumerate(lines) if "raise" in line)
    place_of = {"line": row, "character": lines[row].index("amount must")}
    end = {"line": row, "character": lines[row].index('")')}
    edit = {"range": {"start": place_of, "end": end}, "text": "nothing below one cent"}
    uri = own.uri("pkg/pay.py")
    own.client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]})
    shown = own.hover("pkg/pay.py", "post")
    assert shown is not None
    assert "nothing below one cent when amount" in shown
    assert "*(unsaved)*" in shown
    own.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    shown = own.hover("pkg/pay.py", "post")
    assert shown is not None
    assert "nothing below one cent" not in shown
    assert "*(unsaved)*" not in shown


def test_lines_added_in_the_buffer_move_the_cursor_not_the_answer(own: Session) -> None:
    own.client.notify("textDocument/didOpen", opened(own.root, "pkg/use.py"))
    top = {"line": 0, "character": 0}
    edit = {"range": {"start": top, "end": top}, "text": "\r\n# 😀\r\n"}
    uri = own.uri("pkg/use.py")
    own.client.notify("textDocument/didChange", {"textDocument": {"uri": uri, "version": 2}, "contentChanges": [edit]})
    where = own.at("pkg/use.py", "post(3)")
    where["position"]["line"] += 2
    answer = own.client.request("granum/symbol", where)
    assert answer["symbol"]["fqn"] == "pkg.pay.Ledger.post"
    assert answer["range"]["start"] == where["position"]


def test_answers_spell_a_file_as_the_client_opened_it(own: Session) -> None:
    uri = own.uri("pkg/pay.py").replace("pay.py", "%70ay.py")
    document = {**opened(own.root, "pkg/pay.py")["textDocument"], "uri": uri}
    own.client.notify("textDocument/didOpen", {"textDocument": document})
    found = own.client.request("granum/symbol", {"fqn": "Ledger.post"})["symbol"]
    assert found["location"]["uri"] == uri
    own.client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    found = own.client.request("granum/symbol", {"fqn": "Ledger.post"})["symbol"]
    assert found["location"]["uri"] == own.uri("pkg/pay.py")


def test_reindex_reports_counts_and_progress_under_the_clients_token(own: Session) -> None:
    done = own.client.request("granum/reindex", {"force": True, "workDoneToken": "mine"})
    assert done["files"] == 6
    told = [own.client.wait_for("$/progress")["value"]["kind"]]
    while told[-1] != "end":
        told.append(own.client.wait_for("$/progress")["value"]["kind"])
    assert (told[0], told[-1]) == ("begin", "end")
    one = own.client.request("granum/reindex", {"paths": [own.uri("docs/adr.md")]})
    assert one["files"] == 1
    for path in ("../outside.py", "file:///outside.py"):
        with pytest.raises(RpcError) as caught:
            own.client.request("granum/reindex", {"paths": [path]})
        assert caught.value.code == -32602


def test_reindexing_can_be_called_off_by_its_progress(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    for number in range(1500):
        (root / f"m{number}.py").write_text(f'def f{number}():\n    """Never call it twice."""\n' * 30)
    with StrictClient(tmp_path / "cache", optional=["$/progress"]) as client:
        client.answerers["window/workDoneProgress/create"] = lambda _: None
        client.initialize(root, capabilities={"window": {"workDoneProgress": True}})
        running = client.begin("granum/reindex", {"force": True})
        begun = client.wait_for("$/progress", lambda told: told["value"].get("title") == "Granum: reindexing")
        assert begun["value"]["cancellable"]
        client.notify("window/workDoneProgress/cancel", {"token": begun["token"]})
        with pytest.raises(RpcError) as caught:
            client.result(running)
        assert caught.value.code == -32800
        client.wait_for("$/progress", lambda told: told["token"] == begun["token"] and told["value"]["kind"] == "end")


def test_a_name_that_may_mean_several_definitions_lists_them(tmp_path: Path) -> None:
    root = tmp_path / "work"
    for name in ("lamp", "oven"):
        (root / name).mkdir(parents=True)
        rule = f"The {name} must never be left on."
        (root / name / "device.py").write_text(
            f'class {name.title()}:\n    def ignite(self):\n        """Go. {rule}"""\n'
        )
    (root / "use.py").write_text("def use(thing):\n    thing.ignite()\n")
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(root)
        client.request("granum/reindex")
        answer = client.request("textDocument/hover", place(root, "use.py", "ignite"))
        assert answer is not None
        title, _, *lines = answer["contents"]["value"].split("\n")
        assert title == "Granum: thing.ignite may be"
        assert sorted(lines) == ["- lamp.device.Lamp.ignite: 1 fact", "- oven.device.Oven.ignite: 1 fact"]


def test_folders_come_and_go(own: Session, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "lamp.py").write_text('def light():\n    """The lamp must never be lit in daylight."""\n')
    change = {"added": [{"uri": other.as_uri(), "name": "other"}], "removed": []}
    own.client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    own.client.wait_for("granum/didReindex", lambda batch: any("lamp.py" in each["uri"] for each in batch["documents"]))
    assert len(own.client.request("granum/status")["folders"]) == 2
    assert own.client.request("granum/symbol", {"fqn": "light"})["symbol"]["location"]["path"] == "lamp.py"
    again = {"added": [{"uri": other.as_uri() + "/", "name": "again"}], "removed": []}
    own.client.notify("workspace/didChangeWorkspaceFolders", {"event": again})
    assert len(own.client.request("granum/status")["folders"]) == 2
    both = own.client.request("granum/search", {"query": "never"})
    assert {hit["location"]["path"] for hit in both["hits"]} >= {"lamp.py", "pkg/pay.py"}
    change = {"added": [], "removed": [{"uri": other.as_uri(), "name": "other"}]}
    own.client.notify("workspace/didChangeWorkspaceFolders", {"event": change})
    assert own.client.request("granum/symbol", {"fqn": "light"})["symbol"] is None
    with pytest.raises(RpcError):
        own.client.request("granum/search", {"query": "never", "folder": other.as_uri()})


def test_a_client_without_capabilities_gets_plain_text_and_no_notifications(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(root)
        client.request("granum/reindex")
        answer = client.request("textDocument/hover", place(root, "pkg/pay.py", "post"))
        assert answer["contents"]["kind"] == "plaintext"
        assert (
            "- risk: Raises ValueError: amount must be positive when amount <= 0 [pkg/pay.py:10]"
            in answer["contents"]["value"]
        )
        symbols = client.request(
            "textDocument/documentSymbol", {"textDocument": {"uri": (root / "pkg/pay.py").as_uri()}}
        )
        assert [each["name"] for each in symbols] == ["Ledger", "post", "plain"]
        assert symbols[1]["containerName"] == "pkg.pay.Ledger"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions_behind_wide_characters_in_every_encoding(tmp_path: Path, encoding: str) -> None:
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache") as client:
        answer = client.initialize(root, capabilities={"general": {"positionEncodings": [encoding]}})
        assert answer["capabilities"]["positionEncoding"] == encoding
        client.request("granum/reindex")
        where = place(root, "pkg/use.py", "post(3)", encoding=encoding)
        found = client.request("granum/symbol", where)
        assert found["symbol"]["fqn"] == "pkg.pay.Ledger.post"
        assert found["range"]["start"] == where["position"]


def test_settings_are_pulled_and_wrong_ones_told(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    settings: dict[str, Any] = {"hover": {"maxFacts": 1}, "workers": "many", "codeLens": {"enabled": False}}
    with StrictClient(tmp_path / "cache") as client:
        client.answerers["workspace/configuration"] = lambda _: [settings]
        client.answerers["client/registerCapability"] = lambda _: None
        workspace = {"configuration": True, "didChangeConfiguration": {"dynamicRegistration": True}}
        client.initialize(root, capabilities={"workspace": workspace})
        client.request("granum/reindex")
        told = client.wait_for("window/logMessage")
        assert told["message"] == "Granum: granum.workers: expected integer, got string; the default is used"
        document = {"textDocument": {"uri": (root / "pkg/pay.py").as_uri()}}
        assert client.request("textDocument/codeLens", document) is None
        where = place(root, "pkg/pay.py", "post")
        lines = client.request("textDocument/hover", where)["contents"]["value"].split("\n")
        assert len(lines) == 3
        assert lines[2].startswith("- and ")
        settings["hover"] = {"enabled": False}
        settings["workers"] = 1
        client.notify("workspace/didChangeConfiguration", {"settings": None})
        assert client.request("textDocument/hover", where) is None
        assert [each["method"] for each in client.asked].count("workspace/configuration") == 2


def test_settings_are_pushed(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(root, initializationOptions={"granum": {"hover": {"enabled": False}}})
        client.request("granum/reindex")
        where = place(root, "pkg/pay.py", "post")
        assert client.request("textDocument/hover", where) is None
        client.notify("workspace/didChangeConfiguration", {"settings": {"granum": {"hover": {"enabled": True}}}})
        assert client.request("textDocument/hover", where) is not None


def test_lenses_are_refreshed_after_a_change(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache", optional=TOLD) as client:
        client.answerers["workspace/codeLens/refresh"] = lambda _: None
        experimental = {"granum": {}}
        client.initialize(
            root, capabilities={"workspace": {"codeLens": {"refreshSupport": True}}, "experimental": experimental}
        )
        settle(client)
        client.request("granum/reindex", {"force": True})
        assert client.asked
        assert {each["method"] for each in client.asked} == {"workspace/codeLens/refresh"}


def test_the_first_index_shows_its_progress(tmp_path: Path) -> None:
    root = tmp_path / "work"
    root.mkdir()
    for number in range(400):
        (root / f"m{number}.py").write_text(f'def f{number}():\n    """Never call it twice."""\n' * 20)
    with StrictClient(tmp_path / "cache") as client:
        client.answerers["window/workDoneProgress/create"] = lambda _: None
        client.initialize(root, capabilities={"window": {"workDoneProgress": True}})
        values = [client.wait_for("$/progress")["value"]]
        while values[-1]["kind"] != "end":
            values.append(client.wait_for("$/progress")["value"])
        assert values[0]["title"] == "Granum: indexing"
        assert all(0 <= each.get("percentage", 0) <= 100 for each in values)


def test_a_folder_that_is_gone_is_told_and_does_not_stop_the_others(tmp_path: Path) -> None:
    root = write_workspace(tmp_path / "work")
    with StrictClient(tmp_path / "cache") as client:
        client.initialize(tmp_path / "gone", root)
        status = client.request("granum/status")
        assert status["health"] == "degraded"
        assert "could not be opened" in status["message"]
        assert "gone" in client.wait_for("window/logMessage")["message"]
        client.request("granum/reindex")
        assert client.request("granum/symbol", {"fqn": "Ledger.post"})["symbol"] is not None
