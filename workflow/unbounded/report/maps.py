"""Maps: what the heat-maps show, for every slice, solver, statistic and reference, as numbers, states and colours.

The same values, states, scales and marks as the static figures (`unbounded.figures.maps`); the page only switches
between them. What values are compared with: the study's reference (`reference`), the proven optimum (`optimum`) where a
slice has any, the best known value of the instance (`known`), and a bound below its optimum (`bound`) where the
campaign has the table `best_known`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.colors import to_hex

from unbounded.figures import captions, style
from unbounded.figures.parts import scales
from unbounded.report.columns import counts_text, plain
from unbounded.report.known import Known
from unbounded.tables.measures import ATOL, is_made, normalise

KEY = ["study", "instance", "solver"]
#: What makes a translated and an untranslated instance a pair.
PAIR = ["kind", "D", "case", "c", "E", "hessian"]


@dataclass(frozen=True)
class Layer:
    """One map of one solver: a value and a state for each instance of a slice."""

    solver: str
    #: Such as `best`, `translated:1e4`; see `_statistics`.
    statistic: str
    reference: str
    values: pd.Series
    states: pd.Series
    zones: scales.Zones | None

    def data(self) -> dict[str, Any]:
        """Return values, states, colours and zones, in the order of the slice's instances."""
        shown = self.values.where(self.states == "value")
        return {
            "solver": self.solver,
            "statistic": self.statistic,
            "reference": self.reference,
            "values": plain(shown),
            "states": self.states.tolist(),
            "colours": [_colour(value, self.zones) for value in shown],
            "zones": [_zone(value, self.zones) for value in shown],
        }


def _colour(value: float, zones: scales.Zones | None) -> str | None:
    if np.isnan(value):
        return None
    return str(to_hex(zones.colour(float(value)) if zones is not None else scales.DELTA_Z(float(value))))


def _zone(value: float, zones: scales.Zones | None) -> str | None:
    if zones is None or np.isnan(value):
        return None
    zone = zones.zone(float(value))
    return "better" if zone == "below" else zone


def slices(tables: Mapping[str, pd.DataFrame], known: Known, labels: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return every slice of every study that has a test case but the sphere, with all its maps."""
    runs = tables["runs"]
    cells = captions.all_cases(tables["cells"]).set_index(KEY, drop=False)
    runs = runs.assign(made=is_made(runs["status"]))
    cells["made"] = runs.groupby(KEY)["made"].any()
    cells["statuses"] = runs.groupby(KEY, sort=False)["status"].agg(lambda s: counts_text(s.value_counts().to_dict()))
    cells["bound"] = cells["instance"].map(known.bounds).astype("float64")
    cells["known_f"] = cells["instance"].map(known.values).astype("float64")
    cells = cells.reset_index(drop=True)
    found = []
    for (study, name), part in cells.groupby(["study", "slice"], sort=False):
        found.append(_slice(str(study), str(name), part, cells, tables["translation"], known, labels))
    return found


def _slice(
    study: str,
    name: str,
    cells: pd.DataFrame,
    all_cells: pd.DataFrame,
    translation: pd.DataFrame,
    known: Known,
    labels: Mapping[str, str],
) -> dict[str, Any]:
    instances = cells.drop_duplicates("instance").set_index("instance")
    solvers = [*captions.strategies_of(cells), *cells.loc[cells["is_reference"], "solver"].unique()]
    c_levels, E_levels = sorted(instances["c"].unique()), sorted(instances["E"].unique())
    twins = _twins(cells, all_cells)
    layers = []
    for solver in solvers:
        own = cells[cells["solver"] == solver].set_index("instance").reindex(instances.index)
        layers += [layer.data() for layer in _layers(solver, own, twins, translation, known)]
    first = instances.iloc[0]
    return {
        "study": study,
        "slice": name,
        "label": f"{study}: {first['kind']}, D = {int(first['D'])}, t = {style.number(float(first['t']))}",
        "reference": captions.reference_of(cells, labels),
        "c": [style.number(float(c)) for c in c_levels],
        "E": [style.number(float(E)) for E in E_levels],
        "instances": instances.index.tolist(),
        "tc": instances["tc"].tolist(),
        "others": {case: style.case_name(case) for case in instances["tc"].unique() if isinstance(case, str)},
        "at_c": [c_levels.index(c) for c in instances["c"]],
        "at_E": [E_levels.index(E) for E in instances["E"]],
        "zero": instances["zero_optimum"].astype(bool).tolist(),
        "reference_f": plain(instances["reference_f"]),
        "optimum": plain(instances["optimum"]),
        "known_f": plain(instances["known_f"]),
        "bound": plain(instances["bound"]),
        "known_status": [known.status(instance) for instance in instances.index],
        "solvers": [_solver(solver, cells, instances.index, labels) for solver in solvers],
        "layers": layers,
    }


def _solver(solver: str, cells: pd.DataFrame, instances: pd.Index, labels: Mapping[str, str]) -> dict[str, Any]:
    """Return what is told of a solver's cells, whichever map is shown."""
    own = cells[cells["solver"] == solver].set_index("instance").reindex(instances)
    numbers = ("best_f", "median_f", "worst_f", "planned", "present", "solved")
    return {
        "id": solver,
        "label": captions.name(solver, labels),
        **{name: plain(own[name]) for name in numbers},
        "statuses": plain(own["statuses"]),
        "verdict_best": plain(own["verdict_best"]),
        "verdict_median": plain(own["verdict_median"]),
    }


def _twins(cells: pd.DataFrame, all_cells: pd.DataFrame) -> dict[float, pd.DataFrame]:
    """Return, for a slice without translation, the cells of the translated instances by t, under this slice's ids.

    Of several studies that have them, the one with more runs speaks.
    """
    if (cells["t"] != 0).any():
        return {}
    ids = cells.drop_duplicates("instance")[[*PAIR, "instance"]].rename(columns={"instance": "still"})
    moved = all_cells[all_cells["t"] != 0].merge(ids, on=PAIR)
    moved = moved.sort_values("planned", ascending=False, kind="stable").drop_duplicates(["t", "still", "solver"])
    return {float(t): part for t, part in moved.groupby("t")}


def _layers(
    solver: str, own: pd.DataFrame, twins: Mapping[float, pd.DataFrame], translation: pd.DataFrame, known: Known
) -> Iterator[Layer]:
    """Yield the maps of a solver: best, median, Δz; at each translation best and ratio."""
    for statistic in ("best", "median"):
        yield from _against(solver, statistic, own, own[f"{statistic}_f"], known)
    yield Layer(solver, "delta_z", "reference", own["delta_z_best"], _states(own, "reference_f"), None)
    if own["proven"].eq(True).any():
        state = _states(own, "optimum", own_alone=True)
        yield Layer(solver, "delta_z", "optimum", own["delta_z_proven"], state, None)
    yield Layer(solver, "delta_z", "known", own["delta_z_best_known"], _states(own, "best_known_f"), None)
    for t, moved in twins.items():
        twin = moved[moved["solver"] == solver].set_index("still").reindex(own.index)
        if twin["instance"].notna().any():
            yield from _against(solver, f"translated:{t:.17g}", twin, twin["best_f"], known)
    yield from _ratios(solver, own, translation)


def _against(solver: str, statistic: str, cells: pd.DataFrame, value: pd.Series, known: Known) -> Iterator[Layer]:
    """Yield the map of a value of f against every reference there is."""
    columns = {"reference": "reference_f", "optimum": "optimum", "known": "known_f", "bound": "bound"}
    there = {"optimum": cells["proven"].eq(True).any(), "bound": bool(known.bounds)}
    for reference, column in columns.items():
        if not there.get(reference, True):
            continue
        other = cells[column].astype("float64")
        if reference == "bound":
            # A bound of zero says nothing, unless the optimum is zero.
            other = other.where((other > ATOL) | cells["zero_optimum"].eq(True))
        ratio = pd.Series(normalise(value.astype("float64"), other), index=cells.index)
        state = _states(cells.assign(best_f=value, other=other), "other", own_alone=reference != "reference")
        zones = scales.OPTIMUM if reference == "optimum" else scales.OBJECTIVE
        yield Layer(solver, statistic, reference, ratio, state, zones)


def _states(cells: pd.DataFrame, other: str, own_alone: bool = False) -> pd.Series:
    """Return the states of cells; only against the study's reference must its runs have been made too."""
    found = _paired(cells["best_f"], cells[other])
    waiting = ~cells["made"].eq(True) if own_alone else cells["verdict_best"].isna()
    return found.mask(waiting, "waiting")


def _paired(own: pd.Series, other: pd.Series) -> pd.Series:
    """Return which of two values there are, in the words of the static figures."""
    kinds = [own.isna() & other.isna(), own.isna(), other.isna()]
    return pd.Series(np.select(kinds, ["neither", "failed", "unpaired"], default="value"), index=own.index)


def _ratios(solver: str, own: pd.DataFrame, translation: pd.DataFrame) -> Iterator[Layer]:
    """Yield translated against untranslated bests: for an untranslated slice at every t, for another at its own."""
    pairs = translation[translation["solver"] == solver]
    own_t = float(own["t"].dropna().iloc[0]) if own["t"].notna().any() else 0.0
    ids = own.reset_index()[[*PAIR, "instance"]]
    for t, part in pairs.groupby("t"):
        if own_t not in (0, t):
            continue
        lines = ids.merge(part, on=PAIR, how="left").set_index("instance").reindex(own.index)
        if lines["verdict"].isna().all():
            continue
        found = _paired(lines["translated_best_f"], lines["best_f"]).mask(lines["verdict"].isna(), "waiting")
        yield Layer(solver, f"ratio:{t:.17g}", "untranslated", lines["ratio"], found, scales.RATIO)


def statistics(found: list[dict[str, Any]]) -> list[dict[str, str]]:
    """Return the statistics that occur, with their names for people."""
    ids = dict.fromkeys(layer["statistic"] for part in found for layer in part["layers"])
    return [{"id": id, "label": _statistic_label(id)} for id in ids]


def _statistic_label(id: str) -> str:
    name, _, t = id.partition(":")
    label = {
        "best": "Best",
        "median": "Median",
        "delta_z": "Δz of the best",
        "translated": "Translated best",
        "ratio": "Translated / untranslated",
    }[name]
    return f"{label}, t = {style.number(float(t))}" if t else label


def keys() -> dict[str, Any]:
    """Return the scales as the page draws them below the maps: zones with their words and colours."""
    zones = {"objective": scales.OBJECTIVE, "optimum": scales.OPTIMUM, "ratio": scales.RATIO}
    return {**{name: _key(scale) for name, scale in zones.items()}, "delta_z": _delta_z_key()}


def _key(zones: scales.Zones) -> list[dict[str, str]]:
    low, high = 1 - zones.tolerance, 1 + zones.tolerance
    steps = [value for value in zones.ticks if value <= zones.high]
    better = [("better", f"below {zones.low:g}", 0.0), ("better", f"{zones.low:g} to {low:g}", zones.low)]
    parts = [*better, (zones.similar_word, f"{low:g} to {high:g}", high)]
    if zones.optimal is not None:
        as_good = 1 + zones.optimal
        parts = [("optimal", f"up to {as_good:g}", 1.0), (zones.similar_word, f"{as_good:g} to {high:g}", high)]
    edges = [high, *steps]
    parts += [("worse", f"{a:g} to {b:g}", (a + b) / 2) for a, b in pairwise(edges)]
    parts.append(("worse", f"above {zones.high:g}", np.inf))
    return [{"word": word, "range": text, "colour": str(to_hex(zones.colour(value)))} for word, text, value in parts]


def _delta_z_key() -> list[dict[str, str]]:
    words = {0.0: "same integers", 1.0: "all differ"}
    return [
        {"word": words.get(value, ""), "range": f"{value:g}", "colour": str(to_hex(scales.DELTA_Z(value)))}
        for value in (0.0, 0.25, 0.5, 0.75, 1.0)
    ]
