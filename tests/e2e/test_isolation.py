"""Nothing of the developer's own set-up reaches a test, and the demonstration copes with it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .clients import download, open_async_client, open_client
from .process import run_command, run_once, run_program
from .simulator_control import SimulatorControl

if TYPE_CHECKING:
    from .process import Running

DEMO = str(Path(__file__).parents[2] / "examples" / "demo.py")
CLOSED_PORT = "http://127.0.0.1:9"
HTTP_PROXIES = {
    name: CLOSED_PORT for upper in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY") for name in (upper, upper.lower())
}


@pytest.fixture
def _hostile_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, served: Running) -> None:
    """The environment of somebody who uses the program: an account, a key, another upstream, an HTTP proxy."""
    own = tmp_path / "own"
    brought = download(f"{served.simulator_url}/simulator/accounts.json", tmp_path / "brought.json")
    for folder in (own, own / ".local" / "share" / "antigravity-proxy"):
        imported = run_once("accounts", "import", str(brought), home=folder)
        assert imported.returncode == 0, imported.stderr
    settings = {
        "ANTIGRAVITY_PROXY_HOME": str(own),
        "ANTIGRAVITY_PROXY_API_KEY": "a key of one's own",
        "ANTIGRAVITY_PROXY_BASE_URL": CLOSED_PORT,
        "DSH_ANTIGRAVITY_BASE_URL": CLOSED_PORT,
        "OPENAI_BASE_URL": CLOSED_PORT,
        "HOME": str(own),
        "XDG_DATA_HOME": str(own / ".local" / "share"),
    }
    for name, value in {**settings, **HTTP_PROXIES}.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("_hostile_environment")
async def test_servers_and_clients_of_tests_ignore_the_environment(tmp_path: Path) -> None:
    """A server of a test has no account and no key, and every kind of client reaches it and its simulator."""
    with run_command("serve", "--port", "0", "--pace", "0", home=tmp_path / "fresh") as running:
        assert "No account is saved" in "".join(running.lines)
        with open_client(running.url) as client:
            assert client.models.list().data
        async with open_async_client(running.url) as async_client:
            assert (await async_client.models.list()).data
        assert SimulatorControl(running.simulator_url).requests("streamGenerateContent") == []


@pytest.mark.usefixtures("_hostile_environment")
def test_demonstration_of_tests_ignores_the_environment(tmp_path: Path) -> None:
    """The demonstration that tests run is answered by the simulator, never with the developer's account."""
    shown = run_program(sys.executable, DEMO, home=tmp_path / "fresh")
    assert shown.returncode == 0, shown.stderr
    assert "The built-in simulator answers" in shown.stdout


@pytest.mark.parametrize(
    "extra",
    [{}, {"ANTIGRAVITY_PROXY_API_KEY": "a key of one's own"}, HTTP_PROXIES],
    ids=["plain", "with-a-key", "behind-an-http-proxy"],
)
def test_demonstration_runs_to_its_end(tmp_path: Path, extra: dict[str, str]) -> None:
    """The demonstration shows a text, a tool round trip and an image, and exits 0, whatever is set up."""
    shown = run_program(sys.executable, DEMO, home=tmp_path, extra=extra)
    assert shown.returncode == 0, shown.stderr
    for words in ("You said: Hello!", "the model calls get_weather", "sunny", "1 image/png of 75 bytes"):
        assert words in shown.stdout
