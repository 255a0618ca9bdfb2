# SPDX-License-Identifier: GPL-2.0-or-later
"""The list of tests that are known to fail, each with its reason."""

from __future__ import annotations

from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from cellbed.error import LabError
from cellbed.labs.lab_kernels import VERSIONS


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    reason: str = Field(min_length=20)
    kernels: list[str] = Field(default=list(VERSIONS), min_length=1)
    tests: list[str] = Field(min_length=1)


def load(path: Path, version: str) -> dict[str, str]:
    """The reason of each test that is known to fail in a version.

    Raises:
        LabError: file, place and what is wrong there.
    """
    try:
        document = yaml.safe_load(path.read_text())
        entries = [_Entry.model_validate(entry) for entry in document]
    except OSError as error:
        raise LabError(f"{path}: {error.strerror}") from None
    except (yaml.YAMLError, TypeError) as error:
        raise LabError(f"{path}: allowed a list of entries with reason, kernels and tests; {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(map(str, first["loc"]))
        raise LabError(f"{path}: key '{place}': value {first['input']!r}: {first['msg']}") from None
    reasons: dict[str, str] = {}
    for entry in entries:
        for kernel in set(entry.kernels) - set(VERSIONS):
            raise LabError(f"{path}: key 'kernels': value {kernel}: allowed {', '.join(VERSIONS)}")
        if version not in entry.kernels:
            continue
        for test in entry.tests:
            if test in reasons:
                raise LabError(f"{path}: key 'tests': value {test}: listed twice for Linux {version}")
            reasons[test] = entry.reason
    return reasons
