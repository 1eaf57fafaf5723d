"""The documents of discovery: who the account is, which models there are, how much quota is left. All pure.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .accounts import Account, ProjectPlace, Standing, Tier
from .models import (
    API_PROVIDERS,
    DEFAULT_AGENT_MODEL,
    IMAGE_MODELS,
    MODEL_PROVIDERS,
    RECOMMENDED_MODELS,
    TAB_MODELS,
    TIERED_MODELS,
    Modality,
    ModelRow,
    Pool,
    visible_models,
)
from .quota import WINDOW_SECONDS, Window, bucket_id
from .refusals import timestamp

if TYPE_CHECKING:
    from .quota import Bucket, Quota

ORDINARY = Standing()
UPGRADE_URL = "https://antigravity.google/g1-upgrade"
GROUP_NAMES = {Pool.GEMINI: "Gemini Models", Pool.THIRD_PARTY: "Claude and GPT models"}
WINDOW_NAMES = {Window.WEEKLY: "Weekly Limit", Window.FIVE_HOURS: "Five Hour Limit"}
FREE_TIER: dict[str, Any] = {
    "id": "free-tier",
    "name": "Antigravity",
    "description": "Gemini-powered code suggestions and chat.",
    "privacyNotice": {"showNotice": True, "noticeText": "This is a simulation."},
    "upgradeSubscriptionUri": UPGRADE_URL,
    "upgradeSubscriptionText": "Upgrade for higher limits.",
    "upgradeSubscriptionType": "GOOGLE_ONE",
}
ALLOWED_TIERS: list[dict[str, Any]] = [
    {"id": "free-tier", "name": "Antigravity", "isDefault": True, "privacyNotice": {}},
    {
        "id": "standard-tier",
        "name": "Antigravity Standard",
        "userDefinedCloudaicompanionProject": True,
        "usesGcpTos": True,
        "privacyNotice": {},
    },
]
PAID_TIER: dict[str, Any] = {
    "id": "g1-pro-tier",
    "name": "Google AI Pro",
    "description": "Google AI Pro",
    "upgradeSubscriptionUri": UPGRADE_URL,
    "upgradeSubscriptionText": "Upgrade for higher limits.",
    "availableCredits": [
        {"creditType": "GOOGLE_ONE_AI", "creditAmount": "25000", "minimumCreditAmountForUsage": "50"}
    ],
}
"""``currentTier`` is the free one for everybody; what is paid for stands in ``paidTier``."""


def code_assist_document(account: Account) -> dict[str, Any]:
    """Give the answer of ``loadCodeAssist``."""
    standing = account.standing
    document: dict[str, Any] = {
        "currentTier": FREE_TIER,
        "allowedTiers": ALLOWED_TIERS,
        "gcpManaged": False,
        "upgradeSubscriptionUri": UPGRADE_URL,
    }
    if standing.tier is Tier.PAID:
        document["paidTier"] = PAID_TIER
    if standing.project and standing.project_place is not ProjectPlace.LIST:
        is_object = standing.project_place is ProjectPlace.LOAD_OBJECT
        document["cloudaicompanionProject"] = project_document(standing.project) if is_object else standing.project
    return document


def project_document(project: str) -> dict[str, Any]:
    """Give a project in the form that names more than its id."""
    return {"id": project, "name": f"projects/{project}", "projectNumber": "123456789012"}


def projects_document(account: Account) -> dict[str, Any]:
    """Give the answer of ``listCloudAICompanionProjects``."""
    project = account.standing.project
    return {"projects": [project_document(project)]} if project else {}


def onboarding_document(account: Account) -> dict[str, Any]:
    """Give the answer of a finished ``onboardUser``."""
    return {
        "done": True,
        "response": {
            "@type": "type.googleapis.com/google.internal.cloud.code.v1internal.OnboardUserResponse",
            "cloudaicompanionProject": {"id": account.standing.project},
            "releaseChannel": {"type": "EXPERIMENTAL", "name": "Preview Channel"},
        },
    }


def models_document(
    quota: Quota, now_s: float, *, is_current_client: bool, standing: Standing = ORDINARY
) -> dict[str, Any]:
    """Give the answer of ``fetchAvailableModels``; an outdated client does not get to see the newest families."""
    rows = visible_models(
        is_current_client=is_current_client, has_next=standing.next_models, retired=standing.retired
    )
    ids = {row.runtime_id for row in rows}
    scarcest = {pool: quota.scarcest(pool, now_s) for pool in Pool}
    return {
        "models": {row.runtime_id: _model_document(row, scarcest[row.pool], now_s) for row in rows},
        "defaultAgentModelId": DEFAULT_AGENT_MODEL,
        "agentModelSorts": [
            {
                "displayName": "Recommended",
                "groups": [{"modelIds": [name for name in RECOMMENDED_MODELS if name in ids]}],
            }
        ],
        "commandModelIds": [],
        "tabModelIds": list(TAB_MODELS),
        "imageGenerationModelIds": list(IMAGE_MODELS),
        "mqueryModelIds": [],
        "webSearchModelIds": [],
        "commitMessageModelIds": [],
        "audioTranscriptionModelIds": [],
        "deprecatedModelIds": {
            row.runtime_id: {"newModelId": row.replaced_by, "oldModelEnum": row.enum}
            for row in rows
            if row.replaced_by is not None
        },
        "experimentIds": [],
        "tieredModelIds": {tier: name for tier, name in TIERED_MODELS.items() if name in ids},
    }


def quota_document(quota: Quota, now_s: float) -> dict[str, Any]:
    """Give the answer of ``retrieveUserQuotaSummary``."""
    buckets = quota.refilled(now_s)
    return {
        "description": "Quota of this account.",
        "groups": [
            {
                "displayName": GROUP_NAMES[pool],
                "description": f"Shared by all {GROUP_NAMES[pool]}.",
                "buckets": [
                    _bucket_document(bucket_id(pool, window), buckets[bucket_id(pool, window)], now_s)
                    for window in WINDOW_SECONDS
                ],
            }
            for pool in Pool
        ],
    }


def _bucket_document(name: str, bucket: Bucket, now_s: float) -> dict[str, Any]:
    return {
        "bucketId": name,
        "displayName": WINDOW_NAMES[bucket.window],
        "window": bucket.window.value,
        "resetTime": timestamp(bucket.reset_time(now_s)),
        "description": "",
        "remainingFraction": bucket.fraction,
    }


def _model_document(row: ModelRow, bucket: Bucket, now_s: float) -> dict[str, Any]:
    document: dict[str, Any] = {
        "displayName": row.label,
        "supportsImages": row.modality is not Modality.NOTHING,
        "supportsVideo": row.modality is Modality.EVERYTHING,
        "supportsThinking": row.thinks,
        "thinkingBudget": row.thinking_budget,
        "minThinkingBudget": row.min_thinking_budget,
        "recommended": row.runtime_id in RECOMMENDED_MODELS,
        "maxTokens": row.context,
        "maxOutputTokens": row.max_output_tokens,
        "quotaInfo": {
            "remainingFraction": bucket.fraction,
            "resetTime": timestamp(bucket.reset_time(now_s)),
        },
        "model": row.enum,
        "apiProvider": API_PROVIDERS[row.family],
        "modelProvider": MODEL_PROVIDERS[row.family],
        "supportedMimeTypes": dict.fromkeys(row.mime_types, True),
        "isInternal": row.is_internal,
        "modelExperiments": {"experiments": {}},
        "supportsCumulativeContext": True,
    }
    if row.thinking_budget is None:
        del document["thinkingBudget"], document["minThinkingBudget"]
    return document
