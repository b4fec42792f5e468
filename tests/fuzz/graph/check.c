/* check.c - see check.h.
 *
 * Machine code and the interpreter behind the last stage run the same ops, so they agree bit for bit, once no op allows
 * LLVM to compute in another order. With the program of stage `tensor` they do so where that is exact: no op allows
 * another order, and there are no elementary functions, which are libm's there. */
#include "check.h"

#include "../feeds.h"
#include "../random.h"
#include "base/dtype.h"
#include "base/float_format.h"
#include "driver/driver.h"

enum { RUNS = 2, RUN_MEMORY = 64 << 20, MAX_STEPS = 2000000 };

typedef struct Outcome {
  NoriaStatus status;
  NrBuf message;
  NR_VEC(NoriaValue *) values;
} Outcome;

typedef struct Inputs {
  NR_VEC(NoriaValue *) values;
} Inputs;

typedef struct GraphCheck {
  GraphCounts *counts;
  const GraphMade *made;
  NrModule *first; /* as stage `tensor` leaves it */
  bool exact, code_is_exact; /* whether stage `tensor`, and machine code, agree with the last stage */
  Inputs inputs[RUNS];
  Outcome want[RUNS];
  NrBuf *message;
} GraphCheck;

/* ---- values ----------------------------------------------------------------------------------------------------- */

static const NrFloatFormat *format_of(NoriaDType dtype) {
  switch (dtype) {
  case NORIA_F16: return &nr_format_f16;
  case NORIA_BF16: return &nr_format_bf16;
  case NORIA_F8E5M2: return &nr_format_f8e5m2; /* the 8-bit floats with several NaN */
  case NORIA_F8E4M3FN: return &nr_format_f8e4m3fn;
  default: return NULL;
  }
}

/* Of an element, or of a part of a complex one. */
static bool is_nan(NoriaDType dtype, size_t size, const unsigned char *at) {
  uint64_t bits = 0;
  memcpy(&bits, at, size);
  if (dtype == NORIA_F64 || dtype == NORIA_C128) return (bits & INT64_MAX) > UINT64_C(0x7ff0000000000000);
  if (dtype == NORIA_F32 || dtype == NORIA_C64) return (bits & 0x7fffffff) > 0x7f800000;
  const NrFloatFormat *format = format_of(dtype);
  return format && nr_float_decode(format, bits) != nr_float_decode(format, bits);
}

/* Bit for bit, but that any NaN is a NaN. */
static bool same_elements(const NoriaValue *a, const NoriaValue *b) {
  NoriaDType dtype = noria_value_dtype(a);
  const unsigned char *x = noria_tensor_data(a), *y = noria_tensor_data(b);
  size_t size = noria_dtype_size(dtype), parts = nr_dtype_info(dtype)->class == NR_DTYPE_COMPLEX ? 2 : 1;
  int64_t count = noria_tensor_count(a) * (int64_t)parts;
  for (int64_t i = 0; i < count; i++, x += size / parts, y += size / parts)
    if (memcmp(x, y, size / parts) != 0 && !(is_nan(dtype, size / parts, x) && is_nan(dtype, size / parts, y)))
      return false;
  return true;
}

static bool same_strings(const NoriaValue *a, const NoriaValue *b) {
  for (int64_t i = 0; i < noria_tensor_count(a); i++) {
    size_t x_size, y_size;
    const char *x = noria_tensor_string(a, i, &x_size), *y = noria_tensor_string(b, i, &y_size);
    if (x_size != y_size || memcmp(x, y, x_size) != 0) return false;
  }
  return true;
}

static bool same_value(const NoriaValue *a, const NoriaValue *b) {
  if (!a || !b) return a == b;
  if (noria_value_kind(a) != noria_value_kind(b) || noria_value_dtype(a) != noria_value_dtype(b)) return false;
  switch (noria_value_kind(a)) {
  case NORIA_KIND_SEQUENCE:
    if (noria_sequence_length(a) != noria_sequence_length(b)) return false;
    for (int64_t i = 0; i < noria_sequence_length(a); i++)
      if (!same_value(noria_sequence_at(a, i), noria_sequence_at(b, i))) return false;
    return true;
  case NORIA_KIND_OPTIONAL: return same_value(noria_optional_item(a), noria_optional_item(b));
  case NORIA_KIND_MAP:
    return same_value(noria_map_keys(a), noria_map_keys(b)) && same_value(noria_map_values(a), noria_map_values(b));
  default: break;
  }
  if (noria_tensor_rank(a) != noria_tensor_rank(b)) return false;
  for (int64_t d = 0; d < noria_tensor_rank(a); d++)
    if (noria_tensor_dims(a)[d] != noria_tensor_dims(b)[d]) return false;
  return noria_value_dtype(a) == NORIA_STRING ? same_strings(a, b) : same_elements(a, b);
}

static void put_value(NrBuf *out, const NoriaValue *v) {
  if (!v) nr_buf_puts(out, "nothing");
  else if (noria_value_kind(v) == NORIA_KIND_TENSOR) {
    NoriaDType dtype = noria_value_dtype(v);
    size_t size = noria_dtype_size(dtype);
    nr_buf_printf(out, "%s", nr_dtype_info(dtype)->name);
    for (int64_t d = 0; d < noria_tensor_rank(v); d++)
      nr_buf_printf(out, "%s%lld", d ? "x" : "[", (long long)noria_tensor_dims(v)[d]);
    if (noria_tensor_rank(v)) nr_buf_putc(out, ']');
    for (int64_t i = 0; i < NR_MIN(noria_tensor_count(v), 64) && dtype != NORIA_STRING; i++) {
      uint64_t bits = 0;
      memcpy(&bits, (const unsigned char *)noria_tensor_data(v) + (size_t)i * size, NR_MIN(size, sizeof bits));
      nr_buf_printf(out, " 0x%llx", (unsigned long long)bits);
    }
    for (int64_t i = 0; i < NR_MIN(noria_tensor_count(v), 64) && dtype == NORIA_STRING; i++)
      nr_buf_printf(out, " '%s'", noria_tensor_string(v, i, NULL));
  } else nr_buf_printf(out, "kind %d", (int)noria_value_kind(v));
}

/* ---- runs ------------------------------------------------------------------------------------------------------- */

static void outcome_deinit(Outcome *o) {
  for (size_t i = 0; i < o->values.size; i++) noria_value_release(o->values.data[i]);
  nr_vec_deinit(&o->values);
  nr_buf_deinit(&o->message);
}

static bool wrong(GraphCheck *c, const char *where, const char *text) {
  nr_buf_printf(c->message, "%s: %s", where, text && *text ? text : "an error without a message");
  return false;
}

static bool is_limit(NoriaStatus status) {
  return status == NORIA_ERROR_LIMIT || status == NORIA_ERROR_MEMORY || status == NORIA_ERROR_INTERRUPTED;
}

/* Whether the run ended as it need not in another way of running it. The interpreter has a limit of its own. */
static bool is_cut_off(const Outcome *o) {
  return is_limit(o->status) || (o->status && o->message.size && strstr(o->message.data, "ops is reached"));
}

static bool run(GraphCheck *c, NoriaProgram *program, const Inputs *inputs, const char *where, Outcome *o) {
  size_t count = (size_t)noria_program_module(program)->num_outputs;
  NoriaError error = NORIA_ERROR_INIT;
  *o = (Outcome){0};
  for (size_t i = 0; i < count; i++) nr_vec_push(&o->values, NULL);
  o->status = noria_program_run(program, (const NoriaValue *const *)inputs->values.data, inputs->values.size,
                                o->values.data, count, NULL, &error);
  if (error.message) nr_buf_puts(&o->message, error.message);
  noria_error_clear(&error);
  c->counts->runs++;
  c->counts->failed_runs += o->status != NORIA_OK;
  c->counts->limited += is_cut_off(o);
  bool outside = o->status && o->message.size && strstr(o->message.data, "out of bounds access");
  if (outside || o->status == NORIA_ERROR_INTERNAL || (o->status != NORIA_OK) != (o->message.size != 0))
    return wrong(c, where, o->message.data);
  return true;
}

static bool compare(GraphCheck *c, const Outcome *want, const Outcome *got, const char *where) {
  if (is_cut_off(want) || is_cut_off(got)) return true;
  if (want->status != got->status || (want->message.size && strcmp(want->message.data, got->message.data) != 0)) {
    nr_buf_printf(c->message, "%s: '%s' instead of '%s'", where, got->status ? got->message.data : "no error",
                  want->status ? want->message.data : "no error");
    return false;
  }
  for (size_t i = 0; i < want->values.size && !want->status; i++) {
    if (same_value(want->values.data[i], got->values.data[i])) continue;
    nr_buf_printf(c->message, "%s: output %zu is ", where, i);
    put_value(c->message, got->values.data[i]);
    nr_buf_puts(c->message, " instead of ");
    put_value(c->message, want->values.data[i]);
    return false;
  }
  return true;
}

static bool make_inputs(GraphCheck *c, const NoriaModule *module) {
  uint64_t random = c->made->random;
  for (size_t k = 0; k < RUNS; k++) {
    FuzzFeeds feeds = {.random = &random, .usual_size = c->made->usual_size};
    for (int32_t i = 0; i < module->num_inputs; i++) {
      NoriaValue *value = fuzz_feed(&feeds, &module->inputs[i]);
      if (!value) return false;
      nr_vec_push(&c->inputs[k].values, value);
    }
  }
  return true;
}

/* Runs the program on all inputs. Its outcomes are what is wanted from then on, or are compared with that. */
static bool run_all(GraphCheck *c, NoriaProgram *program, const char *where, bool first) {
  for (size_t k = 0; k < RUNS; k++) {
    Outcome got = {0};
    bool holds = run(c, program, &c->inputs[k], where, &got);
    if (holds && !first) holds = compare(c, &c->want[k], &got, where);
    outcome_deinit(first ? &c->want[k] : &got);
    if (first) c->want[k] = got;
    if (!holds) return false;
  }
  return true;
}

static const NoriaProgramOptions run_options = {
    .threads = 1, .limits = {.time_s = 0.5, .iterations = 200000, .memory = RUN_MEMORY}};

/* *out_given: there are inputs for it. */
static bool interpret(GraphCheck *c, NrModule *module, const char *where, bool first, bool *out_given) {
  NrInterpProgram *interp;
  NrInterpOptions options = {.max_steps = MAX_STEPS};
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  if (nr_interp_create(module, NULL, &options, &interp)) return wrong(c, where, "cannot be interpreted");
  bool holds = !noria_program_create(nr_interp_module(interp), &run_options, &program, &error);
  if (!holds) wrong(c, where, error.message);
  *out_given = !first || (holds && make_inputs(c, nr_interp_module(interp)));
  if (holds && *out_given) holds = run_all(c, program, where, first);
  noria_error_clear(&error);
  noria_program_destroy(program);
  nr_interp_destroy(interp);
  return holds;
}

/* ---- stages ----------------------------------------------------------------------------------------------------- */

static bool is_relaxed(const NrOp *op) { return nr_op_attr(op, NR_A_fastmath) != NULL; }

static bool gives_floats(const NrOp *op) {
  bool floats = false;
  for (uint32_t i = 0; i < op->num_results; i++) {
    NrType type = op->results[i].type;
    while (nr_type_is_shaped(type)) type = type->elem;
    floats |= type->kind == NR_TYPE_FLOAT || type->kind == NR_TYPE_COMPLEX;
  }
  return floats;
}

/* Whether the op gives the same bits in every order and by every library. */
static bool is_exact(NrOp *op, void *user) {
  const char *dialect = op->info->dialect ? op->info->dialect : "";
  bool approximates = strcmp(dialect, "math") == 0 || strcmp(dialect, "complex") == 0;
  if (is_relaxed(op) || (approximates && gives_floats(op))) *(bool *)user = false;
  return *(bool *)user;
}

/* LLVM knows libm's functions of constants, and rounds some of them better than libm. */
static bool be_strict(NrOp *op, void *user) {
  nr_op_remove_attr(op, NR_A_fastmath);
  if (nr_op_is(op, NR_OP_rt_libm)) *(bool *)user = false;
  return true;
}

/* What may be contracted or put into another order has been by then, but for what LLVM would do. */
static NrStatus after_stage(void *user, NrModule *module, const char *name) {
  GraphCheck *c = user;
  c->code_is_exact = true;
  if (strcmp(name, "expand") == 0) nr_walk_pre(module->op, be_strict, &c->code_is_exact);
  if (strcmp(name, "tensor") != 0) return NR_OK;
  c->exact = true;
  nr_walk_pre(module->op, is_exact, &c->exact);
  if (c->exact) c->first = nr_module_clone(module);
  return NR_OK;
}

static bool check_code(GraphCheck *c, NrCompilation *unit, const NoriaCompileOptions *options) {
  NoriaProgram *program = NULL;
  NoriaError error = NORIA_ERROR_INIT;
  NoriaStatus status = nr_compilation_jit(unit, options, NULL, &program, &error);
  bool holds = !status || is_limit(status);
  if (!holds) wrong(c, "machine code", error.message);
  else if (program) holds = run_all(c, program, "machine code", !c->code_is_exact);
  noria_program_destroy(program);
  noria_error_clear(&error);
  return holds;
}

static bool check_unit(GraphCheck *c, NrCompilation *unit, const NoriaCompileOptions *options) {
  NrPassOptions passes = {.verify = true, .after = after_stage, .user = c};
  NrStatus status = nr_compilation_lower(unit, &passes);
  if (status) {
    c->counts->refused++;
    if (status == NR_ERROR_INTERNAL || !unit->errors.size) return wrong(c, "lowering", unit->errors.data);
    return true;
  }
  bool given = false, holds = interpret(c, unit->module, "the last stage", true, &given);
  if (holds && given && c->first) {
    c->counts->exact++;
    holds = interpret(c, c->first, "stage tensor", false, &given);
  }
  nr_module_destroy(c->first); /* before its context ends with the unit */
  c->first = NULL;
  return holds && given ? check_code(c, unit, options) : holds;
}

bool graph_check(const GraphMade *made, GraphCounts *counts, NrBuf *message) {
  GraphCheck c = {.counts = counts, .made = made, .message = message};
  NoriaCompileOptions options = {.program = run_options, .opt_level = made->random >> 60 < 4 ? 2 : 1};
  NrCompilation unit = {0};
  if ((made->random >> 58 & 3) == 0) options.sanitize = "address";
  counts->models++;
  NrStatus status = nr_compilation_read_memory(&unit, made->model.data, made->model.size, "model.onnx", NULL, &options);
  bool holds = status ? wrong(&c, "reading", unit.errors.data) : check_unit(&c, &unit, &options);
  nr_module_destroy(c.first);
  nr_compilation_deinit(&unit);
  for (size_t k = 0; k < RUNS; k++) {
    for (size_t i = 0; i < c.inputs[k].values.size; i++) noria_value_release(c.inputs[k].values.data[i]);
    nr_vec_deinit(&c.inputs[k].values);
    outcome_deinit(&c.want[k]);
  }
  return holds;
}
