"""Which model of which server reads, as a setting names it: `openai:MODEL`, `NAME:MODEL`."""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, SecretStr

from bot.errors import SettingsInvalid
from rag.values import Value

EXTRACTIVE = "extractive"

Kind = Literal["openai", "anthropic", "google", "bedrock"]
KINDS: tuple[Kind, ...] = ("openai", "anthropic", "google", "bedrock")


class ModelServer(Value):
    """Where models are asked; without ``url`` at the provider's own address.

    ``region`` is Bedrock's alone, and so is the kind of its ``key``: an API key of Bedrock's.
    """

    kind: Kind = "openai"
    url: str = Field(default="", pattern=r"^(https?://[^?#\s@]+|)$")
    key: SecretStr = SecretStr("")
    region: str = ""


class NamedModel(Value):
    """One model of one server; ``name`` is what traces and the doctor call it."""

    name: str
    model: str
    server: ModelServer

    @property
    def where(self) -> str:
        """The model together with where it is asked, as replies are told apart by it."""
        return f"{self.name} {self.server.kind} {self.server.url}"


def named_model(
    text: str, *, own: str, url: str, key: SecretStr, servers: Mapping[str, ModelServer]
) -> NamedModel:
    """The model that a setting names.

    ``url`` and ``key`` belong to the prefix of ``own``, the main setting, and to no other:
    a key is never sent to another provider. Raises `SettingsInvalid`.
    """
    prefix, _, model = text.partition(":")
    if not model or prefix not in {*KINDS, *servers}:
        known = ", ".join([EXTRACTIVE, *(f"{name}:MODEL" for name in (*KINDS, *servers))])
        raise SettingsInvalid(f"FOOTNOTE_READER: {text} is none of: {known}")
    if prefix in servers:
        return NamedModel(name=text, model=model, server=servers[prefix])
    of_own = prefix == own.partition(":")[0]
    server = ModelServer.model_validate(
        {"kind": prefix, "url": url if of_own else "", "key": key if of_own else ""}
    )
    return NamedModel(name=text, model=model, server=server)
