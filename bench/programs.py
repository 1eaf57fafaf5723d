"""What is measured side by side: the server, the relays it is compared with, and other gateways when installed."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from .processes import free_ports
from .target import CLOUD_CODE, OPENAI, Target

if TYPE_CHECKING:
    from collections.abc import Mapping

DIRECT = "direct"
REFERENCE = "passthrough"
AGAIN = "passthrough again"
OURS = "antigravity-proxy"
PEERS = Path(os.environ.get("BENCH_PEERS", "/tmp/bench-peers"))  # noqa: S108 -- nothing is written there
"""Where other gateways are: ``litellm/bin/litellm`` (PyPI) and ``portkey/node_modules`` (npm)."""

KEEPS_MEMORY = {
    "MALLOC_MMAP_THRESHOLD_": str(256 << 20),
    "MALLOC_TRIM_THRESHOLD_": str(512 << 20),
    "MALLOC_TOP_PAD_": str(64 << 20),
}
"""Freed megabytes are kept, else figures of large requests depend on what the heap went through before."""


@dataclass(frozen=True, slots=True)
class Program:
    """A process and what is asked of it.

    Attributes:
        target: where and how.
        command: starts it; None when the fake upstream itself is asked.
        environment: added to that of the run.
    """

    target: Target
    command: tuple[str, ...] | None = None
    environment: Mapping[str, str] = field(default_factory=dict[str, str])


def programs(upstream: str, folder: Path, *, with_peers: bool) -> list[Program]:
    """All programs, in the order of the table.

    Args:
        upstream: base URL of the fake upstream.
        folder: for their files.
        with_peers: whether other gateways are measured too.
    """
    tcp, reference, again, minimal, ours, litellm, portkey = free_ports(7)
    found = [
        Program(Target(DIRECT, int(upstream.rpartition(":")[2]), CLOUD_CODE)),
        Program(Target("TCP relay", tcp, CLOUD_CODE), _relay("tcp", tcp, upstream)),
        Program(Target(REFERENCE, reference, CLOUD_CODE), _relay("passthrough", reference, upstream), KEEPS_MEMORY),
        Program(Target(AGAIN, again, CLOUD_CODE), _relay("passthrough", again, upstream), KEEPS_MEMORY),
        Program(Target("minimal translation", minimal, OPENAI), _relay("translating", minimal, upstream)),
        _ours(ours, upstream, folder),
    ]
    peers = (_litellm(litellm, upstream, folder), _portkey(portkey, upstream)) if with_peers else ()
    return found + [peer for peer in peers if peer is not None]


def _relay(name: str, port: int, upstream: str) -> tuple[str, ...]:
    return (sys.executable, "-m", f"{__package__}.{name}_relay", "--port", str(port), "--upstream", upstream)


def _ours(port: int, upstream: str, folder: Path) -> Program:
    """The server as it is installed, with two accounts; nothing is left out."""
    home = folder / "home"
    home.mkdir(mode=0o700)
    account = {"type": "oauth", "access": "bench-access", "refresh": "bench-refresh", "expires": 4_102_444_800_000}
    accounts = {
        f"email:{name}@example.com": {**account, "email": f"{name}@example.com", "projectId": "bench-project"}
        for name in ("ada", "grace")
    }
    document = {"version": 2, "activeAccountId": next(iter(accounts)), "autoFailover": True, "accounts": accounts}
    _write(home / "accounts.json", document)
    environment = {"ANTIGRAVITY_PROXY_HOME": str(home), "ANTIGRAVITY_PROXY_BASE_URL": upstream}
    command = str(Path(sys.executable).with_name("antigravity-proxy"))
    return Program(Target(OURS, port, OPENAI), (command, "serve", "--port", str(port)), environment)


def _litellm(port: int, upstream: str, folder: Path) -> Program | None:
    command = PEERS / "litellm/bin/litellm"
    if not command.exists():
        return None
    served = {"model": "gemini/gemini-2.5-flash", "api_key": "bench", "api_base": f"{upstream}/v1beta"}
    config = {
        "model_list": [{"model_name": "bench", "litellm_params": served}],
        "litellm_settings": {"telemetry": False, "drop_params": True, "request_timeout": 600},
        "general_settings": {"master_key": "bench-key", "disable_spend_logs": True},
    }
    path = folder / "litellm.yaml"  # JSON is YAML, too
    _write(path, config)
    headers = {"Authorization": "Bearer bench-key"}
    target = Target("litellm", port, OPENAI, "bench", headers, is_ours=False, is_rough=True)
    options = ("--config", str(path), "--host", "127.0.0.1", "--port", str(port), "--telemetry", "False")
    environment = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "LITELLM_LOG": "ERROR", "NO_DOCS": "True"}
    return Program(target, (str(command), *options), environment)


def _portkey(port: int, upstream: str) -> Program | None:
    script = PEERS / "portkey/node_modules/@portkey-ai/gateway/build/start-server.js"
    node = shutil.which("node")
    if not script.exists() or node is None:
        return None
    headers = {
        "x-portkey-provider": "google",
        "x-portkey-custom-host": f"{upstream}/v1beta",
        "Authorization": "Bearer bench",
    }
    shape = replace(OPENAI, excused=frozenset({"done", "lf"}))
    target = Target("portkey", port, shape, "gemini-2.5-flash", headers, is_ours=False, is_rough=True)
    return Program(target, (node, str(script), f"--port={port}", "--headless"))


def _write(path: Path, value: object) -> None:
    path.touch(mode=0o600)
    path.write_text(json.dumps(value), encoding="utf-8")
