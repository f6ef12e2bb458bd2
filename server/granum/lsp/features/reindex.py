"""``granum/reindex``: reads files again, with progress, until it is done or called off."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from granum.lsp import convert, uris, wire
from granum.lsp.folders import open_workspaces
from granum.model.answers import Reindexed

if TYPE_CHECKING:
    from collections.abc import Callable

    from granum.engine import Workspace
    from granum.lsp.folders import Folders
    from granum.lsp.server import GranumServer
    from granum.model.cancellation import CancelToken


async def reindex(server: GranumServer, params: wire.ReindexParams) -> wire.ReindexResult:
    """Reindexes the named files, or everything. Its thread is none of the readers'."""
    await server.lane.drained()
    task = asyncio.current_task()
    assert task is not None  # noqa: S101 -- a coroutine runs in a task
    working = server.works.working(
        "Granum: reindexing", params.work_done_token, server.flags.work_done_progress, task.cancel
    )
    async with working as work:
        done = await server.executors.wait(lambda token: _reindex(server.folders, params, work.report, token))
    return convert.reindexed(done)


def _reindex(
    folders: Folders, params: wire.ReindexParams, progress: Callable[[int, int], None], token: CancelToken
) -> Reindexed:
    total = Reindexed()
    for workspace, paths in _work(folders, params):
        done = workspace.reindex(paths, force=params.force, progress=progress, token=token)
        total = _sum(total, done)
    return total


def _work(folders: Folders, params: wire.ReindexParams) -> list[tuple[Workspace, list[str] | None]]:
    """Which paths each folder reads. URIs go to their own folder; relative paths to every selected one."""
    selected = open_workspaces(folders.select(params.folder))
    if params.paths is None:
        return [(workspace, None) for _, workspace in selected]
    work: dict[str, tuple[Workspace, list[str] | None]] = {}
    for path in params.paths:
        if uris.path_of(path) is not None:
            site = folders.locate(path)
            targets = [(site.folder, site.workspace, site.path)]
        else:
            targets = [(folder, workspace, path) for folder, workspace in selected]
        for folder, workspace, relative in targets:
            paths = work.setdefault(folder.uri, (workspace, []))[1]
            if paths is not None:
                paths.append(relative)
    return list(work.values())


def _sum(first: Reindexed, second: Reindexed) -> Reindexed:
    return Reindexed(
        files=first.files + second.files,
        unchanged=first.unchanged + second.unchanged,
        removed_files=first.removed_files + second.removed_files,
        added=first.added + second.added,
        updated=first.updated + second.updated,
        removed=first.removed + second.removed,
        stale=first.stale + second.stale,
        revived=first.revived + second.revived,
        problems=first.problems + second.problems,
    )
