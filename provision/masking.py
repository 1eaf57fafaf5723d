"""Secrets of anybody hidden in lines that are shown."""

from __future__ import annotations

import re
from io import StringIO
from typing import TYPE_CHECKING

from dotenv.parser import parse_stream

from .tree import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .syntax import Syntax
    from .tree import Node

MASK = "***"
_SECRET_WORDS = frozenset({
    "key", "keys", "apikey", "token", "tokens", "secret", "secrets", "password", "passwd", "passphrase", "pwd",
    "auth", "authorization", "bearer", "credential", "credentials", "cookie", "cookies", "pat",
})  # fmt: skip
_ALWAYS_SECRET = frozenset({"password", "passwd", "passphrase", "pwd", "secret", "secrets"})
"""Words of names whose value is hidden even if it is a number."""

_HARMLESS_ENDS = frozenset({"env", "field", "file", "name", "path", "source", "type", "url", "var", "variable"})
"""Last words of names that say something about a secret."""

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBER = re.compile(r"[-+]?\d[\d_]*(?:\.\d*)?(?:[eE][-+]?\d+)?|true|false|null|~|", re.IGNORECASE)
_NAMED = re.compile(
    r"""((?i:(?=[\w.-]*(?:key|token|secret|pass|pwd|auth|bearer|credential|cookie|pat)))[\w.-]+)"""
    r"""(["']?[ \t]*[:=][ \t]*)(?=\S)(?:(?:Bearer|Basic)[ \t]+)?("[^"\n]*"|'[^'\n]*'|[^\s,}"']+)"""
)
"""A name and a value inside of a text or a comment, such as ``--api-key=x``."""

_KNOWN_FORMS = re.compile(
    r"(://)[^/\s\"']*(?=@)|(\b(?:Bearer|Basic)[ \t]+)[^\s\"',]+|()\b(?:sk-|gh[a-z]_|xox[a-z]-|AIza|ya29\.)[\w.-]{8,}"
    r"|()\beyJ[\w-]*\.[\w-]+\.[\w-]*"
)
"""What can only be a secret, whatever it is called: passwords in URLs, headers, web tokens, known kinds of keys."""

_CONTENT = re.compile(r"\S[^\r\n]*")
_ASSIGNED = re.compile(r"([:=][ \t]*)[^\r\n]+")


def masked(text: str, syntax: Syntax | None, *, has_keys: bool) -> str:
    """A text with its secrets hidden, line by line the same text otherwise.

    Args:
        text: what is shown.
        syntax: how it is written; None for one that is no tree.
        has_keys: whether all that stands in it are secrets.
    """
    if syntax is None:
        return "".join(_masked_variables(text)) if has_keys else _masked_words(text)
    root = syntax.parse(text)
    shown: list[str] = []
    end = 0
    for node, is_secret in _scalars(root, is_secret=has_keys):
        shown.append(_masked_between(text[end : node.start], syntax))
        written = text[node.start : node.end]
        shown.append(_CONTENT.sub(MASK, written) if is_secret else _masked_words(written))
        end = node.end
    return "".join(shown) + _masked_between(text[end:], syntax)


def is_secret_name(name: str) -> bool:
    """Whether the name of a value says that it is a secret."""
    words = _words_of(name)
    return not _SECRET_WORDS.isdisjoint(words) and words[-1] not in _HARMLESS_ENDS


def _words_of(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _hides(name: str, value: str) -> bool:
    """Whether a value under a name is hidden: numbers only where a number can be a secret."""
    is_number = _NUMBER.fullmatch(value) is not None
    return is_secret_name(name) and not (is_number and _ALWAYS_SECRET.isdisjoint(_words_of(name)))


def _scalars(root: Node | None, *, is_secret: bool) -> Iterator[tuple[Node, bool]]:
    """All values in their order, and whether they are secrets, also by way of an alias."""
    found: dict[int, tuple[Node, bool]] = {}
    pending = [] if root is None else [(root, "secret" if is_secret else "")]
    while pending:
        node, name = pending.pop()
        if node.kind is Kind.ALIAS:
            if node.target is not None and is_secret_name(name):
                pending.append((node.target, name))
        elif node.kind is Kind.SCALAR:
            known = found.get(id(node), (node, False))[1]
            found[id(node)] = (node, known or (node.value is not None and _hides(name, str(node.value))))
        else:
            pending += _named_values(node, name)
    yield from sorted(found.values(), key=lambda item: item[0].start)


def _named_values(node: Node, name: str) -> Iterator[tuple[Node, str]]:
    """What a mapping or a list holds, under the name that says most about it."""
    before = ""
    for entry in node.entries:
        own = entry.key if node.kind is Kind.MAPPING else before
        yield entry.value, name if is_secret_name(name) or own is None else own
        # The value of an option of a command line is the item behind it.
        option = entry.value.value
        before = option if isinstance(option, str) and option.startswith("-") else ""


def _masked_between(text: str, syntax: Syntax) -> str:
    """What stands between values: comments without what looks like a secret, names without what can only be one."""
    return _without_known_forms(syntax.comment.sub(lambda comment: _masked_words(comment.group()), text))


def _without_known_forms(text: str) -> str:
    return _KNOWN_FORMS.sub(lambda match: f"{match[1] or match[2] or ''}{MASK}", text)


def _masked_words(text: str) -> str:
    """What looks like a secret in a text of any kind."""

    def hide(match: re.Match[str]) -> str:
        return f"{match[1]}{match[2]}{MASK}" if _hides(match[1], match[3]) else match[0]

    return _without_known_forms(_NAMED.sub(hide, text))


def _masked_variables(text: str) -> Iterator[str]:
    """A file of variables, of which numbers alone are shown."""
    mark = text[: len(text) - len(text.removeprefix("\ufeff"))]
    yield mark
    for binding in parse_stream(StringIO(text[len(mark) :], newline="")):
        line = binding.original.string
        head, sign, value = line.partition("=")
        if binding.error:
            yield _CONTENT.sub(MASK, line)
        elif binding.key is None:
            yield _ASSIGNED.sub(rf"\g<1>{MASK}", line)
        elif _NUMBER.fullmatch(value.strip()) and not is_secret_name(binding.key):
            yield line
        else:
            yield head + sign + _CONTENT.sub(MASK, value)
