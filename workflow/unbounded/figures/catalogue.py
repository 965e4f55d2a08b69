"""Which figures a campaign has, and what each shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unbounded.campaign.models import LandscapeStudy, ReadStudy, RunStudy
from unbounded.campaign.plan import Plan
from unbounded.figures.drawing import Description
from unbounded.instances.spec import SPHERE, Case
from unbounded.solvers import registry
from unbounded.tables.measures import CLOSE

#: The pictures of a study of landscapes, which need no tables.
LANDSCAPES = ("gallery", "contours")
#: What is compared with the reference, and its like against the optimum.
TO_OPTIMUM = {"normalised": "normalised_optimum", "delta_z": "delta_z_proven"}
#: Studies with one figure for all translations of a kind and dimension, and its kind.
OF_DIMENSIONS = {"formulation": "formulations", "invariance": "invariance"}


def figures(plan: Plan) -> dict[str, Description]:
    """Return the campaign's figures by path, `<study>/<name>`; landscapes, which need no tables, are not among them."""
    found: dict[str, Description] = {}
    for name, study in plan.campaign.studies.items():
        if isinstance(study, LandscapeStudy):
            continue
        for title, description in _of_study(plan, name, study):
            found[f"{name}/{title}"] = description
    if plan.cells:
        found["campaign/completeness"] = {"kind": "completeness"}
    return found


def _of_study(plan: Plan, name: str, study: RunStudy | ReadStudy) -> Iterator[tuple[str, Description]]:
    if isinstance(study, ReadStudy):
        if study.type == "discrepancy":
            for other in study.of:
                for group, cases in _slices(plan, other):
                    if cases and _strategies(plan, other):
                        yield from _discrepancy(plan, other, group, cases)
        return
    if study.type in OF_DIMENSIONS:
        firsts = {(spec.kind, spec.D): spec.group for spec in study.specs()}
        for dimension, group in firsts.items():
            shown = {"study": name, "dimension": list(dimension), **_spent(plan, name, group)}
            yield f"{dimension[0]}-D{dimension[1]}", {"kind": OF_DIMENSIONS[study.type], **shown}
        return
    strategies = _strategies(plan, name)
    for group, cases in _slices(plan, name) if strategies else ():
        everyone = {"study": name, "group": group, **_spent(plan, name, group)}
        common = {**everyone, **_without_exact(plan, name)}
        proven = _provable(plan, name, group)
        if study.type == "preliminary":
            continue
        if cases and study.type != "multimodality":
            yield f"{group}-best", {"kind": "maps", "statistic": "best", **common}
            yield f"{group}-median", {"kind": "maps", "statistic": "median", **common}
            # Where optima are proven, they are the best known values.
            known = "optimum" if proven else "known"
            yield f"{group}-{known}-best", {"kind": "maps", "statistic": f"{known}_best", **common}
            yield f"{group}-{known}-median", {"kind": "maps", "statistic": f"{known}_median", **common}
            for kind in ("runtimes", "targets", "profiles"):
                yield f"{group}-{kind}", {"kind": kind, **everyone}
        if cases and study.type in ("benchmark", "translation"):
            yield f"{group}-boxes", {"kind": "gallery", "measure": "normalised", **common}
            if proven:
                yield f"{group}-optimum-boxes", {"kind": "gallery", "measure": "normalised_optimum", **common}
        if cases and study.type in ("benchmark", "all-integer"):
            measures = ["normalised", "delta_z"] if study.type == "all-integer" else ["normalised"]
            measures += [TO_OPTIMUM[measure] for measure in measures] if proven else []
            for tc in cases:
                yield f"{group}-{_file_name(tc)}", {"kind": "boxplots", "tc": tc, "measures": measures, **common}
        if study.type == "translation":
            kind, D, t = _first(plan, name, group)
            if t != 0 and _has_slice(plan, kind, D):
                shown = {"slice": [kind, D, t], "strategies": strategies, **_spent(plan, name, group)}
                yield f"{group}-ratio", {"kind": "ratio", **shown}
    if study.type == "preliminary":
        yield "statuses", {"kind": "preliminary", "study": name, **_spent(plan, name, _slices(plan, name)[0][0])}
    if study.type == "multimodality":
        white_box = [id for id in study.solvers if _entry(plan, study, id).solver.white_box]
        for spec in study.specs():
            shown = {"study": name, "instance": spec.id, "white_box": white_box}
            yield spec.id, {"kind": "multimodality", **shown, **_spent(plan, name, spec.group)}
            if _counts_near(plan, spec.id):
                shown = {"study": name, "instance": spec.id}
                yield f"{spec.id}-near", {"kind": "near", **shown, **_spent(plan, name, spec.group)}


def _discrepancy(plan: Plan, study: str, group: str, cases: Sequence[Case]) -> Iterator[tuple[str, Description]]:
    """Yield the figures of Δz of a study's slice: against the reference, and against proven or best known integers."""
    common = {"study": study, "group": group, **_spent(plan, study, group), **_without_exact(plan, study)}
    prefix, proven = f"{study}-{group}", _provable(plan, study, group)
    yield f"{prefix}-map", {"kind": "maps", "statistic": "delta_z", **common}
    if proven:
        yield f"{prefix}-proven-map", {"kind": "maps", "statistic": "delta_z_proven", **common}
        yield f"{prefix}-proven-boxes", {"kind": "gallery", "measure": "delta_z_proven", **common}
    else:
        yield f"{prefix}-known-map", {"kind": "maps", "statistic": "delta_z_best_known", **common}
        yield f"{prefix}-certified-map", {"kind": "maps", "statistic": "delta_z_certified", **common}
    yield f"{prefix}-boxes", {"kind": "gallery", "measure": "delta_z", **common}
    measures = ["delta_z", *([TO_OPTIMUM["delta_z"]] if proven else [])]
    for tc in cases:
        yield f"{prefix}-{_file_name(tc)}", {"kind": "boxplots", "tc": tc, "measures": measures, **common}


def _strategies(plan: Plan, study: str) -> list[str]:
    """Return the solvers of a study that are compared with its reference; exact ones are what to compare with."""
    settings = plan.campaign.run_studies[study]
    exact = _exact(plan, study)
    return [id for id in settings.solvers if id != settings.reference and id not in exact]


def _exact(plan: Plan, study: str) -> list[str]:
    """Return the solvers of a study whose proofs count; the reference is drawn like any other, whatever it is."""
    settings = plan.campaign.run_studies[study]
    solvers = [id for id in settings.solvers if id != settings.reference]
    return [id for id in solvers if _entry(plan, settings, id).solver.exact]


def _without_exact(plan: Plan, study: str) -> Description:
    """Return what leaves exact solvers out of a figure: divided by the optimum, all that they prove is 1."""
    exact = _exact(plan, study)
    return {"without": exact} if exact else {}


def _provable(plan: Plan, study: str, group: str) -> bool:
    """Say whether an exact solver runs, in any study, on instances of a slice or on their whole translations."""
    kind, D, t = _first(plan, study, group)
    hessian = plan.campaign.run_studies[study].hessian
    return any(
        (cell.spec.kind, cell.spec.D, cell.spec.hessian) == (kind, D, hessian)
        and (cell.spec.t == t or (cell.spec.t.is_integer() and t.is_integer()))
        and registry.find(cell.variant).solver.exact
        for cell in plan.cells.values()
    )


def _entry(plan: Plan, study: RunStudy, id: str) -> registry.Entry:
    return registry.find(plan.campaign.settings(study, id).use or id)


def _counts_near(plan: Plan, instance: str) -> bool:
    """Say whether an exact solver, in any study, is asked for all vectors within 0.1 % of an instance's optimum."""
    cells = [cell for (id, _), cell in plan.cells.items() if id == instance]
    return any(registry.find(cell.variant).solver.exact and cell.options.get("within", 0) >= CLOSE for cell in cells)


def _file_name(tc: Case) -> str:
    """Return a test case as figures are named by it."""
    if isinstance(tc, int):
        return f"TC{tc}"
    # A file may have the name of another figure.
    return tc if "." in tc else f"file-{tc}"


def _slices(plan: Plan, study: str) -> list[tuple[str, list[Case]]]:
    """Return the slices of a study with their test cases, sphere aside; the nine come first."""
    slices: dict[str, dict[Case, None]] = {}
    for spec in plan.campaign.run_studies[study].specs():
        cases = slices.setdefault(spec.group, {})
        if spec.case != SPHERE:
            cases[spec.case] = None
    return [(group, sorted(cases, key=lambda case: (isinstance(case, str), case))) for group, cases in slices.items()]


def _first(plan: Plan, study: str, group: str) -> tuple[str, int, float]:
    spec = next(spec for spec in plan.campaign.run_studies[study].specs() if spec.group == group)
    return spec.kind, spec.D, spec.t


def _has_slice(plan: Plan, kind: str, D: int) -> bool:
    """Whether the campaign has the untranslated twin of a slice."""
    return any((cell.spec.kind, cell.spec.D, cell.spec.t) == (kind, D, 0) for cell in plan.cells.values())


def _spent(plan: Plan, study: str, group: str) -> Description:
    """Return what a run of every solver of a slice may spend, and how many runs there are, for captions."""
    budgets: dict[str, tuple[str, float]] = {}
    runs: dict[str, int] = {}
    settings = plan.campaign.run_studies[study]
    spec = next(spec for spec in settings.specs() if spec.group == group)
    for solver in settings.solvers:
        budget = plan.cells[spec.id, solver].budget
        budgets[solver] = (budget.kind, budget.amount)
        runs[solver] = len(plan.campaign.settings(settings, solver).seeds or settings.seeds)
    return {"budgets": budgets, "runs": runs}
