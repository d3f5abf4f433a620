#!/bin/bash
# The examples beside the quick start's own, as a fresh clone has them: each prepares its data, ends well and prints its
# figure; the one that is interrupted learns what it would have learnt in peace.
. "$(dirname "$0")/../lib/test.sh"

[ -x /usr/bin/torchrun ] || skip "python3-torch is not installed"
/usr/bin/python3 -c 'import mpi4py' 2>/dev/null || skip "python3-mpi4py is not installed"
command -v mpirun >/dev/null || skip "openmpi-bin is not installed"
for list in american-english italian; do
    [ -e /usr/share/dict/$list ] || skip "the word lists are not installed"
done

export TMPDIR=$WORK PYTHONDONTWRITEBYTECODE=1
mkdir "$WORK/clone"
cp -r "$SOURCE"/{scripts,examples,etc,instance-profiles,libexec} "$WORK/clone/"
rm -rf "$WORK"/clone/examples/*/data

runs() {
    "$WORK/clone/scripts/quickstart" --build "$BUILD" "$1" >"$WORK/$1" 2>&1 || {
        tail -n 40 "$WORK/$1"
        return 1
    }
}

# says EXAMPLE PATTERN [TIMES]: so often at least.
says() {
    [ "$(grep -Ec -- "$2" "$WORK/$1")" -ge "${3:-1}" ] || {
        tail -n 60 "$WORK/$1"
        return 1
    }
}

# has_figure EXAMPLE JOBS WORK
has_figure() {
    check "$1 tells what was billed" says "$1" 'billable +[0-9]+ s on each instance' "$2"
    check "$1 tells what it cost" says "$1" 'cost +[$]0[.][0-9]+' "$2"
    check "$1 tells its work" says "$1" "work +$3" "$2"
    check "$1 tells what a dollar bought" says "$1" '[0-9.]+ [a-z]+ per dollar' "$2"
    check "$1 reached its objective" says "$1" 'objective .* reached' "$2"
    check "$1 ran on emulated hardware and says so" says "$1" '^ *emulated ' "$2"
}

for example in ctr-mpi ctr-ps finetune-resume; do
    check "$example runs to its end" runs $example
done
has_figure ctr-mpi 1 '[0-9]+ [a-z]+'
has_figure ctr-ps 1 '[0-9]+ [a-z]+'
has_figure finetune-resume 2 '76800 words'
check "the one that was interrupted ran twice" says finetune-resume '^ +1 +[0-9]+ s +interrupted'
read -r whole resumed < <(sed -n 's/^held-out loss: \([0-9.]*\) without an interruption, \([0-9.]*\) with one$/\1 \2/p' \
    "$WORK/finetune-resume")
check "finetune-resume has a loss" grep -Eqx '[0-9]+[.][0-9]+' <<<"$whole"
check_equal "and the same with an interruption as without" "$resumed" "$whole"
finish
