"""Where the command line starts, as ``antigravity-proxy`` or as ``python -m antigravity_proxy``."""

from __future__ import annotations

import sys

INTERRUPTED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line; Ctrl-C ends it without a traceback, also while its modules are loaded."""
    try:
        from .cli.main import main as run  # noqa: PLC0415 -- it takes long enough to be interrupted

        run()
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)


if __name__ == "__main__":
    main()
