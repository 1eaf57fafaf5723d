"""The real ``serve`` process: what it says, what it refuses, and how it ends."""

from __future__ import annotations

import json
import re
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from openai import APIConnectionError, APIError, APIStatusError

from antigravity_proxy import __version__
from antigravity_proxy.proxy.settings import DEFAULT_PORT

from .clients import download, open_client, post
from .process import STOP_TIMEOUT_S, run_command, run_once, run_program, save_account
from .samples import data_url

if TYPE_CHECKING:
    from openai import OpenAI
    from openai.types.chat import ChatCompletionChunk

    from .process import Running

ROOT = Path(__file__).parents[2]
MIB = 1024 * 1024
QUESTION: Any = {"model": "gemini-3.8-flash", "messages": [{"role": "user", "content": "Hi"}]}


def test_first_start_answers_without_an_account(tmp_path: Path) -> None:
    """Without an account the simulator answers, and says so, and nothing is written to the home folder."""
    with run_command("serve", "--port", "0", "--pace", "0", home=tmp_path) as running:
        said = "".join(running.lines)
        assert "No account is saved" in said
        assert f"curl {running.url}/chat/completions" in said
        assert f'OpenAI(base_url="{running.url}"' in said
        status, answer = post(f"{running.url}/chat/completions", json.dumps(QUESTION).encode())
        assert status == 200
        assert "simulator" in answer["choices"][0]["message"]["content"]
        assert running.stop() == 0
    assert list(tmp_path.iterdir()) == []


def test_pasted_lines_work(served: Running, tmp_path: Path) -> None:
    """The curl call and the openai snippet of the banner run as they are."""
    banner = "".join(served.lines)
    curl = re.search(r"^(curl .*?\\\n.*?)$", banner, re.MULTILINE)
    assert curl is not None
    shown = run_program("sh", "-c", curl[1], home=tmp_path)
    assert shown.stdout.endswith("data: [DONE]\n\n")
    snippet = re.search(r"^from openai.*?^print\(.*?$", banner, re.MULTILINE | re.DOTALL)
    assert snippet is not None
    printed = run_program(sys.executable, "-c", snippet[0], home=tmp_path)
    assert "You said: Hello" in printed.stdout, printed.stderr


def test_saved_account_is_served_from_google(tmp_path: Path, served: Running) -> None:
    """With an account saved the real upstream is asked; here the simulator plays it over its public interface."""
    extra = save_account(served, tmp_path)
    with run_command("serve", "--port", "0", home=tmp_path, extra=extra) as running:
        assert "Serving the subscription of" in "".join(running.lines)
        status, _ = post(f"{running.url}/chat/completions", json.dumps(QUESTION).encode())
        assert status == 200
    for secret_file in ("accounts.json", "accounts.key"):
        assert (tmp_path / secret_file).stat().st_mode & 0o777 == 0o600
    access = json.loads((tmp_path / "accounts.downloaded").read_text())["accounts"].popitem()[1]["access"]
    assert access not in (tmp_path / "accounts.json").read_text()


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        (b'{"model": ', 400, "not valid JSON"),
        (b"[1, 2]", 400, "The body"),
        (b"[" * 100_000, 400, "not valid JSON"),
        (json.dumps({**QUESTION, "model": "gpt-7"}).encode(), 404, "nearest"),
        (json.dumps({**QUESTION, "pad": "x" * (64 * MIB)}).encode(), 413, "64 MiB"),
    ],
    ids=["broken-json", "list", "deep", "unknown-model", "too-large"],
)
def test_unusable_body_is_one_clear_error(served: Running, body: bytes, status: int, words: str) -> None:
    """A body that cannot be used gets one error in OpenAI's shape, and the server goes on."""
    got, error = post(f"{served.url}/chat/completions", body)
    assert got == status
    assert words in error["message"]
    assert set(error) >= {"message", "type", "param", "code"}
    assert post(f"{served.url}/chat/completions", json.dumps(QUESTION).encode())[0] == 200


def test_openai_package_sees_413_for_a_body_that_is_too_large(client: OpenAI) -> None:
    """The openai package, which sends the whole body before it reads, still learns why."""
    picture = data_url("image/png", b"x" * (50 * MIB))
    messages: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": picture}}]}]
    with pytest.raises(APIStatusError) as caught:
        client.chat.completions.create(model="gemini-3.8-flash", messages=messages)
    assert caught.value.status_code == 413


def test_large_body_within_the_limit_is_served(client: OpenAI) -> None:
    """Thirty-two mebibytes of base64 are answered."""
    picture = data_url("image/png", b"x" * (24 * MIB))
    messages: Any = [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": picture}}]}]
    answer = client.chat.completions.create(model="gemini-3.8-flash", messages=messages)
    assert f"1 image/png of {24 * MIB:,} bytes" in str(answer.choices[0].message.content)


def test_no_account_is_a_401(tmp_path: Path) -> None:
    """A server without account and simulator says how to add an account."""
    with run_command("serve", "--no-simulate", "--port", "0", home=tmp_path) as running:
        status, error = post(f"{running.url}/chat/completions", json.dumps(QUESTION).encode())
        assert (status, error["code"]) == (401, "no_account")
        assert "antigravity-proxy login" in error["message"]


def test_unreachable_upstream_is_a_502(tmp_path: Path, served: Running) -> None:
    """A server that cannot reach Google says so, and its account is still there afterwards."""
    brought = download(f"{served.simulator_url}/simulator/accounts.json", tmp_path / "brought.json")
    assert run_once("accounts", "import", str(brought), home=tmp_path).returncode == 0
    before = (tmp_path / "accounts.json").read_bytes()
    extra = {"ANTIGRAVITY_PROXY_BASE_URL": "http://127.0.0.1:9"}
    with run_command("serve", "--port", "0", home=tmp_path, extra=extra) as running:
        status, error = post(f"{running.url}/chat/completions", json.dumps(QUESTION).encode())
        assert (status, error["code"]) == (502, "upstream_unreachable")
    assert (tmp_path / "accounts.json").read_bytes() == before


def test_stop_ends_running_answers_within_seconds(tmp_path: Path) -> None:
    """Asked to stop, the server lets a stream run on for two seconds at most, says why it ends, and exits 0."""
    chunks: list[ChatCompletionChunk] = []
    with run_command("serve", "--simulate", "--port", "0", "--pace", "0.2", home=tmp_path) as running:
        with open_client(running.url) as client:
            messages: Any = [{"role": "user", "content": "tell a long story " * 40}]
            stream = client.chat.completions.create(model="gemini-3.8-flash", messages=messages, stream=True)
            chunks.append(next(stream))
            running.process.send_signal(signal.SIGTERM)
            with pytest.raises(APIError, match="The server is being stopped"):
                chunks.extend(stream)
        assert all(chunk.choices[0].finish_reason is None for chunk in chunks)
        assert running.process.wait(STOP_TIMEOUT_S) == 0


def test_port_in_use_is_one_sentence(served: Running, tmp_path: Path) -> None:
    """A port that is taken ends the command with one sentence and exit code 1."""
    port = served.url.rsplit(":", 1)[1].removesuffix("/v1")
    ended = run_once("serve", "--simulate", "--port", port, home=tmp_path)
    assert ended.returncode == 1
    assert f"is in use: antigravity-proxy {__version__} runs there already" in ended.stderr
    assert f"as process {served.process.pid}." in ended.stderr
    assert ended.stderr.count("\n") == 1


def test_wrong_usage_is_exit_code_2(tmp_path: Path) -> None:
    """A command line nobody understands ends with exit code 2."""
    assert run_once("serve", "--port", "many", home=tmp_path).returncode == 2
    assert run_once("fly", home=tmp_path).returncode == 2


def test_stopped_server_is_a_connection_error(tmp_path: Path) -> None:
    """After the server has stopped its port is free and clients see no connection."""
    with run_command("serve", "--simulate", "--port", "0", home=tmp_path) as running:
        assert running.stop() == 0
        with open_client(running.url) as client, pytest.raises(APIConnectionError):
            client.models.list()


def test_default_port_is_the_one_in_the_readme() -> None:
    """The port people paste is the port the server listens on."""
    assert f"http://127.0.0.1:{DEFAULT_PORT}/v1" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_server_on_another_port_is_found(tmp_path: Path, unused_tcp_port: int) -> None:
    """Commands that look at the port of the settings say where the server of the same home runs instead."""
    extra = {"ANTIGRAVITY_PROXY_PORT": str(unused_tcp_port)}
    with run_command("serve", "--simulate", "--port", "0", home=tmp_path) as running:
        looked = run_once("status", home=tmp_path, extra=extra)
        changing = run_once("status", home=tmp_path, extra={"ANTIGRAVITY_PROXY_PORT": "0"})
        named = run_once(
            "status", "--port", running.url.split(":")[2].removesuffix("/v1"), home=tmp_path, extra=extra
        )
        examined = run_once("doctor", "--port", str(unused_tcp_port), home=tmp_path)
        provisioned = run_once("provision", "open-webui", home=tmp_path, extra=extra)
        listed = run_once("provision", "--list", home=tmp_path, extra=extra)
    assert (looked.returncode, looked.stdout) == (1, "")
    assert f"but one at {running.url}. Name its port with --port" in looked.stderr
    for ended in (named, changing):
        assert ended.stdout.endswith(f" runs at {running.url} as process {running.process.pid}.\n")
    assert f"127.0.0.1:{unused_tcp_port} is free. antigravity-proxy" in examined.stdout
    assert f"but one at {running.url}: add --base-url {running.url} if that is meant." in provisioned.stderr
    assert listed.stderr == (
        f"An antigravity-proxy runs at {running.url}: add --base-url {running.url} if that is meant.\n"
    )
    assert not (tmp_path / "running.json").exists()
