#!/usr/bin/env bash
# Builds the Java modules into client-java/*/target and shows how far it is; Maven's own words only when it fails.
set -euo pipefail
cd "$(dirname "$0")/../client-java"

log=../build/maven.log
mkdir -p ../build
show() { sed -un 's/^\[INFO\] Building \(.*\) [0-9.]* *\[\([0-9]*\/[0-9]*\)\]$/[\2] \1/p'; }
if ! mvn -B -ntp -DskipTests package 2>&1 | tee "$log" | show; then
  grep -E 'ERROR|WARN' "$log" >&2 || cat "$log" >&2
  exit 1
fi
