"""An `up` that does not succeed leaves nothing running that it started, and everything that ran before."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_cluster import (
    POSTGRES_PORT,
    ROOT,
    Answer,
    LocalCluster,
    command_of,
    free_ports,
    members,
    read_processes,
    wait_until,
)

PLAIN = "CREATE TABLE plain (id int NOT NULL);\n"
SMALL = ("--storage-nodes", "2", "--segments", "1", "--segment-mib", "1")
ENDS_AT_ONCE = "exit 3"
NEVER_SERVES = "while :; do sleep 0.1; done"


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[LocalCluster]:
    """A data directory in which nothing has been started."""
    schema = tmp_path / "plain.sql"
    schema.write_text(PLAIN)
    cluster = LocalCluster(free_ports(), schema, tmp_path / "data", tmp_path / "state")
    yield cluster
    cluster.end()


def first_up(cluster: LocalCluster) -> tuple[str | Path, ...]:
    """The command that makes the cluster."""
    where = ("--data-dir", cluster.directory, "--port", str(cluster.port))
    return ("up", "--schema", cluster.schema, *where, *SMALL)


def replace_program(monkeypatch: pytest.MonkeyPatch, folder: Path, program: str, script: str) -> None:
    """Lets `up` start a script in the place of one program, which finds its configuration fine."""
    folder.mkdir()
    file = folder / program
    file.write_text(f'#!/bin/sh\n[ "$1" = --check-config ] && exit\n{script}\n')
    file.chmod(0o755)
    monkeypatch.setenv("DAEDALUS_BIN", str(folder))


def refused(cluster: LocalCluster) -> Answer:
    """An `up` that fails, after which nothing runs and nothing is known to run."""
    answer = cluster.run_daedalus(*first_up(cluster))
    assert answer.code != 0, answer.said
    assert members(cluster.directory) == []
    assert not (cluster.directory / "cluster.pids").exists()
    return answer


@pytest.mark.parametrize("offset", [0, 11, 50, POSTGRES_PORT])
def test_a_port_that_is_taken_leaves_nothing_running(cluster: LocalCluster, offset: int) -> None:
    with socket.create_server(("127.0.0.1", cluster.port + offset)):
        assert f"port {cluster.port + offset} is in use" in refused(cluster).err


def test_a_schema_that_is_wrong_leaves_nothing_running(cluster: LocalCluster) -> None:
    cluster.schema.write_text("CREATE TABLE plain (id integre);\n")
    assert "integre" in refused(cluster).err


@pytest.mark.parametrize("program", ["daedalus-storage-node", "daedalus-aggregator", "daedalus-writer"])
def test_a_process_that_ends_at_once_takes_the_others_with_it(
    cluster: LocalCluster, program: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replace_program(monkeypatch, tmp_path / "bin", program, '[ "$1" = --init ] && exit\n' + ENDS_AT_ONCE)
    assert "ended with exit code 3" in refused(cluster).err


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("program", ["daedalus-aggregator", "daedalus-writer"])
def test_an_interrupted_start_leaves_nothing_running(
    cluster: LocalCluster, program: str, number: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    replace_program(monkeypatch, tmp_path / "bin", program, NEVER_SERVES)
    process = cluster.start_daedalus(*first_up(cluster), stderr=subprocess.STDOUT)
    last = program.removeprefix("daedalus-")
    recorded = cluster.directory / "cluster.pids"
    wait_until(lambda: recorded.exists() and last in recorded.read_text(), "the last process has been started")
    process.send_signal(number)
    said = process.communicate()[0]
    assert process.returncode == 128 + number, said
    assert said.count("daedalus: ") == 1, said
    assert "interrupted: what had been started is stopped again" in said
    assert members(cluster.directory) == []
    assert not recorded.exists()


def test_a_cluster_that_cannot_be_remembered_is_not_left_running(cluster: LocalCluster) -> None:
    cluster.state.write_text("in the way\n")
    assert f"cannot remember the cluster under {cluster.state}" in refused(cluster).err


def test_running_processes_stay_when_the_rest_cannot_be_started(
    cluster: LocalCluster, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    started = cluster.run_daedalus(*first_up(cluster))
    assert started.code == 0, started.said
    cluster.processes = read_processes(cluster.directory)
    cluster.kill("writer", "node-1")
    replace_program(monkeypatch, tmp_path / "bin", "daedalus-writer", ENDS_AT_ONCE)
    again = cluster.run_daedalus("up", "--data-dir", cluster.directory)
    assert again.code == 1, again.said
    assert "writer ended with exit code 3" in again.err
    stayed = {name: cluster.processes[name] for name in ("node-0", "aggregator-0")}
    assert read_processes(cluster.directory) == stayed
    assert sorted(members(cluster.directory)) == sorted(stayed.values())
    assert all(str(ROOT) in command_of(process)[0] for process in stayed.values())
