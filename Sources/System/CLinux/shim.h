#include <pthread.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

/* What Linux has and Swift's own view of the C library leaves out, in forms that Swift can call. */

/* Declared by <sys/socket.h> only to programs that ask for GNU's names. */
int accept4(int, struct sockaddr *, socklen_t *, int);
int pthread_setname_np(pthread_t, const char *);

/* Numbers, because the types these have in C differ by the header that a program includes first. */
static const int corewire_stream_socket = SOCK_STREAM | SOCK_CLOEXEC;
static const int corewire_accepted_socket = SOCK_NONBLOCK | SOCK_CLOEXEC;
static const int corewire_at_once = MSG_NOSIGNAL | MSG_DONTWAIT;

static const uint32_t corewire_epoll_in = EPOLLIN;
static const uint32_t corewire_epoll_hang_up = EPOLLHUP | EPOLLERR;
/* One event when the other end has done with sending, and one when it is gone. */
static const uint32_t corewire_epoll_half_or_whole_hang_up_once = EPOLLRDHUP | EPOLLET;
/* One event each time something has come or there is room again, too. */
static const uint32_t corewire_epoll_anything_once = EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET;

static inline int corewire_epoll(void) { return epoll_create1(EPOLL_CLOEXEC); }
static inline int corewire_bell(void) { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }

int corewire_malloc_trim(unsigned long rest) __asm__("malloc_trim");

/* Returns to the system what is free, in all arenas. */
static inline void corewire_return_memory(void) { corewire_malloc_trim(0); }
