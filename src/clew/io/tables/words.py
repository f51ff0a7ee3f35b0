"""Words that columns are usually called by: the two ends of an edge, its weight, and what is neither.

Names are compared in lower case and without blanks and punctuation: ``From Node ID`` is ``fromnodeid``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

#: The source's word and the target's: these say the direction, in whatever order the columns stand.
ENDS = (
    ("source", "target"),
    ("src", "dst"),
    ("src", "dest"),
    ("source", "destination"),
    ("origin", "destination"),
    ("from", "to"),
    ("u", "v"),
    ("start", "end"),
    ("row", "col"),
    ("row", "column"),
    ("i", "j"),
    ("sender", "receiver"),
    ("sender", "recipient"),
    ("payer", "payee"),
    ("caller", "callee"),
    ("follower", "followee"),
    ("follower", "followed"),
    ("follower", "following"),
    ("citing", "cited"),
    ("subject", "object"),
)
#: Two words for two ends, which may point either way: the column that stands first is the source.
PAIRS = (
    ("child", "parent"),
    ("head", "tail"),
    ("user", "friend"),
    ("user", "item"),
    ("node1", "node2"),
    ("vertex1", "vertex2"),
    ("id1", "id2"),
    ("nodea", "nodeb"),
    ("buyer", "seller"),
    ("person1", "person2"),
    ("user1", "user2"),
)
#: What may follow the words above.
_SUFFIXES = ("", "id", "node", "nodeid", "vertex", "vertexid", "name", "key")

#: The weight, without a doubt.
WEIGHT = ("weight", "weights", "w", "edgeweight")
#: The weight, where only one column is called so.
LIKE_WEIGHT = ("value", "cost", "distance", "dist", "length")
#: No weight, though it may be a number: when something was, and which row it is.
_NO_WEIGHT = re.compile(
    r"(|id|edgeid|rowid|index|idx|unnamed\d*|indexlevel\d*|.*(date|time|timestamp|datetime)|time.*|date.*"
    r"|day|days?ofweek|week|month|quarter|year|hour|minute|second|when|since|until|epoch|created(at)?|updated(at)?|ts)"
)
#: Numbers that count nothing: never taken for weights because of where they stand.
_LABELS = re.compile(
    r"(.*(id|number|code|type|kind|label|class|category|group)|invoice|no|nr|ref|reference|order|transaction|account"
    r"|phone|zip|zipcode|postcode|color|colour|status|flag)"
)
_OF_ROWS = ("id", "edgeid", "rowid", "index", "idx", "no", "nr", "key", "")
_PUNCTUATION = re.compile(r"[\W_]+")


def plain(name: str) -> str:
    """A name as it is compared: small letters and digits."""
    return _PUNCTUATION.sub("", name.lower())


def known_ends(names: Sequence[str]) -> tuple[str, str] | None:
    """The plain words of the two columns that are called as ends usually are, the source's first; else None."""
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
    """Whether a column may well be called so."""
    word = plain(name)
    ends = {end + suffix for pair in (*ENDS, *PAIRS) for end in pair for suffix in _SUFFIXES}
    return bool(word) and (word in ends or is_weight(name) or _NO_WEIGHT.fullmatch(word) is not None)


def is_weight(name: str) -> bool:
    """Whether the name says that this is the weight."""
    return plain(name) in (*WEIGHT, *LIKE_WEIGHT)


def is_no_weight(name: str) -> bool:
    """Whether the name says that this is no weight: a time, or the number of the row."""
    return _NO_WEIGHT.fullmatch(plain(name)) is not None


def is_label(name: str) -> bool:
    """Whether the name says that numbers here stand for something else than how much."""
    return _LABELS.fullmatch(plain(name)) is not None


def numbers_rows(name: str) -> bool:
    """Whether a column of this name usually numbers the rows of a table."""
    return plain(name) in _OF_ROWS
