#!/usr/bin/env bash
# Runs a small clang-tidy set over our own headers: one translation unit per include folder, so that each compiles alone.
set -euo pipefail
cd "$(dirname "$0")/.."

includes=()
for folder in $(git ls-files -- '*.hpp' '*.h' | sed -n 's#\(.*/include\)/.*#\1#p' | sort -u); do
  includes+=("-I$folder")
done
mkdir -p build/lint/proto
protoc -I rpc/proto --cpp_out=build/lint/proto rpc/proto/daedalus/wire/v1/*.proto
units=()
for folder in "${includes[@]}"; do
  folder=${folder#-I}
  unit=build/lint/$(tr / _ <<< "$folder").cpp
  (cd "$folder" && find . -name '*.hpp' -o -name '*.h' | sort | sed 's#^\./\(.*\)#\#include "\1"#') > "$unit"
  units+=("$unit")
done
printf '%s\n' "${units[@]}" | xargs -P 2 -I {} clang-tidy-16 --quiet --warnings-as-errors='*' {} -- \
  -std=c++20 "${includes[@]}" -isystem build/lint/proto 2> build/lint/clang-tidy.log || { cat build/lint/clang-tidy.log; exit 1; }
