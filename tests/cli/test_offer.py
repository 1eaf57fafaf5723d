"""Tests of which models are written into harnesses."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.catalog.builtin import MODELS
from antigravity_proxy.cli.offer import offered
from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision.route import Route
from antigravity_proxy.proxy.settings import load_settings

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "key-of-mine"
PROCESS = 7
GOOGLE = "https://daily-cloudcode-pa.googleapis.com"


@contextmanager
def listing(*rows: dict[str, Any], upstream: str = GOOGLE, key: str | None = None) -> Iterator[str]:
    """A server that looks like ours and lists some models; gives its base URL."""
    health = {"ok": True, "version": "0.0.9", "process": PROCESS, "accounts": 1, "upstream": upstream}

    class Answers(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            is_allowed = self.path == "/health" or key is None or self.headers["Authorization"] == f"Bearer {key}"
            body = json.dumps(health if self.path == "/health" else {"object": "list", "data": rows}).encode()
            self.send_response(200 if is_allowed else 401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 -- the name in the base class
            """Say nothing."""

    with HTTPServer(("127.0.0.1", 0), Answers) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/v1"
        server.shutdown()


def route_to(base_url: str, key: str | None = None, *, has_account: bool = True) -> Route:
    """A route with the built-in models."""
    return Route(base_url, MODELS, key, has_account=has_account)


def test_running_proxy_says_which_models_there_are() -> None:
    """What the proxy lists takes the place of the built-in table, and it is said for whom."""
    rows = [{"id": "gemini-9-pro", "source": "a***a@example.com"}, {"id": "gpt-oss-120b"}]
    with listing(*rows) as url:
        route, words = offered(route_to(url), load_settings())
    assert [model.id for model in route.models] == ["gemini-9-pro", "gpt-oss-120b"]
    assert route.models[1] == MODELS[7]
    assert words == f"Models: the 2 that the antigravity-proxy at {url} lists for a***a@example.com."


def test_built_in_list_is_called_so() -> None:
    """A proxy that has not heard of Google yet lists what is built in."""
    with listing({"id": "gpt-oss-120b", "source": "built-in"}) as url:
        _, words = offered(route_to(url), load_settings())
    assert words.endswith("lists, which are built in.")


def test_nobody_runs(unused_tcp_port: int) -> None:
    """Without a proxy the built-in table is used, at once."""
    route = route_to(f"http://127.0.0.1:{unused_tcp_port}/v1")
    assert offered(route, load_settings()) == (
        route,
        f"Models: the 8 of the built-in table, as no antigravity-proxy runs at {route.base_url}.",
    )


def test_empty_list_is_none() -> None:
    """A proxy that lists nothing of use leaves the built-in table."""
    with listing({"id": 5}) as url:
        route, words = offered(route_to(url), load_settings())
    assert (route.models, words.rpartition(", as ")[2]) == (MODELS, f"the antigravity-proxy at {url} lists none.")


@pytest.mark.parametrize(("has_account", "count"), [(False, 8), (True, 1)])
def test_models_of_the_simulator_are_not_written(has_account: bool, count: int) -> None:  # noqa: FBT001
    """The simulator that answers while nobody is logged in has models that nobody else has."""
    with listing({"id": "gemini-3-flash"}, upstream="http://127.0.0.1:5") as url:
        route, words = offered(route_to(url, has_account=has_account), load_settings())
    assert len(route.models) == count
    assert ("as the simulator answers at" in words) is not has_account


@pytest.mark.parametrize(
    ("key", "what"), [(None, "none is set here"), ("old", "another one is set here")], ids=["no key", "another"]
)
def test_wrong_key_is_refused(key: str | None, what: str) -> None:
    """Programs would be set up for a key that the running proxy does not take: it is said where to put it."""
    settings = load_settings()
    with listing(key=KEY) as url, pytest.raises(ProvisionError) as refused:
        offered(route_to(url, key), settings)
    assert what in str(refused.value)
    assert f"api_key in {settings.home / 'config.toml'}" in str(refused.value)
    assert KEY not in str(refused.value)


def test_key_in_the_url_is_not_shown(unused_tcp_port: int) -> None:
    """A key that is part of the URL is in no message."""
    _, words = offered(route_to(f"http://me:{KEY}@127.0.0.1:{unused_tcp_port}/v1"), load_settings())
    assert words.endswith(f"no antigravity-proxy runs at http://127.0.0.1:{unused_tcp_port}/v1.")


def test_name_for_containers_is_this_machine() -> None:
    """The proxy that containers call by a name of theirs is asked at this machine's own address."""
    with listing({"id": "gpt-oss-120b"}, key=KEY) as url:
        base_url = url.replace("127.0.0.1", "host.docker.internal")
        route, words = offered(route_to(base_url, KEY), load_settings())
        assert [model.id for model in route.models] == ["gpt-oss-120b"]
        assert base_url in words
        # In a container the proxy is not at the container's own address.
        settings = load_settings(host="127.0.0.9")
        assert "no antigravity-proxy runs" in offered(route_to(base_url, KEY), settings)[1]
