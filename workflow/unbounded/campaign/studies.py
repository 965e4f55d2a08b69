"""Studies: those that run solvers on instances, those that draw instances, those that read the trials of others."""

from __future__ import annotations

import glob
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import Field, PrivateAttr, model_validator

from unbounded.campaign.settings import PenaltySettings, SolverSettings
from unbounded.campaign.types import Dimension, Files, Level, Name, NonEmpty, Positive, Seeds, TestCase, Translation
from unbounded.instances import files as problem_files
from unbounded.instances.spec import Case, InstanceSpec, Kind, Reading, has_block
from unbounded.solvers.contract import Strict

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

    def lies_in(self, folder: Path) -> None:
        """Say where the campaign's file lies, which names files as seen from there."""
        if self.files:
            self._folder = folder

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
STUDY_TYPES: tuple[str, ...] = tuple(
    type for model in (RunStudy, LandscapeStudy, ReadStudy) for type in get_args(model.model_fields["type"].annotation)
)
