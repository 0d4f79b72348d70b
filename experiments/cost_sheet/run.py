"""Measures what one query costs each part of the system, in CPU time: samples of all processes near the peak, by part.

`make experiment E=cost_sheet`; `tools/experiment.sh cost_sheet --quick` shows in a minute that it still works. Exit 1
when samples and what the kernel accounts for the processes differ by more than the plan allows.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from local_cluster import IN_MEMORY, LocalCluster, local_cluster

from experiments.cost_sheet.classify import Classifier
from experiments.cost_sheet.perf import PerfError, Recording, check_perf, read_samples
from experiments.cost_sheet.sheet import Sheet, largest_unnamed, make_sheet
from experiments.harness.cpu import usage
from experiments.harness.peak import Peak
from experiments.harness.plan import Plan, read_plan, resolved
from experiments.harness.record import ROOT, Records, commit
from experiments.harness.tickets import load_tickets

FOLDER = Path(__file__).parent
OUTPUT = ROOT / "build" / "experiments" / "cost_sheet"
POINTS = ("booking", "any")
UNNAMED = "not named"
# Compiled methods keep frame pointers, so that stacks lead out of them.
JAVA_OPTIONS = "-XX:+PreserveFramePointer"
# The map of compiled methods is written while the generator still runs.
SECONDS_SPARE = 5


@dataclass(frozen=True, slots=True)
class Accounts:
    """Holds what processes have used up to one point in time."""

    at_ns: int
    seconds: dict[int, float]

    @classmethod
    def of(cls, processes: Iterable[int]) -> Self:
        """Now."""
        return cls(time.monotonic_ns(), {process: usage(process).total for process in processes})


def java_map(process: int) -> Path:
    """Returns the file in which the JVM writes which method its compiled code is, and in which perf looks for it.
    Error: PerfError.
    """
    path = Path(f"/tmp/perf-{process}.map")
    asked = subprocess.run(
        ["jcmd", str(process), "Compiler.perfmap"], capture_output=True, text=True, timeout=60, check=False
    )
    if not path.exists():
        raise PerfError(f"jcmd wrote no {path}: {(asked.stdout + asked.stderr).strip()}")
    return path


def measure(plan: Plan, name: str, cluster: LocalCluster, folder: Path, classifier: Classifier) -> dict[str, Any]:
    """One point: the sheet as a record, and as a table on standard output."""
    point, window = plan.section(name), plan.section("measure")
    load_before = os.getloadavg()[0]
    peak = Peak(
        cluster.address, plan.section("data"), point, window["warm_up_seconds"], 1 + window["seconds"] + SECONDS_SPARE,
        environment={"JAVA_TOOL_OPTIONS": JAVA_OPTIONS},
    )  # fmt: skip
    names = {process: name for name, process in cluster.processes.items()} | {peak.process: "client"}
    with peak:
        time.sleep(window["warm_up_seconds"])
        with Recording(window["frequency_hz"], folder) as recording:
            peak.skip_seconds(1)  # Whose end is where the window begins.
            begin = Accounts.of(names)
            peak.skip_seconds(window["seconds"])
            end = Accounts.of(names)
            methods = java_map(peak.process)
            recording.end()
        outcome = peak.outcome()
    if outcome["errors"]:
        raise ValueError(f"{outcome['errors']} queries ended in an error: {outcome.get('last_failure')}")
    seconds = outcome["per_second"][1 : 1 + window["seconds"]]
    answered = sum(second["answered"] for second in seconds)
    samples = [sample for sample in read_samples(recording.path) if begin.at_ns <= sample.at_ns < end.at_ns]
    accounted = {process: end.seconds[process] - begin.seconds[process] for process in names}
    methods.unlink()
    sheet = make_sheet(samples, classifier, names, accounted, answered)
    rate = answered / sum(second["seconds"] for second in seconds)
    show(sheet, classifier, f"{name}: {point['in_flight']} in flight, {rate:,.0f} queries a second")
    for count, frames in largest_unnamed(samples, classifier, names, UNNAMED, 8):
        print(f"  {UNNAMED}, {count} samples: {frames}")
    return {
        **sheet.as_json(),
        "answered_per_second": round(rate, 1),
        "samples": sum(sample.process in names for sample in samples),
        "load_average": load_before,
    }


def show(sheet: Sheet, classifier: Classifier, title: str) -> None:
    """The table, and whether it adds up."""
    print(f"\n{title}\n\n{sheet.table(classifier.parts)}\n")
    print(
        f"sampled {sheet.sampled_us:.1f} µs a query, the kernel accounts {sheet.accounted_us:.1f} (utime + stime of all"
        f" processes): {sheet.difference:.1%} apart",
        flush=True,
    )


def arguments() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few tickets, short windows")
    parser.add_argument("--points", default=",".join(POINTS), help="only these points, by comma (%(default)s)")
    parser.add_argument("--output", type=Path, default=OUTPUT, help="folder of raw points and samples")
    return parser.parse_args()


def main() -> int:
    """Measures every point on a cluster of its own."""
    asked = arguments()
    plan = resolved(read_plan(FOLDER), is_quick=asked.quick)
    subprocess.run([ROOT / "tools" / "install_packages.sh", "profile"], check=True)
    check_perf()
    print(
        f"cost_sheet: configuration {plan.config_hash}, commit {commit()}, load average {os.getloadavg()[0]}",
        flush=True,
    )
    records = Records(asked.output / "runs.jsonl", plan.name, plan.config_hash)
    classifier = Classifier()
    is_fine = True
    options = [f"--{key.replace('_', '-')}={value}" for key, value in plan.section("cluster").items()]
    with tempfile.TemporaryDirectory(prefix="daedalus-cost-sheet-") as base:
        ddl = (ROOT / "schemas" / "tickets.sql").read_text()
        with local_cluster(Path(base), ddl, IN_MEMORY, *options) as cluster:
            load_tickets(cluster, plan.section("data"))
            for name in asked.points.split(","):
                folder = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=base))
                point = {"point": name, **plan.section(name)}
                try:
                    result = measure(plan, name, cluster, folder, classifier)
                except (PerfError, ValueError, OSError, subprocess.SubprocessError) as error:
                    records.append(point, None, f"{type(error).__name__}: {error}")
                    print(f"cost_sheet: {name}: {error}", file=sys.stderr)
                    is_fine = False
                    continue
                records.append(point, result)
                if result["difference"] > plan.section("measure")["difference_max"]:
                    print(f"cost_sheet: {name}: the sheet does not sum up to what the processes used", file=sys.stderr)
                    is_fine = False
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
