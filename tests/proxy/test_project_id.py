"""Tests of project ids in answers, and of the one to fall back on."""

from __future__ import annotations

from typing import Any

import pytest

from antigravity_proxy.proxy.project_id import ID_KEYS, fallback_project_id, find_plan, find_project_id


@pytest.mark.parametrize("key", ID_KEYS)
@pytest.mark.parametrize("value", ["demo-1", " demo-1\n", {"id": "demo-1", "name": "projects/demo-1"}])
def test_every_key_may_hold_the_id(key: str, value: Any) -> None:
    """A key holds the id as text, with blanks around it, or in an object."""
    assert find_project_id({"other": "x", key: value}) == "demo-1"


def test_keys_have_an_order() -> None:
    """Where several keys hold an id, the first of the table wins."""
    document = {key: f"from-{key}" for key in reversed(ID_KEYS)}
    found: list[str | None] = []
    while document:
        found.append(find_project_id(document))
        del document[str(found[-1]).removeprefix("from-")]
    assert found == [f"from-{key}" for key in ID_KEYS]


@pytest.mark.parametrize("mask", [True, False, None, "", "  ", 0, {}, {"id": ""}, {"id": 5}, {"name": "x"}, []])
def test_value_that_is_no_id_hides_nothing(mask: Any) -> None:
    """A key without a usable id, such as ``userDefinedCloudaicompanionProject: true``, does not mask later ones."""
    document = {
        "userDefinedCloudaicompanionProject": mask,
        "cloudaicompanionProject": mask,
        "project": mask,
        "projects": [{"projectId": "demo-1"}],
    }
    assert find_project_id({**document, "cloudaicompanionProject": "demo-2"}) == "demo-2"
    assert find_project_id(document) == "demo-1"


@pytest.mark.parametrize(
    ("document", "found"),
    [
        ({"projects": ["demo-1", "demo-2"]}, "demo-1"),
        ({"projectIds": ["", "demo-2"]}, "demo-2"),
        ({"cloudaicompanionProjects": [{"name": "x"}, {"cloudaicompanionProject": {"id": "demo-3"}}]}, "demo-3"),
        ({"cloudaicompanionProjects": ["c"], "projectIds": ["b"], "projects": ["a"]}, "a"),
        ({"projects": [{"projects": [{"projectId": "deep"}]}]}, "deep"),
        ({"projects": [{"id": "demo-1", "name": "projects/demo-1", "projectNumber": "1"}]}, "demo-1"),
        ({"projects": [{"id": "demo-1", "projectId": "demo-2"}]}, "demo-2"),
        ({"id": "demo-1"}, None),
        ({"projects": "demo-1"}, None),
        ({"projects": [7, None, [], {}]}, None),
        ({}, None),
        (None, None),
        ([], None),
        (True, None),
        ("demo-1", None),
    ],
)
def test_lists_are_searched_after_the_keys(document: Any, found: str | None) -> None:
    """The elements of the lists are ids, objects of the same form, or projects; anything else holds no id."""
    assert find_project_id(document) == found


def test_endless_nesting_is_given_up() -> None:
    """Lists that are nested deeper than any real answer hold no id."""
    document: dict[str, Any] = {"projectId": "deep"}
    for _ in range(500):
        document = {"projects": [document]}
    assert find_project_id(document) is None


@pytest.mark.parametrize(
    ("seed", "expected"),
    [
        ("antigravity-default", "5cbbac7c-3afc-5af4-bd2d-c3fc22ff9d54"),
        ("user@example.com", "9fb9f9ee-0de8-5692-ac0a-1f71143716f9"),
        ("other@example.com", "c3fd62d6-710d-583c-8950-2d2edff6f650"),
        ("alice@example.com", "13c821e6-cafb-50d3-8763-52400fc585ad"),
        ("me@example.com", "88a6f22d-279f-55e2-bb88-5aedcc8b764b"),
        ("new@example.com", "0638fdcb-415c-5a00-a951-487e232bf6ad"),
    ],
)
def test_fallback_is_the_same_for_everybody_who_computes_it(seed: str, expected: str) -> None:
    """The fallback of an account is the one other programs give it too."""
    assert fallback_project_id(seed) == expected


def test_fallback_takes_any_text() -> None:
    """An e-mail that is no proper text, as a file can hold one, has a fallback too."""
    assert fallback_project_id("\ud800") != fallback_project_id("\ud801")


@pytest.mark.parametrize(
    ("loaded", "plan"),
    [
        (
            {"currentTier": {"id": "free-tier", "name": "Antigravity"}, "paidTier": {"name": "Google AI Pro"}},
            "Google AI Pro",
        ),
        ({"currentTier": {"id": "free-tier", "name": "Antigravity"}, "paidTier": {}}, "Antigravity"),
        ({"currentTier": {"id": "free-tier", "name": 5}}, "free-tier"),
        ({"currentTier": "free", "paidTier": None}, None),
        ([], None),
    ],
    ids=["paid", "free", "id", "odd", "nothing"],
)
def test_plan_is_what_is_paid_for(loaded: Any, plan: str | None) -> None:
    """The paid tier comes before the current one, which says free to everybody; a name before an id."""
    assert find_plan(loaded) == plan
