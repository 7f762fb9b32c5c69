"""For loads in which one person asks more than anybody would: no limit of fair use is met."""

from bot.fair_use import FairUse

UNLIMITED = FairUse(**dict.fromkeys(FairUse.model_fields, 1_000_000))

ENVIRONMENT = {
    f"FOOTNOTE_FAIR_USE__{name.upper()}": str(most) for name, most in UNLIMITED.model_dump().items()
}
