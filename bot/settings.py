"""The only place that reads the environment (and an `.env` file beside where you start)."""

import os
from pathlib import Path
from typing import Literal

from platformdirs import user_data_path
from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from bot.errors import SettingsInvalid
from bot.fair_use import ORDINARY, FairUse
from bot.models.servers import EXTRACTIVE, ModelServer
from bot.models.spending import Price, parse_prices
from bot.sources.web_addresses import HOST_LIST, Hosts, hosts_of
from rag.values import Limits


def _default_data() -> Path:
    return user_data_path(appname=None)


_NUMBER = r"\d+(\.\d+)?"
_PRICES = rf"^(\s*[^=,\s]+={_NUMBER}/{_NUMBER}\s*(,|$))*$"


def _named(name: str) -> AliasChoices:
    return AliasChoices(name, name.lower())


class Settings(BaseSettings):
    """Every setting, with its environment name and default. `.env.example` explains each."""

    model_config = SettingsConfigDict(
        env_prefix="FOOTNOTE_",
        env_file=".env",
        env_nested_delimiter="__",
        extra="ignore",
        frozen=True,
        env_ignore_empty=True,
        populate_by_name=True,
    )

    data: Path = Field(default_factory=_default_data)
    tenant: str = ""
    slack_api_url: str = "https://slack.com/api/"
    slack_mode: Literal["socket", "http"] = "socket"
    oauth_client_id: str = ""
    oauth_client_secret: SecretStr = SecretStr("")
    oauth_tenants: Literal["open", "bound"] = "bound"
    public_url: str = Field(default="", pattern=r"^(https?://[^/?#\s@]+/?|)$")
    token_keys: SecretStr = SecretStr("")
    host: str = "127.0.0.1"
    port: int = Field(default=3000, validation_alias=AliasChoices("FOOTNOTE_PORT", "PORT", "port"))
    reader: str = EXTRACTIVE
    reader_url: str = Field(default="", pattern=r"^(https?://[^?#\s@]+|)$")
    reader_key: SecretStr = SecretStr("")
    reader_plan: str = ""
    reader_select: str = ""
    reader_answer: str = ""
    reader_support: str = ""
    reader_enrich: str = ""
    enrich_with_model: bool = False
    reader_servers: dict[str, ModelServer] = Field(default_factory=dict)
    reader_window: int = Field(default=32_768, gt=0)
    reader_output_tokens: int = Field(default=8_192, gt=0, le=8_192)
    reader_daily_tokens: int = Field(default=0, ge=0)
    reader_break_after: int = Field(default=5, ge=0)
    reader_break_seconds: int = Field(default=30, gt=0)
    reader_cache_seconds: int = Field(default=0, ge=0)
    reader_prices: str = Field(default="", pattern=_PRICES)
    search: Literal["tantivy", "lancedb"] = "tantivy"
    object_store: str = Field(default="", pattern=r"^(s3://[^/]|file:///|$)")
    external_url: SecretStr = SecretStr("")
    ocr_languages: str = Field(default="", pattern=r"^(\w+(\+\w+)*)?$")
    web_hosts: str = Field(default="", pattern=HOST_LIST)
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"
    log_format: Literal["text", "json"] = "text"
    metrics_host: str = "127.0.0.1"
    metrics_port: int = Field(default=0, ge=0, le=65535)
    metrics_token: SecretStr = SecretStr("")
    otel_exporter_otlp_endpoint: str = Field(
        default="", validation_alias=_named("OTEL_EXPORTER_OTLP_ENDPOINT")
    )
    context_ttl_seconds: int = Field(default=3600, gt=0)
    membership_cache_seconds: int = Field(default=60, ge=0)
    post_gap_seconds: float = Field(default=1.0, ge=0)
    keep_days: int = Field(default=90, gt=0)
    audit_keep_days: int = Field(default=365, gt=0)
    deletion_log: Path | None = None
    concurrency: int = Field(default=4, gt=0)
    database_connections: int = Field(default=4, ge=2)
    expire_seconds: int = Field(default=3600, gt=0)
    sweep_seconds: int = Field(default=600, gt=0)
    refresh_seconds: int = Field(default=3600, ge=0)
    mention_only: bool = False
    fair_use: FairUse = ORDINARY
    contact: str = ""
    admins: str = ""
    limits: Limits = Limits()

    database_url: SecretStr = Field(default=SecretStr(""), validation_alias=_named("DATABASE_URL"))
    redis_url: SecretStr = Field(default=SecretStr(""), validation_alias=_named("REDIS_URL"))
    slack_bot_token: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("SLACK_BOT_TOKEN")
    )
    slack_app_token: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("SLACK_APP_TOKEN")
    )
    slack_signing_secret: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("SLACK_SIGNING_SECRET")
    )
    slack_signing_secret_previous: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("SLACK_SIGNING_SECRET_PREVIOUS")
    )

    aws_access_key_id: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("AWS_ACCESS_KEY_ID")
    )
    aws_secret_access_key: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("AWS_SECRET_ACCESS_KEY")
    )
    aws_endpoint_url: SecretStr = Field(
        default=SecretStr(""), validation_alias=_named("AWS_ENDPOINT_URL")
    )
    aws_region: SecretStr = Field(default=SecretStr(""), validation_alias=_named("AWS_REGION"))

    @property
    def oauth(self) -> bool:
        """Whether workspaces install us by OAuth; one bot token is enough without."""
        named = self.oauth_client_id and self.oauth_client_secret.get_secret_value()
        return bool(named) and not self.slack_bot_token.get_secret_value()

    @property
    def fernet_keys(self) -> tuple[str, ...]:
        """The keys that encrypt tokens, the newest first."""
        keys = self.token_keys.get_secret_value().split(",")
        return tuple(key.strip() for key in keys if key.strip())

    @property
    def object_options(self) -> dict[str, str]:
        """How the object storage is reached, as far as it is said."""
        said = {
            "access_key_id": self.aws_access_key_id,
            "secret_access_key": self.aws_secret_access_key,
            "endpoint": self.aws_endpoint_url,
            "region": self.aws_region,
        }
        return {
            name: value.get_secret_value()
            for name, value in said.items()
            if value.get_secret_value()
        }

    @property
    def named_admins(self) -> tuple[str, ...]:
        """Who may look after the sources, as principals or short names."""
        return tuple(name.strip() for name in self.admins.split(",") if name.strip())

    @property
    def page_hosts(self) -> Hosts:
        """The hosts whose pages may be sources."""
        return hosts_of(self.web_hosts)

    @property
    def prices(self) -> dict[str, Price]:
        """What models cost, by their names."""
        return parse_prices(self.reader_prices)

    @property
    def home(self) -> Path:
        """Where all of Footnote's own files lie."""
        return self.data.expanduser().absolute() / "footnote"

    @property
    def deletions_path(self) -> Path:
        """The log of deletions: where `FOOTNOTE_DELETION_LOG` says, or in the data folder."""
        return self.deletion_log or self.home / "deletions.log"

    @property
    def record_url(self) -> str:
        """The SQL record: what `DATABASE_URL` says, or a SQLite file in the data folder."""
        return self.database_url.get_secret_value() or f"sqlite:///{self.home / 'footnote.db'}"


def load_settings(**overrides: object) -> Settings:
    """Read the environment once.

    Raises `SettingsInvalid` with one line a wrong setting; values are never shown.
    """
    try:
        return Settings(**overrides)  # type: ignore[arg-type] # pydantic checks each value itself
    except ValidationError as error:
        wrong = [
            f"{'.'.join(str(part) for part in issue['loc'])}: {issue['msg']}"
            for issue in error.errors(include_input=False, include_url=False)
        ]
        raise SettingsInvalid("\n".join(wrong)) from None


def child_environment(**changes: str) -> dict[str, str]:
    """This process's environment with ``changes``, for a program started by us."""
    return {**os.environ, **changes}
