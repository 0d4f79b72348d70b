"""`daedalus sql` on a terminal: the shell."""

from __future__ import annotations

import contextlib
import re
import shutil
import socket
import stat
import threading
from collections.abc import Iterator
from pathlib import Path

from local_cluster import DAEDALUS, LocalCluster, wait_until
from terminal import TerminalSession

PROMPT = r"items=> "


@contextlib.contextmanager
def shell(
    cluster: LocalCluster, *options: str, rows: int = 40, columns: int = 100, **environment: str
) -> Iterator[TerminalSession]:
    known = {"DAEDALUS_CLUSTER": cluster.address, "XDG_STATE_HOME": str(cluster.state), **environment}
    session = TerminalSession(DAEDALUS, "sql", *options, environment=known, rows=rows, columns=columns)
    with session:
        session.expect(PROMPT)
        yield session


def test_statements_of_several_lines_run_at_the_semicolon(empty_table: LocalCluster) -> None:
    with shell(empty_table) as session:
        session.ask("INSERT INTO items (id, place, name)", r"items-> ")
        session.ask("VALUES (", r"items\(> ")
        session.ask("1, 1, 'a", r"items'> ")
        shown = session.ask("b');", PROMPT)
        assert "1 row inserted" in shown
        shown = session.ask("SELECT id, name FROM items;", PROMPT)
        assert "id | name" in shown
        assert "1 | a   +" in shown
        assert "(1 row, " in shown
        session.type("\\q\r")
        assert session.exit_code() == 0


def test_control_d_ends_it_and_control_c_clears_the_line(empty_table: LocalCluster) -> None:
    with shell(empty_table) as session:
        session.ask("SELECT nonsense", r"items-> ")
        session.type("more \x03")
        session.expect(PROMPT)
        assert "(1 row, " in session.ask("SELECT count(*) FROM items;", PROMPT)
        session.type("\x04")
        assert session.exit_code() == 0


def test_control_c_cancels_the_query_and_not_the_shell(cluster: LocalCluster) -> None:
    nodes = [name for name in cluster.processes if name.startswith("node-")]
    with shell(cluster) as session:
        session.ask("SELECT count(*) FROM items;", PROMPT)
        shown = ""
        # Nodes that are silent for two seconds are given up: on a busy machine that may come first.
        for _ in range(5):
            cluster.suspend(*nodes)
            try:
                session.ask("SELECT count(*) FROM items;", r"FROM items;\n")
                session.type("\x03")
                shown = session.expect(PROMPT)
            finally:
                cluster.resume(*nodes)
            if "Cancelled." in shown:
                break
            wait_until(lambda: cluster.succeeds("SELECT count(*) FROM items"), "nodes are back")
        assert "Cancelled." in shown
        for _ in range(3):
            session.type("\x03")
            session.expect(PROMPT)
        session.ask("\\echo echoed", "echoed\n" + PROMPT)
        session.type("\\q\r")
        assert session.exit_code() == 0


def test_tab_completes_keywords_columns_functions_and_commands(cluster: LocalCluster) -> None:
    with shell(cluster) as session:
        session.type("sel\t")
        session.expect(r"select ")
        session.type("amou\t")
        session.expect(r"amount ")
        session.type(", coun\t")
        session.expect(r"count\(")
        session.type("*) from ite\t")
        session.expect(r"items ")
        session.type("\x03")
        session.expect(PROMPT)
        session.type("\\tim\t")
        session.expect(r"timing ")


def test_history_is_kept_between_shells_for_the_user_alone(cluster: LocalCluster) -> None:
    with shell(cluster) as session:
        session.ask("\\echo remembered", "remembered\n" + PROMPT)
        session.type("\\q\r")
        session.exit_code()
    history = cluster.state / "daedalus" / "sql_history"
    assert stat.S_IMODE(history.stat().st_mode) == 0o600
    with shell(cluster) as session:
        session.type("\x1b[A")
        session.expect(r"\\q")
        session.type("\x1b[A")
        session.expect("remembered")
        session.type("\r")
        session.expect("remembered\n" + PROMPT)


def test_commands_change_how_answers_look(empty_table: LocalCluster) -> None:
    empty_table.change("INSERT INTO items (id, place, name) VALUES (1, 1, ''), (2, 1, NULL)")
    with shell(empty_table) as session:
        query = "SELECT id, name FROM items ORDER BY id;"
        assert "2 | NULL" in session.ask(query, PROMPT)
        session.ask("\\pset null '(null)'", PROMPT)
        assert "2 | (null)" in session.ask(query, PROMPT)
        assert "Expanded display is on." in session.ask("\\x", PROMPT)
        assert "-[ RECORD 2 ]" in session.ask(query, PROMPT)
        session.ask("\\x auto", PROMPT)
        assert "Timing is off." in session.ask("\\timing", PROMPT)
        assert "(2 rows)" in session.ask(query, PROMPT)
        session.ask("\\pset format csv", PROMPT)
        assert '1,""\n2,(null)' in session.ask(query, PROMPT)
        assert "did you mean \\timing?" in session.ask("\\timin", PROMPT)
        assert "-[ RECORD 1 ]" in session.ask("\\pset format table", PROMPT) + session.ask(
            "SELECT id FROM items \\gx", PROMPT
        )


def test_columns_are_described(cluster: LocalCluster) -> None:
    with shell(cluster) as session:
        for question in ("\\d", "\\d items", "DESCRIBE items;", "desc ITEMS;"):
            shown = session.ask(question, PROMPT)
            assert "price  | numeric(6,2)" in shown
            assert "partition" in shown
        assert 'relation "other" does not exist' in session.ask("\\d other", PROMPT)


def test_rows_wider_than_the_terminal_are_shown_one_column_a_line(empty_table: LocalCluster) -> None:
    empty_table.change("INSERT INTO items (id, place) VALUES (1, 1)")
    with shell(empty_table, columns=50) as session:
        shown = session.ask("SELECT * FROM items;", PROMPT)
        assert "-[ RECORD 1 ]" in shown
        assert "flag   | ok" in shown


def test_long_answers_go_through_the_pager(empty_table: LocalCluster, tmp_path: Path) -> None:
    rows = ", ".join(f"({number}, 1)" for number in range(100))
    empty_table.change(f"INSERT INTO items (id, place) VALUES {rows}")
    paged = tmp_path / "paged"
    with shell(empty_table, rows=20, PAGER=f"cat > {paged}; echo turned") as session:
        assert "turned" in session.ask("SELECT id FROM items ORDER BY id;", PROMPT)
        assert "(100 rows, " in paged.read_text()
        assert "(1 row, " in session.ask("SELECT count(*) FROM items;", PROMPT)
        session.ask("\\pset pager off", PROMPT)
        assert "(100 rows, " in session.ask("SELECT id FROM items;", PROMPT)


def test_files_are_run_and_written(empty_table: LocalCluster, tmp_path: Path) -> None:
    statements = tmp_path / "statements.sql"
    statements.write_text("INSERT INTO items (id, place) VALUES (7, 1);\nSELECT id FROM items;\n")
    answers = tmp_path / "answers"
    with shell(empty_table) as session:
        session.ask(f"\\o {answers}", PROMPT)
        session.ask(f"\\i {statements}", PROMPT)
        session.ask("\\o", PROMPT)
        assert "7" in answers.read_text()
        assert "no such file" in session.ask("\\i nowhere.sql", PROMPT)


def test_long_answers_are_printed_where_less_is_missing(empty_table: LocalCluster, tmp_path: Path) -> None:
    rows = ", ".join(f"({number}, 1)" for number in range(100))
    assert empty_table.change(f"INSERT INTO items (id, place) VALUES {rows}") == 100
    for tool in ("bash", "sh", "env", "readlink", "dirname", "java"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    with shell(empty_table, rows=10, PATH=str(tmp_path)) as session:
        shown = session.ask("SELECT id FROM items ORDER BY id;", PROMPT)
        assert "(100 rows, " in shown
        assert "not found" not in shown
        assert shown.index(" 0\n") < shown.index(" 99\n")


@contextlib.contextmanager
def slow_way(address: str, seconds: float) -> Iterator[str]:
    """An address that leads to another one; nothing passes before a connection has been there for so long."""
    host, _, port = address.partition(":")
    with contextlib.ExitStack() as opened:
        door = opened.enter_context(socket.create_server(("127.0.0.1", 0)))
        ended = threading.Event()
        opened.callback(ended.set)

        def pass_on(source: socket.socket, sink: socket.socket) -> None:
            with contextlib.suppress(OSError):
                while piece := source.recv(65_536):
                    sink.sendall(piece)
                sink.shutdown(socket.SHUT_WR)

        def take(near: socket.socket) -> None:
            ended.wait(seconds)
            with near, contextlib.suppress(OSError), socket.create_connection((host, int(port))) as far:
                back = threading.Thread(target=pass_on, args=(far, near), daemon=True)
                back.start()
                pass_on(near, far)
                back.join()

        def listen() -> None:
            with contextlib.suppress(OSError):
                while True:
                    threading.Thread(target=take, args=(door.accept()[0],), daemon=True).start()

        threading.Thread(target=listen, daemon=True).start()
        yield f"127.0.0.1:{door.getsockname()[1]}"


def test_latency_is_that_of_the_statement_without_the_connection(cluster: LocalCluster) -> None:
    seconds = 1.5
    query = "SELECT count(*) FROM items"
    with slow_way(cluster.address, seconds) as address:
        with shell(cluster, DAEDALUS_CLUSTER=address) as session:
            in_shell = session.ask(f"{query};", PROMPT)
        by_option = cluster.run_daedalus("sql", "--cluster", address, "-c", query).out
    for shown in (in_shell, by_option):
        latency = re.search(r"\(1 row, ([0-9.]+) ms\)", shown)
        assert latency is not None, shown
        assert float(latency[1]) < 1_000 * seconds


def test_without_a_cluster_it_says_so_and_ends() -> None:
    with TerminalSession(DAEDALUS, "sql", "--cluster", "127.0.0.1:1") as session:
        session.expect("no aggregator is reachable")
        assert session.exit_code() == 1
