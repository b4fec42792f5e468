/* opt_options.h - the options of `noria opt`. */
#ifndef NORIA_TOOLS_OPT_OPTIONS_H
#define NORIA_TOOLS_OPT_OPTIONS_H

#include "ir/text.h"

typedef struct OptOptions {
  const char *input, *output;
  NrPrintOptions print;
  bool has_syntax, stages, split, verify_diagnostics, no_verify, no_verify_each, round_trip;
  bool allow_unregistered, timing;
  size_t error_limit; /* of diagnostics that are shown; 0: all */
  const char *print_before, *print_after, *explain, *dispatch_graph, *stop_after, *list_ops_style, *dialect;
  const char *outline_parameters; /* the file for large constants, or NULL */
  int64_t outline_min_bytes;
  const char *cpu, *features; /* of the machine that passes prepare code for; NULL: this one */
  bool list_ops, list_dialects, list_passes, list_pipeline, help, version;
  NrBuf pipeline; /* text of the passes that were named, in order */
} OptOptions;

extern const char opt_help[];

/* Fills `o`, which is all zero; returns the exit code that a wrong command line has, with a message, or 0. */
int opt_options_read(OptOptions *o, int argc, char **argv);

#endif
