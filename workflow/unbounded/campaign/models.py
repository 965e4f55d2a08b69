"""Campaign files: typed models that validate config/*.yaml and generate its JSON schema and documentation.

A campaign names studies; a study names instances, solvers and seeds. What is wrong in a file is said before any job
starts, all at once: the file, the key, the value, and what is allowed.
"""

from __future__ import annotations

import glob
import json
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar, get_args

import yaml
from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    ValidationError,
    WithJsonSchema,
    model_validator,
)

from unbounded.instances import files as problem_files
from unbounded.instances.forms import registry as forms
from unbounded.instances.spec import (
    LIMITS,
    MAX_DIMENSION,
    SPHERE,
    Case,
    InstanceSpec,
    Kind,
    Reading,
    check_level,
    check_translation,
    has_block,
    read_case,
)
from unbounded.solvers import registry
from unbounded.solvers.contract import BUDGET_LIMITS, COUNTED, Budget, BudgetKind, PenaltyOptions, Strict

MAX_SEED = 2**31 - 1
MAX_SEEDS = 100_000


class ConfigError(ValueError):
    """What is wrong with a campaign file, as one message for people."""


# --- Types ---------------------------------------------------------------------------------------------------------

T = TypeVar("T")


def _unique(values: list[T]) -> list[T]:
    repeated = sorted({str(value) for value in values if values.count(value) > 1})
    if repeated:
        raise ValueError(f"{', '.join(repeated)} given more than once; allowed: each value once")
    return values


def _case(value: Any) -> Case:
    """Read a test case; true, which is equal to 1, is none."""
    if isinstance(value, str):
        return read_case(value)
    if isinstance(value, bool) or not isinstance(value, int) or value not in range(9):
        raise ValueError(f"allowed: 0 to 8, `{SPHERE}`, or two forms with a dot between them, as in rotellipse.cigar")
    return value


def _files(value: Any) -> Any:
    """Read one pattern as a list of one."""
    return [value] if isinstance(value, str) else value


def _below(pattern: str) -> str:
    """Refuse what is not below the campaign's folder: campaign and files go together, into archives too."""
    if Path(pattern).is_absolute() or ".." in Path(pattern).parts or not pattern.endswith(problem_files.ENDING):
        raise ValueError(
            f"allowed: {problem_files.ENDING} files in the folder of the campaign's file or below it, as seen from "
            "there, such as problems/*.npz"
        )
    return _line(pattern)


def _line(text: str) -> str:
    """Refuse what cannot be written, or not in one line."""
    if not text.isprintable():
        raise ValueError("allowed: one line of text, without control characters")
    return text


def _seeds(value: Any) -> Any:
    """Read a number n as the seeds 1 to n."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 1 <= value <= MAX_SEEDS:
            raise ValueError(f"a number of seeds must lie between 1 and {MAX_SEEDS}")
        return list(range(1, value + 1))
    return value


def _amounts(value: Any) -> Any:
    """Read one number as the amount at every dimension (key 0)."""
    if value is None:
        return None
    amounts = value if isinstance(value, Mapping) else {0: value}
    for D, amount in amounts.items():
        if isinstance(D, bool) or not isinstance(D, int):
            raise ValueError(f"'{D}' is no dimension; allowed: a number, or a mapping from D to a number")
        if isinstance(amount, bool) or not isinstance(amount, (int, float)) or not amount > 0:
            raise ValueError(f"an amount is {_show(amount)}; allowed: a number above 0")
    return amounts


_NUMBER = {"type": "number", "exclusiveMinimum": 0}
_BY_DIMENSION = {"type": "object", "additionalProperties": _NUMBER}

NonEmpty = Annotated[list[T], Field(min_length=1), AfterValidator(_unique)]
Line = Annotated[str, AfterValidator(_line)]
Label = Annotated[str, Field(min_length=1), AfterValidator(_line)]
TestCase = Annotated[
    Case,
    BeforeValidator(_case),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 0, "maximum": 8},
                {"enum": [SPHERE]},
                {"type": "string", "pattern": rf"^{forms.NAME}\.{forms.NAME}$"},
            ]
        }
    ),
]
Files = Annotated[
    list[Annotated[str, AfterValidator(_below)]],
    BeforeValidator(_files),
    AfterValidator(_unique),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]
Dimension = Annotated[int, Field(ge=2, le=MAX_DIMENSION, multiple_of=2)]
Positive = Annotated[float, Field(gt=0)]
Level = Annotated[
    float,
    AfterValidator(check_level),
    WithJsonSchema({"type": "number", "minimum": LIMITS[0], "maximum": LIMITS[1]}),
]
Translation = Annotated[float, AfterValidator(check_translation)]
Name = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.+-]*$", max_length=60)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED)]
Seeds = Annotated[
    list[Seed],
    Field(min_length=1),
    BeforeValidator(_seeds),
    AfterValidator(_unique),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": MAX_SEEDS},
                {"type": "array", "items": {"type": "integer", "minimum": 0}, "minItems": 1},
            ]
        }
    ),
]
Amounts = Annotated[
    dict[int, float] | None, BeforeValidator(_amounts), WithJsonSchema({"anyOf": [_NUMBER, _BY_DIMENSION]})
]


# --- Models --------------------------------------------------------------------------------------------------------


class BudgetSettings(Strict):
    """A trial's budget: one kind of amount, a number or a number for each dimension."""

    evaluations: Amounts = Field(None, description="Evaluations of f and g")
    seconds: Amounts = Field(None, description="Wall-clock seconds; not reproducible")
    ticks: Amounts = Field(None, description="CPLEX's deterministic time, about a thousandth of a second")
    work: Amounts = Field(
        None, description="Deterministic time of Gurobi or of Xpress, each in a unit of its own, of seconds"
    )
    nodes: Amounts = Field(None, description="Nodes of a branch-and-bound tree (SCIP), whatever each of them takes")

    @model_validator(mode="after")
    def _one_kind(self) -> BudgetSettings:
        given = [kind for kind in get_args(BudgetKind) if getattr(self, kind) is not None]
        if len(given) != 1:
            kinds = ", ".join(get_args(BudgetKind))
            raise ValueError(f"{' and '.join(given) or 'no kind'} given; allowed: one of {kinds}")
        limit = BUDGET_LIMITS[given[0]]
        for amount in getattr(self, given[0]).values():
            if amount > limit:
                raise ValueError(f"{given[0]} is {amount:g}; allowed: above 0 and at most {limit:g}")
            if given[0] in COUNTED and amount != int(amount):
                raise ValueError(f"{given[0]} is {amount:g}; allowed: a whole number")
        return self

    def at(self, D: int) -> Budget | None:
        """Return the budget at dimension D, or None if there is none for it."""
        kind: BudgetKind = next(kind for kind in get_args(BudgetKind) if getattr(self, kind) is not None)
        amounts: dict[int, float] = getattr(self, kind)
        amount = amounts.get(D, amounts.get(0))
        return None if amount is None else Budget(kind=kind, amount=amount)


class PenaltySettings(Strict):
    """The penalty of a study's evolution strategies: f + factor · dimension² · max(0, g−E)²."""

    factor: Positive = Field(1e4, description="Factor of the penalty")
    dimension: int | None = Field(None, gt=0, description="In place of D; the published data used 32 at every D")


class SolverSettings(Strict):
    """How a solver runs. A study's settings come before the campaign's, those before the solver's defaults."""

    use: str | None = Field(None, description="The solver behind this id; the id itself if not given")
    label: Label | None = Field(None, description="Name in figures; changing it reruns nothing")
    options: dict[str, Any] = Field(
        default_factory=dict, description="Options of the solver: `unbounded solvers` lists them"
    )
    budget: BudgetSettings | None = Field(None, description="What a trial may spend")
    seeds: Seeds | None = Field(None, description="As a study's, for this solver")
    threads: int | None = Field(None, ge=1, le=1024, description="Threads of a trial; 1 if not given")
    mem_mb: int | None = Field(
        None, ge=100, description="Memory of a trial, which ends `out-of-memory` if it takes more; 2000 if not given"
    )
    runtime: int | None = Field(None, ge=1, description="Minutes that a cluster grants a trial; estimated if not given")
    watchdog: float | None = Field(
        None,
        gt=0,
        description="Minutes after which a trial that has not ended is stopped as `overrun`, at most 0.9 `runtime` "
        "where that is given; if not given 5 more than 1.2 times a budget of seconds, or than 4 times the estimate for "
        "another budget, the largest in the campaign",
    )

    @property
    def asked(self) -> dict[str, float | None]:
        """What the solver's jobs ask of the machine."""
        return {
            "threads": self.threads or 1,
            "mem_mb": self.mem_mb,
            "runtime": self.runtime,
            "watchdog": self.watchdog,
        }


#: Keys of a grid of instances; a study without files must have the first four.
GRID = ("dimensions", "test_cases", "c", "E", "kinds", "translations", "hessian")
#: Studies that compare translated instances with others.
TRANSLATED = ("translation", "invariance")


class RunStudy(Strict):
    """A study that runs solvers on a grid of instances, or on problems from files."""

    type: Literal[
        "preliminary", "benchmark", "translation", "all-integer", "multimodality", "formulation", "invariance"
    ] = Field(description="What is made from its trials")
    kinds: NonEmpty[Kind] = Field(["mixed"], description="`mixed`: half of the variables integer; `integer`: all")
    dimensions: NonEmpty[Dimension] = Field(
        [], description="D, even; a power of two where a hadellipse is in. Required without `files`, as the next three"
    )
    test_cases: NonEmpty[TestCase] = Field(
        [],
        description="k of TC-k, 3·row + column; `sphere`; or any two forms, of f and g: `rotellipse.sphere`",
    )
    c: NonEmpty[Level] = Field([], description="Condition numbers; 1 for the sphere")
    E: NonEmpty[Level] = Field([], description="Constraint levels")
    translations: NonEmpty[Translation] = Field([0.0], description="t, added to every coordinate of both centres")
    hessian: Reading = Field("full", description="Reading of the hadellipse")
    files: Files = Field(
        [],
        description="Problems of your own in place of a grid: NPZ files beside this file or below it, `mine/*.npz`",
    )
    penalty: PenaltySettings = Field(PenaltySettings(), description="Penalty of its evolution strategies")
    solvers: dict[Name, SolverSettings] = Field(min_length=1, description="Solver ids with their settings")
    seeds: Seeds = Field([1], description="A list of seeds, or a number n for 1 to n")
    reference: str = Field("cplex", description="The solver that others are normalised to")
    #: Of the campaign's file, where it names others.
    _folder: Path = PrivateAttr(default_factory=Path)

    @model_validator(mode="before")
    @classmethod
    def _empty_settings(cls, data: Any) -> Any:
        """Read `cplex:` with nothing behind it as `cplex: {}`."""
        if isinstance(data, Mapping) and isinstance(data.get("solvers"), Mapping):
            solvers = {id: {} if value is None else value for id, value in data["solvers"].items()}
            return {**data, "solvers": solvers}
        return data

    def specs(self) -> Iterator[InstanceSpec]:
        """Yield its instances in the order of the lists; needs a study that passed `check`."""
        for path in self.paths():
            yield problem_files.read(path)
        for kind in self.kinds:
            for D in self.dimensions:
                for t in self.translations:
                    for case in self.test_cases:
                        for c in self.c:
                            for E in self.E:
                                yield InstanceSpec(kind, D, t, case, c, E, self.reading(case))

    def reading(self, case: Case) -> Reading:
        """Return the reading in a test case: `block` means something only where a hadellipse is in."""
        return self.hessian if has_block(case) else "full"

    @property
    def sizes(self) -> list[int]:
        """The dimensions of its instances."""
        return list(dict.fromkeys(spec.D for spec in self.specs())) if self.files else self.dimensions

    @property
    def patterns(self) -> list[str]:
        """The patterns of its files, as seen from here."""
        return [f"{glob.escape(str(self._folder))}/{pattern}" for pattern in self.files]

    def paths(self) -> list[Path]:
        """Return its files, each once."""
        return list(dict.fromkeys(path for pattern in self.patterns for path in problem_files.matching(pattern)))


class LandscapeStudy(Strict):
    """Pictures of the two-dimensional instances; no runs."""

    type: Literal["landscapes"]
    c: Level = Field(10.0, description="Condition number")
    E: NonEmpty[Level] = Field([10.0, 30.0, 50.0, 80.0], description="Constraint levels drawn")
    contour_E: Level = Field(30.0, description="Constraint level of the integer contours of TC-4")
    extents: NonEmpty[Positive] = Field([20.0, 5.0], description="Half-widths of the integer contours")


class ReadStudy(Strict):
    """A study that reads the trials of others; no runs of its own."""

    type: Literal["discrepancy", "claims"] = Field(description="What is made from those trials")
    of: NonEmpty[str] = Field(description="The studies whose trials it reads")


Study = Annotated[RunStudy | LandscapeStudy | ReadStudy, Field(discriminator="type")]


class Campaign(Strict):
    """A campaign: studies, and how solvers run in them."""

    name: Name = Field(description="Results go to results/<name>")
    title: Line = Field("", description="A line for people")
    allow_missing: bool = Field(
        False, description="Make tables and figures from the trials that are there when snakemake starts"
    )
    solvers: dict[Name, SolverSettings] = Field(
        default_factory=dict, description="Settings of solver ids in all studies; ids of your own need `use`"
    )
    studies: dict[Name, Study] = Field(min_length=1, description="The studies, by names of your choice")

    def settings(self, study: RunStudy, id: str) -> SolverSettings:
        """Return the settings of a solver in a study, the campaign's filled in; options are merged key by key."""
        common, own = self.solvers.get(id, SolverSettings()), study.solvers[id]
        merged = {**common.model_dump(exclude_unset=True), **own.model_dump(exclude_unset=True)}
        return SolverSettings.model_validate({**merged, "options": {**common.options, **own.options}})

    def record(self) -> str:
        """Return the effective campaign as JSON, without what only people read: that makes nothing stale."""
        label = {"__all__": {"label"}}
        prose: Any = {"title": True, "solvers": label, "studies": {"__all__": {"solvers": label}}}
        return self.model_dump_json(indent=2, exclude=prose)

    @property
    def labels(self) -> dict[str, str]:
        """The names of solver ids in figures, where they have one."""
        named = dict(self.solvers.items())
        for study in self.run_studies.values():
            named.update((id, settings) for id, settings in study.solvers.items() if settings.label)
        return {id: settings.label for id, settings in named.items() if settings.label}

    @property
    def run_studies(self) -> dict[str, RunStudy]:
        """The studies that run solvers."""
        return {name: study for name, study in self.studies.items() if isinstance(study, RunStudy)}


# --- What the models cannot say one by one -------------------------------------------------------------------------

Problem = tuple[str, str]
#: Rules of the workflow, and the folder of the whole campaign's figures: a study, which is a rule, has another name.
RESERVED = (
    *("all", "trials", "tables", "figures", "report", "campaign"),
    *("collect_group", "collect_campaign", "record_campaign", "record_plan", "make_table", "write_claims"),
    *("draw_figure", "write_report"),
)
#: How the names of the rules of trials begin.
RUN_RULE = "run_"
#: What else is in the folder of results.
RESERVED_RESULTS = ("README.md", "audit", "slurm-logs")


def _check(campaign: Campaign) -> Iterator[Problem]:
    """Yield (key, message) for what is wrong between keys."""
    if campaign.name in RESERVED_RESULTS:
        yield (
            "name",
            f"'{campaign.name}' is something else in the folder of results; allowed: names other than "
            f"{', '.join(RESERVED_RESULTS)}",
        )
    for id, settings in campaign.solvers.items():
        yield from _check_id(f"solvers.{id}", id, settings.use)
    for name, study in campaign.studies.items():
        if name in RESERVED or name.startswith(RUN_RULE):
            taken = f"{', '.join(RESERVED)}, or any that begins with {RUN_RULE}"
            yield f"studies.{name}", f"'{name}' is a target of the workflow; allowed: names other than {taken}"
        if isinstance(study, ReadStudy):
            for other in study.of:
                if other not in campaign.run_studies:
                    allowed = ", ".join(campaign.run_studies) or "none, since no study runs solvers"
                    yield f"studies.{name}.of", f"'{other}' is no study with runs; allowed: {allowed}"
        elif isinstance(study, RunStudy):
            wrong = list(_check_instances(f"studies.{name}", study))
            yield from wrong
            # Without its files a study has no dimensions that anything could be said of.
            if not (wrong and study.files):
                yield from _check_run(campaign, name, study)
    yield from _check_names(campaign)
    yield from _check_labels(campaign)


def _check_instances(key: str, study: RunStudy) -> Iterator[Problem]:
    """A study has a grid of instances or files, and every file a problem."""
    if not study.files:
        for name in GRID[:4]:
            if not getattr(study, name):
                yield f"{key}.{name}", "is missing; it must be given, or else `files`"
        for case in study.test_cases:
            for D in study.dimensions:
                for c in study.c:
                    try:
                        InstanceSpec("mixed", D, 0.0, case, c, 1.0, study.reading(case))
                    except ValueError as error:
                        yield f"{key}.{'c' if str(error).startswith('c ') else 'dimensions'}", str(error)
        return
    for name in GRID:
        if name in study.model_fields_set:
            yield f"{key}.{name}", "is given beside `files`, whose problems have their own; give one or the other"
    if study.type in TRANSLATED:
        yield f"{key}.files", f"are not translated, which a study of type {study.type} compares; allowed: other types"
    for pattern in study.patterns:
        paths = problem_files.matching(pattern)
        if not paths:
            yield f"{key}.files", f"no file matches {pattern}"
        for path in paths:
            try:
                problem_files.read(path)
            except ValueError as error:
                yield from ((f"{key}.files", line) for line in str(error).splitlines())


def _check_names(campaign: Campaign) -> Iterator[Problem]:
    """The name of a file is the id of its problem: no other file has it."""
    named: dict[str, Path] = {}
    for name, study in campaign.run_studies.items():
        for path in study.paths():
            other = named.setdefault(path.stem, path)
            if other != path:
                yield f"studies.{name}.files", f"{other} and {path} have the same name, which is their id; rename one"


def _check_labels(campaign: Campaign) -> Iterator[Problem]:
    """Figures tell solvers apart by their names: an id has one, and no other id has it."""
    labels = campaign.labels
    solvers = [(name, id, own) for name, study in campaign.run_studies.items() for id, own in study.solvers.items()]
    named: dict[str, str] = {}
    # Those that go by their ids come first: what is wrong is the label.
    for name, id, own in sorted(solvers, key=lambda solver: solver[1] in labels):
        key = f"studies.{name}.solvers.{id}.label" if own.label else f"solvers.{id}.label"
        if own.label not in (None, labels.get(id)):
            yield key, f"is '{own.label}', in another study '{labels[id]}'; allowed: one label for each id"
        other = named.setdefault(labels.get(id, id), id)
        if other != id:
            yield key, f"is '{labels[id]}', the name of {other} in figures; allowed: a label of its own for each id"


def _check_id(key: str, id: str, use: str | None) -> Iterator[Problem]:
    known = registry.is_known(id)
    if use is not None and not registry.is_known(use):
        yield f"{key}.use", f"unknown solver '{use}'; allowed: {registry.allowed()}"
    elif known and use not in (None, id):
        yield f"{key}.use", f"'{id}' is a solver itself, it cannot stand for '{use}'; choose another id"
    elif not known and use is None:
        yield key, f"unknown solver '{id}'; allowed: {registry.allowed()}, or an id of your own with `use: <solver>`"


def _check_run(campaign: Campaign, name: str, study: RunStudy) -> Iterator[Problem]:
    key = f"studies.{name}"
    if study.reference not in study.solvers:
        yield (
            f"{key}.reference",
            f"the reference solver '{study.reference}' is not among the study's solvers; "
            f"allowed: {', '.join(study.solvers)} (or add {study.reference} to its solvers)",
        )
    for id in study.solvers:
        at = f"{key}.solvers.{id}"
        settings = campaign.settings(study, id)
        problems = list(_check_id(at, id, settings.use))
        if problems:
            yield from problems
            continue
        entry = registry.find(settings.use or id)
        try:
            entry.options(settings.options)
        except ValidationError as error:
            yield from ((f"{at}.options{_dotted(e['loc'])}", _message(e)) for e in error.errors())
        for D in study.sizes:
            try:
                budget = entry.solver.default_budget(D) if settings.budget is None else settings.budget.at(D)
                if budget is None:
                    raise ValueError(f"no amount for D = {D}; allowed: one number, or one for each dimension")
                entry.check_budget(budget)
            except ValueError as error:
                yield f"{at}.budget", str(error)
                break
    conflict = "the same trials with different settings in study '{}'; give one of the two an id of its own (`use: {}`)"
    for other_name, other in campaign.run_studies.items():
        if other_name == name:
            return
        if any(list(_check_instances(key, each)) for each in (study, other)):
            continue
        for id in set(study.solvers) & set(other.solvers):
            if _differs(campaign, study, other, id) and not set(study.specs()).isdisjoint(other.specs()):
                yield f"{key}.solvers.{id}", conflict.format(other_name, id)
            mine, others = campaign.settings(study, id).asked, campaign.settings(other, id).asked
            for what in mine:
                if mine[what] != others[what]:
                    yield (
                        f"{key}.solvers.{id}.{what}",
                        f"is {mine[what] or 'not given'}, in study '{other_name}' {others[what] or 'not given'}; "
                        "allowed: the same for all trials of an id, since one rule runs them; set it under the "
                        f"campaign's `solvers`, or give one of the two an id of its own (`use: {id}`)",
                    )


def _differs(campaign: Campaign, a: RunStudy, b: RunStudy, id: str) -> bool:
    """Whether two studies run a solver id differently at a dimension that they share."""
    try:
        return any(resolve(campaign, a, id, D) != resolve(campaign, b, id, D) for D in set(a.sizes) & set(b.sizes))
    except ValueError:
        return False  # wrong by itself, and said so already


def resolve(campaign: Campaign, study: RunStudy, id: str, D: int) -> dict[str, Any]:
    """Return all that determines a solver's trials in a study at dimension D, defaults filled in."""
    settings = campaign.settings(study, id)
    entry = registry.find(settings.use or id)
    overrides = dict(settings.options)
    if issubclass(entry.solver.options, PenaltyOptions):
        penalty = study.penalty
        overrides = {"penalty_factor": penalty.factor, "penalty_dimension": penalty.dimension, **overrides}
    budget = settings.budget.at(D) if settings.budget else entry.solver.default_budget(D)
    if budget is None:
        raise ValueError(f"no budget for D = {D}")
    return {
        "variant": entry.id,
        "options": entry.options(overrides).model_dump(),
        "budget": budget,
        "threads": settings.threads or 1,
    }


def effective(campaign: Campaign) -> dict[str, Any]:
    """Return what the solvers of every study run with, by id and dimension: `resolve`, as plain data, and the seeds."""

    def settings(study: RunStudy, id: str, D: int) -> dict[str, Any]:
        found = resolve(campaign, study, id, D)
        seeds = campaign.settings(study, id).seeds or study.seeds
        return {**found, "budget": found["budget"].model_dump(), "seeds": seeds}

    return {
        name: {id: {str(D): settings(study, id, D) for D in study.sizes} for id in study.solvers}
        for name, study in campaign.run_studies.items()
    }


# --- Reading -------------------------------------------------------------------------------------------------------


class CampaignLoader(yaml.SafeLoader):
    """YAML as people mean it: numbers and true or false as in YAML 1.2, and a key given twice is an error.

    YAML 1.1 reads 1e6 as text, which is a number here; and 010 as 8, 1:30 as 90, yes and on as true, which are text
    here, refused as they are written where a number is meant.
    """

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Return what a node stands for; a number of thousands of digits, or `!!int two`, for nothing."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, AttributeError):
            raise yaml.constructor.ConstructorError(
                None, None, f"this cannot be read as {node.tag.rpartition(':')[2]}", node.start_mark
            ) from None

    def construct_yaml_float(self, node: yaml.ScalarNode) -> float:
        """Return the number; 1e3 is a whole one."""
        value = super().construct_yaml_float(node)
        return int(value) if "." not in node.value and value.is_integer() else value

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return the mapping, if no key stands in it twice."""
        seen: set[Any] = set()
        for key_node, _ in node.value:
            if key_node.tag == "tag:yaml.org,2002:merge":
                continue
            if not isinstance(key_node, yaml.ScalarNode):
                raise yaml.constructor.ConstructorError(
                    None, None, "a key is a list or a mapping; allowed: a word or a number", key_node.start_mark
                )
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise yaml.constructor.ConstructorError(
                    None, None, f"the key '{key}' is given twice", key_node.start_mark
                )
            seen.add(key)
        return super().construct_mapping(node, deep)


CampaignLoader.add_constructor("tag:yaml.org,2002:float", CampaignLoader.construct_yaml_float)
CampaignLoader.yaml_implicit_resolvers = {}
for _tag, _pattern, _first in (
    ("null", r"~|null|Null|NULL|", ["~", "n", "N", ""]),
    ("bool", r"true|True|TRUE|false|False|FALSE", list("tTfF")),
    ("int", r"[-+]?(0|[1-9][0-9]*)", list("-+0123456789")),
    (
        "float",
        r"[-+]?((?:0|[1-9][0-9]*)(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        list("-+.0123456789"),
    ),
    ("merge", r"<<", ["<"]),
):
    CampaignLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern})\Z"), _first)


def load_campaign(path: Path) -> Campaign:
    """Read a campaign file, or raise ConfigError with everything that is wrong with it."""
    try:
        data = yaml.load(_read(path), Loader=CampaignLoader)
        problems = [] if isinstance(data, Mapping) else [("", _no_mapping(data))]
        if not problems:
            campaign = Campaign.model_validate(data)
            for study in campaign.run_studies.values():
                if study.files:
                    study._folder = path.parent
            problems = list(dict.fromkeys(_check(campaign)))
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        where = f", line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise ConfigError(f"{path}{where}: not valid YAML: {error.problem}") from None
    except RecursionError:
        raise ConfigError(f"{path}: is nested too deeply for a campaign") from None
    except ValidationError as error:
        problems = [(_dotted(e["loc"], data)[1:], _message(e)) for e in error.errors()]
    if problems:
        lines = [f"{path}: {key}: {message}" if key else f"{path}: {message}" for key, message in problems]
        raise ConfigError("\n".join(lines))
    problem_files.know(pattern for study in campaign.run_studies.values() for pattern in study.patterns)
    return campaign


def _read(path: Path) -> str:
    """Return the text of a file, or raise ConfigError if it is none."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read ({error.strerror})") from None
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}, line {line}: the byte 0x{content[error.start]:02x} is no UTF-8; save the file as text in UTF-8"
        ) from None
    unreadable = yaml.reader.Reader.NON_PRINTABLE.search(text)
    if unreadable:
        line = text.count("\n", 0, unreadable.start()) + 1
        raise ConfigError(
            f"{path}, line {line}: the character {unreadable.group()!r} is not allowed in YAML; remove it"
        )
    return text


def _no_mapping(data: Any) -> str:
    return f"is {_show(data)}; allowed: a mapping with the keys {', '.join(Campaign.model_fields)}"


def _dotted(loc: Sequence[str | int], data: Any = None) -> str:
    """Write an error's place as keys of the file; a study's type, which pydantic puts into the path, is left out."""
    parts = list(loc)
    if data is not None and len(parts) > 2 and parts[0] == "studies":
        del parts[2]
    return "".join(f".{part}" for part in parts)


def explain(error: ValidationError) -> list[str]:
    """Write what a model refused as sentences."""
    return [f"{_dotted(e['loc'])[1:]} {_message(e)}".strip() for e in error.errors()]


#: What pydantic calls it where a number is expected and something else is given.
NUMBER_ERRORS = ("int_type", "int_parsing", "float_type", "float_parsing")


def _message(error: Any) -> str:
    """Write one of pydantic's errors for people: the value, and what is allowed."""
    text: str = error["msg"].removeprefix("Value error, ")
    if error["type"] == "missing":
        return "is missing; it must be given"
    if error["type"] == "union_tag_not_found":
        return "the key `type` is missing; allowed: " + ", ".join(STUDY_TYPES)
    if error["type"] == "union_tag_invalid":
        return f"type is '{error['ctx']['tag']}'; allowed: " + ", ".join(STUDY_TYPES)
    if error["type"] == "value_error" and isinstance(error["input"], Mapping):
        return text
    if error["type"] in NUMBER_ERRORS and isinstance(error["input"], str):
        kind = "an integer" if error["type"].startswith("int") else "a number"
        text = f"that is text; allowed: {kind} in decimal digits, without quotes, colons and leading zeros"
    if error["type"] == "string_type":
        text = "allowed: text; put it in quotes if it looks like a number or a truth value"
    return f"is {_show(error['input'])}; {text[0].lower()}{text[1:]}"


def _show(value: Any) -> str:
    """Write a value in 60 characters; of what is large, or holds itself, no more than that is looked at."""
    if isinstance(value, str):
        text = f"'{value}'" if value.isprintable() else ascii(value)
    else:
        pieces = json.JSONEncoder(default=str, check_circular=False, skipkeys=True).iterencode(value)
        text = "".join(islice(pieces, 60))
    return text if len(text) <= 60 else f"{text[:57]}…"


STUDY_TYPES: tuple[str, ...] = tuple(
    type for model in (RunStudy, LandscapeStudy, ReadStudy) for type in get_args(model.model_fields["type"].annotation)
)
