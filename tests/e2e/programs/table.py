"""Which programs are driven, and how: one row for each."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 -- dataclasses read annotations
from dataclasses import dataclass, field, replace
from typing import Literal

MODEL = "gemini-3.8-flash"
NODE = "node@22.23.3"
"""For programs that need a newer Node than many systems have."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """How a program is made to read a file.

    Attributes:
        function: the tool of the program.
        arguments: its arguments, in which ``$note`` is the path of the file.
    """

    function: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True)
class Program:
    """A program, and all that is needed to drive it.

    Commands, variables and files may hold ``$prompt``, ``$home``, ``$url`` (of the proxy, with ``/v1``),
    ``$note`` (a file beside it) and ``$scripts`` (the folder of scripts for libraries).

    Attributes:
        name: what people call it.
        registry: who has it.
        packages: what is installed, with versions; the first is the program.
        ask: the command that asks one prompt and ends.
        provision: what ``antigravity-proxy provision`` is told; nothing for a library that is handed the URL.
        tool: how it reads a file; None if it gives no tools to the model.
        stdin: what it reads; nothing by default.
        prepare: a command that is run before that.
        variables: of its environment, beside ``HOME`` and ``PATH``.
        files: what the user has put into the home folder, by path.
    """

    name: str
    registry: Literal["npm", "pip"]
    packages: tuple[str, ...]
    ask: tuple[str, ...]
    provision: tuple[str, ...] = ()
    tool: ToolCall | None = None
    stdin: str = ""
    prepare: tuple[str, ...] = ()
    variables: Mapping[str, str] = field(default_factory=dict[str, str])
    files: Mapping[str, str] = field(default_factory=dict[str, str])


LLM = Program(
    name="llm",
    registry="pip",
    packages=("llm==0.36",),
    provision=("llm",),
    ask=("llm", "-m", f"antigravity/{MODEL}", "--functions", "$home/tools.py", "$prompt"),
    tool=ToolCall("read_note"),
    variables={"LLM_USER_PATH": "$home/llm"},
    files={"tools.py": "def read_note() -> str:\n    'Read the note.'\n    return open('$note').read()\n"},
)
LITELLM = Program(
    name="LiteLLM SDK",
    registry="pip",
    packages=("litellm==1.110.2",),
    ask=("python", "$scripts/ask_litellm.py", "$url", f"openai/{MODEL}", "$prompt", "$note"),
    tool=ToolCall("read_note"),
    variables={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
)
AIDER = Program(
    name="Aider",
    registry="pip",
    packages=("aider-chat==0.86.2",),
    provision=("aider",),
    ask=(
        *(
            "aider",
            "--no-git",
            "--yes-always",
            "--no-check-update",
            "--no-show-model-warnings",
            "--analytics-disable",
        ),
        *("--model", f"openai/{MODEL}", "--edit-format", "whole", "--message", "$prompt", "$note"),
    ),
    variables={"LITELLM_LOCAL_MODEL_COST_MAP": "True"},
)
PI = Program(
    name="pi",
    registry="npm",
    packages=("@mariozechner/pi-coding-agent@0.73.1",),
    provision=("pi",),
    ask=("pi", "--provider", "antigravity", "--model", MODEL, "-p", "$prompt"),
    tool=ToolCall("read", '{"path": "$note"}'),
    variables={"PI_OFFLINE": "1"},
)
PI_SUCCESSOR = Program(
    name="pi (successor)",
    registry="npm",
    packages=("@earendil-works/pi-coding-agent@1.6.0", NODE),
    provision=("pi",),
    ask=PI.ask,
    tool=PI.tool,
    variables=PI.variables,
)
OPENCODE = Program(
    name="OpenCode",
    registry="npm",
    packages=("opencode-ai@1.18.33",),
    provision=("opencode",),
    ask=("opencode", "run", "-m", f"antigravity/{MODEL}"),
    # As an argument a prompt with blanks would be quoted, and the quotes inside it escaped.
    stdin="$prompt",
    tool=ToolCall("read", '{"filePath": "$note"}'),
)
HERMES = Program(
    name="Hermes",
    registry="pip",
    packages=("hermes-agent==0.19.0",),
    provision=("hermes",),
    ask=("hermes", "--provider", "antigravity", "-m", MODEL, "-z", "$prompt"),
    tool=ToolCall("read_file", '{"path": "$note"}'),
)
HERMES_PROVIDER = replace(HERMES, name="Hermes (model provider)", provision=("hermes", "--as-provider"))
CONTINUE = Program(
    name="Continue",
    registry="npm",
    packages=("@continuedev/cli@1.5.47",),
    provision=("continue",),
    ask=("cn", "--auto", "--config", "$home/.continue/config.yaml", "-p", "$prompt"),
    tool=ToolCall("Read", '{"filepath": "$note"}'),
    variables={"CONTINUE_TELEMETRY_ENABLED": "0"},
)
CLINE = Program(
    name="Cline",
    registry="npm",
    packages=("cline@3.0.65",),
    provision=("cline",),
    ask=("cline", "-P", "openai-compatible", "-m", MODEL, "$prompt"),
    tool=ToolCall("read_files", '{"files": [{"path": "$note"}]}'),
)
DSH = Program(
    name="DSH",
    registry="pip",
    packages=("deepseek-harness-runtime-bin==0.2.1rc2",),
    provision=("dsh",),
    prepare=("dsh", "--profile", "headless", "--help"),
    ask=("dsh", "--profile", "headless", "--patch", "$home/model.yml", "$prompt"),
    tool=ToolCall("read", '{"file_path": "$note"}'),
    variables={"DSH_HOME": "$home/.dsh"},
    # A title is asked for in JSON, in which the quotes of a marker would be escaped.
    files={
        "model.yml": f"""\
- id: agent-default-model
  config: {{provider: antigravity, model: {MODEL}}}
- id: session-title-llm
  disabled: true
"""
    },
)
ANTIGRAVITY_SDK = Program(
    name="google-antigravity SDK",
    registry="pip",
    packages=("google-antigravity==0.1.22",),
    ask=("python", "$scripts/ask_antigravity.py", "$url", MODEL, "$prompt", "$note"),
    tool=ToolCall("read_note"),
)
PNPM = Program(name="pnpm", registry="npm", packages=("pnpm@10.34.9", NODE), ask=())
"""DSH installs its plugins with it."""

PROGRAMS = (
    LLM,
    LITELLM,
    AIDER,
    PI,
    PI_SUCCESSOR,
    OPENCODE,
    HERMES,
    HERMES_PROVIDER,
    CONTINUE,
    CLINE,
    DSH,
    ANTIGRAVITY_SDK,
)
"""Small downloads first."""
