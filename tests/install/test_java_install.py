"""The Java side as somebody meets it who has the sources and Maven, and nothing else built; then an application."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from pathlib import Path

import pytest
from local_cluster import ROOT, local_cluster, run_command
from project_version import project_version

#: What belongs to the sources that the Java side is built from, as git knows it.
SOURCES = ("client-java", "rpc/proto", "rpc/vectors", "schemas", "tests/cluster/transcripts")
BUILD_SECONDS_MAX = 1_200
VERSION = project_version()


def copy_of_sources(target: Path) -> None:
    """Every file of the tree that git knows or would take, and nothing that was built."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *SOURCES],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout.decode()
    for name in filter(None, listed.split("\0")):
        if (ROOT / name).exists():
            (target / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, target / name)


def throw_away_repository(target: Path) -> None:
    """A local repository of its own that begins with what this machine has fetched before."""
    fetched = Path.home() / ".m2" / "repository"
    if fetched.is_dir():
        shutil.copytree(fetched, target, ignore=shutil.ignore_patterns("daedalus"))


def maven(directory: Path, repository: Path, *words: str) -> str:
    """Runs Maven to its end; its words when it failed are the test's."""
    environment = {name: value for name, value in os.environ.items() if name != "MAVEN_OPTS"}
    finished = subprocess.run(
        ["mvn", "-B", "-ntp", f"-Dmaven.repo.local={repository}", *words],
        cwd=directory,
        capture_output=True,
        text=True,
        timeout=BUILD_SECONDS_MAX,
        env=environment,
        check=False,
    )
    assert finished.returncode == 0, "\n".join(finished.stdout.splitlines()[-60:])
    return finished.stdout


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Returns the repository into which `mvn install` has put what it built from a clean copy of the sources."""
    base = tmp_path_factory.mktemp("install")
    copy_of_sources(base / "tree")
    throw_away_repository(base / "repository")
    maven(base / "tree" / "client-java", base / "repository", "install")
    return base / "repository"


def published(repository: Path, artifact: str, kind: str = "") -> Path:
    """One installed jar."""
    return repository / "org/daedalus" / artifact / VERSION / f"{artifact}-{VERSION}{kind}.jar"


def test_the_client_is_installed_with_sources_documentation_and_a_module_name(repository: Path) -> None:
    for artifact in ("wire", "channel", "client", "writer", "daedalus-client"):
        for kind in ("", "-sources", "-javadoc"):
            assert published(repository, artifact, kind).exists(), f"{artifact}{kind}"
    for artifact, module in (("client", "org.daedalus.client"), ("daedalus-client", "org.daedalus.client")):
        with zipfile.ZipFile(published(repository, artifact)) as jar:
            manifest = jar.read("META-INF/MANIFEST.MF").decode()
        assert f"Automatic-Module-Name: {module}" in manifest
    with zipfile.ZipFile(published(repository, "daedalus-client", "-javadoc")) as pages:
        assert "org/daedalus/client/DaedalusClient.html" in pages.namelist()
        assert not [page for page in pages.namelist() if page.startswith("org/daedalus/client/internal/")]
    with zipfile.ZipFile(published(repository, "daedalus-client", "-sources")) as sources:
        assert "org/daedalus/client/DaedalusClient.java" in sources.namelist()


def test_jlink_takes_the_bundle_into_an_image(repository: Path, tmp_path: Path) -> None:
    interface = next((repository / "org/slf4j/slf4j-api").rglob("slf4j-api-2*.jar"))
    path = f"{published(repository, 'daedalus-client')}:{interface}"
    image = tmp_path / "image"
    made = run_command("jlink", "--module-path", path, "--add-modules", "org.daedalus.client", "--output", image)
    assert made.code == 0, made.said
    assert "org.daedalus.client" in run_command(image / "bin/java", "--list-modules").out.split()


def test_the_bundle_collides_with_nothing(repository: Path) -> None:
    with zipfile.ZipFile(published(repository, "daedalus-client")) as jar:
        classes = [name for name in jar.namelist() if name.endswith(".class")]
        notice = jar.read("META-INF/NOTICE").decode()
    strangers = [name for name in classes if "org/daedalus/" not in name]
    assert strangers == []
    assert any(name.startswith("org/daedalus/bundled/netty/") for name in classes)
    assert "Protocol Buffers" in notice
    pom = published(repository, "daedalus-client").with_suffix(".pom").read_text()
    assert "netty-transport" not in pom
    assert "protobuf-java" not in pom


def test_the_example_is_an_application_outside_of_the_tree(repository: Path, tmp_path: Path) -> None:
    application = tmp_path / "application"
    shutil.copytree(ROOT / "client-java/examples/src", application / "src")
    shutil.copy2(ROOT / "client-java/examples/application-pom.xml", application / "pom.xml")
    maven(application, repository, "package")
    libraries = sorted(path.name for path in (application / "target/lib").iterdir())
    assert [name.split("-")[0] for name in libraries] == ["daedalus", "slf4j", "slf4j"]
    small = ("--storage-nodes", "1", "--segments", "1", "--aggregators", "2", "--segment-mib", "1")
    with local_cluster(tmp_path, (ROOT / "schemas/flights.sql").read_text(), *small) as flights:
        desk = run_command("java", "-jar", application / "target/departure-desk.jar", *flights.addresses)
        assert desk.code == 0, desk.said
        assert "4260 miles in all" in desk.out
        bulk = run_command(
            "java",
            "-cp",
            application / "target/departure-desk.jar",
            "org.daedalus.examples.BulkInsert",
            "1500",
            *flights.addresses,
        )
        assert (bulk.code, bulk.out) == (0, "1500 rows are in\n"), bulk.said
