"""The clients of clients.toml."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
INSTALLED = ROOT / "build" / "clients"
PROGRAMS = HERE / "programs"


@dataclass(frozen=True, slots=True)
class Client:
    """A client whose program is run."""

    key: str
    name: str
    ecosystem: str
    packages: dict[str, str]
    program: Path
    through: str = ""
    words: str = ""

    @property
    def folder(self) -> Path:
        """Returns the folder in which the client's needs are installed."""
        return INSTALLED / self.key

    @property
    def title(self) -> str:
        """Its name and version, as readers know them."""
        version = next(iter(self.packages.values())).split(":")[-1]
        return f"{self.name} {version.removeprefix('v').removesuffix('.Final').removesuffix('.RELEASE')}"


def read_clients(keys: list[str] | None = None) -> list[Client]:
    """The clients of clients.toml in its order, or those with the given keys. Error: KeyError a key is not there."""
    tables = tomllib.loads((HERE / "clients.toml").read_text(encoding="utf-8"))
    return [
        Client(key, **{**tables[key], "program": PROGRAMS / tables[key]["program"]}) for key in (keys or list(tables))
    ]
