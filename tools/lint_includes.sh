#!/usr/bin/env bash
# Base, semantics and the engine use little from outside the standard library, and this says what: nobody else's headers
# creep in, and a room of the engine or of the protocol of PostgreSQL is reached by linking to it and not by a path.
# tools/lint_link_graph.py checks what links to what.
#
#   tools/lint_includes.sh [FOLDER]    a tree other than this one, for tools/lint_test.sh
set -euo pipefail
cd "${1:-$(dirname "$0")/..}"

found=0
# refuse WHAT PATTERN PATHSPEC...: lines that match are findings; WHAT is what to do.
refuse() {
  local what=$1 pattern=$2
  shift 2
  if git grep --no-index -nE -- "$pattern" "$@"; then
    echo "lint: $what" >&2
    found=1
  fi
}

semantics=(semantics/values semantics/functions semantics/algebra semantics/answers)
others='boost|google|fmt|spdlog|CLI|toml\+\+|nlohmann|absl|gtest|gmock|benchmark'
refuse "the engine is made of the standard library, semantics, Highway and libnuma" \
  "#include [<\"](($others)/|.*\.pb\.h)|\b(boost|fmt|google|spdlog)::" \
  storage_node/engine/src storage_node/engine/include
refuse "a room's header is included by its name: link to the room" \
  '#include "(\.\.?|src|operations|support|kernels|table|predicate|index|aggregate|query|update|sweep|thread|c_api)/' \
  storage_node/engine/src storage_node/engine/include
refuse "a room's header is included by its name: link to the room" \
  '#include "(\.\.?|src|wire|commands|login|copy|statements|writes|machines|session)/' aggregator/postgres/src
refuse "semantics formats with fmt in its sources; of Boost it has BigInt (value.hpp) and nothing else" \
  '#include [<"]((google|spdlog|CLI)/|.*\.pb\.h)|#include <boost/|\bboost::[a-ln-z]' \
  "${semantics[@]}" ':!semantics/values/include/daedalus/semantics/value.hpp'
refuse "semantics' own headers are free of fmt" '#include <fmt/|\bfmt::' "${semantics[@]/%//include}"
refuse "a room's header is included by its name: let the room have the other one among its ROOMS" \
  '#include "(\.\.?/|(values|functions|algebra|answers)/|[a-z_]+/[a-z_]+\.hpp")' "${semantics[@]}"
refuse "base has Boost's result (result.hpp) and checksum (crc32c.cpp) and nothing else" \
  "#include [<\"](($others)/|.*\.pb\.h)" base/include base/src ':!base/include/daedalus/base/result.hpp' \
  ':!base/src/crc32c.cpp'
precompiled=$(grep -E '#include ("|<.*[./])' cmake/precompiled_standard.hpp |
  grep -vE '<boost/(system/result|multiprecision/cpp_int)\.hpp>' || true)
if [ -n "$precompiled" ]; then
  printf '%s\n' "$precompiled"
  echo "lint: base, semantics and the engine have the standard library, Result and BigInt precompiled, nothing else" >&2
  found=1
fi
exit "$found"
