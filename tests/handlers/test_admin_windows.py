"""An admin's forms through a real Bolt app: refused while incomplete, stored once whole."""

import json
from typing import Any

import pytest
from slack_bolt.async_app import AsyncBoltRequest

from handlers.blocks import admin, forms, pieces, review
from handlers.deps import ViewRef
from rag.values import Cutting, SourceStatus
from tests.handlers.heard import TEAM, listening, press

READERS = admin.ReaderFields(offered=(forms.Choice(value="v-1", label="Everyone"),))
SEEN = review.Review(
    title="Rules",
    extent=review.Extent(format="markdown", size=10, characters=10),
    pieces=pieces.Pieces(
        cutting=Cutting.HEADING, offered=(Cutting.HEADING, Cutting.FIXED), first=(), total=0
    ),
    readers=READERS,
    status=SourceStatus.CURRENT,
    token="sealed",
)
SIZES = ("63", "1025", "-64", "64.5", "٦٤", "many")
Values = dict[str, dict[str, Any]]


def sent(view: dict[str, Any], **values: dict[str, Any]) -> dict[str, Any]:
    """``view`` as it is sent off with these inputs filled in."""
    state = {name: {name: held} for name, held in values.items()}
    return {
        "type": "view_submission",
        "team": {"id": TEAM, "domain": "home"},
        "user": {"id": "U2", "team_id": TEAM},
        "view": view | {"id": "V1", "hash": "h1", "state": {"values": state}},
    }


async def answered(body: dict[str, Any]) -> tuple[dict[str, Any], list[tuple[str, Any]]]:
    heard = listening()
    request = AsyncBoltRequest(body=body, mode="socket_mode")
    response = await heard.app.async_dispatch(request)
    assert response.status == 200
    return dict(json.loads(response.body)), heard.calls


ADD = admin.add_form(kinds=["md", "pdf"], token="sealed", language="en")
REVIEW = review.review(SEEN, language="en")
FILE = {"type": "file_input", "files": [{"id": "F1", "name": "a.md"}]}
PEOPLE = {"type": "multi_users_select", "selected_users": ["U3", "U4"]}


async def test_a_whole_form_is_stored_and_the_window_says_that_it_is_being_saved() -> None:
    places = {"type": "multi_conversations_select", "selected_conversations": ["C1"]}
    others = {"type": "multi_static_select", "selected_options": [{"value": "v-1"}]}
    owner = {"type": "plain_text_input", "value": "Facilities"}
    way = {"type": "static_select", "selected_option": {"value": "fixed"}}
    body = sent(REVIEW, people=PEOPLE, places=places, others=others, owner=owner, cutting=way)
    answer, calls = await answered(body)
    assert answer == {"response_action": "update", "view": admin.working(language="en")}
    ((name, (form,)),) = calls
    assert (name, form.sender.user_id, form.sender.team_id) == ("administer", "U2", TEAM)
    assert (form.view, form.token) == (ViewRef(id="V1", hash="h1"), "sealed")
    assert form.fields == {
        "people": ("U3", "U4"),
        "places": ("C1",),
        "others": ("v-1",),
        "owner": ("Facilities",),
        "cutting": ("fixed",),
    }


async def test_a_chosen_file_is_to_be_read_and_the_window_says_so() -> None:
    answer, calls = await answered(sent(ADD, file=FILE))
    assert answer == {"response_action": "update", "view": review.fetching(language="en")}
    ((name, (form,)),) = calls
    assert (name, form.token, form.fields) == ("stage", "sealed", {"file": ("F1",)})


@pytest.mark.parametrize(
    ("view", "values", "lacking"),
    [
        (ADD, {}, {"file"}),
        (ADD, {"file": {"files": "F1"}}, {"file"}),
        (REVIEW, {}, {"others"}),
        (REVIEW, {"people": PEOPLE | {"selected_users": []}}, {"others"}),
        (REVIEW, {"people": None, "others": []}, {"others"}),
        *((REVIEW, {"people": PEOPLE, "tokens": {"value": size}}, {"tokens"}) for size in SIZES),
    ],
)
async def test_what_is_missing_is_said_and_nothing_is_stored(
    view: dict[str, Any], values: Values, lacking: set[str]
) -> None:
    answer, calls = await answered(sent(view, **values))
    assert answer["response_action"] == "errors"
    assert set(answer["errors"]) == lacking
    assert set(answer["errors"]) <= {
        block["block_id"] for block in view["blocks"] if "block_id" in block
    }
    assert calls == []


async def test_a_form_that_could_not_be_stored_is_not_taken() -> None:
    heard = listening(broken=True)
    assert await heard.send(sent(REVIEW, people=PEOPLE)) == 500
    assert await heard.send(sent(ADD, file=FILE)) == 500


async def test_another_way_of_cutting_is_looked_at_in_the_same_window() -> None:
    heard = listening()
    held: Values = {"separator": {"separator": {"type": "plain_text_input", "value": "---"}}}
    held |= {"cutting": {"cutting": {"type": "static_select", "selected_option": None}}}
    view = REVIEW | {"id": "V1", "hash": "h1", "state": {"values": held}}
    body = press("cutting", "", view=view)
    body["actions"][0] |= {"type": "static_select", "selected_option": {"value": "fixed"}}
    assert await heard.send(body) == 200
    look = heard.only("show_admin")
    assert (look.opened, look.token) == (ViewRef(id="V1", hash="h1"), "sealed")
    assert look.fields == {"separator": ("---",), "cutting": ("fixed",)}


async def test_a_file_whose_window_is_closed_is_forgotten() -> None:
    heard = listening()
    body = sent(REVIEW) | {"type": "view_closed", "is_cleared": False}
    assert await heard.send(body) == 200
    assert heard.only("unstage").token == "sealed"


async def test_the_list_sent_off_is_searched() -> None:
    view = admin.source_list(admin.SourcePage(token="sealed"), language="zh")
    words = {"type": "plain_text_input", "value": "payroll"}
    answer, calls = await answered(sent(view, admin_search=words))
    assert answer["response_action"] == "update"
    ((name, (look,)),) = calls
    assert (name, look.token, look.words) == ("find_sources", "sealed", "payroll")
    assert look.opened == ViewRef(id="V1")


async def test_a_search_inside_the_window_keeps_the_window() -> None:
    heard = listening()
    view = {"id": "V1", "hash": "h1", "private_metadata": "sealed"}
    assert await heard.send(press("admin_search", "payroll", view=view)) == 200
    look = heard.only("show_admin")
    assert (look.opened, look.token, look.words) == (
        ViewRef(id="V1", hash="h1"),
        "sealed",
        "payroll",
    )


async def test_a_button_of_the_home_tab_opens_a_window_of_its_own() -> None:
    heard = listening()
    home = {"id": "V9", "type": "home", "hash": "h9"}
    assert await heard.send(press("admin_open_2", "sealed", view=home)) == 200
    assert heard.names == ["open_view", "show_admin"]
    assert heard.calls[1][1][0].opened == ViewRef(id="V1", hash="h1")


async def test_retiring_is_stored() -> None:
    heard = listening()
    view = {"id": "V1", "hash": "h1"}
    assert await heard.send(press("admin_retire", "sealed", view=view)) == 200
    form = heard.only("administer")
    assert (form.token, form.view, form.fields) == ("sealed", ViewRef(id="V1", hash="h1"), {})
