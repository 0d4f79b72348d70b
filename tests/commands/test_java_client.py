"""The Java client as an application uses it, against real clusters: the example, thousands in flight, every type."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from local_cluster import ROOT, Answer, LocalCluster, local_cluster, run_command, wait_until
from project_version import project_version

JAVA = ROOT / "client-java"
PROBES = [
    JAVA / f"client/target/client-{project_version()}-tests.jar",
    *sorted((JAVA / "examples/target/lib").glob("*.jar")),
]
FLIGHTS = (ROOT / "schemas/flights.sql").read_text()
EVERY_TYPE = (ROOT / "schemas/every_type.sql").read_text()
NUMBERS = "CREATE TABLE numbers (id int NOT NULL, n int NOT NULL);"
ROWS = 1_000
SMALL = ("--storage-nodes", "1", "--segments", "1", "--aggregators", "2", "--segment-mib", "1")


def probe_command(name: str, cluster: LocalCluster, *arguments: object) -> list[str]:
    """The command line of one of the client's own programs that use a real cluster."""
    aggregators = f"{cluster.address},127.0.0.1:{cluster.port + 1}"
    classpath = ":".join(str(jar) for jar in PROBES)
    return ["java", "-cp", classpath, f"org.daedalus.client.{name}", aggregators, *(str(a) for a in arguments)]


def run_probe(name: str, cluster: LocalCluster, *arguments: object) -> Answer:
    """Runs such a program to its end."""
    return run_command(*probe_command(name, cluster, *arguments))


@pytest.fixture(scope="module")
def flights(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    with local_cluster(tmp_path_factory.mktemp("flights"), FLIGHTS, *SMALL) as running:
        yield running


@pytest.fixture(scope="module")
def any_numbers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    """With room for as many rows as the largest test inserts."""
    options = (*SMALL[:-1], "16", "--partition-by", "hash(id)")
    with local_cluster(tmp_path_factory.mktemp("numbers"), NUMBERS, *options) as running:
        yield running


@pytest.fixture
def numbers(any_numbers: LocalCluster) -> LocalCluster:
    """With the rows that the probes expect."""
    any_numbers.change("DELETE FROM numbers")
    rows = ", ".join(f"({row}, {7 * row})" for row in range(ROWS))
    assert any_numbers.change(f"INSERT INTO numbers VALUES {rows}") == ROWS
    return any_numbers


def test_example_does_what_it_says_and_can_be_run_again(flights: LocalCluster) -> None:
    expected = [
        "3 departures scheduled",
        "B6: 2 departures, at most 1598 miles",
        "DL: 1 departures, at most 2475 miles",
        "2 departures delayed",
        "BOS late by 25 min",
        "LAX on time",
        "SJU late by 25 min",
        "4260 miles in all",
        "wrong, and wrong again: 42703 ",
    ]
    for _ in range(2):
        example = run_command(
            "java",
            "-jar",
            JAVA / "examples/target/daedalus-examples.jar",
            flights.address,
            f"127.0.0.1:{flights.port + 1}",
        )
        assert example.code == 0, example.said
        lines = example.out.splitlines()
        assert lines[:-1] == expected[:-1]
        assert lines[-1].startswith(expected[-1])
    assert flights.value("SELECT count(*) FROM flights") == 3


def test_bulk_insert_of_the_example_inserts_every_row(flights: LocalCluster) -> None:
    classpath = JAVA / "examples/target/daedalus-examples.jar"
    done = run_command("java", "-cp", classpath, "org.daedalus.examples.BulkInsert", "5500", *flights.addresses)
    assert (done.code, done.out) == (0, "5500 rows are in\n"), done.said
    assert flights.value("SELECT count(*) FROM flights WHERE year = 2031 AND hour = 0 AND minute = 59") == 4
    assert flights.change("DELETE FROM flights WHERE year = 2031") == 5_500


def test_an_application_that_is_the_writer_submits_batches_of_rows(flights: LocalCluster) -> None:
    libraries = sorted(path.name for path in (JAVA / "examples/writer/target/lib").iterdir())
    assert [name for name in libraries if name.startswith(("picocli", "slf4j-simple"))] == []
    jar = JAVA / "examples/writer/target/daedalus-example-writer.jar"
    endpoint = f"127.0.0.1:{flights.port + 50}"
    command = ["java", "-jar", str(jar), str(flights.directory / "writer"), endpoint, "2500", *flights.addresses]
    refused = run_command(*command)
    assert refused.code == 1
    assert "is used by another process" in refused.said
    flights.kill("writer")
    try:
        done = run_command(*command)
        assert (done.code, done.out) == (0, "2500 rows are in\n"), done.said
    finally:
        flights.start_again("writer")
    wait_until(lambda: flights.succeeds("DELETE FROM flights WHERE year = -1"), "the cluster has its writer again")
    assert flights.value("SELECT count(*) FROM flights WHERE year = 2032 AND dest = 'ZRH'") == 2_500
    assert flights.change("DELETE FROM flights WHERE year = 2032") == 2_500


def test_a_machine_without_a_network_card_is_nothing_to_warn_of() -> None:
    alone = ["unshare", "--user", "--map-root-user", "--net"]
    if run_command(*alone, "true").code != 0:
        pytest.skip("unshare cannot take the network away here")
    # An application that logs: the programs of this tree, which do not, would never show it.
    logging = next((JAVA / "writer/target/lib").glob("slf4j-simple-*.jar"))
    classpath = ":".join(str(jar) for jar in (*PROBES[1:], JAVA / "examples/target/daedalus-examples.jar", logging))
    options = ["-Dslf4j.provider=org.slf4j.simple.SimpleServiceProvider", "-Dorg.slf4j.simpleLogger.log.io.netty=debug"]
    application = ["java", *options, "-cp", classpath, "org.daedalus.examples.DepartureDesk", "127.0.0.1:9"]
    asked = run_command(*alone, *application)
    assert asked.code == 1
    assert "no aggregator is reachable" in asked.err
    assert "DEBUG io.netty" in asked.err, "what Netty says is shown"
    assert [line for line in asked.err.splitlines() if "WARN" in line] == []


def test_four_thousand_queries_in_flight_are_all_answered(numbers: LocalCluster) -> None:
    answer = run_probe("InFlightProbe", numbers, 4_000, 40_000, ROWS)
    report = answer.json()
    assert report["ended"], answer.said
    assert (report["answered"], report["wrong"], report["failed"]) == (40_000, 0, 0), answer.said


def test_nothing_is_lost_or_doubled_when_an_aggregator_dies_under_load(numbers: LocalCluster) -> None:
    total = 20_000
    probe = subprocess.Popen(
        probe_command("FailoverProbe", numbers, 500, total, ROWS),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert probe.stdout is not None
        assert probe.stdout.readline().strip() == "under load", "the probe says when a tenth of it has been answered"
        numbers.kill("aggregator-1")
        out, err = probe.communicate(timeout=100)
        numbers.start_again("aggregator-1")
    finally:
        if probe.poll() is None:
            os.kill(probe.pid, signal.SIGKILL)
            probe.wait()
    report = json.loads(out)
    assert report["answered"] == total, out + err
    assert (report["wrong"], report["unknown"], report["failed"]) == (0, 0, 0), out + err
    expected = 7 * sum(range(ROWS)) + report["updates"]
    assert numbers.value("SELECT sum(n) FROM numbers") == expected, "every update took effect once"
    wait_until(lambda: numbers.succeeds("SELECT count(*) FROM numbers", 1), "the aggregator that died is there again")


@pytest.mark.parametrize(("java_options", "rows"), [([], 100), (["-Xint"], 10)], ids=["cold", "never warm"])
def test_two_thousand_batches_at_once_are_no_trouble_for_a_cold_cluster(
    any_numbers: LocalCluster, java_options: list[str], rows: int
) -> None:
    """A virtual machine that only interprets is as slow for good as every one is in its first second."""
    batches = 2_000
    cold = any_numbers
    cold.kill("writer")
    cold.start_again("writer", change=lambda command: [command[0], *java_options, *command[1:]])
    wait_until(lambda: cold.succeeds("DELETE FROM numbers"), "the new writer takes updates")
    updates_before, logged_before = updates_total(cold), logs_of_aggregators(cold)
    java, *words = probe_command("ColdStartProbe", cold, batches, rows)
    answer = run_command(java, *java_options, *words)
    report = json.loads(answer.out)
    assert (report["applied"], report["failed"], report["lost"]) == (batches * rows, 0, 0), answer.said
    assert report["sendings"] < 4 * batches, "submissions wait for room instead of being repeated"
    updates = updates_total(cold) - updates_before
    assert batches <= updates < 2 * batches, "the writer sends again only what nobody carries"
    assert [line for line in said_since(logged_before, cold) if "is gone" in line] == []


def updates_total(cluster: LocalCluster) -> int:
    """How many updates the aggregators have sent to nodes."""
    reports = [
        cluster.run_daedalus("status", "--cluster", address, "--format", "json").json()["status"]["aggregator"]
        for address in cluster.addresses
    ]
    return sum(int(report["updates_total"]) for report in reports)


def logs_of_aggregators(cluster: LocalCluster) -> list[list[str]]:
    """The lines that each has logged."""
    return [(cluster.directory / f"aggregator-{number}.log").read_text().splitlines() for number in (0, 1)]


def said_since(before: list[list[str]], cluster: LocalCluster) -> list[str]:
    """Returns what aggregators have logged since then, but for peers that went as they should."""
    later = zip(before, logs_of_aggregators(cluster), strict=True)
    lines = [line for old, new in later for line in new[len(old) :]]
    return [line for line in lines if "peer said goodbye: shutting down" not in line]


def test_reads_never_go_back_and_views_outlive_their_aggregator(tmp_path: Path) -> None:
    """Through another aggregator than the writes, and while one dies; two storage nodes have a part in every update."""
    rows, updates = 10, 40
    options = ("--storage-nodes", "2", "--segments", "2", "--aggregators", "2", "--segment-mib", "1")
    with local_cluster(tmp_path, NUMBERS, *options, "--partition-by", "hash(id)") as cluster:
        values = ", ".join(f"({row}, {7 * row})" for row in range(rows))
        assert cluster.change(f"INSERT INTO numbers VALUES {values}") == rows
        probe = subprocess.Popen(
            probe_command("MomentsProbe", cluster, updates, rows),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert probe.stdout is not None
            assert probe.stdout.readline().strip() == "views are held", probe.communicate(timeout=60)
            cluster.kill("aggregator-0")
            out, err = probe.communicate(input="one is dead\n", timeout=100)
        finally:
            if probe.poll() is None:
                os.kill(probe.pid, signal.SIGKILL)
                probe.wait()
        expected = {"unseen": 0, "back": 0, "other_moments": 0, "other_sums": 0}
        assert json.loads(out) == expected, out + err


def test_every_type_goes_in_as_a_parameter_and_comes_out_of_its_getter(tmp_path: Path) -> None:
    with local_cluster(tmp_path, EVERY_TYPE, *SMALL) as cluster:
        answer = run_probe("EveryTypeProbe", cluster)
        assert answer.code == 0, answer.said
        assert answer.out.splitlines()[-1] == "every type is what it was", answer.said


def test_a_client_goes_on_with_the_cluster_that_replaced_its_own(any_numbers: LocalCluster, tmp_path: Path) -> None:
    """The last of these tests: the cluster is gone then."""
    old = any_numbers
    probe = subprocess.Popen(
        probe_command("ReplacedClusterProbe", old), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert probe.stdout is not None
        assert probe.stdin is not None
        assert probe.stdout.readline().strip() == "numbers: id, n"
        assert old.run_daedalus("down", "--data-dir", old.directory).code == 0
        second = LocalCluster(old.port, tmp_path / "second.sql", tmp_path / "data", tmp_path / "state")
        second.schema.write_text("CREATE TABLE others (name varchar(8) NOT NULL);")
        again = ("--schema", second.schema, "--data-dir", second.directory, "--port", str(second.port), *SMALL)
        try:
            wait_until(lambda: second.run_daedalus("up", *again).code == 0, "the ports of the old cluster are free")
            out, _ = probe.communicate(input="another cluster is up\n", timeout=60)
        finally:
            second.end()
    finally:
        if probe.poll() is None:
            os.kill(probe.pid, signal.SIGKILL)
            probe.wait()
    assert out.splitlines() == ["stale batch: REJECTED 55000", "others: name", "1 row"], out
