"""OAuth v2: the page that asks a person, the code it gives, and the token for that code.

``GET /oauth/v2/authorize`` → Allow or Cancel → the app's redirect address with ``code``
or ``error=access_denied`` → ``oauth.v2.access``. The redirect address must be one of
those registered, letter for letter; a code is good once and for ten minutes.
"""

import base64
import time
from collections.abc import Sequence
from html import escape
from urllib.parse import urlencode, urlsplit

from aiohttp import web

from .errors import SlackError
from .events import emit
from .json_api import Call
from .state import Json
from .tokens import new_bot_token, revoke_all
from .webapi import answer_call, decode
from .workspace import Workspace, token

_CODE_SECONDS = 600
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:32em;margin:10vh auto;padding:0 1em}"
    "fieldset{border:1px solid #bbb;border-radius:6px;margin:1em 0}button{font:inherit;"
    "padding:.6em 1.4em;margin-right:.6em}"
)
_LOOK = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"
    ),
}


def add_oauth(app: web.Application, workspaces: Sequence[Workspace]) -> None:
    """The two pages and the method, for an app that any of these workspaces may install."""

    async def authorize(request: web.Request) -> web.StreamResponse:
        return _ask(workspaces, request)

    async def decide(request: web.Request) -> web.StreamResponse:
        return await _decided(workspaces, request)

    async def access(request: web.Request) -> web.StreamResponse:
        return await _access(workspaces, request)

    app.router.add_get("/oauth/v2/authorize", authorize)
    app.router.add_post("/oauth/v2/authorize", decide)
    app.router.add_post("/api/oauth.v2.access", access)


def redirect_addresses(workspace: Workspace) -> tuple[str, ...]:
    """What the app's settings call "Redirect URLs"."""
    changed = workspace.state.get("setting", "redirect_urls")
    return tuple(changed["value"]) if changed else workspace.settings.redirect_urls


def _wrong(workspaces: Sequence[Workspace], asked: Json) -> str:
    """What is wrong with a request for permission, in Slack's words."""
    if asked.get("client_id") != workspaces[0].settings.client_id:
        return "invalid_client_id"
    if asked.get("redirect_uri") not in redirect_addresses(workspaces[0]):
        return "bad_redirect_uri"
    return "" if asked.get("scope") else "invalid_scope"


def _ask(workspaces: Sequence[Workspace], request: web.Request) -> web.Response:
    asked: Json = dict(request.query)
    if wrong := _wrong(workspaces, asked):
        return _page(f"<h1>Something went wrong</h1><p>{escape(wrong)}</p>", status=400)
    app = workspaces[0].description.app
    kept = "".join(
        f'<input type="hidden" name="{name}" value="{escape(str(asked.get(name) or ""))}">'
        for name in ("client_id", "redirect_uri", "scope", "state")
    )
    teams = "".join(
        f'<label><input type="radio" name="team" value="{one.team_id}"'
        f"{' checked' if number == 0 else ''}> {escape(one.description.team.name)}</label><br>"
        for number, one in enumerate(workspaces)
    )
    scopes = "".join(f"<li>{escape(name)}</li>" for name in str(asked["scope"]).split(","))
    return _page(
        f"<h1>{escape(app.name)} is requesting permission to access a Slack workspace</h1>"
        f'<form method="post">{kept}<fieldset><legend>Workspace</legend>{teams}</fieldset>'
        f"<details><summary>What will {escape(app.name)} be able to do?</summary><ul>{scopes}"
        '</ul></details><p><button name="decision" value="cancel">Cancel</button>'
        '<button name="decision" value="allow">Allow</button></p></form>'
    )


def _page(body: str, *, status: int = 200) -> web.Response:
    head = f'<meta charset="utf-8"><title>Playground</title><style>{_STYLE}</style>'
    text = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    return web.Response(text=text, status=status, content_type="text/html", headers=_LOOK)


async def _decided(workspaces: Sequence[Workspace], request: web.Request) -> web.Response:
    asked = await decode(request)
    if wrong := _wrong(workspaces, asked):
        return _page(f"<h1>Something went wrong</h1><p>{escape(wrong)}</p>", status=400)
    answer = {"state": str(asked.get("state") or "")}
    if asked.get("decision") == "allow":
        chosen = [one for one in workspaces if one.team_id == asked.get("team")]
        answer["code"] = await _code(chosen[0] if chosen else workspaces[0], asked)
    else:
        answer["error"] = "access_denied"
    target = str(asked["redirect_uri"])
    joined = f"{target}{'&' if urlsplit(target).query else '?'}{urlencode(answer)}"
    return web.Response(status=302, headers={"Location": joined, "Cache-Control": "no-store"})


async def _code(workspace: Workspace, asked: Json) -> str:
    made = f"{workspace.team_id}.{token(32)}"
    row = {"redirect_uri": asked["redirect_uri"], "scope": asked["scope"], "at": time.time()}
    workspace.state.put("code", made, row)
    await workspace.state.save()
    return made


async def _access(workspaces: Sequence[Workspace], request: web.Request) -> web.Response:
    try:
        args = await decode(request)
    except SlackError as error:
        return web.json_response(error.answer())
    client = _client(request, args)
    args = {key: value for key, value in args.items() if key != "client_secret"}
    found = [one for one in workspaces if one.state.get("code", str(args.get("code")))]
    workspace = found[0] if found else workspaces[0]

    def exchange(workspace: Workspace, args: Json) -> Json:
        if client != (workspace.settings.client_id, workspace.settings.client_secret):
            raise SlackError("invalid_client_id")
        return _exchanged(workspace, args)

    return await answer_call(request, workspace, exchange, name="oauth.v2.access", args=args)


def _client(request: web.Request, args: Json) -> tuple[str, str]:
    """Who asks: HTTP Basic, or two arguments."""
    kind, _, packed = request.headers.get("Authorization", "").partition(" ")
    if kind != "Basic":
        return str(args.get("client_id")), str(args.get("client_secret"))
    ident, _, secret = base64.b64decode(packed).decode("utf-8", "replace").partition(":")
    return ident, secret


def _exchanged(workspace: Workspace, args: Json) -> Json:
    code = str(args.get("code"))
    row = workspace.state.get("code", code)
    if row is None:
        raise SlackError("invalid_code")
    workspace.state.drop("code", code)
    if time.time() > row["at"] + _CODE_SECONDS:
        raise SlackError("code_expired")
    if args.get("redirect_uri") != row["redirect_uri"]:
        raise SlackError("bad_redirect_uri")
    app, team = workspace.description.app, workspace.description.team
    return {
        "app_id": app.id,
        "authed_user": {"id": workspace.description.users[0].id},
        "scope": row["scope"],
        "token_type": "bot",
        "access_token": new_bot_token(workspace, scopes=row["scope"]),
        "bot_user_id": app.bot_user_id,
        "team": {"id": team.id, "name": team.name},
        "enterprise": None,
        "is_enterprise_install": False,
    }


def uninstall(workspace: Workspace, _args: Json) -> Json:
    """``{}``: an admin removes the app. Every bot token is good no more."""
    revoke_all(workspace, "account_inactive")
    emit(workspace, {"type": "tokens_revoked", "tokens": {"bot": [workspace.bot_user]}})
    emit(workspace, {"type": "app_uninstalled"})
    return {}


def revoke_person(workspace: Workspace, args: Json) -> Json:
    """``{user}``: a person withdraws what they alone allowed; the bot's token stays good."""
    emit(workspace, {"type": "tokens_revoked", "tokens": {"oauth": [str(args.get("user"))]}})
    return {}


def register(workspace: Workspace, args: Json) -> Json:
    """``{redirect_urls}``: the app's settings at Slack."""
    found = [str(one) for one in args.get("redirect_urls") or []]
    workspace.state.put("setting", "redirect_urls", {"value": found})
    return {"redirect_urls": found}


READS: dict[str, Call] = {}
WRITES: dict[str, Call] = {
    "register": register,
    "revoke_person": revoke_person,
    "uninstall": uninstall,
}
