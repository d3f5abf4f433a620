#!/bin/bash
# systemd understands every line of the unit.
. "$(dirname "$0")/../lib/lint.sh"
needs systemd-analyze

# A folder with the unit as it would be installed, the program replaced by one that exists.
breaches() {
    local unit=$WORK/units/railheadd.service
    mkdir -p "$WORK/units"
    sed -e 's|@sbindir@/railheadd|/bin/true|' -e 's|@[a-z]*@|/usr|g' "$1/etc/railheadd.service.in" >"$unit"
    systemd-analyze verify --man=no --recursive-errors=no "$unit" 2>&1 | sed "s|$WORK/units/||"
}

plant_unknown_setting() {
    mkdir "$1/etc"
    printf '[Service]\nExecStart=@sbindir@/railheadd\nProtectSytem=strict\n' >"$1/etc/railheadd.service.in"
}

lint "systemd understands the unit file"
