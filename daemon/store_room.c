/*
 * Room for the database on a full disk: a write that finds none is tried again for as
 * long as the reserve has something to give.  That must be beneath SQLite: a statement
 * or a commit that fails has undone the transaction of its round, which the jobs in
 * memory have gone on from.
 */

#include "daemon/store_private.h"

#include <assert.h>
#include <stdlib.h>

/* SQLite's own file has this behind it, and its methods are these:
 * https://sqlite.org/vfs (c3ref/io_methods) leaves both to whoever opens a file. */
struct roomy_file {
    sqlite3_io_methods methods; /* first: a file knows itself by it */
    const sqlite3_io_methods *real;
    struct reserve *reserve;
};

static const struct roomy_file *roomy(const sqlite3_file *file)
{
    return (const struct roomy_file *)file->pMethods;
}

static int write_roomy(sqlite3_file *file, const void *bytes, int len,
                       sqlite3_int64 offset)
{
    const struct roomy_file *own = roomy(file);
    int code;

    do
        code = own->real->xWrite(file, bytes, len, offset);
    while (code == SQLITE_FULL && reserve_give(own->reserve));
    return code;
}

/* The index of the write-ahead log, in memory that is shared by way of a file. */
static int map_roomy(sqlite3_file *file, int page, int size, int extend,
                     void volatile **out)
{
    const struct roomy_file *own = roomy(file);
    int code;

    do
        code = own->real->xShmMap(file, page, size, extend, out);
    while (code == SQLITE_IOERR_SHMSIZE && reserve_give(own->reserve));
    return code;
}

static int open_roomy(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
                      int *out_flags)
{
    struct store_room *room = (struct store_room *)vfs;
    struct roomy_file *own = (void *)((char *)file + room->real->szOsFile);
    int code = room->real->xOpen(room->real, name, file, flags, out_flags);

    if (code != SQLITE_OK)
        return code;
    own->methods = *file->pMethods;
    own->methods.xWrite = write_roomy;
    own->methods.xShmMap = map_roomy;
    own->real = file->pMethods;
    own->reserve = &room->reserve;
    file->pMethods = &own->methods;
    return SQLITE_OK;
}

int store_room_open(const char *path, struct store_room **out, struct err *err)
{
    auto_free char *file = xasprintf("%s.reserve", path);
    struct store_room *room = xcalloc(1, sizeof *room);

    if (reserve_open(file, &room->reserve, err) < 0) {
        free(room);
        return -1;
    }
    room->real = sqlite3_vfs_find(NULL);
    room->vfs = *room->real;
    room->vfs.pNext = NULL;
    room->vfs.szOsFile += (int)sizeof(struct roomy_file);
    room->vfs.xOpen = open_roomy;
    room->name = xstrdup(path); /* its lock is ours, so no other file system has it */
    room->vfs.zName = room->name;
    assert((size_t)room->real->szOsFile % _Alignof(struct roomy_file) == 0);
    sqlite3_vfs_register(&room->vfs, 0);
    *out = room;
    return 0;
}

void store_room_close(struct store_room *room)
{
    if (!room)
        return;
    sqlite3_vfs_unregister(&room->vfs);
    reserve_close(&room->reserve);
    free(room->name);
    free(room);
}

bool store_has_room(struct store *store)
{
    return reserve_has_room(&store->room->reserve);
}

bool store_give_room(struct store *store)
{
    return reserve_give(&store->room->reserve);
}
