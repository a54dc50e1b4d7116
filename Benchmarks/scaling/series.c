/* Sends a series of numbered requests over kept connections, one at a time on each, and tells how long answers took.
 *
 * usage: series PLACE CONNECTIONS FIRST COUNT METHOD PATH [BODY [FIELD]...]
 *
 * PLACE is a port of 127.0.0.1 or the path of a Unix socket. '#' in PATH and BODY becomes the number of the request, FIRST
 * and after; '%' becomes this number modulo 64. A FIELD is a line of the head; after 'Connection: close' each request has a
 * connection of its own. Prints the requests a second, the median and the 99th percentile in milliseconds, and the size of
 * the last body. An answer that is not 2xx ends the program. */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "place.h"

enum { ROOM = 1 << 20 };

struct connection {
    int descriptor;
    double since;
    size_t count;
    char *buffer;
};

/* A text with the number in its places. */
static size_t filled(char *into, const char *text, long number)
{
    char *end = into;
    for (; *text; text++) {
        if (*text == '#') end += sprintf(end, "%08ld", number);
        else if (*text == '%') end += sprintf(end, "%ld", number % 64);
        else *end++ = *text;
    }
    *end = 0;
    return (size_t)(end - into);
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return a < b ? -1 : a > b;
}

static char **arguments;
static int words, watched, is_closing;

static void open_one(struct connection *c)
{
    c->descriptor = connected(arguments[1]);
    c->count = 0;
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    epoll_ctl(watched, EPOLL_CTL_ADD, c->descriptor, &event);
}

static void send_one(struct connection *c, long number)
{
    static char path[65536], body[65536], request[200000];
    filled(path, arguments[6], number);
    size_t length = words > 7 ? filled(body, arguments[7], number) : 0;
    const char *place = arguments[1][0] == '/' ? "1" : arguments[1];
    int size = sprintf(request, "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%s\r\n", arguments[5], path, place);
    for (int i = 8; i < words; i++) size += sprintf(request + size, "%s\r\n", arguments[i]);
    if (length) size += sprintf(request + size, "Content-Length: %zu\r\n", length);
    size += sprintf(request + size, "\r\n");
    memcpy(request + size, body, length);
    c->since = now();
    if (write(c->descriptor, request, (size_t)size + length) != size + (ssize_t)length) fail("a request was not taken");
}

/* The size of the body once all of an answer is there, else -1. */
static long body_of(struct connection *c)
{
    c->buffer[c->count] = 0;
    char *end = strstr(c->buffer, "\r\n\r\n");
    if (!end) return -1;
    if (strncmp(c->buffer, "HTTP/1.1 2", 10) != 0) fail(c->buffer);
    char *length = strcasestr(c->buffer, "\r\ncontent-length:");
    if (!length || length > end) return strncmp(c->buffer, "HTTP/1.1 204", 12) == 0 ? 0 : (fail("no Content-Length"), 0);
    long size = atol(length + 17);
    return c->count >= (size_t)(end + 4 - c->buffer) + (size_t)size ? size : -1;
}

int main(int count, char **given)
{
    arguments = given;
    words = count;
    if (count < 7) fail("usage: series PLACE CONNECTIONS FIRST COUNT METHOD PATH [BODY [FIELD]...]");
    long many = atol(given[2]), next = atol(given[3]), end = next + atol(given[4]), answered = 0, size = 0;
    long total = end - next;
    if (many > total) many = total;
    struct connection *connections = calloc((size_t)many, sizeof *connections);
    double *times = calloc((size_t)total, sizeof *times);
    watched = epoll_create1(0);
    for (int i = 8; i < words; i++) is_closing |= strcmp(given[i], "Connection: close") == 0;
    for (long i = 0; i < many; i++) {
        connections[i].buffer = malloc(ROOM);
        open_one(&connections[i]);
    }
    double begin = now();
    for (long i = 0; i < many; i++) send_one(&connections[i], next++);
    while (answered < total) {
        struct epoll_event ready[64];
        int found = epoll_wait(watched, ready, 64, 60000);
        if (found == 0) fail("no answer within 60 s");
        for (int i = 0; i < found; i++) {
            struct connection *c = ready[i].data.ptr;
            if (c->count == ROOM - 1) fail("an answer is larger than 1 MiB");
            ssize_t got = read(c->descriptor, c->buffer + c->count, ROOM - 1 - c->count);
            if (got <= 0) fail("a connection was closed");
            c->count += (size_t)got;
            long body = body_of(c);
            if (body < 0) continue;
            size = body;
            times[answered++] = now() - c->since;
            c->count = 0;
            if (is_closing) {
                close(c->descriptor);
                if (next < end) open_one(c);
            }
            if (next < end) send_one(c, next++);
        }
    }
    double seconds = now() - begin;
    qsort(times, (size_t)total, sizeof *times, by_value);
    printf("%.1f %.4f %.4f %ld\n", (double)total / seconds, times[total / 2] * 1000, times[total * 99 / 100] * 1000, size);
    return 0;
}
