/* SQLite's own bare insert loop: the fastest that rows can become durable one by one, with the settings of the store.
 *
 * usage: sqlite-inserts FILE ROWS [BYTES]     prints rows per second
 *
 * With a size all rows of that size are inserted in one transaction, which a checkpoint makes durable, as records are.
 */
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static sqlite3 *db;

static void check(int code, int expected) {
    if (code == expected) return;
    fprintf(stderr, "error: %s\n", sqlite3_errmsg(db));
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 3 && count != 4) return 64;
    int rows = atoi(arguments[2]), together = count == 4, size = together ? atoi(arguments[3]) : 500;
    if (size < 1) return 64;
    check(sqlite3_open(arguments[1], &db), SQLITE_OK);
    check(sqlite3_exec(db,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "CREATE TABLE entries(key TEXT PRIMARY KEY, type TEXT, bytes BLOB)",
                       0, 0, 0), SQLITE_OK);
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(db, "INSERT INTO entries VALUES (?, 'application/json', ?)", -1, &insert, 0), SQLITE_OK);
    char *value = malloc((size_t)size);
    if (!value) return 1;
    memset(value, 'a', (size_t)size);
    if (together) check(sqlite3_exec(db, "PRAGMA synchronous = NORMAL", 0, 0, 0), SQLITE_OK);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    if (together) check(sqlite3_exec(db, "BEGIN IMMEDIATE", 0, 0, 0), SQLITE_OK);
    for (int row = 0; row < rows; row++) {
        char key[32];
        int length = snprintf(key, sizeof key, "0-%d", row);
        sqlite3_bind_text(insert, 1, key, length, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 2, value, size, SQLITE_STATIC);
        check(sqlite3_step(insert), SQLITE_DONE);
        check(sqlite3_reset(insert), SQLITE_OK);
    }
    if (together) check(sqlite3_exec(db, "COMMIT", 0, 0, 0), SQLITE_OK);
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.0f\n", rows / seconds);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    free(value);
    return 0;
}
