#!/usr/bin/env bash
# make_tickets.sh COUNT SEED: sells tickets on the schedule of 2013 into build/demo/tickets-COUNT-SEED.csv, once.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly count=$1 seed=$2
readonly target=build/demo/tickets-$count-$seed.csv
[ ! -s "$target" ] || exit 0
tools/fetch_flights.sh
bin/daedalus-workload tickets --flights build/demo/flights.csv --tickets "$count" --seed "$seed" --out "$target.part"
mv "$target.part" "$target"
