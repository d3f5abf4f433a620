#!/bin/bash
# A host that stands in for others: what it says, how many ranks it starts, how it shares its CPUs, what it costs.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/daemon.sh"

DAEMON_CONFIG=$SOURCE/etc/quickstart.yaml
# shellcheck disable=SC2119
daemon_start || exit 1

# submit NAME TYPE COUNT MORE: a job that prints its threads; MORE is JSON that is added.
submit() {
    jq -nc --arg name "$1" --arg type "$2" --argjson count "$3" --argjson more "${4:-{\}}" \
        '{name: $name, instance_type: $type, instance_count: $count,
          command: ["/bin/sh", "-c", "echo threads=$OMP_NUM_THREADS world=$WORLD_SIZE"]} + $more' \
        | http /v1/training-jobs -H 'Content-Type: application/json' --data-binary @- >"$WORK/answer"
}

show() {
    http "/v1/training-jobs/$1" | jq -rc "$2"
}

ended() {
    [ "$(show "$1" .end)" != null ]
}

torch='{"distribution": {"torch_distributed": {"enabled": true}}}'
submit cpu ml.c5.4xlarge 2
submit trainium ml.trn1.2xlarge 1 "$torch"
check "a job on an emulated type ends" wait_until 30 ended cpu
check "a job on emulated NeuronCores ends" wait_until 30 ended trainium
check_equal "it is completed" "$(show cpu .secondary_status)" Completed
check_equal "every answer says that it was emulated" "$(show cpu .emulated)" true
check_equal "the list says so" "$(http /v1/training-jobs | jq -c '[.items[].emulated] | unique')" '[true]'

share=$(($(nproc) / 2))
[ $share -ge 1 ] || share=1
[ $share -le 16 ] || share=16
check_equal "two instances share this host's CPUs" "$(http '/v1/training-jobs/cpu/logs?rank=1')" "threads=$share world="
check_equal "ranks follow the profile: one a NeuronCore" "$(show trainium .plan.world_size)" 2
check_equal "each of them has its log" "$(http '/v1/training-jobs/trainium/logs' | grep -c "world=2$")" 2

check_equal "the price is the catalog's" "$(show cpu .price.usd_per_hour)" 0.816
check_equal "a derived price is an estimate" "$(show trainium '[.price.basis, .price.confidence]')" '["derived","low"]'
check_equal "cost is billable seconds x instances x price" "$(show cpu .cost_usd)" \
    "$(show cpu '[.billable_seconds, .instance_count, .price.usd_per_hour]' | /usr/bin/python3 -c '
import json, sys
from decimal import Decimal, ROUND_HALF_EVEN
seconds, count, price = json.load(sys.stdin)
cost = (Decimal(price) * seconds * count / 3600).quantize(Decimal("1e-9"), ROUND_HALF_EVEN)
print(format(cost.normalize(), "f"))')"
finish
