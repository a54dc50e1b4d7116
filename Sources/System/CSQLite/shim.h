#include <sqlite3.h>
#include <stdint.h>

/* SQLITE_TRANSIENT is a cast, and sqlite3_config and sqlite3_db_config take variadic arguments: Swift sees neither. */

/* Ends the statistics of memory, for which each allocation takes a lock of the whole process. Before the first connection. */
static inline int csqlite_keep_no_statistics(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_set_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}

/* The index of the log is memory that the processes of a database share. It begins with two copies of a head of 48 bytes, which
   a commit changes before it returns, the second copy first (sqlite.org/walformat.html, section 2). A connection whose own copy
   of the head is the same takes all it has read before for what is in the file now. */

typedef struct { uint64_t first, second, third, fourth, fifth, sixth; } csqlite_log_head;

/* The index as a connection has mapped it, for as long as it is open; none for a file without one. */
static inline const void *csqlite_log_index(sqlite3 *connection) {
    sqlite3_file *file = 0;
    void volatile *index = 0;
    if (sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) != SQLITE_OK || !file) return 0;
    if (!file->pMethods || file->pMethods->iVersion < 2 || !file->pMethods->xShmMap) return 0;
    if (file->pMethods->xShmMap(file, 0, 32768, 0, &index) != SQLITE_OK) return 0;
    return (const void *)index;
}

/* Reads the head; 0 while somebody writes it, or where the index has still to be made. */
static inline int csqlite_read_log_head(const void *index, csqlite_log_head *head) {
    const uint64_t *copy = (const uint64_t *)index;
    uint64_t *words = (uint64_t *)head;
    for (int word = 0; word < 6; word++) words[word] = __atomic_load_n(copy + word, __ATOMIC_ACQUIRE);
    for (int word = 0; word < 6; word++) {
        if (__atomic_load_n(copy + 6 + word, __ATOMIC_ACQUIRE) != words[word]) return 0;
    }
    return ((const unsigned char *)head)[12] != 0;
}

/* How far the log and the checkpoints of it are, by the index: the head says how many frames of which page size there are and
   what they are salted with; behind the two heads it says how many a checkpoint has copied, and how many it set out to copy. */
typedef struct { uint32_t frames, backfilled, attempted; uint16_t page_size; uint64_t salt; } csqlite_log_extent;

static inline int csqlite_read_log_extent(const void *index, csqlite_log_extent *extent) {
    csqlite_log_head head;
    if (!csqlite_read_log_head(index, &head)) return 0;
    const unsigned char *bytes = (const unsigned char *)&head;
    __builtin_memcpy(&extent->page_size, bytes + 14, 2);
    __builtin_memcpy(&extent->frames, bytes + 16, 4);
    __builtin_memcpy(&extent->salt, bytes + 32, 8);
    const uint32_t *words = (const uint32_t *)index;
    extent->backfilled = __atomic_load_n(words + 24, __ATOMIC_ACQUIRE);
    extent->attempted = __atomic_load_n(words + 32, __ATOMIC_ACQUIRE);
    return 1;
}
