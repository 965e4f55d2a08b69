"""Each Hessian form equals its definition, multiplied out with plain numpy."""

import numpy as np
import pytest
from scipy.linalg import block_diag, hadamard

from unbounded.instances import build, hessians
from unbounded.instances.forms.registry import find

SIZES = (2, 4, 16, 64)
CONDITIONS = (10.0, 1e3, 1e6)


def ellipse(n: int, c: float) -> np.ndarray:
    return np.diag([c ** ((i - 1) / (n - 1)) for i in range(1, n + 1)])


def defined_cigar(D: int, c: float) -> np.ndarray:
    n = D // 2
    block = np.diag([1.0] + [c] * (n - 1))
    return block_diag(block, block)


def defined_rotellipse(D: int, c: float, theta: float = np.pi / 4) -> np.ndarray:
    u = np.array([1.0, 0.0] * (D // 2))
    v = np.array([0.0, 1.0] * (D // 2))
    u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
    R = (
        np.eye(D)
        + np.sin(theta) * (np.outer(u, v) - np.outer(v, u))
        + (np.cos(theta) - 1) * (np.outer(u, u) + np.outer(v, v))
    )
    return R @ ellipse(D, c) @ R.T


def defined_hadellipse(D: int, c: float, blocks: int = 1) -> np.ndarray:
    n = D // blocks
    S = hadamard(n) / np.sqrt(n)
    return block_diag(*[S @ ellipse(n, c) @ S.T] * blocks)


FORMS = {
    "sphere": (find("sphere").make, lambda D, c: np.eye(D)),
    "cigar": (find("cigar").make, defined_cigar),
    "rotellipse": (find("rotellipse").make, defined_rotellipse),
    "hadellipse": (find("hadellipse").make, defined_hadellipse),
    "hadellipse of two blocks": (find("hadellipse").block, lambda D, c: defined_hadellipse(D, c, blocks=2)),
}
every_form = pytest.mark.parametrize(("form", "definition"), FORMS.values(), ids=FORMS.keys())


def sizes(name_of_form: object) -> tuple[int, ...]:
    """A hadellipse of two blocks begins at D = 4."""
    return SIZES[1:] if name_of_form == FORMS["hadellipse of two blocks"][0] else SIZES


@every_form
def test_the_matrix_equals_its_definition(form, definition) -> None:
    for D in sizes(form):
        for c in CONDITIONS:
            H = form(D, c).matrix()
            assert H.shape == (D, D)
            np.testing.assert_allclose(H, definition(D, c), rtol=0, atol=1e-13 * c)


@every_form
def test_the_matrix_is_symmetric_to_the_last_bit(form, definition) -> None:
    for D in sizes(form):
        for c in CONDITIONS:
            H = form(D, c).matrix()
            assert np.array_equal(H, H.T)


@pytest.mark.parametrize("form", [find("rotellipse").make, find("hadellipse").make])
def test_the_eigenvalues_of_an_ellipse_run_geometrically_from_one_to_c(form) -> None:
    for D in SIZES:
        for c in CONDITIONS:
            eigenvalues = np.linalg.eigvalsh(form(D, c).matrix())
            np.testing.assert_allclose(eigenvalues, np.geomspace(1, c, D), rtol=0, atol=1e-13 * c)


def test_each_block_of_the_block_form_has_its_own_spectrum() -> None:
    for D in (4, 16, 64):
        H = find("hadellipse").block(D, 1e3).matrix()
        n = D // 2
        assert not H[:n, n:].any()
        assert np.array_equal(H[:n, :n], H[n:, n:])
        np.testing.assert_allclose(np.linalg.eigvalsh(H[:n, :n]), np.geomspace(1, 1e3, n), rtol=1e-9)


def test_the_cigar_has_two_eigenvalues_of_one_and_the_others_are_c() -> None:
    for D in (4, 16, 64):
        eigenvalues = np.diagonal(find("cigar").make(D, 1e4).matrix())
        assert eigenvalues[0] == eigenvalues[D // 2] == 1.0
        assert sorted(eigenvalues) == [1.0, 1.0, *[1e4] * (D - 2)]


@every_form
def test_the_condition_number_is_c(form, definition) -> None:
    for D in (4, 16, 64):
        for c in (10.0, 1e3, 1e5):
            expected = 1.0 if form == find("sphere").make else c
            assert np.linalg.cond(form(D, c).matrix()) == pytest.approx(expected, rel=1e-8)


def test_the_other_sign_of_theta_is_a_different_matrix() -> None:
    for D in (2, 16, 64):
        H = find("rotellipse").make(D, 10.0).matrix()
        other = defined_rotellipse(D, 10.0, theta=-np.pi / 4)
        assert np.abs(H - other).max() > 0.1
        # The long axis at D = 2 (eigenvalue 1) lies along (1, -1).
        if D == 2:
            np.testing.assert_allclose(H @ [1.0, -1.0], [1.0, -1.0], atol=1e-14)


@every_form
def test_the_rotation_is_orthogonal_and_diagonalises_the_matrix(form, definition) -> None:
    for D in sizes(form):
        shape = form(D, 1e3)
        Q = shape.rotate(np.eye(D))  # row i is Qᵀe_i, so this is Q itself
        np.testing.assert_allclose(Q @ Q.T, np.eye(D), atol=1e-14)
        np.testing.assert_allclose(Q @ np.diag(shape.spectrum) @ Q.T, shape.matrix(), rtol=0, atol=1e-11)


@every_form
def test_the_inverse_diagonal_is_that_of_the_inverse_matrix(form, definition) -> None:
    for D in sizes(form):
        for c in (10.0, 1e4):
            expected = np.diagonal(np.linalg.inv(definition(D, c)))
            np.testing.assert_allclose(form(D, c).inverse_diagonal(), expected, rtol=1e-9)


def test_the_spectrum_of_an_ellipse_starts_at_one_and_ends_at_c_exactly() -> None:
    for n in (2, 3, 64, 128):
        for c in (10.0, 1e6, 7.3):
            spectrum = hessians.ellipse_spectrum(n, c)
            assert spectrum[0] == 1.0
            assert spectrum[-1] == c
            np.testing.assert_allclose(spectrum, np.geomspace(1, c, n), rtol=1e-14)


def test_rotating_leaves_its_argument_alone() -> None:
    for form, _ in FORMS.values():
        Y = np.random.default_rng(1).normal(size=(3, 16))
        before = Y.copy()
        form(16, 10.0).rotate(Y)
        assert np.array_equal(Y, before)


@pytest.mark.parametrize("tc", range(9))
def test_the_row_of_a_test_case_is_the_objective_and_its_column_the_constraint(tc: int) -> None:
    definitions = (defined_cigar, defined_rotellipse, defined_hadellipse)
    instance = build(f"mixed-D16-t0-TC{tc}-c1e2-E30")
    np.testing.assert_allclose(instance.Hf, definitions[tc // 3](16, 1e2), rtol=0, atol=1e-11)
    np.testing.assert_allclose(instance.Hg, definitions[tc % 3](16, 1e2), rtol=0, atol=1e-11)


def test_a_block_instance_has_the_block_form_wherever_a_hadellipse_is() -> None:
    for tc, of_f, of_g in ((2, False, True), (6, True, False), (8, True, True)):
        instance = build(f"mixed-D16-t0-TC{tc}-c1e2-E30-block")
        for H, is_block in ((instance.Hf, of_f), (instance.Hg, of_g)):
            expected = defined_hadellipse(16, 1e2, blocks=2) if is_block else defined_cigar(16, 1e2)
            np.testing.assert_allclose(H, expected, rtol=0, atol=1e-11)
