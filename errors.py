"""Every error this program raises on purpose.

Each class knows the HTTP ``status``, the OpenAI ``type`` and the OpenAI ``code`` it is answered with. The
message says what happened and what to do; it is shown to the user as it is, so it never holds a token::

    ProxyError                      500  server_error
    ├─ RequestError                 400  invalid_request_error    the client's request cannot be served
    │  ├─ UnknownModelError         404  model_not_found          no such model
    │  ├─ UnknownRouteError         404  not_found                no such path
    │  ├─ MethodNotAllowedError     405  method_not_allowed       the path takes another method
    │  ├─ RequestTimeoutError       408  request_timeout          the body did not arrive in time
    │  ├─ BodyTooLargeError         413  body_too_large           more bytes than we read
    │  └─ MediaTypeError            415  unsupported_media_type   the body is not declared as JSON
    ├─ ForeignRequestError          403  permission_error         Host or Origin is not ours
    ├─ ApiKeyError                  401  authentication_error     the proxy's own key is missing or wrong
    ├─ AccountError                 401  authentication_error     carries account
    │  ├─ NoAccountError            401                           nobody has logged in
    │  ├─ LoginRequiredError        401                           Google refuses the refresh token
    │  │  └─ OtherClientError       401                           the login was made with another OAuth client
    │  ├─ VerificationRequiredError 403  permission_error         carries url
    │  ├─ AccountBannedError        403  permission_error         Google has closed the account to this service
    │  └─ LicenceError              403  permission_error         the account has no subscription for this
    ├─ UpstreamError                502  upstream_failed          carries what Google said
    │  ├─ UpstreamRefusedError      400  upstream_refused         Google says the request is wrong
    │  ├─ UpstreamUnauthorizedError 401  authentication_error     Google refuses the access token
    │  ├─ UpstreamForbiddenError    403  upstream_forbidden       Google denies access
    │  ├─ ProjectError              403  permission_error         the Google project is not usable
    │  ├─ ModelGoneError            404  model_not_found          Google does not serve this runtime id
    │  ├─ RateLimitedError          429  rate_limit_error         slow down
    │  ├─ QuotaExhaustedError       429  insufficient_quota       the quota is used up
    │  ├─ CapacityError             503  upstream_error           the model is overloaded
    │  ├─ UpstreamUnreachableError  502                           no connection to Google
    │  ├─ UpstreamTimeoutError      504                           a time limit ran out
    │  │  └─ BudgetSpentError       504                           all attempts together took too long
    │  ├─ UpstreamGarbledError      502                           the answer is not the protocol
    │  │  └─ MalformedCallError     502                           the model wrote a tool call that cannot be read
    │  └─ EmptyAnswerError          502                           an answer without content
    ├─ ServerStoppingError          503  server_error             the server ends before the answer does
    ├─ LoginError                   400  invalid_request_error    a login that brings no account
    ├─ SettingsError                     (command line only)      a setting is wrong
    ├─ ServeError                        (command line only)      the server cannot start
    ├─ CommandError                      (command line only)      a command cannot be carried out as it was given
    ├─ ProvisionError                    (command line only)      a harness's configuration is left as it is
    └─ StoreError                   500                           carries path
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


class ProxyError(Exception):
    """Base of all errors of this program.

    Args:
        message: what happened and what to do, in one or two sentences.
        param: the place in the request that is at fault, such as ``messages[2].content[1]``.
        code: replaces the class's machine-readable code.

    Attributes:
        is_exhausted: whether this program has asked again as often as it does, so that a client need not.
        account: whose subscription it is about, as shown to the user; never a token.
    """

    status: int = 500
    type: str = "server_error"
    code: str | None = None
    is_exhausted: bool = False
    account: str | None = None

    def __init__(self, message: str, *, param: str | None = None, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.param = param
        if code is not None:
            self.code = code

    def __str__(self) -> str:
        return self.message


class RequestError(ProxyError):
    """The client's request cannot be served as it is."""

    status = 400
    type = "invalid_request_error"


class UnknownModelError(RequestError):
    """No model has the id the client asked for."""

    status = 404
    code = "model_not_found"


class UnknownRouteError(RequestError):
    """The server has no such path."""

    status = 404
    code = "not_found"


class MethodNotAllowedError(RequestError):
    """The path exists, for another HTTP method."""

    status = 405
    code = "method_not_allowed"


class RequestTimeoutError(RequestError):
    """The client did not finish sending its request body in time."""

    status = 408
    code = "request_timeout"


class BodyTooLargeError(RequestError):
    """The request body is larger than the server reads."""

    status = 413
    code = "body_too_large"


class MediaTypeError(RequestError):
    """A state-changing request is not declared as JSON, as a page of another site could send it."""

    status = 415
    code = "unsupported_media_type"


class ForeignRequestError(ProxyError):
    """The request names a Host or an Origin that is not this server."""

    status = 403
    type = "permission_error"


class ApiKeyError(ProxyError):
    """The proxy's own API key is missing or wrong."""

    status = 401
    type = "authentication_error"
    code = "invalid_api_key"


class AccountError(ProxyError):
    """A Google account cannot be used.

    Args:
        message: as for every error.
        account: how the account is shown to the user; never a token.
    """

    status = 401
    type = "authentication_error"
    code = "account_unusable"

    def __init__(self, message: str, *, account: str | None = None) -> None:
        super().__init__(message)
        self.account = account


class NoAccountError(AccountError):
    """The pool holds no account."""

    code = "no_account"


class LoginRequiredError(AccountError):
    """Google refuses the account's refresh token; only a new login helps."""

    code = "login_required"


class OtherClientError(LoginRequiredError):
    """What proves the account was given to another OAuth client than the one that is set."""

    code = "other_client"


class VerificationRequiredError(AccountError):
    """Google wants the owner to verify the account before it serves it again.

    Args:
        message: as for every error; contains the link.
        account: how the account is shown to the user.
        url: the page on a Google host where the account is verified, if one was given.
    """

    status = 403
    type = "permission_error"
    code = "verification_required"

    def __init__(self, message: str, *, account: str | None = None, url: str | None = None) -> None:
        super().__init__(message, account=account)
        self.url = url


class AccountBannedError(AccountError):
    """Google has closed the account to this service, for good."""

    status = 403
    type = "permission_error"
    code = "account_banned"


class LicenceError(AccountError):
    """The account has no subscription or licence for what was asked."""

    status = 403
    type = "permission_error"
    code = "subscription_required"


class UpstreamError(ProxyError):
    """Google answered with an error, or not in a usable way.

    Args:
        message: as for every error.
        upstream_status: HTTP status of the upstream's answer, if there was one.
        body: the upstream's own words, redacted and cut.
        code: replaces the class's machine-readable code.
        retry_after_s: how long Google says to wait, in seconds.
        resets_at: when a quota is whole again, RFC 3339 in UTC, if known.
    """

    status = 502
    type = "upstream_error"
    code = "upstream_failed"

    def __init__(
        self,
        message: str,
        *,
        upstream_status: int | None = None,
        body: str = "",
        code: str | None = None,
        retry_after_s: float | None = None,
        resets_at: str | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.upstream_status = upstream_status
        self.body = body
        self.retry_after_s = retry_after_s
        self.resets_at = resets_at


class UpstreamRefusedError(UpstreamError):
    """Google says that the request itself is wrong."""

    status = 400
    type = "invalid_request_error"
    code = "upstream_refused"


class UpstreamUnauthorizedError(UpstreamError):
    """Google refuses the access token."""

    status = 401
    type = "authentication_error"
    code = "upstream_unauthorized"


class ProjectError(UpstreamError):
    """The Google project of the account is not usable for this API."""

    status = 403
    type = "permission_error"
    code = "project_unusable"


class UpstreamForbiddenError(UpstreamError):
    """Google denies access for a reason we do not know."""

    status = 403
    type = "permission_error"
    code = "upstream_forbidden"


class ModelGoneError(UpstreamError):
    """Google does not serve the runtime id that was asked for."""

    status = 404
    type = "invalid_request_error"
    code = "model_not_found"


class RateLimitedError(UpstreamError):
    """Google asks to slow down, for a short time or an unknown one."""

    status = 429
    type = "rate_limit_error"
    code = "rate_limit_exceeded"


class QuotaExhaustedError(UpstreamError):
    """The account's quota for this pool of models is used up.

    The message contains the word quota, which harnesses look for.
    """

    status = 429
    type = "insufficient_quota"
    code = "insufficient_quota"


class CapacityError(UpstreamError):
    """Google has no capacity for the model at the moment."""

    status = 503
    code = "no_capacity"


class UpstreamUnreachableError(UpstreamError):
    """No connection to Google could be made, or it broke before an answer."""

    code = "upstream_unreachable"


class UpstreamTimeoutError(UpstreamError):
    """A time limit ran out while waiting for Google."""

    status = 504
    code = "upstream_timeout"


class BudgetSpentError(UpstreamTimeoutError):
    """The time for all attempts at one request ran out."""

    is_exhausted = True


class UpstreamGarbledError(UpstreamError):
    """What Google sent is not the protocol, or stopped half-way."""

    code = "upstream_garbled"


class MalformedCallError(UpstreamGarbledError):
    """The model wrote a tool call that Google could not read."""

    code = "malformed_tool_call"


class EmptyAnswerError(UpstreamError):
    """Google answered 200 several times without text or a tool call."""

    code = "empty_answer"


class ServerStoppingError(ProxyError):
    """The server was told to stop, and the answer was not ready in the time that is left then."""

    status = 503
    code = "server_stopping"


class LoginError(ProxyError):
    """A login did not bring an account; the code says why, such as ``login_denied``."""

    status = 400
    type = "invalid_request_error"
    code = "login_failed"


class SettingsError(ProxyError):
    """A flag, an environment variable or the settings file holds something unusable."""


class ServeError(ProxyError):
    """The server cannot start, for example because the port is taken."""


class CommandError(ProxyError):
    """A command cannot be carried out in the way it was given; the message says which way it can."""


class ProvisionError(ProxyError):
    """A harness's configuration cannot be changed and was left as it is."""


class StoreError(ProxyError):
    """A file of ours cannot be read or written.

    Args:
        message: as for every error.
        path: the file.
    """

    code = "store_failed"

    def __init__(self, message: str, *, path: Path) -> None:
        super().__init__(message)
        self.path = path
