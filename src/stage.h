#ifndef SRC_STAGE_H
#define SRC_STAGE_H

/*
 * railhead-stage VERB, which moves a job's data for its worker:
 *
 *   in           fills ML/input/data/CHANNEL for File and FastFile channels, and
 *                restores checkpoints
 *   pipe         makes the FIFOs of Pipe channels, and feeds them until it is killed
 *   checkpoints  keeps checkpoint_uri as checkpoint_path is, until SIGTERM; then once
 *                more, and ends
 *   out          stores ML/model and ML/output/data of all workers (plan.peers) at
 *                output_uri; worker 0 only
 *
 * Its stdin is the worker's plan as JSON (worker_plan_to_json, whose `ranks` may be
 * empty here).  Its stdout is one JSON object a line:
 *
 *   {"progress":{"phase":"downloading","what":"train","bytes":N,"bytes_total":M,
 *    "objects":n,"objects_total":m}}     at most two a second; totals may be null
 *   {"ready":true}                       pipe: the FIFOs of epochs 0 and 1 are there;
 *                                        checkpoints: SIGTERM is minded from here on,
 *                                        and not sent before
 *   {"warning":"..."}                    worth telling; it goes on
 *   {"remark":"..."}                     what was left out, for the job's own message
 *   {"artifacts":{"model":URI or null,"output":URI or null}}   out: before it ends
 *   {"error":"...","retry":true}                the last line; it ends with status 1
 *
 * Status 0: all is done.  It holds less than 32 MiB of memory whatever it moves, but
 * for the names of what it moves: about 80 bytes an object, 256 MiB at most.  All it
 * makes is in ML, in checkpoint_path or at a URI.  What is fetched is written under a
 * name of its own, checked and renamed, so that what has its name is whole; begun
 * again, it goes on with what is there.
 *
 * FIFOs: an epoch's is there before the one before it can be opened, and gone once it
 * was opened itself.  CHANNEL_EPOCH where the instance has one process of the user's;
 * with more, CHANNEL_EPOCH in a folder of its own for every local rank,
 * ML/input/data/rank-L/, and CHANNEL is the channel's name as always.  SM_CHANNEL_NAME
 * is ML/input/data/CHANNEL or ML/input/data/rank-L/CHANNEL: append _EPOCH.  With
 * several processes an instance's objects are dealt out to its local ranks under
 * ShardedByS3Key, and every rank gets all of them under FullyReplicated.
 */

#endif
