"""Experiments: what is measured, how, and the plots. `make experiment E=NAME` runs one.

PROGRAMS are measured: those in DAEDALUS_BIN, else those of the build for users. bin/daedalus goes by it, too.
"""

import os
from pathlib import Path

PROGRAMS = Path(
    os.environ.setdefault("DAEDALUS_BIN", str(Path(__file__).resolve().parent.parent / "build" / "ship" / "bin"))
)
