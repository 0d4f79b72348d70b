"""The load generator at the peak: a closed loop of queries that others measure beside, second by second."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from types import TracebackType
from typing import Any, Self

from experiments.harness.record import ROOT

LOAD_GENERATOR = ROOT / "bin" / "daedalus-load-generator"
DRAIN_SECONDS = 30
UPDATES_IN_FLIGHT_MAX = 1_000  # a node lets 1,024 wait
_SECOND = "answered/s"
_SECONDS_LATE_MAX = 90  # making the queries, and whatever else holds a second up


class PeakError(Exception):
    """The load generator ended early, or says nothing any more."""


class Peak:
    """One run. Usable as a context; a generator that still runs is ended with it."""

    def __init__(
        self,
        address: str,
        data: dict[str, Any],
        point: dict[str, Any],
        warm_up_seconds: int,
        seconds: int,
        *,
        seed: int = 1,
        update_rate: int = 0,
        environment: dict[str, str] | None = None,
    ) -> None:
        """`data` has tickets and seed, `point` mix, in_flight and different; updates are of bookings."""
        self._process = subprocess.Popen(
            [
                *(LOAD_GENERATOR, "queries", f"--cluster={address}", f"--mix={point['mix']}", f"--seed={seed}"),
                *(f"--tickets={data['tickets']}", f"--tickets-seed={data['seed']}"),
                *(f"--in-flight={point['in_flight']}", f"--different={point['different']}"),
                *(f"--warm-up-seconds={warm_up_seconds}", f"--seconds={seconds}", f"--drain-seconds={DRAIN_SECONDS}"),
                *(
                    f"--update-rate={update_rate}",
                    "--updates-of-bookings",
                    f"--updates-in-flight-max={UPDATES_IN_FLIGHT_MAX}",
                ),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
        )
        self._said: list[str] = []

    @property
    def process(self) -> int:
        """The generator's process id."""
        return self._process.pid

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def skip_seconds(self, count: int) -> None:
        """Returns when so many further seconds of those that are reported have ended. Error: PeakError."""
        watch = threading.Timer(count + _SECONDS_LATE_MAX, self._process.kill)
        watch.start()
        try:
            stderr = self._process.stderr
            assert stderr is not None
            while count > 0:
                line = stderr.readline()
                if not line:
                    raise PeakError(f"the load generator ended: {''.join(self._said[-5:]).strip()}")
                self._said.append(line)
                count -= _SECOND in line
        finally:
            watch.cancel()

    def outcome(self) -> dict[str, Any]:
        """Waits for the end; `errors` is what ended in one while it was reported. Error: PeakError."""
        out, err = self._process.communicate(timeout=_SECONDS_LATE_MAX + 3_600)
        if self._process.returncode != 0:
            raise PeakError(f"the load generator: {(''.join(self._said[-5:]) + err).strip()}")
        outcome: dict[str, Any] = json.loads(out)
        outcome["errors"] = errors(outcome)
        return outcome


def errors(outcome: dict[str, Any]) -> int:
    """Returns how many queries, or updates beside them, ended in an error."""
    return sum(int(outcome[ending]) for ending in ("refused", "expired", "failed", "unknown"))
