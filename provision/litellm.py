"""The LiteLLM proxy: a deployment each in ``model_list`` of its configuration.

Source:
    https://docs.litellm.ai/docs/proxy/configs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .route import ID
from .rows import Rows
from .syntax import YAML

if TYPE_CHECKING:
    from ..catalog.model import Model


def _name(model: Model) -> str:
    # A name of its own: LiteLLM would share requests out between deployments of the same name.
    return f"{ID}/{model.id}"


def _is_old_one(name: str, _existing: dict[str, Any]) -> bool:
    return name.startswith(f"{ID}/")


def _row(model: Model) -> dict[str, Any]:
    return {
        "litellm_params": {"model": f"openai/{model.id}"},
        "model_info": {
            "max_input_tokens": model.context_tokens,
            "max_output_tokens": model.max_output_tokens,
            "supports_vision": "image" in model.inputs,
            "supports_audio_input": "audio" in model.inputs,
            "supports_video_input": "video" in model.inputs,
            "supports_pdf_input": "pdf" in model.inputs,
            "supports_reasoning": bool(model.efforts),
            "supports_function_calling": True,
        },
    }


CONFIG = Rows(
    syntax=YAML,
    path=("model_list",),
    row=_row,
    name_of=_name,
    name="model_name",
    model=("litellm_params", "model"),
    url=("litellm_params", "api_base"),
    key=("litellm_params", "api_key"),
    is_old_one=_is_old_one,
)
