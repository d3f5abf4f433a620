#!/bin/bash
# The table of api/routes.c and the paths of api/openapi.yaml say the same: method, path, name of the operation.
. "$(dirname "$0")/../lib/lint.sh"

# Rows of the table: { "GET", "/v1/x", "listX", ...
routes_in_code() {
    sed -nE 's/^ *\{ *"([A-Z]+)", *"([^"]+)", *"([A-Za-z]+)".*/\1 \2 \3/p' "$1/api/routes.c" | sort
}

# "  /v1/x:", beneath it "    get:", beneath it "      operationId: listX".
routes_in_text() {
    awk '
        /^[a-z]/ { in_paths = /^paths:/ }
        !in_paths { next }
        /^  \/.*:/ { path = $1; sub(/:$/, "", path) }
        /^    (get|put|post|patch|delete):/ { method = toupper($1); sub(/:/, "", method) }
        /^      operationId:/ { print method, path, $2 }
    ' "$1/api/openapi.yaml" | sort
}

breaches() {
    diff <(routes_in_code "$1") <(routes_in_text "$1") |
        sed -n 's/^< \(.*\)/api\/routes.c alone has: \1/p; s/^> \(.*\)/api\/openapi.yaml alone has: \1/p'
    [ -n "$(routes_in_code "$1")" ] || echo "no route can be read from api/routes.c"
}

# small_tree FOLDER ROUTE-PATH OPENAPI-PATH
small_tree() {
    mkdir "$1/api"
    printf '    { "GET", "/healthz", "getHealth", handle_health },\n    { "GET", "%s", "getX", handle_x },\n' "$2" \
        >"$1/api/routes.c"
    printf 'paths:\n  /healthz:\n    get:\n      operationId: getHealth\n  %s:\n    get:\n      operationId: getX\n' "$3" \
        >"$1/api/openapi.yaml"
}

plant_other_path() {
    small_tree "$1" /v1/x /v1/y
}

plant_route_that_is_not_described() {
    small_tree "$1" /v1/x /healthz
}

# The lint itself: two that agree have no breach.
small_tree "$WORK" /v1/x /v1/x
[ -z "$(breaches "$WORK")" ] || not_ok "openapi-routes" "sees a breach where there is none: $(breaches "$WORK")"

lint "openapi.yaml describes every route and no other"
