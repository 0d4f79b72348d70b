"""How outcomes of programs are compared, and what the page says of them, without any program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from recorded import Recorded
from sent import few_of_each_shape, is_kept, shape

from clients.install import INSTALLERS, MANAGERS, install, missing_reason
from clients.page import BEGIN, END, Outcome, rows_of, written_page
from clients.pins import Client, read_clients
from clients.steps import NO_CODE, Step, Verdict, compare

WORKS = Verdict("works")


def client(**changes: str) -> Client:
    """A client that nobody has installed."""
    return Client("nobody", "Nobody's", changes.get("ecosystem", "pypi"), {"nobody": "1.2"}, Path("nobody.py"))


@pytest.mark.parametrize(
    ("expected", "found", "word"),
    [
        (Step("reads", [1, "a"]), Step("reads", [1, "a"]), "works"),
        (Step("reads", [1]), Step("reads", [2]), "DIFFERENT"),
        (Step("reads", [1]), Step("reads", code="0A000", message="EXISTS is not supported"), "refused"),
        (Step("reads", [1]), Step("reads", code=NO_CODE, message="EXISTS is not supported"), "refused"),
        (Step("reads", [1]), Step("reads", code=NO_CODE, message="division by zero"), "DIFFERENT"),
        (Step("reads", [1]), Step("reads", code="22012", message="division by zero"), "DIFFERENT"),
        (Step("reads", code="22012"), Step("reads", code="22012"), "works"),
        (Step("reads", code="22012"), Step("reads", code="0A000"), "DIFFERENT"),
    ],
)
def test_only_a_refusal_by_name_may_take_the_place_of_an_answer(expected: Step, found: Step, word: str) -> None:
    assert compare([expected], [found])["reads"].word == word


def test_immediate_writes_may_stay_after_a_rollback() -> None:
    expected, found = [Step("rolls back (rollback)", 0)], [Step("rolls back (rollback)", 1)]
    assert compare(expected, found)["rolls back (rollback)"].word == "DIFFERENT"
    assert compare(expected, found, stays=True)["rolls back (rollback)"].word == "stays"


def test_a_step_that_was_not_taken_is_a_difference() -> None:
    assert compare([Step("reads", 1)], [])["reads"].word == "DIFFERENT"
    assert compare([], [Step("goes on to its end", code="exit 1")])["goes on to its end"].word == "DIFFERENT"


def test_a_row_has_all_steps_that_are_answered_alike() -> None:
    refused = Verdict("refused", "0A000 UPDATE | DELETE")
    outcome = Outcome(client(), {"a": WORKS, "b": refused, "c": WORKS}, {"a": WORKS, "b": Verdict("works"), "c": WORKS})
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:5]] for row in rows_of(outcome)]
    assert cells == [
        ["Nobody's 1.2", "a; c", "works", "the same"],
        ["", "b", "refused: 0A000 UPDATE \\| DELETE", "works"],
    ]


def test_a_page_keeps_the_rows_of_clients_that_were_not_run() -> None:
    other = Client("other", "Another", "npm", {"other": "3.4"}, Path("other.js"))
    ran = [Outcome(each, {"a": WORKS}, {"a": WORKS}) for each in (client(), other)]
    page = f"before\n{BEGIN}\n{END}\nafter"
    both = written_page(page, ran, [client(), other])
    assert both.startswith("before\n")
    assert both.endswith("\nafter")
    assert written_page(both, ran[1:], [client(), other]) == both
    changed = written_page(both, [Outcome(other, {}, {}, "there is no npm")], [client(), other])
    assert "Nobody's 1.2 | a | works" in changed
    assert "Another 3.4 |  | not run: there is no npm" in changed


def test_a_client_that_is_not_installed_is_not_run_and_the_page_says_why() -> None:
    reason = missing_reason(client())
    assert reason
    (row,) = rows_of(Outcome(client(), {}, {}, reason))
    assert f"not run: {reason}" in row


def test_why_a_client_does_not_install_is_kept_until_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clients.pins.INSTALLED", tmp_path)
    monkeypatch.setitem(MANAGERS, "pypi", "no_such_program")
    assert install(client()) == missing_reason(client()) == "there is no no_such_program"
    monkeypatch.setitem(MANAGERS, "pypi", "python3")
    monkeypatch.setitem(INSTALLERS, "pypi", lambda _: None)
    assert install(client()) == missing_reason(client()) == ""


def test_statements_of_one_shape_are_kept_twice() -> None:
    texts = [
        "SELECT name FROM kinds WHERE id = 1",
        "SELECT name FROM kinds WHERE id IN (2)",
        "SELECT name  FROM kinds WHERE id = 22.5",
        "SELECT name FROM kinds WHERE id = 'it''s'",
        "SELECT name FROM kinds WHERE id IN (3, 4, $1)",
        "SELECT name FROM kinds WHERE id IN (3, 4), (5, 6)",
    ]
    statements = [Recorded("nobody", text, ()) for text in texts]
    assert [each.sql for each in few_of_each_shape(statements)] == [texts[at] for at in (0, 1, 2, 4)]
    assert shape(statements[1]) == shape(statements[5])


def test_blocks_and_copy_are_not_kept() -> None:
    assert is_kept("INSERT INTO kinds (id) VALUES (1)")
    assert is_kept('/* {"app": "a tool"} */ SELECT 1')
    assert not is_kept("/* a tool */ COPY kinds FROM STDIN")
    assert not any(map(is_kept, ("BEGIN", "COPY kinds FROM STDIN", "FETCH 1 FROM c")))


def test_every_version_is_pinned_and_every_program_is_there() -> None:
    clients = read_clients()
    assert {each.ecosystem for each in clients} == set(INSTALLERS)
    for each in clients:
        assert each.program.exists(), each.key
        assert all(re.match(r"v?\d+(:\d+)?\.\d+", version) for version in each.packages.values()), each.key
