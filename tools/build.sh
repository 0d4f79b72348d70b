#!/usr/bin/env bash
# Builds everything, optimised: C++ into build/release, Java into client-java/*/target. Skips Maven when no source of it
# has changed since the last build.
set -euo pipefail
cd "$(dirname "$0")/.."

if [ ! -f build/release/build.ninja ]; then
  cmake --preset release > build-configure.log 2>&1 || { cat build-configure.log; exit 1; }
  rm -f build-configure.log
fi
cmake --build --preset release

stamp=build/java.stamp
if [ ! -f "$stamp" ] || [ -n "$(find client-java rpc/proto -newer "$stamp" -type f -not -path '*/target/*' -print -quit)" ]; then
  tools/build_java.sh
  touch "$stamp"
fi
