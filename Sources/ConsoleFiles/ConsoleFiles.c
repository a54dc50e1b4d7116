// The files of the console's page, put into the program when it is built.

#include "ConsoleFiles.h"

#pragma clang diagnostic ignored "-Wc23-extensions"

#define FILE_OF(name) (ConsoleFile){name, sizeof name}

// Later parts of the script use what earlier ones name.
static const unsigned char script[] = {
#embed "script/basics.js" suffix(,)
#embed "script/pages.js" suffix(,)
#embed "script/connection.js" suffix(,)
#embed "script/overview.js" suffix(,)
#embed "script/person.js" suffix(,)
#embed "script/person-card.js" suffix(,)
#embed "script/matrix.js" suffix(,)
#embed "script/services.js" suffix(,)
#embed "script/group.js" suffix(,)
#embed "script/panels.js" suffix(,)
#embed "script/prompt.js" suffix(,)
#embed "script/outbox.js" suffix(,)
#embed "script/downloads.js" suffix(,)
#embed "script/tasks.js" suffix(,)
#embed "script/network.js" suffix(,)
#embed "script/state.js" suffix(,)
#embed "script/sync.js" suffix(,)
#embed "script/sync-queue.js" suffix(,)
#embed "script/sync-cache.js" suffix(,)
#embed "script/content.js" suffix(,)
#embed "script/device.js" suffix(,)
#embed "script/push.js" suffix(,)
#embed "script/inbox.js" suffix(,)
#embed "script/security.js" suffix(,)
#embed "script/addons.js" suffix(,)
#embed "script/backends.js" suffix(,)
#embed "script/metrics.js" suffix(,)
#embed "script/runner.js" suffix(,)
#embed "script/events.js" suffix(,)
#embed "script/reports.js" suffix(,)
#embed "script/changes.js" suffix(,)
#embed "script/generations.js" suffix(,)
#embed "script/comparison.js" suffix(,)
#embed "script/beginning.js" suffix(,)
};

static const unsigned char style[] = {
#embed "style/paper.css" suffix(,)
#embed "style/pages.css" suffix(,)
#embed "style/overview.css" suffix(,)
#embed "style/person.css" suffix(,)
#embed "style/lists.css" suffix(,)
#embed "style/panels.css" suffix(,)
#embed "style/dialogs.css" suffix(,)
};

static const unsigned char head[] = {
#embed "page/head.html" suffix(,)
};

static const unsigned char body[] = {
#embed "page/body.html" suffix(,)
};

ConsoleFile console_script(void) { return FILE_OF(script); }
ConsoleFile console_style(void) { return FILE_OF(style); }
ConsoleFile console_head(void) { return FILE_OF(head); }
ConsoleFile console_body(void) { return FILE_OF(body); }
