"""``python -m bench [NAME…]``: run the measurements called NAME, or all."""

from __future__ import annotations

import sys
from importlib import import_module

from bench.harness import save, show

NAMES = ("build", "parse", "native", "generate", "algorithms")


def main() -> None:
    """Run, print and save."""
    for name in sys.argv[1:] or NAMES:
        module = import_module(f"bench.{name}")
        rows = module.run()
        show(rows, module.__doc__.splitlines()[0])
        save(name, rows)


if __name__ == "__main__":
    main()
