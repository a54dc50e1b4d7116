/*
 * What Linux has for programs and files and Swift's own view of the C library leaves out: names that the C library's headers
 * show only to programs that ask for GNU's, and functions with a variable number of arguments. Told by their symbols, without
 * including those headers: types they define would belong to this module then, and to nobody else's view of the C library.
 */

int corewire_spawn_in_folder(void *actions, const char *folder) __asm__("posix_spawn_file_actions_addchdir_np");
int corewire_spawn_closing_from(void *actions, int descriptor) __asm__("posix_spawn_file_actions_addclosefrom_np");

int corewire_pipe2(int ends[2], int flags) __asm__("pipe2");
int corewire_eventfd(unsigned int value, int flags) __asm__("eventfd");
int corewire_fcntl(int descriptor, int command, ...) __asm__("fcntl");
int corewire_ioctl(int descriptor, unsigned long request, ...) __asm__("ioctl");
long corewire_syscall(long number, ...) __asm__("syscall");

/* The same numbers on every architecture that Swift has: O_CLOEXEC and O_NONBLOCK, FIONREAD, pidfd_open(2). */
enum { CLOSED_LATER = 02000000, NOT_WAITING = 04000, BYTES_WAITING = 0x541B, PIDFD_OPEN = 434 };

static inline int corewire_pipe(int ends[2]) { return corewire_pipe2(ends, CLOSED_LATER); }
static inline int corewire_process_bell(void) { return corewire_eventfd(0, CLOSED_LATER | NOT_WAITING); }
/* A descriptor that becomes readable when the process has ended. */
static inline int corewire_process_descriptor(int process) { return (int)corewire_syscall(PIDFD_OPEN, process, 0); }
/* A copy above the standard streams, closed in programs that are started. */
static inline int corewire_raised(int descriptor) { return corewire_fcntl(descriptor, 1030 /* F_DUPFD_CLOEXEC */, 3); }
static inline int corewire_unblocked(int descriptor) { return corewire_fcntl(descriptor, 4 /* F_SETFL */, NOT_WAITING); }
/* How many bytes wait to be read. */
static inline int corewire_waiting_bytes(int descriptor) {
    int count = 0;
    return corewire_ioctl(descriptor, BYTES_WAITING, &count) == 0 ? count : 0;
}

int corewire_timerfd(int clock, int flags) __asm__("timerfd_create");
int corewire_timerfd_set(int timer, int flags, const void *when, void *former) __asm__("timerfd_settime");

/* A timer that counts the time a machine was suspended, too: CLOCK_BOOTTIME. */
static inline int corewire_timer(void) { return corewire_timerfd(7, CLOSED_LATER); }
/* Has the timer ring once, so many nanoseconds from now; at least one. */
static inline int corewire_set_timer(int timer, long long nanoseconds) {
    const long when[4] = {0, 0, (long)(nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    return corewire_timerfd_set(timer, 0, when, 0);
}

int corewire_prctl(int option, ...) __asm__("prctl");
int corewire_prlimit(int process, int resource, const void *limit, void *former) __asm__("prlimit64");

/* RLIMIT_CORE: nothing, and never more. */
static inline int corewire_forbid_core_dumps(void) {
    const unsigned long long none[2] = {0, 0};
    return corewire_prlimit(0, 4, none, 0);
}
/* PR_SET_DUMPABLE: nobody but root reads the memory, or traces the process. */
static inline int corewire_close_memory(void) { return corewire_prctl(4, 0L, 0L, 0L, 0L); }

void *corewire_mmap(void *place, unsigned long size, int protection, int flags, int descriptor, long offset) __asm__("mmap");
int corewire_munmap(void *place, unsigned long size) __asm__("munmap");
int corewire_mallopt(int parameter, int value) __asm__("mallopt");

/* Whether the process may still have so much address space, which is reserved for a moment: PROT_NONE, MAP_PRIVATE |
   MAP_ANONYMOUS | MAP_NORESERVE. */
static inline int corewire_has_room(unsigned long size) {
    void *place = corewire_mmap(0, size, 0, 0x2 | 0x20 | 0x4000, -1, 0L);
    return place != (void *)-1 && corewire_munmap(place, size) == 0;
}
/* M_ARENA_MAX: all threads allocate from one arena. Of its own each takes 64 MiB of address space, however little it needs. */
static inline int corewire_use_one_arena(void) { return corewire_mallopt(-8, 1); }

int corewire_renameat2(int folder, const char *from, int target, const char *to, unsigned int flags) __asm__("renameat2");

/* Renames a file where nothing has that name: AT_FDCWD, RENAME_NOREPLACE. */
static inline int corewire_rename_new(const char *from, const char *to) {
    return corewire_renameat2(-100, from, -100, to, 1);
}

int corewire_statx(int folder, const char *path, int flags, unsigned int mask, void *found) __asm__("statx");

/* When a file was made, in nanoseconds since 1970; 0 where the file system does not know. The path is not followed; an empty one
   stands for the descriptor itself. AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH, STATX_BTIME; struct statx has its birth at byte 80. */
static inline long long corewire_birth(int descriptor, const char *path) {
    union { unsigned char bytes[256]; struct { unsigned int mask; } head; struct { long long past[10], seconds; unsigned int rest; } birth; } found;
    if (corewire_statx(descriptor, path, 0x100 | 0x1000, 0x800, &found) != 0 || !(found.head.mask & 0x800)) return 0;
    return found.birth.seconds * 1000000000LL + found.birth.rest;
}

/* A socket on which the kernel tells of links, addresses and routes that come and go (rtnetlink(7)), asked for nothing; -1
   where there is none. The address is struct sockaddr_nl, the groups are RTMGRP_LINK, RTMGRP_IPV4_IFADDR,
   RTMGRP_IPV4_ROUTE, RTMGRP_IPV6_IFADDR and RTMGRP_IPV6_ROUTE. */
int corewire_socket(int family, int kind, int protocol) __asm__("socket");
int corewire_bind(int descriptor, const void *address, unsigned int size) __asm__("bind");
int corewire_close(int descriptor) __asm__("close");

static inline int corewire_link_news(void) {
    const struct { unsigned short family, padding; unsigned int port, groups; } address = {16, 0, 0, 0x1 | 0x10 | 0x40 | 0x100 | 0x400};
    int descriptor = corewire_socket(16 /* AF_NETLINK */, 3 /* SOCK_RAW */ | CLOSED_LATER | NOT_WAITING, 0);
    if (descriptor < 0) return -1;
    if (corewire_bind(descriptor, &address, sizeof address) == 0) return descriptor;
    corewire_close(descriptor);
    return -1;
}
