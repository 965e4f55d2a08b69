"""Supervises a trial: its solver runs in a child process, so a hang, a crash or a memory hog costs that trial alone.

The child is forked before any solver's library is loaded: no thread pool, licence or environment of CPLEX, BLAS or
numba crosses the fork, and a library that crashes while it is loaded is caught as well. The parent waits for the
answer, for the watchdog's time, for the memory cap, and for the death of Snakemake; whatever comes first ends it.

Memory is what is resident, looked at ten times a second, rather than a limit on address space or data: solvers
reserve much more than they touch (stacks of threads, arenas, compiled code), and would fail within such limits.
"""

from __future__ import annotations

import ctypes
import errno
import faulthandler
import os
import pickle
import resource
import select
import signal
import struct
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Generic, Literal, NoReturn, TypeVar

from unbounded.running.environment import observed

T = TypeVar("T")

#: Ends that the child did not survive to speak of.
Fault = Literal["overrun", "crashed", "out-of-memory"]

#: Signals that people and batch systems send. Such an end says nothing about the solver, so it makes no row.
OUTSIDE = (signal.SIGTERM, signal.SIGKILL, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
#: Errors of a full disk: no failure of the solver either.
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
#: Seconds between two looks at the child's memory.
INTERVAL = 0.1
#: Seconds that a child has to end after its last word.
GRACE = 5.0
#: The child writes where it is into the log on this signal.
WHERE_ARE_YOU = signal.SIGUSR1
GONE = "the Snakemake that started this trial is gone, and so is the trial"
LEFT = "the command that waited for this trial is gone, and so is the trial"
_LENGTH = struct.Struct("!Q")
#: What a child says: its answer, or a fault and a text about it.
_Word = tuple[Any, Fault | None, str]
_PR_SET_PDEATHSIG = 1


class BrokenEnvironmentError(OSError):
    """What a solver needs of this machine is not there: that says nothing about the solver, so it makes no row."""


def address_space() -> str | None:
    """Say how far this process's address space is limited, None if it is not: solvers reserve more than they touch."""
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return (
        None if soft == resource.RLIM_INFINITY else f"the address space is limited to {soft / 1e6:.0f} MB (ulimit -v)"
    )


@dataclass(frozen=True)
class Limits:
    """What ends a trial from outside."""

    #: Wall-clock seconds of the watchdog, above the solver's own limit.
    seconds: float = float("inf")
    #: Resident memory, in MB of a million bytes as Snakemake's.
    mem_mb: float = float("inf")
    #: Identity of the process whose death ends the trial: the Snakemake that asked for it.
    launcher: str | None = None
    #: Descriptor that hangs up when the command that waits for the trial is gone, where that is another process.
    client: int | None = None


def default_watchdog(seconds: float, kind: str) -> float:
    """Return the watchdog's seconds for a solver's estimate.

    Time limits are kept by the solver; an estimate from evaluations or ticks may be off, hence the larger factor.
    """
    return 300.0 + (1.2 if kind == "seconds" else 4.0) * seconds


@dataclass(frozen=True)
class Ended(Generic[T]):
    """How the child ended: with an answer, or by a fault that `text` describes."""

    answer: T | None
    fault: Fault | None
    text: str
    max_rss_mb: float
    #: All that the child spent, loading of libraries included.
    cpu_seconds: float


def supervise(work: Callable[[IO[str] | None], T], limits: Limits, log: Path | None = None) -> Ended[T]:
    """Run `work` in a child process, with the log opened for it; return its answer, or the fault that it died of.

    Raises ChildProcessError where it was stopped from outside, OSError where the disk is full or the environment is
    broken: then there is nothing to be said of the solver, and the trial has to be run again.
    """
    child = None
    # While a process is forked Python runs hooks of libraries, and drops what is raised in them: a Ctrl-C has to wait.
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        try:
            with _opened(log) as stream:
                child = _Child(work, stream, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        word = child.watch(limits)
        status = child.reap(GRACE)
    except BaseException:
        if child is not None:
            child.kill()
        raise
    if word is not None and isinstance(word[0], OSError):
        raise word[0]
    answer, fault, text = word if word is not None else (None, *child.explain(status))
    if fault is not None and log is not None:
        with suppress(OSError), log.open("a", encoding="utf-8") as stream:
            print(f"{fault}: {text}", file=stream)
        text = f"{text}; see {log}"
    # Linux counts kilobytes, macOS bytes.
    peak = child.usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024) / 1e6
    return Ended(answer, fault, text, round(peak, 3), child.usage.ru_utime + child.usage.ru_stime)


@contextmanager
def _opened(log: Path | None) -> Iterator[IO[str] | None]:
    if log is None:
        yield None
        return
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("w", encoding="utf-8") as stream:
        yield stream


class _Child:
    """The process that works, seen from the one that waits."""

    def __init__(self, work: Callable[[IO[str] | None], Any], log: IO[str] | None, mask: set[Any]) -> None:
        """Fork; `mask` holds the signals that the child is not to hear."""
        self.usage: Any = None
        self._status = 0
        self._oom_kills = _oom_kills()
        self._reader, writer = os.pipe()
        parent, libc = os.getpid(), ctypes.CDLL(None)
        # What is still in the buffers would be written twice.
        sys.stdout.flush()
        sys.stderr.flush()
        with warnings.catch_warnings():
            # Python warns of threads, which BLAS may have from the start; it knows how to be forked.
            warnings.simplefilter("ignore", DeprecationWarning)
            self.pid = os.fork()
        if self.pid == 0:
            os.close(self._reader)
            _work(work, log, mask, writer, parent, libc)
        os.close(writer)
        with suppress(OSError):  # it does so itself: whoever comes first
            os.setpgid(self.pid, self.pid)

    def watch(self, limits: Limits) -> _Word | None:
        """Return the child's word, or what it was stopped for; None if it is gone without a word."""
        deadline = time.monotonic() + limits.seconds
        poller = select.poll()
        poller.register(self._reader, select.POLLIN)
        received = bytearray()
        launcher = None
        try:
            try:
                launcher = observed(limits.launcher)
            except ProcessLookupError:
                raise ChildProcessError(GONE) from None
            if launcher is not None:
                poller.register(launcher, select.POLLIN)
            if limits.client is not None:
                # That it has nothing more to say is no hang-up.
                poller.register(limits.client, 0)
            while True:
                left = deadline - time.monotonic()
                ready = [fd for fd, _ in poller.poll(1000 * max(0.0, min(INTERVAL, left)))]
                if self._reader in ready:
                    chunk = os.read(self._reader, 1 << 20)
                    if not chunk:
                        return None
                    received += chunk
                    if len(received) >= _LENGTH.size + _LENGTH.unpack_from(received.ljust(_LENGTH.size, b"\xff"))[0]:
                        word: _Word = pickle.loads(received[_LENGTH.size :])
                        return word
                elif launcher in ready:
                    raise ChildProcessError(GONE)
                elif limits.client in ready:
                    raise ChildProcessError(LEFT)
                elif self._ended():
                    return None
                elif left <= 0:
                    # Where it hangs goes into the log.
                    os.kill(self.pid, WHERE_ARE_YOU)
                    time.sleep(INTERVAL)
                    self.kill()
                    return None, "overrun", f"stopped by the watchdog after {limits.seconds:g} s"
                elif _resident_mb(self.pid) > limits.mem_mb:
                    self.kill()
                    return None, "out-of-memory", f"took more than its {limits.mem_mb:g} MB (mem_mb)"
        finally:
            os.close(self._reader)
            if launcher is not None:
                os.close(launcher)

    def kill(self) -> None:
        """End the child and what it started."""
        self.reap(grace=0.0)

    def reap(self, grace: float) -> int:
        """Return the child's exit status; after these seconds it is killed, and what it started is in any case."""
        if self.usage is None:
            until = time.monotonic() + grace
            while not self._ended() and time.monotonic() < until:
                time.sleep(0.001)
            # Until it is waited for, no other process can have its number.
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            _, self._status, self.usage = os.wait4(self.pid, 0)
        return self._status

    def _ended(self) -> bool:
        return os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is not None

    def explain(self, status: int) -> tuple[Fault, str]:
        """Say why a child is gone that left no word, or raise ChildProcessError if others ended it."""
        if not os.WIFSIGNALED(status):
            return "crashed", f"the process exited with code {os.waitstatus_to_exitcode(status)} and no answer"
        number = os.WTERMSIG(status)
        name = f"{signal.Signals(number).name} ({signal.strsignal(number)})"
        known = _oom_kills()
        if number == signal.SIGKILL and (known is None or known != self._oom_kills):
            return "out-of-memory", f"{name}: the system was out of memory and ended the process"
        if number in OUTSIDE:
            raise ChildProcessError(
                f"the trial was ended from outside by {name}; it leaves no row and has to run again"
            )
        return "crashed", f"{name} ended the process"


def _work(
    work: Callable[[IO[str] | None], Any],
    log: IO[str] | None,
    mask: set[Any],
    writer: int,
    parent: int,
    libc: ctypes.CDLL,
) -> NoReturn:
    """Be the child: work, hand in the answer, and end without the clean-up that belongs to the parent."""
    code = 1
    try:
        if sys.platform == "linux":
            libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os._exit(code)
        os.setpgid(0, 0)
        # The parent answers Ctrl-C, by ending this process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        faulthandler.enable(file=log or 2)
        faulthandler.register(WHERE_ARE_YOU, file=log or 2)
        word: _Word
        try:
            word = work(log), None, ""
            # Libraries in C have buffers of their own.
            libc.fflush(None)
            for stream in (log, sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
        except MemoryError:
            traceback.print_exc(file=log)
            word = None, "out-of-memory", "MemoryError: an allocation was refused"
            if limit := address_space():
                word = BrokenEnvironmentError(f"an allocation was refused, and {limit}"), None, ""
        except OSError as error:
            if error.errno not in DISK_FULL and not isinstance(error, BrokenEnvironmentError):
                raise
            word = error, None, ""
        message = pickle.dumps(word)
        with os.fdopen(writer, "wb") as pipe:
            pipe.write(_LENGTH.pack(len(message)) + message)
        code = 0
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        traceback.print_exc(file=log)
    finally:
        with suppress(Exception):
            (log or sys.stderr).flush()
        os._exit(code)


def _resident_mb(pid: int) -> float:
    """Return the resident memory of a process; 0 where there is no /proc to ask, or no such process any more."""
    try:
        pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    except OSError:
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def _oom_kills() -> int | None:
    """Return how many processes the kernel has ended for want of memory, or None if it does not say."""
    try:
        lines = Path("/proc/vmstat").read_text().splitlines()
    except OSError:
        return None
    return next((int(line.split()[1]) for line in lines if line.startswith("oom_kill ")), None)
