/*
 * libcurl, found while the program runs: linked, it would bring thirty libraries into every start. Headers of C give the types;
 * the functions are members of a table that wire_load() fills, which is called before any other.
 *
 * Swift sees no variadic functions, so each shape of an option and of an answer gets a function of its own.
 */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

/* NULL, or why it cannot be loaded: the loader's words, or the name of a missing function. */
const char *wire_load(void);

/* Those of libcurl as they are. */
CURLcode wire_global_init(long flags);
const char *wire_versions(void);
CURLM *wire_multi_init(void);
CURLMcode wire_multi_cleanup(CURLM *multi);
CURLMcode wire_multi_wakeup(CURLM *multi);
CURLMcode wire_multi_perform(CURLM *multi, int *running);
CURLMcode wire_multi_poll(CURLM *multi, struct curl_waitfd *sockets, unsigned int count, int milliseconds, int *ready);
CURLMcode wire_multi_add_handle(CURLM *multi, CURL *easy);
CURLMcode wire_multi_remove_handle(CURLM *multi, CURL *easy);
CURL *wire_easy_init(void);
void wire_easy_cleanup(CURL *easy);
CURLcode wire_easy_perform(CURL *easy);
CURLcode wire_easy_pause(CURL *easy, int mask);
CURLcode wire_easy_send(CURL *easy, const void *bytes, size_t count, size_t *sent);
CURLcode wire_easy_recv(CURL *easy, void *bytes, size_t count, size_t *received);
struct curl_slist *wire_list_append(struct curl_slist *list, const char *text);
void wire_list_free(struct curl_slist *list);

CURLcode wire_set_long(CURL *easy, CURLoption option, long value);
CURLcode wire_set_offset(CURL *easy, CURLoption option, curl_off_t value);

/* libcurl copies the text. */
CURLcode wire_set_text(CURL *easy, CURLoption option, const char *value);

/* libcurl copies the bytes, and sends them with the head of the request. */
CURLcode wire_set_body(CURL *easy, const void *bytes, size_t count);

/* libcurl copies the bytes, which stand for a file. */
CURLcode wire_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count);

/* libcurl keeps the pointer for as long as the handle has it. */
CURLcode wire_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
CURLcode wire_set_error_buffer(CURL *easy, char *buffer);
CURLcode wire_on_body(CURL *easy, curl_write_callback callback, void *context);
CURLcode wire_on_head(CURL *easy, curl_write_callback callback, void *context);
CURLcode wire_on_upload(CURL *easy, curl_read_callback read, curl_seek_callback seek, void *context);
CURLcode wire_on_socket(CURL *easy, curl_opensocket_callback callback, void *context);
CURLcode wire_on_close(CURL *easy, curl_closesocket_callback callback, void *context);
CURLcode wire_on_lookup(CURL *easy, curl_resolver_start_callback callback, void *context);
CURLcode wire_on_request(CURL *easy, curl_prereq_callback callback, void *context);
CURLcode wire_get_long(CURL *easy, CURLINFO info, long *value);
CURLMcode wire_multi_set_long(CURLM *multi, CURLMoption option, long value);

/* The handle of the next transfer that has ended and how it ended; NULL when there is none. */
CURL *wire_multi_next_end(CURLM *multi, CURLcode *result);

/* What is known of a certificate the server has shown, its own first, as lines of "Name:value"; they live as long as the
 * handle. NULL past the last. */
struct curl_slist *wire_served_certificate(CURL *easy, int index);

/* The version of the library alone: curl_version() has others initialised to ask for theirs. */
const char *wire_version(void);
