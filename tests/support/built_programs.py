"""Which programs tests start: those in DAEDALUS_BIN, else those of the optimised build with its checks.

bin/daedalus goes by DAEDALUS_BIN, too, and without it prefers the build for users. So tests that start it import this.
Experiments have named the build for users before (experiments/__init__.py).
"""

from __future__ import annotations

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.setdefault("DAEDALUS_BIN", str(ROOT / "build" / "release" / "bin")))
