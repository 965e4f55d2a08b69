"""Solvers with faults, one id for each; the tests put this file among a copy's solvers."""

import os
import signal
import time
from pathlib import Path
from typing import Literal

import numpy as np
from pydantic import Field

from unbounded.solvers.contract import Budget, Ending, Options, Strategy


class FaultyOptions(Options):
    fault: Literal["", "hang", "crash", "exit", "hog", "kill", "disk"] = Field("", description="What goes wrong")
    seconds: float = Field(0.0, ge=0, description="Time that it sleeps first, which costs no CPU")
    gate: str = Field("", description="Folder in which it first waits for a file `open`, or a file `token` to take")


def wait_at(gate):
    while not (gate / "open").exists():
        try:
            (gate / "token").unlink()
        except FileNotFoundError:
            time.sleep(0.05)
        else:
            return


def misbehave(fault):
    if fault == "hang":
        while True:
            pass
    elif fault == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif fault == "exit":
        os._exit(7)
    elif fault == "hog":
        hoard = []
        while True:
            hoard.append(np.ones(1_000_000))
    elif fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    elif fault == "disk":
        with open("/dev/full", "w") as file:
            file.write("a")


class Faulty(Strategy[FaultyOptions]):
    """Random points, and a fault."""

    summary = "Random points, and a fault"
    variants = {
        "steady": {"seconds": 1.0},
        **{fault: {"fault": fault} for fault in ("hang", "crash", "exit", "hog", "kill", "disk")},
    }
    options = FaultyOptions
    budgets = ("evaluations",)
    packages = ("numpy",)

    def default_budget(self, D: int) -> Budget:
        return Budget(kind="evaluations", amount=20)

    def seconds_of_a_unit(self, D: int) -> float:
        return 0.05

    def solve(self, instance, budget, seed, options, report):
        """Evaluate random points around the centre of the constraint; half-way, sleep and do what is asked for."""
        rng = np.random.default_rng(seed)
        while report.remaining > 0:
            X = instance.round(instance.xi1 + rng.normal(0, 0.3, (1, instance.D)))
            report.population(X, *instance.evaluate(X))
            if report.evaluations == budget.amount // 2:
                time.sleep(options.seconds)
                if options.gate:
                    wait_at(Path(options.gate))
                misbehave(options.fault)
        return Ending("budget", f"{budget} spent", report.feasible_best)


SOLVER = Faulty()
