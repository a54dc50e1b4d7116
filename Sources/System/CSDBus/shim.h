#include <systemd/sd-bus.h>

/*
 * sd-bus of libsystemd, found while the program runs: linked, it would bring six more libraries into every start. Headers of C
 * give the types; the functions are members of a table that is filled once.
 */

void *corewire_bus_dlopen(const char *name, int flags) __asm__("dlopen");
void *corewire_bus_dlsym(void *library, const char *name) __asm__("dlsym");
int corewire_bus_eventfd(unsigned int value, int flags) __asm__("eventfd");

#define COREWIRE_SD_BUS(F) \
    F(sd_bus_new) F(sd_bus_set_address) F(sd_bus_set_bus_client) F(sd_bus_negotiate_fds) F(sd_bus_start) \
    F(sd_bus_close_unref) F(sd_bus_is_ready) F(sd_bus_get_unique_name) F(sd_bus_get_fd) F(sd_bus_get_events) \
    F(sd_bus_get_timeout) F(sd_bus_process) F(sd_bus_send) \
    F(sd_bus_message_new_method_call) F(sd_bus_message_new_signal) F(sd_bus_message_new_method_return) \
    F(sd_bus_message_new_method_error) F(sd_bus_message_unref) F(sd_bus_message_get_type) \
    F(sd_bus_message_get_reply_cookie) F(sd_bus_message_get_expect_reply) F(sd_bus_message_get_path) \
    F(sd_bus_message_get_interface) F(sd_bus_message_get_member) F(sd_bus_message_get_sender) \
    F(sd_bus_message_get_error) F(sd_bus_message_append_basic) F(sd_bus_message_append_array) \
    F(sd_bus_message_open_container) F(sd_bus_message_close_container) F(sd_bus_message_read_basic) \
    F(sd_bus_message_read_array) F(sd_bus_message_enter_container) F(sd_bus_message_exit_container) \
    F(sd_bus_message_peek_type)

struct corewire_sd_bus {
#define COREWIRE_MEMBER(name) __typeof__(name) *_Nonnull name;
    COREWIRE_SD_BUS(COREWIRE_MEMBER)
#undef COREWIRE_MEMBER
};

/* Fills the table; what is missing otherwise: the library or a function of it. RTLD_NOW, and the names are not lent to others. */
static inline const char *_Nullable corewire_load_sd_bus(struct corewire_sd_bus *_Nonnull table) {
    void *library = corewire_bus_dlopen("libsystemd.so.0", 2), *found;
    if (!library) return "libsystemd.so.0";
#define COREWIRE_FIND(name) \
    if (!(found = corewire_bus_dlsym(library, #name))) return #name; \
    __builtin_memcpy(&table->name, &found, sizeof found);
    COREWIRE_SD_BUS(COREWIRE_FIND)
#undef COREWIRE_FIND
    return 0;
}

/* O_CLOEXEC | O_NONBLOCK. */
static inline int corewire_bus_bell(void) { return corewire_bus_eventfd(0, 02000000 | 04000); }
