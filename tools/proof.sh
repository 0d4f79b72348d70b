#!/usr/bin/env bash
# Re-measures every published figure of one name and prints `claim | target | measured | spread | met`.
set -euo pipefail
cd "$(dirname "$0")/.."
name=${1:-}
if [ -z "$name" ] || [ ! -x "experiments/proof/$name" ]; then
  echo "proof: usage: make proof P=NAME; proofs that exist: $(find experiments/proof -maxdepth 1 -type f -executable -printf '%f ' 2> /dev/null)" >&2
  exit 2
fi
exec "experiments/proof/$name" "${@:2}"
