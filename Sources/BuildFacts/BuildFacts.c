#include "BuildFacts.h"

// Made.c, which Scripts/write-build-facts writes, replaces both. Only the programs depend on this target, so another commit
// compiles one file and links.

__attribute__((weak)) const char *build_commit(void) { return "unknown"; }
__attribute__((weak)) const char *build_compiler(void) { return "unknown"; }
