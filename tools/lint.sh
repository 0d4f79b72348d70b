#!/usr/bin/env bash
# Formats and static checks of every language; any finding is an error.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'lint: %s\n' "$1"; }

say "clang-format"
git ls-files -z -- '*.cpp' '*.hpp' '*.h' '*.proto' | xargs -0 clang-format-16 --dry-run --Werror

say "clang-tidy on our own headers"
tools/lint_headers.sh

say "ruff, mypy"
.venv/bin/ruff format --check --quiet .
.venv/bin/ruff check --quiet .
.venv/bin/mypy

say "mutate.py names what there is"
.venv/bin/python tools/mutate.py --check

say "shellcheck"
git ls-files -z -- '*.sh' bin .ci | xargs -0 shellcheck -x

say "checkstyle"
(cd client-java && mvn -q -B checkstyle:check)

say "ansible-lint"
(cd deploy && ../.venv/bin/ansible-lint --offline -q --profile production)

say "one version"
tools/lint_version.sh

say "words"
tools/lint_words.sh

say "tests by name"
.venv/bin/python tools/lint_names.py

say "cores, includes, results"
tools/lint_cores.sh
tools/lint_includes.sh
.venv/bin/python tools/lint_results.py
tools/lint_test.sh
say "all clean"
