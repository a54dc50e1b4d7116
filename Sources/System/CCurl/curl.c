#include "CCurl.h"
#include <dlfcn.h>

#define FUNCTIONS(F) \
    F(curl_easy_cleanup) F(curl_easy_getinfo) F(curl_easy_init) F(curl_easy_pause) F(curl_easy_perform) \
    F(curl_easy_recv) F(curl_easy_send) F(curl_easy_setopt) F(curl_global_init) F(curl_multi_add_handle) \
    F(curl_multi_cleanup) F(curl_multi_info_read) F(curl_multi_init) F(curl_multi_perform) F(curl_multi_poll) \
    F(curl_multi_remove_handle) F(curl_multi_setopt) F(curl_multi_wakeup) F(curl_slist_append) F(curl_slist_free_all) \
    F(curl_version) F(curl_version_info)

static struct {
#define MEMBER(name) __typeof__(name) *name;
    FUNCTIONS(MEMBER)
#undef MEMBER
} libcurl;

const char *wire_load(void) {
    /* RTLD_GLOBAL, as if it were linked: the security rules look up functions of TLS among the names of the process. */
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_GLOBAL), *found;
    if (!library) return dlerror();
#define FIND(name) \
    if (!(found = dlsym(library, #name))) return #name; \
    __builtin_memcpy(&libcurl.name, &found, sizeof found);
    FUNCTIONS(FIND)
#undef FIND
    return 0;
}

/* Macros in curl.h, which check the types of constant options. */
#undef curl_easy_getinfo
#undef curl_easy_setopt
#undef curl_multi_setopt

#define curl_easy_cleanup libcurl.curl_easy_cleanup
#define curl_easy_getinfo libcurl.curl_easy_getinfo
#define curl_easy_init libcurl.curl_easy_init
#define curl_easy_pause libcurl.curl_easy_pause
#define curl_easy_perform libcurl.curl_easy_perform
#define curl_easy_recv libcurl.curl_easy_recv
#define curl_easy_send libcurl.curl_easy_send
#define curl_easy_setopt libcurl.curl_easy_setopt
#define curl_global_init libcurl.curl_global_init
#define curl_multi_add_handle libcurl.curl_multi_add_handle
#define curl_multi_cleanup libcurl.curl_multi_cleanup
#define curl_multi_info_read libcurl.curl_multi_info_read
#define curl_multi_init libcurl.curl_multi_init
#define curl_multi_perform libcurl.curl_multi_perform
#define curl_multi_poll libcurl.curl_multi_poll
#define curl_multi_remove_handle libcurl.curl_multi_remove_handle
#define curl_multi_setopt libcurl.curl_multi_setopt
#define curl_multi_wakeup libcurl.curl_multi_wakeup
#define curl_slist_append libcurl.curl_slist_append
#define curl_slist_free_all libcurl.curl_slist_free_all
#define curl_version libcurl.curl_version
#define curl_version_info libcurl.curl_version_info

CURLcode wire_global_init(long flags) { return curl_global_init(flags); }
const char *wire_versions(void) { return curl_version(); }
CURLM *wire_multi_init(void) { return curl_multi_init(); }
CURLMcode wire_multi_cleanup(CURLM *multi) { return curl_multi_cleanup(multi); }
CURLMcode wire_multi_wakeup(CURLM *multi) { return curl_multi_wakeup(multi); }
CURLMcode wire_multi_perform(CURLM *multi, int *running) { return curl_multi_perform(multi, running); }
CURLMcode wire_multi_poll(CURLM *multi, struct curl_waitfd *sockets, unsigned int count, int milliseconds, int *ready) {
    return curl_multi_poll(multi, sockets, count, milliseconds, ready);
}
CURLMcode wire_multi_add_handle(CURLM *multi, CURL *easy) { return curl_multi_add_handle(multi, easy); }
CURLMcode wire_multi_remove_handle(CURLM *multi, CURL *easy) { return curl_multi_remove_handle(multi, easy); }
CURL *wire_easy_init(void) { return curl_easy_init(); }
void wire_easy_cleanup(CURL *easy) { curl_easy_cleanup(easy); }
CURLcode wire_easy_perform(CURL *easy) { return curl_easy_perform(easy); }
CURLcode wire_easy_pause(CURL *easy, int mask) { return curl_easy_pause(easy, mask); }
CURLcode wire_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent) { return curl_easy_send(easy, bytes, count, sent); }
CURLcode wire_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received) { return curl_easy_recv(easy, bytes, count, received); }
struct curl_slist *wire_list_append(struct curl_slist *list, const char *text) { return curl_slist_append(list, text); }
void wire_list_free(struct curl_slist *list) { curl_slist_free_all(list); }

CURLcode wire_set_long(CURL *easy, CURLoption option, long value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wire_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wire_set_text(CURL *easy, CURLoption option, const char *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wire_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

CURLcode wire_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
}

CURLcode wire_set_list(CURL *easy, CURLoption option, struct curl_slist *value) {
    return curl_easy_setopt(easy, option, value);
}

CURLcode wire_set_error_buffer(CURL *easy, char *buffer) {
    return curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, buffer);
}

/* A callback and its context, which are two options. */
#define CALLBACK(name, type, function, data) \
    CURLcode name(CURL *easy, type callback, void *context) { \
        CURLcode code = curl_easy_setopt(easy, function, callback); \
        return code ? code : curl_easy_setopt(easy, data, context); \
    }
CALLBACK(wire_on_body, curl_write_callback, CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA)
CALLBACK(wire_on_head, curl_write_callback, CURLOPT_HEADERFUNCTION, CURLOPT_HEADERDATA)
CALLBACK(wire_on_socket, curl_opensocket_callback, CURLOPT_OPENSOCKETFUNCTION, CURLOPT_OPENSOCKETDATA)
CALLBACK(wire_on_close, curl_closesocket_callback, CURLOPT_CLOSESOCKETFUNCTION, CURLOPT_CLOSESOCKETDATA)
CALLBACK(wire_on_lookup, curl_resolver_start_callback, CURLOPT_RESOLVER_START_FUNCTION, CURLOPT_RESOLVER_START_DATA)
CALLBACK(wire_on_request, curl_prereq_callback, CURLOPT_PREREQFUNCTION, CURLOPT_PREREQDATA)

CURLcode wire_on_upload(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_READFUNCTION, read);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_READDATA, context);
    if (!code) code = curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, seek);
    return code ? code : curl_easy_setopt(easy, CURLOPT_SEEKDATA, context);
}

CURLcode wire_get_long(CURL *easy, CURLINFO info, long *value) {
    return curl_easy_getinfo(easy, info, value);
}

CURLMcode wire_multi_set_long(CURLM *multi, CURLMoption option, long value) {
    return curl_multi_setopt(multi, option, value);
}

CURL *wire_multi_next_end(CURLM *multi, CURLcode *result) {
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(multi, &left))) {
        if (message->msg != CURLMSG_DONE) continue;
        *result = message->data.result;
        return message->easy_handle;
    }
    return NULL;
}

struct curl_slist *wire_served_certificate(CURL *easy, int index) {
    struct curl_certinfo *info = NULL;
    if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &info) || !info || index >= info->num_of_certs) return NULL;
    return info->certinfo[index];
}

const char *wire_version(void) { return curl_version_info(CURLVERSION_NOW)->version; }
