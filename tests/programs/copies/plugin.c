/* A plugin that contains the archive, whose functions it does not export. */
#include "statictramp.h"

statictramp_fn plugin_bind(statictramp_fn callee, void *context, unsigned position) { return statictramp_bind(callee, context, position); }
int plugin_free(statictramp_fn f) { return statictramp_free(f); }
int plugin_lookup(statictramp_fn f, statictramp_fn *callee, void **context) { return statictramp_lookup(f, callee, context); }
size_t plugin_live(void) { return statictramp_live(); }
