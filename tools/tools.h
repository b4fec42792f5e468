/* tools.h - the subcommands of `noria` and their common functions. A subcommand takes its own arguments, argv[0] being
 * its name, and returns the exit code: 0; 1 for invalid input or a failed run; 2 for an invalid command line; 3 for an
 * internal error. */
#ifndef NORIA_TOOLS_TOOLS_H
#define NORIA_TOOLS_TOOLS_H

#include "ir/text.h"

int tool_bench(int argc, char **argv);
int tool_cache(int argc, char **argv);
int tool_check(int argc, char **argv);
int tool_show(int argc, char **argv);
int tool_compile(int argc, char **argv);
int tool_opt(int argc, char **argv);
int tool_reduce(int argc, char **argv);
int tool_run(int argc, char **argv);
int tool_sparse(int argc, char **argv);

/* Whether arg is --name, -name, --name=value or -name=value; *out_value is the value, or NULL where there is none. */
bool tool_option(const char *arg, const char *name, const char **out_value);

/* Renders the diagnostics of a context to standard error, in colour on a terminal, up to a number (0: all). list must
 * stay until the end, which says how many were left out. */
void tool_show_diags(NrContext *ctx, size_t limit, NrDiagList *list);
void tool_end_diags(NrDiagList *list);

/* Writes a file, or to standard output for "-"; returns the exit code, 1 after a message. */
int tool_write(const char *tool, const char *path, NrStr text);

/* "noria opt: <message>" on standard error; returns 2. */
int tool_usage_error(const char *tool, const char *format, ...) NR_PRINTF(2, 3);
/* The same for an unknown option; suggests a similar one of those in `help` or of the passes. */
int tool_no_option(const char *tool, const char *help, bool or_pass, const char *arg);
/* The main name of a pass, from any of its names, or "all"; else NULL. */
const char *tool_pass_name(const char *name);
bool tool_explain(const char *arg, const char **out_topic); /* --explain-TOPIC, of a topic that a pass explains */

/* list_ops.c, for `noria opt`. */
void list_ops(NrBuf *out, const char *style, const char *dialect); /* style NULL or "markdown"; dialect NULL = all */
void list_dialects(NrBuf *out);
const char *find_dialect(const char *name, NrNearest *out_nearest); /* NULL, and what is like it, where it is unknown */
void list_passes(NrBuf *out);
void list_pipeline(NrBuf *out);

/* verify_diagnostics.c: compares diagnostics with comments such as `// expected-error@+1 {{text}}`. */
typedef struct Expectations Expectations;
Expectations *expectations_create(NrStr text, size_t lines_before);
void expectations_destroy(Expectations *e);
void expectations_check(void *user, const NrDiag *diag); /* a diagnostic handler; user is an Expectations */
/* Reports unexpected and missing diagnostics to standard error; true when there are none. */
bool expectations_met(const Expectations *e, const char *file);

#endif
