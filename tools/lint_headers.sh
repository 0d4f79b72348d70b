#!/usr/bin/env bash
# Our own headers: those of each include folder compile alone, and a small clang-tidy set looks at all of them at once,
# because most of what it takes it spends on the headers from outside that they share.
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
flags=(-std=c++20 "${includes[@]}" -isystem build/lint/proto)
printf '%s\n' "${units[@]}" | xargs -P 2 -I {} clang++-16 -fsyntax-only "${flags[@]}" {}
cat "${units[@]}" > build/lint/all_headers.cpp
clang-tidy-16 --quiet --warnings-as-errors='*' build/lint/all_headers.cpp -- "${flags[@]}" 2> build/lint/clang-tidy.log ||
  { cat build/lint/clang-tidy.log; exit 1; }
