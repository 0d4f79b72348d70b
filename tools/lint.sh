#!/usr/bin/env bash
# Formats and static checks of every language; any finding is an error. All at once: most of them keep one core busy.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 tools/steps.py lint "C++=tools/lint_cpp.sh" "Java=tools/lint_java.sh" "Python=tools/lint_python.sh" \
  "scripts=tools/lint_scripts.sh" "house=tools/lint_house.sh"
