"""The runner itself: what it refuses, what it calls wrong, and what it writes. No server answers here."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest

from slt.answers import Answer, Column, Complaint, Outcome, Row
from slt.reading import FormatError, parse
from slt.records import File, Protocol, Request, Sort
from slt.running import Connect, Sides, complaints, rewritten
from slt.servers import Servers
from slt.spelling import shown

INT4, VARCHAR = 23, 1043
PAGE = "one line says that numbers differ here\nand says again: again\nagain\n"

NOT_THERE = Complaint("ERROR", "42703", 'column "x" does not exist', (("position", "8"),))


def rows(*found: Row, oid: int = INT4) -> Answer:
    """A query's answer; its columns are all of one type."""
    columns = tuple(Column(f"c{place}", oid) for place in range(len(found[0]) if found else 1))
    return Answer((Outcome(columns, found, tag=f"SELECT {len(found)}"),), "idle")


ONE, TWO = rows((b"1",)), rows((b"2",))
FAILED = Answer((Outcome(error=NOT_THERE),), "idle")
DONE = Answer((Outcome(tag="BEGIN"),), "in a block")


class Scripted:
    """A server that knows its answers by heart, and who asked in which protocol."""

    def __init__(self, answers: dict[str, Answer]) -> None:
        self._answers = answers
        self.asked: list[tuple[Request, Protocol]] = []

    def say(self, request: Request, protocol: Protocol) -> Answer:
        self.asked.append((request, protocol))
        return self._answers[request.sql]

    @property
    def connect(self) -> Connect:
        return lambda _: self


def file_of(tmp_path: Path, records: str, head: str = "table kinds") -> File:
    path = tmp_path / "some.slt"
    path.write_text(f"{head}\n\n{records}\n")
    return parse(path.read_text(), path)


def wrong(tmp_path: Path, records: str, ours: dict[str, Answer], theirs: dict[str, Answer] | None = None) -> list[str]:
    """Returns what the runner says of a file when the two servers answer so."""
    (tmp_path / "postgres.md").write_text(PAGE)
    sides = Sides(Scripted(ours).connect, Scripted(ours if theirs is None else theirs).connect)
    return complaints(file_of(tmp_path, records), Protocol.SIMPLE, sides, tmp_path)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("table kinds\n\nstatemnt ok\nSELECT 1", 3, "unknown directive statemnt"),
        ("table kinds\n\nhash-threshold 8", 3, "unknown directive hash-threshold"),
        ("table kinds\nthreads 8", 2, "unknown directive threads"),
        ("statement ok\nSELECT 1", 1, "begins with the table"),
        ("# Nothing else.", 1, "it names no table"),
        ("table kinds\n\nstatement maybe\nSELECT 1", 3, "unknown option maybe"),
        ("table kinds\n\nstatement error\nSELECT 1", 3, "unknown option error"),
        ("table kinds\n\nstatement ok\nSELECT 1\n----\n1", 3, "a statement has no rows"),
        ("table kinds\n\nquery IXT\nSELECT 1\n----\n1", 3, "unknown type X"),
        ("table kinds\n\nquery I sorted\nSELECT 1\n----\n1", 3, "unknown option sorted"),
        ("table kinds\n\nquery I rowsort label-1\nSELECT 1\n----\n1", 3, "unknown option label-1"),
        ("table kinds\n\nquery\nSELECT 1\n----\n1", 3, "no types"),
        ("table kinds\n\nanswer shuffled\nSELECT 1", 3, "unknown option shuffled"),
        ("table kinds\n\nskipif mysql\nstatement ok\nSELECT 1", 3, "unknown server mysql"),
        ("table kinds\n\nskipif postgresql\nstatement ok\nSELECT 1", 4, "which page says"),
        ("table kinds\n\ndiffers readme.md: x\nstatement ok\nSELECT 1", 3, "differs PAGE: WORDS"),
        ("table kinds\n\nprotocol both\nstatement ok\nSELECT 1", 3, "unknown protocol both"),
        ("table kinds\n\nparameters 1\nstatement ok\nSELECT 1", 3, "no parameter: 1"),
        ("table kinds\n\nparameters '1'::money\nstatement ok\nSELECT 1", 3, "unknown type money"),
        ("table kinds\n\nparameters '1'\nprotocol simple\nstatement ok\nSELECT 1", 5, "extended protocol"),
        ("table kinds\n\nconnection other", 3, "no record behind this"),
        ("table kinds\n\nconnection\nstatement ok\nSELECT 1", 3, "connection says nothing"),
        ("table kinds\n\nconstruct a\n\nstatement ok\nSELECT 1", 3, "no area"),
        ("table kinds\narea A\n\nconstruct a\n\nconstruct a", 6, "before this one"),
    ],
)
def test_an_unknown_key_is_refused_with_its_line(text: str, line: int, what: str) -> None:
    with pytest.raises(FormatError, match=what) as refused:
        parse(text, Path("some.slt"))
    assert str(refused.value).startswith(f"some.slt:{line}: ")


def test_everything_that_it_knows_is_read() -> None:
    text = """# About numbers.
table kinds
protocol extended
area Numbers

construct one

# A comment.
connection other
parameters '1'::int4 NULL 'it''s'
differs postgres.md: numbers
query IT rowsort columns
SELECT $1,
  $2
----
a:int4	b:varchar
1	NULL

answer
COPY kinds FROM STDIN
<<<<
1	2
----
COPY 1
idle
"""
    file = parse(text, Path("some.slt"))
    query, copy = file.records
    assert (file.table, file.protocols, file.area) == ("kinds", (Protocol.EXTENDED,), "Numbers")
    assert (query.line, query.end, query.request.sql) == (12, 17, "SELECT $1,\n  $2")
    assert [(each.text, each.type_oid) for each in query.request.parameters] == [("1", INT4), (None, 0), ("it's", 0)]
    assert (query.connection, query.construct, query.sort, query.has_columns) == ("other", "one", Sort.ROWSORT, True)
    assert query.differs is not None
    assert query.differs.words == "numbers"
    assert query.expectation is not None
    assert query.expectation.lines == ("a:int4\tb:varchar", "1\tNULL")
    assert (copy.request.copied, copy.connection, copy.construct) == ("1\t2\n", "", "one")


# ---- what is wrong ----


@pytest.mark.parametrize(
    "record",
    [
        "query I\nx\n----\n1",
        "query I columns\nx\n----\nc0:int4\n1",
        "statement ok\nx",
        "answer\nx\n----\ncolumns c0:int4\nrow 1\nSELECT 1\nidle",
    ],
)
def test_a_right_expectation_holds(tmp_path: Path, record: str) -> None:
    assert wrong(tmp_path, record, {"x": ONE}) == []


@pytest.mark.parametrize(
    "record",
    [
        "query I\nx\n----\n2",
        "query I\nx\n----\n1\n1",
        "query I\nx\n----",
        "query T\nx\n----\n1",
        "query II\nx\n----\n1",
        "query I columns\nx\n----\nc0:int8\n1",
        "query I columns\nx\n----\nother:int4\n1",
        "statement error 42703\nx",
        "answer\nx\n----\ncolumns c0:int4\nrow 1\nSELECT 1\nin a block",
        "query I\nx",
        "statement\nx",
        "answer\nx",
    ],
)
def test_a_wrong_expectation_and_one_that_is_missing_fail(tmp_path: Path, record: str) -> None:
    (complaint,) = wrong(tmp_path, record, {"x": ONE})
    assert complaint.startswith(f"{tmp_path / 'some.slt'}:3: x\n")


def test_an_error_is_compared_by_its_code_and_its_message_where_there_is_one(tmp_path: Path) -> None:
    failing = {"x": FAILED}
    assert wrong(tmp_path, "statement error 42703\nx", failing) == []
    assert wrong(tmp_path, 'statement error 42703 column "x" does not exist\nx', failing) == []
    assert len(wrong(tmp_path, "statement error 42P01\nx", failing)) == 1
    assert len(wrong(tmp_path, 'statement error 42703 column "y" does not exist\nx', failing)) == 1
    assert len(wrong(tmp_path, "statement ok\nx", failing)) == 1


@pytest.mark.parametrize(
    "theirs",
    [
        TWO,
        Answer(ONE.outcomes, "in a block"),
        Answer(ONE.outcomes, "idle", ("TimeZone UTC",)),
        Answer((Outcome((Column("other", INT4),), ((b"1",),), tag="SELECT 1"),), "idle"),
        Answer((Outcome((Column("c0", VARCHAR),), ((b"1",),), tag="SELECT 1"),), "idle"),
        Answer((Outcome((Column("c0", INT4),), ((b"1",),), tag="FETCH 1"),), "idle"),
        Answer((Outcome((Column("c0", INT4),), ((b"1",),), (), (NOT_THERE,), "SELECT 1"),), "idle"),
        Answer((*ONE.outcomes, *DONE.outcomes), "idle"),
    ],
)
def test_answers_that_differ_anywhere_fail_whatever_the_file_cares_for(tmp_path: Path, theirs: Answer) -> None:
    found = wrong(tmp_path, "statement ok\nx", {"x": ONE}, {"x": theirs})
    assert ["PostgreSQL (-) answers differently (+)" in complaint for complaint in found] == [True]


# ---- what differs on purpose ----

MARKED = "differs postgres.md: numbers differ\nquery I\nx\n----\n1"


def test_a_marked_record_says_what_daedalus_answers(tmp_path: Path) -> None:
    assert wrong(tmp_path, MARKED, {"x": ONE}, {"x": TWO}) == []
    assert len(wrong(tmp_path, MARKED, {"x": TWO}, {"x": ONE})) == 1


def test_a_mark_on_what_postgres_answers_too_fails(tmp_path: Path) -> None:
    (complaint,) = wrong(tmp_path, MARKED, {"x": ONE}, {"x": ONE})
    assert "marked as different, and PostgreSQL answers the same" in complaint


@pytest.mark.parametrize(
    ("words", "fault"), [("numbers are the same", "does not say"), ("again", "in several lines: 2, 3")]
)
def test_a_reference_to_what_no_line_or_several_say_fails(tmp_path: Path, words: str, fault: str) -> None:
    (complaint,) = wrong(tmp_path, MARKED.replace("numbers differ", words), {"x": ONE}, {"x": TWO})
    assert fault in complaint


def test_postgres_is_not_asked_what_skips_it(tmp_path: Path) -> None:
    assert wrong(tmp_path, f"skipif postgresql\n{MARKED}", {"x": ONE}, {}) == []
    assert len(wrong(tmp_path, f"skipif postgresql\n{MARKED}", {"x": TWO}, {})) == 1


# ---- how rows are compared ----

PAIRS = {"x": rows((b"3", b"1"), (b"2", None))}
ELSEWHERE = {"x": rows((b"2", None), (b"3", b"1"))}


@pytest.mark.parametrize(
    ("sort", "shown_rows"),
    [("", ["3\t1", "2\tNULL"]), (" rowsort", ["2\tNULL", "3\t1"]), (" valuesort", ["1", "2", "3", "NULL"])],
)
def test_rows_are_sorted_as_the_record_says(tmp_path: Path, sort: str, shown_rows: list[str]) -> None:
    query = f"query II{sort}\nx\n----\n" + "\n".join(shown_rows)
    assert wrong(tmp_path, query, PAIRS) == []
    assert len(wrong(tmp_path, query, PAIRS, ELSEWHERE)) == (0 if sort else 2)
    assert len(wrong(tmp_path, f"query II{sort}\nx\n----\n" + "\n".join(reversed(shown_rows)), PAIRS)) == 1


@pytest.mark.parametrize(
    ("value", "spelled"),
    [
        (None, "NULL"),
        (b"NULL", "\\x4eULL"),
        (b"", "(empty)"),
        (b"(empty)", "\\x28empty)"),
        (b"a\tb\nc\\", "a\\tb\\nc\\\\"),
        (b"ab  ", "ab \\x20"),
        ("Zoë\x00".encode(), "Zoë\\x00"),
        (b"\xff\x00a", "\\xff\\x00a"),
    ],
)
def test_no_two_values_are_spelled_alike(value: bytes | None, spelled: str) -> None:
    assert shown(value) == spelled


# ---- how they are asked ----


def test_a_record_may_have_a_connection_a_protocol_and_parameters_of_its_own(tmp_path: Path) -> None:
    opened: list[Scripted] = []

    def connect(_: contextlib.ExitStack) -> Scripted:
        opened.append(Scripted({"x": ONE}))
        return opened[-1]

    text = "\n\n".join(
        f"{marks}query I\nx\n----\n1" for marks in ("", "connection other\n", "protocol simple\n", "parameters '7'\n")
    )
    sides = Sides(connect, Scripted({"x": ONE}).connect)
    assert complaints(file_of(tmp_path, text), Protocol.EXTENDED, sides) == []
    assert complaints(file_of(tmp_path, text), Protocol.SIMPLE, sides) == []
    in_protocols = [[protocol.value for _, protocol in server.asked] for server in opened]
    assert in_protocols == [["extended", "simple", "extended"], ["extended"], ["simple"] * 2 + ["extended"], ["simple"]]
    assert [parameter.text for parameter in opened[0].asked[-1][0].parameters] == ["7"]


def test_a_table_that_nobody_knows_is_refused() -> None:
    with contextlib.ExitStack() as stack, pytest.raises(ValueError, match="no table nothing"):
        Servers(stack).sides("nothing")


# ---- what is written ----


def test_answers_are_written_where_they_are_missing_or_wrong(tmp_path: Path) -> None:
    file = file_of(
        tmp_path,
        """# It is kept.
query
a

query I rowsort
b
----
7

statement ok
b

statement
c

statement ok
d

statement error 42P01
c

differs postgres.md: numbers differ
query
e

query I
a
----
1""",
    )
    theirs = {"a": ONE, "b": rows((b"2",), (b"1",)), "c": FAILED, "d": FAILED, "e": TWO}
    sides = Sides(Scripted({**theirs, "e": ONE}).connect, Scripted(theirs).connect)
    text = rewritten(file, sides)
    assert (
        text
        == """table kinds

# It is kept.
query I
a
----
1

query I rowsort
b
----
1
2

statement ok
b

statement error 42703 column "x" does not exist
c

statement error 42703 column "x" does not exist
d

statement error 42703 column "x" does not exist
c

differs postgres.md: numbers differ
query I
e
----
1

query I
a
----
1
"""
    )


def test_records_that_it_writes_pass(tmp_path: Path) -> None:
    answers = {
        "several": Answer((*DONE.outcomes, *FAILED.outcomes), "in a failed block"),
        "warned": Answer((Outcome(notices=(NOT_THERE,), tag="ROLLBACK"),), "idle"),
        "": Answer((Outcome(tag=""),), "idle"),
        "copied": Answer((Outcome(copied=(b"1\n", b"\\N\n"), tag="COPY 2"),), "idle"),
        "no columns": Answer((Outcome((), ((), ()), tag="SELECT 2"),), "idle"),
        "strange": rows((b"NULL", b" "), (None, b"")),
    }
    records = "\n\n".join(f"{'query' if sql else 'answer'}\n{sql}".rstrip() for sql in answers)
    file = file_of(tmp_path, records)
    sides = Sides(Scripted(answers).connect, Scripted(answers).connect)
    file.path.write_text(rewritten(file, sides))
    assert complaints(parse(file.path.read_text(), file.path), Protocol.SIMPLE, sides) == []
