"""Providers that are extras: loaded where a setting names one, so nothing of theirs is typed."""

from typing import Any

from pydantic_ai.models import Model as ProviderModel

from bot.engines.model.asking import Form
from bot.engines.model.opened import Opened, hush
from bot.engines.model.transport import guarded_client
from bot.errors import SettingsInvalid
from bot.extras import load
from bot.models.servers import NamedModel

_ANTHROPIC = "https://api.anthropic.com"
_GOOGLE = "https://generativelanguage.googleapis.com"


def open_anthropic(named: NamedModel, *, seconds: float) -> Opened:
    """A model of Anthropic's. Raises `SettingsInvalid`."""
    hush("anthropic")
    sdk, models, providers = (
        _load(named, name)
        for name in ("anthropic", "pydantic_ai.models.anthropic", "pydantic_ai.providers.anthropic")
    )
    key = _key(named)
    http = guarded_client(
        headers={"x-api-key": key},
        keep=frozenset({"anthropic-version", "anthropic-beta"}),
        seconds=seconds,
    )
    client = sdk.AsyncAnthropic(
        api_key=key, base_url=named.server.url or _ANTHROPIC, http_client=http, max_retries=0
    )
    provider = providers.AnthropicProvider(anthropic_client=client)
    return Opened(forms=_forms(models.AnthropicModel, named, provider), close=http.aclose)


def open_google(named: NamedModel, *, seconds: float) -> Opened:
    """A model of Google's Gemini interface. Raises `SettingsInvalid`."""
    hush("google_genai")
    types, models, providers = (
        _load(named, name)
        for name in (
            "google.genai.types",
            "pydantic_ai.models.google",
            "pydantic_ai.providers.google",
        )
    )
    key = _key(named)
    http = guarded_client(headers={"x-goog-api-key": key}, seconds=seconds)
    provider = providers.GoogleProvider(
        api_key=key,
        base_url=named.server.url or _GOOGLE,
        http_client=http,
        retry_options=types.HttpRetryOptions(attempts=1),
    )
    return Opened(forms=_forms(models.GoogleModel, named, provider), close=http.aclose)


def open_bedrock(named: NamedModel, *, seconds: float) -> Opened:
    """A model of Amazon's Bedrock, by an API key of Bedrock's. Raises `SettingsInvalid`."""
    hush("botocore", "boto3", "urllib3")
    core, session, models, providers = (
        _load(named, name)
        for name in (
            "botocore.config",
            "botocore.session",
            "pydantic_ai.models.bedrock",
            "pydantic_ai.providers.bedrock",
        )
    )
    if not named.server.region:
        raise SettingsInvalid(f"{named.name}: name its region in FOOTNOTE_READER_SERVERS")
    url = named.server.url or f"https://bedrock-runtime.{named.server.region}.amazonaws.com"
    if not url.startswith("https://"):
        raise SettingsInvalid(f"{named.name}: Bedrock is asked over https alone")
    made = session.Session()
    made.register_component("token_provider", _Bearer(_key(named)))
    client = made.create_client(
        "bedrock-runtime",
        region_name=named.server.region,
        endpoint_url=url,
        config=core.Config(
            signature_version="bearer",
            connect_timeout=5,
            read_timeout=seconds,
            retries={"total_max_attempts": 1},
            proxies={},
        ),
    )

    async def close() -> None:
        client.close()

    provider = providers.BedrockProvider(bedrock_client=client)
    return Opened(forms=_forms(models.BedrockConverseModel, named, provider), close=close)


class _Bearer:
    """Hands botocore the named key, whatever the environment holds."""

    def __init__(self, key: str) -> None:
        self._key = key

    def load_token(self, **_named: object) -> Any:
        tokens = load("botocore.tokens", setting="FOOTNOTE_READER=bedrock:…", extra="bedrock")
        return tokens.FrozenAuthToken(self._key)


def _load(named: NamedModel, module: str) -> Any:
    kind = named.server.kind
    return load(module, setting=f"FOOTNOTE_READER={kind}:…", extra=kind)


def _key(named: NamedModel) -> str:
    key = named.server.key.get_secret_value()
    if not key:
        raise SettingsInvalid(
            f"{named.name} needs a key: FOOTNOTE_READER_KEY for the provider of FOOTNOTE_READER, "
            "else one in FOOTNOTE_READER_SERVERS"
        )
    return key


def _forms(made: Any, named: NamedModel, provider: Any) -> tuple[Form, ...]:
    """The schema itself where the library knows that the model takes it, then words."""
    asked: ProviderModel = made(named.model, provider=provider)
    words = Form(model=asked, native=False)
    if not asked.profile.get("supports_json_schema_output", False):
        return (words,)
    return (Form(model=asked, native=True), words)
