/*
 * What a process can be asked about itself, and what Swift's own view of the C library leaves out of it. Told by their symbols,
 * without headers that would define types of their own.
 */

long corewire_probe_syscall(long number, ...) __asm__("syscall");
int corewire_probe_prctl(int option, ...) __asm__("prctl");
int corewire_probe_limit(int process, int resource, const void *limit, void *former) __asm__("prlimit64");
int corewire_probe_adjtimex(void *timex) __asm__("adjtimex");

#if defined(__x86_64__)
enum { CLOCK_GETTIME = 228 };
#else
enum { CLOCK_GETTIME = 113 };
#endif

/* PR_GET_DUMPABLE: 1 where others of the same user may read the memory. */
static inline int corewire_dumpable(void) { return corewire_probe_prctl(3, 0L, 0L, 0L, 0L); }
/* PR_SET_DUMPABLE: from now on only root reads the memory and traces the process. */
static inline int corewire_deny_tracing(void) { return corewire_probe_prctl(4, 0L, 0L, 0L, 0L); }
/* RLIMIT_CORE: nothing, and never more. */
static inline int corewire_deny_core_dumps(void) {
    const unsigned long long none[2] = {0, 0};
    return corewire_probe_limit(0, 4, none, 0);
}
/* The kernel's clock in milliseconds since 1970, past whatever stands in the place of the C library; negative where it does
   not tell. The state is 5 for a clock that nobody sets, and negative where the kernel does not say. */
static inline long long corewire_kernel_time(int *state) {
    long long moment[2] = {0, 0}, timex[64] = {0};
    *state = corewire_probe_adjtimex(timex);
    if (corewire_probe_syscall(CLOCK_GETTIME, 0L, moment) != 0) return -1;
    return moment[0] * 1000 + moment[1] / 1000000;
}
