"""PostgreSQL 15 with the tickets and the matching indexes, asked through pgbench and psql."""

from __future__ import annotations

import re
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from experiments.harness.postgres import BIN, SETTINGS, PostgresError, PostgresServer
from experiments.harness.record import ROOT

# The primary key of the tickets, which begins with the booking reference, is the third index.
INDEXES = (
    "CREATE INDEX flight ON tickets (product_id, date_in)",
    "CREATE INDEX passenger ON tickets (last_name)",
)
_PROGRESS = re.compile(r"^progress: [0-9.]+ s, ([0-9.]+) tps,", re.MULTILINE)
_FAILED = re.compile(r"^number of failed transactions: (\d+)", re.MULTILINE)


def description() -> str:
    """How it is set up, for whoever reads the figures."""
    settings = ", ".join(f"{name}={value}" for name, value in SETTINGS.items())
    return (
        f"PostgreSQL 15 as user postgres, table UNLOGGED, {settings}; {'; '.join(INDEXES)}; primary key of the tickets"
    )


class Postgres(PostgresServer):
    """A throw-away server with the tickets."""

    def __init__(self, tickets_csv: Path) -> None:
        super().__init__()
        try:
            self._load(tickets_csv)
        except BaseException:
            self.stop()
            raise

    def pgbench(self, scripts: Sequence[Path], clients: int, warm_up_seconds: int, seconds: int) -> dict[str, Any]:
        """Prepared statements a second, after a warm-up in which they are prepared. Error: PostgresError."""
        command = [str(BIN / "pgbench"), "-n", "-M", "prepared", "-c", str(clients), "-j", str(min(clients, 2))]
        command += ["-T", str(warm_up_seconds + seconds), "-P", "1", *self.where()]
        command += [*(f"--file={script}" for script in scripts), "postgres"]
        finished = subprocess.run(command, capture_output=True, text=True, timeout=seconds + 600, check=False)
        failed, rates = _FAILED.search(finished.stdout), progress(finished.stderr)[warm_up_seconds:]
        if finished.returncode != 0 or not rates:
            raise PostgresError(f"pgbench: {finished.stderr.strip()[-500:]}")
        return {
            "answered_per_second": sum(rates) / len(rates),
            "errors": int(failed[1]) if failed else 0,
            "clients": clients,
        }

    def _load(self, tickets_csv: Path) -> None:
        ddl = (ROOT / "schemas" / "tickets.sql").read_text()
        self.sql(ddl.replace("CREATE TABLE", "CREATE UNLOGGED TABLE"))
        self.sql("COPY tickets FROM STDIN (FORMAT csv, HEADER true)", stdin=tickets_csv)
        self.sql(*INDEXES)
        self.sql("VACUUM (FREEZE, ANALYZE) tickets")
        self.sql("CHECKPOINT")


def progress(said: str) -> list[float]:
    """Transactions a second, second by second, of what pgbench says under -P 1."""
    return [float(rate) for rate in _PROGRESS.findall(said)]


def branching_script(statements: Sequence[str]) -> str:
    """A pgbench script that runs one of the statements, drawn evenly."""
    lines = [f"\\set which random(1, {len(statements)})"]
    for number, statement in enumerate(statements, start=1):
        lines += [f"\\{'if' if number == 1 else 'elif'} :which = {number}", f"{statement};"]
    return "\n".join([*lines, "\\endif", ""])


def write_scripts(statements: Sequence[str], each: int, folder: Path) -> list[Path]:
    """Scripts of `each` statements."""
    paths = []
    for first in range(0, len(statements) - each + 1, each):
        path = folder / f"booking-{first // each}.sql"
        path.write_text(branching_script(statements[first : first + each]))
        paths.append(path)
    return paths


def wait_for_quiet(seconds: float = 0.5) -> None:
    """Between two things that are measured: what the one left behind shall not burden the other."""
    time.sleep(seconds)
