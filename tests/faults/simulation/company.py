"""The company of a run: its people, rooms and documents, and who may really read what."""

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from bot.audience import CHANNEL, EVERYONE
from bot.slack.identity import principal_id
from rag.values import Kind, Source
from tests.faults.history import Event, Gone, Joined, Kept, Rights
from tests.faults.simulation.slack import BOT_USER, OTHER_TEAM, TEAM, Workspace

TENANT = "demo"
ALICE, BOB, ERIN, FRANK = "U0ALICE0001", "U0BOB000001", "U0ERIN00001", "U0FRANK0001"
CAROL, DANA, GRACE = "U0CAROL0001", "U0DANA00001", "U0GRACE0001"
GENERAL, HR, DUO, PARTNERS = "C0GENERAL01", "C0HR0000001", "C0DUO000001", "C0PARTNERS1"
COLLEAGUES = (ALICE, BOB, ERIN, FRANK)
ROOMS = (GENERAL, HR, DUO, PARTNERS)

_BIRDS = ("heron", "kestrel", "plover", "merlin", "dunlin", "osprey", "bittern", "curlew")
_TOPICS_A_DOCUMENT = 8
_READERS = {
    "heron": (EVERYONE,),
    "kestrel": (EVERYONE,),
    "plover": (EVERYONE,),
    "merlin": (CHANNEL + HR,),
    "dunlin": (CHANNEL + HR,),
    "osprey": (principal_id(TEAM, ALICE), principal_id(TEAM, BOB)),
    "bittern": (principal_id(TEAM, ALICE), principal_id(TEAM, BOB)),
    "curlew": (principal_id(TEAM, ERIN),),
}


@dataclass
class Company:
    """``documents`` maps a source's id to its present text, ``readers`` to its readers."""

    workspace: Workspace
    history: list[Event]
    at: Callable[[], float]
    rng: random.Random
    documents: dict[str, str] = field(default_factory=dict)
    readers: dict[str, tuple[str, ...]] = field(default_factory=lambda: dict(_READERS))
    edition: int = 1
    _known: dict[str, tuple[str, ...]] = field(default_factory=dict)
    _topics: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        for user in COLLEAGUES:
            self.workspace.add_user(user)
        self.workspace.add_user(GRACE)
        self.workspace.add_user(BOT_USER)
        self.workspace.add_user(CAROL, guest=True)
        self.workspace.add_user(DANA, team=OTHER_TEAM)
        self.workspace.add_channel(GENERAL, *COLLEAGUES, GRACE)
        self.workspace.add_channel(HR, ALICE, BOB, CAROL)
        self.workspace.add_channel(DUO, ALICE, BOB)
        self.workspace.add_channel(PARTNERS, ALICE, BOB, DANA).shared = True
        self._topics = [(bird, topic) for bird in _BIRDS for topic in self.topics_of(bird)]
        self.rng.shuffle(self._topics)
        for bird in _BIRDS:
            self.write(bird)
        self.tell_rights()

    def topics_of(self, bird: str) -> Iterator[str]:
        yield from (f"{bird}{number:02}" for number in range(_TOPICS_A_DOCUMENT))

    def fresh_topic(self) -> str:
        """A topic nobody has asked about yet."""
        return self._topics.pop()[1]

    def canary(self, source: str) -> str:
        return f"canary-{source}"

    def write(self, source: str) -> None:
        """Give a document its present edition's text."""
        paragraphs = [f"# The {source} handbook"]
        for topic in self.topics_of(source):
            lines = [
                f"The {topic} rule {rule} of edition {self.edition} is {self.canary(source)}."
                for rule in range(4)
            ]
            paragraphs.append("\n".join(lines))
        self.documents[source] = "\n\n".join(paragraphs)
        self.history.append(Kept(at=self.at(), text=self.documents[source]))

    def sources(self) -> list[Source]:
        return [
            Source(
                id=source,
                tenant=TENANT,
                title=f"The {source} handbook",
                kind=Kind.INTERNAL,
                ref=source,
                readers=self.readers[source],
                owner="Operations",
                updated_at=datetime(2026, 11, 1, tzinfo=UTC),
            )
            for source in self.documents
        ]

    # Who may really read: said here a second time, so that the product is not its own judge.

    def may_read(self, user: str, source: str) -> bool:
        person = self.workspace.users[user]
        if person["deleted"] or person["team_id"] != TEAM:
            return False
        for reader in self.readers[source]:
            if reader == EVERYONE and not person["is_restricted"]:
                return True
            room = self.workspace.channels.get(reader.removeprefix(CHANNEL))
            if room and reader.startswith(CHANNEL) and user in room.members:
                return True
            if reader == principal_id(TEAM, user):
                return True
        return False

    def tell_rights(self) -> None:
        """Note who may read each document from now on."""
        for source in self.documents:
            people = self.workspace.users
            now = tuple(user for user in sorted(people) if self.may_read(user, source))
            if self._known.get(source) != now:
                self._known[source] = now
                rights = Rights(at=self.at(), canary=self.canary(source), readers=now)
                self.history.append(rights)

    def join(self, channel: str, user: str) -> None:
        self.workspace.channels[channel].members.append(user)
        self.history.append(Joined(at=self.at(), channel=channel, user=user))
        self.tell_rights()

    def deactivate(self, user: str) -> None:
        self.workspace.users[user]["deleted"] = True
        for channel in self.workspace.channels.values():
            if user in channel.members and channel.kind != "im":
                channel.members.remove(user)
        self.history.append(Gone(at=self.at(), user=user))
        self.tell_rights()
