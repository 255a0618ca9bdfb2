# SPDX-License-Identifier: GPL-2.0-or-later
"""Calls go down: no circle between modules, no import from a package above, and no general package knows a study."""

from __future__ import annotations

import ast
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import cellbed_analysis
import cellbed_formats

PACKAGE = "cellbed_analysis"
#: Packages from the lowest to the highest. A module may import from its own package and from those before it.
PACKAGES = (
    "cellbed_formats", "cellbed_channel", "study", "stats", "radio", "tcp", "metrics", "frames", "claims", "figures",
    "interactive", "export", "plots", "report", "pcap", "realism", "studies", "",
)  # fmt: skip
#: Found by `study.py` at run time, so no import shows that they are above everything.
STUDIES = "studies"
FOLDERS = {PACKAGE: Path(cellbed_analysis.__file__).parent, "cellbed_formats": Path(cellbed_formats.__file__).parent}
MODULES = {
    ".".join([name, *path.relative_to(folder).with_suffix("").parts]).removesuffix(".__init__"): path
    for name, folder in FOLDERS.items()
    for path in folder.rglob("*.py")
}


def package_of(module: str) -> str:
    """The package that a module is in; "" for the package's own `__init__` and `__main__`."""
    package, *rest = module.split(".")
    if package != PACKAGE:
        return package
    return rest[0] if rest and rest[0] in PACKAGES else ""


def imported(module: str, path: Path) -> set[str]:
    """Modules of the project that a module imports anywhere in its text, at its start or in a function."""
    here = module.split(".") if path.name == "__init__.py" else module.split(".")[:-1]
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = here[: len(here) + 1 - node.level] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            names = [f"{source}.{alias.name}" for alias in node.names]
            names = [name if name in MODULES else source for name in names]
        else:
            continue
        found |= {name for name in names if name.partition(".")[0].startswith("cellbed")}
    return found - {module}


IMPORTS = {module: imported(module, path) for module, path in MODULES.items()}


def test_every_folder_is_a_package() -> None:
    folders = {path.parent.name for path in FOLDERS[PACKAGE].glob("*/__init__.py")}
    assert folders <= set(PACKAGES)
    assert len(MODULES) > 100


def test_modules_form_no_circle() -> None:
    try:
        TopologicalSorter({module: names & MODULES.keys() for module, names in IMPORTS.items()}).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(reversed(error.args[1])))


def test_imports_go_down() -> None:
    upward = [
        f"{module} imports {name}"
        for module, names in IMPORTS.items()
        for name in sorted(names)
        if package_of(name) not in PACKAGES or PACKAGES.index(package_of(name)) > PACKAGES.index(package_of(module))
    ]
    assert upward == []


def test_no_general_package_imports_a_study_and_no_study_another() -> None:
    def study_of(module: str) -> str:
        return ".".join(module.split(".")[:3]) if package_of(module) == STUDIES else ""

    known = [
        f"{module} imports {name}"
        for module, names in IMPORTS.items()
        for name in sorted(names)
        if study_of(name) not in ("", study_of(module))
    ]
    assert known == []
