"""Forks a process for each trial, with everything loaded: loading it anew takes longer than many a trial runs.

Snakemake starts one server for a run on this machine. The command of a trial (`unbounded.trials.client`) hands it the
arguments, standard output and standard error, and waits; a fork runs the trial as `python -m unbounded.trials` would. No
solver's library is loaded here: each trial has a process of its own from the first line of its solver on.
"""

from __future__ import annotations

import gc
import os
import select
import shutil
import socket
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from unbounded.environment import hold_threads
from unbounded.imports import without

#: The variable that tells jobs where the server listens.
SOCKET = "UNBOUNDED_TRIALS_SOCKET"
#: Milliseconds after which forks that have ended are waited for, if nothing else happens.
INTERVAL = 1000
#: Trials that may wait for their fork.
BACKLOG = 1000


def start() -> Callable[[], None]:
    """Start a server for the jobs of this process; return what ends it. It ends by itself when this process does."""
    # In a folder of this user alone: who can write to the socket can run code.
    path = Path(tempfile.mkdtemp(prefix="unbounded-")) / "trials"
    # Listens from here on: a trial that comes early waits.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(BACKLOG)
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, str(listener.fileno()), str(path)],
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
            # Ctrl-C is for Snakemake and the commands that wait: what they wait for ends with them.
            start_new_session=True,
        )
    os.environ[SOCKET] = str(path)

    def stop() -> None:
        os.environ.pop(SOCKET, None)
        server.communicate()

    return stop


def serve(listener: socket.socket, end: int) -> None:
    """Fork a process for each trial that is asked for, until the descriptor `end` hangs up."""
    poller = select.poll()
    poller.register(listener, select.POLLIN)
    poller.register(end, select.POLLIN)
    while True:
        ready = [descriptor for descriptor, _ in poller.poll(INTERVAL)]
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os.close(end)
                _be_trial(connection)
            connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        if end in ready:
            break
    listener.close()
    # Only then does their time count as this process's.
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _be_trial(connection: socket.socket) -> NoReturn:
    """Run the trial that the other end asks for, and tell it the exit code."""
    code = 1
    try:
        connection.sendall(b"\0")
        message, outputs, _, _ = socket.recv_fds(connection, 1 << 16, 2)
        while chunk := connection.recv(1 << 16):
            message += chunk
        folder, *arguments = message.decode().split("\0")
        for descriptor, output in enumerate(outputs, start=1):
            os.dup2(output, descriptor)
            os.close(output)
        os.chdir(folder)
        code = _exit_code(arguments, connection.fileno())
        connection.sendall(bytes([code]))
    except OSError:
        # The one who asked is gone.
        pass
    finally:
        os._exit(code)


def _exit_code(arguments: list[str], client: int) -> int:
    """Run a trial as Python runs a program: what ends it is written to standard error."""
    from unbounded.trials.__main__ import main

    code: object = 0
    try:
        main(arguments, client)
    except SystemExit as error:
        code = error.code
    except BaseException:
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
    sys.stdout.flush()
    sys.stderr.flush()
    return code & 0xFF if isinstance(code, int) else int(code is not None)


def _load() -> None:
    """Load what every trial needs, but for the libraries of solvers."""
    hold_threads(1)
    with without("pandas"):
        import numpy.linalg
        import numpy.random  # noqa: F401

        from unbounded.solvers import registry
        from unbounded.trials import __main__, row, run, supervision  # noqa: F401

    registry.entries()
    gc.collect()
    # What is there now is never looked at again, so forks share its memory.
    gc.freeze()


if __name__ == "__main__":
    _load()
    serve(socket.socket(fileno=int(sys.argv[1])), sys.stdin.fileno())
    shutil.rmtree(Path(sys.argv[2]).parent, ignore_errors=True)
