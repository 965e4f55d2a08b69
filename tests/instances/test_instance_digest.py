"""The digest stands for the numbers of an instance: the same everywhere, another wherever a number differs."""

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import product

import pytest

from unbounded.instances import build

#: Written down once; a change here means that rows of earlier campaigns are no longer comparable.
GOLDEN = {
    "mixed-D64-t0-TC3-c1e4-E30": "cd1274a41fb1044f",
    "integer-D64-t1e4-TC3-c1e4-E30": "2da2ad5527b003b8",
    "mixed-D4-t0-sphere-c1-E10": "ccc39cea734b850a",
    "mixed-D16-t0-TC8-c1e6-E80": "b119423329fef2de",
    "mixed-D16-t0-TC8-c1e6-E80-block": "7a2d077d5f138ed7",
    "integer-D32-t-2.5-TC4-c1e1-E10": "99d3af3e4e555e0b",
}


@pytest.mark.parametrize(("id", "digest"), GOLDEN.items())
def test_the_digest_of_a_known_instance_has_not_changed(id: str, digest: str) -> None:
    assert build(id).digest == digest


def suite() -> Iterator[str]:
    """Ids from all over the suite."""
    kinds, sizes, conditions = ("mixed", "integer"), (4, 8, 16, 32, 64), ("1e1", "1e3", "1e6")
    for kind, D, t, tc, c, E in product(kinds, sizes, ("0", "1e4"), range(9), conditions, (10, 80)):
        yield f"{kind}-D{D}-t{t}-TC{tc}-c{c}-E{E}"
        if tc in (2, 5, 6, 7, 8):
            yield f"{kind}-D{D}-t{t}-TC{tc}-c{c}-E{E}-block"
    for kind, D, E in product(kinds, (2, 6, 64), (10, 80)):
        yield f"{kind}-D{D}-t0-sphere-c1-E{E}"


def test_no_digest_of_the_suite_has_changed() -> None:
    lines = [f"{id} {build(id).digest}" for id in suite()]
    assert len(lines) == 1692
    assert hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16] == "06262ccfcd130fef"


@pytest.mark.parametrize(("hash_seed", "threads"), [("1", "1"), ("4711", "2")])
def test_the_digest_is_the_same_in_another_process(hash_seed: str, threads: str) -> None:
    code = "import sys; from unbounded.instances import build; print(*[build(id).digest for id in sys.argv[1:]])"
    result = subprocess.run(
        [sys.executable, "-c", code, *GOLDEN],
        env=os.environ | {"PYTHONHASHSEED": hash_seed, "OPENBLAS_NUM_THREADS": threads, "OMP_NUM_THREADS": threads},
        capture_output=True,
        text=True,
        check=True,
    )
    assert result.stdout.split() == list(GOLDEN.values())


def test_the_digest_does_not_depend_on_what_was_computed_before() -> None:
    instance = build("mixed-D16-t0-TC8-c1e6-E80")
    instance.evaluate(instance.xi0[None, :])
    instance.box()
    assert instance.digest == GOLDEN["mixed-D16-t0-TC8-c1e6-E80"]


@pytest.mark.parametrize(
    "other",
    [
        "integer-D16-t0-TC8-c1e3-E30",
        "mixed-D32-t0-TC8-c1e3-E30",
        "mixed-D16-t1e4-TC8-c1e3-E30",
        "mixed-D16-t0.0009765625-TC8-c1e3-E30",
        "mixed-D16-t0-TC7-c1e3-E30",
        "mixed-D16-t0-TC8-c1e4-E30",
        "mixed-D16-t0-TC8-c1e3-E30.000000001",
        "mixed-D16-t0-TC8-c1e3-E30-block",
    ],
)
def test_the_digest_differs_wherever_a_number_differs(other: str) -> None:
    assert build(other).digest != build("mixed-D16-t0-TC8-c1e3-E30").digest


@pytest.mark.parametrize("D", [4, 16, 32])
def test_all_instances_of_a_dimension_have_digests_of_their_own(D: int) -> None:
    ids = [
        f"{kind}-D{D}-t{t}-TC{tc}-c1e{c}-E{E}{form}"
        for kind, t, tc, c, E, form in product(
            ("mixed", "integer"), ("0", "1e4"), range(9), range(1, 7), (10, 30, 50, 80), ("", "-block")
        )
        if not form or tc in (2, 5, 6, 7, 8)
    ]
    assert len(ids) == 2 * 2 * (9 + 5) * 6 * 4
    # The digest's matrices do not depend on E or on the translation: one of each is enough for all pairs.
    some = [id for id in ids if "-E30" in id and "-t0-" in id]
    assert len({build(id).digest for id in some}) == len(some) == 2 * 14 * 6
    of_one_matrix = [id for id in ids if "-TC8-c1e3-" in id]
    assert len({build(id).digest for id in of_one_matrix}) == len(of_one_matrix) == 2 * 2 * 4 * 2


def test_instances_whose_arrays_are_equal_share_the_digest() -> None:
    """At condition 1 a cigar and a hadellipse are the sphere: the digest is of the arrays, not of the id."""
    sphere = build("mixed-D8-t0-sphere-c1-E10")
    for id in ("mixed-D8-t0-TC0-c1-E10", "mixed-D8-t0-TC8-c1-E10", "mixed-D8-t0-TC2-c1-E10-block"):
        assert build(id).digest == sphere.digest
    assert build("mixed-D8-t-0.0-sphere-c1-E10").digest == sphere.digest
