// The statements that make the schema of a shared store, as UTF-8: its tables, then its functions, with CREATE FUNCTION.

#pragma once

#include <stddef.h>

typedef struct {
    const unsigned char *bytes;
    size_t count;
} StoreSchemaText;

StoreSchemaText store_tables(void);
StoreSchemaText store_functions(void);
