"""The models the simulator serves, one row per runtime id, and the facts about them that requests are held to.

Only runtime ids are served. A public name such as ``gemini-3.8-flash`` and the ``MODEL_PLACEHOLDER_…`` names that
the catalogue mentions inside its rows are unknown here, as they are to the real service.

Source: SPEC.md, "Models" and "Upstream protocol".
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Family(StrEnum):
    """Whose model it is; decides the rules for tools, ids, signatures and media."""

    GEMINI = "gemini"
    CLAUDE = "claude"
    GPT_OSS = "gpt-oss"


class Pool(StrEnum):
    """The quota a model draws from: all Gemini models share one pool, everybody else's the other."""

    GEMINI = "gemini"
    THIRD_PARTY = "3p"


class Modality(StrEnum):
    """What a model may be sent besides text."""

    EVERYTHING = "everything"
    IMAGES = "images"
    NOTHING = "nothing"


IMAGE_TYPES = ("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif")
"""The five image types, the same for Gemini and for Claude. ``image/gif`` is not one of them."""

AUDIO_TYPES = (
    "audio/mpeg",
    "audio/wav",
    "audio/ogg",
    "audio/flac",
    "audio/aac",
    "audio/webm",
    "audio/pcm",
    "audio/basic",
    "audio/webm;codecs=opus",
    "video/audio/wav",
    "video/audio/s16le",
)
"""What clients are known to send, and the service's own odd names. Aliases such as ``audio/mp3`` are not taken."""

VIDEO_TYPES = ("video/mp4",)

DOCUMENT_TYPES = (
    "application/pdf",
    "application/rtf",
    "application/json",
    "application/x-ipynb+json",
    "text/plain",
)

ASSUMED_TYPES = (
    "audio/mp4",
    "video/mpeg",
    "video/webm",
    "video/quicktime",
    "video/3gpp",
    "video/x-flv",
    "text/markdown",
    "text/html",
    "text/css",
    "text/csv",
    "text/xml",
    "text/javascript",
    "text/x-python",
)
"""What nobody has seen refused or taken; the catalogue is known to name "several" videos and "many" texts.

Source: the public Gemini API, its pages about video, sound and documents.
"""

MIME_TYPES: dict[Modality, tuple[str, ...]] = {
    Modality.EVERYTHING: IMAGE_TYPES + AUDIO_TYPES + VIDEO_TYPES + DOCUMENT_TYPES + ASSUMED_TYPES,
    Modality.IMAGES: IMAGE_TYPES,
    Modality.NOTHING: (),
}

POOLS: dict[Family, Pool] = {
    Family.GEMINI: Pool.GEMINI,
    Family.CLAUDE: Pool.THIRD_PARTY,
    Family.GPT_OSS: Pool.THIRD_PARTY,
}

API_PROVIDERS: dict[Family, str] = {
    Family.GEMINI: "API_PROVIDER_GOOGLE_GEMINI",
    Family.CLAUDE: "API_PROVIDER_ANTHROPIC_VERTEX",
    Family.GPT_OSS: "API_PROVIDER_OPENAI_VERTEX",
}

MODEL_PROVIDERS: dict[Family, str] = {
    Family.GEMINI: "MODEL_PROVIDER_GOOGLE",
    Family.CLAUDE: "MODEL_PROVIDER_ANTHROPIC",
    Family.GPT_OSS: "MODEL_PROVIDER_OPENAI",
}

MAX_THINKING_BUDGET = 32_768
"""The largest ``thinkingBudget`` of any model."""


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One runtime id.

    Attributes:
        runtime_id: what ``model`` in the envelope says.
        label: ``displayName`` in the catalogue.
        enum: the name in the row's ``model`` field; not requestable.
        family: whose model it is.
        max_output_tokens: the largest ``maxOutputTokens`` accepted.
        context: ``maxTokens``, the size of the context window.
        thinking_budget: the budget the catalogue names for it; -1 is dynamic, None is not printed.
        min_thinking_budget: the smallest budget other than 0 and -1.
        takes_level: whether its thinking is set by a level; every other row takes a budget.
        modality: what it may be sent besides text.
        is_internal: whether the catalogue marks the row as not for users.
        is_new: whether clients with an outdated fingerprint do not get to see it.
        replaced_by: for a deprecated id, the one that took over.
        thinks: whether it can think.
    """

    runtime_id: str
    label: str
    enum: str
    family: Family = Family.GEMINI
    max_output_tokens: int = 65_536
    context: int = 1_048_576
    thinking_budget: int | None = None
    min_thinking_budget: int = 32
    takes_level: bool = False
    modality: Modality = Modality.EVERYTHING
    is_internal: bool = False
    is_new: bool = False
    replaced_by: str | None = None
    thinks: bool = True

    @property
    def answers_chat(self) -> bool:
        """Whether generation may ask for it: image generators and internal models are not for conversations."""
        return not self.is_internal and self.runtime_id not in IMAGE_MODELS

    @property
    def pool(self) -> Pool:
        """The quota pool this model draws from."""
        return POOLS[self.family]

    @property
    def mime_types(self) -> tuple[str, ...]:
        """The media types it accepts as ``inlineData``."""
        return MIME_TYPES[self.modality]


MODELS: tuple[ModelRow, ...] = (
    ModelRow(
        "gemini-3.8-flash-low", "Gemini 3.8 Flash (Low)", "MODEL_PLACEHOLDER_M320", thinking_budget=1000, is_new=True
    ),
    ModelRow(
        "gemini-3.8-flash-medium",
        "Gemini 3.8 Flash (Medium)",
        "MODEL_PLACEHOLDER_M319",
        thinking_budget=4000,
        is_new=True,
    ),
    ModelRow(
        "gemini-3.8-flash-high", "Gemini 3.8 Flash (High)", "MODEL_PLACEHOLDER_M318", thinking_budget=-1, is_new=True
    ),
    ModelRow("gemini-3.8-flash-tiered", "Gemini 3.8 Flash", "MODEL_PLACEHOLDER_M322", is_new=True),
    ModelRow("gemini-3.7-flash-low", "Gemini 3.7 Flash (Low)", "MODEL_PLACEHOLDER_M300", is_new=True),
    ModelRow("gemini-3.7-flash-medium", "Gemini 3.7 Flash (Medium)", "MODEL_PLACEHOLDER_M299", is_new=True),
    ModelRow("gemini-3.7-flash-high", "Gemini 3.7 Flash (High)", "MODEL_PLACEHOLDER_M298", is_new=True),
    ModelRow("gemini-3.7-flash-tiered", "Gemini 3.7 Flash", "MODEL_PLACEHOLDER_M301", takes_level=True, is_new=True),
    ModelRow("gemini-3.6-flash-low", "Gemini 3.6 Flash (Low)", "MODEL_PLACEHOLDER_M73"),
    ModelRow("gemini-3.6-flash-medium", "Gemini 3.6 Flash (Medium)", "MODEL_PLACEHOLDER_M72"),
    ModelRow("gemini-3.6-flash-high", "Gemini 3.6 Flash (High)", "MODEL_PLACEHOLDER_M71"),
    ModelRow("gemini-3.6-flash-tiered", "Gemini 3.6 Flash", "MODEL_PLACEHOLDER_M196"),
    ModelRow("gemini-3.5-flash-extra-low", "Gemini 3.5 Flash (Low)", "MODEL_PLACEHOLDER_M187", thinking_budget=1000),
    ModelRow("gemini-3.5-flash-low", "Gemini 3.5 Flash (Medium)", "MODEL_PLACEHOLDER_M20", thinking_budget=4000),
    ModelRow("gemini-3-flash-agent", "Gemini 3.5 Flash (High)", "MODEL_PLACEHOLDER_M84", thinking_budget=10_000),
    ModelRow("gemini-3-flash", "Gemini 3 Flash", "MODEL_PLACEHOLDER_M18", thinking_budget=-1),
    ModelRow(
        "gemini-3.1-pro-low",
        "Gemini 3.1 Pro (Low)",
        "MODEL_PLACEHOLDER_M36",
        max_output_tokens=65_535,
        thinking_budget=1001,
        min_thinking_budget=128,
    ),
    ModelRow(
        "gemini-pro-agent",
        "Gemini 3.1 Pro (High)",
        "MODEL_PLACEHOLDER_M16",
        max_output_tokens=65_535,
        thinking_budget=10_001,
        min_thinking_budget=128,
    ),
    ModelRow(
        "gemini-3.1-pro-high",
        "Gemini 3.1 Pro (High)",
        "MODEL_PLACEHOLDER_M37",
        max_output_tokens=65_535,
        min_thinking_budget=128,
        replaced_by="gemini-pro-agent",
    ),
    ModelRow("gemini-3.1-flash-image", "Gemini 3.1 Flash Image", "MODEL_PLACEHOLDER_M21", max_output_tokens=8_192),
    ModelRow("chat_20706", "Chat", "MODEL_PLACEHOLDER_M4", max_output_tokens=8_192, is_internal=True),
    ModelRow("tab_flash_lite_preview", "Tab", "MODEL_PLACEHOLDER_M5", max_output_tokens=8_192, is_internal=True),
    ModelRow(
        "claude-sonnet-4-6",
        "Claude Sonnet 4.6 (Thinking)",
        "MODEL_PLACEHOLDER_M35",
        Family.CLAUDE,
        max_output_tokens=64_000,
        context=200_000,
        thinking_budget=1024,
        min_thinking_budget=1024,
        modality=Modality.IMAGES,
    ),
    ModelRow(
        "claude-opus-4-6-thinking",
        "Claude Opus 4.6 (Thinking)",
        "MODEL_PLACEHOLDER_M26",
        Family.CLAUDE,
        max_output_tokens=64_000,
        context=250_000,
        thinking_budget=1024,
        min_thinking_budget=1024,
        modality=Modality.IMAGES,
    ),
    ModelRow(
        "gpt-oss-120b-medium",
        "GPT-OSS 120B (Medium)",
        "MODEL_OPENAI_GPT_OSS_120B_MEDIUM",
        Family.GPT_OSS,
        max_output_tokens=32_768,
        context=131_072,
        thinking_budget=8192,
        min_thinking_budget=1024,
        modality=Modality.NOTHING,
    ),
)
"""Every row of the catalogue, in the order it is listed."""

NEXT_MODELS: tuple[ModelRow, ...] = (
    ModelRow("gemini-4.0-flash-low", "Gemini 4.0 Flash (Low)", "MODEL_PLACEHOLDER_M401", thinking_budget=2000),
    ModelRow("gemini-4.0-flash-medium", "Gemini 4.0 Flash (Medium)", "MODEL_PLACEHOLDER_M402", thinking_budget=6000),
    ModelRow("gemini-4.0-flash-high", "Gemini 4.0 Flash (High)", "MODEL_PLACEHOLDER_M403", thinking_budget=-1),
    ModelRow("gemini-4.0-pro-tiered", "Gemini 4.0 Pro", "MODEL_PLACEHOLDER_M404", min_thinking_budget=128),
    ModelRow(
        "gemini-4.1-nova-extra-low",
        "Gemini 4.1 Nova",
        "MODEL_PLACEHOLDER_M405",
        max_output_tokens=16_384,
        context=524_288,
        thinking_budget=3000,
        min_thinking_budget=2048,
        modality=Modality.IMAGES,
    ),
    ModelRow(
        "gemini-4.1-nova-low",
        "Gemini 4.1 Nova (Medium)",
        "MODEL_PLACEHOLDER_M406",
        max_output_tokens=16_384,
        context=524_288,
        thinking_budget=9000,
        min_thinking_budget=2048,
        modality=Modality.IMAGES,
    ),
    ModelRow("gemini-4.0-old", "Gemini 4.0", "MODEL_PLACEHOLDER_M407", replaced_by="gemini-4.0-flash-low"),
    ModelRow(
        "gemini-4.0-plain",
        "Gemini 4.0 Plain",
        "MODEL_PLACEHOLDER_M408",
        max_output_tokens=4_096,
        context=32_768,
        modality=Modality.NOTHING,
        thinks=False,
    ),
    ModelRow("gemini-4.0-secret", "Gemini 4.0 Secret", "MODEL_PLACEHOLDER_M409", is_internal=True),
    ModelRow(
        "claude-x-5-thinking",
        "Claude X 5 (Thinking)",
        "MODEL_PLACEHOLDER_M410",
        Family.CLAUDE,
        max_output_tokens=48_000,
        context=300_000,
        thinking_budget=2048,
        min_thinking_budget=2048,
        modality=Modality.IMAGES,
    ),
)
"""Made-up models that an account gets with the option ``next_models``, as if Google had just added them."""

MODELS_BY_ID: dict[str, ModelRow] = {row.runtime_id: row for row in (*MODELS, *NEXT_MODELS)}
NEXT_IDS = frozenset(row.runtime_id for row in NEXT_MODELS)

DEFAULT_AGENT_MODEL = "gemini-3.5-flash-low"
RECOMMENDED_MODELS = (
    "gemini-3.8-flash-low",
    "gemini-3.8-flash-medium",
    "gemini-3.8-flash-high",
    "gemini-pro-agent",
    "claude-sonnet-4-6",
    "claude-opus-4-6-thinking",
)
IMAGE_MODELS = ("gemini-3.1-flash-image",)
TAB_MODELS = ("tab_flash_lite_preview",)
TIERED_MODELS = {"flash": "gemini-3.8-flash-tiered", "pro": "gemini-pro-agent"}


def visible_models(
    *, is_current_client: bool, has_next: bool = False, retired: frozenset[str] = frozenset()
) -> tuple[ModelRow, ...]:
    """Give the rows a client gets to see; an outdated fingerprint hides the newest families.

    Args:
        is_current_client: whether the headers are those of a current client.
        has_next: whether the account has the made-up models too.
        retired: runtime ids the account does not have.
    """
    rows = (*MODELS, *NEXT_MODELS) if has_next else MODELS
    return tuple(row for row in rows if (is_current_client or not row.is_new) and row.runtime_id not in retired)
