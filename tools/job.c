/* job.c - see job.h. */
#include "job.h"

#include <signal.h>
#include <stdio.h>

#include "driver/program.h"
#include "driver/tier.h"
#include "tools.h"

void job_drop_results(Job *job) {
  for (size_t i = 0; i < job->results.size; i++) noria_value_release(job->results.data[i]);
  job->results.size = 0;
}

void job_deinit(Job *job) {
  job_drop_results(job);
  for (size_t i = 0; i < job->feeds.size; i++) noria_value_release(job->feeds.data[i]);
  noria_program_destroy(job->program);
  noria_world_destroy(job->world);
  nr_vec_deinit(&job->shapes);
  nr_vec_deinit(&job->libraries);
  nr_vec_deinit(&job->parameters);
  nr_vec_deinit(&job->args);
  nr_vec_deinit(&job->inputs);
  nr_vec_deinit(&job->outputs);
  nr_vec_deinit(&job->input_types);
  nr_vec_deinit(&job->output_types);
  nr_vec_deinit(&job->feeds);
  nr_vec_deinit(&job->results);
  nr_context_destroy(job->ctx);
}

/* ---- errors ----------------------------------------------------------------------------------------------------- */

int job_report(const Job *job, NoriaError *error) {
  progress_end();
  const char *message = error->message && *error->message ? error->message : noria_status_name(error->code);
  /* Diagnostics of text IR begin with their location; others get the name of the tool. */
  bool placed = strstr(message, ": error: ") != NULL;
  if (nr_str_starts(nr_str(message), "error: ")) message += strlen("error: ");
  if (job->world) { /* of the ranks that mpirun started, the one that failed first reports it */
    noria_world_end(job->world, message, NULL);
    if (noria_world_reports(job->world))
      fprintf(stderr, "noria %s: rank %d: %s\n", job->tool, (int)noria_world_rank(job->world), message);
  } else if (placed) fprintf(stderr, "%s\n", message);
  else fprintf(stderr, "noria %s: %s\n", job->tool, message);
  noria_error_clear(error);
  return 1;
}

int job_report_unit(const Job *job, NrCompilation *unit, NrStatus status) {
  NoriaError error = NORIA_ERROR_INIT;
  nr_compilation_fail(unit, status, &error);
  return job_report(job, &error);
}

/* ---- reading and compiling -------------------------------------------------------------------------------------- */

/* The types of an entry's values, of which texts has one after the other. */
static void note_types(Job *job, NrStr texts, size_t num_inputs) {
  for (const char *at = texts.data, *end = at + texts.size; at < end; at += strlen(at) + 1) {
    const char *type = *at ? nr_context_intern(job->ctx, nr_str(at)).data : NULL;
    if (job->input_types.size < num_inputs) nr_vec_push(&job->input_types, type);
    else nr_vec_push(&job->output_types, type);
  }
}

static void note_entry(Job *job, const NrCompilation *unit) {
  NrBuf texts = {0};
  size_t num_inputs = nr_compilation_types(unit, &texts);
  note_types(job, (NrStr){texts.data, texts.size}, num_inputs);
  nr_buf_deinit(&texts);
}

/* The diagnostics of a step that succeeded: warnings, and remarks that were asked for. */
static void show_diagnostics(NrCompilation *unit) {
  nr_diag_flush(unit->ctx);
  fwrite(unit->errors.size ? unit->errors.data : "", 1, unit->errors.size, stderr);
  nr_buf_append(&unit->warnings, unit->errors.data, unit->errors.size);
  unit->errors.size = 0;
}

int job_read(Job *job, NrCompilation *unit) {
  int64_t start = nr_now_ns();
  if (!job->ctx) job->ctx = nr_context_create();
  progress_begin("reading", job->path);
  NrStatus status = job->text.size ? nr_compilation_read_memory(unit, job->text.data, job->text.size, job->path, NULL,
                                                                &job->options)
                                   : nr_compilation_read_file(unit, job->path, &job->options);
  if (!status) status = nr_compilation_set_entry(unit, job->options.entry);
  progress_end();
  job->times.read = nr_now_ns() - start;
  if (status) return job_report_unit(job, unit, status);
  show_diagnostics(unit);
  note_entry(job, unit);
  return 0;
}

int job_look(Job *job, const char *option) {
  job->library = nr_is_library(job->path, job->options.format);
  if (!job->library) return 0;
  if (!option) option = nr_compiler_option(&job->options, true);
  if (!option && job->interpret) option = "--interpret";
  if (!option && job->stop_after) option = "--stop-after";
  if (!option && job->print_after) option = "--print-after";
  if (option)
    return tool_usage_error(job->tool, "'%s' is compiled already: %s is an option of compiling", job->path, option);
  if (job->explain)
    return tool_usage_error(job->tool, "'%s' is compiled already: --explain-%s is an option of compiling", job->path,
                            job->explain);
  return 0;
}

/* There are no types of text then: all values are tensors, sequences, maps and optionals. */
static int load_library(Job *job) {
  NoriaError error = NORIA_ERROR_INIT;
  if (!job->ctx) job->ctx = nr_context_create();
  int64_t start = nr_now_ns();
  NoriaStatus status = nr_library_load(job->path, NULL, &job->options, &job->program, &error);
  job->times.read = nr_now_ns() - start;
  nr_heap_settle(nr_heap_current());
  return status ? job_report(job, &error) : 0;
}

/* Whether job->program is made from the cache, or why not; *out_slot is where it is to be stored. */
static bool load_cached(Job *job, NrCacheSlot **out_slot, NoriaStatus *out_status, NoriaError *error) {
  NrCacheNotes notes = {0};
  int64_t start = nr_now_ns();
  bool read_here = job->text.size || job->interpret || job->explain; /* or what passes say is asked for */
  *out_slot = read_here ? NULL : nr_cache_look(job->path, (NrStr){0}, NULL, &job->options);
  bool found = nr_compilation_find(*out_slot, NULL, &job->options, &notes, &job->program, error, out_status);
  if (found) fwrite(notes.diagnostics.size ? notes.diagnostics.data : "", 1, notes.diagnostics.size, stderr);
  if (found && !*out_status) {
    if (!job->ctx) job->ctx = nr_context_create();
    size_t num_inputs = (size_t)noria_program_module(job->program)->num_inputs;
    note_types(job, (NrStr){notes.types.data, notes.types.size}, num_inputs);
    job->times.read = nr_now_ns() - start;
    nr_heap_settle(nr_heap_current());
  }
  nr_buf_deinit(&notes.diagnostics);
  nr_buf_deinit(&notes.types);
  return found;
}

int job_compile(Job *job) {
  NrCompilation unit = {0};
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus loaded;
  if (job->library) return load_library(job);
  if (load_cached(job, &unit.slot, &loaded, &error)) return loaded ? job_report(job, &error) : 0;
  if (job_read(job, &unit)) return 1;
  int64_t start = nr_now_ns();
  progress_begin("compiling", job->path);
  /* The interpreter runs the imported program; a model is lowered first. */
  NrPassOptions passes = {.stop_after = !job->interpret ? NULL : unit.model ? "tensor" : "import",
                          .explain = job->explain};
  NrStatus status = nr_compilation_lower(&unit, &passes);
  job->times.lower = nr_now_ns() - start;
  if (status) return job_report_unit(job, &unit, status);
  show_diagnostics(&unit);
  NoriaStatus made = job->interpret ? nr_compilation_interpret(&unit, &job->options, &job->program, &error)
                                    : nr_compilation_jit(&unit, &job->options, &job->times.code, &job->program, &error);
  progress_end();
  nr_heap_settle(nr_heap_current()); /* from here on the limits of the run apply */
  return made ? job_report(job, &error) : 0;
}

int job_print(Job *job) {
  NrCompilation unit = {0};
  NrBuf text = {0};
  if (job_read(job, &unit)) return 1;
  NrPassOptions passes = {
      .verify = true, .stop_after = job->stop_after, .print_after = job->print_after, .print_to = &text,
      .explain = job->explain};
  NrStatus status = nr_compilation_lower(&unit, &passes);
  if (!status) show_diagnostics(&unit);
  if (!status && !job->print_after) nr_print_module(&text, unit.module, NULL);
  fwrite(text.data ? text.data : "", 1, text.size, stdout);
  nr_buf_deinit(&text);
  int result = status ? job_report_unit(job, &unit, status) : 0;
  nr_compilation_deinit(&unit);
  return result;
}

/* ---- inputs ----------------------------------------------------------------------------------------------------- */

static Place input_place(const Job *job, const NoriaModule *module, size_t i) {
  return (Place){&module->inputs[i], i < job->input_types.size ? job->input_types.data[i] : NULL, job->seed + i};
}

/* Whether the assignment is for value i; one without a name is for the only value. */
static bool is_for(const Assignment *a, const NoriaValueInfo *infos, int32_t count, size_t i) {
  return a->name.size || count != 1 ? nr_str_is(a->name, infos[i].name) : true;
}

/* The text given for input i; *out_times is how often it is given. */
static const char *find_input(const Job *job, const NoriaModule *module, size_t i, size_t *out_times) {
  const char *text = i < job->args.size ? job->args.data[i] : NULL;
  *out_times = text != NULL;
  for (size_t k = 0; k < job->inputs.size; k++)
    if (is_for(&job->inputs.data[k], module->inputs, module->num_inputs, i)) {
      text = job->inputs.data[k].text;
      ++*out_times;
    }
  return text;
}

static void list_names(const NoriaValueInfo *infos, int32_t count, NrBuf *out) {
  for (int32_t i = 0; i < count; i++) nr_buf_printf(out, "%s'%s'", i ? ", " : "", infos[i].name);
  if (!count) nr_buf_puts(out, "none");
}

/* Every assignment has a name that is one of infos. */
static bool check_names(const Assignment *list, size_t size, const NoriaValueInfo *infos, int32_t count,
                        const char *what, NoriaError *error) {
  for (size_t k = 0; k < size; k++) {
    int32_t i = 0;
    while (i < count && !is_for(&list[k], infos, count, (size_t)i)) i++;
    if (i < count) continue;
    NrBuf names = {0};
    list_names(infos, count, &names);
    if (list[k].name.size)
      value_error(error, "the program has no %s '%.*s'; its %ss are: %s", what, NR_STR_ARG(list[k].name), what,
                  names.data);
    else
      value_error(error, "'%s' is for no %s: --%s NAME=VALUE; the program's %ss are: %s", list[k].text, what, what,
                  what, names.data);
    nr_buf_deinit(&names);
    return false;
  }
  return true;
}

/* Checks that .npy files can hold the outputs that are to be saved. */
static bool check_saved(const Job *job, const NoriaModule *module, NoriaError *error) {
  for (size_t k = 0; k < job->outputs.size; k++)
    for (int32_t i = 0; i < module->num_outputs; i++)
      if (is_for(&job->outputs.data[k], module->outputs, module->num_outputs, (size_t)i) &&
          module->outputs[i].kind != NORIA_KIND_TENSOR)
        return value_error(error, "output '%s' is %s, which no .npy file holds; without --output it is printed",
                           module->outputs[i].name,
                           module->outputs[i].kind == NORIA_KIND_SEQUENCE ? "a sequence"
                           : module->outputs[i].kind == NORIA_KIND_MAP    ? "a map"
                                                                          : "an optional");
  return true;
}

static bool check_arguments(const Job *job, const NoriaModule *module, NoriaError *error) {
  if (job->args.size > (size_t)module->num_inputs)
    return value_error(error, "%zu value%s given, but the program has %d input%s", job->args.size,
                       job->args.size == 1 ? " is" : "s are", (int)module->num_inputs,
                       module->num_inputs == 1 ? "" : "s");
  return check_names(job->inputs.data, job->inputs.size, module->inputs, module->num_inputs, "input", error) &&
         check_names(job->outputs.data, job->outputs.size, module->outputs, module->num_outputs, "output", error) &&
         check_saved(job, module, error);
}

/* The value of input i for a rank; NULL after reporting. */
static NoriaValue *bind_input(Job *job, const NoriaModule *module, size_t i, int32_t rank, bool make_up) {
  NoriaError error = NORIA_ERROR_INIT;
  size_t times;
  const char *text = ranks_text(job, find_input(job, module, i, &times), rank), *name = module->inputs[i].name;
  Place place = input_place(job, module, i);
  NoriaValue *value = NULL;
  if (!text && make_up) text = "random";
  bool ok = times > 1 ? value_error(&error, "%zu values are given for it", times)
            : text ? value_parse(job->ctx, text, &place, &value, &error)
                   : value_error(&error, "no value is given: --input %s=@FILE.npy, or zeros, random, a number", name);
  if (ok) return value;
  NoriaError named = NORIA_ERROR_INIT;
  value_error(&named, "input '%s': %s", name, error.message ? error.message : "cannot be read");
  noria_error_clear(&error);
  job_report(job, &named);
  return NULL;
}

/* Whether the ranks are given different texts for input i. */
static bool differs(Job *job, const NoriaModule *module, size_t i) {
  size_t times;
  const char *text = find_input(job, module, i, &times);
  return text && ranks_text(job, text, 0) != text;
}

int job_bind(Job *job, const NoriaModule *module, bool make_up) {
  NoriaError error = NORIA_ERROR_INIT;
  if (!check_arguments(job, module, &error)) return job_report(job, &error);
  size_t count = (size_t)module->num_inputs;
  for (size_t k = 0; k < count * (size_t)NR_MAX(job->num_ranks, 1); k++) {
    NoriaValue *value = k >= count && !differs(job, module, k % count)
                            ? noria_value_retain(job->feeds.data[k % count])
                            : bind_input(job, module, k % count, job->first_rank + (int32_t)(k / count), make_up);
    if (!value) return 1;
    nr_vec_push(&job->feeds, value);
  }
  return 0;
}

/* ---- running ---------------------------------------------------------------------------------------------------- */

static void on_interrupt(int signal_number) {
  noria_interrupt_all();
}

int job_run(Job *job) {
  /* The first Ctrl-C stops the run with an error, a second one ends the process. */
  struct sigaction stop = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND}, before;
  NoriaError error = NORIA_ERROR_INIT;
  size_t num_outputs = (size_t)noria_program_module(job->program)->num_outputs * (size_t)NR_MAX(job->num_ranks, 1);
  job_drop_results(job);
  nr_vec_reserve(&job->results, num_outputs);
  sigaction(SIGINT, &stop, &before);
  progress_begin("running", job->path);
  int64_t start = nr_now_ns();
  NoriaStatus status = ranks_run(job, job->program, job->results.data, &error);
  job->times.run = nr_now_ns() - start;
  progress_end();
  sigaction(SIGINT, &before, NULL);
  if (status) return job_report(job, &error);
  job->results.size = num_outputs;
  return 0;
}

void job_finish_cache(Job *job) {
  const NrOwned *owned = nr_program_owned(job->program);
  if (!owned || !owned->tier || !nr_tier_stores(owned->tier)) return;
  fflush(stdout);
  noria_program_tier(job->program, -1, NULL);
}

/* ---- outputs ---------------------------------------------------------------------------------------------------- */

/* Whether output i is the final contents of a memref argument. */
static bool is_argument(const NoriaModule *module, size_t i) {
  for (int32_t k = 0; k < module->num_inputs; k++)
    if (!strcmp(module->inputs[k].name, module->outputs[i].name)) return true;
  return false;
}

/* Memref arguments follow the function's results in the outputs; they are printed only if there are no results. */
static bool is_shown(const Job *job, const NoriaModule *module, size_t i) {
  bool of_text = i < job->output_types.size && job->output_types.data[i];
  return !of_text || !is_argument(module, i) || is_argument(module, 0);
}

/* result: output i of a rank. */
static bool save(Job *job, const NoriaModule *module, size_t i, int32_t rank, const NoriaValue *result, bool *out_saved,
                 NoriaError *error) {
  *out_saved = false;
  for (size_t k = 0; k < job->outputs.size; k++) {
    const char *text = job->outputs.data[k].text, *file = ranks_text(job, text, rank);
    if (!is_for(&job->outputs.data[k], module->outputs, module->num_outputs, i)) continue;
    *out_saved = true;
    if (job->all_ranks > 1 && !strstr(text, "%r"))
      return value_error(error, "'%s' would be the file of all %d ranks; a %%r in its name becomes the rank", text + 1,
                         (int)job->all_ranks);
    if (noria_npy_write(file + 1, result, error)) return false;
  }
  return true;
}

/* Saves the results of a rank, and appends those that are printed to *text. */
static bool put_rank(Job *job, int32_t index, NrBuf *text, NoriaError *error) {
  const NoriaModule *module = noria_program_module(job->program);
  size_t count = (size_t)module->num_outputs;
  for (size_t i = 0; i < count; i++) {
    const NoriaValue *result = job->results.data[(size_t)index * count + i];
    bool saved;
    if (!save(job, module, i, job->first_rank + index, result, &saved, error)) return false;
    if (saved || !is_shown(job, module, i)) continue;
    Place place = {&module->outputs[i], i < job->output_types.size ? job->output_types.data[i] : NULL, 0};
    value_print(job->ctx, result, &place, text);
    nr_buf_putc(text, '\n');
  }
  return true;
}

int job_put_results(Job *job) {
  NoriaError error = NORIA_ERROR_INIT;
  int32_t count = NR_MAX(job->num_ranks, 1);
  NrBuf *texts = nr_calloc((size_t)count, sizeof *texts);
  bool ok = true;
  for (int32_t r = 0; r < count && ok; r++) ok = put_rank(job, r, &texts[r], &error);
  int status = ok ? ranks_print(job, texts) : job_report(job, &error);
  for (int32_t r = 0; r < count; r++) nr_buf_deinit(&texts[r]);
  nr_free(texts);
  return status;
}

static double ms(int64_t ns) { return (double)ns / 1e6; }

void job_put_times(const Job *job) {
  const NrCodegenTimes *c = &job->times.code;
  fprintf(stderr, "%-8s %10.3f ms\n", job->library ? "load" : "read", ms(job->times.read));
  /* Without this time, the steps were reported one by one. */
  if (job->times.lower) fprintf(stderr, "lower    %10.3f ms\n", ms(job->times.lower));
  if (!job->interpret && !job->library)
    fprintf(stderr, "code     %10.3f ms  (load LLVM %.3f, build %.3f, optimize %.3f, emit %.3f, link %.3f)\n",
            ms(c->load + c->build + c->optimize + c->emit + c->link), ms(c->load), ms(c->build), ms(c->optimize),
            ms(c->emit), ms(c->link));
  if (job->times.run) fprintf(stderr, "run      %10.3f ms\n", ms(job->times.run));
}
