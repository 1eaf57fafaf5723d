"""What a request of the benchmark asks for, and which answer is right.

A scenario travels inside the prompt, as a token such as ``bench:n200:s64:d5:crlf:v3``. Every gateway hands prompts
on, so the fake upstream knows what to send and the load generator what must come back, without any way around the
gateway. Variants have different texts: a gateway that mixes up two streams gives a wrong answer.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import lru_cache

TOKEN = re.compile(rb"bench:n(\d+):s(\d+):d(\d+):(crlf|lf):v(\d+)(?::x([0-9a-f]{8}))?")
TOKEN_START = b"bench:n"

FIRST_MARK = b"BEGIN"
"""The first text starts with this: many gateways send an empty chunk before there is anything to say."""

BLOB_MARK = b"iVBORw0KGgo"
"""Base64 of large requests starts with this, the signature of a PNG."""

STAMP = "@0000000000000000000@"
STAMPS = re.compile(r"@(\d{19})@")
"""Paced texts end with the nanoseconds of CLOCK_MONOTONIC at which they were sent: one clock for the machine."""

VARIANTS = 8
WORDS = ("stream", "token", "proxy", "model", "cloud", "answer", "delta", "latency", "buffer", "event", "kernel")
SPECIAL = '"q"\n\\<b>&\'=\té中🙂 '
"""What JSON must escape, and UTF-8 of two to four bytes."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """One answer.

    Attributes:
        events: how many events upstream sends, each with one text.
        size: characters of each text.
        gap_ms: milliseconds between two events; 0 sends all at once.
        line_end: ``crlf`` or ``lf``, of upstream's stream.
        variant: which texts.
        checksum: CRC-32 of the base64 in the request; upstream answers 400 when it received something else.
    """

    events: int
    size: int = 64
    gap_ms: int = 0
    line_end: str = "crlf"
    variant: int = 0
    checksum: str | None = None

    @property
    def token(self) -> str:
        """What stands in the prompt."""
        end = f":x{self.checksum}" if self.checksum else ""
        return f"bench:n{self.events}:s{self.size}:d{self.gap_ms}:{self.line_end}:v{self.variant}{end}"

    @property
    def sent_texts(self) -> tuple[str, ...]:
        """The texts as upstream sends them: with room for the time where they are paced."""
        plain = texts(self.events, self.size, self.variant)
        return tuple(text + STAMP for text in plain) if self.gap_ms else plain


def find_scenario(body: bytes) -> Scenario | None:
    """The scenario whose token stands in a request body."""
    start = body.find(TOKEN_START)
    found = TOKEN.match(body, start) if start >= 0 else None
    if found is None:
        return None
    events, size, gap_ms, line_end, variant, checksum = found.groups()
    return Scenario(
        int(events), int(size), int(gap_ms), line_end.decode(), int(variant), checksum.decode() if checksum else None
    )


@lru_cache(maxsize=256)
def texts(events: int, size: int, variant: int) -> tuple[str, ...]:
    """The texts of a variant: mostly words, every eighth with what a JSON codec must get right."""
    made: list[str] = []
    seed = 12345 + 7919 * variant
    for index in range(events):
        text = f"{FIRST_MARK.decode()}{variant} " if index == 0 else f"{index}.{variant} "
        if index % 8 == 7:
            text += SPECIAL
        while len(text) < size:
            seed = (seed * 1103515245 + 12345) & 0x7FFFFFFF
            text += WORDS[(seed >> 8) % len(WORDS)] + " "
        made.append(text[: max(size, 8)])
    return tuple(made)


def to_google_json(text: str) -> str:
    """A JSON string as Google writes it: UTF-8 as it is, and ``< > & ' =`` escaped."""
    return re.sub("[<>&'=]", lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def to_event(scenario: Scenario, index: int, text: str, *, is_wrapped: bool) -> str:
    """One event as JSON: the public Gemini API's, or that of Code Assist, which is wrapped."""
    finish = ',"finishReason":"STOP"' if index == scenario.events - 1 else ""
    answer_tokens = 4 * (index + 1)
    inner = (
        f'{{"candidates":[{{"content":{{"role":"model","parts":[{{"text":{to_google_json(text)}}}]}}{finish},'
        f'"index":0}}],'
        f'"usageMetadata":{{"promptTokenCount":17,"candidatesTokenCount":{answer_tokens},'
        f'"totalTokenCount":{17 + answer_tokens},"promptTokensDetails":[{{"modality":"TEXT","tokenCount":17}}]}},'
        f'"modelVersion":"gemini","responseId":"r{scenario.variant}XyAbCdEfGhIjKlMnOp"}}'
    )
    return f'{{"response":{inner},"traceId":"{0xBEEF + scenario.variant:032x}"}}' if is_wrapped else inner
