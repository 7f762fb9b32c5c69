"""The Web API's answers about people and places, and its refusals."""

import pytest
from slack_sdk.web.async_client import AsyncWebClient

from tests.playground.conftest import ALICE, BOT, GENERAL, Driver, Json, client_of, refusal

HR = "C0HR0000001"


async def raw(driver: Driver, method: str, token: str | None = None, **body: object) -> Json:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = driver.running.api_url + method
    async with driver.session.post(url, json=body, headers=headers) as answer:
        return {"status": answer.status, **await answer.json()}


async def test_tokens_are_checked(driver: Driver) -> None:
    assert (await raw(driver, "auth.test"))["error"] == "not_authed"
    assert (await raw(driver, "auth.test", "xoxb-other"))["error"] == "invalid_auth"
    wrong = await raw(driver, "apps.connections.open", "xoxb-playground")
    assert wrong["error"] == "not_allowed_token_type"
    good = await raw(driver, "auth.test", "xoxb-playground")
    assert (good["status"], good["user_id"], good["team_id"]) == (200, BOT, "T0PLAYGROUND")


async def test_forms_and_json_mean_the_same(driver: Driver) -> None:
    url = f"{driver.running.api_url}chat.postMessage"
    block = '[{"type":"section","text":{"type":"mrkdwn","text":"x"}}]'
    form = {"token": "xoxb-playground", "channel": "#general", "text": "你好", "blocks": block}
    async with driver.session.post(url, data=form) as answer:
        assert (await answer.json())["ok"] is True
    (call,) = (await driver.get("calls", method="chat.postMessage"))["calls"]
    assert call["args"]["blocks"][0]["text"]["text"] == "x"
    assert "token" not in call["args"]
    assert call["response"]["message"]["text"] == "你好"
    assert call["at"] > 1_700_000_000


async def test_unknown_methods_are_the_only_404(driver: Driver) -> None:
    unknown = await raw(driver, "chat.shout", "xoxb-playground")
    assert (unknown["status"], unknown["error"]) == (404, "unknown_method")


async def test_where_the_app_may_write(driver: Driver, client: AsyncWebClient) -> None:
    await driver.post("channels", name="quiet")
    await driver.post("channels", name="secret", is_private=True)
    await driver.post("channels", name="old", members=["alice", "footnote"], is_archived=True)
    for channel, code in {
        "C0NOWHERE": "channel_not_found",
        "secret": "channel_not_found",
        "quiet": "not_in_channel",
        "old": "is_archived",
    }.items():
        assert await refusal(client.chat_postMessage(channel=channel, text="x")) == code


async def test_whose_messages_the_app_may_change(driver: Driver, client: AsyncWebClient) -> None:
    said = await driver.post("say", user="alice", channel="general", text="hi")
    at = {"channel": GENERAL, "ts": said["ts"]}
    assert await refusal(client.chat_update(text="x", **at)) == "cant_update_message"
    assert await refusal(client.chat_delete(**at)) == "cant_delete_message"
    gone = client.chat_update(channel=GENERAL, ts="1.000001", text="x")
    assert await refusal(gone) == "message_not_found"
    lost = client.chat_postMessage(channel=GENERAL, thread_ts="1.000001", text="x")
    assert await refusal(lost) == "thread_not_found"
    replies = client.conversations_replies(channel=GENERAL, ts="1.000001")
    assert await refusal(replies) == "thread_not_found"


async def test_an_update_without_blocks_keeps_them(client: AsyncWebClient, driver: Driver) -> None:
    block = {"type": "section", "text": {"type": "mrkdwn", "text": "x"}}
    sent = await client.chat_postMessage(channel=GENERAL, text="a", blocks=[block])
    ts = str(sent["ts"])
    await client.chat_update(channel=GENERAL, ts=ts, text="b")
    (kept,) = await driver.messages("general", "alice")
    assert (kept["text"], len(kept["blocks"])) == ("b", 1)
    await client.chat_update(channel=GENERAL, ts=ts, text="c", blocks=[])
    (bare,) = await driver.messages("general", "alice")
    assert "blocks" not in bare


async def test_ephemerals_need_membership(client: AsyncWebClient) -> None:
    outside = client.chat_postEphemeral(channel=GENERAL, user="U0CAROL0001", text="x")
    assert await refusal(outside) == "user_not_in_channel"
    nobody = client.chat_postEphemeral(channel=GENERAL, user="U0NOBODY", text="x")
    assert await refusal(nobody) == "user_not_found"


async def test_people_are_described_as_slack_does(client: AsyncWebClient) -> None:
    carol = (await client.users_info(user="U0CAROL0001"))["user"]
    dana = (await client.users_info(user="U0DANA00001"))["user"]
    bot = (await client.users_info(user=BOT))["user"]
    assert (carol["is_restricted"], carol["team_id"]) == (True, "T0PLAYGROUND")
    assert (dana["is_stranger"], dana["team_id"]) == (True, "T0NORTHWIND")
    assert "is_stranger" not in carol
    assert bot["is_bot"] is True
    assert await refusal(client.users_info(user="alice")) == "user_not_found"


async def test_channels_are_described_as_slack_does(client: AsyncWebClient) -> None:
    shared = (await client.conversations_info(channel="C0PARTNERS1", include_num_members=True))[
        "channel"
    ]
    assert (shared["is_ext_shared"], shared["num_members"]) == (True, 4)
    hr = (await client.conversations_info(channel=HR))["channel"]
    assert (hr["is_private"], hr["is_ext_shared"], hr["is_member"]) == (True, False, True)
    assert "members" not in hr
    members = await client.conversations_members(channel=GENERAL)
    assert set(members["members"]) == {ALICE, "U0BOB000001", BOT}


async def test_lists_come_in_pages(client: AsyncWebClient) -> None:
    seen: list[str] = []
    cursor = ""
    while True:
        page = await client.users_list(limit=2, cursor=cursor)
        seen += [user["name"] for user in page["members"]]
        cursor = page["response_metadata"]["next_cursor"]
        if not cursor:
            break
    assert seen == ["footnote", "alice", "bob", "carol", "dana"]
    assert await refusal(client.users_list(cursor="nonsense")) == "invalid_cursor"


async def test_a_direct_message_is_opened_once(client: AsyncWebClient, driver: Driver) -> None:
    first = await client.conversations_open(users=ALICE)
    again = await client.conversations_open(users=[ALICE])
    assert first["channel"]["id"] == again["channel"]["id"]
    await client.chat_postMessage(channel=ALICE, text="psst")
    (seen,) = await driver.messages("dm", "alice")
    assert seen["text"] == "psst"
    assert await driver.messages("@footnote", "bob") == []


async def test_user_groups(client: AsyncWebClient) -> None:
    (group,) = (await client.usergroups_list(include_users=True))["usergroups"]
    assert group["users"] == [ALICE]
    users = await client.usergroups_users_list(usergroup=group["id"])
    assert users["users"] == [ALICE]


async def test_history_is_newest_first_and_cut_by_time(client: AsyncWebClient) -> None:
    sent = [await client.chat_postMessage(channel=GENERAL, text=str(n)) for n in range(3)]
    history = await client.conversations_history(channel=GENERAL, limit=2)
    assert [row["text"] for row in history["messages"]] == ["2", "1"]
    assert history["has_more"] is True
    later = await client.conversations_history(channel=GENERAL, oldest=str(sent[1]["ts"]))
    assert [row["text"] for row in later["messages"]] == ["2"]


async def test_a_file_reaches_only_the_token(driver: Driver, client: AsyncWebClient) -> None:
    files = [{"name": "a.md", "content": "# hi"}]
    said = await driver.post("say", user="alice", channel="general", text="see", files=files)
    (row,) = await driver.messages("general", "alice")
    assert (row["ts"], row["subtype"]) == (said["ts"], "file_share")
    about = (await client.files_info(file=row["files"][0]["id"]))["file"]
    headers = {"Authorization": "Bearer xoxb-playground"}
    async with driver.session.get(about["url_private"], headers=headers) as answer:
        assert await answer.text() == "# hi"
    async with driver.session.get(about["url_private"]) as answer:
        assert answer.status == 404


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
async def test_other_sites_cannot_drive_the_workspace(driver: Driver, origin: str) -> None:
    url = f"{driver.running.url}/playground/say"
    body = {"user": "alice", "channel": "general", "text": "x"}
    async with driver.session.post(url, json=body, headers={"Origin": origin}) as answer:
        assert answer.status == 403
    async with driver.session.get(url, headers={"Host": "evil.example"}) as answer:
        assert answer.status == 403
    assert await driver.messages("general", "alice") == []


async def test_clients_of_two_kinds_agree(driver: Driver) -> None:
    client = client_of(driver.running)
    assert (await client.team_info())["team"]["id"] == driver.running.team_id
    assert (await client.api_test(foo="bar"))["args"] == {"foo": "bar"}
