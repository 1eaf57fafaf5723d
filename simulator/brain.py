"""What the simulated model answers: an echo, a tool call, or JSON, always the same for the same question.

Source: SPEC.md, "Simulator".
"""

from __future__ import annotations

import base64
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import orjson

from .answer import Answer, Part, Usage, count_tokens, is_thought, words
from .generation_rules import JSON_ANSWER
from .json_sample import sample_json
from .models import Family
from .question import choose_tools, proper_name

if TYPE_CHECKING:
    from collections.abc import Callable

    from .memory import Call, SignatureLedger
    from .question import Question, Tool

SIGN_OFF = "(This is the simulator of antigravity-proxy; no Google model was asked.)"
MAX_ECHO = 1_000
"""Characters of the question that are echoed; more would only make the newcomer wait."""
MAX_RESULT = 400
"""Characters of one tool result that are quoted."""

THOUGHTS = (
    "The user wants an answer, and I am a simulator. ",
    "I look at what came in: texts, media, tools. ",
    "Then I say what I got. ",
)
THOUGHTS_BY_LEVEL = {"MINIMAL": 1, "LOW": 1, "MEDIUM": 2, "HIGH": 3}
THOUGHTS_BY_BUDGET = ((1024, 1), (8192, 2))
"""(largest budget, number of thoughts); a larger or dynamic budget gives them all."""

MARKS = ("thought", "thoughtSignature")
"""Fields of a part that say something about it and cost no tokens."""

ONE_PIXEL_PNG = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
"""The picture the simulator answers with when told to; 68 bytes."""


@dataclass(frozen=True, slots=True)
class Brain:
    """Answers questions for one family of models.

    Attributes:
        family: whose habits to follow: Gemini signs, the others give ids to their calls.
        account: e-mail of the account that asks.
        signatures: issues signatures.
        new_id: gives a fresh call id.
    """

    family: Family
    account: str
    signatures: SignatureLedger
    new_id: Callable[[], str]

    def answer(self, question: Question, prompt_tokens: int, cached_tokens: int) -> Answer:
        """Give the whole answer to a question.

        Args:
            question: what is asked.
            prompt_tokens: how many tokens the whole prompt has.
            cached_tokens: how many of them were seen before in the session.
        """
        tools = choose_tools(question)
        parts = [*self._thoughts(question)]
        if tools:
            parts += self.calls(tools, proper_name(question.text))
        else:
            parts.append({"text": stopped(answer_text(question), question.setting("stopSequences", []))})
        kept, is_complete = cut_to_length(parts, question.setting("maxOutputTokens"))
        if is_complete and not tools and self.family is Family.GEMINI and len(kept) > 1:
            kept[-1]["thoughtSignature"] = self.sign()
        return Answer(
            parts=tuple(kept),
            usage=count_usage(kept, prompt_tokens, cached_tokens),
            finish_reason="STOP" if is_complete else "MAX_TOKENS",
        )

    def calls(self, tools: list[Tool], name: str = "") -> list[Part]:
        """Give one call per tool; of parallel calls only the first is signed, as Gemini does it.

        Args:
            tools: what is called.
            name: whom or what the question is about; empty if that is not known.
        """
        parts: list[Part] = []
        for tool in tools:
            call: dict[str, Any] = {
                "name": tool.name,
                "args": sample_json(tool.schema, only_required=True, proper_name=name),
            }
            part: Part = {"functionCall": call}
            if self.family is not Family.GEMINI:
                call["id"] = self.new_id()
            elif not parts:
                part["thoughtSignature"] = self.sign(call)
            parts.append(part)
        return parts

    def sign(self, call: Call | None = None) -> str:
        """Give a signature for a call, or for a text."""
        return self.signatures.issue(self.account, self.family, call)

    def _thoughts(self, question: Question) -> list[Part]:
        parts: list[Part] = [{"text": text, "thought": True} for text in THOUGHTS[: count_thoughts(question)]]
        if parts and self.family is Family.CLAUDE:
            parts[-1]["thoughtSignature"] = self.sign()
        return parts


def count_thoughts(question: Question) -> int:
    """Say how many thoughts the thinking options of a question ask for."""
    thinking: dict[str, Any] = question.setting("thinkingConfig", {})
    if not thinking.get("includeThoughts"):
        return 0
    if "thinkingLevel" in thinking:
        return THOUGHTS_BY_LEVEL[thinking["thinkingLevel"]]
    budget: int = thinking.get("thinkingBudget", -1)
    return next((count for largest, count in THOUGHTS_BY_BUDGET if 0 < budget <= largest), len(THOUGHTS))


def answer_text(question: Question) -> str:
    """Give the answer in words, or in JSON when the question demands it."""
    if question.setting("responseMimeType") == JSON_ANSWER:
        schema: Any = question.setting("responseSchema")
        value = {"echo": question.text} if schema is None else sample_json(schema)
        return orjson.dumps(value).decode()
    sentences = [_quote_result(result) for result in question.results]
    if question.text:
        sentences.append(f"You said: {_shortened(question.text, MAX_ECHO)}")
    if question.media:
        sentences.append(f"I got {describe_media(question.media)}.")
    return "\n".join([*sentences, SIGN_OFF])


def describe_media(media: tuple[tuple[str, int], ...]) -> str:
    """Give, for example, ``2 image/png of 68 and 90 bytes and 1 audio/wav of 2,044 bytes``."""
    groups: list[str] = []
    for mime_type, count in Counter(mime_type for mime_type, _ in media).items():
        sizes = " and ".join(f"{size:,}" for kind, size in media if kind == mime_type)
        groups.append(f"{count} {mime_type} of {sizes} bytes")
    return " and ".join(groups)


def stopped(text: str, sequences: list[str]) -> str:
    """Give the text up to the first stop sequence in it."""
    positions = [position for sequence in sequences if (position := text.find(sequence)) >= 0]
    return text[: min(positions, default=len(text))]


def cut_to_length(parts: list[Part], max_tokens: int | None) -> tuple[list[Part], bool]:
    """Give the parts that fit into a number of tokens, and whether they all do; a call is never cut."""
    left = max_tokens if max_tokens is not None else 2**31
    kept: list[Part] = []
    for part in parts:
        if "text" not in part:
            kept.append(part)
            continue
        pieces = words(part["text"])
        if len(pieces) > left:
            if left:
                kept.append({**part, "text": "".join(pieces[:left])})
            return kept, False
        left -= len(pieces)
        kept.append(part)
    return kept, True


def count_usage(parts: list[Part], prompt_tokens: int, cached_tokens: int) -> Usage:
    """Give the token counts of an answer."""
    return Usage(
        prompt=prompt_tokens,
        cached=min(cached_tokens, prompt_tokens),
        answer=sum(_answer_tokens(part) for part in parts if not is_thought(part)),
        thoughts=sum(len(words(part["text"])) for part in parts if is_thought(part)),
    )


def _answer_tokens(part: Part) -> int:
    return count_tokens({name: value for name, value in part.items() if name not in MARKS}) - 1


def _quote_result(result: dict[str, Any]) -> str:
    quoted = _shortened(orjson.dumps(result["response"]).decode(), MAX_RESULT)
    return f"The tool {result['name']} answered: {quoted}"


def _shortened(text: str, longest: int) -> str:
    if len(text) <= longest:
        return text
    return f"{text[:longest]}… ({len(text) - longest:,} more characters)"
