"""What is wrong with a campaign across keys: what its models, one by one, cannot say."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from unbounded.campaign.campaign import Campaign, resolve
from unbounded.campaign.layout import TAKEN
from unbounded.campaign.messages import dotted, message
from unbounded.campaign.studies import GRID, TRANSLATED, ReadStudy, RunStudy
from unbounded.instances import files as problem_files
from unbounded.instances.spec import InstanceSpec
from unbounded.solvers import registry

Problem = tuple[str, str]
#: Rules of the workflow, and the folder of the whole campaign's figures: a study, which is a rule, has another name.
RESERVED = (
    *("all", "trials", "tables", "figures", "report", "campaign"),
    *("collect_group", "collect_campaign", "record_campaign", "record_plan", "make_table", "write_claims"),
    *("draw_figure", "write_report"),
)
#: How the names of the rules of trials begin; the rest is the solver's id.
RUN_RULE = "run_"


def check(campaign: Campaign) -> Iterator[Problem]:
    """Yield (key, message) for what is wrong between keys."""
    if campaign.name in TAKEN:
        yield (
            "name",
            f"'{campaign.name}' is something else in the folder of results; allowed: names other than "
            f"{', '.join(TAKEN)}",
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
            yield from ((f"{at}.options{dotted(e['loc'])}", message(e)) for e in error.errors())
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
