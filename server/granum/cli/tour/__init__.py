"""``granum tour``: the real server on a copy of a workspace, as an editor would use it, step by step."""

from granum.cli.tour.command import command

__all__ = ["command"]
