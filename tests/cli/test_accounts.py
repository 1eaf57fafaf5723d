"""Tests of ``antigravity-proxy accounts``."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from antigravity_proxy.accounts.account import Tokens
from antigravity_proxy.accounts.exclusion import Exclusion, Reason, Standing
from antigravity_proxy.accounts.quota import QuotaPool
from antigravity_proxy.errors import CommandError, StoreError
from antigravity_proxy.proxy.exclusion_table import ExclusionTable
from antigravity_proxy.proxy.services import open_store
from antigravity_proxy.proxy.state import STATE_FILE, StateFile

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Command

TIMEOUT_S = 30.0
ADA, BEN = "google:0123456789abcdef01234567", "google:76543210fedcba9876543210"


def record(email: str, *, login: str = "one", **fields: Any) -> dict[str, Any]:
    """An account as a file holds it."""
    return {
        "type": "oauth",
        "access": f"ya29.access-canary-{login}",
        "refresh": f"1//refresh-canary-{login}",
        "expires": 1_900_000_000_000,
        "email": email,
        "createdAt": 1_756_000_000_000,
        **fields,
    }


def write(path: Path, accounts: dict[str, Any], **fields: Any) -> str:
    """Write a file with accounts to import."""
    path.write_text(json.dumps({"version": 2, "accounts": accounts, **fields}))
    return str(path)


@pytest.fixture
def two_accounts(tmp_path: Path) -> str:
    """A file with two accounts, the second active."""
    accounts = {
        ADA: record("ada@example.com", projectId="ada-project"),
        BEN: record("ben@example.com", login="two"),
    }
    return write(tmp_path / "two.json", accounts, activeAccountId=BEN)


def test_empty_list_says_what_to_do(command: Command, home: Path) -> None:
    """Without an account the list says how to add one, and looking creates nothing."""
    result = command("accounts", "list")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "No account is saved. Add one: antigravity-proxy login\n"
    listed = json.loads(command("accounts", "list", "--json").stdout)
    assert listed == {"accounts": [], "auto_failover": False, "warning": None}
    assert not home.exists()


def test_list_shows_accounts_masked(command: Command, two_accounts: str) -> None:
    """Each account is one line with its masked address, its id and its project; the active one has a star."""
    command("accounts", "import", two_accounts)
    result = command("accounts", "list")
    assert result.exit_code == 0
    assert [line.split() for line in result.stdout.splitlines()] == [
        ["#", "Account", "Id", "Project", "Out"],
        ["1", "a***a@example.com", ADA, "ada-project"],
        ["*", "2", "b***n@example.com", BEN],
        ["Failover", "is", "off."],
    ]


def test_list_is_json(command: Command, two_accounts: str) -> None:
    """With ``--json`` programs get the same, with the time each account was added."""
    command("accounts", "import", two_accounts)
    result = command("accounts", "list", "--json")
    assert json.loads(result.stdout) == {
        "accounts": [
            {
                "id": ADA,
                "account": "a***a@example.com",
                "active": False,
                "project_id": "ada-project",
                "created_ms": 1_756_000_000_000,
                "proxy": None,
                "out": [],
            },
            {
                "id": BEN,
                "account": "b***n@example.com",
                "active": True,
                "project_id": None,
                "created_ms": 1_756_000_000_000,
                "proxy": None,
                "out": [],
            },
        ],
        "auto_failover": False,
        "warning": None,
    }
    assert "canary" not in result.output


def test_list_of_a_damaged_file_is_a_failure(command: Command, home: Path) -> None:
    """A file that cannot be read is named on stderr, and is not called an empty one."""
    home.mkdir()
    (home / "accounts.json").write_text("{")
    result = command("accounts", "list")
    assert (result.exit_code, result.stdout) == (1, "")
    assert f"{home / 'accounts.json'} is damaged" in result.stderr
    as_json = command("accounts", "list", "--json")
    assert as_json.exit_code == 1
    assert json.loads(as_json.stdout)["warning"] == as_json.stderr.strip()


def test_list_shows_what_can_be_used(command: Command, two_accounts: str, home: Path) -> None:
    """An entry that cannot be used is named; the others are listed."""
    command("accounts", "import", two_accounts)
    file = home / "accounts.json"
    document = json.loads(file.read_text())
    document["accounts"][ADA]["access"] = 5
    file.write_text(json.dumps(document))
    result = command("accounts", "list")
    assert result.exit_code == 0
    assert (BEN in result.stdout, ADA in result.stdout) == (True, False)
    assert "a***a@example.com cannot be used" in result.stderr


def test_import_saves_all_and_activates_theirs(command: Command, two_accounts: str, home: Path) -> None:
    """All accounts of a file are saved, its active one serves, and no token is shown or readable in the file."""
    result = command("accounts", "import", two_accounts)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "Saved a***a@example.com, b***n@example.com. b***n@example.com serves from the next request on; "
        "a server that began with the simulator must be started again.\n"
    )
    pool = open_store(home).read()
    assert [account.id for account in pool.accounts] == [ADA, BEN]
    assert pool.active_id == BEN
    assert pool.accounts[0].tokens == Tokens("ya29.access-canary-one", "1//refresh-canary-one", 1_900_000_000_000)
    assert "canary" not in (home / "accounts.json").read_text()


def test_import_tells_what_it_leaves_out(command: Command, home: Path, tmp_path: Path) -> None:
    """An account that cannot be used is named with the reason when others of the file are saved."""
    file = tmp_path / "some.json"
    bad = {"email": "ben@example.com", "refresh_token": "1//refresh-canary-two"}
    file.write_text(json.dumps({"accounts": {ADA: {"email": "ada@example.com", "refresh": "one"}, BEN: bad, "x": 5}}))
    result = command("accounts", "import", str(file))
    assert result.exit_code == 0
    assert result.stdout.startswith("Saved a***a@example.com. a***a@example.com serves from the next request on;")
    assert result.stderr.splitlines() == [
        (
            "b***n@example.com is not saved. Its refresh token is missing or not printable ASCII without blanks. "
            "Write refresh in place of refresh_token."
        ),
        "x is not saved. It is no JSON object.",
    ]
    assert [account.id for account in open_store(home).read().accounts] == [ADA]


def test_import_says_that_the_active_account_cannot_be_used(
    command: Command, home: Path, two_accounts: str, tmp_path: Path
) -> None:
    """Where the account that serves cannot be read, and the file names none that can, the owner is told to choose."""
    command("accounts", "import", two_accounts)
    saved = json.loads((home / "accounts.json").read_text())
    saved["accounts"][BEN]["access"] = 5
    (home / "accounts.json").write_text(json.dumps(saved))
    file = write(tmp_path / "new.json", {"x": record("cyd@example.com"), "y": 5}, activeAccountId="y")
    said = command("accounts", "import", file).stdout
    assert said == (
        "Saved c***d@example.com. The active account cannot be used. "
        "Choose one: antigravity-proxy accounts activate ACCOUNT\n"
    )


def test_import_again_keeps_the_id(command: Command, two_accounts: str, tmp_path: Path, home: Path) -> None:
    """An account that is saved already keeps its id, age and project, and gets the file's tokens."""
    command("accounts", "import", two_accounts)
    again = {"email:other-id": record("ADA@example.com", login="new", createdAt=1)}
    assert command("accounts", "import", write(tmp_path / "again.json", again)).exit_code == 0
    pool = open_store(home).read()
    assert [account.id for account in pool.accounts] == [ADA, BEN]
    ada = pool.accounts[0]
    assert ada.tokens.access == "ya29.access-canary-new"
    assert (ada.project_id, ada.created_ms) == ("ada-project", 1_756_000_000_000)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "cannot be read: No such file or directory"),
        (b"", "is no account file. It must be JSON such as"),
        (b"[]", "is no account file. It must be JSON such as"),
        (b'{"version": 2, "accounts": {}}', "holds no usable Antigravity account"),
        (b'{"version": 9, "accounts": {}}', "newer version"),
        (b'{"accounts": {"a": {"access": "x"}}}', "holds no usable Antigravity account. Correct it. a: Its refresh"),
    ],
    ids=["missing", "empty", "list", "no-account", "newer", "broken"],
)
def test_unusable_file_is_refused(
    command: Command, tmp_path: Path, home: Path, content: bytes | None, words: str
) -> None:
    """A file that holds no account is named with the reason, and nothing is saved."""
    file = tmp_path / "accounts.json"
    if content is not None:
        file.write_bytes(content)
    result = command("accounts", "import", str(file))
    assert isinstance(result.exception, StoreError)
    assert words in str(result.exception)
    assert not home.exists()


def test_folder_is_no_file(command: Command, tmp_path: Path) -> None:
    """A folder in place of a file is named."""
    result = command("accounts", "import", str(tmp_path))
    assert isinstance(result.exception, StoreError)
    assert "Is a directory" in str(result.exception)


def test_import_needs_a_file(command: Command) -> None:
    """Without a file the command says how it is used."""
    assert command("accounts", "import").exit_code == 2
    assert command("accounts").exit_code == 2


def test_form_of_the_message_can_be_imported(command: Command, tmp_path: Path) -> None:
    """The JSON that an unusable file is answered with has the right form."""
    file = tmp_path / "accounts.json"
    file.write_text("{}")
    message = str(command("accounts", "import", str(file)).exception)
    form = message[message.index("{") : message.rindex("}") + 1].replace(
        '"...", "refresh": "..."', '"a@b.c", "refresh": "x"'
    )
    file.write_text(form)
    assert command("accounts", "import", str(file)).exit_code == 0


def test_activate_lets_another_account_serve(command: Command, home: Path, two_accounts: str) -> None:
    """An account is chosen by its number, its id, its address, or how they begin; the case does not matter."""
    command("accounts", "import", two_accounts)
    for words, serves in (("1", ADA), ("BEN@example.com", BEN), ("ada@", ADA), (BEN, BEN), (ADA[:9], ADA)):
        result = command("accounts", "activate", words)
        assert result.exit_code == 0, result.output
        assert open_store(home).read().active_id == serves
    assert result.stdout == "a***a@example.com serves from the next request on.\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("google:", "2 accounts begin with 'google:': a***a@example.com (google:0123456789abcdef01234567), b***n@"),
        ("carl", "There is no account 'carl'. There are a***a@example.com"),
        ("3", "There is no account '3'."),
        ("", "There is no account ''."),
    ],
)
def test_words_that_name_no_account_change_nothing(
    command: Command, home: Path, two_accounts: str, words: str, said: str
) -> None:
    """What names no account, or two, is told with those there are."""
    command("accounts", "import", two_accounts)
    before = (home / "accounts.json").read_bytes()
    for name in ("activate", "remove"):
        result = command("accounts", name, words)
        assert (result.exit_code, result.stdout) == (1, "")
        assert said in str(result.exception)
    assert (home / "accounts.json").read_bytes() == before


def test_choosing_without_any_account_says_so(command: Command) -> None:
    """Where nothing is saved there is nothing to choose."""
    result = command("accounts", "activate", "1")
    assert (result.exit_code, "No account is saved. Add one:" in str(result.exception)) == (1, True)


def test_entry_that_cannot_be_read_can_only_be_removed(command: Command, home: Path, two_accounts: str) -> None:
    """An entry whose key is lost cannot serve, and goes like any account."""
    command("accounts", "import", two_accounts)
    (home / "accounts.key").unlink()
    result = command("accounts", "activate", "ada@")
    assert (result.exit_code, "a***a@example.com cannot be used." in str(result.exception)) == (1, True)
    assert command("accounts", "remove", "ada@", "--yes").exit_code == 0
    assert [entry.id for entry in open_store(home).read().unreadable] == [BEN]


def test_remove_asks_first(command: Command, home: Path, two_accounts: str) -> None:
    """Without a yes nothing is removed; with it the oldest that is left serves."""
    command("accounts", "import", two_accounts)
    declined = command("accounts", "remove", "ben", typed="n\n")
    assert declined.exit_code == 1
    assert declined.stderr.startswith("Remove b***n@example.com? [y/N]:")
    assert declined.stderr.endswith("Nothing has changed.\n")
    assert "Aborted" not in declined.output
    assert len(open_store(home).read().accounts) == 2
    result = command("accounts", "remove", "ben", typed="y\n")
    assert result.exit_code == 0
    assert "b***n@example.com is removed." in result.stdout
    assert open_store(home).read().active_id == ADA


@pytest.fixture
def lookalikes(command: Command, tmp_path: Path) -> None:
    """Two saved accounts whose addresses look alike when masked, the one with the higher id added first."""
    accounts = {
        "google:1": record("anna@example.com", createdAt=2),
        "google:2": record("ada@example.com", createdAt=1, login="two"),
    }
    assert command("accounts", "import", write(tmp_path / "alike.json", accounts)).exit_code == 0


@pytest.mark.usefixtures("lookalikes")
def test_accounts_that_look_alike_are_told_apart(command: Command) -> None:
    """Their owner is asked and told with the id which of them is meant."""
    asked = command("accounts", "remove", "anna", typed="n\n").stderr
    assert "Remove a***a@example.com (google:1)? [y/N]:" in asked
    assert "a***a@example.com (google:2) serves" in command("accounts", "activate", "ada@").stdout
    for url in ("http://own.example:1", "none"):
        assert command("accounts", "set-proxy", "ada@", url).stdout.startswith("a***a@example.com (google:2) ")
    command("accounts", "set-proxy", "2", "http://own.example:1")
    assert "a***a@example.com (google:1) calls Google through" in command("accounts", "list").stdout
    assert "2 accounts begin with 'a***a@example.com'" in str(
        command("accounts", "remove", "a***a@example.com").exception
    )
    assert "a***a@example.com (google:1) is removed." in command("accounts", "remove", "anna", "--yes").stdout
    assert "a***a@example.com serves" in command("accounts", "activate", "a***a@example.com").stdout


@pytest.mark.usefixtures("lookalikes")
def test_list_is_in_the_order_accounts_were_added(command: Command) -> None:
    """The number of an account is its place among those added before it, and does not hang on its id."""
    rows = command("accounts", "list").stdout.splitlines()[1:3]
    assert [row.split()[-3:] for row in rows] == [
        ["1", "a***a@example.com", "google:2"],
        ["2", "a***a@example.com", "google:1"],
    ]
    listed = json.loads(command("accounts", "list", "--json").stdout)["accounts"]
    assert [account["id"] for account in listed] == ["google:2", "google:1"]


def test_removing_the_last_account_removes_the_file(command: Command, home: Path, two_accounts: str) -> None:
    """When nobody is left the file is gone, and failover with it."""
    command("accounts", "import", two_accounts)
    command("accounts", "failover", "on")
    for _ in range(2):
        assert command("accounts", "remove", "1", "--yes").exit_code == 0
    assert not (home / "accounts.json").exists()
    command("accounts", "import", two_accounts)
    assert not open_store(home).read().auto_failover


def test_failover_is_kept(command: Command, home: Path, two_accounts: str) -> None:
    """Failover is on until it is turned off, and the list says which."""
    command("accounts", "import", two_accounts)
    assert "another one does.\n" in command("accounts", "failover", "on").stdout
    assert open_store(home).read().auto_failover
    assert "Failover is on." in command("accounts", "list").stdout
    assert command("accounts", "failover", "off").stdout == "Only the active account answers.\n"
    assert not open_store(home).read().auto_failover
    assert command("accounts", "failover").stdout == "Only the active account answers.\n"
    wrong = command("accounts", "failover", "yes")
    assert isinstance(wrong.exception, CommandError)
    assert str(wrong.exception) == "Failover is on or off, not 'yes': antigravity-proxy accounts failover on"
    command("accounts", "remove", "1", "--yes")
    assert "There is no other account yet." in command("accounts", "failover", "on").stdout
    assert command("accounts", "failover").stdout.startswith(
        "When the active account cannot answer, another one does."
    )
    assert open_store(home).read().auto_failover


def test_proxy_of_an_account_is_kept_and_masked(command: Command, home: Path, two_accounts: str) -> None:
    """An account's own proxy is set, shown without its login, not readable in the file, and taken away again."""
    command("accounts", "import", two_accounts)
    result = command("accounts", "set-proxy", "ada@", "http://user:proxy-canary@own.example:3128")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == (
        "a***a@example.com calls Google through http://***@own.example:3128 from the next request on.\n"
    )
    account = open_store(home).read().get(ADA)
    assert account is not None
    assert account.proxy == "http://user:proxy-canary@own.example:3128"
    assert "own.example" not in (home / "accounts.json").read_text()
    listed = command("accounts", "list").stdout
    assert "a***a@example.com calls Google through http://***@own.example:3128.\n" in listed
    shown = json.loads(command("accounts", "list", "--json").stdout)["accounts"]
    assert [row["proxy"] for row in shown] == ["http://***@own.example:3128", None]
    command("accounts", "import", two_accounts)
    assert "own.example" in command("accounts", "list").stdout
    assert "the environment hold for it" in command("accounts", "set-proxy", "ada@", "none").stdout
    assert "through" not in command("accounts", "list").stdout


def test_proxy_is_asked_for_without_showing_it(command: Command, home: Path, two_accounts: str) -> None:
    """Left out on the command line, where others may read it, the URL is typed in, or comes by a pipe."""
    command("accounts", "import", two_accounts)
    result = command("accounts", "set-proxy", "2", typed="https://user:proxy-canary@own.example\n")
    assert result.exit_code == 0
    assert "proxy-canary" not in result.output
    assert result.stderr == "Proxy URL (http://user:password@host:port, or none): "
    account = open_store(home).read().get(BEN)
    assert account is not None
    assert account.proxy == "https://user:proxy-canary@own.example"
    assert "has no proxy of its own" in command("accounts", "set-proxy", "2", typed="None\n").stdout


def test_proxy_is_asked_for_in_a_terminal_without_showing_it(command: Command, two_accounts: str) -> None:
    """What is typed into a terminal does not stand there."""
    command("accounts", "import", two_accounts)
    question = "Proxy URL (http://user:password@host:port, or none): "
    mine, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "antigravity_proxy", "accounts", "set-proxy", "2"],
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        assert process.stderr is not None
        assert process.stderr.read(len(question)).decode() == question
        os.write(mine, b"http://user:proxy-canary@own.example\n")
        assert process.wait(TIMEOUT_S) == 0
    shown = os.read(mine, 65_536).decode()
    os.close(mine)
    assert "calls Google through http://***@own.example from the next request on." in shown
    assert "canary" not in shown


def test_proxy_that_is_none_is_refused(command: Command, home: Path, two_accounts: str) -> None:
    """A URL that is no HTTP proxy changes nothing, and is not quoted."""
    command("accounts", "import", two_accounts)
    before = (home / "accounts.json").read_bytes()
    result = command("accounts", "set-proxy", "1", "socks5://user:proxy-canary@own:1")
    assert (result.exit_code, result.stdout) == (1, "")
    assert isinstance(result.exception, CommandError)
    assert "This is no URL of an HTTP proxy." in str(result.exception)
    assert "canary" not in str(result.exception)
    assert (home / "accounts.json").read_bytes() == before


async def hold(home: Path) -> None:
    """Have a server write down that accounts are out."""
    state = StateFile(home / STATE_FILE, clock=time.time)
    exclusion = Exclusion(ADA, QuotaPool.GEMINI, Reason.QUOTA, "Quota reached.", time.time(), 4_000_000_000, 0)
    url = "https://accounts.google.com/v"
    verify = Exclusion(BEN, None, Reason.VERIFICATION, "Verify.", time.time(), None, 0, url)
    ExclusionTable(state, Standing()).keep(Standing((exclusion, verify)))
    await state.close()


def test_list_says_who_is_out_until_activated(command: Command, home: Path, two_accounts: str) -> None:
    """An account that is out is shown with why and until when; activating it ends that."""
    command("accounts", "import", two_accounts)
    asyncio.run(hold(home))
    out = [account["out"] for account in json.loads(command("accounts", "list", "--json").stdout)["accounts"]]
    assert out == [
        [
            {
                "reason": "quota",
                "quota_pool": "gemini",
                "until": "2096-10-02T07:06:40Z",
                "message": "Quota reached.",
                "url": None,
            }
        ],
        [
            {
                "reason": "verification",
                "quota_pool": None,
                "until": None,
                "message": "Verify.",
                "url": "https://accounts.google.com/v",
            }
        ],
    ]
    listed = command("accounts", "list").stdout
    assert "quota for Gemini models, until 2096-10-02T07:06:40Z" in listed
    assert "verification for all models, until it has served once, see https://accounts.google.com/v" in listed
    command("accounts", "activate", ADA)
    out = [account["out"] for account in json.loads(command("accounts", "list", "--json").stdout)["accounts"]]
    assert [len(entries) for entries in out] == [0, 1]
