"""How much time a run may take over what no system does at one instant."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Seconds. ``deadline``: from a question to its end. ``stale``: how long a right may be
    gone when something is shown under it, if it is taken away again within ``withdrawal``.
    ``joining``: the same for somebody who had not been there to read along.
    ``twin``: how long a second post may stand whose sender hears of it late, at the worst
    when a call's time is up, and looks then. ``flicker``: how long a repeat may show again
    that it works on what was finished."""

    deadline: float = 360.0
    stale: float = 5.0
    joining: float = 5.0
    withdrawal: float = 5.0
    twin: float = 20.0
    flicker: float = 0.0
