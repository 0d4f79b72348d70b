#!/usr/bin/env bash
# Runs the tests with new seeds and doses for hours: more runs, more statements, more engine operations, and an engine
# broken on purpose. A round that has begun is finished; none begins after HOURS (whole ones, default 1; 0 is one round).
set -euo pipefail
cd "$(dirname "$0")/.."
hours=${HOURS:-1}
if ! [[ $hours =~ ^(0|[1-9][0-9]*)$ ]]; then
  echo "soak: HOURS=$hours is not a whole number of hours; 0 is one round" >&2
  exit 2
fi
tools/build_preset.sh release crossed_tests
numa=0
storage_node/engine/tests/numa/run_on_two_nodes.sh build/release/bin/engine_numa_test build/numa || numa=$?
[ "$numa" -eq 0 ] || [ "$numa" -eq 77 ] # 77: not run, and it has said why.

# Ten million random operations against a list of rows, a process a core: about 10 minutes on two. A failed test prints
# its seed and the few operations that bring the fault about.
engine_operations() {
  local cores pids=() pid failed=0
  cores=$(nproc)
  for ((core = 0; core < cores; core++)); do
    DAEDALUS_SEED=$((DAEDALUS_SEED + core * 1000003)) DAEDALUS_ENGINE_OPERATIONS=$((10000000 / cores)) \
      build/release/storage_node/engine/engine_segment_test --gtest_brief=1 &
    pids+=($!)
  done
  for pid in "${pids[@]}"; do
    wait "$pid" || failed=1
  done
  return "$failed"
}

end=$((SECONDS + hours * 3600))
round=0
while [ "$round" -eq 0 ] || [ "$SECONDS" -lt "$end" ]; do
  round=$((round + 1))
  export DAEDALUS_SEED=$((RANDOM * 32768 + RANDOM))
  echo "soak: round $round, DAEDALUS_SEED=$DAEDALUS_SEED"
  engine_operations
  DAEDALUS_SIMULATOR_SEEDS=5000 ctest --test-dir build/release -L 'home|crossed' --output-on-failure -j2
  DAEDALUS_KILLS=100 .venv/bin/python -m pytest -q tests/kills/test_restarts.py
  DAEDALUS_ORACLE_QUERIES=20000 .venv/bin/python -m pytest -q tests/oracle
  DAEDALUS_ORACLE_QUERIES=100000 .venv/bin/python -m pytest -q -k test_random_expressions tests/oracle
done
echo "soak: $round rounds passed"
DAEDALUS_SOAK=1 .venv/bin/python -m pytest -q tests/proof
# Survivors are for a person to judge: each either changes nothing but cost, or is a missing test.
.venv/bin/python tools/mutate.py --count "${MUTANTS:-60}"
