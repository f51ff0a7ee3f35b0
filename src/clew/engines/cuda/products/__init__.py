"""Products of matrices and vectors over any semiring, and operations on vectors."""
