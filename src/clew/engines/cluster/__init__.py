"""The cluster engine: one graph in blocks on many workers, which run the same algorithm and exchange segments."""
