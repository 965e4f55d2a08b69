"""Formulations: shares of instances verified, solved and proven by formulation, translated and not side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from unbounded.figures import captions, style
from unbounded.figures.captions import Budgets, Labels
from unbounded.figures.contract import Description, Figure

if TYPE_CHECKING:
    from unbounded.figures.planned import Planned

#: Nested shares, the wider first: one hue that darkens, so the order is seen without colours too.
SHARES = {"verified": "#CDE5F5", "solved": "#6BAED6", "proven": "#08519C"}
WRONG = ("#D55E00", "////")
#: Inches of a bar with its gap, and of a panel's frame.
BAR, FRAME = 0.19, 0.42
_COUNTS = ["planned", "made", *SHARES, "wrong"]


def planned(plan: Planned) -> Iterator[tuple[str, Description]]:
    """Every kind and dimension of a study of formulations; its translations are in one picture."""
    for study in plan.studies("formulation"):
        yield from study.of_dimensions()


def draw(table: Any, *, paths: Sequence[Path], labels: Labels | None = None) -> None:
    """Draw one kind and dimension of a study of the table `formulations`."""
    from matplotlib.patches import Patch

    for single in ("study", "kind", "D"):
        captions.only(table, single)
    translations = sorted(table["t"].unique())
    bases = table["base"].unique().tolist()
    bars = {base: _names(table[table["base"] == base]) for base in bases}
    heights = [FRAME + BAR * len(names) for names in bars.values()]
    fig, axes, footer = style.figure_with_footer(
        len(bases),
        len(translations),
        (style.WIDTH, sum(heights) + 0.35),
        0.35,
        gridspec_kw={"height_ratios": heights},
        sharex=True,
    )
    for row, base in enumerate(bases):
        for column, t in enumerate(translations):
            ax = axes[row, column]
            lines = table[(table["base"] == base) & (table["t"] == t)]
            _panel(ax, lines, bars[base], leftmost=column == 0)
            if row == 0:
                ax.set_title("untranslated" if t == 0 else f"translated, t = {style.number(t)}", fontsize=8)
        # Above the names of the bars, at the left edge of the page.
        place: Any = {"xycoords": ("figure fraction", "axes fraction"), "textcoords": "offset points"}
        axes[row, 0].annotate(captions.name(base, labels), (0, 1), (4, 3), fontsize=8, fontweight="bold", **place)
    handles = [Patch(facecolor=colour, edgecolor="0.25", linewidth=0.4) for colour in SHARES.values()]
    handles.append(Patch(facecolor=WRONG[0], hatch=WRONG[1], edgecolor="white", linewidth=0.4))
    names = [*SHARES, "wrong claim (thin)"]
    footer.legend(handles, names, fontsize=style.SMALL, frameon=False, handlelength=1.5, loc="center", ncols=4)
    style.save(fig, paths)


def caption(table: Any, *, labels: Labels | None = None, budgets: Budgets | None = None) -> str:
    """Say what `draw` shows and stands on."""
    kind, D = captions.KINDS[captions.only(table, "kind")], int(captions.only(table, "D"))
    c = captions.listing([style.number(value) for value in sorted(table["c"].unique())])
    made, planned, wrong = (int(table[column].sum()) for column in ("made", "planned", "wrong"))
    # Reformulations of a solver share its budget, so that the solver stands for all of them.
    granted = {id.partition("+")[0]: budget for id, budget in (budgets or {}).items()}
    return captions.sentences(
        f"White-box solvers by formulation, {kind}, D = {D}, c = {c}: shares of the instances with a point that our "
        "own evaluation finds feasible (verified), that is also within 0.1 % of the best known (solved), and whose gap "
        "is closed by a bound that no verified point contradicts (proven).",
        f"Thin bars: claims that verification refutes, {captions.count(wrong, 'run')} in all.",
        captions.budgets_text(granted, table["base"].unique().tolist(), labels),
        f"Stands on {made:,} of {captions.count(planned, 'planned run')}; at the right of a bar, runs made.",
    )


def _names(lines: Any) -> list[str]:
    """Return the formulations of a solver as texts, in the order of the campaign."""
    return list(dict.fromkeys(_name(line) for line in lines.itertuples()))


def _name(line: Any) -> str:
    if not isinstance(line.algebra, str):
        return "its own" if line.made else "not run"
    return " + ".join([line.algebra, *(name for name in ("centre", "box") if getattr(line, name) != "none")])


def _panel(ax: Any, lines: Any, names: Sequence[str], leftmost: bool) -> None:
    """Draw a solver's bars on one translation; the values of c are taken together."""
    counts = lines.assign(name=[_name(line) for line in lines.itertuples()]).groupby("name")[_COUNTS].sum()
    for place, name in enumerate(names):
        if name not in counts.index:
            continue
        line = counts.loc[name]
        made = int(line["made"])
        look: dict[str, Any] = {"edgecolor": "0.25", "linewidth": 0.4}
        for share, colour in SHARES.items():
            ax.barh(place - 0.1, line[share] / max(made, 1), height=0.56, color=colour, **look)
        if line["wrong"]:
            ax.barh(
                place + 0.32,
                line["wrong"] / max(made, 1),
                height=0.24,
                color=WRONG[0],
                hatch=WRONG[1],
                edgecolor="white",
            )
        text = f"{made}" if made == line["planned"] else f"{made} of {int(line['planned'])}"
        ax.text(1.02, place, text, va="center", fontsize=style.SMALL, color="0.3")
    ax.set(xlim=(0, 1), ylim=(len(names) - 0.4, -0.6))
    ax.set_yticks(range(len(names)), names if leftmost else [""] * len(names), fontsize=style.SMALL)
    ax.set_xticks([0, 0.5, 1], ["0", "50 %", "100 %"], fontsize=style.SMALL)
    ax.tick_params(axis="y", length=0)
    ax.spines[["top", "right"]].set_visible(False)


FIGURE = Figure(
    name="formulations",
    title="Shares of instances verified, solved and proven, by formulation",
    tables=("formulations",),
    planned=planned,
    draw=draw,
    caption=caption,
)
