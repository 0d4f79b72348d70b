"""`up` on a data directory that keeps its table: after `down`, after kills, after starts that were cut short."""

from __future__ import annotations

import contextlib
import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from local_cluster import ROOT, Answer, LocalCluster, free_ports, read_processes, wait_until

READINGS = "CREATE TABLE readings (id int NOT NULL, note varchar(8));\n"
SMALL = ["--storage-nodes", "2", "--segments", "1", "--segment-mib", "1", "--partition-by", "hash(id)"]
WRITTEN_MAX = 2_000


@contextlib.contextmanager
def data_directory(base: Path) -> Iterator[LocalCluster]:
    """A data directory in which nothing has been started, and the commands for it."""
    schema = base / "table.sql"
    schema.write_text(READINGS)
    cluster = LocalCluster(free_ports(), schema, base / "data", base / "state")
    try:
        yield cluster
    finally:
        cluster.end()


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    with data_directory(tmp_path) as cluster:
        yield cluster


@dataclass(frozen=True, slots=True)
class Kept:
    """A data directory with a table of one row, as `down` left it."""

    directory: Path
    port: int
    cluster_id: str
    down: str


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """Starting a cluster takes seconds: tests that begin with a table that is kept begin with a copy of this one."""
    with data_directory(tmp_path_factory.mktemp("kept")) as cluster:
        made(cluster)
        assert cluster.change("INSERT INTO readings VALUES (1, 'one')") == 1
        identity = str(status(cluster)["cluster_id"])
        yield Kept(cluster.directory, cluster.port, identity, down(cluster))


@pytest.fixture
def copy(kept: Kept, tmp_path: Path) -> Iterator[LocalCluster]:
    """Nothing but the directory: the file that the schema was in is not there any more."""
    shutil.copytree(kept.directory, tmp_path / "data")
    cluster = LocalCluster(kept.port, tmp_path / "table.sql", tmp_path / "data", tmp_path / "state")
    yield cluster
    cluster.end()


def up(cluster: LocalCluster, *options: str | Path) -> Answer:
    """Runs `up` on the data directory with these options alone."""
    return cluster.run_daedalus("up", "--data-dir", cluster.directory, *options)


def made(cluster: LocalCluster, *options: str) -> Answer:
    """The first `up`."""
    started = up(cluster, "--schema", cluster.schema, "--port", str(cluster.port), *SMALL, *options)
    assert started.code == 0, started.said
    cluster.processes = read_processes(cluster.directory)
    return started


def brought_back(cluster: LocalCluster, *options: str | Path) -> Answer:
    """A later `up` that succeeds."""
    started = up(cluster, *options)
    assert started.code == 0, started.said
    cluster.processes = read_processes(cluster.directory)
    return started


def down(cluster: LocalCluster) -> str:
    stopped = cluster.run_daedalus("down", "--data-dir", cluster.directory)
    assert stopped.code == 0, stopped.said
    return stopped.out


def status(cluster: LocalCluster) -> Any:
    return cluster.run_daedalus("status", "--format", "json").json()["status"]


def kept_files(cluster: LocalCluster) -> set[Path]:
    """Returns the files that nodes and writer keep."""
    return {file for name in ("node-0", "node-1", "writer") for file in (cluster.directory / name).rglob("*")}


def test_a_table_outlives_down_and_nothing_but_the_directory_is_needed(
    kept: Kept, copy: LocalCluster, tmp_path: Path
) -> None:
    cluster = copy
    assert "Its table is kept" in kept.down
    brought_back(cluster)
    assert cluster.rows("SELECT id, note FROM readings") == [(1, "one")]
    assert cluster.change("INSERT INTO readings VALUES (2, 'two'), (3, NULL)") == 2
    assert cluster.change("DELETE FROM readings WHERE id = 3") == 1
    said = status(cluster)
    assert said["cluster_id"] == kept.cluster_id
    assert {node["durability"] for node in said["nodes"]} == {"sync"}
    assert all(node["log_bytes"] > 0 and "checkpoint_bytes" in node for node in said["nodes"])
    assert 0 < said["writer"]["journal_bytes"] < said["writer"]["journal_bytes_max"]
    text = " ".join(cluster.run_daedalus("status").out.split())
    assert " sync " in text, text
    assert "its journal takes" in text, text
    down(cluster)

    same = tmp_path / "same.sql"
    same.write_text("-- another text\n" + READINGS)
    port = free_ports()
    brought_back(cluster, "--schema", same, "--aggregators", "2", "--port", str(port), "--answer-mib", "8")
    cluster.port = port
    assert cluster.rows("SELECT id, note FROM readings ORDER BY id") == [(1, "one"), (2, "two")]
    assert status(cluster)["cluster_id"] == kept.cluster_id
    assert len(cluster.addresses) == 2


def test_options_that_differ_from_the_kept_table_are_refused_and_change_nothing(
    cluster: LocalCluster, tmp_path: Path
) -> None:
    made(cluster, "--durability", "async", "--sync-ms", "20")
    assert "sync_ms = 20" in (cluster.directory / "node-1.toml").read_text().splitlines()
    assert cluster.change("INSERT INTO readings VALUES (1, 'one')") == 1
    down(cluster)
    other = tmp_path / "other.sql"
    other.write_text("CREATE TABLE readings (id bigint NOT NULL, note varchar(8));\n")
    for options, words in {
        ("--segments", "2"): ["--segments is 1 there, not 2"],
        ("--storage-nodes", "3", "--segment-mib", "2"): ["--storage-nodes is 2", "--segment-mib is 1"],
        ("--partition-by", "round_robin"): ["--partition-by is hash(id) there, not round_robin"],
        ("--durability", "off"): ["--durability is async there, not off"],
        ("--schema", str(other)): ["fingerprint", str(other)],
    }.items():
        refused = up(cluster, *options)
        assert refused.code == 2, refused.said
        assert "--discard" in refused.err, refused.err
        assert "--data-dir" in refused.err, refused.err
        for word in words:
            assert word in refused.err, refused.err
    assert up(cluster, "--durability", "sync", "--sync-ms", "20").code == 2, "a period is for async only"
    brought_back(cluster, "--sync-ms", "21")
    assert cluster.value("SELECT count(*) FROM readings") == 1
    refused = up(cluster, "--durability", "sync")
    assert refused.code != 0, "it is running"
    down(cluster)
    brought_back(cluster, "--durability", "sync")
    assert cluster.value("SELECT count(*) FROM readings") == 1
    assert {node["durability"] for node in status(cluster)["nodes"]} == {"sync"}


def confirmed_until_killed(cluster: LocalCluster) -> set[int]:
    """Ids whose insert was confirmed before every process of the cluster was killed."""
    session = cluster.start_daedalus(
        "sql", "-f", "-", "--format", "json", "--timeout", "5", stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
    )
    assert session.stdin is not None
    assert session.stdout is not None
    session.stdin.write("".join(f"INSERT INTO readings VALUES ({n}, NULL);\n" for n in range(WRITTEN_MAX)))
    session.stdin.flush()
    confirmed: set[int] = set()
    for n in range(WRITTEN_MAX):
        if "error" in json.loads(session.stdout.readline()):
            break
        confirmed.add(n)
        if n == 50:
            cluster.kill(*cluster.processes)
    session.kill()
    session.communicate()
    return confirmed


def test_everything_confirmed_is_there_after_all_processes_were_killed(kept: Kept, copy: LocalCluster) -> None:
    cluster = copy
    brought_back(cluster)
    confirmed = confirmed_until_killed(cluster)
    assert len(confirmed) < WRITTEN_MAX, "the kill came too late to cut anything short"
    brought_back(cluster)
    found = [number for (number,) in cluster.rows("SELECT id FROM readings WHERE note IS NULL")]
    assert confirmed <= set(found)
    assert len(found) == len(set(found)), "no row is doubled"
    assert status(cluster)["cluster_id"] == kept.cluster_id

    running = cluster.processes
    cluster.kill("node-1", "writer")
    again = brought_back(cluster)
    assert "Still running: node-0, aggregator-0;" in again.err, again.err
    still_running = {name for name, process in cluster.processes.items() if running[name] == process}
    assert still_running == {"node-0", "aggregator-0"}
    assert cluster.value("SELECT count(*) FROM readings WHERE note IS NULL") == len(found)
    assert "is running in" in up(cluster).err
    assert up(cluster, "--discard").code == 1, "not while it runs"


def test_a_journal_that_is_lost_is_begun_anew_only_with_adopt(copy: LocalCluster, kept: Kept) -> None:
    shutil.rmtree(copy.directory / "writer")
    refused = up(copy)
    assert refused.code == 1
    assert "the journal is new" in refused.err
    assert "--adopt" in refused.err
    brought_back(copy, "--adopt")
    assert copy.value("SELECT count(*) FROM readings") == 1
    assert copy.change("INSERT INTO readings VALUES (2, 'two')") == 1
    down(copy)
    brought_back(copy)
    assert copy.value("SELECT count(*) FROM readings") == 2
    assert up(copy, "--discard", "--adopt").code == 2


def test_discard_gives_up_the_table_and_nothing_that_is_not_the_clusters(kept: Kept, copy: LocalCluster) -> None:
    cluster = copy
    novel = cluster.directory / "node-0" / "novel.txt"
    novel.write_text("It was a dark and stormy night.\n")
    beside = cluster.directory / "notes.txt"
    beside.write_text("mine\n")
    files = kept_files(cluster)
    refused = up(cluster, "--discard")
    assert refused.code == 1, refused.said
    assert "novel.txt was made by no cluster" in refused.err
    assert kept_files(cluster) == files
    wrong = up(cluster, "--discard", "--partition-by", "hash(colour)")
    assert wrong.code != 0
    novel.unlink()
    wrong = up(cluster, "--discard", "--partition-by", "hash(colour)")
    assert "colour" in wrong.err, wrong.said
    assert kept_files(cluster) == files - {novel}, "what is refused has removed nothing"

    again = brought_back(cluster, "--discard", "--segments", "2")
    assert "is given up (--discard)" in again.err
    assert cluster.value("SELECT count(*) FROM readings") == 0
    assert status(cluster)["cluster_id"] != kept.cluster_id
    assert beside.read_text() == "mine\n"


def test_without_durability_it_is_said_what_is_lost(cluster: LocalCluster) -> None:
    started = made(cluster, "--durability", "off")
    assert "rows are in memory only" in started.err
    assert cluster.change("INSERT INTO readings VALUES (1, 'one')") == 1
    assert "its journal" not in " ".join(cluster.run_daedalus("status").out.split())
    assert "Its rows are gone" in down(cluster)
    again = brought_back(cluster)
    assert f"the table that was in {cluster.directory} is lost" in again.err
    assert cluster.value("SELECT count(*) FROM readings") == 0
    down(cluster)
    durable = brought_back(cluster, "--durability", "sync")
    assert "in memory only, and lost as soon as" not in durable.err
    assert (cluster.directory / "writer").is_dir()


def cut_short(cluster: LocalCluster, is_time: Callable[[Path], bool]) -> None:
    """A first `up` that is killed as soon as `is_time` of its data directory."""
    where = ("--schema", cluster.schema, "--data-dir", cluster.directory, "--port", str(cluster.port))
    started = cluster.start_daedalus("up", *where, *SMALL, stderr=subprocess.DEVNULL)
    wait_until(lambda: is_time(cluster.directory) or started.poll() is not None, "the moment to kill it has come")
    started.kill()
    started.communicate()


@pytest.mark.parametrize("moment", ["schema", "cluster.plan", "node-0/identity", "node-0.log", "cluster.pids"])
def test_a_first_start_that_is_cut_short_leaves_what_can_be_started(cluster: LocalCluster, moment: str) -> None:
    cut_short(cluster, lambda folder: (folder / moment).exists())
    again = brought_back(cluster, "--schema", cluster.schema, "--port", str(cluster.port), *SMALL)
    assert "Traceback" not in again.err
    assert cluster.change("INSERT INTO readings VALUES (1, 'one')") == 1
    assert cluster.value("SELECT count(*) FROM readings") == 1


def test_a_directory_that_was_made_in_part_is_made_anew(copy: LocalCluster) -> None:
    cluster = copy
    plan = cluster.directory / "cluster.plan"
    made_plan = plan.read_text()
    plan.write_text(made_plan.replace("made = yes", "made = no"))
    (cluster.directory / "node-1" / "identity").unlink()
    brought_back(cluster)
    assert cluster.change("INSERT INTO readings VALUES (1, 'one')") == 1
    down(cluster)

    for damage, words in {
        "": "damaged (no version)",
        made_plan.replace("= 2", "= two"): "storage_nodes is two",
    }.items():
        whole = plan.read_text()
        plan.write_text(damage)
        refused = up(cluster)
        assert refused.code == 1, refused.said
        assert words in refused.err
        assert "--discard" in refused.err
        plan.write_text(whole)
    plan.rename(cluster.directory / "away")
    cluster.schema.write_text(READINGS)
    refused = up(cluster, "--schema", cluster.schema, "--port", str(cluster.port), *SMALL)
    assert refused.code == 1, refused.said
    assert "has rows of a cluster, but no cluster.plan" in refused.err
    (cluster.directory / "away").rename(plan)
    brought_back(cluster)
    assert cluster.value("SELECT count(*) FROM readings") == 1


def test_a_directory_without_a_cluster_wants_a_schema(cluster: LocalCluster) -> None:
    refused = up(cluster)
    assert refused.code == 2, refused.said
    assert "give --schema FILE.sql" in refused.err
    assert str(ROOT) not in refused.err
