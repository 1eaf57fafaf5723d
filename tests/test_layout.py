"""Tests of the house itself: what is packaged, how large things are, and that every module has its tests."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

import antigravity_proxy
from antigravity_proxy import errors
from antigravity_proxy.errors import ProxyError
from antigravity_proxy.simulator.scenarios import KINDS

ROOT = Path(antigravity_proxy.__file__).parent
FOLDERS = ("accounts", "catalog", "cli", "oauth", "plugin", "provision", "proxy", "simulator", "translate")
MODULES = sorted(path for folder in FOLDERS for path in (ROOT / folder).rglob("*.py"))
TESTS = sorted((ROOT / "tests").rglob("*.py"))
MAX_MODULE_LINES = 600
MAX_FUNCTION_LINES = 60
SECRETS = re.compile(r"sk-[A-Za-z0-9]{20}|ya29\.[A-Za-z0-9_-]{20}|1//[A-Za-z0-9_-]{20}|GOCSPX-[A-Za-z0-9_-]{10}")


def name_of(path: Path) -> str:
    """The path inside the project."""
    return str(path.relative_to(ROOT))


def test_every_package_is_packaged() -> None:
    """The list of packages in pyproject.toml is the list of folders with an ``__init__.py``."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    found = {
        ".".join(("antigravity_proxy", *path.parent.relative_to(ROOT).parts))
        for path in (ROOT / "__init__.py", *MODULES)
        if path.name == "__init__.py"
    }
    assert set(project["tool"]["setuptools"]["packages"]) == found


def test_only_the_package_lies_in_the_root() -> None:
    """Every Python file of the root would be installed, so there are only three."""
    assert {path.name for path in ROOT.glob("*.py")} == {"__init__.py", "__main__.py", "errors.py"}


def test_version_is_in_the_changelog() -> None:
    """The newest heading of the changelog is the version."""
    headings = re.findall(r"^## \[?(\d+\.\d+\.\d+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == antigravity_proxy.__version__


@pytest.mark.parametrize("path", [*MODULES, *TESTS], ids=name_of)
def test_module_is_not_too_large(path: Path) -> None:
    """A module has at most 600 lines, and a function at most 60."""
    text = path.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_MODULE_LINES
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= MAX_FUNCTION_LINES, f"{node.name} has {lines} lines"


@pytest.mark.parametrize("path", [path for path in MODULES if path.name != "__init__.py"], ids=name_of)
def test_module_has_its_test_module(path: Path) -> None:
    """Each module is tested by the module of its name, in the folder of its name."""
    folder = ROOT / "tests" / path.parent.relative_to(ROOT)
    assert (folder / f"test_{path.name}").is_file()


@pytest.mark.parametrize("path", TESTS, ids=name_of)
def test_every_test_says_what_it_shows(path: Path) -> None:
    """Every test has a docstring."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name.startswith("test_"):
            assert ast.get_docstring(node), node.name


def test_no_file_holds_a_secret() -> None:
    """Nothing that looks like a real key or token lies in the project."""
    suffixes = {".py", ".md", ".json", ".toml", ".html", ".js", ".txt", ".yml"}
    ours = (
        path for path in ROOT.rglob("*") if path.suffix in suffixes and not set(path.parts) & {".venv", ".typecheck"}
    )
    assert [name_of(path) for path in ours if SECRETS.search(path.read_text(encoding="utf-8"))] == []


def test_references_to_the_spec_exist() -> None:
    """Every section of SPEC.md that the code names is there."""
    headings = set(re.findall(r"^#+ (.+)$", (ROOT / "SPEC.md").read_text(encoding="utf-8"), re.MULTILINE))
    for path in MODULES:
        for reference in re.findall(r"SPEC\.md((?:,? (?:and )?\"[^\"]+\")+)", path.read_text(encoding="utf-8")):
            named = set(re.findall(r"\"([^\"]+)\"", reference))
            assert named <= headings, f"{name_of(path)}: {named - headings}"


def test_tests_that_promises_name_exist() -> None:
    """Every test file that SECURITY.md names is there, and every test in it."""
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", (ROOT / "SECURITY.md").read_text(encoding="utf-8"))
    assert len(named) > 20
    for path, test in named:
        text = (ROOT / path).read_text(encoding="utf-8")
        assert not test or f"def {test}(" in text, f"{path}::{test}"


def test_documentation_lists_every_scenario() -> None:
    """The simulator's page has a table of every scenario, with its sentence, and the README leads there."""
    page = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
    for name, kind in KINDS.items():
        assert f"| `{name}` | {kind.sentence} |" in page
    assert "](docs/simulator.md)" in (ROOT / "README.md").read_text(encoding="utf-8")


def classes() -> list[type[ProxyError]]:
    """Every class of error."""
    return [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, ProxyError)]


def codes() -> set[str]:
    """Every machine-readable code that a client may be answered with: of the classes, and given where one is made."""
    sources = (path.read_text(encoding="utf-8") for path in MODULES if path.parent.name != "simulator")
    given = {code for source in sources for code in codes_given_in(ast.parse(source))}
    return given | {kind.code for kind in classes() if kind.code is not None}


def codes_given_in(module: ast.Module) -> set[str]:
    """The codes that a module gives its errors, as texts or by the name of a constant."""
    constants = {
        target.id: node.value
        for node in module.body
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    keywords = (word for node in ast.walk(module) if isinstance(node, ast.Call) for word in node.keywords)
    given = (word.value for word in keywords if word.arg == "code")
    values = (constants.get(value.id) if isinstance(value, ast.Name) else value for value in given)
    return {value.value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)}


def test_readme_lists_every_error() -> None:
    """The README's table of errors has every code once, and beside types of errors none that does not exist."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    section = readme.partition("\n## When something goes wrong\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| (\d{3} .*?) \|", section, re.MULTILINE)
    listed = [code for cell in cells for code in re.findall(r"`(\w+)`", cell)]
    types = {kind.type for kind in classes()} - codes()
    assert sorted(code for code in listed if code not in types) == sorted(codes())
