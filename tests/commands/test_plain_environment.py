"""The whole command line where no locale is set, as in a container or under cron: text comes back as it went in."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from local_cluster import COMMAND_SECONDS_MAX, DAEDALUS, ROOT, LocalCluster, free_ports

PLACES = """
CREATE TABLE places (
  id int NOT NULL,
  größe varchar(20),
  name varchar(40)
);
"""
UTF8, LATIN1 = "utf-8", "iso-8859-1"


@dataclass(frozen=True, slots=True)
class Plain:
    """A user with PATH and HOME, and perhaps a locale, but nothing else."""

    home: Path
    locale: str | None

    def run(self, *command: str | Path, encoding: str = UTF8) -> subprocess.CompletedProcess[str]:
        """Runs a command whose arguments are of `encoding`; its output has to be UTF-8."""
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}
        if self.locale is not None:
            environment["LANG"] = self.locale
        return subprocess.run(
            [str(word).encode(encoding) for word in command],
            env=environment,
            capture_output=True,
            encoding=UTF8,
            timeout=COMMAND_SECONDS_MAX,
            check=False,
        )

    def daedalus(self, *arguments: str | Path) -> str:
        """Returns what a command prints; it must succeed and say nothing to standard error but progress."""
        answer = self.run(DAEDALUS, *arguments)
        assert answer.returncode == 0, answer.stdout + answer.stderr
        return answer.stdout


@pytest.fixture(scope="module", params=[None, "POSIX", "de_DE.ISO-8859-1"])
def user(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Plain]:
    """A user whose cluster runs in a folder, and by a schema, with letters beyond ASCII in their names."""
    home = tmp_path_factory.mktemp("plain")
    plain = Plain(home, request.param)
    schema, data = home / "plätze.sql", home / "Daten für Grüße"
    schema.write_text(PLACES, encoding=UTF8)
    cluster = LocalCluster(free_ports(), schema, data, home)
    try:
        plain.daedalus(
            "up", "--schema", schema, "--data-dir", data, "--port", str(cluster.port), "--storage-nodes", "1",
            "--segments", "1", "--segment-mib", "16", "--partition-by", "hash(größe)",
        )  # fmt: skip
        yield plain
    finally:
        cluster.end()


def test_a_statement_stores_and_finds_the_letters_it_has(user: Plain) -> None:
    where = "WHERE name LIKE 'Grüße aus 東%' AND name <> 'Gr????e'"
    printed = user.daedalus(
        "sql", "--format", "csv",
        "-c", "INSERT INTO places (id, größe, name) VALUES (1, 'groß', 'Grüße aus 東京 ✈ 🛫')",
        "-c", "SELECT id FROM places WHERE größe = 'groß'",
        "-c", f"SELECT name FROM places {where}",
    )  # fmt: skip
    assert printed.endswith("id\n1\nname\nGrüße aus 東京 ✈ 🛫\n")
    assert "Grüße aus 東京 ✈ 🛫" in user.daedalus("sql", "-c", "SELECT größe, name FROM places WHERE id = 1")


def test_a_file_is_found_by_its_name_and_loaded_as_it_is(user: Plain) -> None:
    rows = user.home / "größe.csv"
    rows.write_text("id,größe,name\n11,süß,Zoë\n12,naïve,Øre\n", encoding=UTF8)
    assert "2 rows are in" in user.daedalus("load", rows)
    statements = user.home / "Änderungen.sql"
    statements.write_text("UPDATE places SET name = 'Ærø' WHERE größe = 'naïve';\n", encoding=UTF8)
    printed = user.daedalus(
        "sql", "--format", "csv",
        "-c", "SELECT größe, name FROM places WHERE id > 10 ORDER BY id",
        "-f", statements,
        "-c", "SELECT name FROM places WHERE name = 'Ærø'",
    )  # fmt: skip
    assert printed.startswith("größe,name\nsüß,Zoë\nnaïve,Øre\n")
    assert printed.endswith("name\nÆrø\n")


def test_status_names_the_cluster_by_its_own_home(user: Plain) -> None:
    assert "places" in user.daedalus("status")
    assert (user.home / ".local" / "state" / "daedalus" / "last-cluster").is_file()


def test_malformed_utf8_is_refused_and_not_stored(user: Plain) -> None:
    answer = user.run(DAEDALUS, "sql", "-c", "INSERT INTO places (id, name) VALUES (9, 'Grüße')", encoding=LATIN1)
    assert answer.returncode == 2, answer.stdout + answer.stderr
    assert "argument 3 is no UTF-8" in answer.stderr
    assert r"Gr\374\337e" in answer.stderr
    counted = user.daedalus("sql", "-c", "SELECT count(*) FROM places WHERE id = 9", "--format", "csv")
    assert counted == "count\n0\n"


@pytest.mark.parametrize("program", sorted(path.name for path in (ROOT / "bin").iterdir() if path.is_file()))
def test_every_program_refuses_what_is_no_utf8(program: str, tmp_path: Path) -> None:
    answer = Plain(tmp_path, None).run(ROOT / "bin" / program, "--größe", encoding=LATIN1)
    assert answer.returncode == 2
    assert answer.stderr.startswith(f"{program}: argument 1 is no UTF-8")
