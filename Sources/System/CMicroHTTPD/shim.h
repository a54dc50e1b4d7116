#include <microhttpd.h>

/* Swift calls no function that takes a varying number of arguments, so those of the library that do have one form here. */

/* A daemon that is handed its connections: it opens and accepts nothing by itself. */
static inline struct MHD_Daemon *corewire_start_daemon(
    unsigned int flags,
    MHD_AccessHandlerCallback handler,
    MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback notified,
    void *(*requested)(void *, const char *, struct MHD_Connection *),
    size_t (*unescape)(void *, struct MHD_Connection *, char *),
    void *context,
    size_t memory,
    unsigned int connections,
    unsigned int timeout,
    unsigned int threads)
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
        MHD_OPTION_THREAD_POOL_SIZE, threads,
        MHD_OPTION_END);
}

static inline int corewire_descriptor(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
    return info ? info->connect_fd : -1;
}

static inline void *corewire_context(struct MHD_Connection *connection)
{
    const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    return info ? info->socket_context : NULL;
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
