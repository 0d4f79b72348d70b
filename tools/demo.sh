#!/usr/bin/env bash
# A morning at an airline's operations desk: starts a cluster on loopback, loads a million tickets, lets changes flow, asks,
# puts load on, reports, and stops it. KEEP=1 leaves it up and says how to talk to it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly daedalus=bin/daedalus
readonly tickets=${TICKETS:-1000000} seed=${SEED:-2013} port=${PORT:-7400}
readonly out=${DEMO_OUT:-build/demo/run}
export DAEDALUS_CLUSTER=127.0.0.1:$port

bold() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$1"; else printf '%s\n' "$1"; fi; }
stop() { $daedalus down --data-dir "$out/cluster" > /dev/null 2>&1 || true; }

# Rows take about 500 bytes with all that belongs to them; new bookings need room, too.
segment_mib() { echo $((tickets * 600 / 4 / 1048576 + 32)); }

if ! [[ $tickets =~ ^[0-9]{1,12}$ ]] || [ "$tickets" -lt 1000 ]; then
  echo "run: TICKETS=$tickets: give a number from 1000" >&2
  exit 2
fi
mkdir -p "$out"
bold "Selling $tickets tickets on the departures from New York in 2013"
tools/make_tickets.sh "$tickets" "$seed"
ln -sf "$(realpath "build/demo/tickets-$tickets-$seed.csv")" "$out/tickets.csv"

bold "Starting 2 storage nodes with 2 segments each, 1 aggregator and the logical writer"
$daedalus up --schema schemas/tickets.sql --storage-nodes 2 --segments 2 --aggregators 1 --segment-mib "$(segment_mib)" \
  --partition-by 'hash(rloc)' --data-dir "$out/cluster" --port "$port"
[ "${KEEP:-}" = 1 ] || trap stop EXIT

bold "Loading them"
started=$(date +%s.%N)
$daedalus load "$out/tickets.csv" --restart
seconds=$(echo "$(date +%s.%N) $started" | awk '{ printf "%.2f", $1 - $2 }')
$daedalus status

bin/daedalus-demo --cluster "$DAEDALUS_CLUSTER" --flights build/demo/flights.csv --tickets "$tickets" --seed "$seed" \
  --loaded-in "$seconds" --changes "${CHANGES:-200}" --concurrency "${CONCURRENCY:-2048}" --seconds "${SECONDS_OF_LOAD:-10}" \
  --storm-seconds "${STORM_SECONDS:-5}" --cluster-pids "$out/cluster/cluster.pids" --out "$out"
echo

if [ "${KEEP:-}" = 1 ]; then
  bold "The cluster stays up at $DAEDALUS_CLUSTER. Talk to it:"
  echo "  bin/daedalus sql -c \"SELECT status, count(*) FROM tickets GROUP BY status ORDER BY status\""
  echo "  bin/daedalus status"
  echo "  bin/daedalus down"
else
  bold "Stopping the cluster"
fi
