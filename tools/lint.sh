#!/usr/bin/env bash
# Formats and static checks of every language; any finding is an error. C++ keeps one core busy from beginning to end, so
# what needs Python packages is installed and checked beside it.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/install_packages.sh build development
tools/unpack_packages.sh build/postgresql-headers postgresql-server-dev-15
exec python3 tools/steps.py lint "C++=tools/lint_cpp.sh" "Java=tools/lint_java.sh" \
  "Python=tools/install_python.sh tests && tools/lint_python.sh && tools/lint_scripts.sh && tools/lint_house.sh"
