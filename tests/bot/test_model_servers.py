"""Which model a setting names, and whose key goes where."""

import pytest
from pydantic import SecretStr

from bot.errors import SettingsInvalid
from bot.models.servers import ModelServer
from bot.readers import models_by_role
from bot.settings import Settings, load_settings
from rag.ports import Role


def settings(**named: object) -> Settings:
    plain = {"reader": "openai:big", "reader_url": "https://a.example/v1", "reader_key": "sk-a"}
    return load_settings(**{**plain, **named})


def test_without_more_every_role_has_the_same() -> None:
    found = models_by_role(settings())
    assert {named.name for named in found.values()} == {"openai:big"}
    assert {named.server.url for named in found.values()} == {"https://a.example/v1"}


def test_a_role_may_have_another_model_of_the_same_server() -> None:
    found = models_by_role(settings(reader_plan="openai:small"))
    assert (found[Role.PLAN].model, found[Role.ANSWER].model) == ("small", "big")
    assert found[Role.PLAN].server == found[Role.ANSWER].server


def test_a_key_is_for_its_own_provider_alone() -> None:
    servers = {"local": ModelServer(url="http://b.example/v1", key=SecretStr("sk-b"))}
    found = models_by_role(
        settings(reader_plan="local:tiny", reader_select="google:g", reader_servers=servers)
    )
    assert found[Role.PLAN].server.key.get_secret_value() == "sk-b"
    assert found[Role.SELECT].server.key.get_secret_value() == ""
    assert found[Role.SELECT].server.url == ""
    assert found[Role.ANSWER].server.key.get_secret_value() == "sk-a"
    assert "sk-" not in repr(found)


def test_servers_are_read_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FOOTNOTE_READER", "local:tiny")
    monkeypatch.setenv("FOOTNOTE_READER_SERVERS", '{"local": {"url": "http://b.example/v1"}}')
    monkeypatch.setenv("FOOTNOTE_READER_SERVERS__LOCAL__KEY", "sk-b")
    server = models_by_role(load_settings())[Role.SUPPORT].server
    assert (server.kind, server.url) == ("openai", "http://b.example/v1")
    assert server.key.get_secret_value() == "sk-b"


@pytest.mark.parametrize("named", ["big", "openai:", ":big", "nowhere:big"])
def test_a_model_nobody_knows_is_refused_in_words(named: str) -> None:
    with pytest.raises(SettingsInvalid, match="openai:MODEL"):
        models_by_role(settings(reader_answer=named))


@pytest.mark.parametrize("url", ["a.example", "ftp://a.example", "https://me:sk@a.example/v1"])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(SettingsInvalid) as caught:
        settings(reader_url=url)
    assert "sk" not in str(caught.value)
