#!/bin/bash
# The steps of the schema are numbered without a gap, and the generator would notice one.
. "$(dirname "$0")/../lib/lint.sh"

breaches() {
    { "$SOURCE/scripts/schema-to-c" "$1"/daemon/schema/*.sql >/dev/null; } 2>&1
}

# steps FOLDER NAME...
steps() {
    local folder=$1 name
    shift
    mkdir -p "$folder/daemon/schema"
    for name; do
        echo 'SELECT 1;' >"$folder/daemon/schema/$name"
    done
}

plant_gap() {
    steps "$1" 0001-a.sql 0003-c.sql
}

plant_number_given_twice() {
    steps "$1" 0001-a.sql 0002-b.sql 0002-c.sql
}

plant_start_at_two() {
    steps "$1" 0002-b.sql
}

lint "the steps of the schema are numbered without a gap"
