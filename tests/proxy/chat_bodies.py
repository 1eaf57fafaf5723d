"""Chat bodies as nobody should send them.

A body of all that programs send, with odd words and numbers in it, and then some of its places are left out or hold
anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st

from ..e2e.samples import FAMILIES, PDF, base64_of, data_url, png, wav

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy


ODD_TEXTS = (
    *(
        "",
        " ",
        "\n",
        "\x00",
        "\r\nX-Evil: 1",
        "\u2028",
        "\ufeff",
        "\ud83d",
        "\U0001f600",
        "\u202e",
        "null",
        "-1",
        "NaN",
    ),
    *(
        "__proto__",
        "constructor",
        "$ref",
        "#/",
        "../../etc/passwd",
        "{{7*7}}",
        "<script>",
        "%s%n",
        "' OR 1=1 --",
        "a" * 9_000,
    ),
    *("data:", "data:;base64,", "data:image/png;base64,!!!!", "data:image/svg+xml,<svg/>", "file:///etc/passwd"),
    *(
        "http://169.254.169.254/",
        "https://example.com/a.png",
        "data:audio/wav;base64,QUJD",
        "gs://bucket/a",
        "user:pw@host",
    ),
)
LEFT_OUT = object()
ODD_NUMBERS = (0, -1, 1, 2**31, 2**63, -(2**63), 2**64, 10**30, 0.0, -0.0, 1e-300, 1e308, -1e308, 0.5, 3.999)

texts = st.sampled_from(ODD_TEXTS) | st.text(max_size=20)
scalars = st.none() | st.booleans() | st.sampled_from(ODD_NUMBERS) | st.integers(-100, 100_000) | texts
anything = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=10
)


def nest(depth: int, *, is_list: bool) -> Any:
    """A value in so many lists or objects."""
    value: Any = "x"
    for _ in range(depth):
        value = [value] if is_list else {"type": "object", "properties": {"a": value}}
    return value


deep = st.builds(nest, st.integers(1, 200), is_list=st.booleans())


def record(required: dict[str, SearchStrategy[Any]], optional: dict[str, SearchStrategy[Any]]) -> SearchStrategy[Any]:
    """An object with these fields and maybe those."""
    return st.fixed_dictionaries(required, optional=optional)


def either(*values: Any) -> SearchStrategy[Any]:
    """One of these values."""
    return st.sampled_from(values)


words = st.text(min_size=1, max_size=30) | either("Hi", *ODD_TEXTS)
names = either("get_weather", "get_weather", "a.b-c:d", "ä b", "1x", "f" * 70)
ids = either("call_1", "call_2", "call_1|x", "c" * 70)
flags = st.booleans()
numbers = either(*ODD_NUMBERS) | st.integers(-1, 100_000) | st.floats(-1, 3)
addresses = either(
    *(data_url("image/png", png()), data_url("audio/wav", wav()), data_url("application/pdf", PDF)),
    *(data_url("image/jpeg", png()), *ODD_TEXTS),
)
pictures = record({"url": addresses}, {"detail": either("low", "high", "auto")})
sounds = record({"data": either(base64_of(wav()), "QQ"), "format": either("wav", "mp3", "pcm16", "g711_alaw")}, {})
files = record({"file_data": addresses}, {"filename": either("a.pdf", "a.txt", "a")})
parts = st.one_of(
    record({"type": either("text"), "text": words}, {"cache_control": either({"type": "ephemeral"})}),
    record({"type": either("image_url", "input_image"), "image_url": pictures | addresses}, {}),
    record({"type": either("input_audio"), "input_audio": sounds}, {}),
    record({"type": either("file", "input_file"), "file": files}, {}),
    record({"type": either("video_url"), "video_url": pictures}, {}),
    record({"type": either("refusal"), "refusal": words}, {}),
    record({"type": either("thinking"), "thinking": words}, {"signature": either("QUJDRA==")}),
)
contents = st.one_of(words, st.lists(parts, max_size=4), st.none())
signed = either({"google": {"thought_signature": "QUJDRA=="}}, {"google": {"thought_signature": "?"}}, {})
calls = record(
    {"function": record({"name": names, "arguments": either("{}", '{"a": 1}', "", "{", "[]", "null")}, {})},
    {"id": ids, "type": either("function", "custom"), "extra_content": signed, "index": st.integers(0, 3)},
)
messages = st.one_of(
    record({"role": either("user", "user", "system", "developer"), "content": contents}, {"name": names}),
    record(
        {"role": either("assistant"), "content": contents},
        {
            "tool_calls": st.lists(calls, max_size=3),
            "reasoning_content": words,
            "reasoning_details": either([{"type": "reasoning.text", "text": "So"}], [{}], []),
            "refusal": words,
            "extra_content": signed,
            "function_call": record({"name": names, "arguments": either("{}")}, {}),
        },
    ),
    record({"role": either("tool", "function"), "content": contents, "tool_call_id": ids}, {"name": names}),
)

KEYWORDS = (
    *("type", "properties", "items", "required", "enum", "const", "anyOf", "oneOf", "allOf", "not", "$ref", "$defs"),
    *("definitions", "additionalProperties", "patternProperties", "prefixItems", "default", "examples", "format"),
    *("minimum", "maxLength", "minItems", "uniqueItems", "title", "description", "nullable", "if", "then", "$schema"),
    *("pattern", "$id", "exclusiveMinimum", "dependencies"),
)
TYPES = ("object", "array", "string", "integer", "number", "boolean", "null", "any")
schemas = st.recursive(
    st.fixed_dictionaries({"type": either(*TYPES) | st.lists(either(*TYPES), max_size=3)})
    | either({}, {"$ref": "#"}, {"$ref": "#/$defs/a"}, {"$ref": "http://evil.com"}),
    lambda inner: st.dictionaries(
        either(*KEYWORDS), inner | st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3) | scalars
    ),
    max_leaves=8,
)
functions = record({"name": names}, {"description": words, "parameters": schemas, "strict": flags})
tools = record({"type": either("function"), "function": functions}, {})
choices = either("auto", "none", "required", {"type": "function", "function": {"name": "get_weather"}})
formats = st.one_of(
    either({"type": "text"}, {"type": "json_object"}),
    record({"type": either("json_schema"), "json_schema": record({"name": names}, {"schema": schemas})}, {}),
)
efforts = either("none", "minimal", "low", "medium", "high", "xhigh")
OPTIONS: dict[str, SearchStrategy[Any]] = {
    "stream": flags,
    "stream_options": record({"include_usage": flags}, {}),
    "tools": st.lists(tools, max_size=4),
    "tool_choice": choices,
    "response_format": formats,
    "reasoning_effort": efforts,
    "reasoning": record({}, {"effort": efforts, "enabled": flags, "max_tokens": numbers, "exclude": flags}),
    "thinking": record({"type": either("enabled", "disabled")}, {"budget_tokens": numbers}),
    "max_tokens": numbers,
    "max_completion_tokens": numbers,
    "temperature": numbers,
    "top_p": numbers,
    "top_k": numbers,
    "seed": st.integers(),
    "n": either(1),
    "stop": words | st.lists(words, max_size=7),
    "parallel_tool_calls": flags,
    "metadata": anything,
    "user": anything,
}
proper_bodies = record({"model": either(*FAMILIES), "messages": st.lists(messages, min_size=1, max_size=6)}, OPTIONS)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Where something stands in a value: the keys and indexes that lead there."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, member in inner for place in places_in(member, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """The value with something else in one place; ``LEFT_OUT`` takes away what is there."""
    if not path:
        return new
    key, *rest = path
    if isinstance(value, list):
        members = [replaced(member, tuple(rest), new) if at == key else member for at, member in enumerate(value)]
        return [member for member in members if member is not LEFT_OUT]
    changed = {**value, key: replaced(value[key], tuple(rest), new)}
    return {name: member for name, member in changed.items() if member is not LEFT_OUT}


@st.composite
def chat_bodies(draw: st.DrawFn) -> Any:
    """A body in which up to three places are not as they should be."""
    body = draw(proper_bodies)
    for _ in range(draw(either(0, 0, 0, 1, 1, 2, 3))):
        place = draw(either(*places_in(body)))
        body = replaced(body, place, draw(anything | deep | st.just(LEFT_OUT) if place else anything))
    return body
