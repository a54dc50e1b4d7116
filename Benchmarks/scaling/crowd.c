/* Opens many connections, sends the same request on each, and keeps them open until its standard input ends.
 *
 * usage: crowd PLACE COUNT MARK REQUEST
 *
 * PLACE is a port of 127.0.0.1 or the path of a Unix socket. Prints, with times in seconds of CLOCK_MONOTONIC:
 *
 *   sent TIME            all requests are sent
 *   answered TIME        each connection has received something
 *   K FIRST LAST         MARK has arrived K times on each connection; when the first one had it, and the last
 *   closed COUNT         a server has closed connections; written once, when this program ends */
#define _GNU_SOURCE
#include <sys/epoll.h>

#include "place.h"

enum { MOST = 4096, MARK_ROOM = 64 };

struct connection {
    int descriptor;
    int is_answered;
    int seen;
    int kept;
    char tail[MARK_ROOM];
};

static int reached[MOST];
static double first_time[MOST];

/* Counts the marks in what has arrived, also one that two reads share. */
static void count(struct connection *c, const char *bytes, size_t size, const char *mark, int all)
{
    static char text[MARK_ROOM + 65536];
    size_t length = strlen(mark), total = (size_t)c->kept + size;
    memcpy(text, c->tail, (size_t)c->kept);
    memcpy(text + c->kept, bytes, size);
    char *from = text;
    for (char *found; (found = memmem(from, (size_t)(text + total - from), mark, length)); from = found + length) {
        double time = now();
        int place = c->seen++;
        if (place >= MOST) continue;
        if (reached[place]++ == 0) first_time[place] = time;
        if (reached[place] == all) printf("%d %.6f %.6f\n", place + 1, first_time[place], time);
    }
    size_t rest = (size_t)(text + total - from);
    if (rest > length - 1) rest = length - 1;
    memcpy(c->tail, text + total - rest, rest);
    c->kept = (int)rest;
}

int main(int words, char **arguments)
{
    if (words != 5 || strlen(arguments[3]) >= MARK_ROOM || !arguments[3][0]) {
        fprintf(stderr, "usage: crowd PLACE COUNT MARK REQUEST\n");
        return 2;
    }
    int all = atoi(arguments[2]), closed = 0, answered = 0, watched = epoll_create1(0);
    const char *mark = arguments[3], *request = arguments[4];
    struct connection *connections = calloc((size_t)all, sizeof *connections);
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = (uint32_t)all}, ready[256];
    setvbuf(stdout, NULL, _IOLBF, 0);
    epoll_ctl(watched, EPOLL_CTL_ADD, 0, &event);
    for (int i = 0; i < all; i++) {
        connections[i].descriptor = connected(arguments[1]);
        if (write(connections[i].descriptor, request, strlen(request)) != (ssize_t)strlen(request)) fail("a request was not taken");
        event.data.u32 = (uint32_t)i;
        epoll_ctl(watched, EPOLL_CTL_ADD, connections[i].descriptor, &event);
    }
    printf("sent %.6f\n", now());
    for (;;) {
        static char bytes[65536];
        int many = epoll_wait(watched, ready, 256, -1);
        for (int i = 0; i < many; i++) {
            if (ready[i].data.u32 == (uint32_t)all) {
                if (read(0, bytes, sizeof bytes) > 0) continue;
                if (closed) printf("closed %d\n", closed);
                return 0;
            }
            struct connection *c = &connections[ready[i].data.u32];
            ssize_t size = read(c->descriptor, bytes, sizeof bytes);
            if (size > 0) {
                if (!c->is_answered++ && ++answered == all) printf("answered %.6f\n", now());
                count(c, bytes, (size_t)size, mark, all);
            } else {
                close(c->descriptor);
                closed++;
            }
        }
    }
}
