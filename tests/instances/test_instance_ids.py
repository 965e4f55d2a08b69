"""Ids name instances: they parse back to the spec they came from, and there is one spelling of each."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from unbounded.instances import InstanceSpec
from unbounded.instances.spec import ID_REGEX, LIMITS, MAX_DIMENSION

HADELLIPSE_CASES = (2, 5, 6, 7, 8, "sphere.hadellipse")

positive = st.one_of(
    st.integers(1, 10**12),
    st.integers(-6, 12).map(lambda k: float(f"1e{k}")),
    st.floats(*LIMITS),
)
translation = st.one_of(
    st.just(0),
    st.integers(-(2**53) + 9, 2**53 - 9),
    st.integers(-(2**40), 2**40).map(lambda n: n / 1024),
)


@st.composite
def specs(draw: st.DrawFn) -> InstanceSpec:
    case = draw(st.sampled_from([*range(9), "sphere", "rotellipse.sphere", "sphere.hadellipse"]))
    powers = st.integers(1, 12).map(lambda k: 2**k)
    even = st.integers(1, MAX_DIMENSION // 2).map(lambda n: 2 * n)
    D = draw(powers if case in HADELLIPSE_CASES else even)
    block = case in HADELLIPSE_CASES and D >= 4 and draw(st.booleans())
    return InstanceSpec(
        kind=draw(st.sampled_from(["mixed", "integer"])),
        D=D,
        t=draw(translation),
        case=case,
        c=1 if case == "sphere" else draw(positive),
        E=draw(positive),
        hessian="block" if block else "full",
    )


@given(spec=specs())
@settings(max_examples=400, deadline=None)
def test_an_id_parses_back_to_the_spec_it_came_from(spec: InstanceSpec) -> None:
    assert InstanceSpec.parse(spec.id) == spec
    assert InstanceSpec.parse(spec.id).id == spec.id


@given(spec=specs())
@settings(max_examples=200, deadline=None)
def test_every_id_matches_the_wildcard_constraint_of_the_workflow(spec: InstanceSpec) -> None:
    assert re.fullmatch(ID_REGEX, spec.id)
    assert "/" not in spec.id
    assert spec.id.startswith(f"{spec.slice}-")


@given(one=specs(), other=specs())
@settings(max_examples=200, deadline=None)
def test_two_specs_share_an_id_only_if_they_are_equal(one: InstanceSpec, other: InstanceSpec) -> None:
    assert (one.id == other.id) == (one == other)


@pytest.mark.parametrize(
    ("spec", "id"),
    [
        (InstanceSpec("mixed", 64, 0, 3, 1e4, 30), "mixed-D64-t0-TC3-c1e4-E30"),
        (InstanceSpec("integer", 64, 1e4, 3, 1e4, 30), "integer-D64-t1e4-TC3-c1e4-E30"),
        (InstanceSpec("mixed", 4, 0, "sphere", 1, 10), "mixed-D4-t0-sphere-c1-E10"),
        (InstanceSpec("mixed", 128, 0, 8, 1e6, 80, "block"), "mixed-D128-t0-TC8-c1e6-E80-block"),
        (InstanceSpec("integer", 32, -2.5, 4, 10, 0.5), "integer-D32-t-2.5-TC4-c1e1-E0.5"),
        (InstanceSpec("mixed", 32, -100, 4, 20, 1e-6), "mixed-D32-t-100-TC4-c20-E1e-06"),
        (InstanceSpec("mixed", 32, 10**15, 4, 1e12, 10**12), "mixed-D32-t1e15-TC4-c1e12-E1000000000000"),
        (InstanceSpec("mixed", 32, 1e15, 4, 10**12, 1e12), "mixed-D32-t1e15-TC4-c1e12-E1000000000000"),
    ],
)
def test_these_ids_are_spelt_as_they_are_printed(spec: InstanceSpec, id: str) -> None:
    assert spec.id == id
    assert str(spec) == id
    assert InstanceSpec.parse(id) == spec


@pytest.mark.parametrize(
    "spelling",
    [
        "mixed-D64-t0-TC3-c10000-E30",
        "mixed-D64-t0.0-TC3-c1e4-E30.0",
        "mixed-D64-t-0-TC3-c1e+4-E3e1",
        "mixed-D064-t0-TC3-c1.0e4-E30",
    ],
)
def test_other_spellings_parse_to_the_canonical_id(spelling: str) -> None:
    assert InstanceSpec.parse(spelling).id == "mixed-D64-t0-TC3-c1e4-E30"


def test_other_spellings_of_a_translation_parse_to_the_canonical_id() -> None:
    for t in ("10000", "10000.0", "1e4", "1e+4", "1.0e04"):
        assert InstanceSpec.parse(f"integer-D64-t{t}-TC3-c1e4-E30").id == "integer-D64-t1e4-TC3-c1e4-E30"


@pytest.mark.parametrize(
    ("id", "reason"),
    [
        ("mixed-D63-t0-TC0-c1e1-E30", "D is 63; allowed: an even number from 2 to 4096"),
        ("mixed-D0-t0-TC0-c1e1-E30", "D is 0; allowed: an even number"),
        ("mixed-D4098-t0-TC0-c1e1-E30", "D is 4098; allowed: an even number from 2 to 4096"),
        ("mixed-D12-t0-TC2-c1e1-E30", "TC2 has a hadellipse, which exists only where D is a power of two"),
        ("mixed-D12-t0-TC6-c1e1-E30", "TC6 has a hadellipse, which exists only where D is a power of two"),
        ("mixed-D64-t0-TC0-c0-E30", "c is 0; allowed: a number from 1e-06 to 1e+12"),
        ("mixed-D64-t0-TC0-c-10-E30", "c is -10; allowed: a number from"),
        ("mixed-D64-t0-TC0-c1e999-E30", "c is inf; allowed: a number from"),
        ("mixed-D64-t0-TC0-c1e-300-E30", "c is 1e-300; allowed: a number from"),
        ("mixed-D64-t0-TC0-c1e13-E30", "c is 1e+13; allowed: a number from"),
        ("mixed-D64-t0-TC0-c1e1-E0", "E is 0; allowed: a number from 1e-06 to 1e+12"),
        ("mixed-D64-t0-TC0-c1e1-E1e-308", "E is 1e-308; allowed: a number from"),
        ("mixed-D64-t0-TC0-c1e1-E1e300", "E is 1e+300; allowed: a number from"),
        ("mixed-D64-t1e999-TC0-c1e1-E30", "with t = inf the centres"),
        ("mixed-D64-t9007199254740992-TC0-c1e1-E30", "the centres, ±7 + t and ±4 + t, are not exact"),
        ("mixed-D64-t-1e300-TC0-c1e1-E30", "are not exact in double precision"),
        ("mixed-D64-t0.1-TC0-c1e1-E30", "with t = 0.1 the centres"),
        ("mixed-D64-t0-sphere-c10-E30", "the sphere has condition 1, so c must be 1"),
        ("mixed-D64-t0-TC4-c1e1-E30-block", "TC4 at D = 64 has no hadellipse of two blocks"),
        ("mixed-D2-t0-TC8-c1e1-E30-block", "TC8 at D = 2 has no hadellipse of two blocks"),
    ],
)
def test_an_id_of_an_impossible_instance_is_refused_with_the_reason(id: str, reason: str) -> None:
    with pytest.raises(ValueError, match=f"instance '{id}': .*{re.escape(reason)}"):
        InstanceSpec.parse(id)


@pytest.mark.parametrize(
    "text",
    [
        "real-D64-t0-TC3-c1e4-E30",
        "mixed-D64-t0-TC9-c1e4-E30",
        "mixed-D64-t0-TC3-c1e4",
        "mixed-D64-t0-TC3-cten-E30",
        "mixed-D64-t0-TC3-c1e4-E30-blocks",
        "mixed-D64-t0-TC3-c1e4-E30\n",
        " mixed-D64-t0-TC3-c1e4-E30",
        "mixed-D-64-t0-TC3-c1e4-E30",
        "",
    ],
)
def test_what_is_no_id_is_refused_by_saying_how_ids_are_written(text: str) -> None:
    with pytest.raises(ValueError, match="is no instance id; ids are written mixed-D64-t0-TC3-c1e4-E30"):
        InstanceSpec.parse(text)


def test_an_unknown_kind_or_case_is_refused_with_the_allowed_ones() -> None:
    with pytest.raises(ValueError, match="kind is 'real'; allowed: mixed, integer"):
        InstanceSpec("real", 64, 0, 3, 1e4, 30)
    with pytest.raises(ValueError, match="the test case is 9; allowed: 0 to 8, and pairs of forms"):
        InstanceSpec("mixed", 64, 0, 9, 1e4, 30)


def test_the_test_case_is_three_times_the_row_plus_the_column() -> None:
    table = ("cigar", "rotellipse", "hadellipse")
    for row, objective in enumerate(table):
        for column, constraint in enumerate(table):
            spec = InstanceSpec("mixed", 64, 0, 3 * row + column, 10, 30)
            assert (spec.objective, spec.constraint) == (objective, constraint)
    sphere = InstanceSpec("mixed", 64, 0, "sphere", 1, 30)
    assert (sphere.objective, sphere.constraint) == ("sphere", "sphere")


def test_half_of_a_mixed_instance_and_all_of_an_integer_one_are_integer() -> None:
    assert InstanceSpec("mixed", 64, 0, 3, 10, 30).n_z == 32
    assert InstanceSpec("integer", 64, 0, 3, 10, 30).n_z == 64
