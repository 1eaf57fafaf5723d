"""Tests of Cline."""

from __future__ import annotations

import json

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.cline import CONFIG

from .golden import ROUTE, WITH_KEY, check_golden


def test_files_become_what_is_shown() -> None:
    """Every file of Cline becomes what lies beside it, and back."""
    check_golden(CONFIG, "cline", route=WITH_KEY)


@pytest.mark.parametrize("port", [11434, 1234])
def test_other_server_of_this_machine_stays(port: int) -> None:
    """Cline has one connection; where it leads to another server of this machine it is neither taken nor removed."""
    settings = {"provider": "openai-compatible", "baseUrl": f"http://localhost:{port}/v1", "model": "qwen"}
    text = json.dumps({"providers": {"openai-compatible": {"settings": settings}}})
    with pytest.raises(ProvisionError, match=f"leads to localhost:{port}, not to this proxy"):
        CONFIG.provisioned(text, ROUTE, add_models=False)
    assert CONFIG.withdrawn(text, "", ROUTE) == text


def test_connection_without_a_url_stays() -> None:
    """A connection that leads nowhere yet is set up, but is not ours to take away."""
    text = json.dumps({"providers": {"openai-compatible": {"settings": {"provider": "openai-compatible"}}}})
    assert ROUTE.base_url in CONFIG.provisioned(text, ROUTE, add_models=False)
    assert CONFIG.withdrawn(text, "", ROUTE) == text


def test_moved_proxy_is_followed() -> None:
    """With our key and a model of ours the connection is ours at any port."""
    text = CONFIG.provisioned(CONFIG.fresh, ROUTE, add_models=False)
    assert CONFIG.provisioned(text.replace(":51122", ":4000"), ROUTE, add_models=False) == text
