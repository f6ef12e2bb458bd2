"""``python -m granum`` is the ``granum`` command."""

from __future__ import annotations

import sys

from granum.cli import main

if __name__ == "__main__":
    sys.exit(main())
