/* Sends requests at a steady rate over kept connections, and tells how long answers took.
 *
 * usage: steady PORT PATH RATE SECONDS [TOKEN]
 *
 * Time counts from the moment at which a request was to be sent, so that a server that holds up the next ones is not
 * flattered by their being sent later. Prints the median, the 99th and the 99.9th percentile in microseconds. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CONNECTIONS = 32, ROOM = 65536 };

struct connection {
    int descriptor;
    int is_busy;
    uint64_t due;
    size_t count;
    char buffer[ROOM];
};

static struct connection connections[CONNECTIONS];

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static void fail(const char *what)
{
    fprintf(stderr, "error: %s\n", what);
    exit(1);
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Whether all of an answer is there; one that is not 2xx ends the program. */
static int is_whole(struct connection *c)
{
    c->buffer[c->count] = 0;
    char *end = strstr(c->buffer, "\r\n\r\n");
    if (!end) return 0;
    if (strncmp(c->buffer, "HTTP/1.1 2", 10) != 0) fail(c->buffer);
    char *length = strcasestr(c->buffer, "content-length:");
    if (!length || length > end) fail("an answer without Content-Length");
    return c->count >= (size_t)(end + 4 - c->buffer) + (size_t)atol(length + 15);
}

int main(int count, char **words)
{
    if (count < 5) fail("usage: steady PORT PATH RATE SECONDS [TOKEN]");
    char request[4096];
    int size = snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n%s%s%s\r\n", words[2], words[1],
        count > 5 ? "Authorization: Bearer " : "", count > 5 ? words[5] : "", count > 5 ? "\r\n" : "");
    uint64_t pause = 1000000000 / strtoull(words[3], NULL, 10);
    size_t total = strtoull(words[3], NULL, 10) * strtoull(words[4], NULL, 10), sent = 0, answered = 0;
    uint64_t *times = calloc(total, sizeof *times);
    struct pollfd watched[CONNECTIONS];
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(words[1]))};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    for (int i = 0; i < CONNECTIONS; i++) {
        int on = 1;
        connections[i].descriptor = socket(AF_INET, SOCK_STREAM, 0);
        if (connect(connections[i].descriptor, (struct sockaddr *)&address, sizeof address) != 0) fail(strerror(errno));
        setsockopt(connections[i].descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        watched[i] = (struct pollfd){.fd = connections[i].descriptor, .events = POLLIN};
    }
    uint64_t start = now();
    while (answered < total) {
        uint64_t time = now(), due = start + sent * pause;
        if (sent < total && time >= due) {
            int i = 0;
            while (i < CONNECTIONS && connections[i].is_busy) i++;
            if (i < CONNECTIONS) {
                if (write(connections[i].descriptor, request, (size_t)size) != size) fail("a request was not taken");
                connections[i].is_busy = 1;
                connections[i].due = due;
                sent++;
                continue;
            }
        }
        struct timespec wait = {0, 0};
        if (sent < total && due > time) wait.tv_nsec = (long)(due - time);
        else wait.tv_nsec = 100000000;
        if (ppoll(watched, CONNECTIONS, &wait, NULL) <= 0) continue;
        for (int i = 0; i < CONNECTIONS; i++) {
            if (!watched[i].revents) continue;
            struct connection *c = &connections[i];
            ssize_t got = read(c->descriptor, c->buffer + c->count, ROOM - 1 - c->count);
            if (got <= 0) fail("a connection was closed");
            c->count += (size_t)got;
            if (!is_whole(c)) continue;
            times[answered++] = now() - c->due;
            c->count = 0;
            c->is_busy = 0;
        }
    }
    qsort(times, total, sizeof *times, by_value);
    printf("%.1f %.1f %.1f\n", (double)times[total / 2] / 1000, (double)times[total * 99 / 100] / 1000,
        (double)times[total * 999 / 1000] / 1000);
    return 0;
}
