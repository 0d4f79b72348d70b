#!/usr/bin/env bash
# build_java.sh programs|everything: builds Java modules into client-java/*/target, or nothing when no source has changed since
# the last build. Says `[done/all] what` as it goes; Maven's own words are in the log only.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly what=$1 stamp=build/java-$1.stamp

# Programs need no test class: neither their own nor those that a module lends to the tests of others.
options=()
[ "$what" = everything ] || options=(--projects "cli,writer,workload,demo" --also-make -Dmaven.test.skip)

for built in "$stamp" build/java-everything.stamp; do
  if [ -f "$built" ] && [ -z "$(find client-java rpc/proto -newer "$built" -type f -not -path '*/target/*' -print -quit)" ]; then
    exit 0
  fi
done

mkdir -p build
begun=$(mktemp build/java-begun.XXXXXX)
trap 'rm -f "$begun"' EXIT
# Maven counts a module when it begins with it.
(cd client-java && mvn -B -DskipTests "${options[@]}" package) 2>&1 | awk '
  match($0, /\[[0-9]+\/[0-9]+\]$/) && /^\[INFO\] Building / {
    split(substr($0, RSTART + 1, RLENGTH - 2), count, "/")
    name = substr($0, 17, RSTART - 17); sub(/ [0-9.]* *$/, "", name)
    done = count[1] - 1; all = count[2]
    print "[" done "/" all "] " name; fflush(); next
  }
  all && /^Downloading from / { n = split($0, path, "/"); print "[" done "/" all "] fetching " path[n]; fflush(); next }
  /^Downloaded from |^Progress / { next }
  { print; fflush() }'
mv "$begun" "$stamp"
