"""Logarithms of eight numbers at once: of positive numbers, and of the tail of the normal law.

LLVM has no such function of vectors: it would call the library's for every lane.
"""

from __future__ import annotations

from typing import Any

from unbounded.solvers.compiled.compiling import compiled
from unbounded.solvers.compiled.vectors import (
    absolute,
    add,
    add_multiple,
    divide,
    exponent,
    mantissa,
    multiply,
    multiply_add,
    spread,
    subtract,
)

#: log 2, of which the first part times an exponent is exact.
LOG_2 = (float.fromhex("0x1.62e42fefa38p-1"), float.fromhex("0x1.ef35793c7673p-45"))

#: 1/(2n+1), the highest first: log((1+s)/(1−s)) = 2 Σ s^(2n+1)/(2n+1), to 2⁻⁵⁵ where |s| ≤ 3 − √8.
SERIES = tuple(1 / (2 * n + 1) for n in range(10, 0, -1))

#: The polynomial in u = 2t − 1, highest coefficient first, that times t = 1/(1 + x/5) is e^(x²/2) P(X > x) for a
#: standard normal X and all x ≥ 0, to fifteen digits: least squares over 400 of Chebyshev's points.
TAIL = (
    9.833779391498687e-10,
    4.81370847825061e-10,
    -1.1391488816852718e-08,
    -6.008736985295895e-09,
    8.385203691775022e-08,
    6.47888688259306e-08,
    -5.513687600781077e-07,
    -7.945110604169866e-07,
    3.3348556991889133e-06,
    9.951850588986007e-06,
    -1.187465309873866e-05,
    -0.00010897962026385765,
    -0.00015957398918104516,
    0.0005986753229961372,
    0.004159013374483691,
    0.013823727743909792,
    0.033004073233032505,
    0.06270663133417219,
    0.09906112319402953,
    0.13307650057801146,
    0.15383860995001247,
)


@compiled()
def log(v: Any) -> Any:
    """Return the natural logarithms of positive numbers that are neither tiny, below 2⁻¹⁰²², nor infinite."""
    power, m = exponent(v), mantissa(v)
    one = spread(1.0)
    s = divide(subtract(m, one), add(m, one))
    s2 = multiply(s, s)
    total = spread(0.0)
    for coefficient in SERIES:
        total = multiply_add(total, s2, spread(coefficient))
    rest = multiply_add(multiply(total, s2), add(s, s), add_multiple(add(s, s), LOG_2[1], power))
    return add_multiple(rest, LOG_2[0], power)


@compiled()
def log_tail(w: Any) -> Any:
    """Return log P(X > |w|) for a standard normal X, also where P itself would be 0."""
    x = absolute(w)
    t = divide(spread(1.0), add_multiple(spread(1.0), 0.2, x))
    u = subtract(add(t, t), spread(1.0))
    total = spread(0.0)
    for coefficient in TAIL:
        total = multiply_add(total, u, spread(coefficient))
    return subtract(log(multiply(t, total)), multiply(spread(0.5), multiply(x, x)))
