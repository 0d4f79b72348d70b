"""The three servers that a program meets, each with the same rows, and what may stand between it and them."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
from local_cluster import IN_MEMORY, POSTGRES_PORT, free_ports, local_cluster, wait_until
from plain_postgres import KINDS, OWNER
from recorded import as_superuser, recording_postgres
from recorded_comparison import fill, values_of

SMALL = ("--storage-nodes", "1", "--segments", "2", "--segment-mib", "16", IN_MEMORY)
END_SECONDS_MAX = 30
# Drops tables and views that a program has made and left there.
LEFT_BEHIND = """
SELECT format('DROP %s %I CASCADE', CASE relkind WHEN 'v' THEN 'VIEW' ELSE 'TABLE' END, relname)
FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'v') AND relname <> 'kinds'
"""
PGBOUNCER = """[databases]
* = host=127.0.0.1 port={server} user={user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = {port}
unix_socket_dir =
auth_type = any
pool_mode = session
ignore_startup_parameters = extra_float_digits
"""
HAPROXY = """defaults
  mode tcp
  timeout connect 5s
  timeout client 60s
  timeout server 60s
listen postgres
  bind 127.0.0.1:{port}
  option pgsql-check user {user}
  server first 127.0.0.1:{server} check
"""
# How each is started, with the path of its configuration behind that; pgbouncer does not run as root.
RUN_PGBOUNCER = ["setpriv", "--reuid=nobody", "--clear-groups", "pgbouncer", "-q"]
PASSING_ON = {
    "pgbouncer": (RUN_PGBOUNCER, PGBOUNCER),
    "pgbouncer_transactions": (RUN_PGBOUNCER, PGBOUNCER.replace("session", "transaction")),
    "haproxy": (["haproxy", "-q", "-db", "-f"], HAPROXY),
}


@dataclass(frozen=True, slots=True)
class Servers:
    """How clients find a PostgreSQL that writes down what it is asked, and an aggregator of each kind of block."""

    postgres: str
    refusing: str
    immediate: str

    def fill(self) -> None:
        """Puts the same rows into each, and nothing else."""
        with as_superuser(self.postgres) as connection:
            for (statement,) in connection.execute(LEFT_BEHIND).fetchall():
                connection.execute(statement)
        rows = values_of(self.postgres)
        for dsn in (self.postgres, self.refusing, self.immediate):
            fill(dsn, rows)


@contextlib.contextmanager
def running_servers() -> Iterator[Servers]:
    """Starts all three for the time of the context."""
    with contextlib.ExitStack() as stack:
        postgres = stack.enter_context(recording_postgres(KINDS, "kinds"))
        with as_superuser(postgres) as connection:
            connection.execute(f"GRANT CREATE ON SCHEMA public TO {OWNER}")
        found = []
        for mode in ("refuse", "immediate"):
            base = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="daedalus-clients-")))
            cluster = stack.enter_context(local_cluster(base, KINDS, *SMALL, f"--block-writes={mode}"))
            found.append(f"host=127.0.0.1 port={cluster.port + POSTGRES_PORT} user=daedalus dbname=kinds")
        yield Servers(postgres, *found)


@contextlib.contextmanager
def between(program: str, dsn: str) -> Iterator[str]:
    """Starts a program that passes on to a server what it is told; how clients find it. Where there is none, how they
    find the server.
    """
    if not program:
        yield dsn
        return
    place = dict(part.split("=") for part in dsn.split())
    port = free_ports(1)
    folder = Path(tempfile.mkdtemp(prefix="daedalus-clients-"))
    folder.chmod(0o755)
    configuration = folder / "configuration"
    words, text = PASSING_ON[program]
    configuration.write_text(text.format(server=place["port"], port=port, user=place["user"]))
    process = subprocess.Popen([*words, configuration], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    there = dsn.replace(f"port={place['port']}", f"port={port}")
    try:
        wait_until(lambda: _answers(there), f"{program} passes on what it is told")
        yield there
    finally:
        process.terminate()
        process.wait(END_SECONDS_MAX)
        shutil.rmtree(folder)


def _answers(dsn: str) -> bool:
    with contextlib.suppress(psycopg.OperationalError), psycopg.connect(dsn, connect_timeout=5) as connection:
        return connection.execute("SELECT 1").fetchone() == (1,)
    return False
