/* What the clients of this folder share: the clock, and connections to a place, which is a port of 127.0.0.1 or the path of a
 * Unix socket. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void fail(const char *what)
{
    fprintf(stderr, "error: %.600s\n", what);
    exit(1);
}

static int connected(const char *place)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in port = {.sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(place))};
    int is_path = place[0] == '/', on = 1, descriptor = socket(is_path ? AF_UNIX : AF_INET, SOCK_STREAM, 0);
    strncpy(path.sun_path, place, sizeof path.sun_path - 1);
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const struct sockaddr *address = is_path ? (struct sockaddr *)&path : (struct sockaddr *)&port;
    if (connect(descriptor, address, is_path ? sizeof path : sizeof port) != 0) fail(strerror(errno));
    if (!is_path) setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return descriptor;
}
