"""``python -m bench [NAME…] [OPTIONS]``: run the measurements called NAME, or all; options are those of algorithms."""

from __future__ import annotations

import sys
from importlib import import_module
from itertools import takewhile

from bench.harness import save, show

NAMES = ("build", "parse", "native", "generate", "products", "networkx", "algorithms", "cluster", "explain")


def main() -> None:
    """Run, print and save."""
    names = list(takewhile(lambda word: word in NAMES, sys.argv[1:]))
    options = sys.argv[1 + len(names) :]
    for name in names or NAMES:
        module = import_module(f"bench.{name}")
        if hasattr(module, "main"):  # has a table of its own
            module.main(options)
            continue
        rows = module.run()
        show(rows, module.__doc__.splitlines()[0])
        save(name, rows)


if __name__ == "__main__":
    main()
