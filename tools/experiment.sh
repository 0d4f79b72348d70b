#!/usr/bin/env bash
# experiment.sh NAME [OPTION…]: runs experiments/NAME; raw points and picture go to build/experiments/NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

readonly name=${1:-}
if [ -z "$name" ] || [ ! -f "experiments/$name/run.py" ]; then
  echo "make experiment E=NAME, where NAME is one of:" >&2
  find experiments -mindepth 2 -maxdepth 2 -name plan.toml -printf '  %h\n' | sed 's#experiments/##' | sort >&2
  exit 2
fi
PYTHONPATH=.:tests:tests/support exec .venv/bin/python -m "experiments.$name.run" "${@:2}"
