// The schema of a shared store, put into the program when it is built.

#include "StoreSchema.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char tables[] = {
#embed "sql/tables.sql"
};

// Later files use what earlier ones make.
static const unsigned char functions[] = {
#embed "sql/sessions.sql" suffix(,)
#embed "sql/queue.sql" suffix(,)
#embed "sql/claims.sql" suffix(,)
#embed "sql/moves.sql" suffix(,)
#embed "sql/values.sql" suffix(,)
#embed "sql/copies.sql" suffix(,)
#embed "sql/reading.sql"
};

StoreSchemaText store_tables(void) { return (StoreSchemaText){tables, sizeof tables}; }

StoreSchemaText store_functions(void) { return (StoreSchemaText){functions, sizeof functions}; }
