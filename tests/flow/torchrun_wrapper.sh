#!/bin/bash
# railhead-torchrun.py repairs a torch whose Std.from_str is broken, leaves a healthy one alone, and gives ranks their grace.
. "$(dirname "$0")/../lib/test.sh"

# stub NAME BODY: a torch of that name whose Std.from_str has this body.
stub() {
    local top=$WORK/$1/torch/distributed
    mkdir -p "$top/elastic/multiprocessing"
    touch "$WORK/$1/torch/__init__.py" "$top/__init__.py" "$top/elastic/__init__.py" \
        "$top/elastic/multiprocessing/__init__.py"
    cat >"$top/elastic/multiprocessing/api.py" <<PYTHON
import re
from enum import IntFlag
class Std(IntFlag):
    NONE = 0
    OUT = 1
    ERR = 2
    ALL = OUT | ERR
    @classmethod
    def from_str(cls, vm):
        if not re.match(r"^([0123]|(\d:[0123],)*(\d:[0123]))$", vm):
            raise ValueError(vm)
$2
class PContext:
    def __init__(self, name, entrypoint, args, envs, stdouts):
        print(name, envs, stdouts)
    def close(self, death_sig=None, timeout=30):
        print("close", death_sig, timeout)
PYTHON
    cat >"$top/run.py" <<'PYTHON'
import sys
import os
from torch.distributed.elastic.multiprocessing.api import PContext, Std
def main():
    print(Std.from_str.__func__.__module__ == "__main__", sys.argv)
    print([Std.from_str(text) for text in ("0", "1", "3")], Std.from_str("0:3,1:0"))
    try:
        Std.from_str("7")
    except ValueError as error:
        print("refused", error)
    context = PContext("default", "python3", {}, {0: {"RANK": "2"}, 1: {"RANK": "3"}}, {})
    context.close("SIGTERM")
    context.close(timeout=90)
    print(os.environ.get("RAILHEAD_GRACE"), os.environ.get("RAILHEAD_PIPES"))
    return 7
PYTHON
}

# As a newer torch does it, and as torch 1.13 does, which Python 3.11 gives no 0 and no 3.
stub healthy '        if ":" in vm: return {int(x.split(":")[0]): cls(int(x.split(":")[1])) for x in vm.split(",")}
        return cls(int(vm))'
stub broken '        def to_std(v):
            for s in (cls.OUT, cls.ERR):
                if s == int(v): return s
        if ":" in vm: return {int(x.split(":")[0]): to_std(x.split(":")[1]) for x in vm.split(",")}
        return to_std(vm)'

run_wrapper() {
    PYTHONPATH=$WORK/$1 PYTHONDONTWRITEBYTECODE=1 /usr/bin/python3 "$SOURCE/libexec/railhead-torchrun.py" --nnodes=1 train.py
}
envs="{0: {'RANK': '2'}, 1: {'RANK': '3'}}"
answers="[<Std.NONE: 0>, <Std.OUT: 1>, <Std.ALL: 3>] {0: <Std.ALL: 3>, 1: <Std.NONE: 0>}
refused 7
default $envs {}
close SIGTERM 30
close None 90
None None"

check_equal "a healthy torch keeps its own function" "$(run_wrapper healthy)" \
    "False ['torchrun', '--nnodes=1', 'train.py']
$answers"
check_equal "a broken one is put right" "$(run_wrapper broken)" \
    "True ['torchrun', '--nnodes=1', 'train.py']
$answers"
check_status "torchrun's exit status is the wrapper's" 7 run_wrapper healthy
check_equal "the ranks get at least the job's grace" "$(RAILHEAD_GRACE=60 run_wrapper broken | tail -n 3)" \
    "close SIGTERM 60
close None 90
None None"
check_equal "every rank has Pipe channels of its own, and all else as it was" \
    "$(RAILHEAD_PIPES="SM_CHANNEL_A SM_CHANNEL_Z" SM_CHANNEL_A=/ml/data/a run_wrapper healthy | grep default)" \
    "default {0: {'SM_CHANNEL_A': '/ml/data/rank-0/a', 'RANK': '2'}, 1: {'SM_CHANNEL_A': '/ml/data/rank-1/a', 'RANK': '3'}} {}"
finish
