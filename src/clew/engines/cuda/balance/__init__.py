"""How edges are shared among threads: tiles, rows by length, frontiers, and work per launch."""
