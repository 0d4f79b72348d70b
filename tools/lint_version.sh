#!/usr/bin/env bash
# One version for the whole project: CMakeLists.txt states it, and whatever else has to spell it says the same.
set -euo pipefail
cd "$(dirname "$0")/.."

version=$(sed -n 's/^project(daedalus VERSION \([0-9.]*\) .*/\1/p' CMakeLists.txt)
if [ -z "$version" ]; then
  echo "lint: CMakeLists.txt states no version of the project" >&2
  exit 1
fi

wrong=0
# says FILE WHAT VERSION: a complaint unless VERSION is the project's.
says() {
  if [ "$3" != "$version" ]; then
    echo "lint: $1: $2 is '$3', but CMakeLists.txt says $version" >&2
    wrong=1
  fi
}

while IFS= read -r pom; do
  # Of a module, the parent's version is the first; the parent's own is the first there.
  says "$pom" "the version" "$(sed -n 's/^ *<version>\(.*\)<\/version>$/\1/p' "$pom" | head -n 1)"
done < <(git ls-files -- 'client-java/pom.xml' 'client-java/*/pom.xml')
java=client-java/wire/src/main/java/org/daedalus/wire/BuildVersion.java
says "$java" "VERSION" "$(sed -n 's/.* VERSION = "\(.*\)";$/\1/p' "$java")"
says pyproject.toml "the version" "$(sed -n 's/^version = "\(.*\)"$/\1/p' pyproject.toml)"
readme=client-java/README.md
says "$readme" "the version of the tests' jar" "$(sed -n 's/.*\/client-\([0-9.]*\)-tests.jar.*/\1/p' "$readme" | sort -u)"
exit "$wrong"
