/* job.h - a program with its inputs, as the command line of run, bench, compile and show describes it. */
#ifndef NORIA_TOOLS_JOB_H
#define NORIA_TOOLS_JOB_H

#include "driver/driver.h"
#include "values.h"

/* "NAME=TEXT" of --input and --output; TEXT alone has an empty name. */
typedef struct Assignment {
  NrStr name;
  const char *text;
} Assignment;

/* Where the time went, in nanoseconds. */
typedef struct JobTimes {
  int64_t read, lower, run;
  NrCodegenTimes code;
} JobTimes;

/* Zero-initialise but for tool; job_deinit frees. */
typedef struct Job {
  const char *tool; /* "run" */
  const char *path;
  NrStr text; /* the program, which path only names; empty: it is read from path */
  NoriaCompileOptions options;
  NR_VEC(const char *) shapes, libraries, parameters;
  NR_VEC(const char *) args; /* inputs in order */
  NR_VEC(Assignment) inputs, outputs;
  uint64_t seed;
  bool interpret, time, help;
  const char *stop_after, *print_after; /* job_print */
  const char *explain; /* the topic on which passes report their decisions as remarks; NULL: none */
  bool library;        /* path is compiled code: after job_look */
  int32_t ranks;       /* --ranks; 0: not given */
  const char *channel; /* --channel; NULL: not given */
  NoriaWorldOptions world_options;
  JobTimes times;

  NoriaProgram *program;
  NrContext *ctx; /* of values, not of the program */
  NR_VEC(const char *) input_types, output_types; /* texts of IR types; NULL for models */
  int32_t first_rank, num_ranks; /* that this process runs: after ranks_begin */
  int32_t all_ranks;             /* of all processes */
  NoriaWorld *world;             /* MPI's; NULL: the ranks are threads, or there is one */
  NR_VEC(NoriaValue *) feeds, results; /* of each rank, rank after rank */
} Job;
void job_deinit(Job *job);

/* Consumes argument *io_at, and the next one if the option needs it. 0: consumed; -1: not such an option; 2: invalid.
 */
int job_take_option(Job *job, int argc, char **argv, int *io_at);
/* "--name=value" or "--name value" at *io_at; NULL when that is another option, "" when it has no value. */
const char *job_option_value(const char *name, int argc, char **argv, int *io_at);
/* Takes an argument that is not an option: the file or an input. */
void job_take_argument(Job *job, const char *arg);
/* Whether arg is a value although it begins with `-`: -3, -.5, -inf. */
bool job_is_value(const char *arg);

/* Looks whether the program is compiled already, and then refuses the options that only a compiler has; 0 or 2. option:
 * one of the tool's own that was given, as "--check-stages", or NULL. */
int job_look(Job *job, const char *option);
/* The steps of a job. Each prints its errors to standard error and returns 0 or 1. */
int job_read(Job *job, NrCompilation *unit);     /* with the entry set, and types of inputs and outputs noted */
int job_compile(Job *job);                /* to job->program: machine code, the interpreter, or a library */
int job_print(Job *job);                  /* the text after stages and passes, instead of a program */
int job_bind(Job *job, const NoriaModule *module, bool make_up); /* feeds; make_up: random ones for what is not given */
int job_run(Job *job);                    /* of all ranks here: results; Ctrl-C stops it */
/* With --tiered and a cache, waits for the better code, which the cache then has; Ctrl-C ends the process. */
void job_finish_cache(Job *job);
int job_put_results(Job *job);            /* saves and prints */
int job_report(const Job *job, NoriaError *error); /* "noria run: ..." and clears it; returns 1 */
int job_report_unit(const Job *job, NrCompilation *unit, NrStatus status); /* the same with a unit's errors; frees it */
void job_drop_results(Job *job);
void job_put_times(const Job *job);

/* ranks.c: programs that several ranks run (flow.channel.*, flow.collective.*). */
int ranks_take_option(Job *job, int argc, char **argv, int *io_at); /* as job_take_option */
int ranks_begin(Job *job);                /* decides who is a rank, and joins mpirun's; 0, 1 or 2 */
NoriaStatus ranks_run(Job *job, NoriaProgram *program, NoriaValue **results, NoriaError *error);
/* The text with each %r replaced by the rank, and %% by %; interned. With one rank, the text itself. */
const char *ranks_text(Job *job, const char *text, int32_t rank);
/* Prints the text of each rank's results on rank 0, each line behind "[rank] ". texts: of the ranks here. */
int ranks_print(Job *job, const NrBuf *texts);
int ranks_end(Job *job, int status);      /* after all; the exit code */

/* check.c: runs the interpreter after every stage of the pipeline (or every pass), then machine code, and compares. The
 * verdicts go to standard error, the first result to job->results. 1 when one differs. */
int job_check_stages(Job *job, bool each_pass);

/* Parse numbers and times: "64", "2.5". False when text is not such a number. */
bool parse_count(const char *text, int64_t *out);
bool parse_seconds(const char *text, double *out);

/* progress.c: prints a progress line to standard error, if that is a terminal, for work of more than a second. */
void progress_begin(const char *what, const char *of);
void progress_end(void);

/* compile.c: compiles the program to a file, whose kind follows from its ending; header: another, or NULL. 0 or 1. */
int compile_to_file(Job *job, const char *out, const char *header);
bool compile_can_make(const char *out); /* whether the ending of a file says what is in it */

#endif
