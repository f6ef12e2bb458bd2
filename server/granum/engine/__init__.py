"""The one façade over a workspace; everything outside speaks to it and to nothing below it but ``model``."""

from granum.engine.workspace import Workspace

__all__ = ["Workspace"]
