"""``antigravity-proxy doctor``: find out what is wrong."""

from __future__ import annotations

import os
import platform
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .logs import Debug, Verbose, log_to_stderr

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..proxy.doctor import Finding
    from ..proxy.settings import Settings

MACHINE = "this machine"


def doctor(
    *,
    port: Annotated[
        int | None, typer.Option(help="The proxy's port, if not that of the settings.", min=1, max=65_535)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
    bundle: Annotated[
        Path | None, typer.Option(help="Write a zip file for a report, without secrets.", metavar="FILE")
    ] = None,
    debug: Debug = False,
    verbose: Verbose = False,
) -> None:
    """Walk each account through all that a request needs; asks each for a few words, which costs next to nothing."""
    log_to_stderr(debug=debug, verbose=verbose)
    from ..proxy.settings import load_settings
    from .loop import run
    from .tables import print_json

    settings = load_settings(port=port)
    found = run(_examine(settings))
    document = to_document(found, settings)
    if bundle is not None:
        write_bundle(bundle, document)
    if as_json:
        print_json(document)
    else:
        _print(found)
        if bundle is not None:
            typer.echo(f"Wrote {bundle}. Look into it before you send it to somebody.")
    if not all(finding.is_good for findings in found.values() for finding in findings):
        raise typer.Exit(1)


async def _examine(settings: Settings) -> dict[str, list[Finding]]:
    from ..accounts.choose import NO_ACCOUNT
    from ..proxy.doctor import Finding, examine
    from ..proxy.doctor_machine import examine_machine
    from ..proxy.services import identity_of, open_services

    async with open_services(settings) as services:
        found = {MACHINE: await examine_machine(services, os.environ)}
        pool = services.store.read()
        if services.store.warning is not None:
            found[MACHINE].append(Finding("accounts", is_good=False, detail=services.store.warning))
        elif not pool.accounts:
            found[MACHINE].append(Finding("accounts", is_good=False, detail=NO_ACCOUNT))
        uri = identity_of(settings).userinfo_uri
        for number, account in enumerate(pool.by_age, 1):
            found[f"{number}. {pool.name_of(account)}"] = await examine(services, account, uri)
    return found


def to_document(found: dict[str, list[Finding]], settings: Settings) -> dict[str, Any]:
    """All findings with what a report needs to know of the machine; no secrets.

    Returns:
        ``{"version", "python", "platform", "user_agent", "base_url", "findings": {who: [finding, ...]}}``
    """
    from .. import __version__
    from ..accounts.account import mask_emails

    findings = {
        mask_emails(who): [_masked(finding.document()) for finding in findings] for who, findings in found.items()
    }
    return {
        "version": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "user_agent": settings.user_agent,
        "base_url": settings.base_url,
        "findings": findings,
    }


def write_bundle(path: Path, document: dict[str, Any]) -> None:
    """Write a private zip file with the findings.

    Raises:
        StoreError: it cannot be written.
    """
    import orjson

    from ..errors import StoreError

    data = orjson.dumps(_with_texts(document, _anonymous), option=orjson.OPT_INDENT_2)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("doctor.json", data)
    except OSError as exc:
        raise StoreError(f"{path} cannot be written: {exc.strerror}. Name another file.", path=path) from exc


def _masked(document: dict[str, Any]) -> dict[str, Any]:
    """A finding without addresses; Google's words, which it may quote, can hold some."""
    from ..accounts.account import mask_emails

    return {**document, "detail": mask_emails(document["detail"])}


def _anonymous(text: str) -> str:
    """A text with the home folder as ``~``; of a link what is behind its ``?`` goes, as it says whose it is."""
    if text.startswith("https://"):
        return text.partition("?")[0]
    home = str(Path.home())
    return text.replace(home, "~") if len(home) > 1 else text


def _with_texts(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with all of its texts changed."""
    from ..translate.json_text import is_list, is_object

    if isinstance(value, str):
        return change(value)
    if is_list(value):
        return [_with_texts(item, change) for item in value]
    if is_object(value):
        return {key: _with_texts(item, change) for key, item in value.items()}
    return value


def _print(found: dict[str, list[Finding]]) -> None:
    from ..accounts.account import mask_emails

    marks = ("✗", "✓") if (sys.stdout.encoding or "").lower().startswith("utf") else ("BAD", "ok")
    for who, findings in found.items():
        typer.echo(mask_emails(who))
        for finding in findings:
            typer.echo(f"  {marks[finding.is_good]} {finding.step}: {mask_emails(finding.detail)}")
            if finding.link is not None:
                typer.echo(f"    {finding.link}")
