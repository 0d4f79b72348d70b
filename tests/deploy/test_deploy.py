"""deploy/ as an operator uses it: by SSH, on two hosts whose first process is systemd."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from built_programs import PROGRAMS
from local_cluster import DAEDALUS, ROOT, Answer, wait_until
from virtual_hosts import ADDRESSES, VirtualHosts, obstacle, virtual_hosts

ROWS = 1000
PLACES = 40
UNITS = {
    "daedalus-storage-node": ["host-1", "host-2"],
    "daedalus-aggregator": ["host-1"],
    "daedalus-writer": ["host-1"],
}
READINGS = "CREATE TABLE readings (id int NOT NULL, place int NOT NULL, note varchar(8));\n"


@dataclass(frozen=True, slots=True)
class Rollout:
    """Hosts, and an operator's machine beside them."""

    hosts: VirtualHosts
    folder: Path

    def play(self, playbook: str, **variables: object) -> Answer:
        """Runs a playbook of deploy/ on all hosts."""
        return self.hosts.run_beside(
            ROOT / ".venv/bin/ansible-playbook", f"deploy/{playbook}",
            "--inventory", self.folder / "inventory.json", "--extra-vars", json.dumps(variables),
            environment={
                "ANSIBLE_CONFIG": str(ROOT / "deploy" / "ansible.cfg"),
                "ANSIBLE_HOME": str(self.folder / "ansible"),
                "ANSIBLE_NOCOLOR": "1",
                "LC_ALL": "C.UTF-8",
            },
        )  # fmt: skip

    def daedalus(self, *arguments: str | Path) -> Answer:
        """Runs bin/daedalus against the aggregator."""
        environment = {"DAEDALUS_CLUSTER": f"{ADDRESSES['host-1']}:7400", "XDG_STATE_HOME": str(self.folder / "state")}
        return self.hosts.run_beside(DAEDALUS, *arguments, environment=environment)

    def ask(self, statement: str) -> Any:
        """The answer to one statement, or its error, as JSON."""
        return self.daedalus("sql", "-c", statement, "--format", "json").json()

    def value(self, statement: str) -> Any:
        """The one value of a query's one row."""
        answer = self.ask(statement)
        assert "rows" in answer, answer
        return answer["rows"][0][0]

    def processes(self) -> dict[tuple[str, str], str]:
        """The main process of every service on every host."""
        return {
            (host, unit): self.hosts.on(host, f"systemctl show --property MainPID --value {unit}")
            for unit, hosts in UNITS.items()
            for host in hosts
        }


def inventory(hosts: VirtualHosts, schema: Path) -> dict[str, Any]:
    """Storage nodes on both hosts; aggregator and writer on the first."""
    groups = {"storage_nodes": UNITS["daedalus-storage-node"], "aggregators": ["host-1"], "writers": ["host-1"]}
    return {
        "all": {
            "vars": {
                "ansible_user": "root",
                "ansible_ssh_private_key_file": str(hosts.key),
                "ansible_ssh_common_args": f"-o UserKnownHostsFile={hosts.known_hosts}",
                "cluster_id": "readings-test",
                "cluster_update_package_lists": False,  # nothing can be fetched from there
                "cluster_programs": str(PROGRAMS),
                "cluster_schema": str(schema),
                "cluster_schema_output": str(hosts.work / "schema"),
                "cluster_partition_by": "hash(place)",
                "storage_node_segment_mib": 4,
                "storage_node_window_mib": 16,
                "storage_node_answer_mib": 8,
                "writer_heap_mib": 128,
            },
            "hosts": {host: {"ansible_host": address} for host, address in ADDRESSES.items()},
            "children": {group: {"hosts": {host: {} for host in members}} for group, members in groups.items()},
        }
    }


@pytest.fixture(scope="module")
def rollout(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Rollout]:
    """A cluster that deploy/site.yml made on hosts that had none, with ROWS rows."""
    work = tmp_path_factory.mktemp("deploy")
    (work / "probe").mkdir()
    missing = obstacle(work / "probe")
    if missing:
        pytest.skip(f"not run: needs root and namespaces ({missing})")
    schema, lines = work / "readings.sql", work / "readings.csv"
    schema.write_text(READINGS)
    lines.write_text("id,place,note\n" + "".join(f"{n},{n % PLACES},\n" for n in range(ROWS)))
    with virtual_hosts(work) as hosts:
        made = Rollout(hosts, work)
        (work / "inventory.json").write_text(json.dumps(inventory(hosts, schema)))
        refused = made.play("site.yml")
        assert refused.code != 0
        assert "has no data directory of a storage node" in refused.out, refused.out
        assert "cluster_is_new" in refused.out
        played = made.play("site.yml", cluster_is_new=True)
        assert played.code == 0, played.said
        wait_until(lambda: "applied" in made.ask("DELETE FROM readings"), "the writer takes updates")
        loaded = made.daedalus("load", lines)
        assert loaded.code == 0, loaded.said
        yield made


def changes(played: Answer) -> dict[str, int]:
    """Returns what a playbook's last lines say about every host."""
    return {host: int(changed) for host, changed in re.findall(r"^(\S+) +: ok=.* changed=(\d+)", played.out, re.M)}


def test_rows_are_loaded_and_found_on_both_hosts(rollout: Rollout) -> None:
    assert rollout.value("SELECT count(*) FROM readings") == str(ROWS)
    assert rollout.value("SELECT count(*) FROM readings WHERE place = 7") == str(ROWS // PLACES)
    assert rollout.ask("UPDATE readings SET note = 'late' WHERE id < 10")["applied"] == 10
    assert rollout.value("SELECT count(*) FROM readings WHERE note = 'late'") == "10"
    status = rollout.daedalus("status")
    assert status.code == 0, status.said


def test_services_run_confined_and_still_pin_their_threads_and_ask_for_huge_pages(rollout: Rollout) -> None:
    for (host, unit), process in rollout.processes().items():
        assert rollout.hosts.on(host, f"stat -c %U /proc/{process}") == "daedalus", unit
        assert rollout.hosts.on(host, f"systemctl is-enabled {unit}") == "enabled"
    process = rollout.processes()["host-2", "daedalus-storage-node"]
    assert "unpinned" not in rollout.hosts.on("host-2", "journalctl --unit daedalus-storage-node --output cat")
    pinned = rollout.hosts.on("host-2", f"grep -h Cpus_allowed_list /proc/{process}/task/*/status")
    assert re.search(r"\t\d+$", pinned, re.M), pinned
    assert "hg" in rollout.hosts.on("host-2", f"grep VmFlags /proc/{process}/smaps").split()


def test_answers_have_the_room_that_was_given(rollout: Rollout) -> None:
    for host in UNITS["daedalus-storage-node"]:
        settings = rollout.hosts.on(host, "cat /etc/daedalus/storage_node.toml").splitlines()
        assert {"window_mib = 16", "answer_memory_mib = 256", "answer_mib = 8"} <= set(settings)


def test_second_run_changes_nothing(rollout: Rollout) -> None:
    before = rollout.processes()
    played = rollout.play("site.yml")
    assert played.code == 0, played.said
    assert changes(played) == dict.fromkeys(ADDRESSES, 0), played.out
    assert rollout.processes() == before


def test_aggregator_and_writer_change_without_loss_of_rows(rollout: Rollout) -> None:
    before = rollout.processes()
    played = rollout.play("site.yml", aggregator_sql_threads=2, aggregator_answer_mib=300, writer_heap_mib=160)
    assert played.code == 0, played.said
    restarted = {unit for (host, unit), process in rollout.processes().items() if process != before[host, unit]}
    assert restarted == {"daedalus-aggregator", "daedalus-writer"}
    assert "answer_mib = 300" in rollout.hosts.on("host-1", "cat /etc/daedalus/aggregator.toml").splitlines()
    wait_until(lambda: "applied" in rollout.ask("UPDATE readings SET note = 'new'"), "the writer takes updates again")
    assert rollout.value("SELECT count(*) FROM readings WHERE note = 'new'") == str(ROWS)


def test_configuration_that_the_program_refuses_replaces_nothing(rollout: Rollout) -> None:
    files = "cat /etc/daedalus/{storage_node,aggregator}.toml /etc/systemd/system/daedalus-* 2> /dev/null || true"
    before = rollout.processes(), [rollout.hosts.on(host, files) for host in ADDRESSES]
    played = rollout.play("site.yml", cluster_partition_by="hash(colour)", cluster_discard_rows=True)
    assert played.code != 0
    assert re.search(r"failed to validate.*has no column .*colour", played.out), played.out
    assert (rollout.processes(), [rollout.hosts.on(host, files) for host in ADDRESSES]) == before
    assert rollout.value("SELECT count(*) FROM readings") == str(ROWS)


def test_a_deployment_that_cannot_run_is_refused_before_anything_is_installed(rollout: Rollout) -> None:
    listing = "ls -l --time-style=full-iso /etc/daedalus /etc/daedalus/candidate /opt/daedalus"
    before = rollout.processes(), rollout.hosts.on("host-1", listing)
    cases: list[tuple[dict[str, object], str]] = [
        ({"cluster_programs": "/nowhere"}, "Missing here: /nowhere/daedalus-storage-node"),
        ({"writer_heep_mib": 160}, "has variables that mean nothing: writer_heep_mib"),
        ({"aggregator_postgres_port": 7450}, "would have one port"),
    ]
    for variables, words in cases:
        played = rollout.play("site.yml", **variables)
        assert played.code != 0
        assert words in " ".join(played.out.split()), played.out
    assert (rollout.processes(), rollout.hosts.on("host-1", listing)) == before


def test_a_service_is_not_replaced_by_one_whose_port_is_taken(rollout: Rollout) -> None:
    before = rollout.processes()
    listen = "import signal, socket; held = socket.create_server(('', 5432)); signal.pause()"
    rollout.hosts.on("host-1", f'systemd-run --unit=in-the-way python3 -c "{listen}"')
    wait_until(lambda: ":5432" in rollout.hosts.on("host-1", "ss -ltn"), "the port is taken")
    played = rollout.play("site.yml", aggregator_postgres_port=5432, aggregator_postgres_catalogue="off")
    rollout.hosts.on("host-1", "systemctl stop in-the-way")
    assert played.code != 0
    assert "Port 5432 of host-1, which daedalus-aggregator is to have, is somebody else's" in " ".join(
        played.out.split()
    )
    assert rollout.processes() == before
    assert rollout.value("SELECT count(*) FROM readings") == str(ROWS)


def test_an_answer_larger_than_all_may_be_is_refused_before_anything_changes(rollout: Rollout) -> None:
    before = rollout.processes()
    played = rollout.play("site.yml", aggregator_answer_mib=513)
    assert played.code != 0
    assert re.search(r"failed to validate.*answer_mib", played.out), played.out
    assert rollout.processes() == before


def test_a_process_that_cannot_be_reached_is_named_after_a_minute(rollout: Rollout) -> None:
    assert "cluster_start_seconds_max: 60 " in (ROOT / "deploy/roles/cluster/defaults/main.yml").read_text()
    override = "/etc/systemd/system/daedalus-aggregator.service.d"
    text = "[Service]\\nExecStart=\\nExecStart=/bin/sleep infinity\\n"
    rollout.hosts.on("host-1", f"mkdir {override} && printf '{text}' > {override}/deaf.conf")
    rollout.hosts.on("host-1", "systemctl daemon-reload && systemctl stop daedalus-aggregator")
    played = rollout.play("site.yml", cluster_start_seconds_max=1)
    rollout.hosts.on("host-1", f"rm -r {override} && systemctl daemon-reload && systemctl restart daedalus-aggregator")
    assert played.code != 0
    assert f"cannot be reached at {ADDRESSES['host-1']}:7400; journalctl --unit daedalus-aggregator" in played.out
    wait_until(lambda: rollout.ask("SELECT count(*) FROM readings").get("rows") == [[str(ROWS)]], "it answers again")


def test_storage_nodes_restart_with_their_rows(rollout: Rollout) -> None:
    before = rollout.processes()
    played = rollout.play("site.yml", storage_node_answer_mib=9)
    assert played.code == 0, played.said
    restarted = {unit for (host, unit), process in rollout.processes().items() if process != before[host, unit]}
    assert restarted == {"daedalus-storage-node"}
    wait_until(lambda: rollout.ask("SELECT count(*) FROM readings").get("rows") == [[str(ROWS)]], "nodes are back")
    wait_until(lambda: "applied" in rollout.ask("UPDATE readings SET note = 'on'"), "the writer takes updates again")


def test_a_change_that_rows_do_not_fit_is_refused(rollout: Rollout) -> None:
    before = rollout.processes()
    for change in ({"storage_node_segment_mib": 8}, {"cluster_partition_by": "round_robin"}):
        played = rollout.play("site.yml", **change)
        assert played.code != 0
        assert "its data is of" in played.out, played.out
    played = rollout.play("site.yml", cluster_durability="off")
    assert played.code != 0
    assert "cluster_discard_rows" in played.out, played.out
    assert rollout.processes() == before
    assert rollout.value("SELECT count(*) FROM readings") == str(ROWS)


def test_a_data_directory_that_is_gone_is_not_taken_for_a_new_one(rollout: Rollout) -> None:
    folder = "/var/lib/daedalus/storage-node"
    rollout.hosts.on("host-2", f"systemctl stop daedalus-storage-node && mv {folder} {folder}.away")
    for variables, words in ({}, "bring it back"), ({"cluster_is_new": True}, "other nodes have been written to"):
        played = rollout.play("site.yml", **variables)
        assert played.code != 0
        assert words in " ".join(played.out.split()), played.out
    rollout.hosts.on("host-2", f"mv {folder}.away {folder} && systemctl start daedalus-storage-node")
    wait_until(lambda: rollout.ask("SELECT count(*) FROM readings").get("rows") == [[str(ROWS)]], "the node is back")


def test_killed_processes_are_started_again_with_all_rows(rollout: Rollout) -> None:
    before = rollout.processes()
    for (host, _), process in before.items():
        rollout.hosts.on(host, f"kill -9 {process}")
    wait_until(lambda: rollout.ask("SELECT count(*) FROM readings").get("rows") == [[str(ROWS)]], "all are back")
    wait_until(lambda: "applied" in rollout.ask("UPDATE readings SET note = 'on'"), "the writer takes updates again")
    assert not set(rollout.processes().values()) & set(before.values())


def test_rows_that_are_kept_are_given_up_with_consent_only(rollout: Rollout) -> None:
    before = rollout.processes()
    refused = rollout.play("start_afresh.yml")
    assert refused.code != 0
    assert "cluster_discard_rows" in refused.out, refused.out
    assert rollout.processes() == before
    played = rollout.play("start_afresh.yml", cluster_discard_rows=True)
    assert played.code == 0, played.said
    wait_until(lambda: "applied" in rollout.ask("DELETE FROM readings"), "the writer takes updates again")
    assert rollout.value("SELECT count(*) FROM readings") == "0"
    assert rollout.ask("INSERT INTO readings VALUES (1, 1, 'new'), (2, 2, 'new')")["applied"] == 2


@pytest.fixture(scope="module")
def forgetful(rollout: Rollout) -> Rollout:
    """Rolls the same hosts out without durability, with ROWS rows again."""
    played = rollout.play("site.yml", cluster_durability="off", cluster_discard_rows=True)
    assert played.code == 0, played.said
    wait_until(lambda: "applied" in rollout.ask("DELETE FROM readings"), "the writer takes updates")
    assert rollout.value("SELECT count(*) FROM readings") == "0"
    loaded = rollout.daedalus("load", rollout.folder / "readings.csv", "--restart")
    assert loaded.code == 0, loaded.said
    return rollout


def test_change_that_would_lose_rows_wants_consent(forgetful: Rollout) -> None:
    before = forgetful.processes()
    played = forgetful.play("site.yml", cluster_durability="off", storage_node_segment_mib=8)
    assert played.code != 0
    assert "cluster_discard_rows" in played.out, played.out
    assert forgetful.processes() == before
    assert forgetful.value("SELECT count(*) FROM readings") == str(ROWS)


def test_killed_storage_node_without_durability_is_named_and_nothing_is_answered_wrongly(forgetful: Rollout) -> None:
    rollout = forgetful
    before = rollout.processes()["host-2", "daedalus-storage-node"]
    rollout.hosts.on("host-2", f"kill -9 {before}")

    def is_back() -> bool:
        show = "systemctl show --property ActiveState,MainPID --value daedalus-storage-node"
        process, state = sorted(rollout.hosts.on("host-2", show).split())
        return state == "active" and process not in {"0", before}

    wait_until(is_back, "systemd starts the storage node again")
    log = "journalctl --unit daedalus-storage-node --output cat"
    wait_until(lambda: "afresh" in rollout.hosts.on("host-2", log), "the node says that its rows are lost")
    questions = rollout.folder / "places.sql"
    questions.write_text("".join(f"SELECT count(*) FROM readings WHERE place = {n};\n" for n in range(PLACES)))
    answered = rollout.daedalus("sql", "-f", questions, "--format", "json")
    answers = [json.loads(line) for line in answered.out.splitlines()]
    assert len(answers) == PLACES, answered.said
    right = [answer for answer in answers if "rows" in answer]
    assert 0 < len(right) < PLACES, "places of the other host are still answered"
    assert all(answer["rows"] == [[str(ROWS // PLACES)]] for answer in right), right
    assert "error" in rollout.ask("SELECT count(*) FROM readings"), "no answer is partial"

    played = rollout.play("start_afresh.yml", cluster_durability="off")
    assert played.code == 0, played.said
    wait_until(lambda: "applied" in rollout.ask("DELETE FROM readings"), "the writer takes updates again")
    assert rollout.value("SELECT count(*) FROM readings") == "0"
    assert rollout.ask("INSERT INTO readings VALUES (1, 1, 'new'), (2, 2, 'new')")["applied"] == 2
    assert rollout.value("SELECT count(*) FROM readings") == "2"
