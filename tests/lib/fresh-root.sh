#!/bin/bash
# fresh-root.sh [--user] [--keep] [--base TAR] COMMAND...
# Runs COMMAND as on a machine that was set up a minute ago: in a new Debian 12 that has nothing but the minimum, in a
# clone of this tree's last commit, in its own mount and process namespaces.  Ends with COMMAND's exit status, or with 1
# when COMMAND ended well but left a process running.  Only by hand and by tests/fresh: it takes minutes, and the network.
#
#   --user      as an ordinary user who may use sudo, not as root
#   --keep      does not remove the new root, says where it is
#   --base TAR  unpacks TAR, which is made first if it is not there; saves a minute
#
# Example: tests/lib/fresh-root.sh scripts/quickstart
set -euo pipefail

source_tree=$(cd "$(dirname "$0")/../.." && pwd)
clone=/srv/railhead
user=
keep=
base=

main() {
    options "$@"
    shift $((OPTIONS_READ))
    [ "$(id -u)" -eq 0 ] || give_up "run it as root: it makes a root file system"
    command -v debootstrap >/dev/null || give_up "debootstrap is missing: apt-get install debootstrap"

    root=$(mktemp -d "${TMPDIR:-/tmp}/railhead-fresh.XXXXXX")
    trap clean_up EXIT
    trap 'exit 130' INT TERM
    make_root
    chmod 755 "$root" # mktemp made it for one user alone
    settings_of_this_machine
    git -c safe.directory='*' clone -q --no-hardlinks "$source_tree" "$root$clone"
    [ -z "$user" ] || make_user
    run_inside "$@"
}

options() {
    OPTIONS_READ=0
    while [ $# -gt 0 ]; do
        case $1 in
        --user) user=somebody ;;
        --keep) keep=yes ;;
        --base)
            base=${2:?--base wants a file}
            shift
            OPTIONS_READ=$((OPTIONS_READ + 1))
            ;;
        -*) give_up "unknown option $1" ;;
        *) return 0 ;;
        esac
        shift
        OPTIONS_READ=$((OPTIONS_READ + 1))
    done
    give_up "usage: fresh-root.sh [--user] [--keep] [--base TAR] COMMAND..."
}

give_up() {
    echo "fresh-root.sh: $*" >&2
    exit 2
}

clean_up() {
    if [ -n "$keep" ]; then
        echo "fresh-root.sh: kept $root" >&2
    else
        rm -rf --one-file-system "$root"
    fi
}

make_root() {
    if [ -n "$base" ] && [ -e "$base" ]; then
        tar -C "$root" -xpf "$base" --numeric-owner
        return
    fi
    debootstrap --variant=minbase bookworm "$root" >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        give_up "debootstrap failed, whole log: $root.log"
    }
    rm -f "$root.log"
    if [ -n "$base" ]; then
        tar -C "$root" -cpf "$base.new" --numeric-owner . && mv "$base.new" "$base"
    fi
}

# How this machine reaches the network and Debian's mirror; and that no service is started inside.
settings_of_this_machine() {
    cp -L /etc/resolv.conf /etc/hosts "$root/etc/"
    cp -an /etc/apt/apt.conf.d/. "$root/etc/apt/apt.conf.d/"
    printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
    chmod 755 "$root/usr/sbin/policy-rc.d"
}

make_user() {
    run_inside_as_root 'apt-get -q update && apt-get -q install -y --no-install-recommends sudo' >"$root.log" 2>&1 || {
        tail -n 20 "$root.log" >&2
        give_up "sudo could not be installed, whole log: $root.log"
    }
    rm -f "$root.log"
    run_inside_as_root "useradd --create-home --shell /bin/bash $user && chown -R $user $clone &&
        echo '$user ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/$user"
}

run_inside_as_root() {
    in_namespaces "$root" root bash -c "$1"
}

run_inside() {
    in_namespaces "$root" "${user:-root}" bash -c "cd $clone && exec \"\$@\"" bash "$@"
}

# in_namespaces ROOT USER COMMAND...: process 1 is this shell, which reaps what COMMAND orphans; all end with it.
in_namespaces() {
    # shellcheck disable=SC2016 # expanded by the shell inside
    unshare --mount --pid --fork --kill-child bash -c '
        root=$1 user=$2
        shift 2
        mount --bind "$root" "$root" # a root that is a mount, as every machine has
        mount -t proc proc "$root/proc"
        mount --rbind /sys "$root/sys"
        mount --rbind /dev "$root/dev"
        mount -t tmpfs tmpfs "$root/run"
        mount -t tmpfs -o mode=1777 tmpfs "$root/tmp"
        home=$(sed -n "s/^$user:.*:\(.*\):.*/\1/p" "$root/etc/passwd")
        chroot --userspec="$user" "$root" env -i HOME="$home" USER="$user" LOGNAME="$user" \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
            LANG=C.UTF-8 TERM=dumb DEBIAN_FRONTEND=noninteractive "$@" </dev/null
        status=$?
        for process in "$root"/proc/[0-9]*; do
            arguments=$(tr "\0" " " <"$process/cmdline") 2>/dev/null
            [ "${process##*/}" -ne 1 ] && [ -n "$arguments" ] || continue
            echo "left running: $arguments" >&2
            [ $status -ne 0 ] || status=1
        done
        exit $status
    ' bash "$@"
}

main "$@"
