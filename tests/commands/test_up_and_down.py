"""`up` and `down` tell clusters beside each other apart, in what they say and in what they remember."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from local_cluster import DAEDALUS, Answer, free_ports, run_command

KEYED = "CREATE TABLE keyed (id int PRIMARY KEY, day date)"
PLAIN = "CREATE TABLE plain (id int)"
LOGS = ("node-0.log", "aggregator-0.log", "writer.log")


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a state directory of their own, and data directories named after tables."""

    home: Path

    def daedalus(self, *arguments: str | Path) -> Answer:
        """Runs bin/daedalus to its end."""
        return run_command(DAEDALUS, *arguments, environment={"XDG_STATE_HOME": str(self.home / "state")})

    def up(self, table: str, ddl: str, *options: str) -> Answer:
        """Starts a small cluster."""
        schema = self.home / f"{table}.sql"
        schema.write_text(ddl)
        small = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "8")
        if "--port" not in options:
            options = ("--port", str(free_ports()), *options)
        started = self.daedalus("up", "--schema", schema, "--data-dir", self.home / table, *small, *options)
        assert started.code == 0, started.said
        return started

    def down(self) -> None:
        """Takes down whatever runs."""
        for running in self.home.glob("*/cluster.pids"):
            self.daedalus("down", "--data-dir", running.parent)


@dataclass(frozen=True, slots=True)
class Heard:
    """The commands said this of two clusters from the start of the first to the end of the last."""

    home: Path
    plain: Answer
    keyed: Answer
    doubles: Answer
    down_of_any: Answer
    one_down: Answer
    plain_asked: Answer
    both_down: Answer
    status: Answer


@pytest.fixture(scope="module")
def heard(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Heard]:
    """Both clusters are started, asked, and taken down; the first one's directory has logs of an earlier start."""
    user = User(tmp_path_factory.mktemp("user"))
    (user.home / "plain").mkdir()
    for log in LOGS:
        (user.home / "plain" / log).write_text("of an earlier start\n")
    try:
        plain, keyed = user.up("plain", PLAIN), user.up("keyed", KEYED)
        inserted = user.daedalus("sql", "-c", "INSERT INTO keyed VALUES (1, '2024-01-01'), (1, NULL), (2, NULL)")
        assert inserted.code == 0, inserted.said
        look_for_doubles = re.search(r"look for doubles: (.*)", keyed.err)
        assert look_for_doubles is not None, keyed.err
        yield Heard(
            user.home,
            plain,
            keyed,
            doubles=user.daedalus("sql", "--format", "csv", "-c", look_for_doubles[1]),
            down_of_any=user.daedalus("down"),
            one_down=user.daedalus("down", "--data-dir", user.home / "keyed"),
            plain_asked=user.daedalus("sql", "-c", "SELECT count(*) FROM plain"),
            both_down=user.daedalus("down"),
            status=user.daedalus("status"),
        )
    finally:
        user.down()


def test_up_says_once_that_a_primary_key_is_not_enforced(heard: Heard) -> None:
    assert "PRIMARY KEY" not in heard.plain.err
    assert heard.keyed.err.count("PRIMARY KEY (id) of keyed is not enforced") == 1
    assert heard.doubles.out == "id,count\n1,2\n2,1\n", heard.doubles.said


def test_up_says_what_a_row_takes_and_how_many_fit(heard: Heard, tmp_path: Path) -> None:
    found = re.search(r"A row takes (\d+) bytes of memory: ([\d,]+) rows fit", heard.plain.out)
    assert found is not None, heard.plain.out
    takes, fit = int(found[1]), int(found[2].replace(",", ""))
    assert 0.8 * (8 << 20) < takes * fit <= 1.2 * (8 << 20)
    assert "strings take" not in heard.plain.err
    user = User(tmp_path)
    try:
        started = user.up("plain", "CREATE TABLE plain (id int, note varchar(300), name char(40))")
        assert "NOTICE:  strings take 340 of the 3" in started.err
        assert "note character varying(300), name character(40)" in started.err
    finally:
        user.down()


def test_the_log_of_an_earlier_start_is_kept_beside_the_new_one(heard: Heard) -> None:
    for log in LOGS:
        assert (heard.home / "plain" / f"{log}.1").read_text() == "of an earlier start\n"
        assert "of an earlier start" not in (heard.home / "plain" / log).read_text()
        assert "ready" in (heard.home / "plain" / log).read_text()


def test_down_takes_none_of_several_clusters_unless_it_is_told_which(heard: Heard) -> None:
    assert heard.down_of_any.code == 2, heard.down_of_any.said
    assert "several clusters run here: say which one with --data-dir" in heard.down_of_any.err
    assert {str(heard.home / name) for name in ("plain", "keyed")} <= set(
        re.split("[ ,]+", heard.down_of_any.err.strip())
    )


def test_down_of_one_cluster_leaves_the_other_known(heard: Heard) -> None:
    said = heard.one_down.out
    assert re.search(r"Commands go to the cluster at 127\.0\.0\.1:\d+ now", said), heard.one_down.said
    assert heard.plain_asked.code == 0, heard.plain_asked.said
    assert heard.both_down.code == 0
    assert "no cluster is known" in heard.status.err


def test_two_of_the_clusters_own_ports_never_are_the_same(tmp_path: Path) -> None:
    user = User(tmp_path)
    (tmp_path / "plain.sql").write_text(PLAIN)
    port = free_ports()
    for offset, owner in {50: "writer", 10: "node-0", 0: "aggregator-0"}.items():
        postgres = ("--postgres-port", str(port + offset))
        refused = user.daedalus("up", "--schema", tmp_path / "plain.sql", "--port", str(port), *postgres)
        assert refused.code == 2, refused.said
        assert f"two parts of the cluster would have port {port + offset}: {owner}," in refused.err
        assert "choose another --postgres-port" in refused.err


def test_up_after_down_brings_the_last_cluster_back_wherever_it_was(tmp_path: Path) -> None:
    user = User(tmp_path)
    (tmp_path / "plain.sql").write_text(PLAIN)
    port = str(free_ports())
    small = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "8")
    directory = tmp_path / "state" / "daedalus" / f"cluster-{port}"
    try:
        first = user.daedalus("up", "--schema", tmp_path / "plain.sql", "--port", port, *small)
        assert first.code == 0, first.said
        assert user.daedalus("sql", "-c", "INSERT INTO plain VALUES (1)").code == 0
        assert user.daedalus("down").code == 0
        again = user.daedalus("up")
        assert again.code == 0, again.said
        assert f"Data, logs and configuration: {directory}\n" in again.out
        assert user.daedalus("sql", "--format", "csv", "-c", "SELECT id FROM plain").out == "id\n1\n"
    finally:
        user.daedalus("down", "--data-dir", directory)


def test_a_data_directory_that_is_a_file_is_refused(tmp_path: Path) -> None:
    user = User(tmp_path)
    (tmp_path / "plain.sql").write_text(PLAIN)
    file = tmp_path / "file"
    file.write_text("mine\n")
    for directory in (file, file / "below"):
        refused = user.daedalus("up", "--schema", tmp_path / "plain.sql", "--data-dir", directory)
        assert refused.code == 2, refused.said
        assert f"{file} is a file, not a directory; name another one with --data-dir" in refused.err
    assert file.read_text() == "mine\n"


def test_up_says_where_no_password_is_asked_for_although_there_are_users(tmp_path: Path) -> None:
    user = User(tmp_path)
    words = "anybody on this machine without a password"
    try:
        assert words not in user.up("plain", PLAIN).out
        assert user.daedalus("down", "--data-dir", tmp_path / "plain").code == 0
        again = user.daedalus("up", "--data-dir", tmp_path / "plain", "--users", tmp_path / "users")
        assert again.code == 0, again.said
        assert words in again.out
        assert "still take anybody" in " ".join(user.daedalus("up", "--help").out.split())
    finally:
        user.down()


@pytest.mark.parametrize("durability", ["async", "off"])
def test_down_of_one_directory_leaves_what_runs_in_another_one_on_the_same_port(
    tmp_path: Path, durability: str
) -> None:
    user = User(tmp_path)
    port = str(free_ports())
    try:
        first = user.up("plain", PLAIN, "--port", port, "--durability", durability)
        assert user.daedalus("down", "--data-dir", user.home / "plain").code == 0
        second = user.up("keyed", KEYED, "--port", port, "--durability", durability)
        stopped = user.daedalus("down", "--data-dir", user.home / "plain")
        assert stopped.code == 1, stopped.said
        assert "no cluster was started in" in stopped.err
        again = user.daedalus("up", "--data-dir", user.home / "plain")
        assert f"port {port} is in use" in again.err, again.said
        assert user.daedalus("sql", "-c", "INSERT INTO keyed VALUES (1, NULL)").code == 0, (first.said, second.said)
    finally:
        user.down()


def test_only_its_owner_may_read_what_is_in_a_data_directory(tmp_path: Path) -> None:
    user = User(tmp_path)
    before = os.umask(0)
    try:
        user.up("plain", PLAIN)
        assert user.daedalus("sql", "-c", "INSERT INTO plain VALUES (1)").code == 0
        assert user.daedalus("down", "--data-dir", user.home / "plain").code == 0
        user.daedalus("up", "--data-dir", user.home / "plain")
        found = [user.home / "plain", *(user.home / "plain").rglob("*")]
        open_to_others = {str(path): oct(path.stat().st_mode) for path in found if path.stat().st_mode & 0o077}
        assert not open_to_others
        assert any(path.name.startswith("journal-") for path in found)
        assert any(path.parent.name == "updates" for path in found)
    finally:
        os.umask(before)
        user.down()
