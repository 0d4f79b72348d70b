"""./make.sh on a machine without make, and how steps of a build show how far they are."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from local_cluster import ROOT, Answer, run_command

# apt-get as it reports to its status descriptor; what it "installs" is the make that says its arguments.
APT_GET = """#!/bin/bash
echo "$(basename "$0") $*" >> {folder}/called
case " $* " in
  *" update "*) echo "dlstatus:1:50.0:lists" >&3 ;;
  *)
    for percent in 10 11 12 60 100; do echo "pmstatus:make:$percent.0:Unpacking make" >&3; done
    printf '#!/bin/sh\\necho "made $*"\\n' > {folder}/make
    chmod +x {folder}/make
    ;;
esac
echo "noise of apt"
"""
# As sudo does: descriptors beyond the three are closed.
SUDO = """#!/bin/bash
echo "sudo" >> {folder}/called
exec 3>&- 4>&-
exec "$@"
"""


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """A folder that is all of PATH: what a Debian has at least, without make."""
    for tool in ("bash", "sh", "env", "mktemp", "tail", "rm", "dirname", "basename", "cat", "chmod"):
        found = shutil.which(tool)
        assert found is not None
        (tmp_path / tool).symlink_to(found)
    return tmp_path


def install(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text.replace("{folder}", str(folder)))
    (folder / name).chmod(0o755)


def make_sh(folder: Path, user: int) -> Answer:
    install(folder, "id", f"#!/bin/sh\necho {user}\n")
    done = subprocess.run(
        [ROOT / "make.sh", "run", "KEEP=1"], env={"PATH": str(folder)}, capture_output=True, text=True, check=False
    )
    return Answer(done.returncode, done.stdout, done.stderr)


@pytest.mark.parametrize(("user", "calls"), [(0, ["apt-get", "apt-get"]), (1000, ["sudo", "apt-get", "apt-get"])])
def test_make_is_installed_and_goes_on(machine: Path, user: int, calls: list[str]) -> None:
    install(machine, "apt-get", APT_GET)
    install(machine, "sudo", SUDO)
    answer = make_sh(machine, user)
    assert answer.code == 0, answer.said
    assert answer.out.splitlines() == [
        "setup: installing Debian packages: make",
        "setup: fetching lists of packages 50 %",
        "setup: installing packages 10 %",
        "setup: installing packages 60 %",
        "setup: installing packages 100 %",
        "setup: Debian packages 100 %",
        "made run KEEP=1",
    ]
    assert [line.split()[0] for line in (machine / "called").read_text().splitlines()] == calls


def test_a_user_without_sudo_is_told_what_root_has_to_do(machine: Path) -> None:
    answer = make_sh(machine, 1000)
    assert answer.code != 0
    assert "apt-get install -y --no-install-recommends make" in answer.err


def test_the_output_of_apt_is_shown_when_it_fails(machine: Path) -> None:
    install(machine, "apt-get", "#!/bin/sh\necho 'E: no space left' >&2\nexit 100\n")
    answer = make_sh(machine, 0)
    assert answer.code != 0
    assert "E: no space left" in answer.err
    assert "100 %" not in answer.out


STEPS: list[str | Path] = [sys.executable, ROOT / "tools" / "steps.py", "build"]


def test_steps_run_at_once_and_each_gets_to_its_end() -> None:
    counting = "for i in 1 2 3 4; do echo [$i/4] part $i; done"
    answer = run_command(*STEPS, f"one={counting}", "other=echo nothing to do")
    assert answer.code == 0, answer.said
    lines = answer.out.splitlines()
    assert "build: one 100 %" in lines
    assert "build: other 100 %" in lines


def test_a_step_that_fails_shows_what_it_said_last_and_stops_the_others(tmp_path: Path) -> None:
    # The other one holds its end of the pipe until it is ended.
    os.mkfifo(tmp_path / "pipe")
    other = f"other=echo [1/2] waiting; exec bash -c 'read line <> {tmp_path}/pipe'"
    bad = "bad=echo [1/2] half; echo it broke; exit 3"
    answer = run_command(*STEPS, bad, other)
    assert answer.code == 1
    assert "build: bad FAILED" in answer.out
    assert "build: other 100 %" not in answer.out
    assert "other FAILED" not in answer.out
    assert "it broke" in answer.err
    assert "build/logs/bad.log" in answer.err


def test_packages_are_listed_once_for_what_first_needs_them() -> None:
    lists = {path.stem: path.read_text().split("\n") for path in (ROOT / "tools" / "packages").iterdir()}
    packages = {name: [line for line in lines if line and not line.startswith("#")] for name, lines in lists.items()}
    assert sorted(packages) == ["build", "development", "peers", "profile"]
    for name, wanted in packages.items():
        assert wanted == sorted(set(wanted)), name
    assert not set(packages["build"]) & set(packages["development"])
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_a_page_that_is_made_by_a_program_says_how_to_build_it(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "tools", tmp_path / "tools")
    shutil.copytree(ROOT / "tests" / "slt", tmp_path / "tests" / "slt")
    for page in ("functions_page.py", "sql_page.py"):
        told = run_command(sys.executable, tmp_path / "tools" / page, "--check")
        assert told.code == 1
        assert "statement_twin is not built: cmake --build --preset release --target statement_twin" in told.err
        assert "Traceback" not in told.err
