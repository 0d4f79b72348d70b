#!/usr/bin/env bash
# Rewrites sources in the house format.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build development
tools/install_python.sh tests
git ls-files -z -- '*.cpp' '*.hpp' '*.h' '*.proto' | xargs -0 clang-format-16 -i
.venv/bin/ruff format --quiet .
.venv/bin/ruff check --quiet --fix .
