# shellcheck shell=bash
# Sourced by the launchers that start a Java program of this tree.

# start_java PROGRAM MODULE MAIN_CLASS [JVM OPTION…] -- [ARGUMENT…]: replaces this process. A program that runs out of
# memory says so and ends with exit code 3, instead of going on with a part of its threads.
start_java() {
  local program=$1 module=$2 main=$3 self home target classpath jar
  shift 3
  local options=()
  while [ "$1" != -- ]; do
    options+=("$1")
    shift
  done
  shift
  self=$(readlink -f "${BASH_SOURCE[0]}")
  home=${self%/bin/*}
  target=$home/client-java/$module/target
  classpath=$target/$program.jar
  if [ ! -f "$classpath" ]; then
    echo "$program: $classpath is missing: run \`make build\`" >&2
    exit 1
  fi
  for jar in "$target"/lib/*.jar; do classpath+=:$jar; done
  [ ! -t 2 ] || options+=(-Ddaedalus.stderr.terminal=true)
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseSerialGC -Dio.netty.jfr.enabled=false "${options[@]}" \
    -XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr \
    -XX:OnOutOfMemoryError="echo '$program: out of memory: it ends and wants a larger heap (-Xmx)' >&2" \
    -cp "$classpath" "$main" "$@"
}
