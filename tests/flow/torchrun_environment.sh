#!/bin/bash
# Our own launch of torch_distributed sets what a static torchrun sets, name by name.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"
. "$(dirname "$0")/../lib/torch.sh"

cat >"$WORK/show.py" <<'PYTHON'
import json, os, sys
with open(os.path.join(os.environ["SM_MODEL_DIR"], os.environ["RANK"] + ".json"), "w") as file:
    json.dump({"env": dict(os.environ), "args": sys.argv[1:]}, file)
PYTHON
# An argument that a shell would take apart.
# And what torchrun would take for a template.
hyperparameters='{"text": "a b; $HOME `id` '"'"'q'"'"' \"r\"", "epochs": 1, "template": "$$ ${local_rank} $local_rank", "dash": "--nnodes=7", "two": "--", "empty": "", "lines": "a\nb"}'

torch_job ours show.py railhead "$hyperparameters"
torch_job torchrun show.py torchrun "$hyperparameters"
for worker in 0 1; do
    check_equal "our launch of worker $worker is completed" "$(ended "$WORK/ours-1-$worker" cause)" '"completed"'
    check_equal "torchrun's launch of worker $worker is completed" "$(ended "$WORK/torchrun-1-$worker" cause)" '"completed"'
done

cat >"$WORK/compare.py" <<'PYTHON'
import json, os, sys

def load(launcher, rank):
    path = os.path.join(os.environ["WORK"], f"{launcher}-1-{rank // 2}", "ml", "model", f"{rank}.json")
    with open(path) as file:
        found = json.load(file)
    # Each has folders of its own.
    found["env"] = {name: value.replace(f"/{launcher}-1-", "/JOB-1-") for name, value in found["env"].items()}
    return found

# What may differ, and why.
OURS_ALONE = {
    "NODE_RANK",                                  # many scripts read it; torchrun never sets it
    "RAILHEAD_RANK", "RAILHEAD_LOCAL_RANK", "RAILHEAD_WORLD_SIZE",  # of ranks that the worker starts itself
}
TORCHRUN_ALONE = {"TORCHELASTIC_ERROR_FILE"}      # read by its agent, which is not there
OTHER_VALUE = {
    "TORCHELASTIC_USE_AGENT_STORE",               # no agent, so no store of it
    "MASTER_PORT", "SM_MASTER_PORT",              # another job, another port
    "PWD", "OLDPWD", "_",
}

def compare(rank):
    ours, theirs = load("ours", rank), load("torchrun", rank)
    assert ours["args"] == theirs["args"] and "$$ ${local_rank} $local_rank" in ours["args"], (ours["args"], theirs["args"])
    ours, theirs = ours["env"], theirs["env"]
    missing = set(theirs) - set(ours) - TORCHRUN_ALONE
    extra = set(ours) - set(theirs) - OURS_ALONE
    assert not missing, f"rank {rank}: torchrun sets, we do not: {sorted(missing)}"
    assert not extra, f"rank {rank}: we set, torchrun does not: {sorted(extra)}"
    for name in sorted(set(ours) & set(theirs) - OTHER_VALUE):
        assert ours[name] == theirs[name], f"rank {rank}: {name}: {ours[name]!r}, torchrun {theirs[name]!r}"
    assert "RAILHEAD_GRACE" not in theirs, "the ranks see what is for torchrun's wrapper"
    for name in ("RANK", "LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "TORCHELASTIC_RUN_ID"):
        assert name in theirs, f"torchrun sets no {name}: is this torchrun?"
    assert ours["TORCHELASTIC_USE_AGENT_STORE"] == "False"

compare(int(sys.argv[1]))
PYTHON
for rank in 0 1 2 3; do
    check "rank $rank finds the environment and arguments of torchrun" /usr/bin/python3 "$WORK/compare.py" $rank
done
finish
