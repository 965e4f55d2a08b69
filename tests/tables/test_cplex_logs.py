"""What is read from CPLEX's logs, on texts of their layout."""

from pathlib import Path

import numpy as np
import pytest
from published_files import found, log_text

from unbounded.tables.cplex_logs import read_log
from unbounded.tables.published import read_checkout

POINT = np.array([-3.496, 3.5, -3.4961, 0.0, -3.0, 3.0, -4.0, 4.0])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "CPLEX_8_miConstrained_Cigar_Cigar_T0_K30_C1e1.dat"


@pytest.mark.parametrize(
    ("node", "objective", "seconds", "ending", "bound"),
    [
        (
            "      0     0        cutoff              0.0376        0.0376        0    0.00%",
            0.03765,
            0.02,
            "relative gap",
            0.0376,
        ),
        (
            "*     0+    0                            0.0086        0.0084             1.70%",
            0.008593,
            0.3,
            "absolute gap",
            0.0084,
        ),
        (
            "      0     2        0.0010     3        0.0000        0.0010       12     --- ",
            1e-9,
            0.3,
            "absolute gap",
            0.001,
        ),
        (
            "    59    25    infeasible        -254802.0023   -27126.7136     1611  -89.35%",
            -254802,
            17.9,
            "crossed",
            -27126.7136,
        ),
        ("      0     0      200.2040    32                    200.2040       15", 56.72, 0.2, "crossed", 200.204),
        (
            " 26678  7462     3360.6856     2     3361.1700     3356.2599    90016    0.15%",
            3361.17,
            900,
            "ended",
            3356.2599,
        ),
        (
            "*  1352  1322      integral     0    15038.4200    14480.6025    28739    3.71%",
            15038.42,
            3600.02,
            "time limit",
            14480.6025,
        ),
        (
            "1427119 1056231        cutoff           7145.1561     7097.1336  3448730    0.67%",
            7145.16,
            3599,
            "ended",
            7097.1336,
        ),
    ],
)
def test_the_last_bound_and_the_ending_of_a_run_with_a_point(
    path: Path, node: str, objective: float, seconds: float, ending: str, bound: float
) -> None:
    path.write_text(log_text(found(POINT, objective, 3.5), node, seconds))
    log = read_log(path)
    assert (log.ending, log.bound, log.seconds) == (ending, bound, seconds)
    assert (log.objective, log.claimed) == (pytest.approx(objective), 3.5)


@pytest.mark.parametrize(
    ("node", "more", "seconds", "ending", "bound"),
    [
        (
            "1862307 1640750        0.8155    29                     -0.0257 16449871",
            "",
            3600.06,
            "time limit",
            -0.0257,
        ),
        ("      0     0     unbounded                                         14", "", 0.03, "unbounded", np.nan),
        (
            "   8842   917   no solution                         6943.2416   164029",
            "*** CPLEX Error  3019: Failure",
            13.6,
            "error 3019",
            6943.2416,
        ),
        ("      0     0     3281.8833     7                    Cuts: 10      319", "", 12.0, "no point", np.nan),
    ],
)
def test_the_ending_of_a_run_without_a_point(
    path: Path, node: str, more: str, seconds: float, ending: str, bound: float
) -> None:
    path.write_text(log_text(f"{more}\n<<< no solution", node, seconds))
    log = read_log(path)
    assert log.ending == ending
    assert log.x is None
    np.testing.assert_array_equal([log.bound, log.objective, log.claimed], [bound, np.nan, np.nan])


def test_vectors_are_joined_over_lines_and_never_taken_for_nodes(path: Path) -> None:
    # The second line starts with two whole numbers and ends with a decimal, as one of the table of nodes does.
    path.write_text(
        log_text("OBJECTIVE: 7\nX*: [9995.9\n     10003 9996 9998.5\n     7] Z*: [10005\n     9996]\nf*:7.5")
    )
    log = read_log(path)
    np.testing.assert_array_equal(log.x, [9995.9, 10003, 9996, 9998.5, 7, 10005, 9996])
    assert log.bound == 6607.5313


def test_a_log_may_have_its_point_before_its_table_of_nodes(path: Path) -> None:
    path.write_text(f"// solution (time limit exceeded)\n{found(POINT, 7.0, 7.5)}\n{log_text('')}")
    log = read_log(path)
    assert (log.objective, log.claimed, log.bound, log.line) == (7.0, 7.5, 6607.5313, 6)


def test_parameters_are_read(path: Path) -> None:
    path.write_text(
        log_text("<<< no solution", limit=36000).replace("AbsMIPGap                0.001", "AbsMIPGap 1e-06")
    )
    log = read_log(path)
    assert (log.limit, log.absolute_gap, log.relative_gap, log.integrality) == (36000, 1e-6, 1e-3, 1e-3)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("Total (root", "Sum (root", r"no line 'Total \(root\+branch&cut\) = …'"),
        ("0.25 sec", "soon sec", r"= soon' is not of a number"),
        ("OBJECTIVE", "VALUE", r"neither what was found .* nor '<<< no solution'"),
        ("-3.496 ", "-3.x ", r"its vector is not one of numbers"),
    ],
)
def test_what_a_log_lacks_is_said_with_its_name(path: Path, old: str, new: str, words: str) -> None:
    path.write_text(log_text(found(POINT, 7.0, 7.5)).replace(old, new))
    with pytest.raises(ValueError, match=rf"{path.name}: .*{words}"):
        read_log(path)


@pytest.mark.parametrize(
    ("name", "instance"),
    [
        ("CPLEX_8_miConstrained_RotEllipse_Cigar_T1e4_K30_C1e6__p0_COMMA.dat", "mixed-D8-t1e4-TC3-c1e6-E30"),
        ("CPLEX_8_iConstrained_Adam_RE_T0_K10_C1e1.dat", "integer-D8-t0-TC7-c1e1-E10"),
        ("CPLEX_64_iConstrained_RotEllipse_Cigar8_T0_K80_C1e2.dat", "integer-D8-t0-TC3-c1e2-E80"),
    ],
)
def test_names_of_logs_stand_for_instances(tmp_path: Path, name: str, instance: str) -> None:
    (tmp_path / name).write_text(log_text(found(POINT, 7.0, 7.5)))
    strategy = "CMA_8_iConstrained_Cigar_Cigar _T0_K30_C1e1_p0_COMMA.dat"
    (tmp_path / strategy).write_text(" ".join(map(str, range(10))) + "\n")
    published = read_checkout(tmp_path)
    assert [stored.spec.id for stored in published.logs] == [instance]
    assert {run.spec.id for run in published.runs if run.solver == "cplex"} == {instance}
