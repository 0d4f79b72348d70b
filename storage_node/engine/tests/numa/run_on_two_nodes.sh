#!/usr/bin/env bash
# Runs a program on a machine with two NUMA nodes that qemu plays: Debian's kernel, busybox, the program and its
# libraries, nothing else. Boots, runs, powers off. For correctness only: every instruction is translated.
#
#   run_on_two_nodes.sh PROGRAM WORK_FOLDER
#
# Packages are fetched into WORK_FOLDER and not installed. Exit codes: 0 passed, 1 failed, 77 not run, with the reason.
set -euo pipefail

program=$(realpath "$1")
mkdir -p "$2"
work=$(realpath "$2")
debs=$work/debs
root=$work/root

not_run() {
  echo "numa on two nodes: not run: $1"
  exit 77
}

# apt resolves what is missing and checks signatures; an installed package is simply not among the files.
fetch() {
  local apt=(apt-get -y --download-only --no-install-recommends -o "Dir::Cache::archives=$debs" install)
  mkdir -p "$debs/partial"
  "${apt[@]}" qemu-system-x86 busybox-static linux-image-cloud-amd64 cpio >"$work/fetch.log" 2>&1
}

unpack() {
  mkdir -p "$root"
  for deb in "$debs"/*.deb; do
    dpkg-deb --extract "$deb" "$root"
  done
}

# The newest of the paths given that exist, or nothing.
newest() {
  find "$@" -maxdepth 0 2>/dev/null | sort --version-sort | tail -n 1 || true
}

find_tool() {
  local path
  for path in "$root/usr/bin/$1" "$root/bin/$1"; do
    if [ -x "$path" ]; then
      echo "$path"
      return
    fi
  done
  command -v "$1" || true
}

write_init() {
  cat >"$work/initramfs/init" <<'INIT'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t sysfs sysfs /sys
/bin/busybox echo "numa nodes online: $(/bin/busybox cat /sys/devices/system/node/online)"
/program
/bin/busybox echo "exit code $?"
/bin/busybox poweroff -f
INIT
  chmod +x "$work/initramfs/init"
}

pack() {
  rm -rf "$work/initramfs"
  mkdir -p "$work/initramfs"/{bin,proc,sys,dev}
  cp "$busybox" "$work/initramfs/bin/busybox"
  cp "$program" "$work/initramfs/program"
  local library
  for library in $(ldd "$program" | grep -o '/[^ ]*'); do
    mkdir -p "$work/initramfs$(dirname "$library")"
    cp --dereference "$library" "$work/initramfs$library"
  done
  write_init
  (cd "$work/initramfs" && find . | LD_LIBRARY_PATH=$libraries "$cpio" --quiet --create --format=newc) |
    gzip -1 >"$work/initramfs.gz"
}

boot() {
  LD_LIBRARY_PATH=$libraries timeout 300 "$qemu" "${data[@]}" -accel tcg,thread=multi -cpu max -M q35 -smp 4 -m 1024 \
    -object memory-backend-ram,size=512M,id=m0 -object memory-backend-ram,size=512M,id=m1 \
    -numa node,nodeid=0,cpus=0-1,memdev=m0 -numa node,nodeid=1,cpus=2-3,memdev=m1 -numa dist,src=0,dst=1,val=21 \
    -kernel "$kernel" -initrd "$work/initramfs.gz" -append "console=ttyS0 quiet panic=-1" -nographic -no-reboot \
    -net none -vga none </dev/null
}

[ "$(uname -m)" = x86_64 ] || not_run "this machine is no x86-64"
command -v dpkg-deb >/dev/null || not_run "this is no Debian: there is no dpkg-deb"
if [ ! -e "$work/unpacked" ]; then
  fetch || not_run "packages cannot be fetched: $(tail -n 1 "$work/fetch.log")"
  unpack
  touch "$work/unpacked"
fi
libraries=$root/usr/lib/x86_64-linux-gnu:$root/lib/x86_64-linux-gnu
qemu=$(find_tool qemu-system-x86_64)
busybox=$(find_tool busybox)
cpio=$(find_tool cpio)
kernel=$(newest "$root"/boot/vmlinuz-*cloud* /boot/vmlinuz-*cloud*)
for found in "qemu-system-x86_64:$qemu" "busybox:$busybox" "cpio:$cpio" "cloud kernel:$kernel"; do
  [ -n "${found#*:}" ] || not_run "there is no ${found%%:*}"
done
data=()
for folder in "$root/usr/share/qemu" "$root/usr/share/seabios"; do
  if [ -d "$folder" ]; then
    data+=(-L "$folder")
  fi
done

pack
boot | tee "$work/console.log"
if grep -q '^passed on 2 NUMA nodes' "$work/console.log" && grep -q '^exit code 0' "$work/console.log"; then
  echo "numa on two nodes: passed"
else
  echo "numa on two nodes: FAILED"
  exit 1
fi
