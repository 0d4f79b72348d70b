"""`python -m daedalus_schema FILE.sql --output DIR [--check] [--emit-only]`.

Exit codes: 0 fine, 1 something failed at run time, 2 usage or a schema that breaks a rule.
"""

from __future__ import annotations

import argparse
import codecs
import sys
import time
from pathlib import Path

from daedalus_schema import emit
from daedalus_schema.compile import compile_source
from daedalus_schema.grammar import GrammarMissingError, quoted
from daedalus_schema.schema import Schema
from daedalus_schema.source import Source

SOURCE_SIZE_MAX = 1 << 20


def _arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="daedalus_schema", description="Compiles one CREATE TABLE to the shared library that Daedalus loads."
    )
    parser.add_argument("file", type=Path, metavar="FILE.sql")
    parser.add_argument("--output", type=Path, metavar="DIR", help="where TABLE.so, .cpp and .schema.json go")
    parser.add_argument("--check", action="store_true", help="only check; write nothing")
    parser.add_argument("--emit-only", action="store_true", help="write the C++ and the schema, do not compile")
    arguments = parser.parse_args(argv)
    if not arguments.check and arguments.output is None:
        parser.error("--output DIR is required unless --check is given")
    return arguments


def _compile(path: Path) -> Schema | None:
    """Reads and checks a file; None after its errors have been printed."""
    content = path.read_bytes().removeprefix(codecs.BOM_UTF8)  # Some editors write one.
    if len(content) > SOURCE_SIZE_MAX:
        print(f"{path}:1:1: the file is larger than {SOURCE_SIZE_MAX} bytes [file-size]", file=sys.stderr)
        return None
    try:
        source = Source(str(path), content.decode())
    except UnicodeDecodeError as error:
        source = Source(str(path), content[: error.start].decode())
        line, column = source.line_and_column(error.start)
        print(f"{path}:{line}:{column}: the file is not UTF-8 [file-encoding]", file=sys.stderr)
        return None
    compiled = compile_source(source)
    if isinstance(compiled, Schema):
        return compiled
    for diagnostic in compiled:
        print(source.render(diagnostic), file=sys.stderr)
    return None


def _key_notice(schema: Schema) -> str:
    """Returns a notice about what the author of a primary key would otherwise take for granted."""
    keys = ", ".join(quoted(schema.columns[position].name) for position in schema.primary_key)
    table = quoted(schema.table)
    return (
        f"NOTICE:  PRIMARY KEY ({keys}) of {table} is not enforced: it makes its columns NOT NULL, and rows with"
        " equal keys are all kept\n"
        "HINT:  let keys be unique where rows come from; to look for doubles:"
        f" SELECT {keys}, count(*) FROM {table} GROUP BY {keys} ORDER BY count(*) DESC LIMIT 10"
    )


def main(argv: list[str] | None = None) -> int:
    """Runs the command line; returns its exit code."""
    arguments = _arguments(argv)
    try:
        schema = _compile(arguments.file)
        if schema is None:
            return 2
        if schema.primary_key:
            print(_key_notice(schema), file=sys.stderr)
        summary = f"{schema.table}: {len(schema.columns)} columns, fingerprint {schema.fingerprint[:16]}"
        if arguments.check:
            print(f"{summary} (checked)")
            return 0
        start = time.monotonic()
        compiled = emit.write(schema, arguments.output, build=not arguments.emit_only)
        did = "emitted" if arguments.emit_only else "unchanged"
        if compiled:
            did = f"compiled in {time.monotonic() - start:.1f} s"
        print(f"{summary} ({did})")
    except (OSError, GrammarMissingError, emit.BuildError) as error:
        print(f"daedalus_schema: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
