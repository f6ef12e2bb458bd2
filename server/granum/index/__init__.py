"""The rebuildable index of one workspace."""
