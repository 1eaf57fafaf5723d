"""Everything that can be set, read once from flags, environment and file.

Source:
    SPEC.md, "Settings".
"""

from __future__ import annotations

import logging
import os
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from urllib.parse import urlsplit

from platformdirs import user_data_path
from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    EnvSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    TomlConfigSettingsSource,
)
from pydantic_settings import (
    SettingsError as SourceError,
)

from ..accounts.choose import Strategy
from ..errors import SettingsError
from ..oauth.trust import distrust, is_loopback

if TYPE_CHECKING:
    from collections.abc import Mapping

log = logging.getLogger(__name__)

APP = "antigravity-proxy"
PREFIX = "ANTIGRAVITY_PROXY_"
CONFIG_FILE = "config.toml"
DEFAULT_PORT = 51_122
USER_AGENT = "antigravity/cli/1.1.23 (aidev_client; os_type=linux; arch=amd64; cl=974125021; auth_method=consumer)"
"""What Google's own command line client calls itself; the same on every machine. Source: SPEC.md, "Headers"."""

ALIASES = {
    "DSH_ANTIGRAVITY_BASE_URL": "base_url",
    "DSH_ANTIGRAVITY_USER_AGENT": "user_agent",
    "DSH_ANTIGRAVITY_PROJECT_ID": "project_id",
    "DSH_ANTIGRAVITY_PROXY_PORT": "port",
    "DSH_ANTIGRAVITY_OAUTH_CLIENT_ID": "oauth_client_id",
    "DSH_ANTIGRAVITY_OAUTH_CLIENT_SECRET": "oauth_client_secret",
}
"""Variables of an older program → our setting."""


def checked_base_url(url: str) -> str:
    """A base for calls that carry tokens, without a trailing slash.

    Raises:
        ValueError: tokens would leave Google and this machine.
    """
    if (reason := distrust(url)) is not None:
        raise ValueError(reason)
    parts = urlsplit(url)
    if parts.query or parts.fragment:
        raise ValueError("must end with its host or path")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def _bare_host(host: str) -> str:
    if not host:
        raise ValueError("must be a host name or an address")
    return host.removeprefix("[").removesuffix("]")


def _usable_key(key: SecretStr) -> SecretStr:
    text = key.get_secret_value().strip()
    if not text:
        raise ValueError("must not be empty")
    return SecretStr(text)


def _expanded(path: Path) -> Path:
    try:
        return path.expanduser()
    except RuntimeError as exc:
        raise ValueError(f"{path} names a user who is not known here") from exc


def _home() -> Path:
    return user_data_path(APP, appauthor=False)


def _config_path(flags: Mapping[str, Any]) -> Path:
    return _expanded(Path(flags.get("home") or os.environ.get(f"{PREFIX}HOME") or _home())) / CONFIG_FILE


def _split(value: Any) -> Any:
    return [item.strip() for item in value.split(",") if item.strip()] if isinstance(value, str) else value


Seconds = Annotated[float, Field(gt=0, le=86_400)]
UserPath = Annotated[Path, AfterValidator(_expanded)]
Names = Annotated[tuple[str, ...], NoDecode]


class Settings(BaseSettings):
    """One frozen value for the whole program: flags beat environment beats ``config.toml`` beats the default.

    Attributes:
        home: folder of the accounts, the settings file and all state.
        host: address to listen on; anything but loopback needs an API key.
        port: 0 picks a free one.
        api_key: what clients must present; None lets everyone on this machine in.
        allowed_hosts: further names a client may call this server by, such as ``host.docker.internal``.
        allowed_origins: web pages of other origins that may call it, such as ``http://localhost:3000``.
        base_url: one base for every Cloud Code call; None uses Google's own hosts.
        oauth_client_file: Google "installed" client JSON.
        oauth_client_id: overrides just the id.
        oauth_client_secret: overrides just the secret.
        user_agent: what we call ourselves to Google.
        project_id: fallback for a Google project that cannot be found.
        strategy: ``sticky`` lets the active account serve all; ``spread`` the least used one for each conversation.
        autostart: whether harnesses that find no server running may start one.
        fetch_media: whether images and films that requests name by web address are fetched.
        first_byte_timeout: seconds until the first content of an answer, over all attempts.
        idle_timeout: seconds a running answer may be silent.
        keepalive: seconds of silence after which a streaming client gets a comment.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_ignore_empty=True,
        extra="forbid",
        frozen=True,
        hide_input_in_errors=True,
        str_strip_whitespace=True,
    )

    home: UserPath = Field(default_factory=_home)
    host: Annotated[str, AfterValidator(_bare_host)] = "127.0.0.1"
    port: Annotated[int, Field(ge=0, le=65_535)] = DEFAULT_PORT
    api_key: Annotated[SecretStr, AfterValidator(_usable_key)] | None = None
    allowed_hosts: Names = ()
    allowed_origins: Names = ()
    base_url: Annotated[str, AfterValidator(checked_base_url)] | None = None
    oauth_client_file: UserPath | None = None
    oauth_client_id: str | None = None
    oauth_client_secret: SecretStr | None = None
    user_agent: Annotated[str, Field(pattern=r"^[\x20-\x7e]+$")] = USER_AGENT
    project_id: str | None = None
    strategy: Strategy = Strategy.STICKY
    autostart: bool = False
    fetch_media: bool = False
    first_byte_timeout: Seconds = 120
    idle_timeout: Seconds = 120
    keepalive: Seconds = 15

    @model_validator(mode="before")
    @classmethod
    def _split_lists(cls, values: Any) -> Any:
        return {key: _split(value) if key.startswith("allowed_") else value for key, value in values.items()}

    @model_validator(mode="after")
    def _require_key_beyond_loopback(self) -> Settings:
        if not is_loopback(self.host) and self.api_key is None:
            raise ValueError(
                f"host {self.host} can be reached from other machines, so an API key is needed: set {PREFIX}API_KEY"
            )
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Flags, our variables, the older program's variables, the file; no ``.env`` and no secrets folder."""
        flags = init_settings()
        file = _FileSource(settings_cls, toml_file=_config_path(flags))
        return init_settings, env_settings, _AliasSource(settings_cls), file


class _FileSource(TomlConfigSettingsSource):
    """The settings file, in which names are exactly ours: an ``API_KEY`` would hide the ``api_key`` beside it."""

    def __call__(self) -> dict[str, Any]:
        odd = {name: value for name, value in self.toml_data.items() if name not in self.settings_cls.model_fields}
        return {**super().__call__(), **odd}


class _AliasSource(EnvSettingsSource):
    """The older program's variables."""

    def __call__(self) -> dict[str, Any]:
        return {name: os.environ[alias] for alias, name in ALIASES.items() if os.environ.get(alias)}


def load_settings(**flags: Any) -> Settings:
    """Read the settings; a flag that is None was not given.

    Raises:
        SettingsError: one is unusable or unknown; says which one and where it can be set.
    """
    for name in os.environ:
        if name.startswith(PREFIX) and name.removeprefix(PREFIX).lower() not in Settings.model_fields:
            log.warning("%s is no setting. Did you mean %s?", name, _nearest(name))
    try:
        file = _config_path(flags)
    except ValueError as exc:
        raise SettingsError(f"The setting home is unusable: {exc}. It comes from {PREFIX}HOME.") from exc
    try:
        return Settings(**{name: value for name, value in flags.items() if value is not None})
    except ValidationError as exc:
        raise SettingsError(_explain(exc, file)) from exc
    except (SourceError, ValueError, OSError) as exc:
        raise SettingsError(f"The settings file {file} cannot be read: {exc}. Correct it, or move it away.") from exc


def _nearest(name: str) -> str:
    names = [f"{PREFIX}{field.upper()}" for field in Settings.model_fields]
    return get_close_matches(name, names, n=1, cutoff=0.0)[0]


def _explain(exc: ValidationError, config: Path) -> str:
    error = exc.errors(include_url=False, include_input=False, include_context=False)[0]
    name = ".".join(str(step) for step in error["loc"])
    if error["type"] == "extra_forbidden":
        nearest = get_close_matches(name.lower(), list(Settings.model_fields), n=1, cutoff=0.0)[0]
        return f"{config} sets {name}, which does not exist. Did you mean {nearest}?"
    reason = error["msg"].removeprefix("Value error, ")
    if not name:
        return f"The settings do not fit together: {reason}."
    aliases = [alias for alias, setting in ALIASES.items() if setting == name and os.environ.get(alias)]
    places = ", ".join(["a flag", f"{PREFIX}{name.upper()}", *aliases])
    return f"The setting {name} is unusable: {reason}. Correct it where it is set: {places} or {config}."
