"""Times on a GPU, beside those of the peers that were measured on the same graphs and the same kind of GPU."""
