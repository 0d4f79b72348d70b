#!/usr/bin/env bash
# unpack_packages.sh FOLDER PACKAGE…: unpacks Debian packages of scripts or data into FOLDER, and installs nothing: what they
# want beside them may be there in another version than Debian's. Does nothing, quickly, when they are there.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=tools/lib/root.sh
source tools/lib/root.sh

mkdir -p "$1"
cd "$1"
shift
[ "$(cat packages 2> /dev/null)" != "$*" ] || exit 0
download() { apt-get download -qq -o APT::Sandbox::User=root "$@"; }
download "$@" 2> /dev/null || { as_root apt-get update -qq && download "$@"; }
for package in ./*.deb; do
  dpkg-deb --extract "$package" .
  rm "$package"
done
echo "$*" > packages
