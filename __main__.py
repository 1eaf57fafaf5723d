"""Run the command line with ``python -m antigravity_proxy``."""

from .cli.main import main

if __name__ == "__main__":
    main()
