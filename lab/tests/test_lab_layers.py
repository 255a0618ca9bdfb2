# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls go down: no module of the lab imports from a package above its own, and none imports itself indirectly."""

import ast
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from cellbed import paths

LAB = Path(paths.__file__).parents[1]
# From the ground up. A package may import from itself and from those before it; "" is what lies beside the packages.
PACKAGES = ("", "host", "run", "scenario", "results", "labs", "sweep", "link", "mininet", "watch", "api", "cli")


def modules():
    """Path of each module by its name."""
    found = {}
    for top in ("cellbed", "cellbed_watch"):
        for path in (LAB / top).rglob("*.py"):
            parts = path.relative_to(LAB).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


MODULES = modules()


def imports(path):
    """Names of all modules that a file imports, wherever in it and for whatever purpose, types included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in MODULES else node.module


OWN = {name: sorted({found for found in imports(path) if found in MODULES} - {name})
       for name, path in MODULES.items()}


def package(module):
    top, _, rest = module.partition(".")
    if top == "cellbed_watch":
        return "watch"
    return rest if rest in PACKAGES else rest.rpartition(".")[0]  # a package may be one module, for other programs


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_from_packages_below(name):
    assert package(name) in PACKAGES
    above = [other for other in OWN[name] if PACKAGES.index(package(other)) > PACKAGES.index(package(name))]
    assert above == []


def test_no_module_imports_what_builds_kernels():
    """A run looks a kernel up; kernel/ builds one, and imports the lab."""
    assert not [name for name, path in MODULES.items() for found in imports(path) if found.startswith("cellbed_kernel")]


def test_no_modules_import_each_other():
    try:
        TopologicalSorter(OWN).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1][::-1]))


def test_packages_are_empty():
    """Who imports one module of a package would get all that its package imports, in each start of each guest."""
    assert {name: path.read_text() for name, path in MODULES.items()
            if path.name == "__init__.py" and path.parent.parent == LAB / "cellbed" and path.read_text()} == {}


def reached(start):
    """Modules of the lab that are imported with those that @start has, and those themselves."""
    found, left = set(), set(start)
    while left:
        found.add(name := left.pop())
        left |= set(OWN[name]) - found
    return found


def test_what_a_guest_gets_needs_no_other_packages():
    """Every module of the package that executes runs, whether or not a run of today imports it."""
    guest = reached(name for name in MODULES if package(name) == "run")
    assert {package(name) for name in guest} == {"host", "run", ""}
    needed = {found.partition(".")[0] for name in guest for found in imports(MODULES[name])}
    assert needed - sys.stdlib_module_names == {"cellbed"}
