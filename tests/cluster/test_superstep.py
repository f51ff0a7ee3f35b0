"""Messages of compiled supersteps: what arrives is checked before anything is written."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import clew
from clew.engines.cluster import kernels_origins as origins
from clew.engines.cluster import kernels_routes as routes
from clew.engines.cluster import kernels_superstep as superstep
from clew.engines.cluster import messages
from clew.engines.cluster import share as share_module
from clew.engines.cluster.member import Member
from clew.engines.cluster.origins import fetch_parents
from clew.engines.cluster.partition import Grid, Partition
from clew.engines.cluster.share import Share, build_share
from clew.engines.cluster.transport import LinkError, Sockets
from clew.errors import ClusterError
from tests.cluster.team import mesh, run_on_team, together

HEAD = superstep.HEAD


def packed(places: list[int], size: int) -> np.ndarray:
    message = np.zeros(HEAD + -(-size // 64) * 8, np.uint8)
    length = superstep.pack(np.array(places, np.int32), len(places), size, message)
    return message[:length]


@settings(deadline=None)  # the first call compiles
@given(st.integers(0, 9000), st.data())
def test_places_survive_sets_and_messages(size: int, data: st.DataObject) -> None:
    """Any part of a set, gaps or bitmap, at any offset."""
    chosen = data.draw(st.sets(st.integers(0, size - 1), max_size=400)) if size else set()
    if data.draw(st.booleans()):
        chosen = set(range(size)) - chosen
    first = data.draw(st.integers(0, size))
    several = superstep.new_set(size)
    for place in chosen:
        superstep.add(several, np.uint64(place))
    listed = np.empty(max(1, size), np.int32)
    below = superstep.take(several, 0, first, listed)
    assert listed[:below].tolist() == sorted(place for place in chosen if place < first)
    count = superstep.take(several, first, size - first, listed)
    expected = sorted(place - first for place in chosen if place >= first)
    assert listed[:count].tolist() == expected
    assert not several[0].any()
    assert not several[1].any()
    message = packed(expected, size - first)
    assert message.size <= HEAD + min(-(-(size - first) // 64) * 8, 3 * count + 8)
    assert superstep.unpack(message, size - first, 7, listed) == (count, message.size)
    assert listed[:count].tolist() == [7 + place for place in expected]


@given(st.integers(1, 300), st.data())
def test_vectors_survive_messages(size: int, data: st.DataObject) -> None:
    """Ids or a bitmap, and the message of a last segment, which is shorter than the others."""
    dtype = np.dtype(data.draw(st.sampled_from(["<f8", "<i4", "|b1"])))
    parts = []
    for entries in (size, data.draw(st.integers(0, size))):
        places = np.array(sorted(data.draw(st.sets(st.integers(0, entries - 1)) if entries else st.just([]))), np.int32)
        parts.append((places, np.arange(places.size).astype(dtype), entries))
    found, values = messages.unpack([messages.pack(*part) for part in parts], size, dtype)
    assert found.tolist() == [*parts[0][0].tolist(), *(size + parts[1][0]).tolist()]
    assert np.array_equal(values, np.concatenate([part[1] for part in parts]))
    unshifted, _ = messages.unpack([messages.pack(*part) for part in parts], size, dtype, shifted=False)
    assert unshifted.tolist() == [*parts[0][0].tolist(), *parts[1][0].tolist()]


@given(st.integers(0, 100), st.binary(max_size=300), st.sampled_from([0, 1, 1, 2, -1]), st.integers(-2, 60), st.data())
def test_no_damaged_vector_has_places_outside(
    size: int, rest: bytes, form: int, count: int, data: st.DataObject
) -> None:
    """Random bytes, and damaged messages, are an error, or places of the range."""
    message = np.frombuffer(np.array([form, count], np.int64).tobytes() + rest, np.uint8).copy()
    if data.draw(st.booleans()):
        places = np.array(sorted(data.draw(st.sets(st.integers(0, size + 5)))), np.int32)
        message = messages.pack(places, np.zeros(places.size), size + 6)
        message[data.draw(st.integers(0, message.size - 1))] ^= data.draw(st.integers(0, 255))
    with suppress(LinkError):
        found, values = messages.unpack(
            [message[: data.draw(st.integers(0, message.size))]], size, np.dtype(np.float64)
        )
        assert found.size == values.size
        assert not found.size or 0 <= found.min() <= found.max() < size


def test_places_beyond_a_segment_are_refused() -> None:
    for places in ([70], [-1], [*range(40), 64]):
        message = messages.pack(np.array(places, np.int32), np.zeros(len(places)), 128)
        with pytest.raises(LinkError, match=r"places outside of a vector with 64 entries|no sparse vector of up to 64"):
            messages.unpack([message], 64, np.dtype(np.float64))


@settings(deadline=None)
@given(st.integers(0, 300), st.binary(max_size=120), st.integers(0, 1), st.integers(-2, 400))
def test_no_message_writes_out_of_bounds(size: int, rest: bytes, form: int, count: int) -> None:
    """Random bytes are refused, or give ascending places of the range; nothing behind them is touched."""
    head = np.array([form, count, 0, 0], np.int64).tobytes()
    message = np.frombuffer((head + rest)[: max(HEAD, len(head + rest) // 8 * 8)], np.uint8).copy()
    listed = np.full(size + 8, -7, np.int32)
    found, begin = superstep.unpack(message, size, 0, listed)
    assert (listed[size:] == -7).all()
    if found >= 0:
        places = listed[:found]
        assert found == count
        assert begin <= message.size
        assert (np.diff(places) > 0).all()
        assert found == 0 or 0 <= places[0] <= places[-1] < size


@settings(deadline=None)
@given(st.integers(1, 5000), st.data())
def test_rows_of_any_width_survive(height: int, data: st.DataObject) -> None:
    rows = np.array(data.draw(st.lists(st.integers(0, height - 1), max_size=99)), np.int32)
    bits = np.uint64(origins._bits(height))
    words = np.full(origins._length(rows.size, bits) // 8, 7, np.uint64)
    origins._pack_rows(np.arange(rows.size, dtype=np.int32), rows.size, rows, bits, words)
    found = np.empty(rows.size, np.int64)
    assert origins._unpack_rows(words, found, bits, height)
    assert np.array_equal(found, rows)
    assert not rows.size or origins._unpack_rows(words, found, bits, rows.max()) == 0


@settings(deadline=None)
@given(st.integers(1, 400), st.data())
def test_places_have_the_numbers_of_a_list(size: int, data: st.DataObject) -> None:
    places = st.lists(st.integers(0, size - 1), unique=True).map(sorted)
    known, listed = (np.array(data.draw(places), np.int32) for _ in range(2))
    words, before = np.zeros((size >> 6) + 1, np.uint64), np.zeros((size >> 6) + 1, np.int32)
    routes.number(known, words, before)
    numbers = np.empty(listed.size, np.int32)
    kept = routes.numbers_of(listed, listed.size, 0, words, before, 0, numbers)
    assert known[numbers[:kept]].tolist() == np.intersect1d(known, listed).tolist()


def hostile(places: list[int], size: int, **changed: int) -> np.ndarray:
    message = packed(places, size).copy()
    for field, number in changed.items():
        message[:HEAD].view(np.int64)[getattr(superstep, field)] = number
    return message


GRAPH = clew.generate.random_weights(clew.generate.path(600), 1, 9, seed=1)
MESSAGES = {
    "nothing": np.empty(0, np.uint8),
    "half a head": np.zeros(16, np.uint8),
    "too many places": hostile([1, 2], 300, COUNT=301),
    "fewer places than it says": hostile([1, 2], 300, COUNT=50),
    "a negative number": hostile([1, 2], 300, COUNT=-1),
    "an unknown form": hostile([1, 2], 300, FORM=2),
    "places outside": hostile([1, 299_000], 300_000),
    "no bitmap": hostile([1, 2], 300, FORM=superstep.BITMAP),
    "a bitmap with other bits": hostile(list(range(0, 300, 2)), 300, COUNT=149),
    "bits outside": hostile(list(range(0, 320, 2)), 320, COUNT=160),
    "more than there is room for": np.zeros(100_000, np.uint8),
}


@pytest.fixture(scope="module", autouse=True)
def compiled() -> None:
    """Compile before members wait for each other."""
    share = build_share(Member(mesh(1)[0]), np.arange(3), np.arange(3), np.ones(3, np.int32), 3, directed=False)
    clew.bfs(share, 0)
    clew.sssp(share, 0)


@pytest.mark.parametrize("message", MESSAGES.values(), ids=MESSAGES.keys())
@pytest.mark.parametrize("name", ["bfs", "sssp"])
def test_damaged_messages_end_the_search(name: str, message: np.ndarray) -> None:
    """Of two members, the other one sends this in place of its frontier, or of its answer to it."""
    source = np.repeat(np.arange(600), np.diff(GRAPH.indptr))
    target = GRAPH.indices.astype(np.int64)

    def work(transport: Sockets) -> None:
        mine = slice(None) if transport.rank == 0 else slice(0)
        weights = GRAPH.weights[mine]
        share = build_share(Member(transport), source[mine], target[mine], weights, 600, directed=False)
        share.routes(transpose=False)
        if transport.rank == 0:
            with pytest.raises(ClusterError, match="does not belong"):
                getattr(clew, name)(share, 3)
            return
        if name == "sssp":  # which agrees on the weights first
            share.member.all_gather("all", np.zeros(3))
        with suppress(ClusterError):  # the other one leaves at once, or when it has read this
            transport.exchange([0], [message])

    together(work, mesh(2))


PARENTS = {
    "a short request": [packed([1], 300)[:40], None],
    "a request for places outside": [hostile([1, 299_000], 300_000), None],
    "no answer": [packed([], 300), np.empty(0, np.uint8)],
    "half an answer": [packed([], 300), np.zeros(4, np.uint8)],
    "rows outside": [packed([], 300), np.full(344, 255, np.uint8)],
}


@pytest.mark.parametrize("messages", PARENTS.values(), ids=PARENTS.keys())
def test_damaged_parents_end_the_search(messages: list[np.ndarray | None]) -> None:
    """Of two members in a column, the other one sends this in place of its request for parents and its answers.

    The blocks have 600 columns and 300 rows each, so a row has 9 bits. The other member has 300 answers to give.
    """

    def work(transport: Sockets) -> None:
        member = Member(transport).on(Grid(2, one_column=True))
        share = build_share(member, np.arange(0), np.arange(0), None, Partition(600, member.grid), directed=True)
        column = share.channel("column", 4)
        if transport.rank == 1:
            for message in messages:
                with suppress(ClusterError):
                    transport.exchange([0], [np.zeros(0, np.uint8) if message is None else message])
            return
        giver = np.ones(300, np.int32)
        with pytest.raises(ClusterError, match="does not belong"):
            fetch_parents(share, "row", column, giver, np.zeros(600, np.int32), np.zeros(300, np.int32))

    together(work, mesh(2))


def test_values_must_be_as_many_as_places() -> None:
    """A message with good places and too few values."""
    channel = mesh(1)[0].channel([0], 1000, np.zeros(1, np.int64), np.array([300]))
    good = packed([3, 5, 9], 300)
    assert superstep.unpack(good, 300, 0, np.empty(300, np.int32)) == (3, good.size)
    from clew.algorithms.paths import kernels_cluster as paths

    channel.outbox[0, 32 : 32 + good.size] = good
    for values, expected in ((12, 3), (8, -1), (16, -1)):
        channel.lengths[0] = good.size + values
        found = paths._read(channel, 0, 300, 0, np.empty(300, np.int32), np.empty(300, np.int32))
        assert found[0] == expected


def test_a_lost_member_ends_a_search() -> None:
    def work(transport: Sockets) -> None:
        source = np.arange(5000 if transport.rank == 0 else 0)
        share = build_share(Member(transport), source, source + 1, None, 5001)
        if transport.rank == 3:
            transport.close()
            return
        with pytest.raises(ClusterError):
            clew.bfs(share, 0)

    together(work, mesh(4))


@pytest.mark.parametrize("members", [1, 2, 6, 9])
def test_a_flag_of_any_member_reaches_all(members: int) -> None:
    def work(transport: Sockets) -> list[bool]:
        member = Member(transport)
        return [member.any(transport.rank == flagged) for flagged in range(-1, members)]

    assert together(work, mesh(members)) == [[False] + [True] * members] * members


@pytest.mark.parametrize("message", [[], [2], [0, 0], [0] * 5000], ids=["nothing", "no flag", "two", "many"])
def test_damaged_flags_end_the_vote(message: list[int]) -> None:
    def work(transport: Sockets) -> None:
        if transport.rank == 1:
            with suppress(ClusterError):
                transport.exchange([0], [np.array(message, np.uint8)])
            return
        with pytest.raises(ClusterError, match="does not belong"):
            Member(transport).any(False)

    together(work, mesh(2))


@pytest.mark.parametrize("members", [1, 2, 4, 6, 9])
@pytest.mark.parametrize("directed", [True, False])
def test_searches_that_only_push_find_the_same_parents(
    members: int, directed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first ones need no edges by target; where there is no room for these, no search does."""
    graph = clew.generate.rmat(10, edge_factor=8, seed=2) if directed else clew.generate.kronecker(10, seed=2)
    source = int(np.argmax(graph.degrees()))

    def work(share: Share) -> clew.Result:
        found = [clew.bfs(share, source, deterministic=turn == 4) for turn in range(5)]
        values = {f"{name}{k}": each.values[name] for k, each in enumerate(found) for name in ("depth", "parent")}
        return clew.Result("searches", values, facts={"turned": share._in is not None})

    with_room = run_on_team(members, graph, work)
    monkeypatch.setattr(share_module, "available_bytes", lambda: 0)
    without = run_on_team(members, graph, work)
    assert with_room.turned
    assert not without.turned
    assert np.array_equal(with_room.depth0, clew.bfs(graph, source).depth)
    assert np.array_equal(with_room.parent4, clew.bfs(graph, source, deterministic=True).parent)
    for name, values in with_room.values.items():
        assert np.array_equal(values, without.values[name])
    for turn in range(1, 4):
        assert np.array_equal(with_room.values[f"parent{turn}"], with_room.parent0)
