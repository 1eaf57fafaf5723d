"""What the bodies of the Cloud Code calls look like: message by message, every field there is.

The names of enum types are the ones Google prints in complaints. A field that is not here does not exist.

Source: SPEC.md, "Upstream protocol".
"""

from __future__ import annotations

from .fields import Field, Kind, Messages

STRING = Field(Kind.STRING)
BYTES = Field(Kind.BYTES)
BOOL = Field(Kind.BOOL)
INT32 = Field(Kind.INT32)
INT64 = Field(Kind.INT64)
NUMBER = Field(Kind.NUMBER)
STRUCT = Field(Kind.STRUCT)
VALUE = Field(Kind.VALUE)
STRINGS = Field(Kind.STRING, is_repeated=True)

JSON_TYPES = frozenset({"object", "array", "string", "number", "integer", "boolean", "null"})


def message(name: str) -> Field:
    """Give a field that holds one message."""
    return Field(Kind.MESSAGE, name)


def messages(name: str) -> Field:
    """Give a field that holds a list of messages."""
    return Field(Kind.MESSAGE, name, is_repeated=True)


def message_map(name: str) -> Field:
    """Give a field that holds messages by free names."""
    return Field(Kind.MESSAGE, name, is_map=True)


def enum(name: str, *members: str) -> Field:
    """Give a field that holds one name of a closed set."""
    return Field(Kind.ENUM, name, frozenset(members))


CONTROL_MESSAGES: Messages = {
    "LoadCodeAssistRequest": {
        "metadata": message("ClientMetadata"),
        "cloudaicompanionProject": STRING,
    },
    "ClientMetadata": {
        "ideType": enum(
            "ClientMetadata.IdeType",
            "IDE_UNSPECIFIED",
            "ANTIGRAVITY",
            "VSCODE",
            "VSCODE_CLOUD_WORKSTATION",
            "INTELLIJ",
            "INTELLIJ_CLOUD_WORKSTATION",
            "CLOUD_SHELL",
        ),
        "platform": enum(
            "ClientMetadata.Platform",
            "PLATFORM_UNSPECIFIED",
            "DARWIN_AMD64",
            "DARWIN_ARM64",
            "LINUX_AMD64",
            "LINUX_ARM64",
            "WINDOWS_AMD64",
        ),
        "pluginType": enum("ClientMetadata.PluginType", "PLUGIN_UNSPECIFIED", "CLOUD_CODE", "GEMINI"),
        "ideVersion": STRING,
        "ideName": STRING,
        "pluginVersion": STRING,
        "updateChannel": STRING,
        "duetProject": STRING,
    },
    "ListCloudAICompanionProjectsRequest": {},
    "OnboardUserRequest": {
        "tierId": STRING,
        "metadata": message("ClientMetadata"),
        "cloudaicompanionProject": STRING,
    },
    "FetchAvailableModelsRequest": {"project": STRING},
    "RetrieveUserQuotaSummaryRequest": {"project": STRING},
}
"""Bodies of everything but generation."""

GENERATION_MESSAGES: Messages = {
    "GenerateContentRequest": {
        "project": STRING,
        "model": STRING,
        "request": message("Request"),
        "requestType": STRING,
        "userAgent": STRING,
        "requestId": STRING,
        "enabledCreditTypes": Field(Kind.ENUM, "CreditType", frozenset({"GOOGLE_ONE_AI"}), is_repeated=True),
    },
    "Request": {
        "contents": messages("Content"),
        "systemInstruction": message("Content"),
        "generationConfig": message("GenerationConfig"),
        "tools": messages("Tool"),
        "toolConfig": message("ToolConfig"),
        "sessionId": STRING,
        "labels": Field(Kind.STRING, is_map=True),
    },
    "Content": {"role": STRING, "parts": messages("Part")},
    "Part": {
        "text": STRING,
        "inlineData": message("Blob"),
        "functionCall": message("FunctionCall"),
        "functionResponse": message("FunctionResponse"),
        "thought": BOOL,
        "thoughtSignature": BYTES,
    },
    "Blob": {"mimeType": STRING, "data": BYTES},
    "FunctionCall": {"name": STRING, "args": STRUCT, "id": STRING},
    "FunctionResponse": {"name": STRING, "response": STRUCT, "id": STRING},
    "Tool": {"functionDeclarations": messages("FunctionDeclaration")},
    "FunctionDeclaration": {
        "name": STRING,
        "description": STRING,
        "parameters": message("ToolSchema"),
        "parametersJsonSchema": VALUE,
    },
    "ToolSchema": {
        "type": enum("Type", *JSON_TYPES),
        "description": STRING,
        "properties": message_map("ToolSchema"),
        "required": STRINGS,
        "items": message("ToolSchema"),
        "enum": STRINGS,
    },
    "ToolConfig": {"functionCallingConfig": message("FunctionCallingConfig")},
    "FunctionCallingConfig": {
        "mode": enum("FunctionCallingConfig.Mode", "AUTO", "ANY", "NONE", "VALIDATED"),
        "allowedFunctionNames": STRINGS,
    },
    "GenerationConfig": {
        "temperature": NUMBER,
        "topP": NUMBER,
        "topK": INT32,
        "candidateCount": INT32,
        "maxOutputTokens": INT32,
        "thinkingConfig": message("ThinkingConfig"),
        "responseMimeType": STRING,
        "responseSchema": message("Schema"),
        "stopSequences": STRINGS,
        "seed": INT32,
    },
    "ThinkingConfig": {
        "includeThoughts": BOOL,
        "thinkingBudget": INT32,
        "thinkingLevel": enum("ThinkingConfig.ThinkingLevel", "MINIMAL", "LOW", "MEDIUM", "HIGH"),
    },
    "Schema": {
        "type": enum("Type", *JSON_TYPES, *(name.upper() for name in JSON_TYPES)),
        "format": STRING,
        "title": STRING,
        "description": STRING,
        "nullable": BOOL,
        "enum": STRINGS,
        "items": message("Schema"),
        "minItems": INT64,
        "maxItems": INT64,
        "properties": message_map("Schema"),
        "required": STRINGS,
        "minProperties": INT64,
        "maxProperties": INT64,
        "minLength": INT64,
        "maxLength": INT64,
        "pattern": STRING,
        "example": VALUE,
        "anyOf": messages("Schema"),
        "propertyOrdering": STRINGS,
        "default": VALUE,
        "minimum": NUMBER,
        "maximum": NUMBER,
    },
}
"""The body of ``streamGenerateContent``. ``ToolSchema`` is what the bridge to other vendors' models knows of a
schema, ``Schema`` what an answer format may use."""
