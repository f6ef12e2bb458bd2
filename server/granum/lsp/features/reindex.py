"""``granum/reindex``: reads files again, with progress, until it is done or called off."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from granum.lsp import convert, uris, wire
from granum.lsp.folders import open_workspaces
from granum.model.answers import Reindexed
from granum.model.errors import InvalidRequestError

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
        total += done
    return total


def _work(folders: Folders, params: wire.ReindexParams) -> list[tuple[Workspace, list[str] | None]]:
    """Which paths each folder reads. URIs go to their own folder; relative paths to every selected one.

    Raises:
        InvalidRequestError: A URI leads into no folder.
        NotInWorkspaceError: A path leads out of one.
    """
    selected = open_workspaces(folders.select(params.folder))
    if params.paths is None:
        return [(workspace, None) for _, workspace in selected]
    work: dict[str, tuple[Workspace, list[str] | None]] = {}
    for path in params.paths:
        if uris.path_of(path) is None:
            targets = [(folder, each, each.relative(folder.root / path)) for folder, each in selected]
        elif site := folders.find(path):
            targets = [(site.folder, site.workspace, site.path)]
        else:
            raise InvalidRequestError("a file is in no workspace folder", "paths")
        for folder, workspace, relative in targets:
            paths = work.setdefault(folder.uri, (workspace, []))[1]
            if paths is not None:
                paths.append(relative)
    return list(work.values())
