#!/usr/bin/env bash
# sim.sh SEED: one run of the cluster simulator, told event by event. A failing test prints the seed.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! [[ ${1:-} =~ ^[0-9]+$ ]]; then
  echo "sim.sh: name a seed, as in \`make sim SEED=7\`" >&2
  exit 2
fi
if [ ! -f build/release/build.ninja ]; then
  cmake --preset release -DDAEDALUS_TESTS=ON >&2
fi
cmake --build --preset release --target cluster_replay >&2
exec build/release/bin/cluster_replay "$1"
