#!/usr/bin/env bash
# make_tickets.sh COUNT SEED: sells tickets on the schedule of 2013 into build/demo/tickets-COUNT-SEED.csv, unless
# they are there, made by this build's generator.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly count=$1 seed=$2
readonly target=build/demo/tickets-$count-$seed.csv
tools/fetch_flights.sh
# Tickets of an older generator would not fit the changes that a newer one makes of them.
[ ! "$target" -nt client-java/workload/target/daedalus-workload.jar ] || exit 0
bin/daedalus-workload tickets --flights build/demo/flights.csv --tickets "$count" --seed "$seed" --out "$target.part"
mv "$target.part" "$target"
