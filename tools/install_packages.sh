#!/usr/bin/env bash
# install_packages.sh LIST…: installs what is missing of the Debian packages in tools/packages/LIST.txt (root or sudo). Does
# nothing, quickly, when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/lib/root.sh
source tools/lib/root.sh

wanted=$(for list in "$@"; do grep -v '^#' "tools/packages/$list.txt"; done | LC_ALL=C sort -u)
# dpkg-query fails when it does not know a package: then that one is missing.
# shellcheck disable=SC2086 # one argument per package
missing=$({ dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2> /dev/null || true; } |
  awk '/^ii / { print $2 }' | LC_ALL=C sort | LC_ALL=C comm -13 - <(echo "$wanted"))
# shellcheck disable=SC2086
[ -z "$missing" ] || install_debian $missing
