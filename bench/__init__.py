"""Measurements: clew and its peers on the same work, in one run, as ratios. `make bench` runs them all."""
