"""The demo company: its people, its sources and the function that writes them down."""

from bot.demo.company import Company, load_company, load_sources
from bot.demo.seeding import Records, Seeded, articles_path, catalogue, seed

__all__ = [
    "Company",
    "Records",
    "Seeded",
    "articles_path",
    "catalogue",
    "load_company",
    "load_sources",
    "seed",
]
