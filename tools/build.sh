#!/usr/bin/env bash
# build.sh programs|measured|everything: installs what is missing and builds, optimised: C++, Java into client-java/*/target,
# Python into .venv. All three at once, because downloads keep no core busy.
#
# programs    what `./make.sh run` runs, in build/ship
# measured    the same, what experiments and benchmarks run besides, in build/ship, and all Java modules
# everything  programs with their checks, tests and benchmarks, in build/release, and all Java modules
set -euo pipefail
cd "$(dirname "$0")/.."

case ${1:-} in
  programs)
    tools/install_packages.sh build
    tools/unpack_packages.sh build/postgresql-headers postgresql-server-dev-15
    exec python3 tools/steps.py build "C++=tools/build_cpp.sh programs" "Java=tools/build_java.sh programs" \
      "Python=tools/install_python.sh run"
    ;;
  measured)
    tools/install_packages.sh build development
    tools/unpack_packages.sh build/postgresql-headers postgresql-server-dev-15
    exec python3 tools/steps.py build "C++=tools/build_cpp.sh measured" "Java=tools/build_java.sh everything" \
      "Python=tools/install_python.sh tests"
    ;;
  everything)
    tools/install_packages.sh build development
    tools/unpack_packages.sh build/postgresql-headers postgresql-server-dev-15
    tools/unpack_packages.sh build/node-postgres node-pg node-readable-stream node-split2 node-xtend
    python3 tools/steps.py build "C++=tools/build_cpp.sh everything" "Java=tools/build_java.sh everything" \
      "Python=tools/install_python.sh tests"
    exec python3 tools/timings.py edges release
    ;;
  *)
    echo "build.sh: programs, measured or everything" >&2
    exit 2
    ;;
esac
