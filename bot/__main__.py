"""`python -m bot` is `footnote`."""

from bot.cli import main

if __name__ == "__main__":
    main()
