#!/usr/bin/env bash
# Builds what the slow lane runs: the tests under AddressSanitizer and ThreadSanitizer, and the fuzzers.
set -euo pipefail
cd "$(dirname "$0")/.."

build() {
  local preset=$1
  shift
  [ -f "build/$preset/build.ninja" ] || cmake --preset "$preset" > /dev/null
  cmake --build --preset "$preset" "$@"
}

build asan --target fast_tests fuzz_tests
build tsan --target tsan_tests
