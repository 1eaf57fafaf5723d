"""The browser of this machine, for tests of pages as people see them."""

from __future__ import annotations

import shutil

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
NO_SANDBOX = "--no-sandbox"
"""What it is started with, as root may not use its sandbox."""

needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium is installed; on Debian: apt-get install chromium"
)
