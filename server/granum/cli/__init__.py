"""The command line. ``main`` is the ``granum`` command."""

from granum.cli.entry import main

__all__ = ["main"]
