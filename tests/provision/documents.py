"""Configuration files as people write them: random, valid, in every style that their syntax has."""

from __future__ import annotations

from hypothesis import strategies as st

YAML_SCALARS = (
    "word", "two words", "1", "-2", "true", "~", "null", "", "'it''s'", '"a\\"b # c"', "!!js 'x => x'", "!tag v",
    "http://127.0.0.1:8080/v1", "[a, b]", "[]", "{}", "{a: 1, b: [x, {c: d}]}", "{ a: 1, }", "é 😀", "x:y",
    "long\n{more} continued", '"quoted\n{more} continued"',
)  # fmt: skip
"""Values that stand behind a key; ``{more}`` is a deeper indent."""

BLOCK_SCALARS = ("|\n{more}one\n{more}two", ">-\n{more}folded\n\n{more}more", "|+\n{more}kept\n\n", "|2\n{more}  x")
COMMENTS = ("", "", "", "  # why", " #", "  # - {x: [y")
GAPS = ("", "", "", "\n", "# a line: of its own\n", "    # deep\n", "\n# two\n\n")
JSON_SCALARS = ("1", "-2.5", "true", "null", '"text"', '"// no comment"', '"a\\"b"', "[]", "{}", '"é😀"', "1e5")
JSON_GAPS = ("", "", " ", "\n", " // why\n", " /* a, b } */ ", "\n\t", "\r\n")


@st.composite
def yaml_mappings(draw: st.DrawFn, indent: int = 0, depth: int = 2, first: str | None = None) -> str:
    """A block mapping; ``first`` is one key that it must have among others."""
    keys = [f"k{number}" for number in range(draw(st.integers(0 if first else 1, 3)))]
    if first is not None:
        keys.insert(draw(st.integers(0, len(keys))), first)
    return "".join(draw(yaml_entries(key, indent, depth, is_parent=key == first)) for key in keys)


@st.composite
def yaml_entries(draw: st.DrawFn, key: str, indent: int, depth: int, *, is_parent: bool = False) -> str:
    """One entry of a block mapping."""
    pad = " " * indent
    gap = draw(st.sampled_from(GAPS))
    written = draw(st.sampled_from((key, f'"{key}"', f"{key} "))) if not is_parent else key
    kinds = ["scalar", "block", "mapping", "list"] if depth else ["scalar", "block"]
    kind = draw(st.sampled_from(["empty", "mapping", "flow"] if is_parent else kinds))
    comment = draw(st.sampled_from(COMMENTS))
    more = pad + " " * draw(st.integers(2, 4))
    if kind == "empty":
        return f"{gap}{pad}{written}:{draw(st.sampled_from(('', ' {}', ' null', ' ~', ' { }')))}{comment}\n"
    if kind == "flow":
        flow = draw(
            st.sampled_from(("{a: 1}", "{a: 1, }", "{ a: {b: c} }", "{a: 1,  # why\n" + more + "b: 2\n" + pad + " }"))
        )
        return f"{gap}{pad}{written}: {flow}{comment}\n"
    if kind == "scalar":
        value = draw(st.sampled_from(YAML_SCALARS)).replace("{more}", more)
        return f"{gap}{pad}{written}: {value}{comment}\n"
    if kind == "block":
        return f"{gap}{pad}{written}: {draw(st.sampled_from(BLOCK_SCALARS)).replace('{more}', more)}\n"
    if kind == "list":
        dash = pad if draw(st.booleans()) else more
        items: list[str] = draw(
            st.lists(
                st.sampled_from(("a", "'b'", "", "[x]", "{id: y}", f"id: z\n{dash}  w: v")), min_size=1, max_size=3
            )
        )
        return f"{gap}{pad}{written}:{comment}\n" + "".join(f"{dash}- {item}\n" for item in items)
    return f"{gap}{pad}{written}:{comment}\n{draw(yaml_mappings(len(more), depth - 1))}"


@st.composite
def yaml_documents(draw: st.DrawFn, parent: str) -> str:
    """A YAML document, with or without the key ``parent``."""
    head = draw(st.sampled_from(("", "", "\ufeff", "# mine\n", "---\n", "%YAML 1.2\n---\n")))
    body = draw(st.one_of(st.just(""), yaml_mappings(), yaml_mappings(first=parent)))
    text = head + body + draw(st.sampled_from(("", "", "\n", "# end", "# end\n")))
    if draw(st.booleans()):
        text = text.replace("\n", "\r\n")
    return text.rstrip("\r\n") if body and draw(st.integers(0, 4)) == 0 else text


@st.composite
def json_objects(draw: st.DrawFn, depth: int = 2, first: str | None = None) -> str:
    """An object; ``first`` is one key that it must have among others."""
    keys = [f"k{number}" for number in range(draw(st.integers(0, 3)))]
    if first is not None:
        keys.insert(draw(st.integers(0, len(keys))), first)
    gaps = st.sampled_from(JSON_GAPS)
    entries: list[str] = []
    for key in keys:
        scalars = st.sampled_from(JSON_SCALARS)
        if key == first:
            value = draw(st.one_of(st.just("null"), st.just("{}"), json_objects(depth=1)))
        else:
            value = (
                draw(st.one_of(scalars, json_objects(depth - 1), json_lists(depth - 1))) if depth else draw(scalars)
            )
        entries.append(f'{draw(gaps)}"{key}"{draw(gaps)}:{draw(gaps)}{value}{draw(gaps)}')
    has_comma = draw(st.booleans())
    trailing = "," + draw(gaps) if entries and has_comma else draw(gaps)
    return "{" + ",".join(entries) + trailing + "}"


@st.composite
def json_lists(draw: st.DrawFn, depth: int = 1) -> str:
    """A list."""
    scalars = st.sampled_from(JSON_SCALARS)
    items = draw(st.lists(st.one_of(scalars, json_objects(depth - 1)) if depth else scalars, max_size=2))
    has_comma = draw(st.booleans())
    return "[" + ",".join(items) + ("," if items and has_comma else "") + "]"


@st.composite
def json_documents(draw: st.DrawFn, parent: str) -> str:
    """A JSON document with comments, with or without the key ``parent``."""
    head = draw(st.sampled_from(("", "", "\ufeff", "// mine\n", "/* mine */ ")))
    body = draw(st.one_of(json_objects(), json_objects(first=parent)))
    return head + body + draw(st.sampled_from(("", "\n", "\r\n", " // end\n")))


SHARED_SCALARS = (
    "1", "x", "'y'", "true", "[]", "{}", "local", "http://127.0.0.1:51122/v1", "http://127.0.0.1:1/v1",
    "https://api.example.com/v1",
)  # fmt: skip

SHARED_KEYS = ("base_url", "api_key", "name", "models", "k", "antigravity")


@st.composite
def yaml_values_with_names(draw: st.DrawFn, names: list[str], depth: int = 2) -> str:
    """A value with anchors, aliases and merge keys; ``names`` are those given so far."""
    if names and draw(st.integers(0, 3)) == 0:
        return f"*{draw(st.sampled_from(names))}"
    name = draw(st.sampled_from(("", "", "a", "b", "c")))
    kind = draw(st.sampled_from(("scalar", "mapping", "list"))) if depth else "scalar"
    if kind == "scalar":
        text = draw(st.sampled_from(SHARED_SCALARS))
    elif kind == "list":
        items = [draw(yaml_values_with_names(names, depth - 1)) for _ in range(draw(st.integers(0, 2)))]
        text = f"[{', '.join(items)}]"
    else:
        keys = draw(st.lists(st.sampled_from(SHARED_KEYS), unique=True))
        entries = [f"{key}: {draw(yaml_values_with_names(names, depth - 1))}" for key in keys]
        has_merge: bool = draw(st.booleans())
        if names and has_merge:
            entries.append(f"<<: *{draw(st.sampled_from(names))}")
        text = f"{{{', '.join(entries)}}}"
    if name:
        names.append(name)
    return f"&{name} {text}" if name else text


@st.composite
def yaml_documents_with_names(draw: st.DrawFn) -> str:
    """A document in which much is shared, with the key ``providers``."""
    names: list[str] = []
    keys = draw(st.permutations(("t0", "t1", "providers", "t2")))
    lines: list[str] = []
    for key in keys:
        if key != "providers":
            lines.append(f"{key}: {draw(yaml_values_with_names(names))}")
            continue
        own = draw(st.sampled_from(("", "", " &a")))
        lines.append(f"providers:{own}")
        inner = draw(st.lists(st.sampled_from(("other", "antigravity", "more")), unique=True))
        lines += [f"  {name}: {draw(yaml_values_with_names(names))}" for name in inner]
        if own:
            names.append("a")
    return "\n".join(lines) + "\n"
