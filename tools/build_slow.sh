#!/usr/bin/env bash
# Builds what the slow lane runs: the tests at home under AddressSanitizer and ThreadSanitizer, and the fuzzers.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build development
tools/unpack_packages.sh build/postgresql-headers postgresql-server-dev-15
# One after the other: each keeps all cores busy.
python3 tools/steps.py build "asan=tools/build_preset.sh asan home_tests fuzz_tests"
python3 tools/timings.py edges asan
python3 tools/steps.py build "tsan=tools/build_preset.sh tsan home_tests"
python3 tools/timings.py edges tsan
