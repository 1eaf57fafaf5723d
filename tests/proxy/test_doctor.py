"""Tests of the walk through an account."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.proxy.doctor import Finding, examine

from .conftest import EMAIL

if TYPE_CHECKING:
    from .conftest import Lab

STEPS = ["refresh", "userinfo", "project", "catalogue", "quota", "answer"]


async def walk(lab: Lab) -> list[Finding]:
    """What is found about the lab's account."""
    uri = f"{lab.simulator.base_url}/oauth2/v1/userinfo?alt=json"
    return await examine(lab.services, lab.saved(), uri)


async def test_sound_account_passes_every_step(lab: Lab) -> None:
    """Each step says what it found, the last one after a real answer, and no token or address is in it."""
    findings = await walk(lab)
    assert [finding.step for finding in findings] == STEPS
    assert all(finding.is_good for finding in findings), findings
    details = [finding.detail for finding in findings]
    assert details[4:] == [
        "Left are 100% for Gemini models and 100% for Claude and GPT-OSS models.",
        "gemini-3.8-flash-low answers.",
    ]
    text = json.dumps([finding.document() for finding in findings])
    assert lab.saved().tokens.access not in text
    assert EMAIL not in text
    assert len(lab.requests()) == 1


@pytest.mark.parametrize(
    ("method", "scenario", "step", "words", "has_link"),
    [
        ("userinfo", {"name": "status", "status": 503}, "userinfo", "temporarily unavailable", False),
        ("loadCodeAssist", {"name": "verify"}, "project", "verify this account", True),
        ("fetchAvailableModels", {"name": "verify"}, "catalogue", "verify this account", True),
        ("streamGenerateContent", {"name": "quota"}, "answer", "has used up its quota for Gemini models", False),
        ("streamGenerateContent", {"name": "old-version"}, "answer", "_USER_AGENT", False),
        ("streamGenerateContent", {"name": "old-version", "as": "answer"}, "answer", "_USER_AGENT", False),
        ("streamGenerateContent", {"name": "verify"}, "answer", "verify this account", True),
    ],
)
async def test_failing_step_is_named(
    lab: Lab, method: str, scenario: dict[str, Any], step: str, words: str, *, has_link: bool
) -> None:
    """The step that fails says what it means and what to do, and the other steps are taken all the same."""
    account = lab.saved()
    lab.services.store.update(lambda pool: pool.with_project(account.id, None))
    lab.plan(method=method, times=-1, **scenario)
    findings = await walk(lab)
    assert [finding.step for finding in findings] == STEPS
    bad = {finding.step: finding for finding in findings if not finding.is_good}
    assert words in bad[step].detail
    assert str(bad[step].link).startswith("https://") is has_link


async def test_own_proxy_of_an_account_is_told(lab: Lab) -> None:
    """An account with a proxy of its own says first what is set, without the proxy's login, and claims no more."""
    account = lab.saved()
    lab.services.store.update(lambda pool: pool.with_proxy(account.id, "http://me:secret-canary@proxy.example:3128"))
    findings = await walk(lab)
    assert findings[0].step == "proxy"
    assert findings[0].detail == (
        "Set is http://***@proxy.example:3128, for all calls but those to this machine; whether it works, the next "
        "steps show."
    )
    assert findings[1].is_good  # the simulator is on this machine, and is reached past the proxy


@pytest.mark.refused("expired or revoked")
async def test_walk_ends_where_nothing_can_follow(lab: Lab) -> None:
    """Without an access token nothing else can be tried."""
    lab.simulator.add_account(EMAIL, revoke_refresh_tokens=True)
    (finding,) = await walk(lab)
    assert (finding.step, finding.is_good) == ("refresh", False)
    assert "antigravity-proxy login" in finding.detail
