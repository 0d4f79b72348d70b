# shellcheck shell=bash
# Sourced by what installs Debian packages.

# install_debian PACKAGE…: installs packages by apt-get, as root or through sudo, and shows how far it is.
install_debian() {
  local log
  if [ "$(id -u)" -ne 0 ] && ! command -v sudo > /dev/null; then
    echo "setup: these Debian packages are missing, and there is neither root nor sudo to install them. As root:" >&2
    echo "  apt-get update && apt-get install -y --no-install-recommends $*" >&2
    return 1
  fi
  log=$(mktemp)
  echo "setup: installing Debian packages: $*"
  # The status goes to a descriptor that is opened behind sudo, because sudo closes those it is given.
  # Debian's PostgreSQL is not to start a server of its own.
  # shellcheck disable=SC2016 # expanded by the inner shell
  if ! as_root sh -c 'exec 3>&1 >&2; mkdir -p /etc/postgresql-common/createcluster.d
      echo "create_main_cluster = false" > /etc/postgresql-common/createcluster.d/daedalus.conf
      echo lists >&3; apt-get update -q -o APT::Status-Fd=3; echo packages >&3
      exec env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends -o APT::Status-Fd=3 "$@"' \
    sh "$@" 2> "$log" |
      show_apt_progress; then
    tail -n 40 "$log" >&2
    echo "setup: apt-get failed (above); all that it said: $log" >&2
    return 1
  fi
  rm -f "$log"
  echo "setup: Debian packages 100 %"
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# One line that moves on a terminal, a line for every tenth elsewhere. Reads what comes now, "lists" or "packages", and apt's
# status lines, "dlstatus:1:42.0:text".
show_apt_progress() {
  local kind percent text tenth last='' what of=''
  while IFS=: read -r kind _ percent text; do
    case $kind in
      dlstatus) what="fetching $of" ;;
      pmstatus) what="installing $of" ;;
      lists) of="lists of packages" && continue ;;
      packages) of=packages && continue ;;
      *) continue ;;
    esac
    percent=${percent%%.*}
    if [ -t 1 ]; then
      printf '\r\033[Ksetup: %s %3d %% %.50s' "$what" "$percent" "$text"
    elif tenth=$what$((percent / 10)) && [ "$tenth" != "$last" ]; then
      last=$tenth
      echo "setup: $what $((percent / 10 * 10)) %"
    fi
  done
  if [ -t 1 ]; then printf '\r\033[K'; fi
}
