/* module.h - modules written by hand, as compiled code would be, for the tests of the runtime. */
#ifndef TESTS_UNIT_RUNTIME_MODULE_H
#define TESTS_UNIT_RUNTIME_MODULE_H

#include "noria/runtime.h"

/* cmocka's macro of this name would swallow calls of api->fail. */
#undef fail

#define LENGTH(a) ((int32_t)(sizeof(a) / sizeof((a)[0])))

/* A module with this entry; the rest is set by the test. */
#define MODULE(entry_, inputs_, outputs_)                                                                              \
  {                                                                                                                    \
    .abi_version = NORIA_ABI_VERSION, .name = "test", .num_inputs = LENGTH(inputs_), .num_outputs = LENGTH(outputs_),  \
    .inputs = (inputs_), .outputs = (outputs_), .entry = (entry_)                                                      \
  }

static const int64_t any_1d[] = {-1};
static const char *const symbol_n[] = {"N"};
static const NoriaValueInfo scalar_i64[] = {{"n", NORIA_KIND_TENSOR, NORIA_I64, 0, 0, NULL, NULL}};
static const NoriaValueInfo vector_f32[] = {{"y", NORIA_KIND_TENSOR, NORIA_F32, 1, 0, any_1d, symbol_n}};

static inline NoriaValue *make_i64(int64_t value) {
  NoriaValue *v = NULL;
  assert_int_equal(noria_tensor_create(NORIA_I64, 0, NULL, &value, &v, NULL), NORIA_OK);
  return v;
}

static inline NoriaProgram *make_program(const NoriaModule *module, int32_t threads) {
  NoriaProgram *program = NULL;
  NoriaProgramOptions options = {.threads = threads};
  assert_int_equal(noria_program_create(module, &options, &program, NULL), NORIA_OK);
  return program;
}

/* Runs a program with one int64 scalar input and at most one output, which is released; returns the status. */
static inline NoriaStatus run_i64(NoriaProgram *program, int64_t n, const NoriaRunOptions *options, NoriaError *error) {
  NoriaValue *input = make_i64(n), *output = NULL;
  const NoriaValue *inputs[] = {input};
  NoriaStatus status = noria_program_run(program, inputs, 1, &output,
                                         (size_t)noria_program_module(program)->num_outputs, options, error);
  if (status) assert_null(output);
  noria_value_release(output);
  noria_value_release(input);
  return status;
}

#endif
