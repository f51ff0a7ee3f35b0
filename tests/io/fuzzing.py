"""Valid files, damaged in many ways: a reader answers with a valid graph or a FormatError, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random, SystemRandom

import numpy as np

import clew
from clew.errors import FormatError

CASES = 2000

# Numbers and words that readers have been known to trip over.
NASTY = (
    b"", b" ", b"\n", b"\r\n", b"\r", b"\t", b"\x00", b"\xff", b"-", b"+", b".", b"e", b"%", b"#", b",", b'"',
    b"-1", b"0", b"1", b"2", b"00", b"1.5", b"1e400", b"-1e400", b"nan", b"inf", b"-inf", b"0x10", b"1_0",
    b"127", b"128", b"255", b"256", b"32768", b"65536", b"2147483647", b"2147483648", b"4294967295", b"4294967296",
    b"9223372036854775807", b"9223372036854775808", b"18446744073709551615", b"18446744073709551616", b"9" * 40,
    b"\x00\x00\x00\x00\x00\x00\x00\x80", b"\xff\xff\xff\xff\xff\xff\xff\xff", b"\xff\xff\xff\x7f",
)  # fmt: skip


def damaged(random: Random, files: Sequence[bytes]) -> bytes:
    """One of ``files`` after up to four changes."""
    data = random.choice(files)
    for _ in range(random.randint(1, 4)):
        start = random.randint(0, len(data))
        stop = min(len(data), start + random.randint(0, 16))
        match random.randint(0, 6):
            case 0:  # cut short
                data = data[:start]
            case 1:  # lose some bytes
                data = data[:start] + data[stop:]
            case 2:  # say something twice
                data = data[:stop] + data[start:]
            case 3:  # put in something odd
                data = data[:start] + random.choice(NASTY) + data[start:]
            case 4:  # replace something by something odd
                data = data[:start] + random.choice(NASTY) + data[stop:]
            case 5:  # random bytes
                data = data[:start] + random.randbytes(random.randint(0, 9)) + data[stop:]
            case 6:  # replace a whole word, if there are words
                words = data.split(b" ")
                words[random.randrange(len(words))] = random.choice(NASTY)
                data = b" ".join(words)
    return data


def assert_valid(graph: clew.Graph) -> None:
    """Everything that compiled code relies on."""
    indptr, indices, n = graph.indptr, graph.indices, graph.num_vertices
    assert indptr.dtype == np.int64
    assert indptr[0] == 0
    assert indptr[-1] == indices.size
    assert (np.diff(indptr) >= 0).all()
    assert indices.size == 0 or (indices.min() >= 0 and indices.max() < n)
    rows = np.repeat(np.arange(n), np.diff(indptr))
    same_row = rows[1:] == rows[:-1]
    assert (indices[1:][same_row] >= indices[:-1][same_row]).all()
    assert graph.weights is None or graph.weights.size == indices.size
    assert graph.names is None or len(graph.names) == n
    if not graph.directed:
        pairs = np.stack([rows, indices])
        assert np.array_equal(pairs[:, np.lexsort(pairs)], pairs[::-1][:, np.lexsort(pairs[::-1])])


def each_case(cases: int, check: Callable[[Random], None]) -> None:
    """Call ``check`` with a source of random numbers for each case; an error names the seed that repeats it.

    Hypothesis would take three times as long to draw a case as readers take to refuse it.
    """
    for seed in SystemRandom().sample(range(1 << 48), cases):
        try:
            check(Random(seed))
        except Exception as error:
            error.add_note(f"in the case that Random({seed}) draws")
            raise


def fuzz(files: Sequence[bytes], format_name: str, cases: int = CASES) -> None:
    """Read ``cases`` damaged versions of ``files`` as ``format_name``."""

    def check(random: Random) -> None:
        data = damaged(random, files)
        try:
            graph = clew.read(data, format=format_name)
        except FormatError as error:
            str(error)
            return
        except Exception as error:
            error.add_note(f"reading {data!r}")
            raise
        assert_valid(graph)

    for data in files:  # the undamaged files are valid
        assert_valid(clew.read(data, format=format_name))
    each_case(cases, check)
