/* railhead-worker FOLDER <PLAN: one worker, by hand.  railhead-worker --nursery: many,
 * for a daemon. Decides nothing else. */

#include "src/worker/nursery.h"
#include "src/worker/worker.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    close_range(3, ~0U, 0); /* what the daemon had open is not ours to hold */
    if (argc >= 2 && strcmp(argv[1], "--nursery") == 0)
        return nursery_run(argc, argv);
    if (argc == 2 && argv[1][0] == '/')
        return worker_live(argv[1]);
    fputs("usage: railhead-worker FOLDER <PLAN\n"
          "FOLDER is absolute and holds an empty journal.jsonl; PLAN is a file.\n"
          "railhead-worker(8) tells more.\n",
          stderr);
    return 2;
}
