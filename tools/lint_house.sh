#!/usr/bin/env bash
# Checks what only this tree asks for: one version, words, names that were given up, comments, tests by name, links of documents,
# pure cores, who includes what and links to what, results as published.
set -euo pipefail
cd "$(dirname "$0")/.."
tools/lint_version.sh
tools/lint_words.sh
.venv/bin/python tools/lint_given_up.py
.venv/bin/python tools/lint_comments.py
.venv/bin/python tools/lint_names.py
.venv/bin/python tools/lint_links.py
tools/lint_cores.sh
tools/lint_includes.sh
.venv/bin/python tools/lint_link_graph.py
.venv/bin/python tools/lint_results.py
tools/lint_test.sh
