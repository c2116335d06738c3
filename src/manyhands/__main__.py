"""`python -m manyhands` is the command `manyhands`; under torchrun, one process of several."""

from .cli import main

if __name__ == "__main__":
    main()
