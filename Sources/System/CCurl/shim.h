/* Swift sees no variadic functions, so each shape of an option and of an answer gets a function of its own. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

static inline CURLcode wire_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode wire_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

/* libcurl copies the text. */
static inline CURLcode wire_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

/* libcurl keeps the pointer for as long as the handle has it. */
static inline CURLcode wire_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

static inline CURLcode wire_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

static inline CURLcode wire_on_body(CURL *easy, curl_write_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_WRITEDATA, context);
}

static inline CURLcode wire_on_head(CURL *easy, curl_write_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_HEADERDATA, context);
}

static inline CURLcode wire_on_upload(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

static inline CURLcode wire_on_socket(CURL *easy, curl_opensocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, context);
}

static inline CURLcode wire_on_lookup(CURL *easy, curl_resolver_start_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
}

static inline CURLcode wire_on_request(CURL *easy, curl_prereq_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}

static inline CURLcode wire_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

static inline CURLMcode wire_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

/* The handle of the next transfer that has ended and how it ended; NULL when there is none. */
static inline CURL *wire_multi_next_end(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

/* What is known of a certificate the server has shown, its own first, as lines of "Name:value"; they live as long as the
 * handle. NULL past the last. */
static inline struct curl_slist *wire_served_certificate(CURL *easy, int index) {
    struct curl_certinfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info) || !info || index >= info->num_of_certs) return NULL;
    return info->certinfo[index];
}

/* What watches sockets for a set of transfers (epoll(7)), and what wakes who watches (eventfd(2)). Told by their symbols, as
   types of the C library's headers would belong to this module then. */
int wire_epoll_create(int flags) __asm__("epoll_create1");
int wire_epoll_ctl(int epoll, int operation, int descriptor, void *event) __asm__("epoll_ctl");
int wire_epoll_wait(int epoll, void *events, int count, int timeout) __asm__("epoll_wait");
int wire_eventfd(unsigned int value, int flags) __asm__("eventfd");

struct wire_epoll_event {
    unsigned int events;
    unsigned long long descriptor;
}
#if defined(__x86_64__)
__attribute__((packed))
#endif
;

/* A socket that has something, in the words of curl_multi_socket_action. */
struct wire_ready { int descriptor, what; };

enum { WIRE_CLOSED_LATER = 02000000, WIRE_NOT_WAITING = 04000, WIRE_MOST_READY = 64 };

static inline int wire_watch(void) { return wire_epoll_create(WIRE_CLOSED_LATER); }
static inline int wire_bell(void) { return wire_eventfd(0, WIRE_CLOSED_LATER | WIRE_NOT_WAITING); }

/* Has a socket watched for what libcurl says (CURL_POLL_IN and its like), from now on. */
static inline void wire_watch_socket(int epoll, int descriptor, int what) {
    struct wire_epoll_event event = {0, (unsigned long long)descriptor};
    if (what == CURL_POLL_IN || what == CURL_POLL_INOUT) event.events |= 0x001 | 0x2000; /* EPOLLIN, EPOLLRDHUP */
    if (what == CURL_POLL_OUT || what == CURL_POLL_INOUT) event.events |= 0x004; /* EPOLLOUT */
    if (what == CURL_POLL_REMOVE || what == CURL_POLL_NONE) wire_epoll_ctl(epoll, 2, descriptor, &event);
    else if (wire_epoll_ctl(epoll, 3, descriptor, &event) != 0) wire_epoll_ctl(epoll, 1, descriptor, &event);
}

/* Waits for sockets that have something; how many there are. */
static inline int wire_watch_wait(int epoll, struct wire_ready *ready, int milliseconds) {
    struct wire_epoll_event events[WIRE_MOST_READY];
    int count = wire_epoll_wait(epoll, events, WIRE_MOST_READY, milliseconds);
    for (int index = 0; index < count; index++) {
        unsigned int seen = events[index].events;
        ready[index].descriptor = (int)events[index].descriptor;
        ready[index].what = ((seen & (0x001 | 0x2000 | 0x010)) ? CURL_CSELECT_IN : 0) /* EPOLLHUP too */
            | ((seen & 0x004) ? CURL_CSELECT_OUT : 0) | ((seen & 0x008) ? CURL_CSELECT_ERR : 0);
    }
    return count < 0 ? 0 : count;
}

static inline CURLMcode wire_multi_on_socket(CURLM *multi, curl_socket_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, callback);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
}

static inline CURLMcode wire_multi_on_timer(CURLM *multi, curl_multi_timer_callback callback, void *context) {
    CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, callback);
    return code ? code : curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
}
