"""Writes docs/functions.md, the shell's list and the writer's as the compiler and the pinned language have them.

With --check it says whether they are so.
"""

from __future__ import annotations

import sys
import textwrap
from collections import defaultdict
from pathlib import Path

from statement_twin import ask

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "functions.md"
LIST = ROOT / "client-java/cli/src/main/resources/org/daedalus/cli/sql/functions.tsv"
SIGNATURES = ROOT / "client-java/writer/src/main/resources/org/daedalus/writer/functions.tsv"
LANGUAGE = ROOT / "rpc" / "vectors" / "language.tsv"

# The kinds of values that aggregates may take, as PostgreSQL calls them.
KINDS = ["boolean", "smallint", "integer", "bigint", "numeric", "real", "double precision", "text", "date"]
KINDS += ["time without time zone", "timestamp without time zone", "timestamp with time zone", "interval", "uuid"]
# The ways to call an aggregate: what stands behind its name, and what that is said to take of a value of some kind.
AGGREGATE_CALLS = [
    ("(NULL::{})", "{}"),
    ("(NULL::{}, ',')", "{}, text"),
    ("(0.5) WITHIN GROUP (ORDER BY NULL::{})", "fraction WITHIN GROUP (ORDER BY {})"),
    ("() WITHIN GROUP (ORDER BY NULL::{})", "WITHIN GROUP (ORDER BY {})"),
]
# These are no entries of the table of functions: a statement looks at the clock once.
CLOCKS = ["now", "transaction_timestamp", "statement_timestamp", "clock_timestamp"]

HEAD = """# Functions and operators

What an expression may call, as PostgreSQL 15 has it: in the SELECT list, WHERE, GROUP BY, HAVING, ORDER BY, FILTER and
the arguments of aggregates. Made from the table in `semantics/functions` by `tools/functions_page.py`; each entry is
compared with PostgreSQL by `tests/oracle/test_statements_against_postgres.py`.

Beside these: AND, OR, NOT, IS [NOT] NULL, IS [NOT] TRUE, FALSE and UNKNOWN, IS [NOT] DISTINCT FROM, [NOT] BETWEEN
[SYMMETRIC], [NOT] IN (list), ANY and ALL of an array (ARRAY[…], a text '{…}' or a parameter that is one, with and
without a type), comparisons of rows, CASE, COALESCE, NULLIF, GREATEST, LEAST, casts among all types, LIKE, ILIKE and
SIMILAR TO with ESCAPE; count, sum, avg, min, max, bool_and, bool_or, every, bit_and, bit_or, bit_xor, stddev,
stddev_samp, stddev_pop, variance, var_samp and var_pop of any expression, with DISTINCT and FILTER; string_agg with
ORDER BY; percentile_cont and percentile_disc of one constant fraction, and mode, WITHIN GROUP (ORDER BY …);
GROUPING() of keys; version(), current_schema() and current_database(), CURRENT_SCHEMA and CURRENT_CATALOG,
whose types are text.

No column is an interval; intervals are computed. Two are equal as in PostgreSQL, a month being 30 days and a day 24
hours, and where several equal ones become one (GROUP BY, DISTINCT) the first of the first part is shown.

Differences: a computed numeric has at most 300 digits before its point and 300 behind it (22003), a computed text at
most 4,096 bytes (54000). A text of string_agg has at most 32,768 bytes (54000); without ORDER BY its texts are
ordered by themselves. Where a key (GROUP BY, DISTINCT) or an argument of min, max and count is a char without a length,
its values are taken and shown without the blanks at their end. In WHERE, conditions that are computed
come after all that cannot fail. An array of ANY or ALL must not compute anything of a row that may fail
(0A000). Sums, averages and variances of floating values are added up so that neither the
order of rows nor where they are changes a digit, and rounded once; PostgreSQL rounds row by row, so last digits may
differ from its own (sum(real), which it adds in single precision, from about the sixth on). They, and sums of
intervals, fail where the whole is beyond the range, whatever its parts are. make_interval of parts that are
together out of range is refused (22008), where PostgreSQL's numbers wrap around.

Regular expressions are PostgreSQL's advanced ones, with its flags, options and error messages, under the C locale:
classes and case are those of ASCII. Patterns that look elsewhere in a text than where they match are refused
by name (0A000): references back (\\1 in a pattern), conditions on what is before or behind ((?=, (?!, (?<=, (?<!),
\\m and \\M where neither neighbour says whether it is of a word; and a pattern that is too large
([limits](limits.md)). Functions that return arrays or sets of matches are not there: regexp_match, regexp_matches,
regexp_split_to_array, regexp_split_to_table.

Refused by name (0A000), among what PostgreSQL has for these types: CURRENT_TIME (it has a time zone; LOCALTIME has
none), normalize, is_normalized, to_ascii, bpchar() and varchar() of a length, random, and functions that speak of the
server or need types that are not here. gen_random_uuid() is there among the values of an INSERT, and nowhere else.
bttextcmp, bpcharcmp, their likes for patterns and uuid_cmp say by their sign
which comes first; in PostgreSQL the machine decides how far from zero that is, here it is the difference of two bytes.

Fields, days and texts of timestamptz are by the clocks of the session: UTC, or what a client of
PostgreSQL has set its TimeZone to. AT TIME ZONE, date_trunc and make_timestamptz take any other zone, by what
PostgreSQL calls it. It is looked up when the statement is read, so it has to be a constant or a parameter (0A000). A
zone of POSIX's with daylight saving time and without rules (FOO5BAR) is refused, in what is computed of rows a text
names its zone by an offset or an abbreviation (0A000), and to_char() knows the name (TZ) of no zone but UTC (0A000).
now() and its kin, clock_timestamp() too, are read once a statement.

SET and WHERE of UPDATE and DELETE take the same, but for functions whose last digits depend on the machine (of double
precision all but those that round or are exact, and `^`, exp, ln, log, power of any numbers): every copy of a row has
to come to the same. Compute such a value and send it. Where SET or WHERE fails on a row, that row stays as it is and
counts as refused; PostgreSQL refuses the whole update. A mistake in what SET computes of constants is told before any
row is looked for.

| name | takes | gives |
| --- | --- | --- |
"""


NAMES = """
## Names of the catalogue

Beside these, what PostgreSQL's catalogue has behind operators, indexes, aggregates and windows, with the same results
and errors, and casts that are written as functions (`int4(x)`, `date(x)`; `text(x)` of anything). Where a name stands
for an operator or a function of the list above, that one is called: it costs the same, and whatever is said of that one
holds.

"""


def asked(what: str) -> list[str]:
    return ask(f"{what}\n").strip("\n").split("\x04")


def entries(which: str = "functions") -> list[tuple[str, bool, str, str]]:
    found = []
    for entry in asked(which):
        name, is_operator, arguments, result, *_ = entry.split("\x03")
        found.append((name, is_operator == "1", arguments, result))
    return found


def overloads() -> list[tuple[bool, str, str, str]]:
    """Returns whether it is a function and no operator, its name, its result, and what its overloads with that result
    take.
    """
    taken: dict[tuple[bool, str, str], list[str]] = defaultdict(list)
    for name, is_operator, arguments, result in entries():
        taken[(not is_operator, name, result)].append(arguments.replace(",", ", ") or "nothing")
    return [(*key, "; ".join(lists)) for key, lists in sorted(taken.items())]


def result_types(expressions: list[str]) -> list[str]:
    """The type of each expression over a row; empty for one that the compiler refuses."""
    answers = ask("".join(f"SELECT {expression} FROM t\n" for expression in expressions)).strip("\n").split("\n")
    return ["" if answer.startswith("error ") else answer.partition("|")[0] for answer in answers]


def aggregates() -> list[tuple[str, str, str]]:
    """The name, the result, and the arguments with that result of each aggregate, as the compiler takes them."""
    names = [name for kind, _, name in numbers_of_the_language() if kind == "aggregate"]
    calls = [
        (name.removeprefix("AGGREGATE_FUNCTION_").lower(), call.format(kind), takes.format(kind))
        for name in names
        for call, takes in AGGREGATE_CALLS
        for kind in KINDS
    ]
    calls.append(("count", "(*)", "*"))
    taken: dict[tuple[str, str], list[str]] = defaultdict(list)
    for (name, _, takes), result in zip(calls, result_types([name + call for name, call, _ in calls]), strict=True):
        if result:
            taken[(name, result)].append(takes)
    return [(name, result, "; ".join(lists)) for (name, result), lists in sorted(taken.items())]


def clocks() -> list[tuple[str, str, str]]:
    results = result_types([f"{name}()" for name in CLOCKS])
    return [(name, result, "nothing") for name, result in zip(CLOCKS, results, strict=True)]


def numbers_of_the_language() -> list[list[str]]:
    """The kind, the number and the name of each line of rpc/vectors/language.tsv, to which a test holds the nodes."""
    return [line.split("\t")[1:4] for line in LANGUAGE.read_text().splitlines()]


def page() -> str:
    lines = [f"| `{name.replace('|', '&#124;')}` | {taken} | {result} |" for _, name, result, taken in overloads()]
    names = ", ".join(sorted({name for name, *_ in entries("names")}))
    return HEAD + "\n".join(lines) + "\n" + NAMES + textwrap.fill(names, 120, break_on_hyphens=False) + "\n"


def shell_list() -> str:
    functions = [(name, result, taken) for is_function, name, result, taken in overloads() if is_function]
    lines = sorted([*functions, *aggregates(), *clocks()])
    return "".join(f"{name}\t{taken}\t{result}\n" for name, result, taken in lines)


def writer_list() -> str:
    forms = [f"form\t{number}\t{name}" for kind, number, name in numbers_of_the_language() if kind == "form"]
    return "\n".join([*asked("signatures"), *forms]) + "\n"


def main() -> int:
    files = {PAGE: page(), LIST: shell_list(), SIGNATURES: writer_list()}
    if "--check" not in sys.argv[1:]:
        for file, text in files.items():
            file.write_text(text)
        return 0
    stale = [file for file, text in files.items() if not file.exists() or file.read_text() != text]
    for file in stale:
        name = file.relative_to(ROOT)
        print(f"{name} is not what the table of functions says: run tools/functions_page.py", file=sys.stderr)
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
