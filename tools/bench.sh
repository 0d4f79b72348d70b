#!/usr/bin/env bash
# Runs every micro-benchmark (Google Benchmark) of the build for users: medians over repetitions, fixed seeds.
set -euo pipefail
cd "$(dirname "$0")/.."
for program in build/ship/bin/*_bench; do
  echo "== ${program##*/}"
  "$program" --benchmark_repetitions="${REPETITIONS:-5}" --benchmark_report_aggregates_only=true
done
