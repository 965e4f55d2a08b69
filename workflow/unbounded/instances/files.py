"""Problems of one's own: any convex program with one quadratic constraint and some integers, from an NPZ file.

    minimise (1/c)(x−ξ0)ᵀHf(x−ξ0) subject to (1/c)(x−ξ1)ᵀHg(x−ξ1) ≤ E, some coordinates of x integer

The file has the arrays `Hf`, `Hg` (D × D), `xi0`, `xi1` (D), `integer` (D truth values, the true ones last), the
number `E`, and `c`, which is 1 if it is not there: what `unbounded instance export --format npz` writes. Other arrays
in it are left alone. Its id is the file's name, its digest that of its arrays.

A trial runs in a process of its own and is told no more than the id: the files that a campaign names are in a variable
of the environment, which processes inherit.
"""

from __future__ import annotations

import os
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from glob import glob
from pathlib import Path
from typing import Any

import numpy as np

from unbounded.instances.hessians import FloatArray, Given, Hessian
from unbounded.instances.spec import FILE_NAME, MAX_DIMENSION, SPHERE, InstanceSpec, check_level, is_suite_id

ENDING = ".npz"
#: The patterns of the files that are known, one a line.
KNOWN = "UNBOUNDED_FILES"
#: What else stands where tables name a test case, and how figures of what is near the optimum are named.
TAKEN = rf"all|{SPHERE}|TC\d+|.*-near"
MAX_NAME = 100
ARRAYS = ("Hf", "Hg", "xi0", "xi1", "integer", "E")
#: Beyond this, halves are not exact, and integers are not told apart from their neighbours.
MAX_CENTRE = 2.0**52
#: An eigenvalue that is less than this share of the largest is lost in rounding.
LEAST_EIGENVALUE = 1e-14


@dataclass(frozen=True)
class FileSpec(InstanceSpec):
    """A problem from a file: its case is the file's name, and nothing is translated."""

    integers: int = 0
    path: Path = field(default=Path(), compare=False)
    #: When the file was changed: what it held before is another problem.
    changed: int = 0
    arrays: dict[str, FloatArray] = field(default_factory=dict, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check nothing: `read` has."""

    @property
    def objective(self) -> str:
        """Where Hf is from."""
        return f"of {self.path.name}"

    @property
    def constraint(self) -> str:
        """Where Hg is from."""
        return f"of {self.path.name}"

    @property
    def labels(self) -> tuple[str, str]:
        """What Hf and Hg are called in figures and on the page."""
        return "Hf", "Hg"

    @property
    def modules(self) -> tuple[str, ...]:
        """This one."""
        return (__name__,)

    @property
    def n_z(self) -> int:
        """Number of integer variables; they come last."""
        return self.integers

    @property
    def id(self) -> str:
        """The file's name."""
        return self.case_name

    def centres(self) -> tuple[FloatArray, FloatArray]:
        """Return ξ0 and ξ1."""
        return self.arrays["xi0"], self.arrays["xi1"]

    def hessians(self) -> tuple[Hessian, Hessian]:
        """Return Hf and Hg."""
        return Given(self.arrays["Hf"]), Given(self.arrays["Hg"])


def know(patterns: Iterable[str]) -> None:
    """Have this process, and those that it starts, find the files of these patterns by their names."""
    known = dict.fromkeys([*(os.path.abspath(pattern) for pattern in patterns), *_known()])
    if known:
        os.environ[KNOWN] = "\n".join(known)


def find(text: str) -> FileSpec | None:
    """Return the problem of a known file by its name, or of any file by its path; None if there is none such."""
    if text.endswith(ENDING):
        know([text])
        return read(Path(text))
    paths = (path for pattern in _known() for path in matching(pattern))
    return next((read(path) for path in paths if path.stem == text), None)


def _known() -> list[str]:
    return list(filter(None, os.environ.get(KNOWN, "").split("\n")))


def matching(pattern: str) -> list[Path]:
    """Return the files of a pattern, sorted; a name without `*` and the like is a pattern of one."""
    return [Path(path) for path in sorted(glob(pattern)) if path.endswith(ENDING)] or (
        [Path(pattern)] if Path(pattern).is_file() else []
    )


def read(path: Path) -> FileSpec:
    """Return the problem of a file, or raise ValueError that says what is wrong with it."""
    try:
        found = path.stat()
    except OSError as error:
        raise ValueError(f"{path}: cannot be read ({error.strerror})") from None
    return _read(path, found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=1024)
def _read(path: Path, changed: int, size: int) -> FileSpec:
    """Read a file; the time of its last change and its size tell whether it was read already."""
    problems = list(_wrong_name(path))
    data: dict[str, Any] = {}
    if not problems:
        try:
            with np.load(path, allow_pickle=False) as file:
                data = {name: file[name] for name in (*ARRAYS, "c") if name in file.files}
        except (OSError, ValueError, AttributeError, EOFError, KeyError, zipfile.BadZipFile) as error:
            problems = [f"is no NPZ file of numbers ({error})"]
        else:
            problems = list(_wrong_arrays({"c": np.float64(1.0), **data}))
    if problems:
        raise ValueError("\n".join(f"{path}: {problem}" for problem in problems))
    integer = data["integer"].astype(bool)
    return FileSpec(
        kind="integer" if integer.all() else "mixed",
        D=integer.size,
        t=0.0,
        case=path.stem,
        c=float(data.get("c", 1.0)),
        E=float(data["E"]),
        integers=int(integer.sum()),
        path=path,
        changed=changed,
        arrays={name: np.ascontiguousarray(data[name], dtype=np.float64) for name in ("Hf", "Hg", "xi0", "xi1")},
    )


def _wrong_name(path: Path) -> Iterator[str]:
    name = path.stem
    if path.suffix != ENDING or not re.fullmatch(FILE_NAME, name) or len(name) > MAX_NAME:
        yield (
            f"its name is the id of an instance; allowed: at most {MAX_NAME} letters, digits, - and _, a letter first, "
            f"and {ENDING} at the end"
        )
    elif re.fullmatch(TAKEN, name) or is_suite_id(name):
        yield f"'{name}' has another meaning in tables and figures; rename the file"


def _wrong_arrays(data: dict[str, Any]) -> Iterator[str]:
    """Yield what is wrong with the arrays of a file, each by its name."""
    missing = [name for name in ARRAYS if name not in data]
    if missing:
        yield f"{', '.join(missing)} missing; it must have {', '.join(ARRAYS)}, and may have c"
        return
    D = data["xi0"].size
    if not 2 <= D <= MAX_DIMENSION:
        yield f"xi0 has {D} numbers; allowed: 2 to {MAX_DIMENSION}"
        return
    shapes = {"Hf": (D, D), "Hg": (D, D), "xi0": (D,), "xi1": (D,), "integer": (D,), "E": (), "c": ()}
    right = set()
    for name, shape in shapes.items():
        array = data[name]
        if array.shape != shape:
            yield f"{name} has the shape {array.shape}; allowed: {shape}, by the {D} numbers of xi0"
        elif array.dtype.kind not in "fiub":
            yield f"{name} holds {array.dtype}; allowed: real numbers"
        elif not np.isfinite(array).all():
            yield f"{name} holds a number that is not finite"
        else:
            right.add(name)
    for name in ("Hf", "Hg"):
        if name in right:
            yield from _wrong_matrix(name, data[name].astype(np.float64))
    for name in ("xi0", "xi1"):
        if name in right and np.abs(data[name]).max() >= MAX_CENTRE:
            yield f"{name} holds {np.abs(data[name]).max():g}; allowed: numbers below 2⁵² in size"
    for name in ("E", "c"):
        if name in right:
            try:
                check_level(float(data[name]))
            except ValueError as error:
                yield f"{name} is {float(data[name]):g}; {error}"
    if "integer" in right:
        yield from _wrong_integers(data["integer"])


def _wrong_integers(integer: Any) -> Iterator[str]:
    if not np.isin(integer, (0, 1)).all():
        yield "integer holds other values than true and false, or 1 and 0"
    elif not integer.any():
        yield "integer is false everywhere; allowed: at least one integer coordinate"
    elif (np.diff(integer.astype(int)) < 0).any():
        yield (
            "integer is true before it is false; allowed: the integers last. Put all arrays in another order: "
            "order = numpy.argsort(integer, kind='stable'), then Hf[numpy.ix_(order, order)], xi0[order] and so on"
        )


def _wrong_matrix(name: str, H: FloatArray) -> Iterator[str]:
    if not np.array_equal(H, H.T):
        i, j = np.unravel_index(int(np.argmax(np.abs(H - H.T))), H.shape)
        yield (
            f"{name} is not symmetric: its entries ({i}, {j}) and ({j}, {i}) are {H[i, j]!r} and {H[j, i]!r}; where "
            f"that is rounding, write ({name} + {name}.T) / 2"
        )
        return
    eigenvalues = np.linalg.eigvalsh(H)
    if not eigenvalues[0] > LEAST_EIGENVALUE * eigenvalues[-1]:
        yield (
            f"{name} is not positive definite: its eigenvalues run from {eigenvalues[0]:.3g} to {eigenvalues[-1]:.3g}; "
            f"allowed: all above {LEAST_EIGENVALUE:g} of the largest"
        )
