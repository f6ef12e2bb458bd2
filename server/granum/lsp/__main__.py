"""``python -m granum.lsp`` serves over stdio."""

from __future__ import annotations

import sys

from granum.lsp import serve_stdio

if __name__ == "__main__":
    sys.exit(serve_stdio())
