// What a program was built from and with: 'unknown' unless Scripts/write-build-facts ran before the build.

#pragma once

const char *build_commit(void);
const char *build_compiler(void);
