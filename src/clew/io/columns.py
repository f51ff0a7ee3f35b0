"""Which columns of a table hold the edges, in any format.

The ends are the columns that the caller names, else two columns with usual names, else the first two. The weight is the
column that the caller names, else one with a usual name, else the third of exactly three numeric columns. If other
numeric columns are left, nothing is guessed. An error lists the columns and says how to choose.

Names are compared in lower case and without blanks and punctuation: ``From Node ID`` is ``fromnodeid``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, NamedTuple

import pyarrow as pa

from clew.checks import counted
from clew.errors import GraphError
from clew.io.options import ReadOptions


def _pairs(*lines: str) -> list[tuple[str, str]]:
    """The pairs of names in lines such as ``"from-to u-v"``."""
    pairs = (pair.partition("-") for line in lines for pair in line.split())
    return [(one, other) for one, _, other in pairs]


#: Names of the source and the target. They give the direction, in any column order.
ENDS = _pairs(
    "source-target src-dst src-dest source-destination origin-destination from-to u-v start-end row-col row-column i-j",
    "sender-receiver sender-recipient payer-payee caller-callee follower-followee follower-followed follower-following",
    "citing-cited subject-object",
)
#: Names of two ends that may point either way: the first column is the source.
PAIRS = _pairs(
    "child-parent head-tail user-friend user-item node1-node2 vertex1-vertex2 id1-id2 nodea-nodeb buyer-seller",
    "person1-person2 user1-user2",
)
#: Suffixes of the names above.
_SUFFIXES = ("", "id", "node", "nodeid", "vertex", "vertexid", "name", "key")

#: Names that always mean the weight.
WEIGHT = ("weight", "weights", "w", "edgeweight")
#: Names that mean the weight if only one column has such a name.
LIKE_WEIGHT = ("value", "cost", "distance", "dist", "length")
#: Names of numbers that are not weights: times and row numbers.
_NO_WEIGHT = re.compile(
    r"(|id|edgeid|rowid|index|idx|unnamed\d*|indexlevel\d*|.*(date|time|timestamp|datetime)|time.*|date.*"
    r"|day|days?ofweek|week|month|quarter|year|hour|minute|second|when|since|until|epoch|created(at)?|updated(at)?|ts)"
)
#: Names of labels: never weights because of their position.
_LABELS = re.compile(
    r"(.*(id|number|code|type|kind|label|class|category|group)|invoice|no|nr|ref|reference|order|transaction|account"
    r"|phone|zip|zipcode|postcode|color|colour|status|flag)"
)
_OF_ROWS = ("id", "edgeid", "rowid", "index", "idx", "no", "nr", "key", "")
_PUNCTUATION = re.compile(r"[\W_]+")
Kind = Literal["integer", "number", "text", "other"]
#: The remedy for wrong ends.
KEEP_COLUMNS = "Pass columns=True (--columns all) to keep other columns of the edges."
CHOOSE_ENDS = "Say which columns to take with source= and target=."


def plain(name: str) -> str:
    """A name as it is compared: lower-case letters and digits."""
    return _PUNCTUATION.sub("", name.lower())


def known_ends(names: Sequence[str]) -> tuple[str, str] | None:
    """The plain names of two columns with usual names of ends, the source first; None if there are none."""
    words = [plain(name) for name in names]
    for suffix in _SUFFIXES:
        for one, other in ENDS:
            if one + suffix in words and other + suffix in words:
                return one + suffix, other + suffix
        for one, other in PAIRS:
            pair = (one + suffix, other + suffix)
            if all(word in words for word in pair):
                first, second = sorted(pair, key=words.index)
                return first, second
    return None


def is_known(name: str) -> bool:
    """Whether this is a usual column name."""
    word = plain(name)
    ends = {end + suffix for pair in (*ENDS, *PAIRS) for end in pair for suffix in _SUFFIXES}
    return bool(word) and (word in ends or word in (*WEIGHT, *LIKE_WEIGHT) or _NO_WEIGHT.fullmatch(word) is not None)


class Field(NamedTuple):
    """A column: its name (None without names), its kind, a description of its content, and if it can name vertices."""

    name: str | None
    kind: Kind
    holds: str = ""
    names_vertices: bool = True

    @property
    def word(self) -> str:
        """The name as it is compared."""
        return plain(self.name or "")


class Columns(NamedTuple):
    """The columns that hold the edges, counted from 0; ``weight`` may be None. ``decisions`` reports guesses.

    ``attributes`` become edge columns.
    """

    fields: Sequence[Field]
    source: int
    target: int
    weight: int | None
    decisions: tuple[str, ...] = ()
    attributes: tuple[int, ...] = ()

    def to_read(self) -> list[int]:
        """The columns that hold the edges, in the order of the file."""
        ends = (self.source, self.target, self.weight, *self.attributes)
        return sorted({column for column in ends if column is not None})

    def label(self, column: int) -> str:
        """What a column is called in reports."""
        return label(self.fields, column)

    def roles(self) -> dict[str, str]:
        """The role of every column."""
        roles: dict[int | None, str] = dict.fromkeys(self.attributes, "edge column")
        roles |= {self.weight: "weight", self.target: "target", self.source: "source"}
        if self.source == self.target:
            roles[self.source] = "source and target"
        return {self.label(column): roles.get(column, "ignored") for column in range(len(self.fields))}


def choose(fields: Sequence[Field], options: ReadOptions, written: Sequence[str] = ()) -> Columns:
    """The columns that hold the edges; ``written`` are those that clew wrote as edge columns."""
    source, target = _ends(fields, options)
    asked = written if options.columns is None else options.columns
    places = [] if isinstance(asked, bool) else [_place(fields, name, "columns") for name in asked]
    named = tuple(place for place in places if place is not None)
    rest = [column for column in range(len(fields)) if column not in (source, target, *named)]
    weight, decisions = choose_weight(fields, rest, options)
    others = tuple(column for column in rest if column != weight)
    return Columns(fields, source, target, weight, decisions, others if asked is True else named)


def label(fields: Sequence[Field], column: int) -> str:
    """What a column is called in reports: its name, with its place where it has none of its own."""
    name = fields[column].name
    if not name:
        return f"column {column + 1}"
    several = sum(field.name == name for field in fields) > 1
    return f"{name} (column {column + 1})" if several else name


def listed(fields: Sequence[Field]) -> str:
    """The columns there are, for an error."""
    names = [repr(label(fields, column)) for column in range(min(20, len(fields)))]
    return f"The columns are {', '.join(names)}{', …' if len(fields) > 20 else ''}."


def _ends(fields: Sequence[Field], options: ReadOptions) -> tuple[int, int]:
    named = [_place(fields, options.source, "source"), _place(fields, options.target, "target")]
    if len(fields) < 2 and None in named:
        raise GraphError(f"the table has {counted(len(fields), 'column')}; expected at least two, source and target.")
    words = known_ends([field.name or "" for field in fields]) if None in named else None
    by_place = words is None and named == [None, None]
    guessed = (0, 1) if words is None else tuple(_place_of_word(fields, word) for word in words)
    source, target = (other if one is None else one for one, other in zip(named, guessed, strict=True))
    if source == target and (None in named or len(fields) > 1):  # of one column, loops may be meant
        raise GraphError(
            f"both ends would come from the column {label(fields, source)!r}; name another one with source= or "
            "target= (--source-column or --target-column)."
        )
    for column in (source, target):
        if not fields[column].names_vertices:
            raise _wrong_ends(fields, f"{_holding(fields, column)}, which cannot name vertices.")
    if by_place and len(fields) > 2 and fields[0].name is not None:
        # The first two columns are the ends only if that is plausible.
        if (fields[0].kind == "text") != (fields[1].kind == "text"):
            raise _wrong_ends(fields, f"{_holding(fields, 0)} and {_holding(fields, 1)}; expected ends of one kind.")
        if fields[0].word in _OF_ROWS:
            raise _wrong_ends(fields, f"the first column, {label(fields, 0)!r}, seems to number the rows.")
    return source, target


def _holding(fields: Sequence[Field], column: int) -> str:
    usual = {"integer": "integers", "number": "numbers", "text": "text", "other": "something else"}
    return f"column {label(fields, column)!r} holds {fields[column].holds or usual[fields[column].kind]}"


def _wrong_ends(fields: Sequence[Field], problem: str) -> GraphError:
    return GraphError(f"{problem} {listed(fields)}").advised(CHOOSE_ENDS)


def choose_weight(fields: Sequence[Field], rest: list[int], options: ReadOptions) -> tuple[int | None, tuple[str, ...]]:
    """The column of ``rest`` that holds the weights, and decisions to report."""
    weight, decisions = _weight(fields, rest, options)
    ignored = [column for column in rest if column != weight]
    if not ignored or options.columns is True:
        return weight, decisions
    said = f"Ignored: {', '.join(repr(label(fields, column)) for column in ignored)}. {KEEP_COLUMNS}"
    if weight is None and options.weights is None and any(fields[column].kind != "text" for column in ignored):
        said += " Pass weight=… (--weight-column) to read one of them as the weight."
    return weight, (*decisions, said)


def _weight(fields: Sequence[Field], rest: list[int], options: ReadOptions) -> tuple[int | None, tuple[str, ...]]:
    if options.weights is False:
        return None, ()
    if options.weight is not None:
        return _place(fields, options.weight, "weight"), ()
    numbers = [column for column in rest if fields[column].kind in ("integer", "number")]
    if fields[0].name is None:
        return _weight_by_place(fields, rest, numbers, options)
    called = [column for column in rest if fields[column].word in (*WEIGHT, *LIKE_WEIGHT)]
    surely = [column for column in called if fields[column].word in WEIGHT]
    if surely or len(called) == 1:
        return (surely or called)[0], ()
    open_ones = [column for column in numbers if not _NO_WEIGHT.fullmatch(fields[column].word)]
    if not open_ones or (options.source is not None and options.target is not None and not called):
        return None, ()
    all_numbers = len(fields) == 3 and rest == [2] and fields[0].kind == fields[1].kind == "integer"
    if all_numbers and not _LABELS.fullmatch(fields[2].word):
        said = f"The weights are {label(fields, 2)!r}, the third of three columns of numbers."
        return 2, (f"{said} Pass weights=False (--weights none) to ignore it.",)
    names = [label(fields, column) for column in called or open_ones]
    if options.columns is True:  # nothing is lost: each of them can become the weight later
        return None, ()
    raise GraphError(
        f"whether {' or '.join(map(repr, names[:5]))} holds the weights is not clear. {listed(fields)}",
        remedy=f"Pass weight={names[0]!r}, or weights=False for a graph without weights.",
    )


def _weight_by_place(
    fields: Sequence[Field], rest: list[int], numbers: list[int], options: ReadOptions
) -> tuple[int | None, tuple[str, ...]]:
    """The weight of lines whose columns have no names: the third column, where there are three."""
    if not rest or (options.source is not None and options.target is not None):
        return None, ()
    if len(fields) == 3 and numbers == rest:
        place = rest[0]
        return place, (f"The weights are column {place + 1}. Pass weights=False (--weights none) to ignore it.",)
    several = " Several edges on one line cannot be read: write one edge per line." if len(fields) > 3 else ""
    what = "is text" if len(fields) == 3 else "holds the weights, if any, is not clear"
    which = f"which of the columns after the second {what}" if len(fields) > 3 else f"the third {what}"
    raise GraphError(
        f"the lines have {len(fields)} columns without names, and {which}.{several}",
        remedy="Pass weight=3 if the third column is the weight, or weights=False to read the first two alone.",
    )


def _place(fields: Sequence[Field], requested: str | int | None, what: str) -> int | None:
    """The requested column, by name or by position counted from 1."""
    if requested is None:
        return None
    named = [column for column, field in enumerate(fields) if field.name == requested]
    if len(named) == 1:
        return named[0]
    if not named and str(requested).isascii() and str(requested).isdigit() and 0 < int(requested) <= len(fields):
        return int(requested) - 1
    raise _wrong_count(fields, requested, len(named), what)


def _place_of_word(fields: Sequence[Field], word: str) -> int:
    """The column with a usual name; an error if two have the same spelling."""
    named = [column for column, field in enumerate(fields) if field.word == word]
    if len(named) > 1 and len({fields[column].name for column in named}) < len(named):
        raise _wrong_count(fields, fields[named[0]].name or "", len(named), "source")
    return named[0]


def _wrong_count(fields: Sequence[Field], requested: str | int, count: int, what: str) -> GraphError:
    called = f"{count} columns called {requested!r}" if count else f"no column {requested!r}"
    return GraphError(
        f"the table has {called}; expected one. {listed(fields)}",
        remedy=f"Pass a name, or a position counted from 1 as in {what}=2, with source=, target= and weight=.",
    )


def fields_of(schema: pa.Schema) -> list[Field]:
    """The columns of an Arrow table."""
    columns = [(field.name, *_kind(field.type)) for field in schema]
    return [Field(name, kind, holds, names_vertices=kind in ("integer", "text")) for name, kind, holds in columns]


def _kind(dtype: pa.DataType) -> tuple[Kind, str]:
    of = pa.types
    if of.is_dictionary(dtype):
        dtype = dtype.value_type
    if of.is_integer(dtype):
        return "integer", "integers"
    if of.is_floating(dtype):
        return "number", "floating-point numbers"
    if of.is_boolean(dtype):
        return "number", "booleans"
    if is_string(dtype):
        return "text", "text"
    return "other", f"values of type {str(dtype).split('<')[0].split('(')[0].split('[')[0]}"


def is_string(dtype: pa.DataType) -> bool:
    """Whether it is one of Arrow's types of text."""
    return any(of(dtype) for of in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))
