"""Tests of the account file on disk."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from cryptography.fernet import Fernet
from filelock import FileLock

from antigravity_proxy.accounts.keyring_entry import KeyPlace
from antigravity_proxy.accounts.pool import Pool
from antigravity_proxy.accounts.store import AccountStore
from antigravity_proxy.errors import StoreError

from .memory_keyring import memory_keyring
from .not_files import NOT_FILES
from .samples import make_account, make_entry

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDER = Path(__file__).parent
ONE = make_account("one@example.com")
TWO = make_account("two@example.com")
KILLS = 60  # a thousand with `make kills`
WORKERS = 4
ROUNDS = 10
FAR_FUTURE_NS = 10**19


def add_one(pool: Pool) -> Pool:
    """Add the first account."""
    return pool.with_account(ONE)


def add_two(pool: Pool) -> Pool:
    """Add the second account."""
    return pool.with_account(TWO)


def same(pool: Pool) -> Pool:
    """Change nothing."""
    return pool


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the account file goes, in a folder that does not exist yet."""
    return tmp_path / "home" / "accounts.json"


@pytest.fixture
def store(path: Path) -> AccountStore:
    """A store that trusts the time of the file, as if it had been written long ago."""
    return AccountStore(path, now_ns=lambda: FAR_FUTURE_NS)


def put(path: Path, document: object) -> None:
    """Write a document as a foreign program would."""
    path.parent.mkdir(exist_ok=True)
    path.write_text(document if isinstance(document, str) else json.dumps(document), encoding="utf-8")


def test_read_gives_empty_pool_when_file_is_missing(store: AccountStore) -> None:
    """A folder without an account file is an empty pool and no warning."""
    assert store.read() == Pool()
    assert store.warning is None
    assert not store.path.parent.exists()


def test_update_is_seen_by_other_store(store: AccountStore) -> None:
    """What one store writes another one reads, at its next call."""
    other = AccountStore(store.path)
    assert other.read() == Pool()
    assert store.update(add_one) == Pool(accounts=(ONE,))
    assert other.read() == Pool(accounts=(ONE,))
    other.update(add_two)
    assert store.read() == Pool(accounts=(ONE, TWO), active_id=TWO.id)


def test_read_parses_only_changed_file(store: AccountStore) -> None:
    """An unchanged file is not parsed again."""
    store.update(add_one)
    assert store.read() is store.read()


def test_read_parses_again_when_file_has_just_changed(path: Path) -> None:
    """A file so new that its time may not change with the next write is parsed each time."""
    store = AccountStore(path, now_ns=lambda: path.stat().st_mtime_ns)
    store.update(add_one)
    first = store.read()
    assert first == store.read()
    assert first is not store.read()


def test_files_are_private(store: AccountStore) -> None:
    """The folder, the file, the key and the lock are for their owner alone, and nothing else is left."""
    store.update(add_one)
    modes = {entry.name: entry.stat().st_mode & 0o777 for entry in store.path.parent.iterdir()}
    assert modes == {"accounts.json": 0o600, "accounts.key": 0o600, "accounts.json.lock": 0o600}
    assert store.path.parent.stat().st_mode & 0o777 == 0o700


def test_file_holds_no_token(store: AccountStore) -> None:
    """Tokens are encrypted in the file, and nothing else is."""
    store.update(add_one)
    data = store.path.read_bytes()
    assert ONE.tokens.access.encode() not in data
    assert ONE.tokens.refresh.encode() not in data
    assert b'"access": "enc:v1:' in data
    assert b"one@example.com" in data


def test_plain_tokens_are_encrypted_at_next_change(store: AccountStore) -> None:
    """A file with plain tokens is read, and its tokens are encrypted when something changes."""
    put(store.path, {"version": 2, "accounts": {"x": make_entry("plain")}})
    before = store.path.read_bytes()
    assert store.update(same) == store.read()
    assert store.path.read_bytes() == before
    pool = store.update(add_one)
    assert b"access-plain" not in store.path.read_bytes()
    assert store.read() == pool
    assert len(pool.accounts) == 2


def test_file_of_version_1_is_written_as_2_at_next_change(store: AccountStore) -> None:
    """An old file is read as it is; the first change writes the new form, with the credentials of others in it."""
    foreign = {"anthropic": {"key": "k", "list": [1, None, {"a": "\u00e4"}]}, "other": "text"}
    put(store.path, {"version": 1, "credentials": {"antigravity": make_entry("old"), **foreign}, "future": [1]})
    before = store.path.read_bytes()
    (old,) = store.read().accounts
    assert (old.email, store.path.read_bytes()) == ("old@example.com", before)
    pool = store.update(lambda pool: pool.with_project(old.id, "new-project"))
    document = json.loads(store.path.read_text(encoding="utf-8"))
    assert (document["version"], document["activeAccountId"]) == (2, old.id)
    assert (document["foreignCredentials"], document["future"]) == (foreign, [1])
    assert list(document["accounts"]) == [old.id]
    assert document["accounts"][old.id]["projectId"] == "new-project"
    assert "credentials" not in document
    assert "access-old" not in store.path.read_text(encoding="utf-8")
    assert AccountStore(store.path).read() == pool
    store.update(lambda pool: pool.without(old.id))
    assert json.loads(store.path.read_text(encoding="utf-8"))["foreignCredentials"] == foreign


def test_update_writes_nothing_when_nothing_changed(store: AccountStore) -> None:
    """A change that gives the same pool leaves the file alone."""
    store.update(add_one)
    before = store.path.stat()
    assert store.update(add_one) == Pool(accounts=(ONE,))
    assert store.path.stat().st_ino == before.st_ino
    assert store.path.stat().st_mtime_ns == before.st_mtime_ns


def test_emptied_pool_leaves_no_file(store: AccountStore) -> None:
    """Removing the last account removes the file, unless something else is kept in it."""
    store.update(add_one)
    store.update(lambda _: Pool(foreign={"other": {"any": "thing"}}))
    assert json.loads(store.path.read_bytes())["accounts"] == {}
    store.update(lambda _: Pool())
    assert not store.path.exists()
    assert store.read() == Pool()
    assert store.read() == Pool()


def test_unknown_fields_survive_change(store: AccountStore) -> None:
    """Fields and entries that this version does not know are still there after a change."""
    document = {
        "version": 2,
        "accounts": {"x": make_entry("x", color="red"), "y": {"type": "future"}},
        "foreignCredentials": {"other": {"any": "thing"}},
        "theme": {"dark": True},
    }
    put(store.path, document)
    store.update(add_one)
    written = json.loads(store.path.read_bytes())
    assert written["accounts"]["x"]["color"] == "red"
    assert written["accounts"]["y"] == {"type": "future"}
    assert written["foreignCredentials"] == {"other": {"any": "thing"}}
    assert written["theme"] == {"dark": True}


def test_warning_names_unusable_accounts_by_reason(store: AccountStore) -> None:
    """Entries that cannot be used are named, once per reason, while the others serve."""
    entries = {
        "bad": make_entry("first", access=""),
        "worse": make_entry("other", access=""),
        "odd": {"type": "future"},
        "good": make_entry("good"),
    }
    put(store.path, {"version": 2, "accounts": entries})
    assert [account.id for account in store.read().accounts] == ["good"]
    assert store.warning == (
        f"{store.path}: f***t@example.com, o***r@example.com cannot be used. "
        "Its access token is missing or not printable ASCII without blanks. "
        f"{store.path}: odd cannot be used. Its type is not oauth."
    )


@pytest.mark.parametrize(
    "document",
    [pytest.param("{", id="cut"), pytest.param({"version": 3}, id="newer"), pytest.param([], id="list")],
)
def test_last_pool_serves_when_file_turns_bad(store: AccountStore, document: object) -> None:
    """A file that cannot be used is warned of, and the last pool that could is still served."""
    pool = store.update(add_one)
    assert store.read() == pool
    put(store.path, document)
    assert store.read() == pool
    assert store.warning is not None
    assert str(store.path) in store.warning


def test_warning_goes_when_file_is_repaired(store: AccountStore) -> None:
    """A repaired file is read like any other."""
    put(store.path, "{")
    assert store.read() == Pool()
    put(store.path, {"version": 2, "accounts": {"x": make_entry()}})
    assert [account.id for account in store.read().accounts] == ["x"]
    assert store.warning is None


def test_damaged_file_is_never_overwritten(store: AccountStore) -> None:
    """A change of a damaged file is refused, and one copy is put aside however often it is tried."""
    put(store.path, '{"version": 2, "accounts": {"a')
    for _ in range(2):
        with pytest.raises(StoreError, match="is damaged"):
            store.update(add_one)
        store.read()
    assert store.path.read_text(encoding="utf-8") == '{"version": 2, "accounts": {"a'
    copies = list(store.path.parent.glob("accounts.json.corrupt-*"))
    assert [copy.read_bytes() for copy in copies] == [store.path.read_bytes()]
    assert copies[0].stat().st_mode & 0o777 == 0o600


def test_damaged_file_copy_is_named_by_time(store: AccountStore) -> None:
    """The copy of a damaged file says when the damage was done."""
    put(store.path, "")
    os.utime(store.path, (0, 1_700_000_000))
    store.read()
    assert (store.path.parent / "accounts.json.corrupt-20231114T221320.000000Z").exists()


def test_old_copies_of_damaged_files_go(store: AccountStore) -> None:
    """Of many damages the newest are kept, and in any case the last one that was seen, whatever its date."""
    seen = [*range(1, 9), 0]
    for number in seen:
        put(store.path, "{" * number)
        os.utime(store.path, (0, 1_700_000_000 + number))
        store.read()
    copies = store.path.parent.glob("accounts.json.corrupt-*")
    assert sorted(len(copy.read_bytes()) for copy in copies) == [0, 5, 6, 7, 8]


def test_newer_file_is_left_alone(store: AccountStore) -> None:
    """A file of a newer version is neither changed nor taken for damaged."""
    put(store.path, {"version": 3})
    with pytest.raises(StoreError, match="newer version"):
        store.update(add_one)
    assert json.loads(store.path.read_bytes()) == {"version": 3}
    assert not list(store.path.parent.glob("*.corrupt-*"))


def test_lost_key_is_told_and_keeps_entry(store: AccountStore) -> None:
    """Without its key an account cannot serve, and a change of something else keeps it and makes no new key."""
    store.update(add_one)
    entry = json.loads(store.path.read_bytes())["accounts"][ONE.id]
    store.path.with_name("accounts.key").unlink()
    other = AccountStore(store.path)
    assert other.read().accounts == ()
    assert other.warning is not None
    assert "Put the key file back, or sign in again: antigravity-proxy login" in other.warning
    other.update(lambda pool: replace(pool, auto_failover=True))
    assert json.loads(store.path.read_bytes())["accounts"][ONE.id] == entry
    assert not store.path.with_name("accounts.key").exists()


def test_account_serves_again_when_key_is_back(store: AccountStore) -> None:
    """A key file that is put back is noticed although the account file has not changed."""
    pool = store.update(add_one)
    key_path = store.path.with_name("accounts.key")
    key = key_path.read_bytes()
    key_path.unlink()
    other = AccountStore(store.path, now_ns=lambda: FAR_FUTURE_NS)
    assert other.read().accounts == ()
    key_path.write_bytes(key)
    assert other.read() == pool
    assert other.warning is None


@pytest.mark.parametrize("replacement", [None, Fernet.generate_key()], ids=["lost", "wrong"])
def test_login_replaces_entry_of_other_key(store: AccountStore, replacement: bytes | None) -> None:
    """A new login takes the place of the account whose key is lost or wrong; other entries stay."""
    store.update(lambda pool: add_two(add_one(pool)))
    entry = json.loads(store.path.read_bytes())["accounts"][TWO.id]
    key_path = store.path.with_name("accounts.key")
    key_path.unlink()
    if replacement is not None:
        key_path.write_bytes(replacement)
    assert store.update(add_one).accounts == (ONE,)
    assert AccountStore(store.path).read().accounts == (ONE,)
    assert json.loads(store.path.read_bytes())["accounts"][TWO.id] == entry
    if replacement is not None:
        assert key_path.read_bytes() == replacement


def test_symbolic_link_is_kept(tmp_path: Path) -> None:
    """A link to the file stays a link; the file it names is changed, and its key lies beside the link."""
    target = tmp_path / "synced" / "antigravity.json"
    link = tmp_path / "home" / "accounts.json"
    link.parent.mkdir()
    link.symlink_to(target)
    store = AccountStore(link)
    assert store.update(add_one) == store.read()
    assert store.update(add_two) == store.read()
    assert link.is_symlink()
    assert len(json.loads(target.read_bytes())["accounts"]) == 2
    assert sorted(entry.name for entry in link.parent.iterdir()) == ["accounts.json", "accounts.key"]
    assert sorted(entry.name for entry in target.parent.iterdir()) == [
        "antigravity.json",
        "antigravity.json.lock",
    ]


def test_unfinished_files_are_removed(store: AccountStore) -> None:
    """What a killed process left half written is removed at the next change."""
    store.path.parent.mkdir()
    for name in ("accounts.json.new-1", "accounts.key.new-2"):
        (store.path.parent / name).touch()
    store.update(add_one)
    assert not list(store.path.parent.glob("*.new-*"))


@pytest.mark.parametrize("put", NOT_FILES.values(), ids=NOT_FILES)
def test_what_is_no_file_is_refused(path: Path, put: Callable[[Path], object]) -> None:
    """A pipe or a folder in place of the account file is said in one sentence; it is not waited for and stays."""
    path.parent.mkdir()
    put(path)
    store, before = AccountStore(path), path.lstat()
    assert store.read() == Pool()
    assert "accounts.json is a " in str(store.warning)
    with pytest.raises(StoreError, match=r"accounts\.json is a .*, where a file should be\. Move it away"):
        store.update(add_one)
    assert (path.lstat().st_ino, path.lstat().st_mode) == (before.st_ino, before.st_mode)


def test_update_names_lock_when_it_is_held(path: Path) -> None:
    """When another process holds the lock for too long, the message names it."""
    path.parent.mkdir()
    with (
        FileLock(f"{path}.lock"),
        pytest.raises(StoreError, match=r"accounts\.json\.lock for more than 0\.02 s") as caught,
    ):
        run_in_thread(lambda: AccountStore(path, lock_timeout_s=0.02).update(add_one))
    assert caught.value.path == path
    assert not path.exists()


def test_process_that_ends_does_not_wait_for_others(path: Path) -> None:
    """What waits for another process fails when this one is to end; later changes are tried once, or as told."""
    store = AccountStore(path, lock_timeout_s=3_600)
    store.update(add_one)
    failures: list[StoreError] = []

    def wait(**how_long: float) -> None:
        try:
            store.update(add_one, **how_long)
        except StoreError as error:
            failures.append(error)

    with FileLock(f"{path}.lock"):
        waiting = threading.Thread(target=wait)
        waiting.start()
        assert waiting.is_alive()
        store.end_waits()
        waiting.join(10)
        run_in_thread(wait)
        run_in_thread(lambda: wait(lock_timeout_s=0.02))
    assert all("accounts.json.lock while this one was ending." in str(failure) for failure in failures)
    assert len(failures) == 3
    assert store.update(lambda _: Pool()) == Pool()


def run_in_thread(call: object) -> None:
    """Run a call in another thread, as the lock is one of threads and processes, and raise what it raised."""
    errors: list[BaseException] = []

    def run() -> None:
        assert callable(call)
        try:
            call()
        except StoreError as error:
            errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    for error in errors:
        raise error


def test_threads_do_not_lose_changes(store: AccountStore) -> None:
    """Changes from several threads of one process all arrive."""
    accounts = [make_account(f"user{number}@example.com") for number in range(8)]
    threads = [
        threading.Thread(target=store.update, args=(lambda pool, account=account: pool.with_account(account),))
        for account in accounts
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert set(store.read().accounts) == set(accounts)


def test_failing_change_releases_lock(store: AccountStore) -> None:
    """An error in the change reaches the caller, and the file is neither changed nor locked."""

    def fail(pool: Pool) -> Pool:
        raise LookupError(f"{len(pool.accounts)} accounts")

    with pytest.raises(LookupError, match="0 accounts"):
        store.update(fail)
    assert not store.path.exists()
    assert store.update(add_one) == Pool(accounts=(ONE,))


def test_read_keeps_pool_when_file_cannot_be_read(store: AccountStore) -> None:
    """A link in place of the file that leads to itself is warned of, and no change is made."""
    store.path.parent.mkdir()
    store.path.symlink_to(store.path)
    assert store.read() == Pool()
    assert store.warning is not None
    assert "cannot be read" in store.warning
    with pytest.raises(StoreError, match="cannot be read"):
        store.update(add_one)


def test_update_names_file_when_folder_is_no_folder(tmp_path: Path) -> None:
    """A folder that cannot be created is named."""
    (tmp_path / "home").touch()
    store = AccountStore(tmp_path / "home" / "accounts.json")
    with pytest.raises(StoreError, match=r"accounts\.json cannot be locked"):
        store.update(add_one)


def test_update_names_file_when_disk_refuses(path: Path) -> None:
    """When the new file cannot be written the message names it and the old one stays."""
    AccountStore(path).update(add_one)
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"accounts\.json cannot be written"):
        AccountStore(path, new_tag=lambda: "longer than a file name may be" * 10).update(add_two)
    assert path.read_bytes() == before


def test_killed_writer_never_harms_file(path: Path) -> None:
    """However a writer is killed, the file loads, is of one piece, and holds all that was reported saved."""
    command = [sys.executable, str(FOLDER / "crash_writer.py"), str(path), str(KILLS), "seed"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert int(result.stdout) >= KILLS // 2
    AccountStore(path).update(lambda pool: replace(pool, auto_failover=True))
    left = sorted(entry.name for entry in path.parent.iterdir())
    assert left == ["accounts.json", "accounts.json.lock", "accounts.key"]


def test_processes_neither_lose_nor_resurrect_accounts(path: Path) -> None:
    """Processes that add, change and remove accounts at once leave exactly what each of them meant to."""
    names = [f"worker{number}" for number in range(WORKERS)]
    workers = [
        subprocess.Popen(
            [sys.executable, str(FOLDER / "pool_worker.py"), str(path), name, str(ROUNDS)], stderr=subprocess.PIPE
        )
        for name in names
    ]
    store = AccountStore(path)
    while any(worker.poll() is None for worker in workers):
        store.read()
        assert store.warning is None
        time.sleep(0.01)
    for worker in workers:
        assert worker.communicate()[1] == b""
        assert worker.returncode == 0
    expected = {f"{name}-{number}" for name in names for number in range(0, ROUNDS, 2)}
    left = store.read().accounts
    assert {account.id for account in left} == expected
    assert all((account.tokens.access, account.proxy) == ("new", f"http://{account.id}.example") for account in left)


def test_keyring_keeps_the_key_of_a_pool(path: Path) -> None:
    """With the key in the keyring the pool is the same for every store, and the account file does not change."""
    with memory_keyring():
        store = AccountStore(path)
        pool = store.update(lambda pool: pool.with_account(ONE))
        content = path.read_bytes()
        store.move_key(KeyPlace.KEYRING)
        assert (path.read_bytes(), AccountStore(path).key_place) == (content, KeyPlace.KEYRING)
        assert AccountStore(path).read() == pool
        pool = AccountStore(path).update(lambda pool: pool.with_project(ONE.id, "new"))
        store.move_key(KeyPlace.FILE)
        assert (AccountStore(path).read(), store.key_place) == (pool, KeyPlace.FILE)


def test_locked_keyring_harms_nothing(path: Path) -> None:
    """While the keyring is locked no account can be used or added, the file stays as it is, and then all is back."""
    with memory_keyring() as backend:
        AccountStore(path).move_key(KeyPlace.KEYRING)
        pool = AccountStore(path).update(lambda pool: pool.with_account(ONE))
        content = path.read_bytes()
        backend.is_locked = True
        store = AccountStore(path)
        assert [entry.id for entry in store.read().unreadable] == [ONE.id]
        assert "the system's keyring cannot be used (KeyringLocked)" in str(store.warning)
        with pytest.raises(StoreError, match="KeyringLocked"):
            store.update(lambda pool: pool.with_account(replace(ONE, id="new", email=None)))
        assert path.read_bytes() == content
        asked = backend.reads
        store.read()
        assert backend.reads == asked
        backend.is_locked = False
        store = AccountStore(path)
        assert (store.read(), store.warning) == (pool, None)


def test_lost_key_is_not_moved(path: Path) -> None:
    """Where the key is gone and tokens need it, no new one takes its place, and the message is about the lost one."""
    AccountStore(path).update(lambda pool: pool.with_account(ONE))
    path.with_name("accounts.key").unlink()
    for place in KeyPlace:
        with (
            memory_keyring() as backend,
            pytest.raises(StoreError, match=r"no key to be moved.*accounts\.key is gone"),
        ):
            AccountStore(path).move_key(place)
        assert backend.entries == {}
    assert not path.with_name("accounts.key").exists()


def test_account_that_cannot_be_read_stays_the_chosen_one(path: Path) -> None:
    """A change while the key is away forgets neither the accounts nor which of them serves."""
    store = AccountStore(path)
    store.update(lambda _: Pool(accounts=(ONE, TWO), active_id=TWO.id))
    key = path.with_name("accounts.key")
    key.rename(key.with_suffix(".away"))
    changed = AccountStore(path).update(lambda pool: pool.with_auto_failover(on=True))
    assert (changed.accounts, changed.active_id, changed.absent_id) == ((), None, TWO.id)
    key.with_suffix(".away").rename(key)
    assert AccountStore(path).read().active_id == TWO.id
    assert AccountStore(path).read().auto_failover


def test_file_that_cannot_be_removed_is_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the disk keeps the file of the last account, that is one sentence."""
    store = AccountStore(path)
    store.update(lambda pool: pool.with_account(ONE))

    def refuse(_path: Path, *, missing_ok: bool) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "unlink", refuse)
    with pytest.raises(StoreError, match=r"accounts\.json cannot be removed: Permission denied\. Check"):
        store.update(lambda pool: pool.without(ONE.id))


def test_changes_are_told(store: AccountStore) -> None:
    """Somebody who watches is told what a change has made of the pool, and nothing of one that changes nothing."""
    seen: list[tuple[Pool, Pool]] = []
    store.watch(lambda before, after: seen.append((before, after)))
    after = store.update(add_one)
    store.update(same)
    assert seen == [(Pool(), after)]
