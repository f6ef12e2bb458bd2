"""``granum doctor``: whether Granum can work here, with a remedy for whatever fails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import msgspec
from cyclopts import Parameter
from rich.console import Group
from rich.text import Text

from granum.cli.checks import Check, Outcome, all_checks
from granum.cli.exits import Exit, UsageError
from granum.cli.options import USUAL_ROOT, RootOptions
from granum.cli.output import write, write_json
from granum.cli.text import grid, safe
from granum.cli.why import Why, why
from granum.cli.workspace import root_of

MARKS = {
    Outcome.OK: Text("ok", "green"),
    Outcome.WARNING: Text("warning", "yellow"),
    Outcome.FAILURE: Text("failure", "bold red"),
}


class DoctorReport(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON of ``granum doctor``."""

    checks: tuple[Check, ...]
    why: Why | None


def command(
    *,
    why_file: Annotated[Path | None, Parameter(name="--why")] = None,
    options: RootOptions = USUAL_ROOT,
) -> int:
    """Examines.

    Args:
        why_file: Also say whether this file is indexed, and which rule keeps it out.
        options: Shared.
    """
    workspace = root_of(options)
    if why_file is not None and not why_file.expanduser().exists():
        raise UsageError(f"there is no file {why_file}")
    report = DoctorReport(
        checks=tuple(all_checks(workspace, options.index_path)),
        why=why(workspace, why_file) if why_file else None,
    )
    if options.json:
        write_json(report)
    else:
        write(_render(report))
    failed = any(check.outcome is Outcome.FAILURE for check in report.checks)
    return Exit.ENVIRONMENT if failed else Exit.OK


def _render(report: DoctorReport) -> Group:
    table = grid("fixed", "fixed", "wide")
    for check in report.checks:
        table.add_row(MARKS[check.outcome], Text(check.name, "bold"), safe(check.detail))
        if check.remedy:
            table.add_row("", "", safe(f"→ {check.remedy}", "yellow"))
    if report.why is None:
        return Group(table)
    answer = report.why
    verdict = Text("is indexed" if answer.indexed else f"is not indexed: {answer.explanation}")
    return Group(table, Text(""), safe(answer.path, "bold").append(" ").append_text(verdict))
