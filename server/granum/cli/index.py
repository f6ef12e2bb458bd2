"""``granum index``: index a workspace, or bring its index up to date."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from granum.cli import render
from granum.cli.exits import Exit
from granum.cli.options import USUAL_INDEX, IndexOptions
from granum.cli.output import write, write_json
from granum.cli.text import at_home, duration, heading, safe, size
from granum.cli.workspace import find_root, folder, settings_of, update
from granum.model.answers import ProblemView, Reindexed, Status


class IndexReport(msgspec.Struct, frozen=True, kw_only=True):
    """The JSON of ``granum index``: what the run did, the state after it, and what was left out and why."""

    seconds: float
    reindexed: Reindexed
    status: Status
    problems: tuple[ProblemView, ...]


def command(path: Path | None = None, /, *, force: bool = False, options: IndexOptions = USUAL_INDEX) -> int:
    """Indexes.

    Args:
        path: The workspace's root. Default: the git work tree around the current folder, else the folder itself.
        force: Read and extract every file again, also those that have not changed.
        options: Shared.
    """
    root = folder(path) if path else find_root(Path.cwd())
    from granum.engine import Workspace

    started = time.perf_counter()
    workspace = Workspace.open(root, settings_of(options.index_path))
    try:
        done = update(workspace, force=force)
        report = IndexReport(
            seconds=round(time.perf_counter() - started, 3),
            reindexed=done,
            status=workspace.status(),
            problems=workspace.problems(),
        )
    finally:
        workspace.close()
    if options.json:
        write_json(report)
    else:
        write(_render(report))
    return Exit.OK


def _render(report: IndexReport) -> Group:
    done, status = report.reindexed, report.status
    title = (
        heading("Indexed ").append(at_home(status.root), "bold cyan").append(f" in {duration(report.seconds)}", "bold")
    )
    did = f"{done.files - done.unchanged:,} files read, {done.unchanged:,} unchanged, {done.removed_files:,} gone"
    index = safe(at_home(status.index_path), "cyan").append(f"  {size(status.index_bytes)}", "dim")
    parts: list[RenderableType] = [
        title,
        Text(did, "dim"),
        Text(""),
        Padding(render.counts(status.counts), render.INDENT),
        Text(""),
        index,
    ]
    if report.problems:
        parts += [Text(""), heading("Not indexed, or only in part", f"{len(report.problems):,}")]
        parts.append(Padding(render.problems(report.problems, status.root), render.INDENT))
    return Group(*parts)
