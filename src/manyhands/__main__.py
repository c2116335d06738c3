"""`python -m manyhands` is the command `manyhands`."""

from .cli import main

if __name__ == "__main__":
    main()
