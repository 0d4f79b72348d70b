"""Exit codes, files, and what is compiled when."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from daedalus_schema import emit
from daedalus_schema.__main__ import main
from daedalus_schema.grammar import parse
from tables import SCHEMAS, TABLES, schema_of

PACKAGE_PARENT = Path(emit.__file__).resolve().parents[1]
TABLE = 'CREATE TABLE t (a int DEFAULT 1, "odd ""näme\\" varchar(4) DEFAULT \'x"?\\\', PRIMARY KEY (a))'


def run(*arguments: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "daedalus_schema", *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": str(PACKAGE_PARENT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


@pytest.fixture
def ddl(tmp_path: Path) -> Path:
    path = tmp_path / "t.sql"
    path.write_text(TABLE)
    return path


def test_a_byte_order_mark_before_the_table_means_nothing(ddl: Path) -> None:
    plain = run(ddl, "--check")
    ddl.write_bytes(b"\xef\xbb\xbf" + ddl.read_bytes())
    marked = run(ddl, "--check")
    assert (marked.returncode, marked.stdout) == (0, plain.stdout), marked.stderr


def test_a_table_becomes_a_library_a_schema_and_a_source(ddl: Path, tmp_path: Path) -> None:
    done = run(ddl, "--output", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    assert "t: 2 columns, fingerprint " in done.stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["t.cpp", "t.schema.json", "t.so"]
    document = json.loads((tmp_path / "out" / "t.schema.json").read_text())
    assert document["fingerprint"] == schema_of(TABLE).fingerprint
    assert document["table"] == "t"
    assert document["columns"][0] == {
        "name": "a",
        "type": {"name": "int"},
        "nullable": False,
        "default": "01000000",
    }
    assert document["primary_key"] == ["a"]


def test_a_primary_key_is_said_once_not_to_be_enforced(tmp_path: Path) -> None:
    ddl = tmp_path / "t.sql"
    ddl.write_text('CREATE TABLE t (a int, "B c" int, PRIMARY KEY (a, "B c"))')
    said = run(ddl, "--check").stderr
    assert said.startswith('NOTICE:  PRIMARY KEY (a, "B c") of t is not enforced')
    assert 'SELECT a, "B c", count(*) FROM t GROUP BY a, "B c"' in said
    assert said.count("NOTICE") == 1
    ddl.write_text("CREATE TABLE t (a int NOT NULL)")
    assert run(ddl, "--check").stderr == ""


def test_the_notice_of_a_primary_key_can_be_run_whatever_its_columns_are_called(tmp_path: Path) -> None:
    names = ("order", "left", "Day", "values", "user", "default", "name", "key", "plain_1", "größe", 'a"b')
    keys = '"order", "left", "Day", values, "user", "default", name, key, plain_1, "größe", "a""b"'
    declared = ['"' + name.replace('"', '""') + '"' for name in names]
    ddl = tmp_path / "t.sql"
    ddl.write_text(
        f'CREATE TABLE "select" ({", ".join(name + " int" for name in declared)}, PRIMARY KEY ({", ".join(declared)}))'
    )
    said = run(ddl, "--check").stderr
    assert said.startswith(f'NOTICE:  PRIMARY KEY ({keys}) of "select" is not enforced')
    query = said.strip().split("to look for doubles: ")[1]
    assert query.startswith(f'SELECT {keys}, count(*) FROM "select" GROUP BY {keys} ')
    (statement,) = parse(query)
    (table,) = statement["stmt"]["SelectStmt"]["fromClause"]
    assert table["RangeVar"]["relname"] == "select"
    columns = [target["ResTarget"]["val"] for target in statement["stmt"]["SelectStmt"]["targetList"][:-1]]
    assert [column["ColumnRef"]["fields"][0]["String"]["sval"] for column in columns] == list(names)


def test_nothing_is_compiled_twice(ddl: Path, tmp_path: Path) -> None:
    library = tmp_path / "out" / "t.so"
    assert "compiled in" in run(ddl, "--output", tmp_path / "out").stdout
    before = library.stat()
    ddl.write_text("-- the same table\n" + TABLE)
    assert "unchanged" in run(ddl, "--output", tmp_path / "out", CXX="/bin/false").stdout
    assert library.stat().st_mtime_ns == before.st_mtime_ns
    ddl.write_text(TABLE.replace("DEFAULT 1", "DEFAULT 2"))
    assert "compiled in" in run(ddl, "--output", tmp_path / "out").stdout
    library.unlink()
    assert "compiled in" in run(ddl, "--output", tmp_path / "out").stdout
    assert library.exists()


def test_a_new_template_compiles_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    schema = schema_of(TABLE)
    assert emit.write(schema, tmp_path, build=True)
    assert not emit.write(schema, tmp_path, build=True)
    monkeypatch.setattr(emit, "TEMPLATE_VERSION", emit.TEMPLATE_VERSION + 1)
    assert emit.write(schema, tmp_path, build=True)


def test_a_compiler_that_does_not_end_is_given_up(
    ddl: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert emit.COMPILE_SECONDS_MAX == 60
    monkeypatch.setattr(emit, "COMPILE_SECONDS_MAX", 0.1)
    os.mkfifo(tmp_path / "nobody-writes")
    compiler = tmp_path / "compiler"
    compiler.write_text(f"#!/bin/sh\nread line < {tmp_path}/nobody-writes\n")
    compiler.chmod(0o755)
    monkeypatch.setenv("CXX", str(compiler))
    assert main([str(ddl), "--output", str(tmp_path / "out")]) == 1
    assert "timed out after 0.1 seconds" in capsys.readouterr().err
    assert not list((tmp_path / "out").iterdir())


def test_check_writes_nothing(ddl: Path, tmp_path: Path) -> None:
    done = run(ddl, "--check")
    assert done.returncode == 0, done.stderr
    assert "(checked)" in done.stdout
    assert list(tmp_path.iterdir()) == [ddl]


def test_emit_only_leaves_no_stale_library(ddl: Path, tmp_path: Path) -> None:
    run(ddl, "--output", tmp_path / "out")
    ddl.write_text(TABLE.replace("DEFAULT 1", "DEFAULT 2"))
    assert "(emitted)" in run(ddl, "--output", tmp_path / "out", "--emit-only").stdout
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["t.cpp", "t.schema.json"]
    assert "compiled in" in run(ddl, "--output", tmp_path / "out").stdout


def test_a_broken_table_exits_with_2_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "broken.sql"
    path.write_text("CREATE TABLE t (\n  a text,\n  b serial)")
    done = run(path, "--output", tmp_path / "out")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.splitlines() == [
        f"{path}:2:5: type text is not supported; use varchar(n) with 1 <= n <= 4096 bytes [type-text]",
        f"{path}:3:5: type serial is not supported; use bigint [type-serial]",
    ]
    assert not (tmp_path / "out").exists()


def test_files_that_are_no_text_exit_with_2(tmp_path: Path) -> None:
    path = tmp_path / "binary.sql"
    path.write_bytes(b"CREATE TABLE t\n(a \xff int)")
    done = run(path, "--check")
    assert (done.returncode, done.stderr) == (2, f"{path}:2:4: the file is not UTF-8 [file-encoding]\n")
    path.write_bytes(b"CREATE TABLE t\n(a\0 int)")
    done = run(path, "--check")
    assert done.returncode == 2
    assert done.stderr.startswith(f"{path}:2:3: ")
    path.write_bytes(b" " * ((1 << 20) + 1))
    done = run(path, "--check")
    assert done.returncode == 2
    assert "[file-size]" in done.stderr


def test_wrong_usage_exits_with_2(ddl: Path) -> None:
    done = run(ddl)
    assert done.returncode == 2
    assert "--output DIR is required" in done.stderr
    assert run().returncode == 2


def test_a_failure_at_run_time_exits_with_1(ddl: Path, tmp_path: Path) -> None:
    done = run(tmp_path / "missing.sql", "--check")
    assert done.returncode == 1
    assert "missing.sql" in done.stderr
    done = run(ddl, "--output", tmp_path / "out", CXX="/no/such/compiler")
    assert done.returncode == 1
    assert "cannot run /no/such/compiler" in done.stderr
    assert list((tmp_path / "out").iterdir()) == []
    done = run(ddl, "--output", tmp_path / "out", CXX="/bin/false")
    assert done.returncode == 1
    assert "failed" in done.stderr


@pytest.mark.parametrize("compiler", ["g++", "clang++-16"])
@pytest.mark.parametrize("name", [*TABLES, "odd"])
def test_generated_code_compiles_without_warnings(name: str, compiler: str, tmp_path: Path) -> None:
    if shutil.which(compiler) is None:
        pytest.skip(f"{compiler} is not installed here; `make lint` installs it")
    text = TABLE if name == "odd" else (SCHEMAS / f"{name}.sql").read_text()
    source = tmp_path / "table.cpp"
    source.write_text(emit.generate(schema_of(text)))
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Werror", "-Wshadow", "-Wold-style-cast", "-fsyntax-only"]
    command = [compiler, *flags, f"-I{emit.ABI_INCLUDE}", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_generated_code_does_not_depend_on_the_process() -> None:
    schema = schema_of(TABLE)
    assert emit.generate(schema) == emit.generate(schema_of(TABLE))
    assert schema.fingerprint in emit.generate(schema)
