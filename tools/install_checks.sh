#!/usr/bin/env bash
# Installs what formatting and static checks need, and builds nothing.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build test lint
exec python3 tools/steps.py build "Python=tools/install_python.sh tests"
