#!/usr/bin/env bash
# describe-module.sh JAR CLASSPATH: puts the description of its module into the one jar, which jlink asks for. It can be compiled
# only when the packages that it exports are in the jar.
set -euo pipefail
readonly jar=$1 classpath=$2
here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
tools=${JAVA_HOME:+$JAVA_HOME/bin/}
interface=$(tr : '\n' <<< "$classpath" | grep '/slf4j-api-[^/]*\.jar$')
classes=$(mktemp -d)
trap 'rm -rf "$classes"' EXIT
"${tools}javac" --release 17 --module-path "$interface" --patch-module "org.daedalus.client=$jar" -d "$classes" "$here/module/module-info.java"
"${tools}jar" --update --file "$jar" -C "$classes" module-info.class
