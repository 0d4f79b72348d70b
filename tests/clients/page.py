"""The table of what clients do by default, for a terminal and for docs/clients.md."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clients.pins import ROOT, Client
from clients.steps import Verdict

PAGE = ROOT / "docs" / "clients.md"
BEGIN, END = "<!-- The next lines are written by `make clients`. -->", "<!-- That is all that it writes. -->"
HEAD = (
    "| client | what it does by default | answer | with `block_writes = immediate` | test |",
    "| --- | --- | --- | --- | --- |",
)
TEST = "`test_sent_statements::test_recorded_statements_of_a_client_are_answered_as_in_postgresql`"


@dataclass(frozen=True, slots=True)
class Outcome:
    """The outcome says what a client's program came to, or why it was not run."""

    client: Client
    refusing: dict[str, Verdict]
    immediate: dict[str, Verdict]
    not_run: str = ""

    @property
    def different(self) -> list[str]:
        """Each step that ended otherwise than by PostgreSQL's answer or a refusal by name."""
        return [
            f"{self.client.title}: {name}: {verdict}"
            for verdicts in (self.refusing, self.immediate)
            for name, verdict in verdicts.items()
            if verdict.word == "DIFFERENT"
        ]


def rows_of(outcome: Outcome) -> Iterable[str]:
    """Its rows: one for all steps that are answered the same way, in the order in which they are taken."""
    title = outcome.client.title
    if outcome.not_run:
        yield row(title, "", f"not run: {outcome.not_run}", "")
        return
    groups: dict[tuple[str, str], list[str]] = {}
    for name, verdict in outcome.refusing.items():
        immediate = outcome.immediate.get(name, Verdict("DIFFERENT", "not taken"))
        groups.setdefault((str(verdict), str(immediate)), []).append(name)
    for (by_default, in_blocks), names in groups.items():
        yield row(title, "; ".join(names), by_default, "the same" if in_blocks == by_default else in_blocks)
        title = ""


def row(*cells: str) -> str:
    """A line of the table."""
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in (*cells, TEST)) + " |"


def groups_of(rows: Iterable[str]) -> dict[str, list[str]]:
    """Rows of a table by the client that they are about: one without a name is about the one before it."""
    groups: dict[str, list[str]] = {}
    title = ""
    for each in rows:
        title = each.split("|")[1].strip() or title
        groups.setdefault(title, []).append(each)
    return groups


def written_page(page: str, outcomes: Iterable[Outcome], clients: Iterable[Client]) -> str:
    """A page's text with these outcomes in its table; of other clients it keeps the rows that it has."""
    before, rest = page.split(BEGIN)
    table, after = rest.split(END)
    groups = groups_of(table.strip().splitlines()[len(HEAD) :])
    groups.update({outcome.client.title: list(rows_of(outcome)) for outcome in outcomes})
    rows = [row for client in clients for row in groups.get(client.title, [])]
    return "\n".join([f"{before}{BEGIN}", *HEAD, *rows, f"{END}{after}"])
