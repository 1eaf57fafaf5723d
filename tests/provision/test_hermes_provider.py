"""Tests of a model provider of Hermes' own."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.hermes_provider import KEY, PLUGIN, PROVIDER

from .golden import ROUTE, check_golden


def test_files_become_what_is_shown() -> None:
    """Both files are written as they are shown."""
    check_golden(PROVIDER, "hermes-provider")
    check_golden(PLUGIN, "hermes-plugin")
    assert KEY.name == "ANTIGRAVITY_API_KEY"


def test_file_of_somebody_else_is_refused() -> None:
    """A folder of that name with files of somebody else stays as it is."""
    with pytest.raises(ProvisionError, match="somebody else has written"):
        PROVIDER.provisioned("import os\n", ROUTE, add_models=False)
    assert PROVIDER.withdrawn("import os\n", "", ROUTE) == "import os\n"


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        (None, {}),
        ({"effort": "low"}, {"reasoning_effort": "low"}),
        ({"effort": "ultra"}, {"reasoning_effort": "xhigh"}),
        ({"enabled": False, "effort": "low"}, {"reasoning_effort": "none"}),
    ],
    ids=["nothing", "level", "most", "off"],
)
def test_level_is_sent(monkeypatch: pytest.MonkeyPatch, config: object, expected: dict[str, str]) -> None:
    """The provider that Hermes loads says how much a model shall think, where that was chosen."""
    registered: list[Any] = []

    class Profile:
        def __init__(self, **fields: Any) -> None:
            self.fields = fields

    providers, base = ModuleType("providers"), ModuleType("providers.base")
    vars(providers)["register_provider"] = registered.append
    vars(base)["ProviderProfile"] = Profile
    monkeypatch.setitem(sys.modules, "providers", providers)
    monkeypatch.setitem(sys.modules, "providers.base", base)
    exec(PROVIDER.provisioned("", ROUTE, add_models=False), {})  # noqa: S102
    assert registered[0].fields["base_url"] == ROUTE.base_url
    assert registered[0].build_api_kwargs_extras(reasoning_config=config) == ({}, expected)
