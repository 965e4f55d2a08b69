"""Forks a process for each job of a kind, with all that it needs loaded.

Snakemake starts a server for trials and one for scripts when it runs jobs on this machine. The command of a job
(`client.py` beside it) hands over arguments, standard output and standard error, and waits; a fork does what
`python -m <module>` would do with them. A module that can be served has `load` and `main(words, client)`.
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
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

from unbounded.running.environment import hold_threads
from unbounded.running.forking import client

#: Milliseconds after which forks that have ended are waited for, if nothing else happens.
INTERVAL = 1000
#: Jobs that may wait for their fork.
BACKLOG = 1000


def expose_client(modules: Iterable[str]) -> None:
    """Let rules find the command that asks servers, and no server of a Snakemake whose job this process is.

    By the environment, not by parameters: where the project lies, and whether jobs are forked, changes no result.
    """
    os.environ["UNBOUNDED_CLIENT"] = client.__file__
    for module in modules:
        os.environ.pop(client.variable(module), None)


def start(module: str) -> Callable[[], None]:
    """Start a server for a module; return what ends it. It ends by itself when this process does."""
    # In a folder of this user alone: who can write to the socket can run code.
    path = Path(tempfile.mkdtemp(prefix="unbounded-")) / "socket"
    # Listens from here on: a job that comes early waits.
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))
        listener.listen(BACKLOG)
        server = subprocess.Popen(
            [sys.executable, "-m", __name__, module, str(path), str(listener.fileno())],
            stdin=subprocess.PIPE,
            pass_fds=[listener.fileno()],
            # Ctrl-C is for Snakemake and the commands that wait: what they wait for ends with them.
            start_new_session=True,
        )
    os.environ[client.variable(module)] = str(path)

    def stop() -> None:
        del os.environ[client.variable(module)]
        server.communicate()

    return stop


def serve(run: Callable[[list[str], int], Any], listener: socket.socket, end: int) -> None:
    """Fork a process for each job that is asked for, until the descriptor `end` hangs up."""
    poller = select.poll()
    poller.register(listener, select.POLLIN)
    poller.register(end, select.POLLIN)
    ready: list[int] = []
    while end not in ready:
        ready = [descriptor for descriptor, _ in poller.poll(INTERVAL)]
        if listener.fileno() in ready:
            connection, _ = listener.accept()
            if os.fork() == 0:
                listener.close()
                os.close(end)
                _be_job(run, connection)
            connection.close()
        with suppress(ChildProcessError):
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
    listener.close()
    # Only so does their time count as this process's.
    with suppress(ChildProcessError):
        while True:
            os.wait()


def _be_job(run: Callable[[list[str], int], Any], connection: socket.socket) -> NoReturn:
    """Do what the other end asks for, and tell it the exit code."""
    code = 1
    try:
        connection.sendall(b"\0")
        message, outputs, _, _ = socket.recv_fds(connection, 1 << 16, 2)
        while chunk := connection.recv(1 << 16):
            message += chunk
        folder, *arguments = os.fsdecode(message).split("\0")
        for descriptor, output in enumerate(outputs, start=1):
            os.dup2(output, descriptor)
            os.close(output)
        os.chdir(folder)
        code = _exit_code(run, arguments, connection.fileno())
        connection.sendall(bytes([code]))
    except OSError:
        # The one who asked is gone.
        pass
    finally:
        os._exit(code)


def _exit_code(run: Callable[[list[str], int], Any], arguments: list[str], client: int) -> int:
    """Run a job as Python runs a program: what ends it is written to standard error."""
    code: object = None
    try:
        run(arguments, client)
    except SystemExit as error:
        code = error.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
        code = 1
    if isinstance(code, str):
        print(code, file=sys.stderr)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code & 0xFF if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    name, path, descriptor = sys.argv[1:]
    hold_threads(1)
    module = import_module(f"{name}.__main__")
    module.load()
    gc.collect()
    # What is there by now is never looked at again, so that forks share its memory.
    gc.freeze()
    serve(module.main, socket.socket(fileno=int(descriptor)), sys.stdin.fileno())
    shutil.rmtree(Path(path).parent, ignore_errors=True)
