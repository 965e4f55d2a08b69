"""The contract of forms, on every one that is registered, and how they are found."""

import importlib
import re
import subprocess
import sys
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from unbounded.instances import InstanceSpec, build, forms
from unbounded.instances.forms import registry
from unbounded.instances.forms.contract import Form
from unbounded.instances.hessians import Given, Hessian, Rotated
from unbounded.instances.spec import ID_REGEX, case_of, pair
from unbounded.instances.structured import DENSE, structure
from unbounded.running import provenance
from unbounded.solvers.compiled.evaluation import evaluate
from unbounded.solvers.registry import find
from unbounded.trials.run import trial_code

SIZES = (2, 4, 6, 8, 12, 16)
CONDITIONS = (10.0, 1e4)
FORMS = {name: entry.form for name, entry in registry.entries().items()}

every_form = pytest.mark.parametrize("form", FORMS.values(), ids=FORMS.keys())


def hessians(form: Form) -> list[tuple[Hessian, int, float]]:
    """Every Hessian of a form that is looked at, with its D and c."""
    sizes = [D for D in SIZES if form.allows(D)]
    assert sizes, f"{form.name} exists for none of D = {SIZES}"
    made = [(form.make(D, c), D, c) for D in sizes for c in CONDITIONS]
    return made + [(form.block(D, c), D, c) for D in sizes if D >= 4 for c in CONDITIONS if form.has_block]


def instance_with(form: Form, D: int) -> InstanceSpec:
    """An instance whose objective has this form and whose constraint another."""
    other = "sphere" if form.name == "rotellipse" else "rotellipse"
    return InstanceSpec("mixed", D, 0.0, case_of(form.name, other), 100.0, 30.0)


@every_form
def test_it_says_what_it_is_called_and_what_it_asks_of_D(form: Form) -> None:
    assert re.fullmatch(registry.NAME, form.name)
    assert form.label
    assert form.label.isprintable()
    assert bool(form.asks) == any(not form.allows(D) for D in range(2, 200, 2))


@every_form
def test_the_matrix_is_symmetric_to_the_last_bit_and_positive_definite(form: Form) -> None:
    for hessian, D, _ in hessians(form):
        H = hessian.matrix()
        assert H.shape == (D, D)
        assert np.array_equal(H, H.T)
        assert np.linalg.eigvalsh(H)[0] > 0


@every_form
def test_the_rotation_is_orthogonal_and_diagonalises_the_matrix(form: Form) -> None:
    for hessian, D, c in hessians(form):
        Q = hessian.rotate(np.eye(D))
        np.testing.assert_allclose(Q @ Q.T, np.eye(D), atol=1e-13)
        np.testing.assert_allclose(Q @ np.diag(hessian.spectrum) @ Q.T, hessian.matrix(), rtol=0, atol=1e-13 * c)
        inverse = np.diagonal(np.linalg.inv(hessian.matrix()))
        np.testing.assert_allclose(hessian.inverse_diagonal(), inverse, rtol=1e-8)


@every_form
def test_a_value_is_that_of_the_matrix_and_the_same_bits_in_any_batch(form: Form) -> None:
    for hessian, D, c in hessians(form):
        Y = np.random.default_rng(D).normal(size=(7, D))
        before = Y.copy()
        values = hessian.quadratic(Y, c)
        np.testing.assert_allclose(values, np.einsum("ki,ij,kj->k", Y, hessian.matrix(), Y) / c, rtol=1e-9)
        assert np.array_equal(Y, before)
        for k in range(7):
            assert hessian.quadratic(Y[k : k + 1], c)[0] == values[k]
        F, weights = hessian.squares()
        np.testing.assert_allclose((weights * (Y @ F.T) ** 2).sum(axis=1) / c, values, rtol=1e-12)


@every_form
def test_compiled_code_has_the_same_values(form: Form) -> None:
    for D in SIZES:
        if form.allows(D):
            agree_when_compiled(build(instance_with(form, D)))


def agree_when_compiled(instance) -> None:
    X = instance.round(np.random.default_rng(1).normal(size=(5, instance.D)) * 5)
    f, g = np.empty(5), np.empty(5)
    evaluate(structure(instance), X, f, g, np.empty(instance.D))
    np.testing.assert_allclose(f, instance.f(X), rtol=1e-12)
    np.testing.assert_allclose(g, instance.g(X), rtol=1e-12)


@every_form
def test_its_picture_in_the_plane_is_of_two_dimensions(form: Form) -> None:
    assert form.plane(10.0).matrix().shape == (2, 2)


@every_form
def test_its_arrays_are_the_same_in_another_process(form: Form) -> None:
    id = instance_with(form, 16).id
    code = f"from unbounded.instances import build; print(build('{id}').digest)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == build(id).digest


# --- Matrices without structure ------------------------------------------------------------------------------------


def random_matrix(D: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    Q = np.linalg.qr(rng.normal(size=(D, D)))[0]
    H = Q @ np.diag(10.0 ** rng.uniform(-3, 3, D)) @ Q.T
    return (H + H.T) / 2


@pytest.mark.parametrize("D", [2, 3, 8, 17])
def test_any_rotation_and_any_matrix_are_evaluated_exactly(D: int) -> None:
    H = random_matrix(D, D)
    e, Q = np.linalg.eigh(H)
    for hessian in (Given(H), Rotated(e, Q)):
        np.testing.assert_allclose(hessian.matrix(), H, rtol=0, atol=1e-12 * e[-1])
        np.testing.assert_allclose(hessian.inverse_diagonal(), np.diagonal(np.linalg.inv(H)), rtol=1e-7)
        Y = np.random.default_rng(1).normal(size=(9, D))
        values = hessian.quadratic(Y, 10.0)
        np.testing.assert_allclose(values, np.einsum("ki,ij,kj->k", Y, H, Y) / 10, rtol=1e-9)
        assert np.array_equal(values[3:5], hessian.quadratic(Y[3:5], 10.0))
    assert Given(H).matrix() is H


def test_the_values_of_a_matrix_do_not_depend_on_lapack(monkeypatch: pytest.MonkeyPatch) -> None:
    H, Y = random_matrix(8, 3), np.random.default_rng(1).normal(size=(5, 8))
    values = Given(H).quadratic(Y, 3.0)
    e, Q = np.linalg.eigh(H)
    monkeypatch.setattr(np.linalg, "eigh", lambda H: (e * (1 + 1e-15), -Q))
    assert np.array_equal(Given(H).quadratic(Y, 3.0), values)


def test_a_matrix_that_is_not_positive_definite_has_no_values() -> None:
    with pytest.raises(ValueError, match="not positive definite"):
        Given(np.diag([1.0, -1.0]))


def test_compiled_code_takes_a_rotation_that_it_knows_nothing_of() -> None:
    instance = build("mixed-D8-t0-TC4-c1e2-E30")
    instance.hessian_f = Rotated(instance.hessian_f.spectrum, instance.hessian_f.rotate(np.eye(8)))
    instance.hessian_g = Given(instance.Hg)
    assert (structure(instance).f.structure, structure(instance).g.structure) == (DENSE, DENSE)
    agree_when_compiled(instance)
    original = build("mixed-D8-t0-TC4-c1e2-E30")
    X = np.random.default_rng(2).normal(size=(5, 8))
    np.testing.assert_allclose(instance.evaluate(X), original.evaluate(X), rtol=1e-12)


# --- Test cases ----------------------------------------------------------------------------------------------------


def test_the_nine_keep_their_numbers_and_other_pairs_their_names() -> None:
    found = {(a, b): case_of(a, b) for a, b in product(FORMS, repeat=2)}
    nine = ("cigar", "rotellipse", "hadellipse")
    assert [found[a, b] for a in nine for b in nine] == list(range(9))
    assert found["sphere", "sphere"] == "sphere"
    assert found["rotellipse", "sphere"] == "rotellipse.sphere"
    assert len(set(found.values())) == len(found)
    assert all(pair(case) == names for names, case in found.items())


@pytest.mark.parametrize(("a", "b"), list(product(FORMS, repeat=2)))
def test_every_pair_is_an_instance_whose_id_parses_back(a: str, b: str) -> None:
    spec = InstanceSpec("integer", 8, 2.0, case_of(a, b), 1.0, 30.0)
    assert InstanceSpec.parse(spec.id) == spec
    assert InstanceSpec.parse(f"integer-D8-t2-{a}.{b}-c1-E30") == spec
    assert re.fullmatch(ID_REGEX, spec.id)
    instance = build(spec.id)
    assert np.array_equal(instance.Hf, FORMS[a].make(8, 1.0).matrix())
    assert np.array_equal(instance.Hg, FORMS[b].make(8, 1.0).matrix())


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("mixed-D8-t0-rotellipse.absent-c1e1-E30", "unknown form 'absent'; allowed: .*cigar.*rotellipse"),
        ("mixed-D12-t0-sphere.hadellipse-c1e1-E30", "has a hadellipse, which exists only where D is a power of two"),
        ("mixed-D8-t0-sphere.sphere-c1e1-E30", "the sphere has condition 1"),
        ("mixed-D8-t0-sphere.cigar-c1e1-E30-block", "has no hadellipse of two blocks"),
    ],
)
def test_a_pair_that_is_none_is_refused_with_the_reason(id: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        InstanceSpec.parse(id)


def test_a_pair_of_the_nine_has_no_other_case() -> None:
    with pytest.raises(ValueError, match=r"the test case is 'rotellipse\.cigar'; allowed: 0 to 8"):
        InstanceSpec("mixed", 8, 0.0, "rotellipse.cigar", 10.0, 30.0)


# --- What a trial's code is ----------------------------------------------------------------------------------------


def followed(*roots: str) -> set[str]:
    """All modules that a digest of these follows."""
    seen: set[str] = set()
    queue = list(roots)
    while queue:
        name = queue.pop()
        if name not in seen:
            seen.add(name)
            queue += provenance._module(name)[1]
    return seen


def test_a_trial_runs_the_code_of_its_own_forms_alone() -> None:
    shared = followed("unbounded.trials.run", "unbounded.trials.__main__", "unbounded.solvers.mies")
    found = {entry.module for entry in registry.entries().values()}
    assert not found & shared
    assert "unbounded.instances.files" not in shared
    assert "unbounded.instances.hessians" in shared
    spec = InstanceSpec("mixed", 8, 0.0, 5, 10.0, 30.0)
    assert spec.modules == ("unbounded.instances.forms.hadellipse", "unbounded.instances.forms.rotellipse")
    mies = find("mies")
    others = InstanceSpec("mixed", 8, 0.0, 4, 10.0, 30.0).modules
    assert trial_code(mies, *spec.modules) != trial_code(mies, *others) != trial_code(mies)


# --- How they are found --------------------------------------------------------------------------------------------

MODULE = """
from unbounded.instances.forms.sphere import Sphere
class Mine(Sphere):
    name = {name!r}
FORM = Mine()
"""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (MODULE.format(name="two words"), "is called 'two words'; allowed: small letters and digits"),
        (MODULE.format(name="cigar"), "the form 'cigar' is given by both"),
        ("import absent_package", "cannot be imported .*absent_package.*mend or remove"),
    ],
)
def test_a_module_that_is_no_form_is_refused_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, reason: str
) -> None:
    (tmp_path / "wrongform.py").write_text(text, encoding="utf-8")
    monkeypatch.setattr(forms, "__path__", [*forms.__path__, str(tmp_path)])
    importlib.invalidate_caches()
    registry.entries.cache_clear()
    try:
        with pytest.raises(ValueError, match=reason):
            registry.entries()
    finally:
        registry.entries.cache_clear()
        sys.modules.pop("unbounded.instances.forms.wrongform", None)
