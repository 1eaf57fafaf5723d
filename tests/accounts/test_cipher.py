"""Tests of token encryption and its key file."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from cryptography.fernet import Fernet

from antigravity_proxy.accounts.cipher import KeyFile, TokenCipher
from antigravity_proxy.accounts.keyring_entry import KeyPlace
from antigravity_proxy.errors import StoreError

from .memory_keyring import memory_keyring
from .not_files import NOT_FILES

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

CREATE_KEY = """
import sys
from pathlib import Path
from antigravity_proxy.accounts.cipher import KeyFile
sys.stdin.readline()
sys.stdout.buffer.write(KeyFile(Path(sys.argv[1])).load_or_create())
"""


def test_seal_hides_token(tmp_path: Path) -> None:
    """A sealed token starts with the prefix, does not hold the token and opens again."""
    keys = KeyFile(tmp_path / "accounts.key")
    sealed = TokenCipher(keys).seal("access-token")
    assert sealed.startswith("enc:v1:")
    assert "access-token" not in sealed
    assert TokenCipher(keys).unseal(sealed) == "access-token"


def test_unseal_returns_plain_token(tmp_path: Path) -> None:
    """A token that is not encrypted is taken as it is, and needs no key."""
    assert TokenCipher(KeyFile(tmp_path / "accounts.key")).unseal("access-token") == "access-token"
    assert list(tmp_path.iterdir()) == []


def test_unseal_says_what_to_do_when_key_is_lost(tmp_path: Path) -> None:
    """Without the key file the message says to put it back or import again, and no new key appears."""
    keys = KeyFile(tmp_path / "accounts.key")
    sealed = TokenCipher(keys).seal("access-token")
    keys.path.unlink()
    with pytest.raises(StoreError, match=r"accounts\.key is gone.*sign in again: antigravity-proxy login") as caught:
        TokenCipher(keys).unseal(sealed)
    assert caught.value.path == keys.path
    assert not keys.path.exists()


@pytest.mark.parametrize("damage", [lambda sealed: sealed, lambda sealed: sealed + "x", lambda _: "enc:v1:\u00e9"])
def test_unseal_says_what_to_do_when_key_is_wrong(tmp_path: Path, damage: object) -> None:
    """Tokens that the key does not open are refused with the way out, and the key is left alone."""
    assert callable(damage)
    sealed = TokenCipher(KeyFile(tmp_path / "other.key")).seal("access-token")
    keys = KeyFile(tmp_path / "accounts.key")
    key = keys.load_or_create()
    with pytest.raises(StoreError, match=r"another key.*sign in again: antigravity-proxy login"):
        TokenCipher(keys).unseal(damage(sealed))
    assert keys.load() == key


def test_unseal_refuses_newer_encryption(tmp_path: Path) -> None:
    """Tokens of a later kind of encryption are not taken for plain ones."""
    with pytest.raises(StoreError, match="newer version"):
        TokenCipher(KeyFile(tmp_path / "accounts.key")).unseal("enc:v2:abc")


def test_key_file_is_private(tmp_path: Path) -> None:
    """The key is created for its owner alone, in a folder for its owner alone."""
    keys = KeyFile(tmp_path / "home" / "accounts.key")
    assert keys.load() is None
    key = keys.load_or_create()
    assert keys.load() == keys.load_or_create() == key
    assert keys.path.stat().st_mode & 0o777 == 0o600
    assert keys.path.parent.stat().st_mode & 0o777 == 0o700
    assert list(keys.path.parent.iterdir()) == [keys.path]


def test_key_file_is_taken_from_faster_process(tmp_path: Path) -> None:
    """A key that another process creates at the same moment is used, not replaced."""
    other = Fernet.generate_key()

    def new_key() -> bytes:
        (tmp_path / "accounts.key").write_bytes(other)
        return Fernet.generate_key()

    assert KeyFile(tmp_path / "accounts.key", new_key=new_key).load_or_create() == other


def test_processes_agree_on_one_key(tmp_path: Path) -> None:
    """Processes that need a key at the same time all get the same one."""
    path = tmp_path / "home" / "accounts.key"
    processes = [
        subprocess.Popen([sys.executable, "-c", CREATE_KEY, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write(b"\n")
        process.stdin.flush()
    keys = {process.communicate()[0] for process in processes}
    assert keys == {KeyFile(path).load()}


@pytest.mark.parametrize("content", [b"", b"no key", b"\xff" * 44], ids=["empty", "short", "not text"])
def test_garbled_key_file_is_not_replaced(tmp_path: Path, content: bytes) -> None:
    """A key file without a key is an error that says what to do, and stays as it is."""
    keys = KeyFile(tmp_path / "accounts.key")
    keys.path.write_bytes(content)
    with pytest.raises(StoreError, match=r"holds no key.*sign in again"):
        TokenCipher(keys).seal("access-token")
    assert keys.path.read_bytes() == content


def test_unreadable_key_file_is_named(tmp_path: Path) -> None:
    """A key file that cannot be read is an error that names it."""
    keys = KeyFile(tmp_path / "accounts.key")
    keys.path.symlink_to(keys.path)
    with pytest.raises(StoreError, match=r"accounts\.key cannot be read"):
        keys.load()


@pytest.mark.parametrize("put", NOT_FILES.values(), ids=NOT_FILES)
def test_key_file_that_is_no_file_is_refused(tmp_path: Path, put: Callable[[Path], object]) -> None:
    """A pipe or a folder in place of the key file is said, is not waited for and not replaced."""
    keys = KeyFile(tmp_path / "accounts.key")
    put(keys.path)
    before = keys.path.lstat()
    for use in (keys.load, keys.load_or_create):
        with pytest.raises(StoreError, match=r"accounts\.key is a .*, where a file should be"):
            use()
    assert keys.path.lstat() == before


def test_uncreatable_key_file_is_named(tmp_path: Path) -> None:
    """A key file that cannot be created is an error that names it."""
    keys = KeyFile(tmp_path / "accounts.key", new_tag=lambda: "longer than a file name may be" * 10)
    with pytest.raises(StoreError, match=r"accounts\.key cannot be created"):
        keys.load_or_create()


def test_key_moves_to_the_keyring_and_back(tmp_path: Path) -> None:
    """What was sealed before, meanwhile and after opens everywhere; the key is in one place at a time."""
    with memory_keyring() as backend:
        keys = KeyFile(tmp_path / "accounts.key", new_tag=lambda: "tag")
        sealed = [TokenCipher(keys).seal("before")]
        key = keys.path.read_bytes().strip()
        keys.move(KeyPlace.KEYRING)
        assert (keys.place, keys.path.read_bytes()) == (KeyPlace.KEYRING, b"keyring:tag\n")
        assert keys.path.stat().st_mode & 0o777 == 0o600
        assert backend.entries == {("antigravity-proxy", "tag"): key.decode()}
        other = KeyFile(keys.path)
        sealed.append(TokenCipher(other).seal("meanwhile"))
        other.move(KeyPlace.FILE)
        assert (keys.place, backend.entries, keys.path.read_bytes().strip()) == (KeyPlace.FILE, {}, key)
        assert [TokenCipher(KeyFile(keys.path)).unseal(text) for text in sealed] == ["before", "meanwhile"]


def test_key_that_is_there_already_does_not_move(tmp_path: Path) -> None:
    """Asked for where it is, a key stays untouched; the first one may begin in the keyring."""
    with memory_keyring() as backend:
        keys = KeyFile(tmp_path / "home" / "accounts.key")
        keys.move(KeyPlace.KEYRING)
        entries = dict(backend.entries)
        keys.move(KeyPlace.KEYRING)
        assert backend.entries == entries
        assert TokenCipher(keys).unseal(TokenCipher(keys).seal("token")) == "token"
        keys.move(KeyPlace.FILE)
        content = keys.path.read_bytes()
        keys.move(KeyPlace.FILE)
        assert keys.path.read_bytes() == content


def test_keyring_that_fails_leaves_the_key_where_it_is(tmp_path: Path) -> None:
    """A keyring that is locked or forgets takes no key, and gives none back; the file stays as it was."""
    with memory_keyring() as backend:
        keys = KeyFile(tmp_path / "accounts.key")
        keys.load_or_create()
        for fault in ("is_locked", "is_forgetful"):
            content = keys.path.read_bytes()
            setattr(backend, fault, True)
            with pytest.raises(StoreError, match="system's keyring"):
                keys.move(KeyPlace.KEYRING)
            assert keys.path.read_bytes() == content
            setattr(backend, fault, False)
        keys.move(KeyPlace.KEYRING)
        content = keys.path.read_bytes()
        backend.is_locked = True
        with pytest.raises(StoreError, match="KeyringLocked"):
            KeyFile(keys.path).move(KeyPlace.FILE)
        assert keys.path.read_bytes() == content


def test_key_of_the_keyring_is_asked_for_once(tmp_path: Path) -> None:
    """A keyring may ask its user, so a key that it gave is remembered; one that is no key is refused."""
    with memory_keyring() as backend:
        keys = KeyFile(tmp_path / "accounts.key")
        keys.move(KeyPlace.KEYRING)
        keys.load()
        before = backend.reads
        keys.load()
        assert backend.reads == before
        backend.entries = dict.fromkeys(backend.entries, "no key")
        with pytest.raises(StoreError, match="holds no key"):
            KeyFile(keys.path).load()


def test_entry_that_cannot_be_removed_does_no_harm(tmp_path: Path) -> None:
    """A key that is back in the file is there, though its entry could not be removed."""
    with memory_keyring() as backend:
        keys = KeyFile(tmp_path / "accounts.key")
        keys.move(KeyPlace.KEYRING)
        keys.load()
        backend.is_locked = True
        keys.move(KeyPlace.FILE)
        assert keys.place is KeyPlace.FILE


def test_key_file_that_cannot_be_written_leaves_the_key(tmp_path: Path) -> None:
    """Where no file can take the place of the old one, the key stays in it and the message names the file."""
    with memory_keyring():
        keys = KeyFile(tmp_path / "accounts.key", new_tag=lambda: "x" * 300)
        (tmp_path / "accounts.key").write_bytes(Fernet.generate_key())
        content = keys.path.read_bytes()
        with pytest.raises(StoreError, match=r"accounts\.key cannot be created: File name too long"):
            keys.move(KeyPlace.KEYRING)
        assert keys.path.read_bytes() == content
