"""torchrun, repaired where Python 3.11 broke it, and patient at a stop.

torch 1.13 (Debian 12) turns the text "0" into the flag Std.NONE by iterating over an
IntFlag.  From Python 3.11 on that iteration leaves out 0 and composite members, so torchrun
fails on its own defaults.  Where that is so, Std.from_str is put right; a torch that reads
"0" correctly is left as it is.

When a rank ends badly, or torchrun itself is told to stop, it kills the other ranks 30
seconds after it has told them (PContext.close).  RAILHEAD_GRACE, in seconds, is the least
that they get; the ranks do not see the variable.

Ranks that share an instance have FIFOs of their own: RAILHEAD_PIPES names, with blanks
between, the variables of Pipe channels.  Each rank gets them with rank-L/ before the last
part, L its local rank, and does not see RAILHEAD_PIPES.

Use: python3 railhead-torchrun.py [torchrun's own arguments]
"""

import os
import sys

from torch.distributed.elastic.multiprocessing import api


def is_broken():
    return api.Std.from_str("0") is not api.Std.NONE


def repair():
    original = api.Std.from_str.__func__

    def from_str(cls, text):
        result = original(cls, text)  # still refuses what is malformed
        if isinstance(result, dict):
            pairs = (pair.split(":") for pair in text.split(","))
            return {int(rank): cls(int(value)) for rank, value in pairs}
        return cls(int(text))

    api.Std.from_str = classmethod(from_str)


def be_patient(grace):
    original = api.PContext.close

    def close(self, death_sig=None, timeout=30):
        return original(self, death_sig, max(timeout, grace))

    api.PContext.close = close


def pipes_of(rank, variables):
    named = ((name, os.environ[name]) for name in variables if name in os.environ)
    return {name: os.path.join(os.path.dirname(path), f"rank-{rank}", os.path.basename(path))
            for name, path in named}


def name_pipes(variables):
    if not variables:
        return
    original = api.PContext.__init__

    def init(self, name, entrypoint, args, envs, *rest, **more):
        envs = {rank: {**pipes_of(rank, variables), **env} for rank, env in envs.items()}
        original(self, name, entrypoint, args, envs, *rest, **more)

    api.PContext.__init__ = init


if is_broken():
    repair()
name_pipes(os.environ.pop("RAILHEAD_PIPES", "").split())
be_patient(int(os.environ.pop("RAILHEAD_GRACE", "0")))

from torch.distributed.run import main  # noqa: E402  (after the repair)

if __name__ == "__main__":
    # torchrun names itself by argv[0] in its usage text.
    sys.argv[0] = "torchrun"
    sys.exit(main())
