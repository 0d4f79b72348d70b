"""Who may log in by PostgreSQL's protocol, with real clients: passwords, roles, encryption, and attacks on them."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import socket
import stat
import struct
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import asyncpg  # type: ignore[import-untyped]
import psycopg
import pytest
from local_cluster import LocalCluster, local_cluster, wait_until
from psycopg import errors

DDL = "CREATE TABLE kinds (id int NOT NULL PRIMARY KEY, name varchar(40));\n"
PASSWORD = "a pass Ⅸ wörd"  # The Roman nine is prepared to IX.
SSL_REQUEST = struct.pack("!ii", 8, 80877103)
ANSWER_SECONDS_MAX = 20
IDLE_KIB_MAX = 60  # 26 were measured: 6 for the connection and its session, the rest is what OpenSSL keeps.


class LoginCluster:
    """A cluster whose aggregator asks for passwords."""

    def __init__(self, cluster: LocalCluster, users: Path, certificates: Path) -> None:
        self.cluster = cluster
        self.users = users
        self.certificates = certificates

    @property
    def address(self) -> tuple[str, int]:
        return ("127.0.0.1", self.cluster.port + 51)

    def dsn(self, user: str, **options: Any) -> str:
        # One connection for each try: libpq falls back to the other sslmode after a refusal otherwise.
        options = {"sslmode": "require", "connect_timeout": ANSWER_SECONDS_MAX, **options}
        rest = " ".join(f"{name}={value}" for name, value in options.items())
        return f"host=127.0.0.1 port={self.address[1]} user={user} dbname=kinds {rest}"

    def connect(self, user: str, password: str | None = PASSWORD, **options: Any) -> psycopg.Connection[Any]:
        return psycopg.connect(self.dsn(user, **options), password=password, autocommit=True)

    def add(self, name: str, role: str, *options: str, password: str = PASSWORD) -> None:
        added = self.cluster.run_daedalus("user", "add", name, f"--role={role}", *options, stdin=password + "\n")
        assert added.code == 0, added.said

    def counts(self) -> tuple[int, int]:
        status = self.cluster.run_daedalus("status", "--format", "json").json()["status"]["aggregator"]
        return int(status.get("postgres_logins_failed", 0)), int(status.get("postgres_logins_refused", 0))


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True, timeout=60)


def make_certificate(folder: Path, name: str, common_name: str, authority: str | None = None) -> None:
    """NAME.crt and NAME.key, signed with those of the authority, or with itself."""
    key = folder / f"{name}.key"
    request = folder / f"{name}.csr"
    openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key)
    key.chmod(0o600)
    if authority is None:
        openssl("req", "-x509", "-new", "-key", key, "-days", "30", "-subj", f"/CN={common_name}", "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1", "-out", folder / f"{name}.crt")  # fmt: skip
        return
    openssl("req", "-new", "-key", key, "-subj", f"/CN={common_name}", "-out", request)
    openssl("x509", "-req", "-in", request, "-CA", folder / f"{authority}.crt", "-CAkey", folder / f"{authority}.key",
            "-CAcreateserial", "-days", "30", "-out", folder / f"{name}.crt")  # fmt: skip


@pytest.fixture(scope="module")
def login_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoginCluster]:
    """One aggregator with a users file, a certificate, and an authority of clients."""
    base = tmp_path_factory.mktemp("logins")
    make_certificate(base, "server", "localhost")
    make_certificate(base, "authority", "authority of clients")
    make_certificate(base, "ada", "ada", "authority")
    make_certificate(base, "bob", "bob", "authority")
    make_certificate(base, "stranger", "ada")
    users = base / "users"
    shape = ("--storage-nodes", "1", "--segments", "1", "--segment-mib", "16")
    with local_cluster(base, DDL, *shape, "--users", str(users)) as cluster:
        made = LoginCluster(cluster, users, base)
        made.add("ada", "reader")
        made.add("bob", "writer")
        made.add("eve", "operator")
        made.add("cert", "reader", "--no-password")
        made.add("tom", "writer", "--block-writes", "immediate")
        configuration = cluster.directory / "aggregator-0.toml"
        configuration.write_text(
            configuration.read_text()
            + f'postgres_certificate = "{base}/server.crt"\npostgres_key = "{base}/server.key"\n'
            + f'postgres_client_ca = "{base}/authority.crt"\n'
        )
        cluster.kill("aggregator-0")
        cluster.start_again("aggregator-0")
        wait_until(lambda: "rows" in cluster.document("SELECT count(*) FROM kinds"), "the aggregator serves")
        yield made


def test_up_makes_the_file_and_names_it(login_cluster: LoginCluster) -> None:
    assert stat.S_IMODE(login_cluster.users.stat().st_mode) == 0o600
    assert PASSWORD not in login_cluster.users.read_text()
    listed = login_cluster.cluster.run_daedalus("user", "list").out
    assert re.search(r"ada +\| reader +\| a password", listed), listed
    assert re.search(r"cert +\| reader +\| a certificate", listed), listed


@pytest.mark.parametrize("sslmode", ["disable", "require"])
def test_the_right_password_lets_in(login_cluster: LoginCluster, sslmode: str) -> None:
    with login_cluster.connect("ada", sslmode=sslmode) as connection:
        assert connection.pgconn.used_password
        assert connection.execute("SELECT current_user, session_user").fetchone() == ("ada", "ada")
        assert connection.pgconn.ssl_in_use == (sslmode == "require")


@pytest.mark.parametrize("binding", ["require", "disable", "prefer"])
def test_psql_logs_in_with_channel_binding_and_without(login_cluster: LoginCluster, binding: str) -> None:
    said = subprocess.run(
        ["psql", "-X", "-w", "-d", login_cluster.dsn("ada", channel_binding=binding), "-Atc", "SELECT 6 * 7"],
        env={**os.environ, "PGPASSWORD": PASSWORD},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert said.stdout == "42\n", said.stderr


def test_asyncpg_logs_in(login_cluster: LoginCluster) -> None:
    async def ask() -> Any:
        host, port = login_cluster.address
        connection = await asyncpg.connect(
            host=host, port=port, user="ada", password=PASSWORD, database="kinds", ssl="require"
        )
        try:
            return await connection.fetchval("SELECT 6 * 7")
        finally:
            await connection.close()

    assert asyncio.run(ask()) == 42


@pytest.mark.parametrize(("user", "password"), [("ada", "wrong"), ("nobody", PASSWORD), ("cert", PASSWORD)])
def test_a_wrong_password_and_an_unknown_user_are_told_the_same(
    login_cluster: LoginCluster, user: str, password: str
) -> None:
    failed_before = login_cluster.counts()[0]
    began = time.monotonic()
    with pytest.raises(psycopg.OperationalError, match=f'password authentication failed for user "{user}"'):
        login_cluster.connect(user, password)
    assert time.monotonic() - began >= 0.25
    assert login_cluster.counts()[0] == failed_before + 1


def test_the_users_file_says_how_blocks_of_a_user_write(login_cluster: LoginCluster) -> None:
    for user, value in (("tom", "immediate"), ("bob", "refuse")):
        with login_cluster.connect(user) as connection:
            assert connection.execute("SHOW daedalus.block_writes").fetchone() == (value,)


def test_roles_bound_what_one_may_do(login_cluster: LoginCluster) -> None:
    with (
        login_cluster.connect("bob") as writer,
        login_cluster.connect("ada") as reader,
        login_cluster.connect("eve") as other,
    ):
        writer.execute("INSERT INTO kinds VALUES (1, 'by bob')")
        other.execute("INSERT INTO kinds VALUES (2, 'by eve')")
        assert reader.execute("SELECT count(*) FROM kinds").fetchone() == (2,)
        for statement in ("INSERT INTO kinds VALUES (3, 'x')", "UPDATE kinds SET name = 'x'", "DELETE FROM kinds"):
            with pytest.raises(errors.InsufficientPrivilege, match="permission denied for table kinds") as refused:
                reader.execute(statement)
            assert refused.value.diag.message_hint == f'user "ada" is a reader: {statement.split()[0]} needs a writer'
            with pytest.raises(errors.InsufficientPrivilege, match="permission denied for table kinds"):
                reader.execute(f"EXPLAIN {statement}")
        assert len(reader.execute("EXPLAIN SELECT name FROM kinds").fetchall()) == 3
        writer.execute("DELETE FROM kinds")


def test_the_file_is_read_again_and_what_is_damaged_is_not(login_cluster: LoginCluster) -> None:
    login_cluster.add("new", "reader")

    def enters(user: str) -> bool:
        with contextlib.suppress(psycopg.OperationalError), login_cluster.connect(user):
            return True
        return False

    wait_until(lambda: enters("new"), "a new user may log in")
    with login_cluster.connect("new") as connection:
        assert login_cluster.cluster.run_daedalus("user", "remove", "new").code == 0

        def is_refused() -> bool:
            try:
                connection.execute("SELECT count(*) FROM kinds")
            except errors.InsufficientPrivilege:
                return True
            return False

        wait_until(is_refused, "who is removed may ask no longer")
    sound = login_cluster.users.read_text()
    login_cluster.users.write_text(sound + "mallory king -\n")
    log = login_cluster.cluster.directory / "aggregator-0.log"
    line = len(sound.splitlines()) + 1
    wait_until(lambda: f"{login_cluster.users}, line {line}: " in log.read_text(), "the damaged line is named")
    assert enters("ada")
    login_cluster.users.write_text(sound)


def test_certificates_of_clients_let_in(login_cluster: LoginCluster) -> None:
    def files(name: str) -> dict[str, str]:
        return {
            "sslcert": str(login_cluster.certificates / f"{name}.crt"),
            "sslkey": str(login_cluster.certificates / f"{name}.key"),
        }

    with login_cluster.connect("ada", None, **files("ada")) as connection:
        assert not connection.pgconn.used_password
    with pytest.raises(psycopg.OperationalError, match="no password supplied"):
        login_cluster.connect("ada", None, **files("bob"))
    with login_cluster.connect("ada", **files("bob")) as connection:
        assert connection.pgconn.used_password
    with pytest.raises(psycopg.OperationalError):
        login_cluster.connect("ada", **files("stranger"))


def test_the_server_can_be_verified_and_its_certificate_exchanged(login_cluster: LoginCluster) -> None:
    root = login_cluster.certificates / "server.crt"
    old_root = login_cluster.certificates / "old.crt"
    old_root.write_bytes(root.read_bytes())
    with login_cluster.connect("ada", sslmode="verify-full", sslrootcert=str(old_root)) as standing:
        make_certificate(login_cluster.certificates, "server", "localhost")

        def is_exchanged() -> bool:
            with contextlib.suppress(psycopg.OperationalError):
                login_cluster.connect("ada", sslmode="verify-full", sslrootcert=str(root)).close()
                return True
            return False

        wait_until(is_exchanged, "new connections get the new certificate")
        assert standing.execute("SELECT 6 * 7").fetchone() == (42,)
    with pytest.raises(psycopg.OperationalError, match="certificate verify failed"):
        login_cluster.connect("ada", sslmode="verify-full", sslrootcert=str(old_root))


def heard(client: socket.socket) -> bytes:
    found = b""
    with contextlib.suppress(ConnectionResetError):
        while piece := client.recv(65536):
            found += piece
    return found


def test_bytes_behind_an_ssl_request_are_refused(login_cluster: LoginCluster) -> None:
    body = struct.pack("!i", 3 << 16) + b"user\0ada\0database\0kinds\0\0"
    with socket.create_connection(login_cluster.address, ANSWER_SECONDS_MAX) as client:
        client.sendall(SSL_REQUEST + struct.pack("!i", len(body) + 4) + body)
        said = heard(client)
    assert b"received unencrypted data after SSL request" in said
    assert b"R\0\0\0" not in said


@pytest.mark.parametrize(
    "garbage",
    [b"GET / HTTP/1.1\r\n\r\n", b"\0" * 1000, b"\x16\x03\x01\xff\xff" + b"x" * 70_000, SSL_REQUEST],
    ids=["text", "zeros", "a record too long", "a second request"],
)
def test_garbage_in_place_of_a_handshake_ends_that_connection_alone(
    login_cluster: LoginCluster, garbage: bytes
) -> None:
    with (
        login_cluster.connect("ada") as bystander,
        socket.create_connection(login_cluster.address, ANSWER_SECONDS_MAX) as client,
    ):
        client.sendall(SSL_REQUEST)
        assert client.recv(1) == b"S"
        with contextlib.suppress(OSError):
            client.sendall(garbage)
        assert b"FATAL" not in heard(client)
        assert bystander.execute("SELECT 6 * 7").fetchone() == (42,)


def test_handshakes_that_do_not_end_hold_nobody_up_and_are_ended(login_cluster: LoginCluster) -> None:
    with contextlib.ExitStack() as stack:
        clients = [
            stack.enter_context(socket.create_connection(login_cluster.address, ANSWER_SECONDS_MAX)) for _ in range(200)
        ]
        for client in clients:
            client.sendall(SSL_REQUEST)
        for client in clients:
            assert client.recv(1) == b"S"
            client.sendall(b"\x16\x03\x01\x02\x00\x01\x00")
        began = time.monotonic()
        with login_cluster.connect("ada") as connection:
            assert connection.execute("SELECT 6 * 7").fetchone() == (42,)
        assert time.monotonic() - began < 5
        assert all(heard(client) == b"" for client in clients)
        assert time.monotonic() - began < 15


def resident_kib(process: int) -> int:
    found = re.search(r"VmRSS:\s*(\d+) kB", Path("/proc", str(process), "status").read_text())
    assert found is not None
    return int(found.group(1))


def test_idle_encrypted_connections_cost_a_bounded_amount(login_cluster: LoginCluster) -> None:
    process = login_cluster.cluster.processes["aggregator-0"]
    count = 200
    with contextlib.ExitStack() as stack:
        for _ in range(20):  # The first connections need something once.
            stack.enter_context(login_cluster.connect("ada"))
        before = resident_kib(process)
        for _ in range(count):
            stack.enter_context(login_cluster.connect("ada")).execute("SELECT 1")
        each = (resident_kib(process) - before) / count
        print(f"an idle encrypted connection: {each:.1f} KiB")
        assert each < IDLE_KIB_MAX, f"{each} KiB"


def in_threads(count: int, run: Callable[[], None]) -> None:
    threads = [threading.Thread(target=run) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def test_passwords_are_tried_at_a_rate_however_many_try(login_cluster: LoginCluster) -> None:
    """Whoever tries is told slowly or not at all; others, and the same user from elsewhere, do not notice."""
    failed, refused = login_cluster.counts()
    answers: list[str] = []

    def attack() -> None:
        end = time.monotonic() + 5
        while time.monotonic() < end:
            try:
                login_cluster.connect("bob", "wrong").close()
            except psycopg.OperationalError as error:
                answers.append(str(error))

    bystander_times: list[float] = []

    def log_in() -> None:
        for _ in range(10):
            began = time.monotonic()
            login_cluster.connect("ada").close()
            bystander_times.append(time.monotonic() - began)

    other = threading.Thread(target=log_in)
    other.start()
    in_threads(16, attack)
    other.join()
    looked_at = sum("password authentication failed" in answer for answer in answers)
    assert looked_at <= 12, answers
    assert sum("too many logins" in answer for answer in answers) == len(answers) - looked_at
    failed_now, refused_now = login_cluster.counts()
    assert failed_now - failed == looked_at
    assert refused_now - refused == len(answers) - looked_at
    assert len(bystander_times) == 10
    assert sorted(bystander_times)[5] < 2
