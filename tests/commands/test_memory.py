"""Segments take the memory they were given, whatever a row takes; what does not fit is refused before a start."""

from __future__ import annotations

from pathlib import Path

from local_cluster import DAEDALUS, Answer, free_ports, local_cluster, run_command

WIDEST = "CREATE TABLE widest (" + ", ".join(f"c{column} varchar(4096)" for column in range(255)) + ");"


def up(base: Path, ddl: str, *options: str) -> Answer:
    """`daedalus up`, expected to refuse."""
    schema = base / "table.sql"
    schema.write_text(ddl)
    port = str(free_ports())
    environment = {"XDG_STATE_HOME": str(base / "state")}
    return run_command(
        DAEDALUS, "up", "--schema", schema, "--data-dir", base / "data", "--port", port, *options,
        environment=environment,
    )  # fmt: skip


def test_the_widest_rows_are_served_from_the_memory_that_was_given(tmp_path: Path) -> None:
    row = ", ".join(f"'{'x' * 4000}'" for _ in range(255))
    with local_cluster(tmp_path, WIDEST, "--storage-nodes", "1", "--segments", "1", "--segment-mib", "128") as cluster:
        assert cluster.change("INSERT INTO widest (c0) VALUES ('first')") == 1
        assert cluster.change(f"INSERT INTO widest VALUES ({row})") == 1
        assert cluster.value("SELECT count(*) FROM widest WHERE c254 >= 'x'") == 1
        resident = Path(f"/proc/{cluster.processes['node-0']}/status").read_text()
        kib = next(int(line.split()[1]) for line in resident.splitlines() if line.startswith("VmRSS"))
        assert kib < 400 << 10
        log = (cluster.directory / "node-0.log").read_text()
        assert "1 segments of 128 MiB and 128 rows" in log


def test_segment_without_room_for_the_least_rows_is_refused_with_what_it_needs(tmp_path: Path) -> None:
    refused = up(tmp_path, WIDEST, "--segment-mib", "32")
    assert refused.code == 2, refused.said
    assert 'a segment of 32 MiB has no room for 64 rows of table "widest"' in refused.said
    assert "give a segment 64 MiB or more" in refused.said


def test_segments_that_do_not_fit_into_the_machine_together_are_refused(tmp_path: Path) -> None:
    refused = up(tmp_path, "CREATE TABLE t (a int);", "--storage-nodes", "40", "--segments", "1024",
                 "--segment-mib", "1048576")  # fmt: skip
    assert refused.code == 2, refused.said
    assert "40960 segments of 1048576 MiB, each with a window of 64 MiB, take " in refused.said
    assert "MiB are available" in refused.said


def test_an_answer_of_no_use_is_refused(tmp_path: Path) -> None:
    refused = up(tmp_path, "CREATE TABLE t (a int);", "--answer-mib", "3")
    assert refused.code == 2, refused.said
    assert "--answer-mib must be 4 to 524288, not 3" in refused.err
