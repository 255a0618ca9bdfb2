# SPDX-License-Identifier: GPL-2.0-or-later
"""The locks name what pyproject.toml asks for, by hash, and no place where it comes from."""

import re
import tomllib

import pytest
from e2e import ROOT
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
IN_EACH = [*PROJECT["dependencies"]]
LOCKS = {"requirements.lock": [*IN_EACH, *EXTRAS["build"]],
         "requirements-test.lock": [*IN_EACH, *EXTRAS["test"], *EXTRAS["fleet"], *EXTRAS["mininet"]],
         "requirements-setup.lock": [*IN_EACH, *EXTRAS["setup"]],
         "requirements-without-avx2.lock": [*IN_EACH, *EXTRAS["without-avx2"]]}


def locked(name):
    """Versions by package; one that differs by Python has several."""
    found = {}
    for entry in re.split(r"\n(?=\S)", (ROOT / name).read_text().strip()):
        requirement = Requirement(entry.split("\\")[0].strip())
        assert "--hash=sha256:" in entry, f"{name}: {requirement.name} has no hash"
        (version,) = requirement.specifier
        assert version.operator == "==", f"{name}: {requirement} is no single version"
        found.setdefault(canonicalize_name(requirement.name), []).append(version.version)
    return found


@pytest.mark.parametrize("name", LOCKS)
def test_each_requirement_is_locked_within_its_range(name):
    """When this fails, run `make lock`."""
    found = locked(name)
    for requirement in map(Requirement, LOCKS[name]):
        versions = found.get(canonicalize_name(requirement.name), [])
        assert versions, f"{name} lacks {requirement}; run `make lock`"
        assert all(requirement.specifier.contains(version, prereleases=True) for version in versions), \
            f"{name} has {requirement.name} {versions}, pyproject.toml {requirement.specifier}; run `make lock`"


@pytest.mark.parametrize("name", LOCKS)
def test_no_index_is_named(name):
    assert "://" not in (ROOT / name).read_text()


def test_every_extra_is_in_a_lock():
    assert {one for extra in EXTRAS.values() for one in extra} <= {one for lock in LOCKS.values() for one in lock}


def test_the_locks_have_the_same_versions():
    """Any of them is installed beside any other."""
    versions = {}
    for name in LOCKS:
        for package, locked_versions in locked(name).items():
            assert versions.setdefault(package, locked_versions) == locked_versions, f"{name}: {package}"
