"""``python -m clew``: the command line, where the ``clew`` command itself is not on the path."""

from clew.cli.main import main

if __name__ == "__main__":
    main()
