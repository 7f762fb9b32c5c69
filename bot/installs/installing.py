"""OAuth v2: a person allows us in their workspace, and Slack gives us a token for it.

The state of an installation under way is random, good once, for ten minutes, and only
in the browser that began it: an address sent to somebody else finishes nothing there.
Which workspace it is, Slack's answer alone says.
"""

import logging
import re
import secrets
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urljoin, urlsplit

from aiohttp import web
from slack_sdk.oauth import AuthorizeUrlGenerator

from bot.errors import SlackRefused, SlackUnavailable, WorkspaceUnexpected
from bot.installs import texts
from bot.installs.pages import Page, respond
from bot.slack.client import Slack, exchange, open_client, whoami, write
from bot.slack.identity import principal_id
from bot.slack.installed import Installation, Installed
from rag.errors import StoreUnavailable

log = logging.getLogger(__name__)

INSTALL, REDIRECT = "/slack/install", "/slack/oauth_redirect"
COOKIE = "__Host-footnote-install"
_COOKIE_SECONDS = 600
_RANDOM = re.compile(r"[A-Za-z0-9_-]{43}")
_HOME = re.compile(r"[TE][A-Z0-9]{1,30}")
_CODE = re.compile(r"[\x21-\x7e]{1,500}")


class States(Protocol):
    """Installations begun and not yet finished. Each method may raise `StoreUnavailable`."""

    async def begin(self, *, state: str, browser: str) -> bool:
        """Let ``browser`` come back with ``state`` once; False while too many are under way."""
        ...

    async def finish(self, *, state: str, browser: str) -> bool:
        """Whether ``state`` is still good in ``browser``; it is good no more, either way."""
        ...


class Book(Protocol):
    """Where installations are kept."""

    async def put(
        self, installation: Installation, *, bot_token: str, tenant_if_unbound: str = "", who: str
    ) -> Installed:
        """Keep it, instead of the workspace's earlier one. Raises `WorkspaceUnexpected`."""
        ...


@dataclass(frozen=True, kw_only=True)
class OAuth:
    """Our app as Slack knows it, and where installations go.

    ``public_url`` is the address under which browsers reach us, without a path;
    ``strangers``: whether a workspace that nobody has bound to a tenant may install us.
    """

    client_id: str
    client_secret: str
    slack_api_url: str
    public_url: str
    scopes: tuple[str, ...]
    strangers: bool
    states: States
    book: Book

    @property
    def redirect_uri(self) -> str:
        """Where Slack sends the browser back to, exactly as it is registered there."""
        return self.public_url.rstrip("/") + REDIRECT

    @property
    def authorize_url(self) -> str:
        """Slack's page that asks the person."""
        return urljoin(self.slack_api_url, "../oauth/v2/authorize")


class _Ended(Exception):
    """The flow ends with this page."""

    def __init__(self, page: Page, **named: str) -> None:
        super().__init__(page.en.title)
        self.page = page
        self.named = named


def add_routes(application: web.Application, oauth: OAuth) -> None:
    """Let ``application`` answer the pages of an installation."""
    asked = urlsplit(oauth.authorize_url)
    slack = f"{asked.scheme}://{asked.netloc}"

    async def show(request: web.Request) -> web.StreamResponse:
        return respond(texts.BEGIN, request, begin=INSTALL, leads_to=slack)

    async def begin(request: web.Request) -> web.StreamResponse:
        try:
            return await _begun(oauth, request)
        except StoreUnavailable as error:
            log.warning("an installation could not begin: %s", type(error).__name__)
            return respond(texts.AWAY, request, begin=INSTALL)

    async def finish(request: web.Request) -> web.StreamResponse:
        try:
            kept = await _finished(oauth, request)
        except _Ended as end:
            return respond(end.page, request, begin=INSTALL, **end.named)
        except (SlackUnavailable, StoreUnavailable) as error:
            log.warning("an installation could not be finished: %s", type(error).__name__)
            return respond(texts.AWAY, request, begin=INSTALL)
        team = kept.installation.team_name or kept.installation.home
        return respond(texts.DONE, request, begin=INSTALL, team=team)

    application.router.add_get(INSTALL, show)
    application.router.add_post(INSTALL, begin)
    application.router.add_get(REDIRECT, finish, allow_head=False)  # a look must not use it up


async def _begun(oauth: OAuth, request: web.Request) -> web.StreamResponse:
    """The browser on its way to Slack, with the cookie it must come back with."""
    browser = _browser(request) or secrets.token_urlsafe(32)
    state = secrets.token_urlsafe(32)
    if not await oauth.states.begin(state=state, browser=browser):
        log.error("too many installations are under way")
        return respond(texts.AWAY, request, begin=INSTALL)
    address = AuthorizeUrlGenerator(
        client_id=oauth.client_id,
        redirect_uri=oauth.redirect_uri,
        scopes=list(oauth.scopes),
        authorization_url=oauth.authorize_url,
    ).generate(state)
    answer = web.Response(status=303, headers={"Location": address, "Cache-Control": "no-store"})
    answer.set_cookie(
        COOKIE,
        browser,
        max_age=_COOKIE_SECONDS,
        path="/",
        secure=True,
        httponly=True,
        samesite="Lax",
    )
    return answer


def _browser(request: web.Request) -> str:
    """What we gave this browser, so that an installation begun in another tab goes on too."""
    given = request.cookies.get(COOKIE, "")
    return given if _RANDOM.fullmatch(given) else ""


async def _finished(oauth: OAuth, request: web.Request) -> Installed:
    state, browser = _single(request, "state"), _browser(request)
    good = bool(state and browser) and await oauth.states.finish(state=state, browser=browser)
    if not good:
        log.warning("an installation is refused: its state is not good in this browser")
        raise _Ended(texts.STALE)
    if request.query.get("error"):
        raise _Ended(texts.DECLINED)
    code = _single(request, "code")
    if not _CODE.fullmatch(code):
        raise _Ended(texts.STALE)
    return await _exchanged(oauth, code)


def _single(request: web.Request, name: str) -> str:
    """A parameter that may occur once only."""
    values = request.query.getall(name, [])
    return values[0] if len(values) == 1 else ""


async def _exchanged(oauth: OAuth, code: str) -> Installed:
    """The installation that Slack gives for ``code``, kept."""
    try:
        granted = await _granted(oauth, code)
        token = str(granted["access_token"])
        async with open_client(token=token, base_url=oauth.slack_api_url) as client:
            installation = _agreed(granted, await whoami(client))
            person = str((granted.get("authed_user") or {}).get("id") or "unknown")
            who = principal_id(installation.enterprise_id or installation.team_id, person)
            return await _kept(oauth, client, installation, token=token, who=who)
    except SlackRefused as refused:
        log.warning("an installation is refused by Slack: %s", refused)
        raise _Ended(texts.REFUSED, tell=refused.code) from None


async def _granted(oauth: OAuth, code: str) -> dict[str, Any]:
    async with open_client(token="", base_url=oauth.slack_api_url) as client:
        answer = await exchange(
            client,
            code=code,
            redirect_uri=oauth.redirect_uri,
            client_id=oauth.client_id,
            client_secret=oauth.client_secret,
        )
    if answer.get("token_type") != "bot" or not answer.get("access_token"):
        raise SlackRefused("oauth.v2.access", "no_bot_token")
    if answer.get("refresh_token"):
        raise SlackRefused("oauth.v2.access", "token_rotation_is_on")
    return answer


def _agreed(granted: dict[str, Any], found: Installation) -> Installation:
    """The installation, of which the grant and the token's own words must say the same."""
    team = (granted.get("team") or {}).get("id") or ""
    enterprise = (granted.get("enterprise") or {}).get("id") or ""
    whole_grid = granted.get("is_enterprise_install") is True
    name = (granted.get("enterprise" if whole_grid else "team") or {}).get("name") or ""
    installation = found.model_copy(
        update={
            "team_id": "" if whole_grid else team,
            "enterprise_id": enterprise,
            "team_name": str(name)[:100],
        }
    )
    same = installation.homes == found.homes and bool(installation.team_id) is not whole_grid
    same = same and granted.get("bot_user_id") == found.bot_user_id
    if not same or not _HOME.fullmatch(installation.home):
        raise SlackRefused("oauth.v2.access", "another_workspace")
    return installation


async def _kept(
    oauth: OAuth, client: Slack, installation: Installation, *, token: str, who: str
) -> Installed:
    home = installation.home
    own = home if oauth.strangers else ""
    try:
        kept = await oauth.book.put(installation, bot_token=token, tenant_if_unbound=own, who=who)
    except WorkspaceUnexpected:
        log.warning("the workspace %s wants to install us, and is not expected", home)
        await _given_back(client)
        raise _Ended(texts.NOT_EXPECTED, tell=home) from None
    log.info("the workspace %s has installed us, for the tenant %s", home, kept.tenant)
    return kept


async def _given_back(client: Slack) -> None:
    """Nobody is to hold a token that nobody uses."""
    try:
        await write(client, "auth.revoke")
    except SlackUnavailable as error:
        log.warning("a token could not be given back: %s", error)
