#!/bin/bash
# The README's own commands: every block that is marked "sh test" is run, in order, against a private daemon.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

# shellcheck disable=SC2119
daemon_start || exit 1
cd "$WORK" || exit 1
PATH=$BUILD:$PATH

# block NUMBER: the commands of the block.
block() {
    awk -v wanted="$1" '/^```sh test$/ { number++; inside = 1; next } /^```/ { inside = 0 } inside && number == wanted' \
        "$SOURCE/README.md"
}

count=$(grep -c '^```sh test$' "$SOURCE/README.md")
check "the README has commands to try" [ "$count" -ge 3 ]
for number in $(seq "$count"); do
    block "$number" >"block-$number.sh"
    check "block $number of the README runs as it stands" bash -eu -o pipefail "block-$number.sh"
done
check_equal "its job is completed" "$(jobctl show my-job --output json | jq -r .status)" Completed
check_equal "and has a figure" "$(jobctl show my-job --output json | jq -r .price_performance.work)" 2000
finish
