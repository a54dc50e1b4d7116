#include <dlfcn.h>
#include <microhttpd.h>

/* Swift calls no function that takes a varying number of arguments, so those of the library that do have one form here. */

/* A daemon that is handed its connections and called when they have something: it opens, accepts and waits for nothing. */
static inline struct MHD_Daemon *corewire_make_daemon(
    unsigned int flags,
    MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notified,
    void *(*requested)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *),
    void *context,
    size_t memory,
    unsigned int connections,
    unsigned int timeout)
{
    return MHD_start_daemon(
        flags, 0, NULL, NULL, handler, context,
        MHD_OPTION_NOTIFY_COMPLETED, completed, context,
        MHD_OPTION_NOTIFY_CONNECTION, notified, context,
        MHD_OPTION_URI_LOG_CALLBACK, requested, context,
        MHD_OPTION_UNESCAPE_CALLBACK, unescape, context,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
        MHD_OPTION_CONNECTION_LIMIT, connections,
        MHD_OPTION_CONNECTION_TIMEOUT, timeout,
        MHD_OPTION_END);
}

/* Readable while one of its connections has something. */
static inline int corewire_events_of(struct MHD_Daemon *daemon)
{
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
    return info ? info->epoll_fd : -1;
}

/* Milliseconds after which it wants to be called although none has; -1 for never. */
static inline int corewire_rest_of(struct MHD_Daemon *daemon)
{
    MHD_UNSIGNED_LONG_LONG rest = 0;
    if (MHD_get_timeout(daemon, &rest) != MHD_YES) return -1;
    return rest > 0x7fffffff ? 0x7fffffff : (int)rest;
}

static inline void *corewire_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
}

static inline struct MHD_Daemon *corewire_daemon_of(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_DAEMON);
    return info ? info->daemon : NULL;
}

/* The function of a library whose name one of ours has as well. */
static inline void *corewire_behind(const char *name)
{
    /* RTLD_NEXT, which the header has for GNU sources alone. */
    return dlsym((void *)-1L, name);
}

/* The bytes from the method to the empty line, both included. */
static inline size_t corewire_head_size(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    return info ? info->header_size : 0;
}

/* An answer whose length is not known then ends with its connection. */
static inline void corewire_answer_without_chunks(struct MHD_Response *response)
{
    MHD_set_response_options(response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
}

/* Lets go of a connection that has left HTTP; the library closes its descriptor. */
static inline void corewire_end_upgrade(struct MHD_UpgradeResponseHandle *handle)
{
    MHD_upgrade_action(handle, MHD_UPGRADE_ACTION_CLOSE);
}
