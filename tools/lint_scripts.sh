#!/usr/bin/env bash
# Shell scripts and playbooks.
set -euo pipefail
cd "$(dirname "$0")/.."
git ls-files -z -- '*.sh' bin .ci | xargs -0 shellcheck -x
cd deploy
../.venv/bin/ansible-lint --offline -q --profile production
