"""Google project ids: where they stand in answers, and one to fall back on.

Source:
    SPEC.md, "Projects".
"""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from ..accounts.account import is_line
from ..translate.json_text import as_list, as_object, is_object

ID_KEYS = (
    "antigravityProjectId",
    "projectId",
    "backendProjectId",
    "userDefinedCloudaicompanionProject",
    "cloudaicompanionProject",
    "project",
)
LIST_KEYS = ("projects", "projectIds", "cloudaicompanionProjects")
MAX_NESTING = 8


def find_project_id(document: Any) -> str | None:
    """The first usable project id of an answer; None where it is no object or names none.

    A key whose value is no id, such as ``true``, does not hide the keys after it.
    """
    return _find(document, MAX_NESTING)


def _find(document: Any, levels_left: int) -> str | None:
    if not is_object(document) or levels_left < 0:
        return None
    for key in ID_KEYS:
        value = document.get(key)
        if (found := _usable(value.get("id") if is_object(value) else value)) is not None:
            return found
    for item in (item for key in LIST_KEYS for item in as_list(document.get(key))):
        # An item is an id, an object that names one, or the project itself.
        found = _find(item, levels_left - 1) or _usable(item.get("id") if is_object(item) else item)
        if found is not None:
            return found
    return None


def _usable(value: Any) -> str | None:
    return value.strip() if isinstance(value, str) and is_line(value.strip()) else None


def fallback_project_id(seed: str) -> str:
    """An id made of an account's e-mail or id: always the same one, in the form of a UUID."""
    text = f"antigravity:{seed}".encode("utf-8", "surrogatepass")
    digest = bytearray(hashlib.sha1(text, usedforsecurity=False).digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x50
    digest[8] = (digest[8] & 0x3F) | 0x80
    return str(UUID(bytes=bytes(digest)))


def find_plan(loaded: Any) -> str | None:
    """What the owner of an account pays for, in Google's words; None where ``loadCodeAssist`` does not say.

    The current tier says free to everybody, so the paid one comes first.
    """
    for key in ("paidTier", "currentTier"):
        tier = as_object(as_object(loaded).get(key))
        for name in (tier.get("name"), tier.get("id")):
            if isinstance(name, str) and name:
                return name
    return None
