"""``textDocument/codeLens``: counts above definitions. What they say is made when the client shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from lsprotocol import types

from granum.lsp import markup, wire
from granum.lsp.convert import lsp_range
from granum.model.layers import Freshness, SymbolKind

if TYPE_CHECKING:
    from granum.lsp.params import CodeLensItem, DocumentParams
    from granum.lsp.reading import Reading
    from granum.lsp.server import GranumServer


class LensData(wire.Wire, frozen=True):
    """What a lens carries from its making to its showing."""

    fqn: str
    rules: wire.Unsigned
    risks: wire.Unsigned
    tests: wire.Unsigned
    freshness: Freshness


def code_lenses(reading: Reading, params: DocumentParams) -> list[types.CodeLens] | None:
    """A lens above each definition that has rules, risks or tests; titles come with ``codeLens/resolve``."""
    site = reading.folders.find(params.text_document.uri)
    if site is None or not reading.settings.code_lens.enabled:
        return None
    translation = reading.translation(site.folder)
    return [
        types.CodeLens(
            range=lsp_range(translation.name_range(count.symbol)),
            data={
                "fqn": count.symbol.fqn,
                "rules": count.rules,
                "risks": count.risks,
                "tests": count.tests,
                "freshness": count.symbol.freshness.value,
            },
        )
        for count in site.workspace.lenses(site.path, token=reading.token)
        # a test's file as a whole has little to say above its first line
        if count.rules or count.risks or (count.tests and count.symbol.kind is not SymbolKind.MODULE)
    ]


def resolve(_: GranumServer, lens: CodeLensItem) -> types.CodeLens:
    """Gives a lens its title and the command that shows the facts.

    Raises:
        msgspec.ValidationError: ``data`` is not what the server sent.
    """
    data = msgspec.convert({"data": lens.data}, _Sent).data
    counts = ((data.rules, "rule"), (data.risks, "risk"), (data.tests, "test"))
    title = " · ".join(f"{count} {noun}{'' if count == 1 else 's'}" for count, noun in counts if count)
    if data.freshness is not Freshness.FRESH:
        title += f" ({markup.mark(data.freshness)})"
    return types.CodeLens(
        range=lsp_range(lens.range),
        data=lens.data,
        command=types.Command(
            title=title, command=wire.Method.FACTS.command, arguments=[{"fqn": data.fqn, "includeMentions": True}]
        ),
    )


class _Sent(msgspec.Struct):
    data: LensData
