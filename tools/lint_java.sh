#!/usr/bin/env bash
# Java: checkstyle.
set -euo pipefail
cd "$(dirname "$0")/../client-java"
mvn -q -B checkstyle:check
