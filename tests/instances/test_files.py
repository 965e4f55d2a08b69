"""Problems of one's own: what a file must hold, what it is then, and that processes find it by its name."""

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from unbounded.campaign.plan import Plan
from unbounded.campaign.reading import ConfigError, load_campaign
from unbounded.instances import InstanceSpec, build, files
from unbounded.instances.spec import ID_REGEX
from unbounded.solvers.export import export
from unbounded.trials.reading import read_rows
from unbounded.trials.recheck import recheck

GOOD: dict[str, Any] = {
    "Hf": np.array([[2.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 3.0]]),
    "Hg": np.diag([1.0, 2.0, 3.0]),
    "xi0": np.array([1.5, -2.25, 3.0]),
    "xi1": np.array([0.0, 0.5, 0.0]),
    "integer": np.array([False, True, True]),
    "E": 12.0,
}
CAMPAIGN = """
name: own
studies:
  mine:
    type: {type}
    files: {files}
    {more}
    solvers: {{cplex: {{budget: {{ticks: 10}}}}, mies: {{budget: {{evaluations: 100}}}}}}
"""


def write(path: Path, **arrays: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, **{**GOOD, **arrays})
    return path


def campaign(folder: Path, pattern: str = "'*.npz'", more: str = "seeds: 1", type: str = "benchmark") -> Path:
    path = folder / "own.yaml"
    path.write_text(CAMPAIGN.format(files=pattern, more=more, type=type), encoding="utf-8")
    return path


def test_a_file_is_an_instance_of_its_name(tmp_path: Path) -> None:
    instance = build(str(write(tmp_path / "first.npz", c=4.0)))
    assert (instance.id, instance.D, instance.n_r, instance.n_z, instance.c, instance.E) == (
        "first",
        3,
        1,
        2,
        4.0,
        12.0,
    )
    assert instance.spec.kind == "mixed"
    assert instance.spec.slice == "mixed-D3-t0"
    assert instance.spec.tc is None
    assert re.fullmatch(ID_REGEX, instance.id)
    x = np.array([0.5, 1.0, -2.0])
    found = instance.verify(x)
    for value, H, xi in ((found.f, GOOD["Hf"], GOOD["xi0"]), (found.g, GOOD["Hg"], GOOD["xi1"])):
        assert value == pytest.approx((x - xi) @ H @ (x - xi) / 4)
    assert InstanceSpec.parse("first") == instance.spec
    assert build(str(write(tmp_path / "whole.npz", integer=np.ones(3)))).spec.kind == "integer"
    assert build("whole").c == 1.0


@pytest.mark.parametrize(
    "id", ["mixed-D8-t0-TC7-c1e3-E30", "integer-D4-t0.5-TC4-c1e1-E80", "mixed-D4-t0-sphere-c1-E10"]
)
def test_an_exported_instance_is_the_same_problem(tmp_path: Path, id: str) -> None:
    original = build(id)
    export(original, tmp_path / "same.npz", "npz")
    same = build(str(tmp_path / "same.npz"))
    assert same.digest == original.digest
    assert (same.n_r, same.spec.kind) == (original.n_r, original.spec.kind)
    X = same.round(np.random.default_rng(1).normal(size=(20, same.D)) * 5)
    for a, b in zip(same.evaluate(X), original.evaluate(X), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10)
    np.testing.assert_allclose(same.box().upper, original.box().upper, rtol=1e-9)


def test_the_digest_is_that_of_the_arrays(tmp_path: Path) -> None:
    first = build(str(write(tmp_path / "a.npz"))).digest
    assert build(str(write(tmp_path / "b.npz", note="other arrays are left alone"))).digest == first
    others = {
        "Hf": 2 * GOOD["Hf"],
        "Hg": 2 * GOOD["Hg"],
        "xi0": -GOOD["xi0"],
        "xi1": -GOOD["xi1"],
        "E": 13.0,
        "c": 2.0,
        "integer": np.array([False, False, True]),
    }
    digests = {build(str(write(tmp_path / f"other{k}.npz", **{k: v}))).digest for k, v in others.items()}
    assert len(digests | {first}) == 1 + len(others)


def test_a_file_that_changed_is_read_anew(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz")
    before = build(str(path))
    write(path, xi0=-GOOD["xi0"])
    os.utime(path, ns=(1, 1))
    after = build("a")
    assert before.digest != after.digest
    assert before.spec != after.spec


NOT_DEFINITE = "is not positive definite: its eigenvalues run from"


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"Hf": np.eye(2)}, r"Hf has the shape \(2, 2\); allowed: \(3, 3\)"),
        ({"Hg": np.ones(3)}, r"Hg has the shape \(3,\)"),
        ({"xi1": np.zeros(4)}, r"xi1 has the shape \(4,\); allowed: \(3,\), by the 3 numbers of xi0"),
        ({"xi0": np.zeros(1)}, "xi0 has 1 numbers; allowed: 2 to 4096"),
        ({"E": np.ones(2)}, r"E has the shape \(2,\)"),
        ({"Hf": np.where(np.eye(3) > 0, np.nan, 0.0)}, "Hf holds a number that is not finite"),
        ({"xi0": np.array([0.0, np.inf, 0.0])}, "xi0 holds a number that is not finite"),
        ({"E": np.nan}, "E holds a number that is not finite"),
        ({"Hf": np.array([["a"] * 3] * 3)}, "Hf holds <U1; allowed: real numbers"),
        ({"Hf": np.eye(3) * 1j}, "Hf holds complex128; allowed: real numbers"),
        ({"Hg": np.eye(3) + np.eye(3, k=1)}, r"Hg is not symmetric: its entries \(0, 1\) and \(1, 0\) are"),
        ({"Hf": np.diag([1.0, -1.0, 1.0])}, f"Hf {NOT_DEFINITE} -1 to 1"),
        ({"Hg": np.diag([1.0, 0.0, 1.0])}, f"Hg {NOT_DEFINITE} 0 to 1"),
        ({"Hg": np.ones((3, 3))}, f"Hg {NOT_DEFINITE}"),
        ({"Hg": np.diag([1.0, 1.0, 1e-15])}, f"Hg {NOT_DEFINITE} 1e-15 to 1"),
        ({"E": 0.0}, "E is 0; allowed: a number from 1e-06"),
        ({"E": -3.0}, "E is -3; allowed: a number from 1e-06"),
        ({"c": 0.0}, "c is 0; allowed: a number from 1e-06"),
        ({"xi1": np.array([1e17, 0.0, 0.0])}, r"xi1 holds 1e\+17; allowed: numbers below 2⁵²"),
        ({"integer": np.zeros(3, dtype=bool)}, "integer is false everywhere"),
        ({"integer": np.array([True, False, True])}, "integer is true before it is false; .*integers last.*argsort"),
        ({"integer": np.array([0, 1, 2])}, "integer holds other values than true and false"),
    ],
)
def test_what_is_no_problem_is_refused_by_name_before_any_job(
    tmp_path: Path, arrays: dict[str, Any], said: str
) -> None:
    write(tmp_path / "fine.npz")
    path = write(tmp_path / "wrong.npz", **arrays)
    with pytest.raises(ValueError, match=rf"wrong\.npz: {said}"):
        build(str(path))
    with pytest.raises(ConfigError, match=rf"own\.yaml: studies\.mine\.files: .*wrong\.npz: {said}") as error:
        load_campaign(campaign(tmp_path))
    assert "fine.npz" not in str(error.value)


def test_a_missing_array_is_named(tmp_path: Path) -> None:
    np.savez(tmp_path / "part.npz", **{name: GOOD[name] for name in ("Hf", "Hg", "xi0", "integer")})
    with pytest.raises(ValueError, match=r"part\.npz: xi1, E missing; it must have Hf, Hg, xi0, xi1, integer, E"):
        build(str(tmp_path / "part.npz"))


def test_what_is_no_npz_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.npz").write_text("Hf = 1")
    pickled = np.array([{}], dtype=object)
    write(tmp_path / "objects.npz", Hf=pickled)
    for name in ("text", "objects"):
        with pytest.raises(ValueError, match=rf"{name}\.npz: is no NPZ file of numbers"):
            build(str(tmp_path / f"{name}.npz"))
    with pytest.raises(ValueError, match=r"absent\.npz: cannot be read \(No such file"):
        build(str(tmp_path / "absent.npz"))


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("two words", "its name is the id of an instance; allowed"),
        ("1st", "its name is the id of an instance; allowed"),
        ("rotellipse.sphere", "its name is the id of an instance; allowed"),
        ("x" * 101, "its name is the id of an instance; allowed"),
        ("mixed-D8-t0-TC7-c1e3-E30", "has another meaning"),
        ("sphere", "has another meaning"),
        ("all", "has another meaning"),
        ("TC3", "has another meaning"),
        ("first-near", "has another meaning"),
    ],
)
def test_a_name_that_is_no_id_is_refused(tmp_path: Path, name: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        build(str(write(tmp_path / f"{name}.npz")))


# --- Campaigns -----------------------------------------------------------------------------------------------------


def test_a_campaign_names_files_beside_it_and_below(tmp_path: Path) -> None:
    write(tmp_path / "deep" / "b.npz")
    write(tmp_path / "deep" / "a.npz", E=13.0)
    write(
        tmp_path / "c.npz",
        **{name: np.asarray(GOOD[name])[1:] for name in ("xi0", "xi1", "integer")},
        Hf=np.eye(2),
        Hg=np.eye(2),
    )
    plan = Plan(load_campaign(campaign(tmp_path, "[deep/*.npz, c.npz]")))
    assert [id for id, solver in plan.cells if solver == "mies"] == ["a", "b", "c"]
    assert list(plan.slices) == ["mixed-D3-t0", "integer-D2-t0"]
    assert plan.cells["a", "mies"].params["instance_digest"] == build("a").digest


@pytest.mark.parametrize(
    ("pattern", "more", "type", "said"),
    [
        ("absent/*.npz", "seeds: 1", "benchmark", "studies.mine.files: no file matches .*absent"),
        (
            "/tmp/*.npz",
            "seeds: 1",
            "benchmark",
            "files.0: is '/tmp/.*allowed: .npz files in the folder of the campaign",
        ),
        ("../*.npz", "seeds: 1", "benchmark", "allowed: .npz files in the folder of the campaign"),
        ("'*'", "seeds: 1", "benchmark", "allowed: .npz files in the folder of the campaign"),
        ("'*.npz'", "dimensions: [4]", "benchmark", "studies.mine.dimensions: is given beside `files`"),
        ("'*.npz'", "translations: [10]", "benchmark", "studies.mine.translations: is given beside `files`"),
        ("'*.npz'", "seeds: 1", "translation", "files: are not translated, which a study of type translation compares"),
        ("['*.npz', sub/*.npz]", "seeds: 1", "benchmark", "have the same name, which is their id; rename one"),
    ],
)
def test_what_is_wrong_with_files_is_said_with_the_key(
    tmp_path: Path, pattern: str, more: str, type: str, said: str
) -> None:
    write(tmp_path / "a.npz")
    write(tmp_path / "sub" / "a.npz")
    with pytest.raises(ConfigError, match=said):
        load_campaign(campaign(tmp_path, pattern, more, type))


def test_a_study_has_a_grid_or_files(tmp_path: Path) -> None:
    path = campaign(tmp_path)
    path.write_text(path.read_text().replace("files: '*.npz'", "test_cases: [rotellipse.sphere]"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"studies\.mine\.dimensions: is missing; it must be given, or else `files`"):
        load_campaign(path)


def test_other_processes_find_a_campaign_s_files_by_their_names(tmp_path: Path) -> None:
    write(tmp_path / "a.npz")
    load_campaign(campaign(tmp_path, "'*.npz'"))
    code = "from unbounded.instances import build; print(build('a').digest)"
    done = subprocess.run([sys.executable, "-c", code], cwd="/", capture_output=True, text=True, check=True)
    assert done.stdout.strip() == build("a").digest
    with pytest.raises(ValueError, match="'absent' is no instance id"):
        build("absent")


def test_a_row_of_other_arrays_is_found_out(tmp_path: Path) -> None:
    path = write(tmp_path / "a.npz")
    command = [sys.executable, "-m", "unbounded", "trial", "a.npz", "--solver", "mies", "--seed", "1"]
    command += ["--budget", "evaluations=500", "--out", "row.parquet"]
    subprocess.run(command, cwd=tmp_path, check=True, capture_output=True)
    files.know([str(path)])
    table = read_rows([tmp_path / "row.parquet"])
    assert recheck(table, [None]) == {}
    write(path, xi0=-GOOD["xi0"])
    os.utime(path, ns=(1, 1))
    assert "instance_digest is" in recheck(table, [None])[0]
