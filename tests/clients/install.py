"""Installs what the clients of clients.toml need, each into a folder of its own below build/clients, and builds their
programs there.

An installer for each ecosystem uses that ecosystem's own package manager as it is set up on the machine. A client that
does not install is no error: the reason is kept beside it, and the page says `not run` with it. Does nothing, quickly,
where the same packages and the same program have been installed before.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

from clients.pins import PROGRAMS, Client

INSTALL_SECONDS_MAX = 1_800
MANAGERS = {"pypi": "python3", "npm": "npm", "maven": "mvn", "go": "go", "crates": "cargo", "debian": "apt-get"}
MAVEN_PROJECT = """<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>org.daedalus</groupId>
  <artifactId>client</artifactId>
  <version>1</version>
  <dependencies>{dependencies}</dependencies>
</project>
"""
MAVEN_DEPENDENCY = "<dependency><groupId>{}</groupId><artifactId>{}</artifactId><version>{}</version></dependency>"
# Beside their client: what the Rust programs are written with.
CRATES_BESIDE = """tokio = { version = "=1.48.0", features = ["rt", "macros"] }
futures-util = "=0.3.31"
serde_json = "=1.0.145"
"""
CRATE_FEATURES = {"sqlx": 'default-features = false, features = ["postgres", "runtime-tokio", "macros"]'}


class NotInstalledError(Exception):
    """Says in one line why a client cannot be run here."""


def run(folder: Path, *words: str | Path) -> None:
    """Runs a package manager or a compiler in a folder. Error: NotInstalledError it fails."""
    finished = subprocess.run(
        [str(word) for word in words], cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS_MAX,
        check=False, env={**os.environ, "DEBIAN_FRONTEND": "noninteractive"},
    )  # fmt: skip
    if finished.returncode != 0:
        (folder / "failure.log").write_text(finished.stdout + finished.stderr)
        raise NotInstalledError(
            f"`{Path(str(words[0])).name} {words[1]}` fails; see failure.log in build/clients/{folder.name}"
        )


def from_debian(client: Client) -> None:
    """Installs packages on the machine: what they want beside them is there in the right version."""
    missing = [name for name in client.packages if not debian_version(name)]
    if missing:
        if os.geteuid() != 0:
            raise NotInstalledError(f"Debian's {' and '.join(missing)} are not installed")
        run(client.folder, "apt-get", "install", "-y", "--no-install-recommends", *missing)
    for name, wanted in client.packages.items():
        if not debian_version(name).startswith(wanted):
            raise NotInstalledError(f"Debian's {name} is {debian_version(name)} and not {wanted}")


def debian_version(package: str) -> str:
    """The version of an installed package; empty where it is not installed."""
    words = ["dpkg-query", "-W", "-f", "${db:Status-Abbrev}${Version}", package]
    said = subprocess.run(words, capture_output=True, text=True, check=False).stdout
    return said.removeprefix("ii ") if said.startswith("ii ") else ""


def from_pypi(client: Client) -> None:
    """Makes a virtual environment of the client's own."""
    run(client.folder, "python3", "-m", "venv", "--clear", "venv")
    wanted = [f"{name}=={version}" for name, version in client.packages.items()]
    run(client.folder, "venv/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "-q", *wanted)


def from_npm(client: Client) -> None:
    """Installs below node_modules, without running any script of a package."""
    project = {"private": True, "dependencies": client.packages}
    (client.folder / "package.json").write_text(json.dumps(project))
    run(client.folder, "npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts")


def from_maven(client: Client) -> None:
    """Copies the jars below `jars` and compiles the program against them."""
    dependencies = [MAVEN_DEPENDENCY.format(*name.split(":"), version) for name, version in client.packages.items()]
    (client.folder / "pom.xml").write_text(MAVEN_PROJECT.format(dependencies="".join(dependencies)))
    run(client.folder, "mvn", "-q", "-B", "dependency:copy-dependencies", "-DoutputDirectory=jars")
    sources = [client.program, PROGRAMS / "java" / "Steps.java"]
    run(client.folder, "javac", "-proc:none", "-cp", "jars/*", "-d", "classes", *sources)


def from_go(client: Client) -> None:
    """Makes a module of the program and its steps."""
    requires = "".join(f"require {name} {version}\n" for name, version in client.packages.items())
    (client.folder / "go.mod").write_text(f"module client\n\ngo 1.23\n\n{requires}")
    for source in (client.program, PROGRAMS / "go" / "steps.go"):
        shutil.copy(source, client.folder / source.name)
    run(client.folder, "go", "mod", "tidy")
    run(client.folder, "go", "build", "-o", "program", ".")


def from_crates(client: Client) -> None:
    """Makes a package of the program and its steps."""
    (client.folder / "src").mkdir(exist_ok=True)
    shutil.copy(client.program, client.folder / "src" / "main.rs")
    shutil.copy(PROGRAMS / "rust" / "steps.rs", client.folder / "src" / "steps.rs")
    lines = []
    for name, version in client.packages.items():
        features = f", {CRATE_FEATURES[name]}" if name in CRATE_FEATURES else ""
        lines.append(f'{name} = {{ version = "={version}"{features} }}')
    head = '[package]\nname = "program"\nversion = "0.0.0"\nedition = "2021"\n\n[workspace]\n\n[dependencies]\n'
    (client.folder / "Cargo.toml").write_text(head + "\n".join(lines) + "\n" + CRATES_BESIDE)
    run(client.folder, "cargo", "build", "--quiet")


INSTALLERS: dict[str, Callable[[Client], None]] = {
    "debian": from_debian,
    "pypi": from_pypi,
    "npm": from_npm,
    "maven": from_maven,
    "go": from_go,
    "crates": from_crates,
}


def state_of(client: Client) -> str:
    """A name for what is to be installed: its packages, and the sources of what is compiled."""
    digest = hashlib.sha256(json.dumps([client.ecosystem, client.packages]).encode())
    if client.ecosystem in ("maven", "go", "crates"):
        for source in (client.program, *sorted(client.program.parent.glob("[sS]teps.*"))):
            digest.update(source.read_bytes())
    return digest.hexdigest()


def install(client: Client) -> str:
    """Installs one client; why it is not, or nothing where it is."""
    client.folder.mkdir(parents=True, exist_ok=True)
    installed, reason = client.folder / "installed", client.folder / "not_installed"
    if installed.exists() and installed.read_text() == state_of(client):
        return ""
    installed.unlink(missing_ok=True)
    reason.unlink(missing_ok=True)
    try:
        if not shutil.which(MANAGERS[client.ecosystem]):
            raise NotInstalledError(f"there is no {MANAGERS[client.ecosystem]}")
        INSTALLERS[client.ecosystem](client)
    except (NotInstalledError, subprocess.TimeoutExpired) as failure:
        reason.write_text(str(failure))
        return str(failure)
    installed.write_text(state_of(client))
    return ""


def missing_reason(client: Client) -> str:
    """Why a client cannot be run here; nothing where it can."""
    if (client.folder / "installed").exists():
        return ""
    reason = client.folder / "not_installed"
    return reason.read_text() if reason.exists() else "it has not been installed"
