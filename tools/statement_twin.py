"""Asks the program that compiles statements without a cluster, and says what to do where it is not built."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TWIN = Path(__file__).resolve().parent.parent / "build" / "release" / "bin" / "statement_twin"


def ask(text: str) -> str:
    """Returns what the program answers to these lines; ends this one where it is not there."""
    if not TWIN.exists():
        sys.exit(f"{TWIN} is not built: cmake --build --preset release --target statement_twin, or ./make.sh build")
    return subprocess.run([TWIN], input=text, text=True, capture_output=True, timeout=60, check=True).stdout
