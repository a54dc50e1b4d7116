// The schema of a shared store, put into the program when it is built.

#include "StoreSchema.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

// Later files use what earlier ones make.
static const unsigned char schema[] = {
#embed "sql/tables.sql" suffix(,)
#embed "sql/sessions.sql" suffix(,)
#embed "sql/queue.sql" suffix(,)
#embed "sql/claims.sql" suffix(,)
#embed "sql/moves.sql" suffix(,)
#embed "sql/values.sql" suffix(,)
#embed "sql/copies.sql" suffix(,)
#embed "sql/reading.sql"
};

StoreSchemaText store_schema(void) { return (StoreSchemaText){schema, sizeof schema}; }
