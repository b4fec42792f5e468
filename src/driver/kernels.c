/* kernels.c - noria_kernel_run: a kernel is a program of one call, compiled at its first run and kept. */
#include <pthread.h>
#include <stdio.h>

#include "base/base.h"
#include "noria/kernels.h"
#include "noria/noria.h"
#include "runtime/error.h"

/* What a kernel takes and gives; T stands for the type of the elements. */
typedef struct Signature {
  const char *kernel, *inputs[6], *outputs[4];
} Signature;

static const Signature signatures[] = {
    {"argsort", {"tensor<?x?xT>"}, {"tensor<?x?xi64>"}},
    {"histogram", {"tensor<?xT>", "tensor<?xT>"}, {"tensor<?xi64>"}},
    {"merge", {"tensor<?xT>", "tensor<?xT>"}, {"tensor<?xT>"}},
    {"nms", {"tensor<?x?x4xf32>", "tensor<?x?x?xf32>", "index", "f32", "f32", "i1"}, {"tensor<?x3xi64>"}},
    {"ragged_searchsorted", {"tensor<?xT>", "tensor<?xi64>", "tensor<?xT>", "tensor<?xi64>", "i1"}, {"tensor<?xi64>"}},
    {"searchsorted", {"tensor<?xT>", "tensor<?xT>", "i1"}, {"tensor<?xi64>"}},
    {"sort", {"tensor<?x?xT>"}, {"tensor<?x?xT>"}},
    {"topk", {"tensor<?x?x?xT>", "index"}, {"tensor<?x?x?xT>", "tensor<?x?x?xi64>"}},
    {"unique", {"tensor<?xT>", "i1"}, {"tensor<?xT>", "tensor<?xi64>"}},
    {"unique_places", {"tensor<?xT>", "i1"}, {"tensor<?xT>", "tensor<?xi64>", "tensor<?xi64>", "tensor<?xi64>"}},
};

/* The kernels that were compiled, never freed. There are fewer names of kernels than places. */
enum { MAX_KERNELS = 1024, MAX_NAME = 64, MAX_TEXT = 4096 };
typedef struct Kernel {
  char name[MAX_NAME];
  NoriaProgram *program;
} Kernel;
static Kernel kernels[MAX_KERNELS];
static size_t num_kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static NoriaProgram *find(const char *name) {
  for (size_t i = 0; i < num_kernels; i++)
    if (!strcmp(kernels[i].name, name)) return kernels[i].program;
  return NULL;
}

/* ---- the program of a kernel ------------------------------------------------------------------------------------- */

typedef struct Text {
  char data[MAX_TEXT];
  size_t size;
} Text;

static void put(Text *text, const char *s, size_t size) {
  size_t room = sizeof text->data - 1 - text->size;
  memcpy(text->data + text->size, s, NR_MIN(size, room));
  text->size += NR_MIN(size, room);
  text->data[text->size] = 0;
}

static void puts_of(Text *text, const char *s) { put(text, s, strlen(s)); }

/* A type of the signature, with that of the elements for T. */
static void put_type(Text *text, const char *type, NrStr elem) {
  const char *t = strchr(type, 'T');
  put(text, type, t ? (size_t)(t - type) : strlen(type));
  if (!t) return;
  put(text, elem.data, elem.size);
  puts_of(text, t + 1);
}

/* "(a, b)" of types; with names, "(%0: a, %1: b)"; or of names only. */
enum { TYPES = 1, NAMES = 2 };
static void put_list(Text *text, const char *const *types, size_t max, NrStr elem, int what) {
  puts_of(text, "(");
  for (size_t i = 0; i < max && types[i]; i++) {
    if (i) puts_of(text, ", ");
    if (what & NAMES) put(text, (char[]){'%', 'a', (char)('0' + i)}, 3);
    if (what == (TYPES | NAMES)) puts_of(text, ": ");
    if (what & TYPES) put_type(text, types[i], elem);
  }
  puts_of(text, ")");
}

static void put_function_type(Text *text, const Signature *s, NrStr elem) {
  put_list(text, s->inputs, NR_COUNTOF(s->inputs), elem, TYPES);
  puts_of(text, " -> ");
  put_list(text, s->outputs, NR_COUNTOF(s->outputs), elem, TYPES);
}

static void write_program(Text *text, const char *name, const Signature *s, NrStr elem) {
  size_t count = 0;
  while (count < NR_COUNTOF(s->outputs) && s->outputs[count]) count++;
  puts_of(text, "func.func private @noria.");
  puts_of(text, name);
  put_function_type(text, s, elem);
  puts_of(text, "\nfunc.func @main");
  put_list(text, s->inputs, NR_COUNTOF(s->inputs), elem, TYPES | NAMES);
  puts_of(text, " -> ");
  put_list(text, s->outputs, NR_COUNTOF(s->outputs), elem, TYPES);
  puts_of(text, " {\n  %r:");
  put(text, (char[]){(char)('0' + count)}, 1);
  puts_of(text, " = func.call @noria.");
  puts_of(text, name);
  put_list(text, s->inputs, NR_COUNTOF(s->inputs), elem, NAMES);
  puts_of(text, " : ");
  put_function_type(text, s, elem);
  for (size_t i = 0; i < count; i++) {
    puts_of(text, i ? ", %r#" : "\n  return %r#");
    put(text, (char[]){(char)('0' + i)}, 1);
  }
  for (size_t i = 0; i < count; i++) {
    puts_of(text, i ? ", " : " : ");
    put_type(text, s->outputs[i], elem);
  }
  puts_of(text, "\n}\n");
}

static const Signature *find_signature(const char *name, NrStr *out_elem) {
  size_t n = strcspn(name, ".");
  const char *elem = name[n] ? name + n + 1 : name + n;
  bool is_unsigned = elem[0] == 'u' && elem[1] == 'i';
  *out_elem = (NrStr){elem + is_unsigned, strcspn(elem + is_unsigned, ".")};
  for (size_t i = 0; i < NR_COUNTOF(signatures); i++)
    if (strlen(signatures[i].kernel) == n && !memcmp(signatures[i].kernel, name, n)) return &signatures[i];
  return NULL;
}

static bool is_type(NrStr elem) {
  static const char *const types[] = {"f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64"};
  for (size_t i = 0; i < NR_COUNTOF(types); i++)
    if (nr_str_is(elem, types[i])) return true;
  return false;
}

static NoriaStatus compile(const char *name, NoriaProgram **out, NoriaError *error) {
  NrStr elem;
  const Signature *signature = find_signature(name, &elem);
  if (!signature || strlen(name) >= MAX_NAME || strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789._") != strlen(name))
    return nr_error_set(error, NORIA_ERROR_INVALID, "there is no kernel '%.80s'", name);
  if (!is_type(elem))
    return nr_error_set(error, NORIA_ERROR_INVALID,
                        "'%s' names no type of elements; expected %s.TYPE with f16, bf16, "
                        "f32, f64, i8 to i64 or ui8 to ui64",
                        name, signature->kernel);
  Text text = {.size = 0};
  write_program(&text, name, signature, elem);
  NoriaCompileOptions options = {.format = "mlir"};
  return noria_compile_memory(text.data, text.size, NULL, &options, out, error);
}

/* ---- runs -------------------------------------------------------------------------------------------------------- */

/* Two threads may compile the same kernel; the first stays. No lock is held meanwhile. */
static NoriaStatus program_of(const char *name, NoriaProgram **out, NoriaError *error) {
  pthread_mutex_lock(&lock);
  *out = find(name);
  pthread_mutex_unlock(&lock);
  if (*out) return NORIA_OK;
  NoriaProgram *made, *unused = NULL;
  NoriaStatus status = compile(name, &made, error);
  if (status) return status;
  pthread_mutex_lock(&lock);
  *out = find(name);
  if (*out) {
    unused = made;
  } else if (num_kernels < MAX_KERNELS) {
    snprintf(kernels[num_kernels].name, MAX_NAME, "%s", name);
    kernels[num_kernels++].program = *out = made;
  }
  pthread_mutex_unlock(&lock);
  noria_program_destroy(unused);
  if (!*out) noria_program_destroy(made);
  return *out ? NORIA_OK : nr_error_set(error, NORIA_ERROR_LIMIT, "more than %d kernels are compiled", MAX_KERNELS);
}

NoriaStatus noria_kernel_run(const char *name, const NoriaValue *const *inputs, size_t num_inputs,
                             NoriaValue **out_outputs, size_t num_outputs, const NoriaRunOptions *options,
                             NoriaError *error) {
  NoriaProgram *program;
  for (size_t i = 0; i < num_outputs; i++) out_outputs[i] = NULL;
  NoriaStatus status = program_of(name, &program, error);
  return status ? status : noria_program_run(program, inputs, num_inputs, out_outputs, num_outputs, options, error);
}
