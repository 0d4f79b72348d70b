#!/usr/bin/env bash
# build_cpp.sh programs|everything: builds into build/release; a line `[done/all] what` for each file.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly what=$1 cache=build/release/CMakeCache.txt

# A tree that was configured with tests stays so: then only what is built differs.
if [ "$what" = everything ]; then tests=ON targets=(all); else tests=OFF targets=(daedalus-storage-node daedalus-aggregator); fi
if [ ! -f build/release/build.ninja ] || { [ $tests = ON ] && ! grep -q '^DAEDALUS_TESTS:BOOL=ON$' "$cache"; }; then
  echo "[0/1] configuring"
  cmake --preset release -DDAEDALUS_TESTS=$tests
fi
cmake --build --preset release --target "${targets[@]}"
