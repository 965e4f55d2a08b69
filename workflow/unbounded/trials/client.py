"""Has one trial run by the process that forks them (`unbounded.trials.server`), or runs it itself where there is none.

The command of the rules run_<solver>, by its path and without `site`: thousands of times it does no more than hand over
its arguments and wait, so it loads nothing but what that takes.
"""

import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SHUT_WR, SOCK_STREAM, SOL_SOCKET, socket

#: Where the socket is (`unbounded.trials.server.SOCKET`).
PATH = os.environ.get("UNBOUNDED_TRIALS_SOCKET")


def ask(path: str, arguments: list[str]) -> bytes:
    """Return the byte that says that the trial has begun, and that with its exit code, as far as they came."""
    with_outputs = [(SOL_SOCKET, SCM_RIGHTS, b"".join(fd.to_bytes(4, sys.byteorder) for fd in (1, 2)))]
    connection = socket(AF_UNIX, SOCK_STREAM)
    answer = b""
    try:
        connection.connect(path)
        connection.sendmsg(["\0".join([os.getcwd(), *arguments]).encode()], with_outputs)
        connection.shutdown(SHUT_WR)
        while len(answer) < 2 and (byte := connection.recv(1)):
            answer += byte
    except OSError:
        pass
    return answer


def main(arguments: list[str]) -> int:
    """Return the exit code of the trial."""
    # Libraries take their number of threads when they are loaded, and the server has loaded them for one.
    if PATH and arguments[arguments.index("--threads") + 1] == "1":
        answer = ask(PATH, arguments)
        if len(answer) == 2:
            return answer[1]
        if answer:
            print("the process of this trial was ended from outside; it has to run again", file=sys.stderr)
            return 1
    os.execv(sys.executable, [sys.executable, "-m", "unbounded.trials", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
