"""A type for compiled code: LANES numbers that are read, added to and written together.

Left to itself the compiler writes every partial sum of a matrix product back to memory, since the matrices might
overlap. Values of this type stay in the processor's registers, which makes products of small matrices four times as
fast. Four of them, below one another, are a tile: what is read of one matrix is used four times.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from llvmlite import ir
from numba import types
from numba.core.cgutils import get_item_pointer, get_or_insert_function
from numba.extending import intrinsic, models, register_model

from unbounded.solvers.compiled.compiling import LANES, compiled

_LANES = ir.VectorType(ir.DoubleType(), LANES)

#: What `at_most` returns where all lanes are.
ALL = (1 << LANES) - 1


class Vector(types.Type):  # type: ignore[misc]
    """LANES numbers; processors whose registers are shorter take several."""

    def __init__(self) -> None:
        super().__init__(name="Vector")


_VECTOR = Vector()


@register_model(Vector)
class _Model(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager: Any, type: Any) -> None:
        super().__init__(manager, type, _LANES)


def _pointer(context: Any, builder: Any, type: Any, value: Any, index: Sequence[Any]) -> Any:
    array = context.make_array(type)(context, builder, value)
    return builder.bitcast(get_item_pointer(context, builder, type, array, index), _LANES.as_pointer())


def _spread(builder: Any, value: Any) -> Any:
    i32, undefined = ir.IntType(32), ir.Constant(_LANES, ir.Undefined)
    one = builder.insert_element(undefined, value, i32(0))
    return builder.shuffle_vector(one, undefined, ir.Constant(ir.VectorType(i32, LANES), [0] * LANES))


@intrinsic  # type: ignore[untyped-decorator]
def zeros(context: Any) -> Any:
    """Return a vector of zeros."""
    return _VECTOR(), lambda context, builder, signature, arguments: ir.Constant(_LANES, [0.0] * LANES)


@intrinsic  # type: ignore[untyped-decorator]
def load(context: Any, M: Any, row: Any, column: Any) -> Any:
    """Return M[row, column : column + LANES]; the matrix has these columns."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        M, *index = arguments
        return builder.load(_pointer(context, builder, signature.args[0], M, index), align=8)

    return _VECTOR(M, types.intp, types.intp), generate


@intrinsic  # type: ignore[untyped-decorator]
def store(context: Any, M: Any, row: Any, column: Any, vector: Any) -> Any:
    """Write the vector to M[row, column : column + LANES]; the matrix has these columns."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        M, *index, vector = arguments
        builder.store(vector, _pointer(context, builder, signature.args[0], M, index), align=8)
        return context.get_dummy_value()

    return types.void(M, types.intp, types.intp, _VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def add_multiple(context: Any, total: Any, factor: Any, vector: Any) -> Any:
    """Return total + factor · vector, in one operation where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        total, factor, vector = arguments
        product = builder.fmul(_spread(builder, factor), vector, flags=["contract"])
        return builder.fadd(total, product, flags=["contract"])

    return _VECTOR(_VECTOR, types.float64, _VECTOR), generate


def _unary(name: str) -> Any:
    """Return a function of vectors that LLVM has an intrinsic for, lane by lane."""

    @intrinsic  # type: ignore[untyped-decorator]
    def apply(context: Any, vector: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
            function = get_or_insert_function(
                builder.module, ir.FunctionType(_LANES, [_LANES]), f"llvm.{name}.v{LANES}f64"
            )
            return builder.call(function, arguments)

        return _VECTOR(_VECTOR), generate

    return apply


def _binary(name: str) -> Any:
    """Return a function of two vectors that is one of LLVM's instructions, lane by lane."""

    @intrinsic  # type: ignore[untyped-decorator]
    def apply(context: Any, a: Any, b: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
            return getattr(builder, name)(*arguments, flags=["contract"])

        return _VECTOR(_VECTOR, _VECTOR), generate

    return apply


@intrinsic  # type: ignore[untyped-decorator]
def multiply_add(context: Any, a: Any, b: Any, c: Any) -> Any:
    """Return a · b + c, in one operation where the processor has it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        a, b, c = arguments
        return builder.fadd(builder.fmul(a, b, flags=["contract"]), c, flags=["contract"])

    return _VECTOR(_VECTOR, _VECTOR, _VECTOR), generate


#: Bits of √½, rounded down, from where mantissas are counted; where the exponent begins, and the bits below it.
_ROOT_HALF, _POSITION, _FRACTION = 0x3FE6A09E00000000, 52, (1 << 52) - 1
_BITS = ir.VectorType(ir.IntType(64), LANES)


def _bits_above(builder: Any, vector: Any) -> Any:
    """Return the bits of positive numbers less those of √½."""
    return builder.sub(builder.bitcast(vector, _BITS), ir.Constant(_BITS, [_ROOT_HALF] * LANES))


@intrinsic  # type: ignore[untyped-decorator]
def exponent(context: Any, vector: Any) -> Any:
    """Return the powers of two that, times the mantissas, are these positive numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        shifted = builder.ashr(_bits_above(builder, arguments[0]), ir.Constant(_BITS, [_POSITION] * LANES))
        # Processors convert 32 bits at once, but rarely 64.
        return builder.sitofp(builder.trunc(shifted, ir.VectorType(ir.IntType(32), LANES)), _LANES)

    return _VECTOR(_VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def mantissa(context: Any, vector: Any) -> Any:
    """Return positive numbers over powers of two, from √½ to √2."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        fraction = builder.and_(_bits_above(builder, arguments[0]), ir.Constant(_BITS, [_FRACTION] * LANES))
        return builder.bitcast(builder.add(fraction, ir.Constant(_BITS, [_ROOT_HALF] * LANES)), _LANES)

    return _VECTOR(_VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def copy_sign(context: Any, size: Any, sign: Any) -> Any:
    """Return sizes with the signs of other numbers."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        type = ir.FunctionType(_LANES, [_LANES, _LANES])
        return builder.call(get_or_insert_function(builder.module, type, f"llvm.copysign.v{LANES}f64"), arguments)

    return _VECTOR(_VECTOR, _VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def where_at_most(context: Any, a: Any, b: Any, then: Any, otherwise: Any) -> Any:
    """Return `then` in the lanes where a is at most b, and `otherwise` in the others."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        a, b, then, otherwise = arguments
        return builder.select(builder.fcmp_ordered("<=", a, b), then, otherwise)

    return _VECTOR(_VECTOR, _VECTOR, _VECTOR, _VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def not_negative(context: Any, vector: Any) -> Any:
    """Return the vector with 0 in place of what is below."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        (v,) = arguments
        zero = ir.Constant(_LANES, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", v, zero), v, zero)

    return _VECTOR(_VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def at_most(context: Any, a: Any, b: Any) -> Any:
    """Return a number with one bit a lane, the lowest for the first: whether a's lane is at most b's."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        bits = builder.bitcast(builder.fcmp_ordered("<=", *arguments), ir.IntType(LANES))
        return builder.zext(bits, ir.IntType(64))

    return types.intp(_VECTOR, _VECTOR), generate


@intrinsic  # type: ignore[untyped-decorator]
def choose(context: Any, condition: Any, a: Any, b: Any) -> Any:
    """Return a if the condition holds, else b, without a branch for the processor to guess."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        return builder.select(*arguments)

    return types.float64(types.boolean, types.float64, types.float64), generate


def _reduction(predicate: str) -> Any:
    """Return a function that gives the one of a vector's lanes that compares so with all others; no lane is NaN."""

    @intrinsic  # type: ignore[untyped-decorator]
    def apply(context: Any, vector: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
            (v,) = arguments
            i32, width = ir.IntType(32), LANES
            while width > 1:
                width //= 2
                undefined = ir.Constant(v.type, ir.Undefined)
                low, high = (
                    builder.shuffle_vector(v, undefined, ir.Constant(ir.VectorType(i32, width), list(lanes)))
                    for lanes in (range(width), range(width, 2 * width))
                )
                v = builder.select(builder.fcmp_ordered(predicate, low, high), low, high)
            return builder.extract_element(v, i32(0))

        return types.float64(_VECTOR), generate

    return apply


@intrinsic  # type: ignore[untyped-decorator]
def spread(context: Any, value: Any) -> Any:
    """Return a vector with the value in every lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        return _spread(builder, arguments[0])

    return _VECTOR(types.float64), generate


@intrinsic  # type: ignore[untyped-decorator]
def first(context: Any, vector: Any) -> Any:
    """Return the vector's first lane."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
        return builder.extract_element(arguments[0], ir.IntType(32)(0))

    return types.float64(_VECTOR), generate


add, subtract, multiply, divide = _binary("fadd"), _binary("fsub"), _binary("fmul"), _binary("fdiv")
square_root, floor, ceil, absolute = _unary("sqrt"), _unary("floor"), _unary("ceil"), _unary("fabs")
largest, smallest = _reduction(">"), _reduction("<")


@compiled()
def multiple(factor: float, vector: Any) -> Any:
    """Return factor · vector."""
    return add_multiple(zeros(), factor, vector)


@compiled()
def load_tile(M: Any, row: int, column: int) -> Any:
    """Return four rows of M, LANES columns wide."""
    return load(M, row, column), load(M, row + 1, column), load(M, row + 2, column), load(M, row + 3, column)


@compiled()
def store_tile(M: Any, row: int, column: int, tile: Any) -> None:
    """Write four rows of M, LANES columns wide."""
    for r in range(4):
        store(M, row + r, column, tile[r])


@compiled()
def multiple_tile(factor: float, tile: Any) -> Any:
    """Return factor · tile."""
    return multiple(factor, tile[0]), multiple(factor, tile[1]), multiple(factor, tile[2]), multiple(factor, tile[3])


@compiled()
def add_product(tile: Any, a: float, b: float, c: float, d: float, v: Any) -> Any:
    """Return tile + (a, b, c, d)ᵀ v."""
    return (
        add_multiple(tile[0], a, v),
        add_multiple(tile[1], b, v),
        add_multiple(tile[2], c, v),
        add_multiple(tile[3], d, v),
    )
