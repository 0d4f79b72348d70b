#!/usr/bin/env bash
# build_cpp.sh programs|measured|everything: builds what users run (programs, measured) into build/ship, all with tests
# (everything) into build/release; a line `[done/all] what` for each file.
set -euo pipefail
cd "$(dirname "$0")/.."
preset=ship tests=ON targets=(daedalus-storage-node daedalus-aggregator)
case $1 in
  programs) tests=OFF ;;
  measured) targets+=(measured) ;;
  everything) preset=release targets=(all) ;;
esac
readonly preset tests targets

# A tree that was configured with tests stays so: then only what is built differs.
if [ ! -f "build/$preset/build.ninja" ] ||
  { [ $tests = ON ] && ! grep -q '^DAEDALUS_TESTS:BOOL=ON$' "build/$preset/CMakeCache.txt"; }; then
  echo "[0/1] configuring"
  cmake --preset "$preset" -DDAEDALUS_TESTS=$tests
fi
cmake --build --preset "$preset" --target "${targets[@]}"
