"""Tests of the settings: where they come from, and which are refused."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.accounts.choose import Strategy
from antigravity_proxy.errors import SettingsError
from antigravity_proxy.proxy.settings import (
    ALIASES,
    DEFAULT_PORT,
    PREFIX,
    USER_AGENT,
    Settings,
    checked_base_url,
    load_settings,
)

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "sk-secret-canary"
GOOGLE = "https://daily-cloudcode-pa.googleapis.com"


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder, named by its variable."""
    monkeypatch.setenv(f"{PREFIX}HOME", str(tmp_path))
    return tmp_path


def write_config(home: Path, text: str) -> None:
    """Write the settings file."""
    (home / "config.toml").write_text(text)


def test_defaults_serve_this_machine_alone(home: Path) -> None:
    """Nothing set means loopback, the usual port, no key and Google's own hosts."""
    settings = load_settings()
    assert settings.home == home
    assert (settings.host, settings.port, settings.api_key, settings.base_url) == (
        "127.0.0.1",
        DEFAULT_PORT,
        None,
        None,
    )
    assert (settings.first_byte_timeout, settings.idle_timeout, settings.keepalive) == (120, 120, 15)
    assert settings.user_agent == USER_AGENT
    assert settings.allowed_hosts == settings.allowed_origins == ()


def test_home_defaults_to_the_users_data_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Without a home the platform's folder for this user and program is taken."""
    monkeypatch.delenv(f"{PREFIX}HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    home = load_settings().home
    assert home.name == "antigravity-proxy"
    assert tmp_path in home.parents


def test_sources_beat_each_other_in_order(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A flag beats our variable, which beats the older program's, which beats the file, which beats the default."""
    write_config(home, "port = 1001\n")
    assert load_settings().port == 1001
    monkeypatch.setenv("DSH_ANTIGRAVITY_PROXY_PORT", "1002")
    assert load_settings().port == 1002
    monkeypatch.setenv(f"{PREFIX}PORT", "1003")
    assert load_settings().port == 1003
    assert load_settings(port=1004).port == 1004
    assert load_settings(port=None).port == 1003


def test_empty_variable_is_not_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty variable, of ours or of the older program, leaves the choice to the next source."""
    write_config(home, 'project_id = "from-file"\nbase_url = "https://cloudcode-pa.googleapis.com/"\n')
    monkeypatch.setenv(f"{PREFIX}PROJECT_ID", "")
    monkeypatch.setenv("DSH_ANTIGRAVITY_BASE_URL", "")
    settings = load_settings()
    assert settings.project_id == "from-file"
    assert settings.base_url == "https://cloudcode-pa.googleapis.com"


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_every_alias_sets_its_setting(alias: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each variable of the older program sets what it set there."""
    value = {"base_url": GOOGLE, "port": "4711"}.get(name, "some-value")
    monkeypatch.setenv(alias, value)
    found = getattr(load_settings(), name)
    shown = found.get_secret_value() if hasattr(found, "get_secret_value") else str(found)
    assert shown == value


def test_every_setting_has_a_variable(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Everything can be set by a variable; lists are separated by commas, and blanks around values do not count."""
    values = {
        "host": "::1",
        "port": "0",
        "api_key": f" {SECRET} ",
        "allowed_hosts": "host.docker.internal, my.box,",
        "allowed_origins": "http://localhost:3000",
        "base_url": f" {GOOGLE}/ ",
        "oauth_client_file": str(tmp_path / "client.json"),
        "oauth_client_id": "id",
        "oauth_client_secret": SECRET,
        "user_agent": "my agent/1",
        "project_id": " my-project ",
        "strategy": "spread",
        "autostart": "true",
        "fetch_media": "true",
        "first_byte_timeout": "1.5",
        "idle_timeout": "2",
        "keepalive": "3",
    }
    assert {*values, "home"} == set(Settings.model_fields)
    for name, value in values.items():
        monkeypatch.setenv(f"{PREFIX}{name.upper()}", value)
    settings = load_settings()
    assert settings.api_key is not None
    assert settings.api_key.get_secret_value() == SECRET
    assert settings.allowed_hosts == ("host.docker.internal", "my.box")
    assert settings.allowed_origins == ("http://localhost:3000",)
    assert (settings.base_url, settings.project_id) == (GOOGLE, "my-project")
    assert settings.strategy is Strategy.SPREAD
    assert settings.oauth_client_file == tmp_path / "client.json"
    assert (settings.first_byte_timeout, settings.idle_timeout, settings.keepalive) == (1.5, 2, 3)


def test_lists_of_the_file_are_lists(home: Path) -> None:
    """In the file a list is written as one, or as text with commas."""
    write_config(home, 'allowed_hosts = ["a.example", "b.example"]\nallowed_origins = "http://a:1,http://b:2"\n')
    settings = load_settings()
    assert settings.allowed_hosts == ("a.example", "b.example")
    assert settings.allowed_origins == ("http://a:1", "http://b:2")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("prot = 1", "{home}/config.toml sets prot, which does not exist. Did you mean port?"),
        ('api-key = "x"', "Did you mean api_key?"),
        ('API_KEY = "x"', "sets API_KEY, which does not exist. Did you mean api_key?"),
        ('API_KEY = "x"\napi_key = "y"', "sets API_KEY, which does not exist. Did you mean api_key?"),
        ("[server]\nport = 1", "sets server, which does not exist"),
        ("zzzz = 1", "which does not exist. Did you mean"),
        ("port = 99999", "The setting port is unusable"),
        ('port = "many"', "Correct it where it is set: a flag, ANTIGRAVITY_PROXY_PORT or {home}/config.toml."),
        ("keepalive = 0", "The setting keepalive is unusable"),
        ("keepalive = nan", "The setting keepalive is unusable"),
        ("idle_timeout = -1", "The setting idle_timeout is unusable"),
        ('host = ""', "must be a host name or an address"),
        ('api_key = ""', "The setting api_key is unusable: must not be empty"),
        ('api_key = "  "', "must not be empty"),
        ('user_agent = "a\\nX-Evil: 1"', "The setting user_agent is unusable"),
        ('user_agent = ""', "The setting user_agent is unusable"),
        ("allowed_hosts = 5", "The setting allowed_hosts is unusable"),
        ("port = ", "The settings file {home}/config.toml cannot be read"),
    ],
)
def test_unusable_file_is_explained(home: Path, text: str, words: str) -> None:
    """What is wrong in the file is one sentence that names the setting, or the nearest one there is."""
    write_config(home, text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert words.format(home=home) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_unusable_alias_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the older program's variable may be the one at fault, it is named too."""
    monkeypatch.setenv("DSH_ANTIGRAVITY_BASE_URL", "https://gateway.example")
    with pytest.raises(SettingsError, match="a flag, ANTIGRAVITY_PROXY_BASE_URL, DSH_ANTIGRAVITY_BASE_URL or /"):
        load_settings()


@pytest.mark.parametrize("mode", [0o400, 0o600, 0o644, 0o666])
def test_file_may_have_any_mode(home: Path, mode: int) -> None:
    """Who else may read the settings file is the user's business."""
    write_config(home, "port = 4711\n")
    (home / "config.toml").chmod(mode)
    assert load_settings().port == 4711


def test_unreadable_file_is_explained(home: Path) -> None:
    """A settings file that is no text is named."""
    (home / "config.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(SettingsError, match=r"config\.toml cannot be read"):
        load_settings()


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "my.box", "127.0.0.1.evil.com", "x.localhost"])  # noqa: S104
def test_listening_to_others_needs_a_key(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that others may reach is refused without a key, and taken with one."""
    with pytest.raises(SettingsError, match=rf"host {host} can be reached .* set ANTIGRAVITY_PROXY_API_KEY"):
        load_settings(host=host)
    monkeypatch.setenv(f"{PREFIX}API_KEY", SECRET)
    assert load_settings(host=host).host == host


@pytest.mark.parametrize(
    ("host", "kept"),
    [("localhost", "localhost"), ("127.0.0.2", "127.0.0.2"), ("::1", "::1"), ("[::1]", "::1"), (" ::1 ", "::1")],
)
def test_loopback_needs_no_key(host: str, kept: str) -> None:
    """An address of this machine needs no key; brackets and blanks around it do not count."""
    assert load_settings(host=host).host == kept


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        (GOOGLE, GOOGLE),
        (f"{GOOGLE}/", GOOGLE),
        (f"{GOOGLE}:443/some/path//", f"{GOOGLE}:443/some/path"),
        ("HTTPS://CloudCode-PA.GoogleAPIs.com", "https://CloudCode-PA.GoogleAPIs.com"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_base_url_may_be_google_or_this_machine(url: str, kept: str) -> None:
    """Google's hosts over https and this machine are taken, without a slash at the end."""
    assert checked_base_url(url) == kept


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://gateway.example", "names the host gateway.example"),
        ("https://accounts.google.com", "names the host accounts.google.com"),
        (f"{GOOGLE}?key=1", "must end with its host or path"),
        (f"{GOOGLE}#part", "must end with its host or path"),
    ],
)
def test_base_url_elsewhere_is_refused(url: str, reason: str) -> None:
    """What tokens may not be sent to is no base, nor is what a path cannot be added to."""
    with pytest.raises(ValueError, match=re.escape(reason)):
        checked_base_url(url)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (f'api_key = ["{SECRET}"]', "api_key"),
        (f'oauth_client_secret = {{ a = "{SECRET}" }}', "oauth_client_secret"),
        (f'base_url = "https://user:{SECRET}@evil.example"', "base_url"),
        (f'api_key = "{SECRET}"\nport = "{SECRET}"', "port"),
        (f'api_key = "{SECRET}"\nsurprise = 1', "surprise"),
        (f'api_key = "{SECRET}" oops', "config.toml"),
    ],
)
def test_errors_show_no_values(home: Path, text: str, name: str) -> None:
    """An error names the setting and never shows what was in it, not even to somebody who prints its cause."""
    write_config(home, text)
    with pytest.raises(SettingsError) as caught:
        load_settings()
    assert name in str(caught.value)
    causes: list[Any] = [caught.value, caught.value.__cause__, caught.value.__context__]
    assert not any(SECRET in f"{cause} {cause!r}" for cause in causes)


def test_repr_hides_secrets() -> None:
    """Printing the settings shows neither the key nor the client's secret."""
    settings = Settings(api_key=SECRET, oauth_client_secret=SECRET)  # type: ignore[arg-type]
    assert SECRET not in f"{settings!r} {settings} {settings.model_dump()}"


def test_settings_are_frozen() -> None:
    """A server's settings do not change under it."""
    settings = load_settings()
    with pytest.raises(ValueError, match="frozen"):
        settings.port = 1


def test_variable_that_is_no_setting_is_told(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A misspelt variable does not pass unseen; its value, which may be a key, is not shown."""
    monkeypatch.setenv("ANTIGRAVITY_PROXY_APIKEY", SECRET)
    assert load_settings().api_key is None
    assert "ANTIGRAVITY_PROXY_APIKEY is no setting. Did you mean ANTIGRAVITY_PROXY_API_KEY?" in caplog.text
    assert SECRET not in caplog.text


def test_tilde_is_the_home_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A path with ``~`` means the user's own folder, also where no shell writes it out."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ANTIGRAVITY_PROXY_HOME", "~/proxy")
    (tmp_path / "proxy").mkdir()
    (tmp_path / "proxy" / "config.toml").write_text('oauth_client_file = "~/client.json"\n')
    settings = load_settings()
    assert settings.home == tmp_path / "proxy"
    assert settings.oauth_client_file == tmp_path / "client.json"


@pytest.mark.parametrize("name", ["ANTIGRAVITY_PROXY_HOME", "ANTIGRAVITY_PROXY_OAUTH_CLIENT_FILE"])
def test_tilde_of_nobody_is_explained(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """The home of a user who does not exist is a wrong setting."""
    monkeypatch.setenv(name, "~nobody-of-that-name/x")
    with pytest.raises(SettingsError, match="names a user who is not known here"):
        load_settings()
