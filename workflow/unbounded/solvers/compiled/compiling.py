"""Compiled inner loops: numba compiles them once, later processes load the machine code without it.

Importing numba and having it load a function from its own cache takes 0.6 s, more than many a trial runs; loading an
object file through llvmlite takes a tenth of that. So a `Kernel` is kept as object code: numba translates it to LLVM's
language, behind an entry that takes all arguments as two arrays of numbers, and LLVM to machine code for this
processor.
"""

from __future__ import annotations

import ctypes
import hashlib
import math
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from unbounded.running.imports import without
from unbounded.running.writing import replacing

#: Sums may be reordered to use vector units; NaN and infinities keep their meaning.
FAST = {"reassoc", "contract", "arcp", "nsz"}

#: Numbers that compiled code takes at once; the widest registers hold as many.
LANES = 8

#: Of the arrays that kernels take, by name; numpy itself takes longer to name a type than to do all else of a call.
_DTYPES = {np.dtype(name): name for name in ("float64", "int64")}

#: Bytes before the code in a file.
CHECKSUM_SIZE = 32

#: The sources that kernels are made of.
_KERNELS = Path(__file__).parent
_SOURCES = (_KERNELS.parents[1] / "instances" / "structured.py",)


def compiled(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Have numba compile a function when it is first called; division by zero gives infinities, as in numpy."""
    from numba import njit

    decorate: Callable[[Callable[..., Any]], Any] = njit(error_model="numpy", **options)
    return decorate


def padded(size: int) -> int:
    """Return the size, or the next multiple of LANES."""
    return size + -size % LANES


def padded_identity(size: int) -> Any:
    """Return the identity matrix, with zeros to the next multiple of LANES."""
    matrix = np.zeros((padded(size), padded(size)))
    np.fill_diagonal(matrix[:size, :size], 1.0)
    return matrix


def aligned(*shape: int, value: float = 0.0) -> Any:
    """Return an array of float64 that begins where a line of the cache does, so that no vector of LANES spans two."""
    size, line = math.prod(shape), 8 * LANES
    memory = np.empty(size + LANES)
    start = -memory.ctypes.data % line // 8
    array = memory[start : start + size].reshape(shape)
    array.fill(value)
    return array


class Kernel:
    """A compiled function of arrays, numbers and named tuples of them, which writes its results to arrays.

    Arrays are contiguous, of float64 or int64. The function allocates nothing: numba's runtime is not there to do it.
    """

    def __init__(self, function: Callable[[], Any]) -> None:
        #: Imports the function, and numba with it.
        self._function = function
        self._loaded: dict[str, Callable[..., int]] = {}

    def __call__(self, *arguments: Any) -> None:
        """Run it."""
        words: list[int] = []
        reals: list[float] = []
        classes: dict[str, type] = {}
        form = ", ".join([_flatten(argument, words, reals, classes) for argument in arguments])
        if form not in self._loaded:
            self._loaded[form] = _load(_object_code(self._function, form, classes))
        w, r = np.array(words, dtype=np.int64), np.array(reals, dtype=np.float64)
        result, exception = ctypes.c_void_p(), ctypes.c_void_p()
        if self._loaded[form](ctypes.byref(result), ctypes.byref(exception), w.ctypes.data, r.ctypes.data):
            raise RuntimeError(
                f"the loop compiled for {self._function.__module__} raised an exception; to see which, call"
                " the function that its Kernel is made of with the same arguments"
            )


def _flatten(value: Any, words: list[int], reals: list[float], classes: dict[str, type]) -> str:
    """Append a value's numbers and addresses, and return the expression that rebuilds it from `words` and `reals`."""
    if isinstance(value, np.ndarray):
        dtype = _DTYPES.get(value.dtype)
        if not value.flags.c_contiguous or dtype is None:
            raise TypeError(f"kernels take contiguous arrays of float64 or int64, not {value.dtype} {value.strides}")
        at = len(words)
        words += [value.ctypes.data, *value.shape]
        shape = "".join(f"words[{at + 1 + axis}]," for axis in range(value.ndim))
        return f"carray({dtype}_at(words[{at}]), ({shape}))"
    if isinstance(value, tuple):
        classes[type(value).__name__] = type(value)
        return f"{type(value).__name__}({', '.join([_flatten(item, words, reals, classes) for item in value])})"
    if isinstance(value, float):
        reals.append(value)
        return f"reals[{len(reals) - 1}]"
    words.append(int(value))
    return f"words[{len(words) - 1}]"


def _object_code(function: Callable[[], Any], form: str, classes: dict[str, type]) -> bytes:
    """Return the machine code of a kernel for arguments of this form, from the cache if it is there."""
    identity = f"{function.__module__}.{function.__qualname__} {form} {_toolchain()}"
    digest = hashlib.sha256(identity.encode()).hexdigest()[:24]
    paths = [folder / f"{digest}.o" for folder in _cache_folders()]
    for path in paths:
        code = _kept(path)
        if code is not None:
            return code
    name = function.__module__.rpartition(".")[2]
    print(f"compiling {name}{''.join(_places[-1:])}, once for this machine …", file=sys.stderr, flush=True)
    code = _compile(function(), form, classes)
    for path in paths:
        with suppress(OSError):
            with replacing(path) as temporary:
                temporary.write_bytes(_checksum(code) + code)
            break
    return code


#: Which of how many solvers is being prepared, innermost last.
_places: list[str] = []


@contextmanager
def counted(number: int, of: int) -> Iterator[None]:
    """Within the block, say with what is compiled that it is this solver of so many."""
    _places.append(f" ({number} of {of})")
    try:
        yield
    finally:
        _places.pop()


def _kept(path: Path) -> bytes | None:
    """Return the code in a file, or None if it is not there or damaged: a process that runs such code dies."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    checksum, code = content[:CHECKSUM_SIZE], content[CHECKSUM_SIZE:]
    return code if checksum == _checksum(code) else None


def _checksum(code: bytes) -> bytes:
    return hashlib.sha256(code).digest()


def _cache_folders() -> Iterator[Path]:
    """Yield where object code may be kept: beside the sources, or else in the user's own cache."""
    yield _KERNELS / "__pycache__"
    yield Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "unbounded"


@cache
def _toolchain() -> str:
    """Return all that machine code depends on, but the arguments: sources, compilers, processor."""
    sources = hashlib.sha256()
    for path in (*_SOURCES, *sorted(_KERNELS.glob("*.py"))):
        sources.update(path.read_bytes())
    return " ".join([sources.hexdigest(), version("numba"), version("llvmlite"), *_processor()])


@cache
def _processor() -> tuple[str, str]:
    import llvmlite.binding as llvm

    return llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()


def _target_machine() -> Any:
    """Return a new description of this processor for LLVM: an engine that is given one owns it."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    cpu, features = _processor()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu, features, opt=3, codemodel="jitdefault", jit=True
    )


def _compile(function: Any, form: str, classes: dict[str, type]) -> bytes:
    """Have numba and LLVM make the object code of `entry`, which calls the function."""
    import llvmlite.binding as llvm

    # numba loads scipy for linear algebra, which no kernel uses, and coverage if it is installed.
    with without("scipy", "coverage"):
        from numba import carray, njit, types
        from numba.extending import intrinsic

        def pointer_to(kind: Any) -> Any:
            @intrinsic  # type: ignore[untyped-decorator]
            def at(context: Any, address: Any) -> Any:
                def convert(context: Any, builder: Any, signature: Any, arguments: Sequence[Any]) -> Any:
                    return builder.inttoptr(arguments[0], context.get_value_type(signature.return_type))

                return types.CPointer(kind)(types.int64), convert

            return at

        known = {"carray": carray, "float64_at": pointer_to(types.float64), "int64_at": pointer_to(types.int64)}
        scope: dict[str, Any] = {**classes, **known, "kernel": function}
        exec(f"def entry(words, reals):\n    kernel({form})", scope)
        signature = types.void(types.CPointer(types.int64), types.CPointer(types.float64))
        made = njit(signature, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True)(scope["entry"])
        module = llvm.parse_assembly(made.inspect_llvm(made.signatures[0]))
    (entry,) = (f for f in module.functions if not f.is_declaration and f.linkage == llvm.Linkage.external)
    entry.name = "entry"
    return bytes(_target_machine().emit_object(module))


def _load(code: bytes) -> Callable[..., int]:
    """Return the function `entry` of object code."""
    import llvmlite.binding as llvm

    # Would free an array that numba allocated; there is none, so it is never called.
    llvm.add_symbol("NRT_MemInfo_call_dtor", ctypes.cast(ctypes.CDLL(None).abort, ctypes.c_void_p).value)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), _target_machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    entry = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)(engine.get_function_address("entry"))
    # The engine owns the code.
    entry.engine = engine  # type: ignore[attr-defined]
    return entry
