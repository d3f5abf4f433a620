#!/bin/bash
# What railhead-worker tells of a program's own words about its failure.
. "$(dirname "$0")/../lib/test.sh"
. "$(dirname "$0")/../lib/worker.sh"

# python NAME MEMBERS SCRIPT...: one rank a script, run by Python in ML/output/data; leaves the folder's name.
python() {
    local script argv=()
    folder=$(worker_folder "$1")
    for script in "${@:3}"; do
        argv+=("$(/usr/bin/python3 -c 'import json, sys; print(json.dumps(["/usr/bin/python3", "-c", sys.argv[1]]))' "$script")")
    done
    write_plan "$folder" "$2" "${argv[@]}"
    run_worker "$folder"
}

told() { ended "$1" "$2" 2>/dev/null; }

python file '{}' 'open("../failure", "w").write("the data has é holes\n" + "x" * 2000); raise SystemExit(1)'
check_equal "the first 1,024 characters of output/failure are told" \
    "$(told "$folder" failure | /usr/bin/python3 -c 'import json, sys; text = json.load(sys.stdin); print(len(text), text[:20])')" \
    "1024 the data has é holes"

python well '{}' 'open("../failure", "w").write("no failure at all")'
check_equal "they are not when all went well" "$(told "$folder" failure)" ""

python bytes '{}' 'open("../failure", "wb").write(b"bad \xff\xc3 bytes"); raise SystemExit(1)'
check_equal "what is no UTF-8 in them is replaced" "$(told "$folder" failure)" '"bad \ufffd\ufffd bytes"'

python fifo '{"max_run_s": 20}' 'import os; os.mkfifo("../failure"); raise SystemExit(3)'
check_equal "a FIFO in the place of the file does not hold the worker" "$(told "$folder" cause)" '"failed"'

python link '{}' 'import os; os.symlink("/etc/hostname", "../failure"); raise SystemExit(3)'
check_equal "a link is not followed" "$(told "$folder" failure)" ""

python raise '{}' 'raise ValueError("bad lr")'
check_equal "the line of the exception is told" "$(told "$folder" traceback)" '"ValueError: bad lr"'

python second '{}' 'import time; time.sleep(5)' 'raise KeyError("epochs")'
check_equal "it is that of the first failing rank" "$(told "$folder" traceback)" "\"KeyError: 'epochs'\""

python during '{}' '
try:
    {}["root"]
except KeyError as error:
    raise RuntimeError("while loading") from error'
check_equal "of exceptions that follow from each other it is the first" "$(told "$folder" traceback)" "\"KeyError: 'root'\""

python handled '{}' '
import traceback
try:
    open("/no/such")
except OSError:
    traceback.print_exc()
print("going on")
raise ValueError("the end")'
check_equal "one that was handled before is not the failure" "$(told "$folder" traceback)" '"ValueError: the end"'

python bar '{}' 'import sys; print("  3%|#  | 1/30", end="", file=sys.stderr); raise ValueError("behind a bar")'
check_equal "a progress bar before the traceback hides nothing" "$(told "$folder" traceback)" '"ValueError: behind a bar"'

python group '{}' '
import sys
print("""  + Exception Group Traceback (most recent call last):
  |   File "x.py", line 1, in <module>
  |     raise ExceptionGroup("two", [ValueError(1), TypeError(2)])
  | ExceptionGroup: two (2 sub-exceptions)
  +-+---------------- 1 ----------------
    | ValueError: 1
    +------------------------------------""", file=sys.stderr)
raise SystemExit(1)'
check_equal "of an exception group it is the group's" "$(told "$folder" traceback)" '"ExceptionGroup: two (2 sub-exceptions)"'

python quiet '{}' 'raise SystemExit(2)'
check_equal "a failure without words has none" "$(told "$folder" traceback)$(told "$folder" failure)" ""

python launcher '{}' '
for line in ("[1,2]<stderr>:Traceback (most recent call last):", "[1,0]<stderr>:starting", "[1,2]<stderr>:  File x",
             "[1,2]<stderr>:ZeroDivisionError: by rank 2", "Traceback (most recent call last):", "ChildFailedError: me"):
    print(line)
raise SystemExit(1)'
check_equal "a program of ours is told by its last" "$(told "$folder" traceback)" '"ChildFailedError: me"'
folder=$(worker_folder mpirun)
sed 's/"kind": "program"/"kind": "launcher"/; s/launcher\//mpirun\//g' "$WORK/launcher/plan.json" >"$folder/plan.json"
run_worker "$folder"
check_equal "behind a launcher it is the first that any rank printed" "$(told "$folder" traceback)" \
    '"ZeroDivisionError: by rank 2"'
finish
