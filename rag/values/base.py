"""The one base of every value: frozen, and closed to unknown keys."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    """A frozen pydantic model that rejects unknown keys.

    Values travel between stages as JSON checkpoints, so every field is
    JSON-serialisable and ``type(value).model_validate_json(value.model_dump_json())``
    equals ``value``.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
