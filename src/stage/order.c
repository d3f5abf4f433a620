/* Shuffling and dealing out. */

#include "src/stage/order.h"

/* Vigna's splitmix64: https://prng.di.unimi.it/splitmix64.c */
static uint64_t splitmix64(uint64_t *state)
{
    uint64_t mixed = *state += UINT64_C(0x9e3779b97f4a7c15);

    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ (mixed >> 31);
}

void order_shuffle(uint32_t *order, size_t count, int64_t seed, int64_t epoch)
{
    uint64_t state = (uint64_t)seed;

    state = splitmix64(&state) + (uint64_t)epoch;
    for (size_t i = 0; i < count; i++)
        order[i] = (uint32_t)i;
    for (size_t i = count; i > 1; i--) {
        /* Of 2^64 numbers and below 2^32 places the remainder favours none by more than
         * one in 2^32. */
        size_t other = (size_t)(splitmix64(&state) % i);
        uint32_t moved = order[i - 1];

        order[i - 1] = order[other];
        order[other] = moved;
    }
}

bool share_has(const struct share *share, size_t k)
{
    size_t workers = (size_t)share->workers;
    size_t locals = (size_t)share->locals;

    return k % workers == (size_t)share->worker
           && k / workers % locals == (size_t)share->local;
}
