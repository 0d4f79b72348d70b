"""The generated C++ of one schema, and its way to a shared library.

Decides when there is something to do: the generated text carries the fingerprint, the template's version and the
interface's digest, so equal text means an equal library.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path

from daedalus_schema.schema import Schema
from daedalus_schema.types import STRING_KINDS, Kind

TEMPLATE_VERSION = 3
ABI_INCLUDE = Path(__file__).resolve().parent.parent / "abi" / "include"
ABI_HEADER = Path("daedalus") / "schema" / "abi.h"
COMPILE_SECONDS_MAX = 60
FLAGS = ("-std=c++20", "-O2", "-fPIC", "-shared", "-Wall", "-Wextra", "-Werror")


class BuildError(Exception):
    """The compiler failed or could not be run."""


@dataclass(frozen=True, slots=True)
class Files:
    """The compiler writes these files for one table."""

    generated: Path
    schema: Path
    library: Path

    @classmethod
    def of(cls, directory: Path, table: str) -> Files:
        return cls(directory / f"{table}.cpp", directory / f"{table}.schema.json", directory / f"{table}.so")


def c_string(text: str) -> str:
    """A C++ string literal of any text: whatever is not plain is written in octal."""
    plain = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_ ,()."
    return '"' + "".join(chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()) + '"'


def generate(schema: Schema, abi_include: Path = ABI_INCLUDE) -> str:
    """The C++ text of a schema; the same schema, template and interface give the same text."""
    import jinja2  # Takes longer than all else that a check of a schema does, and a check needs no template.

    header = (abi_include / ABI_HEADER).read_bytes()
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).resolve().parent / "templates"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["c_string"] = c_string
    return environment.get_template("schema.cpp.j2").render(
        schema=schema,
        columns=schema.columns,
        null_bytes=(len(schema.columns) + 7) // 8,
        padding=0xFF & ~((1 << ((len(schema.columns) - 1) % 8 + 1)) - 1),
        template_version=TEMPLATE_VERSION,
        abi_digest=hashlib.sha256(header).hexdigest()[:16],
        Kind=Kind,
        string_kinds=STRING_KINDS,
    )


def schema_document(schema: Schema) -> str:
    """The text of TABLE.schema.json."""
    document = {"fingerprint": schema.fingerprint, "template_version": TEMPLATE_VERSION, **schema.canonical()}
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def write(schema: Schema, directory: Path, *, build: bool) -> bool:
    """Writes the files of `schema` that are not up to date; whether anything was compiled.

    The library is put in place before the texts that vouch for it, each by a rename, so that a cut leaves nothing that
    looks finished. Errors: OSError, BuildError.
    """
    directory.mkdir(parents=True, exist_ok=True)
    files = Files.of(directory, schema.table)
    generated = generate(schema)
    document = schema_document(schema)
    is_current = _holds(files.generated, generated) and _holds(files.schema, document)
    must_build = build and not (is_current and files.library.exists())
    if not build and not is_current:
        files.library.unlink(missing_ok=True)
    if must_build:
        _build(generated, files)
    if not is_current:
        _replace(files.generated, generated.encode())
        _replace(files.schema, document.encode())
    return must_build


def _holds(path: Path, text: str) -> bool:
    return path.exists() and path.read_bytes() == text.encode()


def _replace(path: Path, content: bytes) -> None:
    fresh = path.with_name(f".{path.name}.{os.getpid()}.new")  # Readable for whom the umask says.
    fresh.write_bytes(content)
    fresh.replace(path)


def _build(generated: str, files: Files) -> None:
    compiler = os.environ.get("CXX", "g++")
    with tempfile.TemporaryDirectory(dir=files.library.parent, prefix=".build-") as name:
        source = Path(name) / files.generated.name
        library = Path(name) / files.library.name
        source.write_text(generated)
        command = [compiler, *FLAGS, f"-I{ABI_INCLUDE}", "-o", str(library), str(source)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=COMPILE_SECONDS_MAX, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise BuildError(f"cannot run {compiler}: {error}") from error
        if done.returncode != 0:
            raise BuildError(f"{' '.join(command)} failed:\n{done.stderr}")
        library.replace(files.library)
