"""What a claim says beyond its quotes, found without a reader, in Chinese and English.

A claim is compared with its quotes in figures (numbers, dates, units, currencies,
codes), in what it denies, allows or demands, in how far it says that it reaches,
and in the names that it uses. Each difference is one reason, in words that tell
a reader what to change.
"""

from rag.text.checks.claims import names_standing, strays

__all__ = ["names_standing", "strays"]
