# shellcheck shell=bash
# Sourced by the launchers that start a Java program of this tree.

# speak_utf8 PROGRAM [ARGUMENT…]: makes text UTF-8 for this process and those that it starts, whatever the locale: arguments,
# file names, output. The JVM reads arguments and file names by the locale alone and puts question marks, without a word, for
# what that cannot say; where LANG is unset (a container, cron) that is every letter beyond ASCII. An argument that is no
# UTF-8 is refused for the same reason: what it was meant to be can only be guessed.
speak_utf8() {
  local program=$1 name umlaut=$'\xc3\xbc' position=0
  shift
  LC_ALL=C
  if [[ "$*" == *[!$'\x01'-$'\x7f']* ]]; then
    for name in "$@"; do
      position=$((position + 1))
      if [[ $name == *[!$'\x01'-$'\x7f']* ]] && ! iconv -f UTF-8 -t UTF-8 <<< "$name" > /dev/null 2>&1; then
        printf '%s: argument %d is no UTF-8: %.300q\n' "$program" "$position" "$name" >&2
        echo "HINT:  text and file names are UTF-8 here, whatever LANG says: set the terminal to UTF-8, or use iconv" >&2
        exit 2
      fi
    done
  fi
  for name in C.UTF-8 C.utf8 en_US.UTF-8; do
    { LC_ALL=$name; } 2> /dev/null
    if [ ${#umlaut} -eq 1 ]; then
      export LC_ALL
      return
    fi
  done
  echo "$program: this machine has no UTF-8 locale (C.UTF-8, en_US.UTF-8): install one (\`locale -a\` lists those there are)" >&2
  exit 1
}

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
  speak_utf8 "$program" "$@"
  self=$(readlink -f "${BASH_SOURCE[0]}")
  home=${self%/bin/*}
  target=$home/client-java/$module/target
  classpath=$target/daedalus-$module.jar
  if [ ! -f "$classpath" ]; then
    echo "$program: $classpath is missing: run \`./make.sh programs\`" >&2
    exit 1
  fi
  # An archive of classes, where the module has one, belongs to this class path in this order.
  [ ! -f "$target/daedalus-$module.jsa" ] || options+=(-XX:SharedArchiveFile="$target/daedalus-$module.jsa")
  for jar in "$target"/lib/*.jar; do classpath+=:$jar; done
  [ ! -t 2 ] || options+=(-Ddaedalus.stderr.terminal=true)
  exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:+UseSerialGC -Dio.netty.jfr.enabled=false "${options[@]}" \
    -XX:+ExitOnOutOfMemoryError -XX:+DisplayVMOutputToStderr \
    -XX:OnOutOfMemoryError="echo '$program: out of memory: it ends and wants a larger heap (-Xmx)' >&2" \
    -Ddaedalus.home="$home" -cp "$classpath" "$main" "$@"
}
