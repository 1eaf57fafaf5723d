"""Measure how long the schemas of 120 tools of real agents take for each family; exit 1 when that is too long."""

from __future__ import annotations

import itertools
import json
import sys
import time
from pathlib import Path

from antigravity_proxy.translate.schema import FORMS, clean_schema

AGENTS = Path(__file__).parent.parent / "tests/translate/corpus/agents.json"
TOOLS = 120
ATTEMPTS = 5
LIMIT_MS = 50


def main() -> int:
    """Measure each family, and show the best of five beside the limit."""
    entries = json.loads(AGENTS.read_text(encoding="utf-8"))
    schemas = [entry["schema"] for entry in itertools.islice(itertools.cycle(entries), TOOLS)]
    is_slow = False
    for family in FORMS:
        best_ms = min(time_to_clean(schemas, family) for _ in range(ATTEMPTS))
        print(f"{TOOLS} tools for {family:8} {best_ms:5.1f} ms of {LIMIT_MS} ms")
        is_slow = is_slow or best_ms > LIMIT_MS
    return int(is_slow)


def time_to_clean(schemas: list[object], family: str) -> float:
    """Milliseconds that cleaning all schemas takes."""
    started_s = time.perf_counter()
    for schema in schemas:
        clean_schema(schema, family)
    return (time.perf_counter() - started_s) * 1_000


if __name__ == "__main__":
    sys.exit(main())
