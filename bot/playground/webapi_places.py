"""``conversations.*``, ``users.*``, ``usergroups.*`` and the small ones."""

from .errors import SlackError
from .files import described
from .messages import history, public, thread
from .state import Json
from .webapi import Method, truthy
from .workspace import Workspace, check_member, find_channel, find_user, open_dm

_MAX_PAGE = 1000


def page(rows: list[Json], args: Json, *, key: str, default: int = 100) -> Json:
    """One page of rows under ``key`` with a cursor for the next.

    Raises invalid_limit and invalid_cursor.
    """
    size, start = _number(args, "limit", default), 0
    if args.get("cursor"):
        start = _cursor(str(args["cursor"]))
    size = min(size or default, _MAX_PAGE)
    end = start + size
    following = f"next:{end}" if end < len(rows) else ""
    return {key: rows[start:end], "response_metadata": {"next_cursor": following}}


def _number(args: Json, name: str, default: int) -> int:
    try:
        return int(args.get(name) or default)
    except ValueError as error:
        raise SlackError(f"invalid_{name}") from error


def _cursor(cursor: str) -> int:
    position = cursor.removeprefix("next:")
    if not position.isdigit():
        raise SlackError("invalid_cursor")
    return int(position)


def _readable(workspace: Workspace, args: Json) -> Json:
    """A channel the app may look at: any public one, or one it is in."""
    channel = find_channel(workspace, args.get("channel"))
    if channel["is_private"]:
        check_member(channel, workspace.bot_user)
    return channel


def _shown(workspace: Workspace, channel: Json) -> Json:
    row = {key: value for key, value in channel.items() if key != "members"}
    return row | {"is_member": workspace.bot_user in channel["members"]}


def channel_info(workspace: Workspace, args: Json) -> Json:
    channel = _readable(workspace, args)
    shown = _shown(workspace, channel)
    if truthy(args.get("include_num_members")):
        shown["num_members"] = len(channel["members"])
    return {"channel": shown}


def channel_list(workspace: Workspace, args: Json) -> Json:
    types = str(args.get("types") or "public_channel").split(",")
    archived = not truthy(args.get("exclude_archived"))
    rows = [
        _shown(workspace, row) | {"num_members": len(row["members"])}
        for row in workspace.state.rows("channel").values()
        if _type(row) in types and (archived or not row["is_archived"]) and _known(workspace, row)
    ]
    return page(rows, args, key="channels")


def _type(channel: Json) -> str:
    if channel["is_im"]:
        return "im"
    return "private_channel" if channel["is_private"] else "public_channel"


def _known(workspace: Workspace, channel: Json) -> bool:
    return not channel["is_private"] or workspace.bot_user in channel["members"]


def channel_members(workspace: Workspace, args: Json) -> Json:
    channel = _readable(workspace, args)
    rows = [{"id": ident} for ident in channel["members"]]
    answer = page(rows, args, key="members")
    return answer | {"members": [row["id"] for row in answer["members"]]}


def channel_open(workspace: Workspace, args: Json) -> Json:
    if args.get("channel"):
        channel = find_channel(workspace, args["channel"])
        return {"channel": {"id": channel["id"]}}
    users = args.get("users") or ""
    names = users if isinstance(users, list) else str(users).split(",")
    if names in ([], [""]):
        raise SlackError("users_list_not_supplied")
    if len(names) > 1:
        raise SlackError("method_not_supported_for_channel_type")
    user = find_user(workspace, names[0])
    if user["is_bot"]:
        raise SlackError("cannot_dm_bot")
    if user["deleted"]:
        raise SlackError("user_disabled")
    channel = open_dm(workspace, user["id"])
    full = truthy(args.get("return_im"))
    return {"channel": _shown(workspace, channel) if full else {"id": channel["id"]}}


def _stretch(rows: list[Json], args: Json) -> list[Json]:
    oldest, latest = str(args.get("oldest") or "0"), str(args.get("latest") or "9" * 10)
    inclusive = truthy(args.get("inclusive"))
    edges = {oldest, latest} if inclusive else set()
    return [row for row in rows if oldest < row["ts"] < latest or row["ts"] in edges]


def channel_history(workspace: Workspace, args: Json) -> Json:
    channel = _readable(workspace, args)
    check_member(channel, workspace.bot_user)
    rows = list(reversed(_stretch(history(workspace, channel), args)))
    return _messages(rows, args)


def channel_replies(workspace: Workspace, args: Json) -> Json:
    channel = _readable(workspace, args)
    check_member(channel, workspace.bot_user)
    rows = thread(workspace, channel, str(args.get("ts")))
    if not rows:
        raise SlackError("thread_not_found")
    return _messages([rows[0], *_stretch(rows[1:], args)], args)


def _messages(rows: list[Json], args: Json) -> Json:
    metadata = truthy(args.get("include_all_metadata"))
    answer = page([public(row, metadata=metadata) for row in rows], args, key="messages")
    more = bool(answer["response_metadata"]["next_cursor"])
    return answer | {"has_more": more}


def user_info(workspace: Workspace, args: Json) -> Json:
    ident = str(args.get("user") or "")
    user = workspace.state.get("user", ident)
    if user is None:
        raise SlackError("user_not_found")
    return {"user": user}


def user_list(workspace: Workspace, args: Json) -> Json:
    rows = list(workspace.state.rows("user").values())
    return page(rows, args, key="members", default=200)


def group_list(workspace: Workspace, args: Json) -> Json:
    rows = list(workspace.state.rows("usergroup").values())
    if truthy(args.get("include_users")):
        return {"usergroups": rows}
    return {"usergroups": [{k: v for k, v in row.items() if k != "users"} for row in rows]}


def group_users(workspace: Workspace, args: Json) -> Json:
    group = workspace.state.get("usergroup", str(args.get("usergroup")))
    if group is None:
        raise SlackError("no_such_subteam")
    return {"users": group["users"]}


def team_info(workspace: Workspace, _args: Json) -> Json:
    team = workspace.description.team
    return {"team": {"id": team.id, "name": team.name, "domain": team.domain, "icon": {}}}


def auth_test(workspace: Workspace, _args: Json) -> Json:
    app, team = workspace.description.app, workspace.description.team
    return {
        "url": f"{workspace.base}/",
        "team": team.name,
        "user": app.bot_user,
        "team_id": team.id,
        "user_id": app.bot_user_id,
        "bot_id": app.bot_id,
        "is_enterprise_install": False,
    }


def api_test(_workspace: Workspace, args: Json) -> Json:
    if args.get("error"):
        raise SlackError(str(args["error"]), args=args)
    return {"args": args}


def file_info(workspace: Workspace, args: Json) -> Json:
    row = workspace.state.get("file", str(args.get("file")))
    if row is None:
        raise SlackError("file_not_found")
    return {"file": described(row)}


METHODS: dict[str, Method] = {
    "api.test": api_test,
    "auth.test": auth_test,
    "conversations.history": channel_history,
    "conversations.info": channel_info,
    "conversations.list": channel_list,
    "conversations.members": channel_members,
    "conversations.open": channel_open,
    "conversations.replies": channel_replies,
    "files.info": file_info,
    "team.info": team_info,
    "usergroups.list": group_list,
    "usergroups.users.list": group_users,
    "users.info": user_info,
    "users.list": user_list,
}
