"""Tests of the counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from antigravity_proxy.proxy.metrics import CONTENT_TYPE, Metrics
from antigravity_proxy.translate.events import Finish, FinishReason, Text, Usage

if TYPE_CHECKING:
    from .conftest import Lab


def samples_of(text: str) -> dict[str, float]:
    """The samples in Prometheus' text form, without the moments of creation."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#") and "_created" not in line]
    return {name: float(value) for name, _, value in (line.rpartition(" ") for line in lines)}


def test_requests_are_counted_by_route_and_status() -> None:
    """A request counts as running until it ends, then by route and status, with its time."""
    metrics = Metrics()
    metrics.begin()
    metrics.begin()
    metrics.end("/v1/models", 200, 0.2)
    samples = samples_of(metrics.render().decode())
    assert samples["antigravity_proxy_requests_running"] == 1
    assert samples['antigravity_proxy_requests_total{route="/v1/models",status="200"}'] == 1
    assert samples['antigravity_proxy_request_seconds_sum{route="/v1/models"}'] == 0.2
    assert samples['antigravity_proxy_request_seconds_bucket{le="0.1",route="/v1/models"}'] == 0
    assert samples['antigravity_proxy_request_seconds_bucket{le="0.25",route="/v1/models"}'] == 1


def test_usage_is_counted_by_model_and_kind() -> None:
    """The token counts among an answer's events are added up; other events count nothing."""
    metrics = Metrics()
    usage = Usage(prompt=10, cached=7, answer=3, thoughts=2)
    for _ in range(2):
        metrics.count_usage("gemini-3.8-flash", [Text("Hi"), usage, Finish(FinishReason.STOP, "STOP")])
    samples = samples_of(metrics.render().decode())
    assert {
        kind: samples[f'antigravity_proxy_tokens_total{{kind="{kind}",model="gemini-3.8-flash"}}']
        for kind in ("prompt", "cached", "answer", "thoughts")
    } == {"prompt": 20, "cached": 14, "answer": 6, "thoughts": 4}


def test_two_servers_count_apart() -> None:
    """Each server has counts of its own."""
    one, other = Metrics(), Metrics()
    one.end("/health", 200, 0.1)
    assert b'status="200"' in one.render()
    assert b'status="200"' not in other.render()


async def test_answers_are_counted_by_the_server(lab: Lab) -> None:
    """Answers count their tokens under the public id, requests their route's pattern, and nothing shows who asked."""
    await lab.chat()
    await lab.stream()
    await lab.get("/v1/models/gemini-3.8-flash")
    await lab.get("/v1/models/nope")
    await lab.get("/secret-path")
    async with lab.http.get(f"{lab.url}/metrics") as response:
        assert response.headers["Content-Type"] == CONTENT_TYPE
        assert response.headers["Cache-Control"] == "no-store"
        text = await response.text()
    samples = samples_of(text)
    assert samples['antigravity_proxy_requests_total{route="/v1/chat/completions",status="200"}'] == 2
    assert samples['antigravity_proxy_requests_total{route="/v1/models/{id}",status="200"}'] == 1
    assert samples['antigravity_proxy_requests_total{route="/v1/models/{id}",status="404"}'] == 1
    assert samples['antigravity_proxy_requests_total{route="unknown",status="404"}'] == 1
    assert samples['antigravity_proxy_tokens_total{kind="answer",model="gemini-3.8-flash"}'] > 0
    assert samples["antigravity_proxy_requests_running"] == 1
    assert "secret-path" not in text
    assert "example.com" not in text
