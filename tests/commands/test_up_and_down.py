"""What `up` and `down` say and remember of clusters beside each other."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from local_cluster import DAEDALUS, Answer, free_ports, run_command

KEYED = "CREATE TABLE keyed (id int PRIMARY KEY, day date)"
PLAIN = "CREATE TABLE plain (id int)"


@pytest.fixture
def daedalus(tmp_path: Path) -> Iterator[Callable[..., Answer]]:
    """Runs bin/daedalus with a state directory of its own, and takes down what it has started."""
    folders: list[Path] = []

    def run(*arguments: str | Path) -> Answer:
        if arguments[0] == "up":
            folders.append(tmp_path / f"data-{len(folders)}")
            folders[-1].mkdir(exist_ok=True)
            small = ["--storage-nodes", "1", "--segments", "1", "--segment-mib", "8", "--port", str(free_ports())]
            arguments = (*arguments, "--data-dir", folders[-1], *small)
        return run_command(DAEDALUS, *arguments, environment={"XDG_STATE_HOME": str(tmp_path / "state")})

    yield run
    for folder in folders:
        run("down", "--data-dir", folder)


def schema(folder: Path, ddl: str) -> Path:
    file = folder / "table.sql"
    file.write_text(ddl)
    return file


def test_up_says_once_that_a_primary_key_is_not_enforced(daedalus: Callable[..., Answer], tmp_path: Path) -> None:
    started = daedalus("up", "--schema", schema(tmp_path, KEYED))
    assert started.code == 0, started.said
    assert started.err.count("PRIMARY KEY (id) of keyed is not enforced") == 1
    inserted = daedalus("sql", "-c", "INSERT INTO keyed VALUES (1, '2024-01-01'), (1, NULL), (2, NULL)")
    assert inserted.code == 0, inserted.said
    look_for_doubles = re.search(r"look for doubles: (.*)", started.err)
    assert look_for_doubles is not None, started.err
    doubles = daedalus("sql", "--format", "csv", "-c", look_for_doubles[1])
    assert doubles.out == "id,count\n1,2\n2,1\n", doubles.said


def test_the_log_of_an_earlier_start_is_kept_beside_the_new_one(
    daedalus: Callable[..., Answer], tmp_path: Path
) -> None:
    (tmp_path / "data-0").mkdir()
    for name in ("node-0", "aggregator-0", "writer"):
        (tmp_path / "data-0" / f"{name}.log").write_text("of an earlier start\n")
    started = daedalus("up", "--schema", schema(tmp_path, PLAIN))
    assert started.code == 0, started.said
    for name in ("node-0", "aggregator-0", "writer"):
        assert (tmp_path / "data-0" / f"{name}.log.1").read_text() == "of an earlier start\n"
        assert "of an earlier start" not in (tmp_path / "data-0" / f"{name}.log").read_text()
        assert "ready" in (tmp_path / "data-0" / f"{name}.log").read_text()


def test_down_of_one_cluster_leaves_the_other_known(daedalus: Callable[..., Answer], tmp_path: Path) -> None:
    first = daedalus("up", "--schema", schema(tmp_path, PLAIN))
    assert first.code == 0, first.said
    assert "PRIMARY KEY" not in first.err
    second = daedalus("up", "--schema", schema(tmp_path, KEYED))
    assert second.code == 0, second.said
    assert daedalus("sql", "-c", "SELECT count(*) FROM keyed").code == 0
    stopped = daedalus("down")
    assert re.search(r"Commands go to the cluster at 127\.0\.0\.1:\d+ now", stopped.out), stopped.said
    asked = daedalus("sql", "-c", "SELECT count(*) FROM plain")
    assert asked.code == 0, asked.said
    assert daedalus("down").code == 0
    assert "no cluster is known" in daedalus("status").err
