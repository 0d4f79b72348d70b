#!/usr/bin/env bash
# Breaks the Java cores in small ways and prints which mutants their tests did not notice; pit-reports/mutations.csv of client
# and writer has every mutant. About 10 minutes. What a survivor means is for a person to judge.
set -euo pipefail
cd "$(dirname "$0")/../client-java"
mvn -q -B -Pmutation --projects client,writer --also-make process-test-classes
grep -hv ',KILLED,' {client,writer}/target/pit-reports/mutations.csv || echo "mutate_java: no mutant survived"
