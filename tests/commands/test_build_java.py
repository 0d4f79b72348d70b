"""tools/build_java.sh: what it asks of Maven, and that nothing survives of sources that are gone."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from local_cluster import ROOT, Answer, run_command

# Compiles as Maven does where it matters here: a class for every source and a library, beside those that are there.
MAVEN = """#!/usr/bin/env bash
echo "$*" >> ../called
for source in */src/*.java; do
  module=${source%%/*}
  mkdir -p "$module/target/classes" "$module/target/lib"
  name=$(basename "$source" .java)
  echo class > "$module/target/classes/$name.class"
  touch "$module/target/lib/$(cat "$module/pom.xml").jar"
done
"""


class Tree:
    """Two modules, and a Maven that writes down how it is called."""

    def __init__(self, root: Path) -> None:
        self.root = root
        (root / "tools").mkdir()
        shutil.copy2(ROOT / "tools" / "build_java.sh", root / "tools")
        (root / "rpc" / "proto").mkdir(parents=True)
        for source in ("cli/src/Main.java", "cli/src/Other.java", "output/src/Table.java"):
            self.write(f"client-java/{source}", "class")
        for module in ("cli", "output"):
            self.write(f"client-java/{module}/pom.xml", "netty-1")
        self.write("bin/mvn", MAVEN)
        (root / "bin" / "mvn").chmod(0o755)

    def write(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def build(self, what: str) -> Answer:
        answer = run_command(
            self.root / "tools" / "build_java.sh", what, environment={"PATH": f"{self.root / 'bin'}:/usr/bin:/bin"}
        )
        assert answer.code == 0, answer.said
        return answer

    def calls(self) -> list[str]:
        called = self.root / "called"
        return called.read_text().splitlines() if called.exists() else []

    def built(self) -> set[str]:
        return {str(path.relative_to(self.root / "client-java")) for path in self.root.glob("client-java/*/target/*/*")}


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    return Tree(tmp_path)


def test_programs_are_built_without_tests_and_everything_with_them(tree: Tree) -> None:
    tree.build("programs")
    assert "-Dmaven.test.skip" in tree.calls()[0].split()
    assert "cli,writer,workload,demo" in tree.calls()[0]
    tree.build("everything")
    assert "-DskipTests" in tree.calls()[1].split()
    assert "-Dmaven.test.skip" not in tree.calls()[1]


def test_nothing_is_built_while_nothing_has_changed(tree: Tree) -> None:
    tree.build("everything")
    tree.build("everything")
    tree.build("programs")
    assert len(tree.calls()) == 1
    tree.write("client-java/cli/src/Third.java", "class")
    tree.build("everything")
    assert len(tree.calls()) == 2


@pytest.mark.parametrize("what", ["programs", "everything"])
def test_a_deleted_source_leads_to_a_build_and_leaves_no_class(tree: Tree, what: str) -> None:
    tree.build("everything")
    assert "cli/target/classes/Other.class" in tree.built()
    (tree.root / "client-java/cli/src/Other.java").unlink()
    tree.build(what)
    assert len(tree.calls()) == 2
    assert "cli/target/classes/Other.class" not in tree.built()
    assert {"cli/target/classes/Main.class", "output/target/classes/Table.class"} <= tree.built()
    tree.build(what)
    assert len(tree.calls()) == 2


def test_a_source_that_only_programs_were_built_from_is_missed_by_everything(tree: Tree) -> None:
    tree.build("everything")
    tree.write("client-java/cli/src/Brief.java", "class")
    tree.build("programs")
    (tree.root / "client-java/cli/src/Brief.java").unlink()
    tree.build("everything")
    assert "cli/target/classes/Brief.class" not in tree.built()


def test_a_library_that_a_module_wants_no_more_is_gone(tree: Tree) -> None:
    tree.build("everything")
    tree.write("client-java/cli/pom.xml", "netty-2")
    tree.build("everything")
    libraries = {name for name in tree.built() if name.startswith("cli/target/lib")}
    assert libraries == {"cli/target/lib/netty-2.jar"}
