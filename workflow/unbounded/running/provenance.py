"""Where a result comes from: a digest of the code that made it, versions, host.

The digest covers a module and all that it imports from this package, followed transitively, as syntax: comments,
docstrings, layout, the descriptions of options and columns, and imports for type checkers do not count, so editing them
makes no result stale. Solvers, tables and figures are found by registries, not imported by name, so the code of one is
no part of another's digest. Nor does it follow the room `running`: what is there never changes a result.
"""

from __future__ import annotations

import ast
import hashlib
import platform
import sys
from collections.abc import Iterator
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGE = "unbounded"
ROOT = Path(__file__).parents[1]
#: The rules' scripts, beside the folder that the package is in.
SCRIPTS = ROOT.parents[1] / "scripts"
#: The room of what never changes a result: no digest follows it.
RUNNING = f"{PACKAGE}.running"
#: Keyword arguments, and attributes that a class declares, that are documentation.
PROSE = {"description", "summary"}
#: The same of a table, whose words mean something else elsewhere; and from which one on arguments are documentation.
PROSE_OF = {"Table": {"line", "notes"}}
PROSE_FROM = {"Column": 1}
#: The version of a package that is not there.
NOT_INSTALLED = "not installed"


class _Bare(ast.NodeTransformer):
    """Drops what does not change what the code does."""

    def visit_If(self, node: ast.If) -> Any:
        """Drop what is there for type checkers alone."""
        if isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            return [self.visit(statement) for statement in node.orelse]
        return self.generic_visit(node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        body = getattr(node, "body", None)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and body:
            first = body[0]
            if (
                isinstance(first, ast.Expr)
                and isinstance(first.value, ast.Constant)
                and isinstance(first.value.value, str)
            ):
                node.body = body[1:] or [ast.Pass()]
            if isinstance(node, ast.ClassDef):
                node.body = [line for line in node.body if not _is_prose(line)] or [ast.Pass()]
        elif isinstance(node, ast.Call):
            called = node.func.id if isinstance(node.func, ast.Name) else ""
            prose = PROSE | PROSE_OF.get(called, set())
            node.keywords = [keyword for keyword in node.keywords if keyword.arg not in prose]
            node.args = node.args[: PROSE_FROM.get(called)]
        return node


def _is_prose(line: ast.stmt) -> bool:
    return isinstance(line, ast.Assign) and all(isinstance(to, ast.Name) and to.id in PROSE for to in line.targets)


@cache
def _source(module: str) -> Path | None:
    """Return a module's file without importing anything: importlib would import its parents, and numba with some."""
    base = ROOT.joinpath(*module.split(".")[1:])
    for path in (base.with_suffix(".py"), base / "__init__.py"):
        if path.exists():
            return path
    # A solver from another folder.
    loaded = getattr(sys.modules.get(module), "__file__", None)
    return None if loaded is None else Path(loaded)


def _imported(tree: ast.AST) -> Iterator[str]:
    """Yield the modules of this package that a syntax tree imports, at any depth."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            # What is imported may be a name in the module or a module of its own.
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            if name.startswith(f"{PACKAGE}.") and _source(name) is not None:
                parts = name.split(".")
                yield from (".".join(parts[: end + 1]) for end in range(1, len(parts)))


@cache
def _module(name: str) -> tuple[str, frozenset[str]]:
    """Return (bare source, imports) of a module."""
    path = _source(name)
    if path is None:
        raise ValueError(f"there is no module {name}")
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = _bare(tree)  # what is dropped imports nothing
    return bare, frozenset(_imported(tree))


def _bare(tree: ast.Module) -> str:
    return ast.unparse(_Bare().visit(tree))


@cache
def code_digest(*roots: str) -> str:
    """Return sixteen hex digits for the code of these modules and all that they import from the package."""
    seen: set[str] = set()
    queue = list(roots)
    while queue:
        name = queue.pop()
        if name not in seen and not name.startswith(RUNNING):
            seen.add(name)
            queue.extend(_module(name)[1])
    digest = hashlib.sha256()
    for name in sorted(seen):
        digest.update(f"{name}\0{_module(name)[0]}\0".encode())
    return digest.hexdigest()[:16]


def script_digest(path: Path) -> str:
    """Return sixteen hex digits for the code of one file, without what it imports."""
    return hashlib.sha256(_bare(ast.parse(path.read_text(encoding="utf-8"))).encode()).hexdigest()[:16]


def versions(packages: tuple[str, ...]) -> dict[str, str]:
    """Return the versions of Python, of this package and of those named."""
    found = {"python": platform.python_version(), PACKAGE: metadata.version(PACKAGE)}
    for package in packages:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = NOT_INSTALLED
    return found
