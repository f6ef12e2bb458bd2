"""From names to definitions."""
