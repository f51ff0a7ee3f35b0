"""Independent checkers, serial and obvious: each accepts every valid answer and names the first rule that is broken.

They share no code with the algorithms: NumPy and the graph's own arrays are all they know.
"""

from clew.verify.traversal import bfs

__all__ = ["bfs"]
