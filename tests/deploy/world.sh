#!/usr/bin/env bash
# Two or more hosts with systemd as their first process, and a bridge between them. Runs as the first process of its own
# mount, network and process namespaces: when it ends, and it ends with its standard input, the kernel ends and unmounts all
# that it made.
#
#   world.sh ROOT WORK GROUP HOST=ADDRESS…
#
# ROOT   a Debian system that all hosts share, read-only
# WORK   a folder with key.pub, which may log in; what each host says goes to WORK/HOST.log, what it writes stays in memory
# GROUP   a name: of the control group, in each of systemd's trees, below which each host gets one of its own
set -euo pipefail
root=$1 work=$2 group=$3
shift 3

# With version 1 of control groups systemd has a tree of its own, and may have one of version 2 beside it.
trees=()
for tree in /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do [ ! -d $tree ] || trees+=("$tree"); done
[ ${#trees[@]} -gt 0 ] || trees=(/sys/fs/cgroup)

mount --make-rprivate /
mount -t tmpfs none /run/netns 2> /dev/null || { mkdir -p /run/netns && mount -t tmpfs none /run/netns; }
ip link set lo up
ip link add hosts type bridge
ip address add 10.99.0.1/24 dev hosts
ip link set hosts up

start() {
  local host=$1 address=$2 folder=$work/disks/$1
  ip netns add "$host"
  ip link add "to-$host" type veth peer name host0 netns "$host"
  ip link set "to-$host" master hosts up
  ip -n "$host" address add "$address/24" dev host0
  ip -n "$host" link set host0 up
  ip -n "$host" link set lo up

  mkdir -p "$folder"/{files,scratch,root}
  mount -t overlay overlay -o "lowerdir=$root,upperdir=$folder/files,workdir=$folder/scratch" "$folder/root"
  echo "$host" > "$folder/root/etc/hostname"
  install -D -m 600 "$work/key.pub" "$folder/root/root/.ssh/authorized_keys"
  # Both hosts' systemd would take the same control group for the root of its own tree.
  (
    for tree in "${trees[@]}"; do
      mkdir -p "$tree/$group/$host"
      echo "$BASHPID" > "$tree/$group/$host/cgroup.procs"
    done
    exec systemd-nspawn --quiet --boot --register=no --keep-unit --console=pipe --machine="$host" \
      --network-namespace-path="/run/netns/$host" --directory="$folder/root"
  ) < /dev/null > "$work/$host.log" 2>&1 &
}

mkdir "$work/disks"
mount -t tmpfs disks "$work/disks"
for each in "$@"; do start "${each%%=*}" "${each##*=}"; done
echo made
cat > /dev/null
