# shellcheck shell=bash
# What every lint stands on.  A lint defines
#   breaches FOLDER     prints one line a breach in the tree at FOLDER
#   plant_WHAT FOLDER   makes one breach in a small tree; each of these must be found
# and ends with: lint "a sentence that is true of the tree".
. "$(dirname "${BASH_SOURCE[0]}")/test.sh"

# files FOLDER PATTERN...: names, relative to FOLDER, of the project's own files that match.
files() {
    local folder=$1 tests=() pattern
    shift
    for pattern; do
        tests+=(-o -name "$pattern")
    done
    (cd "$folder" && find . \( -name .git -o -path './build*' -o -name '_build' -o -name '_inst' \
        -o -name autom4te.cache -o -name __pycache__ \) -prune \
        -o -type f \( "${tests[@]:1}" \) -print | sed 's|^\./||' | sort)
}

# needs PROGRAM: the lint is left out where its tool is not installed.
needs() {
    command -v "$1" >/dev/null || skip "$1 is not installed"
}

lint() {
    local name=$1 plant found

    for plant in $(compgen -A function plant_); do
        rm -rf "$WORK/tree"
        mkdir -p "$WORK/tree"
        "$plant" "$WORK/tree"
        if [ -z "$(breaches "$WORK/tree" 2>&1)" ]; then
            not_ok "$name" "the lint does not see the breach of $plant"
            finish
        fi
    done
    found=$(breaches "$SOURCE" 2>&1)
    if [ -z "$found" ]; then
        ok "$name"
    else
        not_ok "$name" "$found"
    fi
    finish
}
