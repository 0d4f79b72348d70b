"""Which version of the project this is, as CMakeLists.txt states it; tools/lint_version.sh holds the rest to it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def project_version() -> str:
    """Major, minor, patch."""
    stated = re.search(r"^project\(daedalus VERSION ([0-9.]+) ", (ROOT / "CMakeLists.txt").read_text(), re.MULTILINE)
    assert stated is not None
    return stated[1]
