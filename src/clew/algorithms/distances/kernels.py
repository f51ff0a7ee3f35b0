# mypy: ignore-errors
"""Sums over rows of distances, and bounds of eccentricities from them."""

from clew.jit import njit


@njit(cache=True, nogil=True)
def add_rows(distance, reached, total, inverse):
    """Add to every vertex the distances of its row that are 0 or more; a distance of 0 has no inverse."""
    for v in range(distance.shape[0]):
        count = far = near = 0.0
        for column in range(distance.shape[1]):
            d = distance[v, column]
            if d >= 0:
                count += 1.0
                far += d
                if d > 0:
                    near += 1.0 / d
        reached[v] += count
        total[v] += far
        inverse[v] += near


@njit(cache=True, nogil=True)
def narrow_bounds(depth, farthest, lower, upper):
    """Narrow the bounds of all eccentricities by searches whose own are ``farthest``."""
    for v in range(depth.shape[0]):
        least, most = lower[v], upper[v]
        for column in range(depth.shape[1]):
            d = depth[v, column]
            if d >= 0:
                least = max(least, d, farthest[column] - d)
                most = min(most, farthest[column] + d)
        lower[v], upper[v] = least, most
