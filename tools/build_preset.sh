#!/usr/bin/env bash
# build_preset.sh PRESET TARGET…: configures a preset of CMakePresets.json where it is not yet, and builds targets of it.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly preset=$1
shift
[ -f "build/$preset/build.ninja" ] || cmake --preset "$preset"
cmake --build --preset "$preset" --target "$@"
