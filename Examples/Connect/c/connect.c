/* Connect to a runner over its Unix socket. Needs libcurl (Debian: libcurl4-openssl-dev).
 *
 *     cc -Wall -Wextra -o connect connect.c -lcurl
 *     ./connect [SOCKET]
 */
#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const app = "com.example.local"; /* 'app.id' of the services file */
static char socket_path[512];

/* A response. A longer body is truncated. */
struct response {
    long status;
    size_t length;
    char body[65536];
};

/* COREWIRE_SOCKET, or the default place for this app. */
static void find_socket(void)
{
    const char *named = getenv("COREWIRE_SOCKET"), *runtime = getenv("XDG_RUNTIME_DIR");
    if (named)
        snprintf(socket_path, sizeof socket_path, "%s", named);
    else if (runtime)
        snprintf(socket_path, sizeof socket_path, "%s/corewire/%s/api.sock", runtime, app);
    else if (geteuid() == 0)
        snprintf(socket_path, sizeof socket_path, "/run/corewire/%s/api.sock", app);
    else
        snprintf(socket_path, sizeof socket_path, "/tmp/corewire-%u/%s/api.sock", (unsigned)geteuid(), app);
}

static size_t receive(char *bytes, size_t size, size_t count, void *context)
{
    struct response *response = context;
    size_t room = sizeof response->body - 1 - response->length, length = size * count < room ? size * count : room;
    memcpy(response->body + response->length, bytes, length);
    response->length += length;
    response->body[response->length] = '\0';
    return size * count;
}

/* The text of a member of a JSON object, up to its closing quote. Use a JSON library for more than this. */
static const char *member(const char *json, const char *name, char *text, size_t size)
{
    char key[64];
    size_t length = 0;
    snprintf(key, sizeof key, "\"%s\":\"", name);
    const char *at = strstr(json, key);
    for (at = at ? at + strlen(key) : ""; *at && *at != '"' && length + 1 < size; at++) {
        if (*at == '\\' && at[1])
            at++;
        text[length++] = *at;
    }
    text[length] = '\0';
    return text;
}

static CURL *request(const char *method, const char *path, struct response *response)
{
    char url[256];
    CURL *curl = curl_easy_init();
    if (!curl)
        exit(1);
    snprintf(url, sizeof url, "http://localhost%s", path);
    memset(response, 0, sizeof *response);
    curl_easy_setopt(curl, CURLOPT_UNIX_SOCKET_PATH, socket_path);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, receive);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, response);
    return curl;
}

static void check_connection(CURLcode code)
{
    if (code == CURLE_OK)
        return;
    fprintf(stderr, "error: no runner at %s: %s\n", socket_path, curl_easy_strerror(code));
    exit(1);
}

/* Send a request, with or without a JSON body. If the response is a problem (RFC 9457), print the problem and return 0. */
static int send_request(const char *method, const char *path, const char *json, struct response *response)
{
    char title[256], detail[1024];
    CURL *curl = request(method, path, response);
    struct curl_slist *fields = curl_slist_append(NULL, "Content-Type: application/json");
    if (json) {
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, json);
        curl_easy_setopt(curl, CURLOPT_HTTPHEADER, fields);
    }
    check_connection(curl_easy_perform(curl));
    curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &response->status);
    curl_slist_free_all(fields);
    curl_easy_cleanup(curl);
    if (response->status < 400)
        return 1;
    member(response->body, "title", title, sizeof title);
    member(response->body, "detail", detail, sizeof detail);
    printf("%s %s: %s: %s\n", method, path, title, detail);
    return 0;
}

/* Read from the stream until the text is there. An idle stream sends a line every 15 s. */
static void await_text(CURLM *multi, const struct response *stream, const char *text)
{
    int running = 1, left;
    size_t length = stream->length;
    time_t last = time(NULL);
    while (!strstr(stream->body, text)) {
        CURLMsg *message = curl_multi_info_read(multi, &left);
        if (message)
            check_connection(message->data.result);
        if (stream->length > length) {
            length = stream->length;
            last = time(NULL);
        }
        if (!running || time(NULL) - last > 20 || curl_multi_poll(multi, NULL, 0, 1000, NULL) ||
            curl_multi_perform(multi, &running)) {
            fprintf(stderr, "error: the event stream ended\n");
            exit(1);
        }
    }
}

int main(int count, char **arguments)
{
    static struct response response, stream;
    char text[256], environment[64];

    if (count > 1)
        snprintf(socket_path, sizeof socket_path, "%s", arguments[1]);
    else
        find_socket();
    curl_global_init(CURL_GLOBAL_DEFAULT);

    if (!send_request("GET", "/v1/status", NULL, &response))
        return 1;
    member(response.body, "app", text, sizeof text);
    member(response.body, "environment", environment, sizeof environment);
    printf("connected to %s, environment %s\n", text, *environment ? environment : "none");

    if (send_request("GET", "/v1/auth/token", NULL, &response))
        printf("access token, valid until %s\n", member(response.body, "expiresAt", text, sizeof text));

    /* A stream needs a connection of its own. Its first line, ':', says that the subscription has begun. */
    CURLM *multi = curl_multi_init();
    CURL *events = request("GET", "/v1/events?name=state.", &stream);
    curl_multi_add_handle(multi, events);
    int running;
    curl_multi_perform(multi, &running);
    await_text(multi, &stream, ":");

    if (!send_request("PUT", "/v1/state/connect-c/greeting", "{\"text\":\"hello\"}", &response))
        return 1;
    printf("stored a value\n");
    if (!send_request("GET", "/v1/state/connect-c/greeting", NULL, &response))
        return 1;
    printf("read %s\n", response.body);
    if (!send_request("DELETE", "/v1/state/connect-c", NULL, &response))
        return 1;

    await_text(multi, &stream, "\"namespace\":\"connect-c\"");
    printf("events:%s", strstr(stream.body, "\nevent: "));

    curl_multi_remove_handle(multi, events);
    curl_easy_cleanup(events);
    curl_multi_cleanup(multi);
    curl_global_cleanup();
    return 0;
}
