"""Text in parallel: tables and tokens of numbers out of bytes, and back."""

from clew.io.text.columns import DecimalComma, NotAnInteger
from clew.io.text.layout import Layout, Line, leading_lines
from clew.io.text.tables import Table, read_table
from clew.io.text.tokens import Tokens, read_tokens
from clew.io.text.writer import Labels, write_lines, write_table

__all__ = [
    "DecimalComma",
    "Labels",
    "Layout",
    "Line",
    "NotAnInteger",
    "Table",
    "Tokens",
    "leading_lines",
    "read_table",
    "read_tokens",
    "write_lines",
    "write_table",
]
