"""What a listener knows, and everything it may do to the world.

The values say only what Slack signed; nothing in them is proved yet. Whoever
implements `Deps` proves the sender, checks the room and does the work. Every
callable returns as soon as the request is safely stored (or started, where
losing it costs nothing), well inside Slack's three seconds, and raises a
`rag.errors.FootnoteError` when it could not: Slack then sends the event again.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from pydantic import Field

from handlers.blocks.rendered import Rendered
from rag.values import Limits, Value


class RoomKind(StrEnum):
    """What sort of conversation a message stands in, in Slack's words."""

    IM = "im"
    MPIM = "mpim"
    CHANNEL = "channel"
    GROUP = "group"


class Note(StrEnum):
    """The fixed replies a listener can ask for by itself."""

    BARE = "bare"
    HELP = "help"
    TOO_LONG = "too-long"
    ATTACHMENT = "attachment"


class Address(Value):
    """One installation. ``team_id`` is empty for that of a whole Enterprise Grid.

    ``enterprise_id`` of a workspace may be missing where it was installed before its
    workspace joined a Grid.
    """

    team_id: str = ""
    enterprise_id: str = ""

    @property
    def home(self) -> str:
        """What it is known by: the team or, for a whole Grid, the enterprise."""
        return self.team_id or self.enterprise_id


class Sender(Value):
    """Which installation saw it and who sent it, as Slack signed them.

    ``team_id``, ``enterprise_id`` and ``enterprise_install`` are those of
    ``authorizations[0]`` (events), of the installed team (buttons and modals) or
    of the command. ``homes`` holds every team or enterprise id the payload gives
    for the person, without repeats; any that is not the installation's own means
    an outsider, and an empty one proves nothing. ``app_user_id`` is the bot's own.
    """

    team_id: str = ""
    enterprise_id: str = ""
    enterprise_install: bool = False
    app_user_id: str = ""
    user_id: str = ""
    homes: tuple[str, ...] = ()


class Room(Value):
    """Where it happened. ``kind`` is None where the payload does not say.

    ``shared`` is Slack's ``is_ext_shared_channel``; false proves nothing.
    """

    channel: str = ""
    kind: RoomKind | None = None
    shared: bool = False


class Asked(Value):
    """A person's message. ``question`` is its text without our mention, unescaped.

    ``ts`` names the message; ``thread_ts`` is None at the top level. ``mentioned``
    says that the text holds our mention, which is the same for the mention event
    and its twin message event. ``files`` counts attachments.
    """

    sender: Sender
    room: Room
    ts: str
    thread_ts: str | None = None
    text: str = ""
    question: str = ""
    mentioned: bool = False
    files: int = 0
    event_id: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """The same for Slack's retries and for both events of one mention."""
        return (self.sender.team_id or self.sender.enterprise_id, self.room.channel, self.ts)


class Edited(Value):
    """A person changed the words of a message. ``asked`` is the message as it is now."""

    asked: Asked
    previous_question: str


class Deleted(Value):
    """A message was deleted. ``sender.user_id`` is its author where Slack says so."""

    sender: Sender
    room: Room
    ts: str
    thread_ts: str | None = None


class Commanded(Value):
    """A slash command. ``trigger_id`` is the same for a repeat of one command."""

    sender: Sender
    room: Room
    text: str = ""
    trigger_id: str = ""
    response_url: str = ""


class ViewRef(Value):
    """An open modal. ``hash`` guards an update against a newer one."""

    id: str
    hash: str = ""


class Pressed(Value):
    """A pressed button. ``value`` is the opaque id it carries and grants nothing.

    ``room.channel`` and ``message_ts`` are empty for a button in a modal or on the
    Home tab; ``view`` is set there instead. ``action_ts`` is the same for a repeat.
    """

    sender: Sender
    room: Room = Room()
    message_ts: str = ""
    thread_ts: str | None = None
    ephemeral: bool = False
    value: str = ""
    action_ts: str = ""
    trigger_id: str = ""
    response_url: str = ""
    view: ViewRef | None = None


class Rated(Value):
    """A thumb. ``pressed.value`` is the answer's id."""

    pressed: Pressed
    good: bool


class Decided(Value):
    """A pressed decision about an owner's words. ``pressed.value`` is the proposal's id."""

    pressed: Pressed
    approved: bool


Fields = dict[str, tuple[str, ...]]
"""What a form's inputs hold by their names."""


class AdminLook(Value):
    """A look at a window for admins. ``token`` says at which, sealed for one person.

    ``words`` are what was typed to search for, None where nothing was; ``fields`` are what
    the inputs of the window hold, where a way of cutting was chosen in it.
    """

    sender: Sender
    opened: ViewRef
    token: str
    words: str | None = None
    fields: Fields | None = None


class Submitted(Value):
    """A form an admin sent off or closed, or a source retired; ``token`` says which, sealed.

    ``fields`` are the form's values by their names: texts, ids of people, channels and
    files, and opaque values of options.
    """

    sender: Sender
    view: ViewRef
    token: str = ""
    fields: Fields = Field(default_factory=dict)


class HomeOpened(Value):
    """Someone opened our Home tab, or our messages tab (``channel`` is that DM)."""

    sender: Sender
    channel: str = ""
    event_id: str = ""


class What(StrEnum):
    """What it is that changed in who reads along."""

    ROOM = "room"
    GROUP = "group"
    PERSON = "person"


class Changed(Value):
    """A channel's, a user group's or a person's id, of which Slack says that it changed.

    ``team_id`` is the installation's; ``at`` is Slack's time of the event, as text.
    ``address`` is set where several installations share the queue's lines. ``was``: the id
    that a channel had until then, where it has another one now.
    """

    team_id: str = ""
    address: Address | None = None
    what: What
    about: str
    was: str = ""
    at: str = ""
    event_id: str = ""


@dataclass(frozen=True, kw_only=True)
class Deps:
    """Everything a listener may do. Each callable is given one value from above.

    - ``ask``: answer where it was asked. ``ask_privately``: `/ask`.
    - ``reply``: a thread reply without a mention; a question only if that thread
      waits for this person.
    - ``tell``: send a fixed reply in that place, once a message.
    - ``cancel``: "never mind"; ends what this person has open there. Without a
      mention outside a DM it is silent when nothing is open.
    - ``edit``, ``withdraw``: the question's message was changed or deleted.
    - ``list_sources``, ``turn_sources_page``: `/sources` and its page buttons.
    - ``open_view``: open this modal now, for whoever pressed; the only one that waits
      for Slack. None when it could not be opened and the presser was told so.
      ``show_context``, ``show_all``: authorise the presser, then fill it.
    - ``choose``: an option of a clarifying question. ``ask_again_privately``: "Ask
      privately". ``ask_owners``: "Ask the owners". ``decide``: approve what an owner
      wrote, or turn it down. ``rate``: a thumb on an answer.
      ``dispute``: "this quote does not support it"; ``value`` is a citation's id.
    - ``greet``: the messages tab was opened. ``publish_home``: the Home tab was.
    - ``show_question``: authorise the presser, then show their own question again.
      ``share_name``: let admins see who asked it.
    - ``show_admin``: fill a window for whoever pressed, if they are an admin.
      ``find_sources``: the same, once Slack has shown our answer to a form.
      ``administer``: put a file live, or change a source. ``stage``: read a file and show
      what it holds. ``unstage``: forget that file, whose window was closed.
    - ``forget``: delete this person's own questions, after they confirmed.
    - ``changed``: who reads along has changed; answers may have to go.
    - ``ended``: Slack says for this reason that our installation is no more.
    - ``reply_ephemeral``: answer a command, seen by its sender alone.
    """

    ask: Callable[[Asked], Awaitable[None]]
    ask_privately: Callable[[Commanded], Awaitable[None]]
    reply: Callable[[Asked], Awaitable[None]]
    tell: Callable[[Asked, Note], Awaitable[None]]
    cancel: Callable[[Asked], Awaitable[None]]
    edit: Callable[[Edited], Awaitable[None]]
    withdraw: Callable[[Deleted], Awaitable[None]]
    list_sources: Callable[[Commanded], Awaitable[None]]
    turn_sources_page: Callable[[Pressed], Awaitable[None]]
    open_view: Callable[[Pressed, dict[str, Any]], Awaitable[ViewRef | None]]
    show_context: Callable[[Pressed, ViewRef], Awaitable[None]]
    show_all: Callable[[Pressed, ViewRef], Awaitable[None]]
    choose: Callable[[Pressed], Awaitable[None]]
    ask_again_privately: Callable[[Pressed], Awaitable[None]]
    ask_owners: Callable[[Pressed], Awaitable[None]]
    decide: Callable[[Decided], Awaitable[None]]
    rate: Callable[[Rated], Awaitable[None]]
    dispute: Callable[[Pressed], Awaitable[None]]
    greet: Callable[[HomeOpened], Awaitable[None]]
    publish_home: Callable[[HomeOpened], Awaitable[None]]
    show_question: Callable[[Pressed, ViewRef], Awaitable[None]]
    share_name: Callable[[Pressed, ViewRef], Awaitable[None]]
    show_admin: Callable[[AdminLook], Awaitable[None]]
    find_sources: Callable[[AdminLook], Awaitable[None]]
    administer: Callable[[Submitted], Awaitable[None]]
    stage: Callable[[Submitted], Awaitable[None]]
    unstage: Callable[[Submitted], Awaitable[None]]
    forget: Callable[[Pressed], Awaitable[None]]
    changed: Callable[[Changed], Awaitable[None]]
    ended: Callable[[str], Awaitable[None]]
    reply_ephemeral: Callable[[Commanded, Rendered], Awaitable[None]]
    limits: Limits
