"""Reads a file of cases. Whatever is not known is refused, with its line: nothing is passed over in silence."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from slt.records import Expectation, File, Kind, Parameter, Protocol, Record, Reference, Request, Sort
from slt.spelling import LETTERS, OIDS

PAGES = ("postgres.md", "sql.md", "functions.md", "limits.md")
POSTGRES = "postgresql"  # Its name behind skipif.

_ANSWER, _COPIED = "----", "<<<<"
_ERROR = re.compile(r"error ([0-9A-Z]{5})(?: (\S.*))?")
_PARAMETER = re.compile(r"(?:(NULL)|'((?:[^']|'')*)')(?:::(\w+))?(?:\s+|$)")


class FormatError(Exception):
    """Something is wrong with a file; the error says what, and where."""

    def __init__(self, path: Path, line: int, what: str) -> None:
        super().__init__(f"{path}:{line}: {what}")


class _LineError(Exception):
    """Something is wrong with the line that is being read."""


@dataclass(slots=True)
class _Marks:
    """The lines before a record's header say this of it."""

    connection: str = ""
    protocol: Protocol | None = None
    parameters: tuple[Parameter, ...] | None = None
    differs: Reference | None = None
    skips_postgres: bool = False


@dataclass(slots=True)
class _Draft:
    """A file as far as it has been read."""

    table: str | None = None
    protocols: tuple[Protocol, ...] = tuple(Protocol)
    area: str | None = None
    construct: str | None = None
    constructs: set[str] = field(default_factory=set)
    records: list[Record] = field(default_factory=list)
    marks: _Marks = field(default_factory=_Marks)


@dataclass(frozen=True, slots=True)
class _Block:
    """Lines without an empty one between them."""

    first: int  # The number of the first line.
    lines: list[str]


def read(path: Path) -> File:
    """The file. Error: FormatError."""
    return parse(path.read_text(encoding="utf-8"), path)


def parse(text: str, path: Path) -> File:
    """The file of this text; `path` is for messages. Error: FormatError."""
    draft, first = _Draft(), True
    for block in _blocks(text):
        at = 0
        try:
            for at, line in enumerate(block.lines):
                if _is_comment(line):
                    continue
                word, _, rest = line.partition(" ")
                if word in tuple(Kind):
                    _take_record(draft, block, at, Kind(word), rest)
                    break
                _take_directive(draft, word, rest, _HEAD if first else _MARKS)
            else:
                if draft.marks != _Marks():
                    raise _LineError("there is no record behind this")
        except _LineError as wrong:
            raise FormatError(path, block.first + at, str(wrong)) from None
        first = first and all(map(_is_comment, block.lines))
    if draft.table is None:
        raise FormatError(path, 1, "it names no table")
    return File(path, draft.table, draft.protocols, draft.area, tuple(draft.records))


def _blocks(text: str) -> Iterator[_Block]:
    lines: list[str] = []
    numbered = [*enumerate(text.split("\n"), 1)]
    for number, line in [*numbered, (len(numbered) + 1, "")]:
        if line:
            lines.append(line)
        elif lines:
            yield _Block(number - len(lines), lines)
            lines = []


def _is_comment(line: str) -> bool:
    return line.startswith("#")


# ---- directives ----


def _table(draft: _Draft, rest: str) -> None:
    draft.table = _one_word(rest)


def _protocol_of_all(draft: _Draft, rest: str) -> None:
    draft.protocols = (_known(Protocol, rest),)


def _area(draft: _Draft, rest: str) -> None:
    draft.area = rest


def _construct(draft: _Draft, rest: str) -> None:
    if rest in draft.constructs:
        raise _LineError(f"there is a construct {rest!r} before this one")
    if draft.area is None:
        raise _LineError("the file names no area for its constructs")
    draft.constructs.add(rest)
    draft.construct = rest


def _connection(draft: _Draft, rest: str) -> None:
    draft.marks.connection = _one_word(rest)


def _protocol(draft: _Draft, rest: str) -> None:
    draft.marks.protocol = _known(Protocol, rest)


def _parameters(draft: _Draft, rest: str) -> None:
    found, at = [], 0
    while at < len(rest):
        match = _PARAMETER.match(rest, at)
        if match is None:
            raise _LineError(f"no parameter: {rest[at:]} (it takes NULL, 'text', 'text'::type)")
        null, text, type_name = match.groups()
        if type_name and type_name not in OIDS:
            raise _LineError(f"unknown type {type_name}")
        type_oid = OIDS[type_name] if type_name else 0
        found.append(Parameter(None if null else text.replace("''", "'"), type_oid))
        at = match.end()
    draft.marks.parameters = tuple(found)


def _differs(draft: _Draft, rest: str) -> None:
    page, colon, words = rest.partition(": ")
    if page not in PAGES or not colon or not words:
        raise _LineError(f"which line of which page says so: differs PAGE: WORDS, with one of {', '.join(PAGES)}")
    draft.marks.differs = Reference(page, words)


def _skipif(draft: _Draft, rest: str) -> None:
    if rest != POSTGRES:
        raise _LineError(f"unknown server {rest} (only {POSTGRES} may be skipped)")
    draft.marks.skips_postgres = True


_Directives = dict[str, Callable[[_Draft, str], None]]
_HEAD: _Directives = {"table": _table, "protocol": _protocol_of_all, "area": _area}
_MARKS: _Directives = {
    "construct": _construct, "connection": _connection, "protocol": _protocol, "parameters": _parameters,
    "differs": _differs, "skipif": _skipif,
}  # fmt: skip


def _take_directive(draft: _Draft, word: str, rest: str, known: _Directives) -> None:
    if word not in known:
        place = "the head of a file" if known is _HEAD else "a record, or before one"
        raise _LineError(f"unknown directive {word} in {place}")
    if not rest.strip():
        raise _LineError(f"{word} says nothing")
    known[word](draft, rest)


def _one_word(rest: str) -> str:
    if not rest.isidentifier():
        raise _LineError(f"no name: {rest}")
    return rest


def _known(protocols: type[Protocol], rest: str) -> Protocol:
    if rest not in tuple(protocols):
        raise _LineError(f"unknown protocol {rest}")
    return protocols(rest)


# ---- records ----


def _take_record(draft: _Draft, block: _Block, at: int, kind: Kind, options: str) -> None:
    if draft.table is None:
        raise _LineError("the file begins with the table that it is about: table NAME")
    marks, draft.marks = draft.marks, _Marks()
    if marks.skips_postgres and marks.differs is None:
        raise _LineError("who skips PostgreSQL says which page says what is different here: differs PAGE: WORDS")
    body = block.lines[at + 1 :]
    lines = tuple(body[body.index(_ANSWER) + 1 :]) if _ANSWER in body else None
    said = body[: body.index(_ANSWER)] if _ANSWER in body else body
    sent = "".join(f"{line}\n" for line in said[said.index(_COPIED) + 1 :]) if _COPIED in said else None
    sql = "\n".join(said[: said.index(_COPIED)] if _COPIED in said else said)
    form = _FORMS[kind](options, lines)
    protocol = Protocol.EXTENDED if marks.parameters is not None else marks.protocol
    if marks.parameters is not None and marks.protocol is Protocol.SIMPLE:
        raise _LineError("parameters are of the extended protocol")
    draft.records.append(
        Record(
            line=block.first + at,
            end=block.first + len(block.lines) - 1,
            kind=kind,
            request=Request(sql, marks.parameters or (), sent),
            expectation=form.expectation,
            sort=form.sort,
            has_columns=form.has_columns,
            connection=marks.connection,
            protocol=protocol,
            differs=marks.differs,
            skips_postgres=marks.skips_postgres,
            construct=draft.construct,
        )
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """A record's header and answer come to this."""

    expectation: Expectation | None
    sort: Sort = Sort.NOSORT
    has_columns: bool = False


def _statement(options: str, lines: tuple[str, ...] | None) -> _Form:
    if lines is not None:
        raise _LineError("a statement has no rows: query, or answer")
    if not options:
        return _Form(None)
    if options == "ok":
        return _Form(Expectation("statement ok"))
    if _ERROR.fullmatch(options) is None:
        raise _LineError(f"unknown option {options} of a statement (ok, error SQLSTATE, error SQLSTATE MESSAGE)")
    return _Form(Expectation(f"statement {options}"))


def _query(options: str, lines: tuple[str, ...] | None) -> _Form:
    words = options.split()
    letters = words.pop(0) if words and words[0].isupper() else ""
    for letter in letters:
        if letter not in LETTERS:
            known = ", ".join(f"{letter} {what}" for letter, what in LETTERS.items())
            raise _LineError(f"unknown type {letter} (there are {known})")
    has_columns = "columns" in words
    sort = _sort_of([word for word in words if word != "columns"])
    if lines is None:
        return _Form(None, sort, has_columns)
    if not letters:
        raise _LineError("it has rows and no types")
    return _Form(Expectation(query_header(letters, sort, has_columns=has_columns), lines), sort, has_columns)


def _answer(options: str, lines: tuple[str, ...] | None) -> _Form:
    sort = _sort_of(options.split())
    return _Form(None if lines is None else Expectation(answer_header(sort), lines), sort)


_FORMS: dict[Kind, Callable[[str, tuple[str, ...] | None], _Form]] = {
    Kind.STATEMENT: _statement,
    Kind.QUERY: _query,
    Kind.ANSWER: _answer,
}


def _sort_of(words: list[str]) -> Sort:
    for word in words:
        if word not in tuple(Sort):
            raise _LineError(f"unknown option {word} (there are {', '.join(Sort)}, and of a query columns)")
    if len(words) > 1:
        raise _LineError(f"too many options: {' '.join(words)}")
    return Sort(words[0]) if words else Sort.NOSORT


def query_header(letters: str, sort: Sort, *, has_columns: bool) -> str:
    """A query's first line."""
    return f"query {letters}{_shown_sort(sort)}{' columns' if has_columns else ''}"


def answer_header(sort: Sort) -> str:
    """The first line of a record that spells out everything."""
    return f"answer{_shown_sort(sort)}"


def _shown_sort(sort: Sort) -> str:
    return "" if sort is Sort.NOSORT else f" {sort}"
