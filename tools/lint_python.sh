#!/usr/bin/env bash
# Python: the format, ruff's rules, types, and that mutate.py names what there is.
set -euo pipefail
cd "$(dirname "$0")/.."
.venv/bin/ruff format --check --quiet .
.venv/bin/ruff check --quiet .
.venv/bin/mypy
.venv/bin/python tools/mutate.py --check
