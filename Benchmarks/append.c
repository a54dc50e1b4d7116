/* Appends each line of standard input to a file, has the disk confirm it, and prints it: a client that loses no message.
 *
 * usage: append FILE [BYTES]     with BYTES the file has that size before, so that a line changes no metadata of it
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(int isGood, const char *what) {
    if (isGood) return;
    perror(what);
    exit(1);
}

int main(int count, char **arguments) {
    if (count != 2 && count != 3) return 64;
    int file = open(arguments[1], O_WRONLY | O_CREAT | O_TRUNC, 0600);
    check(file >= 0, "open");
    static char zeros[1 << 20];
    for (long left = count == 3 ? atol(arguments[2]) : 0; left > 0; left -= (long)sizeof zeros)
        check(write(file, zeros, sizeof zeros) == (ssize_t)sizeof zeros, "write");
    check(fsync(file) == 0, "fsync");
    check(lseek(file, 0, SEEK_SET) == 0, "lseek");
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    setvbuf(stdin, NULL, _IOFBF, 1 << 16);
    while ((length = getline(&line, &capacity, stdin)) > 0) {
        if (length == 1) continue;
        check(write(file, line, (size_t)length) == length, "write");
        check(fdatasync(file) == 0, "fdatasync");
        check(write(1, line, (size_t)length) == length, "write");
    }
    return 0;
}
