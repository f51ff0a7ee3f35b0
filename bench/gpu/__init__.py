"""Times on a GPU, next to those of the peers that were measured on the same graphs and the same kind of GPU."""
