#!/bin/bash
# A manual of a file's form tells every member of the tables that read it, and none that they do not know.
. "$(dirname "$0")/../lib/lint.sh"

# The page, and the files with its tables: rows { "name", ... of a "static const struct member".
pages='
railhead-job.5        src/job_spec_parse.c src/job_spec_members.c src/job_spec_distribution.c src/job_spec_data.c src/channel.c
railhead.yaml.5       daemon/config.c daemon/config_pools.c daemon/config_s3.c
railhead-instance.5   src/profile.c
'

members_in_code() {
    sed -nE '/^static const struct member .*\{$/,/^\};/s/^ *\{ "([a-z0-9_]+)",.*/\1/p' | sort -u
}

breaches() {
    local page sources name

    while read -r page sources; do
        if [ -z "$page" ] || [ ! -e "$1/man/$page" ]; then
            continue
        fi
        # shellcheck disable=SC2086 # several names
        (cd "$1" && cat $sources) | members_in_code >"$WORK/code"
        [ -s "$WORK/code" ] || echo "no member can be read from $sources"
        # Told in a list, alone or within "{kind, name, count}", or by name where no list is.
        while read -r name; do
            grep -Eq "^\.(It )?Ic (.*[ {])?$name( |,|\$)" "$1/man/$page" || echo "$page does not tell: $name"
        done <"$WORK/code"
        sed -nE 's/^\.It Ic ([a-z0-9_]+)( .*)?$/\1/p' "$1/man/$page" | sort -u | comm -23 - "$WORK/code" |
            sed "s/^/$page tells what is no member: /"
    done <<<"$pages"
}

# small_tree FOLDER MEMBER-IN-CODE MEMBER-IN-PAGE
small_tree() {
    mkdir -p "$1/daemon" "$1/man"
    printf 'static const struct member config_members[] = {\n    { "state", read_state },\n    { "%s", read_x },\n};\n' "$2" \
        >"$1/daemon/config.c"
    : >"$1/daemon/config_pools.c"
    : >"$1/daemon/config_s3.c"
    printf '.It Ic state : Ar folder\n.It Ic %s : Ar x\n' "$3" >"$1/man/railhead.yaml.5"
}

plant_member_that_is_not_told() {
    small_tree "$1" socket state
}

plant_member_that_is_not_read() {
    small_tree "$1" state socket
}

small_tree "$WORK" socket socket
[ -z "$(breaches "$WORK")" ] || not_ok "man-members" "sees a breach where there is none: $(breaches "$WORK")"

lint "the manuals of the files tell every member and no other"
