/* try.c - see try.h. */
#include "try.h"

#include "../feeds.h"
#include "../random.h"

/* The interpreter is slow, and most of what a second run could show is shown by the first. */
enum { RUNS = 1, CODE_RUNS = 3, RUN_MEMORY = 64 << 20 };

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static bool finding(Try *t, const char *what, int status, const char *message) {
  nr_buf_printf(&t->message, "%s: status %d: %s", what, status, message && *message ? message : "without a message");
  return false;
}

/* Reads what the run gave: values that are not whole are to be noticed. */
static void touch(const NoriaValue *value) {
  volatile uint64_t seen = 0;
  if (!value) return;
  for (int64_t i = 0; i < noria_sequence_length(value); i++) touch(noria_sequence_at(value, i));
  touch(noria_optional_item(value));
  touch(noria_map_keys(value));
  touch(noria_map_values(value));
  const unsigned char *data = noria_tensor_data(value);
  for (size_t i = 0; data && i < noria_tensor_size(value); i++) seen += data[i];
  for (int64_t i = 0; !data && i < noria_tensor_count(value); i++) {
    size_t size;
    const char *text = noria_tensor_string(value, i, &size);
    if (text) seen += (unsigned char)text[size];
  }
}

static bool run_once(Try *t, NoriaProgram *program, uint64_t *random) {
  const NoriaModule *module = noria_program_module(program);
  NR_VEC(NoriaValue *) inputs = {0};
  NR_VEC(NoriaValue *) outputs = {0};
  FuzzFeeds feeds = {.random = random};
  bool holds = true, made = true;
  for (int32_t i = 0; i < module->num_inputs && made; i++) {
    NoriaValue *value = fuzz_feed(&feeds, &module->inputs[i]);
    if ((made = value != NULL)) nr_vec_push(&inputs, value);
  }
  if (made) {
    NoriaError error = NORIA_ERROR_INIT;
    for (int32_t i = 0; i < module->num_outputs; i++) nr_vec_push(&outputs, NULL);
    NoriaStatus status = noria_program_run(program, (const NoriaValue *const *)inputs.data, inputs.size, outputs.data,
                                           outputs.size, NULL, &error);
    t->counts.runs++;
    t->counts.runs_failed += status != NORIA_OK;
    bool outside = status && strstr(error.message ? error.message : "", "out of bounds access");
    if (outside || status == NORIA_ERROR_INTERNAL || (status != NORIA_OK) != (error.message && *error.message))
      holds = finding(t, "run", (int)status, error.message);
    for (size_t i = 0; i < outputs.size && !status; i++) touch(outputs.data[i]);
    noria_error_clear(&error);
  }
  for (size_t i = 0; i < outputs.size; i++) noria_value_release(outputs.data[i]);
  for (size_t i = 0; i < inputs.size; i++) noria_value_release(inputs.data[i]);
  nr_vec_deinit(&inputs);
  nr_vec_deinit(&outputs);
  return holds;
}

static void doing(Try *t, const char *what, const char *stage) {
  t->what.size = 0;
  nr_buf_printf(&t->what, "%s%s", what, stage ? stage : "");
}

bool try_model(Try *t, const NrBuf *bytes, uint64_t random) {
  static const char *const stages[] = {"tensor", "loop", "flow", "buffer", "kernel", NULL,
                                       NULL,     NULL,   NULL,   NULL,     NULL};
  NoriaCompileOptions options = {
      .program = {.threads = 1, .limits = {.time_s = 0.2, .iterations = 1000000, .memory = RUN_MEMORY}},
      .opt_level = 1};
  NrPassOptions passes = {.verify = true};
  NrCompilation unit = {0};
  random |= 1;
  fuzz_random(&random);
  passes.stop_after = stages[fuzz_below(&random, NR_COUNTOF(stages))];
  bool code = !passes.stop_after && fuzz_below(&random, 2), holds = true;
  if (code && fuzz_below(&random, 2)) options.sanitize = "address";
  t->counts.models++;
  t->message.size = 0;
  doing(t, "reads it", NULL);
  NrStatus status = nr_compilation_read_memory(&unit, bytes->data, bytes->size, "model.onnx", NULL, &options);
  bool lowers = !status;
  if (lowers) {
    doing(t, "lowers it", passes.stop_after);
    status = nr_compilation_lower(&unit, &passes);
  }
  if (status) {
    holds = status != NR_ERROR_INTERNAL && unit.errors.size;
    if (!holds) finding(t, lowers ? "lower" : "read", (int)status, unit.errors.data);
    t->counts.refused++;
    nr_compilation_deinit(&unit);
    return holds;
  }
  t->counts.lowered++;
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  doing(t, code ? "makes code" : "interprets it after ", code ? NULL : passes.stop_after);
  NoriaStatus made = code ? nr_compilation_jit(&unit, &options, NULL, &program, &error)
                          : nr_compilation_interpret(&unit, &options, &program, &error);
  if (made) {
    holds = made != NORIA_ERROR_INTERNAL && error.message && *error.message;
    if (!holds) finding(t, "program", (int)made, error.message);
    t->counts.refused++;
  }
  t->counts.compiled += code && !made;
  doing(t, code ? "runs its code" : "runs it after ", code ? NULL : passes.stop_after);
  for (int i = 0; i < (code ? CODE_RUNS : RUNS) && holds && !made; i++) holds = run_once(t, program, &random);
  noria_program_destroy(program);
  noria_error_clear(&error);
  return holds;
}

void try_deinit(Try *t) {
  nr_buf_deinit(&t->what);
  nr_buf_deinit(&t->message);
}
