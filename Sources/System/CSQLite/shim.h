#include <sqlite3.h>

/* SQLITE_TRANSIENT is a cast, and sqlite3_db_config takes variadic arguments: Swift sees neither. */

static inline int csqlite_bind_text(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_text64(statement, index, (const char *)bytes, count, SQLITE_TRANSIENT, SQLITE_UTF8);
}

static inline int csqlite_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, sqlite3_uint64 count) {
    return sqlite3_bind_blob64(statement, index, count ? bytes : "", count, SQLITE_TRANSIENT);
}

static inline int csqlite_set_flag(sqlite3 *connection, int option, int value) {
    return sqlite3_db_config(connection, option, value, (int *)0);
}
