"""Hosts to roll out on, made on this machine: real systemd and sshd in namespaces, over one Debian system.

Needs root, and a kernel that gives namespaces and overlays: `obstacle()` says whether it does.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import platform
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from local_cluster import ROOT, Answer

WORLD = Path(__file__).with_name("world.sh")
CACHE = ROOT / "build" / "deploy-hosts"
ADDRESSES = {"host-1": "10.99.0.11", "host-2": "10.99.0.12"}
TOOLS = ["debootstrap", "ip", "nsenter", "ssh", "ssh-keygen", "systemd-nspawn", "unshare"]
ISOLATION = ["--mount", "--net", "--pid", "--fork", "--mount-proc", "--kill-child"]
# One command to a line: the first that fails is the obstacle.
PROBE = """
mount --make-rprivate /
mount -t tmpfs none "$1"
cd "$1"
mkdir lower upper work merged
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work merged
mknod null c 1 3
echo > null
ip link add probe type bridge
for tree in /sys/fs/cgroup/systemd /sys/fs/cgroup; do [ ! -d $tree ] || exec test -w $tree; done
"""
BOOT_SECONDS_MAX = 60
COMMAND_SECONDS_MAX = 240
MAKING_SECONDS_MAX = 600

# Nothing can be fetched from inside the namespaces, so the system has all that the roles would install.
PACKAGES = [
    "systemd", "systemd-sysv", "dbus", "openssh-server", "iproute2", "python3", "python3-apt",
    "openjdk-17-jre-headless", "libfmt9", "libhwy1", "libjemalloc2", "libnuma1", "libpg-query1504.0", "libprotobuf32",
    "libre2-9", "libspdlog1.10", "libstdc++6", "libtomlplusplus3", "libxxhash0", "libzstd1",
]  # fmt: skip


def obstacle(scratch: Path) -> str | None:
    """Returns what is missing here, found in well under a second; None when hosts can be made."""
    if os.geteuid() != 0:
        return "not root"
    absent = [tool for tool in TOOLS if shutil.which(tool) is None]
    if absent:
        return f"no {', '.join(absent)}"
    probe = _run(["unshare", *ISOLATION, "sh", "-ec", PROBE, "probe", str(scratch)], seconds=20)
    if probe.code != 0:
        return probe.said.strip() or "control groups are read-only"
    return None


def _run(command: Sequence[str], seconds: float) -> Answer:
    finished = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds, check=False
    )
    return Answer(finished.returncode, finished.stdout, finished.stderr)


def _remove_control_groups(name: str) -> None:
    """Removes what the kernel leaves of a world: empty control groups, in one tree or several."""
    trees = Path("/sys/fs/cgroup")
    for group in [*trees.glob(name), *trees.glob(f"*/{name}")]:
        for folder, _, _ in os.walk(group, topdown=False):
            os.rmdir(folder)


def debian_system() -> Path:
    """The system that all hosts share; made once by debootstrap, from where this machine gets its own packages."""
    codename = platform.freedesktop_os_release()["VERSION_CODENAME"]
    recipe = hashlib.sha256(" ".join([codename, *PACKAGES]).encode()).hexdigest()[:12]
    made = CACHE / recipe
    if made.is_dir():
        return made
    targets = _run(
        ["apt-get", "indextargets", "--format", "$(CODENAME) $(COMPONENT) $(REPO_URI)", "Created-By: Packages"], 30
    )
    mirrors = [line.split()[2] for line in targets.out.splitlines() if line.startswith(f"{codename} main ")]
    assert mirrors, f"apt knows no source of {codename} main: {targets.said}"
    partial = CACHE / f"{recipe}.partial"
    shutil.rmtree(partial, ignore_errors=True)
    CACHE.mkdir(parents=True, exist_ok=True)
    making = ["debootstrap", "--variant=minbase", f"--include={','.join(PACKAGES)}", codename, str(partial), mirrors[0]]
    finished = _run(making, MAKING_SECONDS_MAX)
    assert finished.code == 0, finished.said[-2000:]
    for archive in (partial / "var/cache/apt/archives").glob("*.deb"):
        archive.unlink()
    partial.rename(made)
    return made


@dataclass(frozen=True, slots=True)
class VirtualHosts:
    """Running hosts, and how to speak to them."""

    process_id: int  # of the first process of their world
    work: Path

    @property
    def key(self) -> Path:
        return self.work / "key"

    @property
    def known_hosts(self) -> Path:
        return self.work / "known_hosts"

    def run_beside(self, *command: str | Path, environment: dict[str, str] | None = None) -> Answer:
        """Runs a command on a machine beside the hosts: this machine's files, the hosts' network."""
        entered = ["nsenter", "--target", str(self.process_id), "--net", "--pid", "--mount", f"--wd={ROOT}"]
        finished = subprocess.run(
            [*entered, *map(str, command)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS_MAX,
            env={**os.environ, **(environment or {})},
            check=False,
        )
        return Answer(finished.returncode, finished.stdout, finished.stderr)

    def on(self, host: str, command: str) -> str:
        """Returns what a shell command on a host prints; it must not fail."""
        answer = self.try_on(host, command)
        assert answer.code == 0, f"{host}: {command}: {answer.said}"
        return answer.out.strip()

    def try_on(self, host: str, command: str) -> Answer:
        """Runs a shell command on a host by SSH. Waits, a second between attempts, for a host that is booting."""
        options = ["BatchMode=yes", f"UserKnownHostsFile={self.known_hosts}", "ConnectTimeout=1"]
        options.append(f"ConnectionAttempts={BOOT_SECONDS_MAX}")
        arguments = [argument for option in options for argument in ("-o", option)]
        return self.run_beside("ssh", "-i", self.key, *arguments, f"root@{ADDRESSES[host]}", command)


@contextlib.contextmanager
def virtual_hosts(work: Path) -> Iterator[VirtualHosts]:
    """All hosts of ADDRESSES, booted, for the time of the context."""
    system = debian_system()
    keys = _run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(work / "key")], 30)
    assert keys.code == 0, keys.said
    host_key = " ".join((system / "etc/ssh/ssh_host_ed25519_key.pub").read_text().split()[:2])
    (work / "known_hosts").write_text("".join(f"{address} {host_key}\n" for address in ADDRESSES.values()))
    group = f"daedalus-hosts-{os.getpid()}"
    names = [f"{host}={address}" for host, address in ADDRESSES.items()]
    world = subprocess.Popen(
        ["unshare", *ISOLATION, str(WORLD), str(system), str(work), group, *names],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert world.stdout is not None
        assert world.stdout.readline() == "made\n", "the hosts' world was not made"
        first = Path(f"/proc/{world.pid}/task/{world.pid}/children").read_text().split()[0]
        hosts = VirtualHosts(int(first), work)
        for host in ADDRESSES:
            state = hosts.try_on(host, "systemctl is-system-running --wait")
            assert state.out.strip() == "running", (
                f"{host}: {state.said}{hosts.try_on(host, 'systemctl --failed').said}"
            )
        yield hosts
    finally:
        world.communicate(timeout=30)  # Ends its standard input, and with it the world.
        _remove_control_groups(group)
