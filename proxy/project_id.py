"""Google project ids: where they stand in answers, and one to fall back on.

Source:
    SPEC.md, "Projects".
"""

from __future__ import annotations

import hashlib
from typing import Any
from uuid import UUID

from ..translate.json_text import as_list, is_object

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


def find_project_id(document: Any, *, nesting: int = 0) -> str | None:
    """The first usable project id of an answer.

    A key whose value is no id, such as ``true``, does not hide the keys after it.
    """
    if isinstance(document, str):
        return document.strip() or None
    if not is_object(document) or nesting > MAX_NESTING:
        return None
    for key in ID_KEYS:
        value = document.get(key)
        found = value.get("id") if is_object(value) else value
        if isinstance(found, str) and found.strip():
            return found.strip()
    for key in LIST_KEYS:
        for item in as_list(document.get(key)):
            if (found := find_project_id(item, nesting=nesting + 1)) is not None:
                return found
    return None


def fallback_project_id(seed: str) -> str:
    """An id made of an account's e-mail or id: always the same one, in the form of a UUID."""
    digest = bytearray(hashlib.sha1(f"antigravity:{seed}".encode(), usedforsecurity=False).digest()[:16])
    digest[6] = (digest[6] & 0x0F) | 0x50
    digest[8] = (digest[8] & 0x3F) | 0x80
    return str(UUID(bytes=bytes(digest)))
