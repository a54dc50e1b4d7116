// The files of the console's page, as UTF-8.

#pragma once

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t count;
} ConsoleFile;

ConsoleFile console_script(void);
ConsoleFile console_style(void);
ConsoleFile console_head(void);
ConsoleFile console_body(void);
