"""The refusals of the real service that have nothing to do with how the request is written.

One function per case: quota, rate limits, capacity, verification, licences, projects, versions.

Source: SPEC.md, "Errors of the upstream".
"""

from __future__ import annotations

from datetime import UTC, datetime

from .google_reply import (
    ApiError,
    Detail,
    error_info,
    help_links,
    localized_message,
    retry_info,
)

SERVICE_DOMAIN = "cloudcode-pa.googleapis.com"
COMPANION_DOMAIN = "cloudaicompanion.googleapis.com"
BARE_TEXT = "Resource has been exhausted (e.g. check quota)."
WALL_TEXTS = {
    "days": "Quota exceeded. Resets in 6 days.",
    "weekly": "You have exceeded your weekly limit.",
}
THROTTLE_TEXTS = {
    "requests": "Too many requests",
    "rate": "Rate limit reached",
}
VERSION_TEXT = "This version of Antigravity is no longer supported. Please update to the latest version to continue."
VERIFY_URL = "https://accounts.google.com/signin/continue?sarp=1&plt=simulated"
LEARN_MORE_URL = "https://support.google.com/accounts?p=al_alert"
LICENCE_URL = "https://codeassist.google.com/upgrade"
TERMS_URL = "https://policies.google.com/terms"


def go_duration(seconds: float) -> str:
    """Give a duration as Go prints it, such as ``71h15m27.79s`` or ``479.417207ms``."""
    if 0 < seconds < 1:
        return f"{_decimal(seconds * 1000, 6)}ms"
    hours, rest = divmod(seconds, 3600)
    minutes, rest = divmod(rest, 60)
    text = f"{_decimal(rest, 9)}s"
    if hours or minutes:
        text = f"{minutes:.0f}m{text}"
    return f"{hours:.0f}h{text}" if hours else text


def timestamp(seconds: float) -> str:
    """Give a moment in seconds since 1970 as RFC 3339 in UTC, to the second."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def quota_exhausted(model: str, delay_s: float, now_s: float, *, is_individual: bool = True) -> ApiError:
    """Give the 429 of an empty quota.

    Args:
        model: the runtime id.
        delay_s: seconds until the quota is whole again.
        now_s: now, in seconds since 1970.
        is_individual: which of the service's two wordings to use.
    """
    shown = go_duration(int(delay_s))
    if is_individual:
        message = f"Individual quota reached. Please wait or upgrade your plan. Resets in {shown}."
    else:
        message = f"You have exhausted your capacity on this model. Your quota will reset after {shown}."
    details = _quota_details("QUOTA_EXHAUSTED", model, delay_s, now_s, message)
    return ApiError(429, message, details=details)


def rate_limited(model: str, delay_s: float, now_s: float) -> ApiError:
    """Give the 429 of too many requests at once; it speaks of exhausted capacity, yet only seconds are missing."""
    message = "You have exhausted your capacity on this model. Your quota will reset after 0s."
    return ApiError(429, message, details=_quota_details("RATE_LIMIT_EXCEEDED", model, delay_s, now_s, message))


def resource_exhausted(message: str = BARE_TEXT) -> ApiError:
    """Give a 429 that has a text and nothing else."""
    return ApiError(429, message)


def insufficient_credits() -> ApiError:
    """Give the 429 of an account whose paid credits do not suffice."""
    return ApiError(
        429,
        "Resource has been exhausted: insufficient Google One AI credits.",
        details=[error_info("INSUFFICIENT_G1_CREDITS_BALANCE", SERVICE_DOMAIN)],
    )


def no_capacity(model: str, retry_s: float | None = None) -> ApiError:
    """Give the 503 of a model without free capacity; only sometimes it says when to come back."""
    details = [error_info("MODEL_CAPACITY_EXHAUSTED", SERVICE_DOMAIN, {"model": model})]
    if retry_s is not None:
        details.append(retry_info(retry_s))
    return ApiError(503, f"No capacity available for model {model} on the server", details=details)


def verification_required(url: str = VERIFY_URL) -> ApiError:
    """Give the 403 of an account whose owner has to verify it."""
    message = "Verify your account to continue."
    metadata = {
        "validation_url": url,
        "validation_error_message": message,
        "validation_url_link_text": "Verify your account",
        "validation_learn_more_url": LEARN_MORE_URL,
    }
    return ApiError(403, message, details=[error_info("VALIDATION_REQUIRED", SERVICE_DOMAIN, metadata)])


def service_disabled(project: str) -> ApiError:
    """Give the 403 of a project that is not the account's or does not exist."""
    title = "Gemini for Google Cloud API"
    url = f"https://console.developers.google.com/apis/api/{COMPANION_DOMAIN}/overview?project={project}"
    message = (
        f"{title} has not been used in project {project} before or it is disabled. Enable it by visiting {url} "
        "then retry. If you enabled this API recently, wait a few minutes for the action to propagate to our "
        "systems and retry."
    )
    metadata = {
        "service": COMPANION_DOMAIN,
        "serviceTitle": title,
        "consumer": f"projects/{project}",
        "containerInfo": project,
        "activationUrl": url,
    }
    return ApiError(
        403,
        message,
        details=[
            error_info("SERVICE_DISABLED", "googleapis.com", metadata),
            localized_message(message),
            help_links(("Google developers console API activation", url)),
        ],
    )


def subscription_required() -> ApiError:
    """Give the 403 of an account without a subscription."""
    message = (
        "You are missing a valid license for this feature. Please contact your administrator to request a "
        "license, or purchase a subscription. (#3501)"
    )
    return ApiError(
        403,
        message,
        details=[
            error_info("SUBSCRIPTION_REQUIRED", COMPANION_DOMAIN),
            help_links(("Purchase a subscription", LICENCE_URL)),
        ],
    )


def no_licence() -> ApiError:
    """Give the 403 of an account without a licence, which has a text and nothing else."""
    return ApiError(403, "You do not have a valid license of Antigravity.")


def account_banned() -> ApiError:
    """Give the 403 of an account closed for this service because of its terms."""
    message = "This service has been disabled in this account for violation of Terms of Service."
    return ApiError(
        403,
        message,
        details=[
            error_info("TOS_VIOLATION", SERVICE_DOMAIN),
            help_links(("Terms of Service", TERMS_URL)),
        ],
    )


def version_unsupported(http_status: int = 400) -> ApiError:
    """Give the refusal of a client that is too old."""
    return ApiError(http_status, VERSION_TEXT)


def _quota_details(reason: str, model: str, delay_s: float, now_s: float, message: str) -> list[Detail]:
    metadata = {
        "uiMessage": message,
        "model": model,
        "quotaResetDelay": go_duration(delay_s),
        "quotaResetTimeStamp": timestamp(now_s + delay_s),
    }
    return [error_info(reason, SERVICE_DOMAIN, metadata), retry_info(delay_s)]


def _decimal(number: float, places: int) -> str:
    return f"{number:.{places}f}".rstrip("0").rstrip(".")
