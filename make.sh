#!/usr/bin/env bash
# ./make.sh TARGET [NAME=VALUE…]: `make`, which is installed first where it is missing (root or sudo). Without a target it
# lists them.
set -euo pipefail
cd "$(dirname "$0")"
if ! command -v make > /dev/null; then
  # shellcheck source=tools/lib/root.sh
  source tools/lib/root.sh
  install_debian make
fi
exec make "$@"
