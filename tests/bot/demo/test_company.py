"""The demo company agrees with the playground's people and with its own files."""

import json
from importlib.resources import files
from typing import Any

import pytest

from bot.audience import Standing
from bot.demo import load_company, load_sources
from bot.demo.company import resource
from rag.values import Kind, Source, SourceStatus


def _workspace() -> Any:
    return json.loads(files("bot.playground").joinpath("workspace.json").read_text("utf-8"))


def _text(source: Source) -> str:
    company = load_company()
    if source.kind is Kind.DOCUMENT:
        return resource("sources", source.ref).read_text("utf-8")
    if source.kind is Kind.EXTERNAL:
        bodies = {article.id: article.body for article in company.articles}
        return resource("articles", bodies[source.ref]).read_text("utf-8")
    notes = {f"knowledge:{company.tenant}:{note.key}": note.text for note in company.knowledge}
    return resource("knowledge", notes[source.ref]).read_text("utf-8")


def test_every_person_has_the_account_the_playground_gives() -> None:
    workspace = _workspace()
    home = workspace["team"]["id"]
    people = {
        user["name"]: f"slack:{user.get('team', home)}:{user['id']}" for user in workspace["users"]
    }
    assert {person.name: person.principal for person in load_company().people} == people
    assert load_company().team == home


def test_guests_and_outsiders_are_what_the_playground_says() -> None:
    workspace = _workspace()
    for user in workspace["users"]:
        expected = Standing.FULL
        if user.get("is_restricted"):
            expected = Standing.GUEST
        if user.get("team"):
            expected = Standing.OUTSIDER
        assert load_company().person(user["name"]).standing is expected


def test_channels_have_the_same_ids_and_people() -> None:
    workspace = _workspace()
    bot = workspace["app"]["bot_user"]
    expected = {
        place["name"]: (place["id"], set(place["members"]) - {bot})
        for place in workspace["channels"]
    }
    channels = load_company().channels
    assert {place.name: (place.id, set(place.members)) for place in channels} == expected


def test_user_groups_have_the_same_ids_and_people() -> None:
    expected = {
        group["handle"]: (group["id"], set(group["members"]))
        for group in _workspace()["usergroups"]
    }
    groups = load_company().groups
    assert {group.name: (group.id, set(group.members)) for group in groups} == expected


def test_the_partners_channel_alone_has_outsiders() -> None:
    company = load_company()
    assert [place.name for place in company.channels if company.outsiders(place)] == ["partners"]


@pytest.mark.parametrize("source", load_sources(), ids=lambda source: source.id)
def test_each_source_is_a_text_of_realistic_length(source: Source) -> None:
    lines = [line for line in _text(source).splitlines() if line.strip()]
    least = 9 if source.kind is Kind.INTERNAL else 20
    assert len(lines) >= least
    assert len(set(lines)) == len(lines), "a sentence stands twice"


@pytest.mark.parametrize("source", load_sources(), ids=lambda source: source.id)
def test_each_title_is_the_one_its_text_carries(source: Source) -> None:
    company = load_company()
    if source.kind is Kind.DOCUMENT:
        assert _text(source).splitlines()[0] == f"# {source.title}"
    elif source.kind is Kind.EXTERNAL:
        assert source.title in {a.title for a in company.articles if a.id == source.ref}
    else:
        assert source.title in {note.title for note in company.knowledge}


def test_readers_are_everyone_but_for_the_private_and_the_hr_source() -> None:
    company = load_company()
    special = {
        source.id: tuple(map(company.reader, source.readers))
        for source in load_sources()
        if source.readers != ("everyone",)
    }
    assert special == {
        "doc-private": (company.person("alice").principal,),
        "hr-payroll": ("channel:C0HR0000001",),
    }


def test_only_the_proposal_is_not_current() -> None:
    others = {s.id: s.status for s in load_sources() if s.status is not SourceStatus.CURRENT}
    assert others == {"doc-r9": SourceStatus.PROPOSED}


def test_all_three_kinds_are_there() -> None:
    assert {source.kind for source in load_sources()} == set(Kind)
