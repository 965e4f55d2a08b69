"""A Slurm of one node: Debian's own daemons, started directly, for as long as a test lasts."""

import fcntl
import os
import pwd
import secrets
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

#: Where Slurm's programs look, whatever the environment says: jobs of the Slurm plugin do not pass SLURM_CONF on.
CONFIGURATION = Path("/etc/slurm/slurm.conf")
MARK = "# One node for a test of unbounded; removed when the test ends.\n"
#: Two test runs on one machine take turns.
LOCK = Path("/run/unbounded-slurm.lock")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "srun")
PATIENCE = 60.0

#: No cgroups, no systemd, no accounting: a container has none of them. What the node has is declared, not measured, so
#: that a small machine takes the jobs too.
SETTINGS = """\
ClusterName=unbounded
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ctld_port}
SlurmdPort={d_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=2
MinJobAge=3600
NodeName={host} NodeAddr=127.0.0.1 CPUs=32 RealMemory=64000
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""


def reason_to_skip() -> str | None:
    """Say why no Slurm can be started here, if so."""
    if os.geteuid() != 0:
        return "only root can start Slurm's daemons"
    missing = [name for name in PROGRAMS if program(name) is None]
    if missing:
        return f"{', '.join(missing)} not found: envs/debian-packages installs Slurm and munge"
    try:
        foreign = not CONFIGURATION.read_text(encoding="utf-8").startswith(MARK)
    except FileNotFoundError:
        foreign = False
    return f"this machine has a Slurm of its own ({CONFIGURATION})" if foreign else None


def program(name: str) -> str | None:
    return shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/bin")


def ask(name: str, *options: str) -> str:
    """Return what one of Slurm's programs prints."""
    return subprocess.run([str(program(name)), *options], capture_output=True, text=True, timeout=60).stdout


@contextmanager
def one_node_slurm() -> Iterator[Path]:
    """Run Slurm; yield the folder of its logs. Whatever happens, nothing of it is left behind."""
    with ExitStack() as stack:
        lock = stack.enter_context(LOCK.open("w"))
        fcntl.flock(lock, fcntl.LOCK_EX)
        folder = Path(tempfile.mkdtemp(prefix="unbounded-slurm-"))
        stack.callback(shutil.rmtree, folder, ignore_errors=True)
        _munge(folder, stack)
        _slurm(folder, stack)
        yield folder


def _munge(folder: Path, stack: ExitStack) -> None:
    user = pwd.getpwnam("munge")
    folder.chmod(0o755)
    key, own = folder / "munge.key", folder / "munge.socket"
    key.write_bytes(secrets.token_bytes(128))
    key.chmod(0o400)
    for path in (folder, key):
        os.chown(path, user.pw_uid, user.pw_gid)
    files = {"key-file": key, "socket": own, "pid-file": folder / "munge.pid", "log-file": folder / "munge.log"}
    options = [f"--{name}={path}" for name, path in {**files, "seed-file": folder / "munge.seed"}.items()]
    _start("munged", "--foreground", *options, folder=folder, stack=stack, user="munge")
    _wait_until(own.is_socket, "munged opens its socket", folder)


def _slurm(folder: Path, stack: ExitStack) -> None:
    host = socket.gethostname().split(".")[0]
    ctld_port, d_port = _free_ports(2)
    (folder / "state").mkdir()
    (folder / "spool").mkdir()
    CONFIGURATION.parent.mkdir(parents=True, exist_ok=True)
    stack.callback(CONFIGURATION.unlink, missing_ok=True)
    settings = SETTINGS.format(host=host, ctld_port=ctld_port, d_port=d_port, folder=folder)
    CONFIGURATION.write_text(MARK + settings, encoding="utf-8")
    _start("slurmctld", "-D", folder=folder, stack=stack)
    _start("slurmd", "-D", folder=folder, stack=stack)
    # Jobs run under processes that outlive slurmd: they end first.
    stack.callback(_cancel_all)
    _wait_until(lambda: "idle" in ask("sinfo", "--noheader", "--format=%T"), "the node is idle", folder)


def _start(name: str, *options: str, folder: Path, stack: ExitStack, user: str | None = None) -> None:
    """Start a daemon in the foreground; it ends with the stack, or with this process if that is killed."""
    command = ["setpriv", "--pdeathsig", "TERM", str(program(name)), *options]
    with (folder / f"{name}.out").open("w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=output, user=user, group=user)
    stack.callback(_stop, process)


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _cancel_all() -> None:
    ask("scancel", "--user=root", "--full")
    deadline = time.monotonic() + 20
    while ask("squeue", "--noheader").strip() and time.monotonic() < deadline:
        time.sleep(0.2)


def _free_ports(number: int) -> list[int]:
    with ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _ in range(number)]
        for one in sockets:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in sockets]


def _wait_until(condition: Callable[[], bool], what: str, folder: Path) -> None:
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > deadline:
            logs = "".join(f"--- {path}\n{path.read_text(errors='replace')}\n" for path in folder.glob("*.[lo]*"))
            raise TimeoutError(f"waited {PATIENCE:g} s until {what}\n{logs}")
        time.sleep(0.1)
