"""Write environment.yaml, the conda form of the lock requirements.txt; with --check, only compare."""

import argparse
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).parent
HEADER = "# Made from requirements.txt by make_conda.py: change requirements.in and run `make lock`.\n"


def pins(lock: str) -> list[str]:
    """List the lock's requirements with their markers; pip itself comes from conda."""
    lines = (line.rstrip(" \\") for line in lock.splitlines())
    return [line for line in lines if line[:1].isalnum() and not line.startswith("pip==")]


def environment(lock: str) -> str:
    """Return the text of environment.yaml."""
    packages = ["python =3.11", "pip", {"pip": pins(lock)}]
    content = {"name": "unbounded", "channels": ["conda-forge", "nodefaults"], "dependencies": packages}
    return HEADER + yaml.safe_dump(content, sort_keys=False, width=sys.maxsize)


def main() -> None:
    """Write the file, or exit with 1 if it is not what the lock gives."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="change nothing; exit with 1 on drift")
    check = parser.parse_args().check
    made = environment((HERE / "requirements.txt").read_text())
    target = HERE / "environment.yaml"
    if not check:
        target.write_text(made)
    elif not target.exists() or target.read_text() != made:
        sys.exit("envs/environment.yaml is not what envs/requirements.txt gives: run `make format`.")


if __name__ == "__main__":
    main()
