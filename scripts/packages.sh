# shellcheck shell=bash
# The Debian packages that Railhead needs, and how a script gets those that are missing:
#
#   . scripts/packages.sh
#   packages_install "${packages_build[@]}" "${packages_run[@]}"
# shellcheck disable=SC2034 # the lists are used where this file is read

packages_build=(
    gcc make pkg-config autoconf automake libc6-dev
    libmicrohttpd-dev libcjson-dev libyaml-dev libsqlite3-dev libcurl4-openssl-dev libssl-dev
    libarchive-dev libsystemd-dev libpcre2-dev
)
# What the examples need: PyTorch, MPI, and the word lists that they learn from.
packages_example=(
    python3 python3-torch python3-numpy
    openmpi-bin python3-mpi4py
    wamerican wfrench wngerman witalian wspanish
)
# What scripts/check needs besides.
packages_test=(
    check clang-format shellcheck codespell mandoc systemd
    procps curl jq git xz-utils python3-yaml util-linux iproute2
)
# What scripts/fuzz needs besides: clang and its libFuzzer.
packages_fuzz=(clang libclang-rt-14-dev)
# And scripts/static-checks and scripts/coverage.
packages_static=(clang-tidy cppcheck gcovr)
# For s3rver. Node from elsewhere than Debian has both in one package.
command -v npm >/dev/null || packages_test+=(nodejs npm)

# packages_missing PACKAGE...: those that are not installed.
packages_missing() {
    local package

    for package; do
        # shellcheck disable=SC2016 # the format is dpkg-query's
        [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
            echo "$package"
    done
}

# packages_install PACKAGE...: installs what is missing, and says what; quiet when nothing is.
packages_install() {
    local missing install log as_root=() status=0

    mapfile -t missing < <(packages_missing "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    command -v apt-get >/dev/null || {
        echo "missing, and there is no apt-get to install them: ${missing[*]}" >&2
        return 1
    }
    [ "$(id -u)" -eq 0 ] || as_root=(sudo)
    echo "installing with apt-get: ${missing[*]}"
    log=$(mktemp)
    install=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive
        apt-get -q install -y --no-install-recommends "${missing[@]}")
    # The first try fails where apt's lists are absent or old.
    "${install[@]}" >"$log" 2>&1 </dev/null ||
        { "${as_root[@]}" apt-get -q update && "${install[@]}"; } >"$log" 2>&1 </dev/null || status=$?
    [ $status -eq 0 ] || tail -n 30 "$log" >&2
    rm -f "$log"
    return $status
}
