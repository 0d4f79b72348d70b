#!/usr/bin/env bash
# C++ and Protocol Buffers: the format, and clang-tidy on our own headers.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.cpp' '*.hpp' '*.h' '*.proto' | xargs -0 clang-format-16 --dry-run --Werror
tools/lint_headers.sh
