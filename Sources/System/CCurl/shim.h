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

/* libcurl copies the bytes, and sends them with the head of the request. */
static inline CURLcode wire_set_body(CURL *easy, const void *bytes, size_t count) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)count);
    return code ? code : curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, bytes);
}

/* libcurl copies the bytes, which stand for a file. */
static inline CURLcode wire_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
    struct curl_blob blob = {(void *)bytes, count, CURL_BLOB_COPY};
    return curl_easy_setopt(easy, option, &blob);
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

static inline CURLcode wire_on_close(CURL *easy, curl_closesocket_callback callback, void *context) {
    CURLcode code = curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, callback);
    return code ? code : curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, context);
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
