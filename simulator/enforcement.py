"""All rules for ``streamGenerateContent`` in the order the service applies them, and those for the envelope.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from .fields import check_message, is_int64
from .generation_rules import check_forced_thinking, check_generation_config
from .google_reply import invalid_argument, not_found
from .models import MODELS_BY_ID, NEXT_IDS, ModelRow
from .part_rules import check_parts, check_system_instruction
from .refusals import service_disabled
from .signature_rules import check_signatures
from .tool_rules import check_tools
from .turn_rules import check_tool_results, check_turns
from .wire_shapes import GENERATION_MESSAGES

if TYPE_CHECKING:
    from collections.abc import Callable

    from .signature_rules import IsGenuine

REQUEST_TYPE = "agent"
CLIENT_NAME = "antigravity"
REQUIRED_FIELDS = ("project", "model", "request", "requestType", "userAgent", "requestId")


@dataclass(frozen=True, slots=True)
class Facts:
    """What the service knows beside the request itself.

    Attributes:
        project: the account's own project, or None while it has none.
        accepts_any_project: whether the account is served under whatever project it names.
        is_current_client: whether the headers are those of a current client.
        is_fresh_request_id: says whether a request id was never used before, and remembers it.
        is_genuine: knows the signatures of the account that asks.
        has_next_models: whether the account is served the made-up models.
        retired: runtime ids the account is not served.
    """

    project: str | None
    accepts_any_project: bool
    is_current_client: bool
    is_fresh_request_id: Callable[[str], bool]
    is_genuine: IsGenuine
    has_next_models: bool = False
    retired: frozenset[str] = frozenset()

    def serves(self, model: ModelRow) -> bool:
        """Say whether the account may ask for a model."""
        return (
            model.answers_chat
            and (self.is_current_client or not model.is_new)
            and (self.has_next_models or model.runtime_id not in NEXT_IDS)
            and model.runtime_id not in self.retired
        )


def check_generation(body: dict[str, Any], facts: Facts) -> ModelRow:
    """Check a whole request and give the model it is for.

    Raises:
        ApiError: 400, 403 or 404 for the first thing that is wrong.
    """
    check_message(body, "GenerateContentRequest", GENERATION_MESSAGES)
    check_envelope(body, facts.is_fresh_request_id)
    check_project(body["project"], facts.project, accepts_any=facts.accepts_any_project)
    model = MODELS_BY_ID.get(body["model"])
    if model is None or not facts.serves(model):
        raise not_found()
    check_request(body["request"], model, facts.is_genuine)
    return model


def check_request(request: dict[str, Any], model: ModelRow, is_genuine: IsGenuine) -> None:
    """Check the inner request for the model that is to answer it.

    Raises:
        ApiError: 400 for the first thing that is wrong.
    """
    contents: list[dict[str, Any]] = request.get("contents", [])
    check_turns(contents, model.family)
    check_parts(contents, model)
    check_tool_results(contents, model.family)
    check_signatures(contents, model.family, is_genuine)
    if "systemInstruction" in request:
        check_system_instruction(request["systemInstruction"])
    check_tools(request, model.family)
    check_generation_config(request.get("generationConfig", {}), model)
    check_forced_thinking(request, model.family)


def check_envelope(body: dict[str, Any], is_fresh_request_id: Callable[[str], bool]) -> None:
    """Check the envelope; its fields are known to exist with the right types, or to be absent.

    Args:
        body: the whole request.
        is_fresh_request_id: says whether an id was never used before.

    Raises:
        ApiError: 400 when a field is missing, has a foreign value, or the request id was used before.
    """
    for name in REQUIRED_FIELDS:
        if not body.get(name):
            raise invalid_argument(name, f"{name} is required.")
    if body["requestType"] != REQUEST_TYPE:
        raise invalid_argument("request_type", f'request_type must be "{REQUEST_TYPE}".')
    if body["userAgent"] != CLIENT_NAME:
        raise invalid_argument("user_agent", f'user_agent must be "{CLIENT_NAME}".')
    if not is_fresh_request_id(body["requestId"]):
        raise invalid_argument("request_id", "request_id was used by an earlier request; it must be unique.")
    _check_session(body["request"])


def check_project(project: str, own_project: str | None, *, accepts_any: bool) -> None:
    """Check that the project is the account's own.

    Args:
        project: what the request names.
        own_project: the account's project, or None while it has none.
        accepts_any: whether the account is served under whatever project it names.

    Raises:
        ApiError: 403 in the words of a project in which the service is off.
    """
    if not accepts_any and project != own_project:
        raise service_disabled(project)


def _check_session(request: dict[str, Any]) -> None:
    session = request.get("sessionId")
    if session is not None and not is_int64(session):
        raise invalid_argument("request.session_id", "session_id must be a signed 64-bit decimal number.")
