#!/usr/bin/env bash
# The same tests with doses for hours: more seeds, more statements, more engine operations. HOURS bounds it (default 1).
set -euo pipefail
cd "$(dirname "$0")/.."
numa=0
storage_node/engine/tests/numa/run_on_two_nodes.sh build/release/bin/engine_numa_test build/numa || numa=$?
[ "$numa" -eq 0 ] || [ "$numa" -eq 77 ] # 77: not run, and it has said why.
end=$((SECONDS + ${HOURS:-1} * 3600))
round=0
while [ "$SECONDS" -lt "$end" ]; do
  round=$((round + 1))
  export DAEDALUS_SEED=$((RANDOM * 32768 + RANDOM))
  echo "soak: round $round, DAEDALUS_SEED=$DAEDALUS_SEED"
  DAEDALUS_SIMULATOR_SEEDS=5000 DAEDALUS_ENGINE_OPERATIONS=1000000 \
    ctest --test-dir build/release -L 'fast|slow' --output-on-failure -j2
  DAEDALUS_ORACLE_QUERIES=20000 .venv/bin/python -m pytest -q tests/oracle
done
echo "soak: $round rounds passed"
