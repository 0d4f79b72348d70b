"""Takes the steps of a program one after the other and prints each as a line of JSON: its answer, or its error."""

from __future__ import annotations

import json
import os
from collections.abc import Callable

HOST = os.environ["PGHOST"]
PORT = int(os.environ["PGPORT"])
USER = os.environ["PGUSER"]
DATABASE = os.environ["PGDATABASE"]


def take(name: str, step: Callable[[], object], recover: Callable[[], object] = lambda: None) -> None:
    """Takes one step. `recover` does what the client's users do after an error."""
    try:
        line = {"step": name, "answer": step()}
    except Exception as error:
        code, message = told(error)
        line = {"step": name, "code": code, "message": message}
        recover()
    print(json.dumps(line, default=str), flush=True)


def told(error: BaseException | None) -> tuple[str, str]:
    """The SQLSTATE and the message that the server has sent. Some clients show the message alone."""
    first = error
    while error is not None:
        code = getattr(error, "pgcode", None) or getattr(error, "sqlstate", None)
        if code:
            return code, str(error).splitlines()[0]
        if error.args and isinstance(error.args[0], dict):
            return error.args[0]["C"], error.args[0]["M"]
        error = getattr(error, "orig", None) or error.__cause__
    return "no code", (str(first).splitlines() or [type(first).__name__])[0]
