"""Has a job run by the server that forks such jobs (`server.py` beside it), or runs it itself where there is none.

The command of rules with many short jobs, by its path and without `site`: thousands of times it does no more than hand
over its arguments and wait, so it loads nothing but what that takes.
"""

import os
import sys
from _socket import AF_UNIX, SCM_RIGHTS, SHUT_WR, SOCK_STREAM, SOL_SOCKET, socket


def variable(module: str) -> str:
    """Return the variable of the environment that says where a module's server listens."""
    return f"{module.replace('.', '_')}_socket".upper()


def ask(path: str, arguments: list[str]) -> bytes:
    """Return the byte that says that the job has begun, and that with its exit code, as far as they came."""
    outputs = b"".join(descriptor.to_bytes(4, sys.byteorder) for descriptor in (1, 2))
    connection = socket(AF_UNIX, SOCK_STREAM)
    answer = b""
    try:
        connection.connect(path)
        message = os.fsencode("\0".join([os.getcwd(), *arguments]))
        sent = connection.sendmsg([message], [(SOL_SOCKET, SCM_RIGHTS, outputs)])
        connection.sendall(message[sent:])
        connection.shutdown(SHUT_WR)
        while len(answer) < 2 and (byte := connection.recv(1)):
            answer += byte
    except OSError:
        pass
    return answer


def main(module: str, arguments: list[str]) -> int:
    """Do what `python -m module` would do, and return its exit code."""
    # Libraries take their number of threads when they are loaded, and servers have loaded them for one.
    threads = arguments[arguments.index("--threads") + 1] if "--threads" in arguments else "1"
    path = os.environ.get(variable(module))
    answer = ask(path, arguments) if path and threads == "1" else b""
    if not answer:
        os.execv(sys.executable, [sys.executable, "-m", module, *arguments])
    if len(answer) == 2:
        return answer[1]
    print("the process of this job was ended from outside; it has to run again", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
