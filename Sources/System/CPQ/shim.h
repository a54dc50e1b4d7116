#include <postgresql/libpq-fe.h>
#include <stdlib.h>

/*
 * libpq, found while the program runs: linked, it would bring Kerberos and LDAP into every start. Its header gives the
 * types; the functions are members of a table that is filled once.
 */

void *corewire_pq_dlopen(const char *name, int flags) __asm__("dlopen");
void *corewire_pq_dlsym(void *library, const char *name) __asm__("dlsym");
int corewire_pq_eventfd(unsigned int value, int flags) __asm__("eventfd");

#define COREWIRE_PQ(F) \
    F(PQconnectStart) F(PQconnectPoll) F(PQfinish) F(PQstatus) F(PQsocket) F(PQerrorMessage) F(PQsetnonblocking) \
    F(PQenterPipelineMode) F(PQpipelineSync) F(PQsendQueryParams) F(PQsendPrepare) F(PQsendQueryPrepared) F(PQflush) \
    F(PQconsumeInput) F(PQisBusy) F(PQgetResult) F(PQresultStatus) F(PQresultErrorField) F(PQntuples) F(PQnfields) \
    F(PQgetisnull) F(PQgetlength) F(PQgetvalue) F(PQclear) F(PQnotifies) F(PQfreemem) F(PQserverVersion) \
    F(PQsetNoticeReceiver) F(PQsetErrorVerbosity) F(PQconnectionNeedsPassword) \
    F(PQsslInUse) F(PQbackendPID)

struct corewire_pq {
#define COREWIRE_MEMBER(name) __typeof__(name) *_Nonnull name;
    COREWIRE_PQ(COREWIRE_MEMBER)
#undef COREWIRE_MEMBER
};

/* Fills the table; what is missing otherwise: the library or a function of it. RTLD_NOW, and the names are not lent to others. */
static inline const char *_Nullable corewire_load_pq(struct corewire_pq *_Nonnull table) {
    void *library = corewire_pq_dlopen("libpq.so.5", 2), *found;
    if (!library) return "libpq.so.5";
#define COREWIRE_FIND(name) \
    if (!(found = corewire_pq_dlsym(library, #name))) return #name; \
    __builtin_memcpy(&table->name, &found, sizeof found);
    COREWIRE_PQ(COREWIRE_FIND)
#undef COREWIRE_FIND
    return 0;
}

/* Removes the variables from which libpq takes settings: not all of them can be given otherwise. */
static inline void corewire_pq_forget_environment(void) {
    extern char **environ;
    for (char **entry = environ; entry && *entry;) {
        char name[64];
        unsigned long size = 0;
        while (size < sizeof name - 1 && (*entry)[size] && (*entry)[size] != '=') name[size] = (*entry)[size], size++;
        name[size] = 0;
        /* The next entry takes its place. */
        if (name[0] != 'P' || name[1] != 'G' || (*entry)[size] != '=' || unsetenv(name)) entry++;
    }
}

/* O_CLOEXEC | O_NONBLOCK. */
static inline int corewire_pq_bell(void) { return corewire_pq_eventfd(0, 02000000 | 04000); }
