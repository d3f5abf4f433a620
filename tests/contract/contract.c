/* The contract of schedulers/scheduler.h, for every scheduler alike.  Says "ok NAME" or
 * "not ok NAME"; RAILHEAD_BUILD is where railhead-worker is. */

#include "src/clock.h"
#include "src/log.h"
#include "tests/contract/world.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct step until_launched[] = { { .until = world_all_launched }, { 0 } };
static const struct step until_ended[] = { { .until = world_all_ended },
                                           { .pause = 200 * USEC_PER_MSEC },
                                           { 0 } };

/* Each case gives true when what it says is so. */

static bool a_job_runs_to_its_end(struct world *world)
{
    world_live(world, until_ended);
    return world->workers[0].cause == END_COMPLETED && world->workers[0].exit_code == 0
           && world->workers[1].cause == END_COMPLETED;
}

static bool an_exit_code_is_told(struct world *world)
{
    world_live(world, until_ended);
    return world->workers[1].cause == END_FAILED && world->workers[1].exit_code == 7
           && world->workers[0].cause == END_COMPLETED;
}

static bool ran_once(const struct world *world)
{
    int runs = world_runs(world);

    return runs < 0 || runs == WORLD_WORKERS;
}

static bool started_twice_it_runs_once(struct world *world)
{
    static const struct step twice[] = { { .pause = 1, .act = world_start },
                                         { .until = world_all_launched,
                                           .act = world_start },
                                         { .until = world_all_ended },
                                         { 0 } };

    world_live(world, twice);
    return ran_once(world) && world->workers[1].cause == END_COMPLETED;
}

static bool the_next_life_takes_it_up_where_it_was(struct world *world)
{
    world_live(world, until_launched);
    world_live(world, until_ended);
    return ran_once(world) && world->workers[0].cause == END_COMPLETED;
}

/* The daemon died before it could record anything. */
static bool what_was_not_recorded_is_told_again(struct world *world)
{
    world_live(world, until_launched);
    memset(world->workers, 0, sizeof world->workers);
    world_live(world, until_ended);
    return ran_once(world) && world->workers[0].launched
           && world->workers[0].cause == END_COMPLETED;
}

static bool an_end_while_nobody_looked_is_told(struct world *world)
{
    usec_t looked_again;

    world_live(world, until_launched);
    usleep(USEC_PER_SEC);
    looked_again = clock_boot();
    world_live(world, until_ended);
    return ran_once(world) && world->workers[1].cause == END_COMPLETED
           && world->workers[1].last_boot < looked_again;
}

static bool stopped(const struct world *world)
{
    return world->workers[0].cause == END_USER_STOP
           && world->workers[1].cause == END_USER_STOP && !world->workers[0].lost
           && !world->workers[1].lost;
}

static bool a_stop_stops_however_often_it_is_asked(struct world *world)
{
    static const struct step stop[] = { { .until = world_all_launched,
                                          .act = world_stop },
                                        { .pause = 1, .act = world_stop },
                                        { .until = world_all_ended, .act = world_stop },
                                        { .pause = 200 * USEC_PER_MSEC },
                                        { 0 } };

    world_live(world, stop);
    return stopped(world);
}

static bool a_stop_at_once_is_heard(struct world *world)
{
    static const struct step stop[] = { { .pause = 1, .act = world_stop },
                                        { .until = world_all_ended },
                                        { 0 } };

    world_live(world, stop);
    return stopped(world);
}

static bool a_stop_in_the_next_life_is_heard(struct world *world)
{
    static const struct step stop[] = { { .pause = 1, .act = world_stop },
                                        { .until = world_all_ended },
                                        { 0 } };

    world_live(world, until_launched);
    world_live(world, stop);
    return stopped(world);
}

static bool what_runs_is_taken_up_without_its_plan(struct world *world)
{
    static const struct step stop[] = { { .pause = 1, .act = world_stop },
                                        { .until = world_all_ended },
                                        { 0 } };

    world_live(world, until_launched);
    world->has_no_plans = true;
    world_live(world, stop);
    return stopped(world);
}

static bool an_interruption_is_told_as_such(struct world *world)
{
    static const struct step stop[] = { { .until = world_all_launched,
                                          .act = world_interrupt },
                                        { .until = world_all_ended },
                                        { 0 } };

    world_live(world, stop);
    return world->workers[0].cause == END_INTERRUPTED
           && world->workers[1].cause == END_INTERRUPTED && !world->workers[0].lost;
}

static bool a_worker_that_vanished_is_lost(struct world *world)
{
    static const struct step vanish[] = {
        { .until = world_all_launched, .act = world_vanish },
        { .pause = 600 * USEC_PER_MSEC, .act = world_stop },
        { .until = world_all_ended },
        { .pause = 200 * USEC_PER_MSEC },
        { 0 }
    };

    world_live(world, vanish);
    return world->workers[1].lost && !world->workers[0].lost;
}

static bool a_worker_that_vanished_while_nobody_looked_is_lost(struct world *world)
{
    static const struct step vanish[] = { { .until = world_all_launched,
                                            .act = world_vanish },
                                          { 0 } };
    static const struct step stop[] = { { .pause = 600 * USEC_PER_MSEC,
                                          .act = world_stop },
                                        { .until = world_all_ended },
                                        { .pause = 200 * USEC_PER_MSEC },
                                        { 0 } };

    world_live(world, vanish);
    world_live(world, stop);
    return world->workers[1].lost && !world->workers[0].lost;
}

static bool what_was_placed_before_the_machine_started_is_lost_and_not_run(
    struct world *world)
{
    free(world->boot_id);
    world->boot_id = xstrdup("00000000-0000-0000-0000-000000000000");
    world_live(world, until_ended);
    return world->workers[0].lost && world->workers[1].lost && world_runs(world) <= 0;
}

static bool after_a_release_nothing_is_told(struct world *world)
{
    static const struct step release[] = { { .until = world_all_ended,
                                             .act = world_release },
                                           { .pause = 1, .act = world_stop },
                                           { .pause = 1, .act = world_release },
                                           { .pause = 200 * USEC_PER_MSEC },
                                           { 0 } };

    world_live(world, release);
    return world->workers[0].cause == END_COMPLETED;
}

#define CASE(function, conduct)      \
    {                                \
#        function, function, conduct \
    }

static const struct {
    const char *name;
    bool (*holds)(struct world *world);
    enum conduct conduct;
} cases[] = {
    CASE(a_job_runs_to_its_end, CONDUCT_ENDS),
    CASE(an_exit_code_is_told, CONDUCT_FAILS),
    CASE(started_twice_it_runs_once, CONDUCT_ENDS),
    CASE(the_next_life_takes_it_up_where_it_was, CONDUCT_ENDS),
    CASE(what_was_not_recorded_is_told_again, CONDUCT_ENDS),
    CASE(an_end_while_nobody_looked_is_told, CONDUCT_ENDS),
    CASE(a_stop_stops_however_often_it_is_asked, CONDUCT_GOES_ON),
    CASE(a_stop_at_once_is_heard, CONDUCT_GOES_ON),
    CASE(a_stop_in_the_next_life_is_heard, CONDUCT_GOES_ON),
    CASE(what_runs_is_taken_up_without_its_plan, CONDUCT_GOES_ON),
    CASE(an_interruption_is_told_as_such, CONDUCT_GOES_ON),
    CASE(a_worker_that_vanished_is_lost, CONDUCT_VANISHES),
    CASE(a_worker_that_vanished_while_nobody_looked_is_lost, CONDUCT_VANISHES),
    CASE(what_was_placed_before_the_machine_started_is_lost_and_not_run, CONDUCT_ENDS),
    CASE(after_a_release_nothing_is_told, CONDUCT_ENDS),
};

static const struct scheduler_class *const schedulers[] = { &scheduler_fake,
                                                            &scheduler_local };

int main(void)
{
    char folder[] = "/tmp/railhead-contract.XXXXXX";
    const char *inside = getenv("WORK");
    auto_free char *place = xstrdup(inside ? inside : mkdtemp(folder));
    int failures = 0;

    log_set_level(LOG_LEVEL_ERROR);
    for (size_t s = 0; s < ARRAY_SIZE(schedulers); s++) {
        for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
            struct world *world = world_new(schedulers[s], place, cases[i].conduct);
            bool holds = cases[i].holds(world);

            if (holds && !world->breach[0]) {
                printf("ok %s: %s\n", schedulers[s]->name, cases[i].name);
            } else {
                printf("not ok %s: %s\n#   %s\n", schedulers[s]->name, cases[i].name,
                       world->breach[0] ? world->breach : "it is not so");
                failures++;
            }
            fflush(stdout);
            world_free(world);
        }
    }
    return failures > 0;
}
