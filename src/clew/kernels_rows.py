# mypy: ignore-errors
"""How kernels go over the edges of a vertex, in plain rows and in packed ones.

``rows`` is what ``Adjacency.readable`` returns: offsets, and neighbours that are an array or a packed array
(``clew.packed.code`` describes it). A kernel is compiled for one of the two, so plain rows cost nothing more than a
loop over an array. Packed neighbours are unpacked one at a time, as the loop needs them. A loop that stops early
unpacks no more than it has read.

``neighbours_of(rows, v)`` yields the ends of the edges of ``v``. ``edges_of(rows, v)`` yields pairs of the number of an
edge and its end. ``v`` is unsigned. Ids of plain rows have their own type, those of packed rows are uint64.
``weight_of`` is the weight of an edge by its number. References to arrays are not counted: the arrays must be arguments
of the kernel.
"""

import operator

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.imputils import RefType, iternext_impl, lower_builtin
from numba.extending import intrinsic, models, overload, register_model
from numba.np.arrayobj import make_array

PLACE_BITS, WIDTH_BITS = 19, 6  # of a group's head: where it starts in its block, and its two widths
SHORT_BITS = 57  # bits that 8 bytes have from any bit of the first on
GROUP_BITS = 6  # of an entry's number are its place in the group, and of a group's number that in the block

_word = ir.IntType(64)
_cell, _number = types.EphemeralPointer(types.uint64), types.uint64


class RowIterator(types.SimpleIteratorType):
    """The type of a position in a row."""

    def __init__(self, kind, numbered):
        self.packed, self.numbered = isinstance(kind, types.BaseTuple), numbered
        self.ids = types.uint64 if self.packed else kind.dtype
        yielded = types.Tuple((types.uint64, self.ids)) if numbered else self.ids
        super().__init__(f"{type(self).__name__}({kind}, {numbered})", yielded)


@register_model(RowIterator)
class _RowIteratorModel(models.StructModel):
    """``at`` is the number of the next edge; of packed rows, there is where and how its bits are read."""

    def __init__(self, manager, kind):
        members = [("at", _cell), ("stop", _number)]
        if kind.packed:
            members += [(name, _cell) for name in ("place", "mask", "value", "narrow", "extra")]
            members += [("words", types.CPointer(types.uint64)), ("heads", types.CPointer(types.uint32))]
            members += [("bases", types.CPointer(types.uint64)), ("bits", _number)]
        else:
            members += [("data", types.CPointer(kind.ids))]
        super().__init__(manager, kind, members)


def _iterating(numbered):
    """An intrinsic ``iterate(rows, vertex) -> iterator``."""

    @intrinsic
    def iterate(typing_context, rows, vertex):
        kind = RowIterator(rows[1], numbered)

        def generate(context, builder, signature, args):
            iterator = cgutils.create_struct_proxy(kind)(context, builder)
            starts = make_array(rows[0])(context, builder, builder.extract_value(args[0], 0)).data
            first = builder.load(builder.gep(starts, [args[1]]))
            iterator.at = cgutils.alloca_once_value(builder, first)
            iterator.stop = builder.load(builder.gep(starts, [builder.add(args[1], _word(1))]))
            given = builder.extract_value(args[0], 1)
            if not kind.packed:
                iterator.data = make_array(rows[1])(context, builder, given).data
                return iterator._getvalue()
            for place, name in enumerate(("words", "heads", "bases")):
                array = make_array(rows[1][place])(context, builder, builder.extract_value(given, place))
                setattr(iterator, name, array.data)
            iterator.bits = builder.extract_value(given, 3)
            for name in ("place", "mask", "value", "narrow", "extra"):
                setattr(iterator, name, cgutils.alloca_once_value(builder, _word(0)))
            inside = builder.icmp_unsigned("!=", builder.and_(first, _word((1 << GROUP_BITS) - 1)), _word(0))
            there = builder.icmp_unsigned("<", first, iterator.stop)
            with builder.if_then(builder.and_(inside, there)):
                _enter_inside(builder, iterator, first)
            return iterator._getvalue()

        return kind(rows, types.uint64), generate

    return iterate


neighbours_of, edges_of = _iterating(False), _iterating(True)


@intrinsic
def _plain_end(typing_context, rows, edge):
    def generate(context, builder, signature, args):
        ends = make_array(rows[1])(context, builder, builder.extract_value(args[0], 1)).data
        return builder.load(builder.gep(ends, [args[1]]))

    return rows[1].dtype(rows, types.uint64), generate


def end_of(rows, vertex, edge):
    """The end of an edge of a vertex, by its number. Packed rows are unpacked up to it."""
    raise NotImplementedError


@overload(end_of)
def _end_of(rows, vertex, edge):
    def plain(rows, vertex, edge):
        return _plain_end(rows, edge)

    def packed(rows, vertex, edge):
        end = edge
        for number, found in edges_of(rows, vertex):
            end = found
            if number == edge:
                break
        return end

    return packed if isinstance(rows[1], types.BaseTuple) else plain


@lower_builtin("iternext", RowIterator)
@iternext_impl(RefType.UNTRACKED)
def _next_edge(context, builder, signature, args, result):
    (kind,) = signature.args
    iterator = cgutils.create_struct_proxy(kind)(context, builder, value=args[0])
    at = builder.load(iterator.at)
    there = builder.icmp_unsigned("!=", at, iterator.stop)
    result.set_valid(there)
    with builder.if_then(there):
        value = _unpack_next(builder, iterator, at) if kind.packed else builder.load(builder.gep(iterator.data, [at]))
        following = builder.add(at, _word(1))
        # LLVM does not see this step. That makes packed rows and pulls faster, and plain loops of neighbours slower.
        if kind.packed or kind.numbered:
            following = builder.asm(ir.FunctionType(_word, [_word]), "", "=r,0", [following], False)
        builder.store(following, iterator.at)
        result.yield_(context.make_tuple(builder, kind.yield_type, (at, value)) if kind.numbered else value)


def _enter(builder, iterator, at):
    """Read the head of the group of entry ``at``, and its mask; returns where its first entry is."""
    group = builder.lshr(at, _word(GROUP_BITS))
    head = builder.zext(builder.load(builder.gep(iterator.heads, [group])), _word)
    base = builder.load(builder.gep(iterator.bases, [builder.lshr(group, _word(GROUP_BITS))]))
    inside = builder.and_(head, _word((1 << PLACE_BITS) - 1))
    place = builder.add(builder.shl(base, _word(6)), inside)  # 64 bits to a word
    widths = [builder.lshr(head, _word(PLACE_BITS + k * WIDTH_BITS)) for k in range(2)]
    narrow, wide = (builder.and_(width, _word((1 << WIDTH_BITS) - 1)) for width in widths)
    extra = builder.sub(wide, narrow)
    builder.store(narrow, iterator.narrow)
    builder.store(extra, iterator.extra)
    differ = builder.icmp_unsigned("!=", extra, _word(0))
    # Two reads, since a mask of 64 bits need not start at a byte. Without a mask they find bits that do not matter.
    low, high = (_bits(builder, iterator, builder.add(place, _word(k * 32)), _word(32)) for k in range(2))
    mask = builder.or_(low, builder.shl(high, _word(32)))
    builder.store(builder.select(differ, mask, _word(0)), iterator.mask)
    return builder.select(differ, builder.add(place, _word(64)), place)


def _enter_inside(builder, iterator, at):
    """Start at an entry that is not the first of its group."""
    first = _enter(builder, iterator, at)
    mask, narrow, extra = (builder.load(cell) for cell in (iterator.mask, iterator.narrow, iterator.extra))
    passed = builder.and_(at, _word((1 << GROUP_BITS) - 1))
    below = builder.and_(mask, builder.sub(builder.shl(_word(1), passed), _word(1)))
    wide = builder.mul(builder.ctpop(below), extra)
    others = builder.add(builder.mul(builder.sub(passed, _word(1)), narrow), wide)
    builder.store(builder.add(builder.add(first, iterator.bits), others), iterator.place)
    builder.store(builder.lshr(mask, passed), iterator.mask)


def _unpack_next(builder, iterator, at):
    """Entry ``at``: the first of a group is stored as it is, others are added to the one before, if in the row."""
    starts = builder.icmp_unsigned("==", builder.and_(at, _word((1 << GROUP_BITS) - 1)), _word(0))
    with builder.if_else(starts, likely=False) as (first, later):
        with first:
            builder.store(_enter(builder, iterator, at), iterator.place)
            builder.store(_word(0), iterator.value)
            whole, first_end = iterator.bits, builder.block
        with later:
            mask = builder.load(iterator.mask)
            wide = builder.icmp_unsigned("!=", builder.and_(mask, _word(1)), _word(0))
            narrow = builder.load(iterator.narrow)
            width = builder.add(narrow, builder.select(wide, builder.load(iterator.extra), _word(0)))
            later_end = builder.block
    taken = builder.phi(_word)
    taken.add_incoming(whole, first_end)
    taken.add_incoming(width, later_end)
    place = builder.load(iterator.place)
    value = builder.add(builder.load(iterator.value), _bits(builder, iterator, place, taken))
    builder.store(builder.add(place, taken), iterator.place)
    builder.store(builder.lshr(builder.load(iterator.mask), _word(1)), iterator.mask)
    builder.store(value, iterator.value)
    return value


def _bits(builder, iterator, place, width):
    """``width`` bits, SHORT_BITS at most, from bit ``place`` on; the 8 bytes that are read need not be aligned."""
    start = builder.gep(builder.bitcast(iterator.words, cgutils.voidptr_t), [builder.lshr(place, _word(3))])
    read = builder.load(builder.bitcast(start, _word.as_pointer()), align=1)
    shifted = builder.lshr(read, builder.and_(place, _word(7)))
    return builder.and_(shifted, builder.sub(builder.shl(_word(1), width), _word(1)))


def _prefetch(builder, place):
    kind, number = cgutils.voidptr_t, ir.IntType(32)
    signature = ir.FunctionType(ir.VoidType(), [kind, number, number, number])
    function = cgutils.get_or_insert_function(builder.module, signature, "llvm.prefetch.p0")
    builder.call(function, [builder.bitcast(place, kind), number(0), number(3), number(1)])  # read, keep, data


@intrinsic
def prefetch_end(typing_context, values, rows, edge):
    """Start to bring the value at the end of an edge into the cache; of packed rows, the end is not known yet.

    An edge after the last stands for the last. There has to be one.
    """

    def generate(context, builder, signature, args):
        if isinstance(rows[1], types.Array):
            indices = make_array(rows[1])(context, builder, builder.extract_value(args[1], 1))
            last = builder.sub(builder.extract_value(indices.shape, 0), _word(1))
            inside = builder.icmp_unsigned("<", args[2], last)
            end = builder.load(builder.gep(indices.data, [builder.select(inside, args[2], last)]))
            end = end if end.type == _word else builder.zext(end, _word)
            _prefetch(builder, builder.gep(make_array(values)(context, builder, args[0]).data, [end]))
        return context.get_dummy_value()

    return types.void(values, rows, types.uint64), generate


@intrinsic
def prefetch_edge(typing_context, rows, edge):
    """Start to bring the end of an edge into the cache, or the head of its group."""
    packed = isinstance(rows[1], types.BaseTuple)

    def generate(context, builder, signature, args):
        given, place = builder.extract_value(args[0], 1), args[1]
        if packed:
            given, place = builder.extract_value(given, 1), builder.lshr(place, _word(GROUP_BITS))
        array = make_array(rows[1][1] if packed else rows[1])(context, builder, given)
        _prefetch(builder, builder.gep(array.data, [place]))
        return context.get_dummy_value()

    return types.void(rows, types.uint64), generate


@intrinsic
def prefetch_weight(typing_context, weights, edge):
    """Start to bring the weight of an edge into the cache."""
    narrow = isinstance(weights, types.BaseTuple)

    def generate(context, builder, signature, args):
        given = builder.extract_value(args[0], 0) if narrow else args[0]
        array = make_array(weights[0] if narrow else weights)(context, builder, given)
        _prefetch(builder, builder.gep(array.data, [args[1]]))
        return context.get_dummy_value()

    return types.void(weights, types.uint64), generate


@intrinsic
def weight_of(typing_context, weights, edge):
    """The weight of an edge. Narrow weights are ``(array, like)``: they become numbers of the dtype of ``like``."""
    narrow = isinstance(weights, types.BaseTuple)
    array = weights[0] if narrow else weights
    kind = weights[1].dtype if narrow else array.dtype
    read = array.dtype(array, types.uint64)

    def generate(context, builder, signature, args):
        given = builder.extract_value(args[0], 0) if narrow else args[0]
        function = context.get_function(operator.getitem, read)
        found = function(builder, (given, args[1]))
        return context.cast(builder, found, array.dtype, kind)

    return kind(weights, types.uint64), generate
