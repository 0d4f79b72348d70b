"""Who may log in by PostgreSQL's protocol, as a person at a terminal says it."""

from __future__ import annotations

import stat
from pathlib import Path

from local_cluster import DAEDALUS, LocalCluster, run_command
from terminal import TerminalSession


def test_a_password_is_typed_twice_and_not_shown(tmp_path: Path) -> None:
    file = tmp_path / "users"
    with TerminalSession(DAEDALUS, "user", "add", "ada", "--role=reader", "--users", file) as session:
        session.expect("Password of ada: ")
        session.type("wörd\r")
        assert "wörd" not in session.expect("Once more: ")
        session.type("wörd\r")
        assert "wörd" not in session.expect("ada may log in as a reader")
        assert session.exit_code() == 0
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "wörd" not in file.read_text()


def test_two_different_passwords_change_nothing(tmp_path: Path) -> None:
    file = tmp_path / "users"
    with TerminalSession(DAEDALUS, "user", "add", "ada", "--role=reader", "--users", file) as session:
        session.expect("Password of ada: ")
        session.type("one\r")
        session.expect("Once more: ")
        session.type("other\r")
        session.expect("two different passwords: nothing is changed")
        assert session.exit_code() == 2
    assert not file.exists()


def test_a_cluster_that_trusts_its_machine_has_no_users_and_says_so(cluster: LocalCluster) -> None:
    answer = cluster.run_daedalus("user", "list")
    assert answer.code == 2, answer.said
    assert "has no users file" in answer.err
    assert "daedalus up --users FILE" in answer.err


def test_a_password_is_never_an_argument(tmp_path: Path) -> None:
    answer = run_command(DAEDALUS, "user", "add", "ada", "secret", "--role=reader", "--users", tmp_path / "users")
    assert answer.code == 2, answer.said
    assert not (tmp_path / "users").exists()
