/* Runs a program without its output, and tells how long it took and how much memory it had at most.

   usage: stopwatch PROGRAM ARGUMENT…      prints: nanoseconds kibibytes exit-status

   A small program of its own, because what a large parent costs its children would be measured with them. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000000000LL + time.tv_nsec;
}

int main(int count, char **arguments) {
    (void)count;
    int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    long long start = now();
    pid_t child = fork();
    if (child == 0) {
        for (int descriptor = 0; descriptor < 3; descriptor++) dup2(nowhere, descriptor);
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    int status = 0;
    struct rusage usage;
    if (child < 0 || wait4(child, &status, 0, &usage) < 0) return 1;
    long long end = now();
    printf("%lld %ld %d\n", end - start, usage.ru_maxrss, WIFEXITED(status) ? WEXITSTATUS(status) : 128);
    return 0;
}
