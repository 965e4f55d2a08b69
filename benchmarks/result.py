"""One line of a benchmark: what was measured, beside the same measure of a named peer in the same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

HEADER = "| what | ours | peer | peer's | ratio | aim |\n|---|---|---|---|---|---|"


@dataclass(frozen=True)
class Result:
    """A measurement. The ratio is ours to the peer's."""

    what: str
    ours: float
    peer: str
    peers: float
    unit: str
    #: The aim, in words.
    aim: str

    def __str__(self) -> str:
        def number(value: float) -> str:
            return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"

        return (
            f"| {self.what} | {number(self.ours)} {self.unit} | {self.peer} | {number(self.peers)} {self.unit} "
            f"| {self.ours / self.peers:.2f} | {self.aim} |"
        )


def show(results: Iterable[Result]) -> None:
    """Print the table, line by line as the results come."""
    print(HEADER, flush=True)
    for result in results:
        print(result, flush=True)
