"""What a campaign found, as tables of Markdown inside pages that people write.

A page has a block for each of them, `<!-- finding: near benchmark -->` to `<!-- end -->`; what stands between is
written from the campaign's tables, so that no table of a page is copied by hand. Solvers of which runs are missing are
left out where solvers are compared on all instances, and a finding without a line is an error: a page must not show
less than its words promise.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from unbounded.figures import captions, style
from unbounded.tables.columns import TRIAL
from unbounded.tables.files import read
from unbounded.tables.intervals import SEEDS
from unbounded.tables.measures import CLOSE, SIMILAR, is_made
from unbounded.tables.verdict_counts import ABOVE, MEASURED, OPTIMUM, REFERENCE, ZERO, is_zero
from unbounded.trials.row import PROOFS

_BEGIN = "<!-- finding: "
_BLOCK = re.compile(rf"({_BEGIN}([^\n]+?) -->\n)((?!{_BEGIN}).)*?(<!-- end -->)", re.DOTALL)

#: What rows may be by, and how such a column is headed.
LEVELS = {"case": "test case", "c": "c"}
#: Reads a table of the campaign by its name.
Tables = Callable[[str], pd.DataFrame]
Finding = Callable[..., str]


def pictures(page: str) -> list[str]:
    """Return the pictures of the campaign that a page shows, as `<study>/<name>`: those in its folder `study`."""
    return re.findall(r"\]\((?:docs/)?study/([^)]+)\.png\)", page)


def fill(page: str, folder: Path) -> str:
    """Return a page with its blocks written from the tables in a folder."""
    tables = _reader(folder)

    def write(block: re.Match[str]) -> str:
        name, *words = block[2].split()
        if name not in FINDINGS:
            raise ValueError(f"there is no finding {name}; allowed: {', '.join(FINDINGS)}")
        finding = FINDINGS[name]
        _, *wanted = inspect.signature(finding).parameters
        if len(words) != len(wanted):
            raise ValueError(f"the finding {block[2]} has {len(words)} words after its name; it takes {wanted}")
        try:
            return f"{block[1]}{finding(tables, *words)}\n{block[4]}"
        except ValueError as error:
            raise ValueError(f"the finding {block[2]}: {error}") from None

    filled, blocks = _BLOCK.subn(write, page)
    if blocks != page.count(_BEGIN):
        raise ValueError(f"{page.count(_BEGIN) - blocks} findings of the page have no line `<!-- end -->` of their own")
    return filled


def _reader(folder: Path) -> Tables:
    found: dict[str, pd.DataFrame] = {}

    def table(name: str) -> pd.DataFrame:
        if name not in found:
            found[name] = read(folder / f"{name}.parquet")
        return found[name]

    return table


# --- Findings -------------------------------------------------------------------------------------------------------


def state(tables: Tables) -> str:
    """How many trials of each study are there."""
    counts = tables("completeness").groupby("study", sort=False)[["planned", "present"]].sum()
    return _table(
        ["study", "trials planned", "there"], [[study, *map(str, row)] for study, *row in counts.itertuples()]
    )


def near(tables: Tables, study: str) -> str:
    """How many optima each solver comes near, by its best and by its median run, zero optima apart."""
    lines = _of(tables("verdicts"), study=study, case="all", against=OPTIMUM)
    cells = _whole(tables, study)
    cells = cells[cells["proven"]]
    rows = []
    for solver in _solvers(cells):
        for optima in (ABOVE, ZERO):
            own = _of(lines, solver=solver, optima=optima)
            if own.empty:
                continue
            counts = [
                _counted(_of(own, statistic=statistic, tolerance=tolerance).iloc[0], "similar")
                for statistic in ("best", "median")
                for tolerance in (CLOSE, SIMILAR)
            ]
            mine = cells[(is_zero(cells) == (optima == ZERO)) & (cells["solver"] == solver)]
            rows.append([f"`{solver}`", optima, str(own["cells"].iloc[0]), *counts, str((mine["solved"] == 0).sum())])
    return _table(
        ["solver", "optima", "proven", "best ≤ 0.1 %", "best ≤ 1 %", "median ≤ 0.1 %", "median ≤ 1 %", "no point"], rows
    )


def verdicts(tables: Tables, study: str) -> str:
    """Better, similar or worse by 1 % than the solver that the paper compares with, by the best and the median run."""
    lines = _of(tables("verdicts"), study=study, case="all", against=REFERENCE, tolerance=SIMILAR)
    rows = [
        [
            f"`{line['solver']}`",
            line["statistic"],
            line["optima"],
            str(line["cells"]),
            *(_counted(line, word) for word in MEASURED),
            str(line["neither"]),
        ]
        for line in lines[lines["solver"].isin(_whole(tables, study)["solver"])].to_dict("records")
        if line["cells"] and line["optima"] != ZERO
    ]
    return _table(["solver", "run", "optima", "instances", *MEASURED, "neither has a point"], rows)


def regret(tables: Tables, study: str, by: str) -> str:
    """The middle distance of a solver's median run to the optimum, by test case or conditioning, zero optima aside."""
    return _by(_above(tables, study), by, lambda of: _percent(_middle(of["normalised_optimum_median"] - 1)))


def points(tables: Tables, study: str, by: str) -> str:
    """The share of a solver's runs that have a verified point, by test case or conditioning."""
    return _by(_whole(tables, study), by, lambda of: _percent(of["solved"].sum() / of["made"].sum(), 0))


def integers_right(tables: Tables, study: str, by: str) -> str:
    """The middle share of a solver's best run's integers that are those of an optimum, zero optima aside."""
    return _by(_above(tables, study), by, lambda of: _percent(1 - _middle(of["delta_z_proven"]), 0))


def endings(tables: Tables, study: str) -> str:
    """How the runs of a study ended."""
    runs = _of(tables("runs"), study=study)
    runs = runs[is_made(runs["status"])]
    rows = []
    for solver in _solvers(runs):
        own = _of(runs, solver=solver)
        counts = (
            len(own),
            own["ending"].isin(PROOFS).sum(),
            (own["status"] == "refuted").sum(),
            own["solved"].sum(),
            (~own["solved"]).sum(),
        )
        seconds = own["cpu_seconds"]
        rows.append([f"`{solver}`", *map(str, counts), f"{seconds.median():.2f}", _hours(seconds)])
    head = [
        "solver",
        "runs",
        "claimed a proof",
        "of it refuted",
        "a verified point",
        "none",
        "CPU s, median",
        "CPU hours",
    ]
    return _table(head, rows)


def proofs(tables: Tables) -> str:
    """How many optima are proven, by slice of the suite, and how near the bounds of the others are."""
    cells = tables("cells").drop_duplicates("instance")[["instance", "slice", "proof_cpu_seconds"]]
    known = tables("best_known").merge(cells, on="instance")
    rows = []
    for name, of in known.groupby("slice", sort=False):
        is_open = of[~of["status"].eq("proven")]
        # Where the centre of f is the proof, none was run for it.
        seconds = of.loc[of["proof_cpu_seconds"] > 0, "proof_cpu_seconds"]
        rows.append(
            [
                str(name),
                str(len(of)),
                str(len(of) - len(is_open)),
                str(int(of["zero_optimum"].sum())),
                ""
                if is_open.empty
                else f"{len(is_open)}, gaps {_percent(is_open['gap'].min())} to {_percent(is_open['gap'].max())}",
                "" if seconds.empty else f"{_seconds(seconds.median())} / {_seconds(seconds.max())}",
            ]
        )
    return _table(
        ["slice", "instances", "proven", "of them zero", "open", "CPU s of a proving run, median / most"], rows
    )


def pairs(tables: Tables, study: str, measure: str, solver: str, other: str) -> str:
    """Two strategies against each other over the instances of a study, by test case."""
    tests = tables("strategy_tests")
    if missing := {solver, other} - set(_whole(tables, study)["solver"]):
        raise ValueError(f"not all runs of {' and '.join(sorted(missing))} in the study {study} are there")
    own = _of(tests, study=study, measure=measure, solver=solver, other=other)
    sign = 1
    if own.empty:
        own, sign = _of(tests, study=study, measure=measure, solver=other, other=solver), -1
    rows = []
    for line in own[own["instances"] > 0].to_dict("records"):
        wins = [line["better"], line["equal"], line["worse"]][::sign]
        single = [line["instances_better"], line["instances_worse"]][::sign]
        rows.append(
            [
                line["case"],
                line["optima"],
                " / ".join(map(str, wins)),
                f"{sign * line['effect'] + 0.0:+.2f}",  # no -0.00
                _p(line["p_holm"]),
                " / ".join(map(str, single)),
            ]
        )
    head = [
        "test case",
        "optima",
        f"`{solver}` lower / equal / higher",
        "rank-biserial",
        "p, Holm",
        "singly significant",
    ]
    return _table(head, rows)


def translated(tables: Tables, t: str) -> str:
    """How solvers fare under a translation, against themselves untranslated."""
    lines = _of(tables("translation_counts"), t=float(t))
    # Left out: solvers that were not run untranslated, or on fewer instances than others.
    lines = lines[lines["cells"] == lines.groupby("optima")["cells"].transform("max")]
    rows = [
        [
            f"`{line['solver']}`",
            line["optima"],
            str(line["cells"]),
            *(_counted(line, word) for word in ("same", "better", "worse")),
            str(line["neither"]),
        ]
        for line in lines[lines["cells"] > 0].to_dict("records")
    ]
    return _table(["solver", "optima", "instances", "same", "better", "worse", "neither has a point"], rows)


def invariance(tables: Tables) -> str:
    """What a translation and a starting radius change: points, integers, regret, f against the same untranslated."""
    lines = tables("invariance")
    rows = [
        [
            f"`{line['solver']}`",
            _number(line["radius"]),
            f"{line['t']:,g}",
            f"{line['solved']} of {line['made']}",
            _percent(line["integers_share"], 0),
            _percent(line["regret_median"]),
            f"{line['lower']} / {line['alike']} / {line['higher']}" if line["t"] else "",
            _p(line["p_holm"]) if line["t"] else "",
        ]
        for line in lines[lines["made"] == lines["planned"]].to_dict("records")
    ]
    head = ["solver", "starting radius", "t", "runs with a point", "with the optimum's integers", "regret, median"]
    return _table([*head, "f lower / alike / higher than at t = 0", "p, Holm"], rows)


def vectors(tables: Tables) -> str:
    """How many integer vectors come within 0.1 % of an optimum, and how far apart they are."""
    rows = [
        [
            f"c = {line['c']:g}, E = {line['E']:g}",
            line["status"],
            _number(line["optimum"], 6),
            *(_number(line[name]) for name in ("vectors", "optimal", "local_optima_single", "local_optima")),
            *(_number(line[name]) for name in ("l1_median", "l1_largest", "optimum_l1_median")),
            *(_number(line[name]) for name in ("pieces_single", "pieces", "joined_by", "found")),
        ]
        for line in tables("multimodality_near").to_dict("records")
    ]
    head = ["instance", "status", "optimum", "vectors", "optimal", "local optima, ±1 of one", "of one or two"]
    head += ["L1 between two, median", "largest", "L1 to the optimum, median"]
    return _table([*head, "pieces by L1 steps of 1", "of up to 2", "one by steps of", "found by strategies"], rows)


def found(tables: Tables) -> str:
    """What the runs of the multimodality study found of them."""
    runs, near_ones = tables("multimodality"), tables("multimodality_found")
    columns = ["study", "instance", "solver"]
    lines = runs.merge(near_ones[[*columns, "found", "best_rank", "optimum_found"]], on=columns, how="left")
    rows = [
        [
            f"c = {line['c']:g}, E = {line['E']:g}",
            f"`{line['solver']}`",
            f"{line['solved']} of {line['runs']}",
            _number(line["best_f"], 4),
            _number(line["median_f"], 4),
            _percent(line["within_share"], 0),
            _percent(line["unique_share"], 0),
            _number(line["found"]),
            _number(line["best_rank"]),
        ]
        for line in lines.to_dict("records")
    ]
    head = ["instance", "solver", "runs with a point", "best f", "median f", "within 0.1 %", "unique", "vectors found"]
    return _table([*head, "rank of the best"], rows)


def ports(tables: Tables) -> str:
    """A compiled strategy against the package's."""
    rows = []
    for (solver, reference, measure), of in tables("ports").groupby(["solver", "reference", "measure"], sort=False):
        ratios = of["median"] / of["reference_median"]
        rows.append(
            [
                f"`{solver}` : `{reference}`",
                str(measure),
                f"{len(of)} × {of['n'].max()}",
                f"{ratios.median():.4f}",
                f"{_p(of['p'].min())}, {_p(of['p_holm'].min())}",
                str(int(of["significant"].sum())),
                f"{of['times_faster'].median():.0f}",
            ]
        )
    head = [
        "who",
        "measure",
        "instances × seeds",
        "median ratio of medians",
        "least p, with Holm",
        "significant",
        "times faster",
    ]
    return _table(head, rows)


def costs(tables: Tables) -> str:
    """What it cost: CPU hours of the solvers, trials that studies share counted once."""
    runs = tables("runs").drop_duplicates(TRIAL)
    runs = runs[runs["cpu_seconds"].notna()]
    studies = list(dict.fromkeys(runs["study"]))
    rows = []
    for solver in [*_solvers(runs), None]:
        own = runs if solver is None else _of(runs, solver=solver)
        hours = [_hours(_of(own, study=study)["cpu_seconds"]) for study in studies]
        rows.append(["all" if solver is None else f"`{solver}`", str(len(own)), *hours, _hours(own["cpu_seconds"])])
    return _table(["solver", "trials", *studies, "CPU hours"], rows)


FINDINGS: dict[str, Finding] = {
    finding.__name__: finding
    for finding in (
        state,
        near,
        verdicts,
        regret,
        points,
        integers_right,
        endings,
        proofs,
        pairs,
        translated,
        invariance,
        vectors,
        found,
        ports,
        costs,
    )
}


# --- How they are written -------------------------------------------------------------------------------------------


def _by(cells: pd.DataFrame, by: str, tell: Callable[[pd.DataFrame], str]) -> str:
    """Return a table with a row for each test case or conditioning, and a column for each solver."""
    if by not in LEVELS:
        raise ValueError(f"there are no rows by {by}; allowed: {', '.join(LEVELS)}")
    if cells.empty:
        raise ValueError("the tables have no line for it")
    solvers = _solvers(cells)
    rows = []
    for level in [*sorted(cells[by].unique()), None]:
        of = cells if level is None else _of(cells, **{by: level})
        name = "all" if level is None else style.number(level) if isinstance(level, float) else str(level)
        rows.append([name, str(of["instance"].nunique()), *(tell(_of(of, solver=solver)) for solver in solvers)])
    return _table([LEVELS[by], "instances", *(f"`{solver}`" for solver in solvers)], rows)


def _above(tables: Tables, study: str) -> pd.DataFrame:
    """Return those whose optimum is proven and above zero."""
    cells = _whole(tables, study)
    return cells[cells["proven"] & ~is_zero(cells)]


def _whole(tables: Tables, study: str) -> pd.DataFrame:
    """Return the cells of a study of one slice, without solvers of which a run is missing."""
    cells = _of(tables("cells"), study=study)
    captions.only(cells, "slice")
    return cells[(cells["made"] == cells["planned"]).groupby(cells["solver"]).transform("all")]


def _middle(values: pd.Series) -> float:
    """Return the median; what has no value stands above every one."""
    return float(np.median(values.astype(float).fillna(np.inf))) if len(values) else np.nan


def _of(table: pd.DataFrame, **wanted: object) -> pd.DataFrame:
    for column, value in wanted.items():
        table = table[table[column] == value]
    return table


def _solvers(table: pd.DataFrame) -> list[str]:
    return list(dict.fromkeys(table["solver"]))


def _counted(line: Mapping[str, Any], word: str) -> str:
    """Return a count of a line, with its interval over seeds; a solver that runs once has none."""
    return captions.bracketed(line, word) if line["interval"] == SEEDS else str(line[word])


def _percent(share: float, digits: int | None = None) -> str:
    if pd.isna(share) or np.isinf(share):
        return "–"
    if digits is not None:
        return f"{100 * share:.{digits}f} %"
    if abs(share) < 1e-6:
        return "0 %" if abs(share) < 5e-10 else "< 0.0001 %"
    return f"{100 * share:.2g} %" if abs(share) < 0.0995 else f"{100 * share:,.0f} %"


def _number(value: float, digits: int = 0) -> str:
    return "–" if pd.isna(value) else f"{value:,.{digits}f}"


def _p(value: float) -> str:
    return "–" if pd.isna(value) else "< 0.001" if value < 0.001 else f"{value:.2g}"


def _seconds(value: float) -> str:
    return f"{value:.2g}" if value < 10 else f"{value:,.0f}"


def _hours(seconds: pd.Series) -> str:
    return f"{seconds.sum() / 3600:.2f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = list(_lines(head, rows))
    if len(lines) == 2:
        raise ValueError("the tables have no line for it")
    return "\n".join(lines)


def _lines(head: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(head)} |"
    yield f"|{'---|' * len(head)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"
