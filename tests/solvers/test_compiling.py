"""Kernels: arguments arrive, results come back, object code is cached where it can be and works where it cannot."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from unbounded.solvers.compiled import compiling
from unbounded.solvers.compiled.compiling import LANES, Kernel, compiled, counted, padded, padded_identity


class Inner(NamedTuple):
    factor: float
    count: int


class Outer(NamedTuple):
    inner: Inner
    values: np.ndarray


@compiled()
def _sums(outer: Any, table: Any, power: bool, sums: Any, calls: Any) -> None:
    for i in range(table.shape[0]):
        sums[i] = 0.0
        for j in range(table.shape[1]):
            sums[i] += outer.inner.factor * table[i, j] * outer.values[j] ** (2 if power else 1)
    calls[0] += outer.inner.count


def _load() -> Any:
    return _sums


def _fail() -> Any:
    """Stand for `_load` where its code must be there already."""
    raise AssertionError("compiled again")


_fail.__qualname__ = _load.__qualname__


def _run(kernel: Kernel) -> None:
    outer = Outer(Inner(0.5, 3), np.array([1.0, 2.0, 4.0]))
    table, sums, calls = np.arange(6.0).reshape(2, 3), np.empty(2), np.array([4])
    kernel(outer, table, True, sums, calls)
    assert sums.tolist() == [18.0, 49.5]
    assert calls.tolist() == [7]


@pytest.fixture
def folders(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have object code kept in these folders."""
    return lambda *paths: monkeypatch.setattr(compiling, "_cache_folders", lambda: iter(paths))


def test_code_is_kept_and_found_again(tmp_path: Path, folders: Callable[..., None]) -> None:
    folders(tmp_path / "new")
    _run(Kernel(_load))
    (kept,) = (tmp_path / "new").iterdir()
    assert kept.suffix == ".o"
    _run(Kernel(_fail))


def test_it_is_said_once_that_code_is_compiled_and_of_how_many(
    tmp_path: Path, folders: Callable[..., None], capfd: pytest.CaptureFixture[str]
) -> None:
    folders(tmp_path / "one")
    _run(Kernel(_load))
    assert capfd.readouterr().err == "compiling test_compiling, once for this machine …\n"
    with counted(2, 7):
        _run(Kernel(_load))
        assert capfd.readouterr().err == ""
        folders(tmp_path / "two")
        _run(Kernel(_load))
    assert capfd.readouterr().err == "compiling test_compiling (2 of 7), once for this machine …\n"


@pytest.mark.parametrize("share", [0.0, 0.001, 0.5])
def test_damaged_code_is_made_anew_and_not_run(tmp_path: Path, folders: Callable[..., None], share: float) -> None:
    folders(tmp_path)
    _run(Kernel(_load))
    (kept,) = tmp_path.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[: int(share * len(whole))])
    _run(Kernel(_load))
    _run(Kernel(_fail))


def test_code_goes_to_the_next_folder_where_one_cannot_be_written(tmp_path: Path, folders: Callable[..., None]) -> None:
    (tmp_path / "file").touch()
    folders(tmp_path / "file" / "cache", tmp_path / "second")
    _run(Kernel(_load))
    assert len(list((tmp_path / "second").iterdir())) == 1


def test_without_any_place_to_keep_code_it_is_compiled_and_runs(tmp_path: Path, folders: Callable[..., None]) -> None:
    (tmp_path / "file").touch()
    folders(tmp_path / "file" / "cache")
    _run(Kernel(_load))
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_other_sources_or_arguments_give_other_code(
    tmp_path: Path, folders: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    folders(tmp_path)
    _run(Kernel(_load))
    monkeypatch.setattr(compiling, "_toolchain", lambda: "a later numba")
    _run(Kernel(_load))
    assert len(list(tmp_path.iterdir())) == 2


@pytest.mark.parametrize("array", [np.zeros((4, 4))[:, ::2], np.zeros(3, dtype=np.float32)])
def test_arrays_that_a_kernel_would_misread_are_refused(array: np.ndarray) -> None:
    with pytest.raises(TypeError, match="contiguous arrays of float64 or int64"):
        Kernel(_load)(array)


@pytest.mark.parametrize("solver", ["cma-IH-fast", "mies", "mies-corr"])
def test_a_trial_loads_neither_numba_nor_scipy_once_the_code_is_there(solver: str) -> None:
    lines = f"""
import sys
from unbounded.solvers.registry import find
find({solver!r}).solver.prepare()
print(sorted({{"numba", "scipy"}} & set(sys.modules)))
"""
    for _ in range(2):
        output = subprocess.run([sys.executable, "-c", lines], check=True, capture_output=True, text=True).stdout
    assert output.strip() == "[]"


def test_matrices_are_padded_with_zeros_to_whole_vectors() -> None:
    assert [padded(size) for size in (1, LANES, LANES + 1)] == [LANES, LANES, 2 * LANES]
    matrix = padded_identity(LANES + 1)
    assert matrix.shape == (2 * LANES, 2 * LANES)
    assert np.array_equal(matrix[: LANES + 1, : LANES + 1], np.eye(LANES + 1))
    assert matrix.sum() == LANES + 1
