/* SQLite's own bare insert loop: the fastest that rows can become durable one by one, with the settings of the store.
 *
 * usage: sqlite-inserts FILE ROWS     prints rows per second
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
    if (count != 3) return 64;
    int rows = atoi(arguments[2]);
    check(sqlite3_open(arguments[1], &db), SQLITE_OK);
    check(sqlite3_exec(db,
                       "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                       "CREATE TABLE entries(key TEXT PRIMARY KEY, type TEXT, bytes BLOB)",
                       0, 0, 0), SQLITE_OK);
    sqlite3_stmt *insert;
    check(sqlite3_prepare_v2(db, "INSERT INTO entries VALUES (?, 'application/json', ?)", -1, &insert, 0), SQLITE_OK);
    char value[500];
    memset(value, 'a', sizeof value);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int row = 0; row < rows; row++) {
        char key[32];
        int size = snprintf(key, sizeof key, "0-%d", row);
        sqlite3_bind_text(insert, 1, key, size, SQLITE_STATIC);
        sqlite3_bind_blob(insert, 2, value, sizeof value, SQLITE_STATIC);
        check(sqlite3_step(insert), SQLITE_DONE);
        check(sqlite3_reset(insert), SQLITE_OK);
    }
    clock_gettime(CLOCK_MONOTONIC, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9;
    printf("%.0f\n", rows / seconds);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    return 0;
}
