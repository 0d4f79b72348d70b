#!/usr/bin/env bash
# build_java.sh programs|everything: builds Java modules into client-java/*/target, or nothing when no source has changed since
# the last build. Says `[done/all] what` as it goes; Maven's own words are in the log only.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly what=$1 stamp=build/java-$1.stamp sources=build/java-sources.txt

# Programs need no test class: neither their own nor those that a module lends to the tests of others.
options=()
[ "$what" = everything ] || options=(--projects "cli,writer,workload,demo" --also-make -Dmaven.test.skip)

# Every source by name, and the modules' descriptions by what they say, too.
list_sources() {
  find client-java rpc/proto -type f -not -path '*/target/*'
  find client-java -name pom.xml -not -path '*/target/*' -exec cksum {} + | awk '{ print $3 " " $1 }'
}

# Maven keeps what it made of a source that is gone, and libraries that a module wanted once: both would stay in class paths.
forget_what_is_gone() {
  local gone module
  while IFS= read -r gone; do
    case $gone in
      rpc/proto/*) module=wire ;;
      client-java/*/*) module=${gone#client-java/} module=${module%%/*} ;;
      *) module= ;;
    esac
    [ -z "$module" ] || rm -rf "client-java/$module/target"
    rm -rf client-java/*/target/lib
  done < <(LC_ALL=C comm -23 "$sources" "$1")
}

mkdir -p build
begun=$(mktemp build/java-begun.XXXXXX)
listed=$(mktemp build/java-listed.XXXXXX)
trap 'rm -f "$begun" "$listed"' EXIT
list_sources | LC_ALL=C sort > "$listed"
if ! cmp -s "$listed" "$sources"; then
  [ ! -f "$sources" ] || forget_what_is_gone "$listed"
  rm -f build/java-*.stamp
  mv "$listed" "$sources"
fi
for built in "$stamp" build/java-everything.stamp; do
  if [ -f "$built" ] && [ -z "$(find client-java rpc/proto -newer "$built" -type f -not -path '*/target/*' -print -quit)" ]; then
    exit 0
  fi
done

# As programs in C++ say it (cmake/write_build_identity.cmake).
commit=unknown
if [ "$(git rev-parse --show-toplevel 2>/dev/null)" = "$PWD" ]; then
  commit=$(git describe --always --abbrev=12 '--exclude=*' --dirty=+)
fi

# Maven counts a module when it begins with it.
(cd client-java && mvn -B -DskipTests "-Ddaedalus.commit=$commit" "${options[@]}" package) 2>&1 | awk '
  match($0, /\[[0-9]+\/[0-9]+\]$/) && /^\[INFO\] Building / {
    split(substr($0, RSTART + 1, RLENGTH - 2), count, "/")
    name = substr($0, 17, RSTART - 17); sub(/ [0-9.]* *$/, "", name)
    done = count[1] - 1; all = count[2]
    print "[" done "/" all "] " name; fflush(); next
  }
  all && /^Downloading from / { n = split($0, path, "/"); print "[" done "/" all "] fetching " path[n]; fflush(); next }
  /^Downloaded from |^Progress / { next }
  { print; fflush() }'
mv "$begun" "$stamp"
