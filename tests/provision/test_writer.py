"""Tests of reading and writing harnesses' files."""

from __future__ import annotations

import itertools
import os
import stat
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from filelock import SoftFileLock

from antigravity_proxy.errors import ProvisionError
from antigravity_proxy.provision import aider, cline, dsh, goose, hermes, hermes_provider, llm, writer
from antigravity_proxy.provision.harness import Target
from antigravity_proxy.provision.writer import Change, backup_of, carry_out, is_exposed, plan, plan_removal

from .golden import ROUTE, WITH_KEY

if TYPE_CHECKING:
    from collections.abc import Callable

    from antigravity_proxy.provision.document import Document

USER_TEXT = "# mine\r\nmodel: x\r\n"
TAGS = itertools.count()


@pytest.fixture
def target(tmp_path: Path) -> Target:
    """Hermes' file in a folder of its own."""
    return Target(tmp_path / "hermes" / "config.yaml", hermes.CONFIG)


def write(target: Target) -> Change:
    """Write the route into a file."""
    change = plan(target, WITH_KEY, add_models=False)
    carry_out(change, new_tag=lambda: str(next(TAGS)))
    return change


def remove(target: Target) -> Change:
    """Take the route out of a file."""
    change = plan_removal(target, WITH_KEY)
    carry_out(change, new_tag=lambda: str(next(TAGS)))
    return change


def lay(target: Target, text: str, mode: int = 0o640) -> None:
    """Put a file of the user's there."""
    target.path.parent.mkdir(exist_ok=True)
    target.path.write_bytes(text.encode())
    target.path.chmod(mode)


def mode_of(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def test_new_file_is_private_and_goes_again(target: Target) -> None:
    """A file that was not there is for its owner alone, and is gone when we are."""
    write(target)
    assert mode_of(target.path) == 0o600
    assert [path.name for path in target.path.parent.iterdir()] == ["config.yaml"]
    assert not plan(target, WITH_KEY, add_models=False).is_needed
    assert remove(target).after is None
    assert list(target.path.parent.iterdir()) == []


def test_file_keeps_mode_and_is_kept_once(target: Target) -> None:
    """A file keeps its permissions; as it was before it lies beside it until everything is as it was."""
    lay(target, USER_TEXT)
    write(target)
    assert mode_of(target.path) == 0o640
    assert backup_of(target.path).read_bytes() == USER_TEXT.encode()
    assert mode_of(backup_of(target.path)) == 0o600
    remove(target)
    assert target.path.read_bytes() == USER_TEXT.encode()
    assert [path.name for path in target.path.parent.iterdir()] == ["config.yaml"]


def test_later_changes_of_the_owner_stay(target: Target) -> None:
    """What was written since stays when we go, and so does the copy from before."""
    lay(target, USER_TEXT)
    write(target)
    with target.path.open("ab") as file:
        file.write(b"later: 1\r\n")
    remove(target)
    assert target.path.read_bytes() == USER_TEXT.encode() + b"later: 1\r\n"
    assert backup_of(target.path).read_bytes() == USER_TEXT.encode()


def test_symbolic_link_stays(target: Target, tmp_path: Path) -> None:
    """The file that a link leads to is written, and the link stays one."""
    real = tmp_path / "dotfiles" / "hermes.yaml"
    real.parent.mkdir()
    real.write_text("model: x\n")
    target.path.parent.mkdir()
    target.path.symlink_to(os.path.relpath(real, target.path.parent))
    write(target)
    assert target.path.is_symlink()
    assert "antigravity" in real.read_text()
    assert (real.parent / "hermes.yaml.before-antigravity-proxy").exists()
    remove(target)
    assert real.read_text() == "model: x\n"
    assert target.path.is_symlink()


def test_second_run_writes_nothing(target: Target) -> None:
    """A file that is right is not written again."""
    lay(target, USER_TEXT)
    write(target)
    before = target.path.stat()
    assert not plan(target, WITH_KEY, add_models=False).is_needed
    assert target.path.stat().st_ino == before.st_ino


def test_read_only_file_is_refused(target: Target) -> None:
    """A file that its owner has protected stays, in one sentence."""
    lay(target, USER_TEXT, 0o444)
    with pytest.raises(ProvisionError, match=r"config.yaml is read-only. Make it writable and try again.$"):
        write(target)
    assert target.path.read_bytes() == USER_TEXT.encode()
    assert [path.name for path in target.path.parent.iterdir()] == ["config.yaml"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"a: 1\nb: ]\n", "config.yaml, line 2, column 4: this is not YAML"),
        (b"a: 1\nb: \xff\n", "config.yaml, line 2, column 4: this is not UTF-8"),
    ],
    ids=["broken", "bytes"],
)
def test_unusable_file_is_refused(target: Target, text: bytes, message: str) -> None:
    """A file that cannot be used stays, and it is said where it is wrong."""
    target.path.parent.mkdir()
    target.path.write_bytes(text)
    for action in (write, remove):
        with pytest.raises(ProvisionError) as caught:
            action(target)
        assert message in str(caught.value)
    assert target.path.read_bytes() == text


@pytest.mark.parametrize(("make", "kind"), [(Path.mkdir, "a folder"), (os.mkfifo, "a pipe")], ids=["folder", "pipe"])
def test_what_is_no_file_is_refused(target: Target, make: Callable[[Path], None], kind: str) -> None:
    """What is no file is neither read nor written over, and nobody waits for it."""
    target.path.parent.mkdir()
    make(target.path)
    with pytest.raises(ProvisionError, match=f"config.yaml is {kind}.*, where a file should be. Move it away"):
        write(target)


@pytest.mark.parametrize(
    "text",
    ["~\n", "null", "~ # why\r\n", "# a\nnull\n# b\n", "--- ~\n", "---\nnull\n...\n", "\ufeff~\n", "{}\n", "---\n"],
)
def test_file_that_says_nothing_comes_back(target: Target, text: str) -> None:
    """A file that holds nothing, however that is written, is byte for byte as it was."""
    lay(target, text)
    write(target)
    remove(target)
    assert target.path.read_bytes() == text.encode()
    assert [path.name for path in target.path.parent.iterdir()] == ["config.yaml"]


def test_copy_that_cannot_be_written_does_not_hold_up_removal(target: Target) -> None:
    """What was written goes although the key of now could not be written."""
    lay(target, USER_TEXT)
    write(target)
    change = plan_removal(target, replace(WITH_KEY, key="$KEY"))
    assert change.after == USER_TEXT


def test_refusal_of_the_disk_is_said(tmp_path: Path) -> None:
    """A folder that cannot be made is a sentence too."""
    (tmp_path / "file").touch()
    with pytest.raises(ProvisionError, match="cannot be"):
        write(Target(tmp_path / "file" / "x" / "config.yaml", hermes.CONFIG))


def test_writing_that_fails_is_said(target: Target) -> None:
    """When the new file cannot take its name, the old state stays."""
    lay(target, USER_TEXT)
    with pytest.raises(ProvisionError, match="cannot be written"):
        carry_out(Change(target, USER_TEXT, "a: 1\n"), new_tag=lambda: "x" * 300)
    assert target.path.read_bytes() == USER_TEXT.encode()


@pytest.mark.parametrize("before", [None, USER_TEXT], ids=["appeared", "changed"])
def test_change_of_somebody_else_meanwhile_stays(target: Target, before: str | None) -> None:
    """What was written between the plan and the writing is not lost."""
    if before is not None:
        lay(target, before)
    change = plan(target, WITH_KEY, add_models=False)
    lay(target, "theirs: 1\n")
    with pytest.raises(ProvisionError, match=r"changed meanwhile, so nothing was written. Run it again.$"):
        carry_out(change, new_tag=lambda: "x")
    assert target.path.read_text() == "theirs: 1\n"
    assert not backup_of(target.path).exists()


def test_run_that_another_one_was_quicker_than_is_done(target: Target) -> None:
    """Of two runs at once that write the same, and then take it away, none fails."""
    lay(target, USER_TEXT)
    changes = [plan(target, WITH_KEY, add_models=False) for _ in range(2)]
    for change in changes:
        carry_out(change, new_tag=lambda: str(next(TAGS)))
    assert target.path.read_bytes().decode() == changes[0].after
    assert backup_of(target.path).read_bytes() == USER_TEXT.encode()
    changes = [plan_removal(target, WITH_KEY) for _ in range(2)]
    for change in changes:
        carry_out(change, new_tag=lambda: str(next(TAGS)))
    assert target.path.read_bytes() == USER_TEXT.encode()
    assert [path.name for path in target.path.parent.iterdir()] == ["config.yaml"]


def test_harness_that_writes_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file whose harness locks it is written under that lock, or not at all."""
    target = Target(tmp_path / "settings.yaml", hermes.CONFIG, has_lock=True)
    monkeypatch.setattr(writer, "LOCK_TIMEOUT_S", 0.01)
    with SoftFileLock(f"{target.path}.lock"), pytest.raises(ProvisionError, match="Another program is writing"):
        write(target)
    write(target)
    assert [path.name for path in tmp_path.iterdir()] == ["settings.yaml"]


def test_own_folder_goes_with_its_files(tmp_path: Path) -> None:
    """A folder that is all ours goes with the last of its files."""
    folder = tmp_path / "antigravity"
    targets = [
        Target(folder / "plugin.yaml", hermes_provider.PLUGIN, has_own_folder=True),
        Target(folder / "__init__.py", hermes_provider.PROVIDER, has_own_folder=True),
    ]
    for target in targets:
        write(target)
    remove(targets[0])
    assert folder.exists()
    remove(targets[1])
    assert not folder.exists()


WRITTEN = [
    hermes.CONFIG, cline.CONFIG, goose.CONFIG, hermes_provider.PROVIDER, hermes_provider.KEY, llm.MODELS, llm.KEYS,
    aider.CONNECTION, aider.LIMITS, aider.BEHAVIOUR,
]  # fmt: skip

MOVED = replace(WITH_KEY, base_url="http://127.0.0.1:51200/v1", key="rotated")


@pytest.mark.parametrize("document", WRITTEN)
def test_new_file_goes_however_often_it_was_written(tmp_path: Path, document: Document) -> None:
    """A file that we began is not kept with an old port or key, and nothing of it stays."""
    target = Target(tmp_path / "new", document)
    write(target)
    carry_out(plan(target, MOVED, add_models=False), new_tag=lambda: "x")
    assert [path.name for path in tmp_path.iterdir()] == ["new"]
    carry_out(plan_removal(target, MOVED), new_tag=lambda: "x")
    assert list(tmp_path.iterdir()) == []


def test_copy_from_before_is_kept_over_a_new_port(target: Target) -> None:
    """A file of the owner's comes back byte for byte after several changes, and the copy goes."""
    lay(target, USER_TEXT)
    write(target)
    carry_out(plan(target, MOVED, add_models=False), new_tag=lambda: "x")
    assert backup_of(target.path).read_bytes() == USER_TEXT.encode()
    carry_out(plan_removal(target, MOVED), new_tag=lambda: "x")
    assert target.path.read_bytes() == USER_TEXT.encode()
    assert not backup_of(target.path).exists()


def test_file_that_became_empty_goes_and_its_copy_stays(target: Target) -> None:
    """A file whose owner has left nothing but our entry in it goes; what it was lies in the copy."""
    lay(target, USER_TEXT)
    write(target)
    lay(target, hermes.CONFIG.provisioned("", WITH_KEY, add_models=False))
    remove(target)
    assert [path.name for path in target.path.parent.iterdir()] == [backup_of(target.path).name]


def test_file_of_keys_goes_with_the_last_account(tmp_path: Path) -> None:
    """A file that we began is not left empty when the key in it goes, so it is not taken for the owner's later."""
    target = Target(tmp_path / ".env", dsh.KEY)
    write(target)
    carry_out(plan(target, replace(WITH_KEY, has_account=False), add_models=False), new_tag=lambda: "x")
    assert list(tmp_path.iterdir()) == []


GOOSE_TEXT = (
    '{"name": "antigravity", "engine": "openai", "base_url": "http://localhost:1/x", "headers": {"a": "b"}}\n'
)


def test_whole_file_of_the_owner_comes_back(tmp_path: Path) -> None:
    """A file in the place of ours, of which we change a part, is kept and put back."""
    target = Target(tmp_path / "antigravity.json", goose.CONFIG)
    lay(target, GOOSE_TEXT)
    assert not plan_removal(target, WITH_KEY).is_needed
    write(target)
    carry_out(plan(target, MOVED, add_models=False), new_tag=lambda: "x")
    carry_out(plan_removal(target, MOVED), new_tag=lambda: "x")
    assert target.path.read_text() == GOOSE_TEXT
    assert [path.name for path in tmp_path.iterdir()] == ["antigravity.json"]


def test_whole_file_with_later_changes_is_not_lost(tmp_path: Path) -> None:
    """What its owner has changed in such a file since is not overwritten with the copy."""
    target = Target(tmp_path / "antigravity.json", goose.CONFIG)
    lay(target, GOOSE_TEXT)
    write(target)
    later = target.path.read_text().replace('"b"', '"c"')
    lay(target, later)
    with pytest.raises(ProvisionError, match="changed since it was written"):
        remove(target)
    assert target.path.read_text() == later


@pytest.mark.parametrize("document", [cline.CONFIG, goose.CONFIG], ids=["cline", "goose"])
def test_new_file_with_more_in_it_goes_too(tmp_path: Path, document: object) -> None:
    """A file that we began, with lines that its harness wants, goes as a whole."""
    target = Target(tmp_path / "new.json", document)  # type: ignore[arg-type]
    write(target)
    remove(target)
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_taken_from_nothing(target: Target) -> None:
    """Without a file there is nothing to take away."""
    assert not plan_removal(target, ROUTE).is_needed


@pytest.mark.parametrize(
    ("mode", "key", "expected"),
    [(0o644, "key-of-mine", True), (0o600, "key-of-mine", False), (0o644, "another", False), (0o644, None, False)],
    ids=["open", "private", "not in it", "none"],
)
def test_key_that_others_can_read_is_noticed(
    target: Target,
    mode: int,
    key: str | None,
    expected: bool,  # noqa: FBT001
) -> None:
    """A file keeps its mode, so it is noticed when the key is open to others in it."""
    lay(target, USER_TEXT, mode)
    assert is_exposed(write(target), key) is expected


def test_diff_hides_the_key(target: Target) -> None:
    """What would change is shown as a diff, without the key."""
    lay(target, "model: x")
    diff = plan(target, WITH_KEY, add_models=False).diff(["key-of-mine"])
    assert diff.startswith(f"--- {target.path}\n+++ {target.path}\n@@ -1 +1,")
    assert "-model: x\n\\ No newline at end of file\n+model: x\n" in diff
    assert "+    api_key: ***\n" in diff
    assert "key-of-mine" not in diff
    target.path.unlink()
    assert plan(target, WITH_KEY, add_models=False).diff([]).startswith(f"--- /dev/null\n+++ {target.path}\n")


def test_diff_hides_what_is_secret_of_others(target: Target) -> None:
    """Lines beside the change are shown without keys and passwords that are in them."""
    lay(target, "url: http://me:pass@example.com\nOTHER_KEY: 'theirs'\nmax_tokens: 5\n")
    diff = plan(target, WITH_KEY, add_models=False).diff([])
    assert " url: http://***@example.com\n OTHER_KEY: ***\n max_tokens: 5\n" in diff


def test_diff_shows_numbers_and_hides_texts(tmp_path: Path) -> None:
    """Costs and limits beside the change are shown, keys are not, however long the file is."""
    target = Target(tmp_path / "models.json", aider.LIMITS)
    rows = "".join(
        f'  "m{number}": {{"input_cost_per_token": 1e-06, "api_key": "theirs"}},\n' for number in range(30)
    )
    lay(target, "{\n" + rows[:-2] + "\n}\n")
    diff = plan(target, ROUTE, add_models=False).diff([])
    assert '-  "m29": {"input_cost_per_token": 1e-06, "api_key": ***}\n' in diff
    assert '+  "m29": {"input_cost_per_token": 1e-06, "api_key": ***},\n' in diff
    assert "m1" not in diff
    assert "theirs" not in diff


def test_diff_of_a_rotated_key_shows_that_it_changes(tmp_path: Path) -> None:
    """A line of which only the secret changes is there, before and after."""
    target = Target(tmp_path / ".env", dsh.KEY, has_keys=True)
    lay(target, "OTHER='two\nlines'\nANTIGRAVITY_ACCESS_TOKEN=old\nPORT=80\n")
    diff = plan(target, WITH_KEY, add_models=False).diff(["key-of-mine"])
    assert diff.split("@@\n")[1] == (
        " OTHER=***\n ***\n-ANTIGRAVITY_ACCESS_TOKEN=***\n+ANTIGRAVITY_ACCESS_TOKEN=***\n PORT=80\n"
    )


def test_diff_of_keys_shows_names_alone(tmp_path: Path) -> None:
    """Of a file with nothing but keys only their names are shown."""
    target = Target(tmp_path / "keys.json", llm.KEYS, has_keys=True)
    lay(target, '{\n  "openai": "theirs"\n}\n')
    diff = plan(target, WITH_KEY, add_models=False).diff([])
    assert '-  "openai": ***\n+  "openai": ***,\n+  "antigravity": ***\n' in diff
