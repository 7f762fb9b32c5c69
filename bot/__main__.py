"""`python -m bot` is `footnote`."""

from bot.cli import main

main()
