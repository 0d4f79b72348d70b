#!/usr/bin/env bash
# A morning at an airline's operations desk: starts a cluster on loopback, loads a million tickets, lets changes flow, asks,
# puts load on, reports, kills every process, starts it again on what it kept, asks again, and stops it. KEEP=1 leaves it up
# and says how to talk to it.
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

# The desk wants to see this again after everything has died.
ask_again() {
  $daedalus sql -c "SELECT count(*) AS tickets, sum(fare) AS sold FROM tickets" \
    -c "SELECT status, cabin, count(*) AS seats FROM tickets GROUP BY status, cabin ORDER BY status, cabin" \
    -c "SELECT origin, destination, count(*) AS seats FROM tickets WHERE cancel_flag = true GROUP BY origin, destination ORDER BY 3 DESC, 1, 2 LIMIT 10" |
    sed -E 's/, [0-9.]+ ms\)/)/'
}

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
  --partition-by 'hash(rloc)' --data-dir "$out/cluster" --port "$port" --discard
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

bold "Killing every process, and starting again on the same directory"
ask_again > "$out/before.txt"
cut -f 3 "$out/cluster/cluster.pids" | xargs kill -9
began=$(date +%s.%N)
$daedalus up --data-dir "$out/cluster" > "$out/again.txt" || { cat "$out/again.txt" >&2; exit 1; }
seconds=$(echo "$(date +%s.%N) $began" | awk '{ printf "%.1f", $1 - $2 }')
ask_again > "$out/after.txt"
head -n 4 "$out/after.txt"
diff "$out/before.txt" "$out/after.txt" || { echo "run: the answers differ after the restart" >&2; exit 1; }
echo "back after $seconds s, with the same answers"
echo

if [ "${KEEP:-}" = 1 ]; then
  bold "The cluster stays up at $DAEDALUS_CLUSTER. Talk to it:"
  echo "  bin/daedalus sql -c \"SELECT status, count(*) FROM tickets GROUP BY status ORDER BY status\""
  echo "  bin/daedalus status"
  echo "  bin/daedalus down"
else
  bold "Stopping the cluster"
fi
