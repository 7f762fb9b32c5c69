"""Which providers there are, and how a model of each is reached.

Nothing is read from the environment: what a setting does not name is not used, whatever
variable the provider's own library knows.
"""

from collections.abc import Mapping

from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles import merge_profile
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers.openai import OpenAIProvider
from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

from bot.engines.model.asking import Form
from bot.engines.model.extra_providers import open_anthropic, open_bedrock, open_google
from bot.engines.model.opened import Open, Opened, hush
from bot.engines.model.transport import guarded_client
from bot.models.servers import Kind, NamedModel

_OPENAI = "https://api.openai.com/v1"
_UNSET = "none"  # the library wants a key; none is sent


def open_openai(named: NamedModel, *, seconds: float) -> Opened:
    """A model behind OpenAI's own interface, or behind one of that kind at its ``url``."""
    hush("openai")
    url, key = named.server.url, named.server.key.get_secret_value()
    headers = {"authorization": f"Bearer {key}"} if key else {}
    http = guarded_client(headers=headers, seconds=seconds)
    client = AsyncOpenAI(
        api_key=key or _UNSET, base_url=url or _OPENAI, http_client=http, max_retries=0
    )
    provider: OpenAIProvider | OpenAICompatibleProvider = OpenAIProvider(openai_client=client)
    if url:
        provider = OpenAICompatibleProvider("openai-compatible", openai_client=client)

    def form(*, native: bool, json_object: bool) -> Form:
        known = OpenAIModelProfile(
            supports_json_schema_output=True,
            supports_json_object_output=json_object,
            openai_chat_supports_max_completion_tokens=not url,
            openai_chat_supports_multiple_system_messages=False,  # many chat templates take one
        )
        profile = merge_profile(provider.model_profile(named.model), known)
        asked = OpenAIChatModel(named.model, provider=provider, profile=profile)
        return Form(model=asked, native=native)

    return Opened(
        forms=(
            form(native=True, json_object=True),
            form(native=False, json_object=True),
            form(native=False, json_object=False),
        ),
        close=http.aclose,
    )


OPENERS: Mapping[Kind, Open] = {
    "openai": open_openai,
    "anthropic": open_anthropic,
    "google": open_google,
    "bedrock": open_bedrock,
}
