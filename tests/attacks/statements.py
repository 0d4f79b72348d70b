"""Attacks by the text of a statement: what is expensive before anything is scanned, or wide in what comes out."""

from __future__ import annotations

from attacks.attack import TOO_COMPLEX, TOO_LARGE, Attack, expect
from attacks.stage import Stage
from attacks.tables import WIDE, WIDE_BYTES, WIDE_ROWS

ANSWERED_SECONDS = 5.0


def nested_comments(stage: Stage) -> None:
    """Eight hundred kilobytes of comments in comments."""
    depth = 200_000
    with stage.client() as client:
        answer = client.ask("SELECT id FROM orders WHERE id = 1 " + "/*" * depth + "*/" * depth)
        stage.note(f"answered in {answer.seconds:.2f} s: {answer.refusal or 'served'}")
        expect(answer, TOO_COMPLEX, TOO_LARGE, rows=1)
        assert answer.seconds < ANSWERED_SECONDS


def unended_comments(stage: Stage) -> None:
    """Sends comments that are never closed."""
    with stage.client() as client:
        answer = client.ask("SELECT id FROM orders WHERE id = 1 " + "/*" * 200_000)
        stage.note(f"answered in {answer.seconds:.2f} s: {answer.refusal or 'served'}")
        expect(answer, TOO_COMPLEX, TOO_LARGE, frozenset({"42601"}))
        assert answer.refusal is not None, "a statement that never ends was served"
        assert answer.seconds < ANSWERED_SECONDS


def deep_conditions(stage: Stage) -> None:
    """Conditions in brackets in brackets, and as many ORs as fit."""
    deep = "SELECT id FROM orders WHERE " + "(" * 100_000 + "id = 1" + ")" * 100_000
    long = "SELECT id FROM orders WHERE " + " OR ".join(f"(id = {n} AND amount < {n})" for n in range(20_000))
    with stage.client() as client:
        for sql in (deep, long):
            answer = client.ask(sql)
            stage.note(f"answered in {answer.seconds:.2f} s: {answer.refusal or 'served'}")
            expect(answer, TOO_COMPLEX, TOO_LARGE, frozenset({"42601"}))
            assert answer.seconds < ANSWERED_SECONDS


def _wide_rows(stage: Stage, times: int) -> None:
    text = ", ".join(["text"] * times)
    statements = [f"SELECT {text} FROM pages", f"SELECT {text} FROM pages WHERE id = 3"]
    statements += [f"SELECT {text} FROM pages ORDER BY id LIMIT 2", f"SELECT {text}, count(*) FROM pages GROUP BY text"]
    with stage.client() as client:
        for sql in statements:
            answer = client.ask(sql)
            assert answer.refusal is not None, f"a row of {times * WIDE_BYTES} bytes was served"
            expect(answer, TOO_LARGE, frozenset({"54011"}))


def rows_of_a_wide_column(stage: Stage) -> None:
    """One column of four kilobytes, three hundred times: rows beyond a megabyte."""
    _wide_rows(stage, 300)


def rows_as_wide_as_allowed(stage: Stage) -> None:
    """The widest rows that an answer may have are served, all of them."""
    text = ", ".join(["text"] * 250)
    with stage.client() as client:
        answer = client.ask(f"SELECT {text} FROM pages WHERE id <= 20")
        assert answer.refusal is None, answer.refusal
        assert answer.rows.count == 20
        assert answer.rows.size > 20 * 250 * WIDE_BYTES
        expect(client.ask("SELECT id, text FROM pages"), rows=WIDE_ROWS)


ATTACKS = [
    Attack("nested-comments", "A statement of comments in comments, 800 KB.", nested_comments),
    Attack("unended-comments", "The same, never closed.", unended_comments),
    Attack("deep-conditions", "Conditions of 200 KB and more.", deep_conditions),
    Attack("rows-of-a-wide-column", "A column selected until a row exceeds 1 MiB.", rows_of_a_wide_column, table=WIDE),
    Attack("rows-as-wide-as-allowed", "Rows just below 1 MiB.", rows_as_wide_as_allowed, table=WIDE),
]
