#!/bin/bash
# jobctl(1) has a section for every verb and none for what is no verb, and names every option of a verb's usage line.
. "$(dirname "$0")/../lib/lint.sh"

verbs_in_code() {
    sed -nE 's/^ *\.name = "([a-z-]+)",?$/\1/p' "$1"/src/cli/verb_*.c | sort
}

# A section whose title is one word in small letters.
verbs_in_page() {
    sed -nE 's/^\.Ss ([a-z-]+)$/\1/p' "$1/man/jobctl.1" | sort
}

options_in_code() {
    sed -nE '/^ *\.arguments =/,/,$/p' "$1"/src/cli/verb_*.c | grep -oE -e '--[a-z][a-z-]*' | sort -u
}

breaches() {
    local option

    diff <(verbs_in_code "$1") <(verbs_in_page "$1") |
        sed -n 's/^< \(.*\)/no section in jobctl(1): \1/p; s/^> \(.*\)/in jobctl(1) and no verb: \1/p'
    options_in_code "$1" | while read -r option; do
        grep -Eq "Fl ${option#-}( |\$)" "$1/man/jobctl.1" || echo "no word of $option in jobctl(1)"
    done
    [ -n "$(verbs_in_code "$1")" ] || echo "no verb can be read from src/cli"
}

# small_tree FOLDER VERB ARGUMENTS SECTION: with a verb "show" besides, that is as it should be.
small_tree() {
    mkdir -p "$1/src/cli" "$1/man"
    printf '    .name = "show",\n    .arguments = "NAME",\n' >"$1/src/cli/verb_show.c"
    printf '    .name = "%s",\n    .arguments = "%s",\n' "$2" "$3" >"$1/src/cli/verb_x.c"
    printf '.Ss show\n.Ss Restarts\n.Ss %s\n.It Fl w , Fl -wait\n' "$4" >"$1/man/jobctl.1"
}

plant_verb_without_section() {
    small_tree "$1" stop NAME show
}

plant_section_without_verb() {
    small_tree "$1" stop NAME start
}

plant_option_that_is_not_told() {
    small_tree "$1" stop "[--force] NAME" stop
}

small_tree "$WORK" stop "[--wait] NAME" stop
[ -z "$(breaches "$WORK")" ] || not_ok "man-verbs" "sees a breach where there is none: $(breaches "$WORK")"

lint "jobctl(1) tells every verb and every option"
