#!/usr/bin/env bash
# Keeps the classes that the command line loads in an archive (class-data sharing), so that it starts in a fraction of
# the time. Without the archive everything works, more slowly. The class path must be bin/daedalus's own. A static
# archive, because the dynamic kind leaves out classes as old as picocli's.
set -euo pipefail
# The order of files must be the launcher's, too.
export LC_ALL=C.UTF-8
target=$1
archive=$target/daedalus-cli.jsa
classes=$target/daedalus-cli.classlist
classpath=$target/daedalus-cli.jar
for jar in "$target"/lib/*.jar; do classpath+=:$jar; done
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
rm -f "$archive"

# It talks to itself over a connection, whose ends take each other for dead where others keep the machine busy for seconds.
train() {
  "$java" -Xshare:off -Xlog:disable -Xlog:all=error:stderr -XX:+UseSerialGC -XX:DumpLoadedClassList="$classes" \
    -cp "$classpath" org.daedalus.cli.ArchiveTraining
}
attempts=5
until train; do
  attempts=$((attempts - 1))
  if [ "$attempts" -eq 0 ]; then
    echo "archive-classes: the commands do not run in training: no archive is made, the command line starts more slowly" >&2
    exit 0
  fi
done
"$java" -Xshare:dump -Xlog:disable -Xlog:all=error:stderr -XX:+UseSerialGC -XX:SharedClassListFile="$classes" \
  -XX:SharedArchiveFile="$archive" -cp "$classpath"
