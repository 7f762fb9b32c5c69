"""A local Slack workspace that an unchanged Slack app connects to.

It serves the Web API below ``/api/``, Socket Mode, signed HTTP delivery, a
page that looks like Slack, and a JSON API that drives it from a script. It
knows nothing of the app it hosts: people, places and the app itself come from
a workspace description (``workspace.json`` unless the settings name another).

``start(Settings(data=folder))`` returns a ``Running`` once it answers, with
its ``port``, ``url``, ``api_url``, ``team_id`` and ``close()``.
``serve(settings)`` runs one until cancelled.

Several workspaces of one app: ``Settings(neighbours=(NEIGHBOUR,))``. The Web API and the
sockets are shared, the token says which is meant; a neighbour's page and JSON API lie
below ``/team/<team id>/``. An app installs itself at ``/oauth/v2/authorize``.

The JSON API (POST bodies are JSON; people and channels by name or id; every
answer is HTTP 200 with ``ok``, refusals as ``{"ok": false, "error": …}``):

- ``POST /playground/say {user, channel, text, thread_ts?, files?}`` → ``{ts}``
- ``POST /playground/edit {user, channel, ts, text}``, ``/delete {user, channel, ts}``
- ``POST /playground/command {user, channel, command, text}``
- ``POST /playground/click {user, channel, ts, action_id, value?}``; with
  ``view: true`` or ``home: true`` instead of a channel and ts, inside a view
- ``POST /playground/submit {user, values}`` → ``{ok, errors?}``, ``/close {user, all?}``
- ``POST /playground/home {user, tab}`` opens the App Home
- ``GET /playground/messages?channel=&thread_ts=&as=`` → ``{messages, status}``
- ``GET /playground/modal?as=``, ``/home?as=`` → ``{view}``; ``/workspace?as=``
- ``GET /playground/calls?method=`` → ``{calls: [{method, args, response, at}]}``
- ``GET /playground/deliveries`` → what the app has not acknowledged, and what it
  never did before it was given up
- ``POST /playground/faults {method, nth, kind, …}`` (``faults.Fault``), ``/faults/clear``
- ``POST /playground/redeliver {ts, times}``
- ``POST /playground/disconnect {reason}``: warning, refresh_requested, or cut
- ``POST /playground/delivery {events_url, commands_url, interactivity_url}``
- ``POST /playground/register {redirect_urls}``, ``/uninstall``, ``/revoke_person {user}``:
  the app's redirect addresses, and what ends an installation (``oauth``)
- ``POST /playground/members {channel, user, action}``, ``/users``, ``/channels``,
  ``/usergroups``: change people and places
"""

from .app import Running, serve, start
from .errors import PlaygroundError
from .settings import NEIGHBOUR, Command, Settings

__all__ = ["NEIGHBOUR", "Command", "PlaygroundError", "Running", "Settings", "serve", "start"]
