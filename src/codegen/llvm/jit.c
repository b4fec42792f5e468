/* jit.c - machine code in memory. */
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <math.h>

#include "codegen/llvm/ll.h"
#include "dialect/shared/shaped.h"

typedef struct Jit {
  NrCompiled base; /* the first field: callers see only this */
  NrHold *hold; /* drops LLVM's part when the call that the code belongs to is abandoned */
  LLVMOrcLLJITRef jit;
  bool in_llvm;        /* a fault in LLVM leaves it in a state in which it cannot be freed */
  char *reason;        /* LLVM's, why linking failed, or NULL */
  NR_VEC(void *) data; /* blocks with copies of constants, and kept objects */
  NR_VEC(NrCodeRegion) regions, constants;
  NR_VEC(NrCodeVariable) variables; /* of other code, which this code uses */
  NR_VEC(NrStr) objects;
} Jit;

/* Reports an error of LLVM, and frees it. */
static NrStatus llvm_error(NrContext *ctx, const char *what, LLVMErrorRef error) {
  if (!error) return NR_OK;
  char *message = LLVMGetErrorMessage(error);
  nr_error(ctx, nr_loc_unknown(ctx), "%s: %s", what, message);
  LLVMDisposeErrorMessage(message);
  return NR_ERROR_INTERNAL;
}

/* ---- symbols that code may refer to ----------------------------------------------------------------------------- */

typedef struct Symbol {
  const char *name;
  void *address;
} Symbol;

/* Functions of the compiler's runtime library for 128-bit integers. */
#ifdef __SIZEOF_INT128__
typedef __int128 Int128;
typedef unsigned __int128 UInt128;
Int128 __divti3(Int128 a, Int128 b);
Int128 __modti3(Int128 a, Int128 b);
UInt128 __udivti3(UInt128 a, UInt128 b);
UInt128 __umodti3(UInt128 a, UInt128 b);
float __floattisf(Int128 a);
double __floattidf(Int128 a);
float __floatuntisf(UInt128 a);
double __floatuntidf(UInt128 a);
Int128 __fixsfti(float a);
Int128 __fixdfti(double a);
UInt128 __fixunssfti(float a);
UInt128 __fixunsdfti(double a);
#define INT128_SYMBOLS                                                                                                 \
  ONE(__divti3), ONE(__modti3), ONE(__udivti3), ONE(__umodti3), ONE(__floattisf), ONE(__floattidf),                    \
      ONE(__floatuntisf), ONE(__floatuntidf), ONE(__fixsfti), ONE(__fixdfti), ONE(__fixunssfti), ONE(__fixunsdfti),
#else
#define INT128_SYMBOLS
#endif

/* Its conversions of f16, which CPUs without such instructions call. */
#ifdef __FLT16_MAX__
__extension__ typedef _Float16 Half;
float __extendhfsf2(Half a);
Half __truncsfhf2(float a);
#define HALF_SYMBOLS ONE(__extendhfsf2), ONE(__truncsfhf2),
#else
#define HALF_SYMBOLS
#endif

#define ONE(function) {#function, (void *)(uintptr_t)function}
#define BOTH(function) ONE(function), ONE(function##f)
static const Symbol symbols[] = {
    ONE(memcpy), ONE(memmove), ONE(memset),     ONE(memcmp), BOTH(acos),  BOTH(acosh), BOTH(asin),  BOTH(asinh),
    BOTH(atan),  BOTH(atan2),  BOTH(atanh),     BOTH(cbrt),  BOTH(ceil),  BOTH(cos),   BOTH(cosh),  BOTH(erf),
    BOTH(erfc),  BOTH(exp),    BOTH(exp2),      BOTH(expm1), BOTH(floor), BOTH(fma),   BOTH(fmax),  BOTH(fmin),
    BOTH(fmod),  BOTH(log),    BOTH(log10),     BOTH(log1p), BOTH(log2),  BOTH(pow),   BOTH(rint),  BOTH(round),
    BOTH(sin),   BOTH(sincos), BOTH(nearbyint), BOTH(sinh),  BOTH(sqrt),  BOTH(tan),   BOTH(tanh),  BOTH(trunc),
    BOTH(ldexp), BOTH(frexp),  BOTH(roundeven), BOTH(hypot), INT128_SYMBOLS HALF_SYMBOLS
};
#undef ONE
#undef BOTH

static void nothing(void) {}

static NrStatus define(NrContext *ctx, Jit *jit, const Symbol *list, size_t count, bool code) {
  LLVMOrcCSymbolMapPair *pairs = nr_calloc(count, sizeof *pairs);
  for (size_t i = 0; i < count; i++) {
    pairs[i].Name = LLVMOrcLLJITMangleAndIntern(jit->jit, list[i].name);
    pairs[i].Sym.Address = (LLVMOrcExecutorAddress)(uintptr_t)list[i].address;
    pairs[i].Sym.Flags.GenericFlags = (uint8_t)(LLVMJITSymbolGenericFlagsExported |
                                                (code ? LLVMJITSymbolGenericFlagsCallable : 0));
  }
  LLVMOrcMaterializationUnitRef unit = LLVMOrcAbsoluteSymbols(pairs, count);
  jit->in_llvm = true;
  LLVMErrorRef error = LLVMOrcJITDylibDefine(LLVMOrcLLJITGetMainJITDylib(jit->jit), unit);
  jit->in_llvm = false;
  if (error) LLVMOrcDisposeMaterializationUnit(unit);
  nr_free(pairs);
  return llvm_error(ctx, "the names that code refers to could not be defined", error);
}

static NrStatus define_symbols(NrContext *ctx, Jit *jit, const NrSanitizeCalls *sanitize) {
  const Symbol more[] = {{NR_SANITIZE_ACCESS, sanitize ? (void *)(uintptr_t)sanitize->access : NULL},
                         {NR_SANITIZE_ALLOCATED, sanitize ? (void *)(uintptr_t)sanitize->allocated : NULL},
                         {"__asan_memcpy", (void *)(uintptr_t)memcpy},
                         {"__asan_memmove", (void *)(uintptr_t)memmove},
                         {"__asan_memset", (void *)(uintptr_t)memset},
                         {"__asan_handle_no_return", (void *)(uintptr_t)nothing}};
  NrStatus status = define(ctx, jit, symbols, NR_COUNTOF(symbols), true);
  return status || !sanitize ? status : define(ctx, jit, more, NR_COUNTOF(more), true);
}

static NrStatus define_data(NrContext *ctx, Jit *jit) {
  NrArena names;
  nr_arena_init(&names);
  size_t count = jit->constants.size, variables = jit->variables.size;
  Symbol *list = NR_NEW_ARRAY(&names, Symbol, count + variables + 1);
  for (size_t i = 0; i < count; i++)
    list[i] = (Symbol){nr_arena_printf(&names, NR_CONSTANT_SYMBOL "%zu", i), (void *)jit->constants.data[i].data};
  for (size_t i = 0; i < variables; i++)
    list[count + i] = (Symbol){jit->variables.data[i].name, jit->variables.data[i].address};
  NrStatus status = define(ctx, jit, list, count + variables, false);
  nr_arena_deinit(&names);
  return status;
}

/* ---- constants -------------------------------------------------------------------------------------------------- */

/* Where a constant lies: the bytes themselves if they are aligned to 64 and outlive the code (resources), otherwise a
 * copy. */
static const void *place_constant(const NrLl *g, NrAttr value, Jit *out) {
  if (nr_attr_is_parameter(value)) return NULL;
  size_t zone = g->options->sanitize ? NR_LL_RED_ZONE : 0; /* before and after the constant */
  bool lasts = value->kind == NR_ATTR_RESOURCE && !value->splat;
  if (lasts && (uintptr_t)value->data % 64 == 0 && !zone) return value->data;
  /* nr_malloc aligns to 16 only */
  char *block = nr_malloc(nr_ll_constant_size(value) + 64 + 2 * zone);
  char *copy = block + zone + (64 - (uintptr_t)block % 64) % 64;
  nr_ll_constant_copy(value, copy);
  nr_vec_push(&out->data, block);
  return copy;
}

/* Places all constants, and gives the pointers to them for NoriaModule.constants: symbols, which linking resolves. */
static LLVMValueRef *place_constants(NrLl *g, Jit *out) {
  size_t n = g->tables->constants.size;
  LLVMValueRef *pointers = nr_malloc((n + 1) * sizeof *pointers);
  for (size_t i = 0; i < n; i++) {
    NrAttr value = g->tables->constants.data[i];
    NrCodeRegion placed = {place_constant(g, value, out), nr_ll_constant_size(value)};
    nr_vec_push(&out->constants, placed);
    NrBuf name = {0};
    nr_buf_printf(&name, NR_CONSTANT_SYMBOL "%zu", i);
    pointers[i] = placed.data ? LLVMAddGlobal(g->mod, g->i8, name.data) : LLVMConstNull(g->ptr);
    nr_buf_deinit(&name);
  }
  out->base.parts.constants = out->constants.data;
  out->base.parts.num_constants = n;
  return pointers;
}

/* ---- compiling --------------------------------------------------------------------------------------------------- */

/* Keeps LLVM's first message, which it would print: the error of the call that fails says less. */
static void keep_reason(void *user, LLVMErrorRef error) {
  Jit *jit = user;
  if (jit->reason) LLVMConsumeError(error);
  else jit->reason = LLVMGetErrorMessage(error);
}

static void drop_reason(Jit *jit) {
  if (jit->reason) LLVMDisposeErrorMessage(jit->reason);
  jit->reason = NULL;
}

static NrStatus look_up(NrContext *ctx, Jit *out, const char *name, LLVMOrcExecutorAddress *address) {
  out->in_llvm = true;
  LLVMErrorRef error = LLVMOrcLLJITLookup(out->jit, address, name);
  out->in_llvm = false;
  if (!error) return NR_OK;
  if (!out->reason) return llvm_error(ctx, "object code was not linked", error);
  LLVMConsumeError(error);
  nr_error(ctx, nr_loc_unknown(ctx), "object code was not linked: %s", out->reason);
  return NR_ERROR_INTERNAL;
}

static NrStatus find_regions(NrContext *ctx, size_t num_partitions, Jit *out) {
  for (unsigned partition = 0; partition < num_partitions; partition++) {
    NrBuf name = {0};
    nr_buf_printf(&name, NR_SANITIZE_REGIONS "%u", partition);
    LLVMOrcExecutorAddress address = 0;
    NrStatus status = look_up(ctx, out, name.data, &address);
    nr_buf_deinit(&name);
    if (status) return status;
    for (const NrCodeRegion *r = (const NrCodeRegion *)(uintptr_t)address; r->data; r++) nr_vec_push(&out->regions, *r);
  }
  out->base.regions = out->regions.data;
  out->base.num_regions = out->regions.size;
  return NR_OK;
}

/* Links the objects, which it consumes and sets to NULL, also after an error. */
static NrStatus link_objects(NrContext *ctx, LLVMMemoryBufferRef *objects, size_t count,
                             const NrSanitizeCalls *sanitize, Jit *out) {
  NrStatus status = llvm_error(ctx, "LLVM's linker did not start", LLVMOrcCreateLLJIT(&out->jit, NULL));
  if (status) return status;
  LLVMOrcExecutionSessionSetErrorReporter(LLVMOrcLLJITGetExecutionSession(out->jit), keep_reason, out);
  LLVMOrcJITDylibRef library = LLVMOrcLLJITGetMainJITDylib(out->jit);
  for (size_t i = 0; i < count && !status; i++) {
    out->in_llvm = true;
    LLVMErrorRef error = LLVMOrcLLJITAddObjectFile(out->jit, library, objects[i]);
    out->in_llvm = false;
    objects[i] = NULL;
    status = llvm_error(ctx, "object code was not accepted", error);
  }
  if (!status) status = define_symbols(ctx, out, sanitize);
  if (!status) status = define_data(ctx, out);
  LLVMOrcExecutorAddress address = 0;
  if (!status) status = look_up(ctx, out, "noria_module", &address);
  out->base.module = (const NoriaModule *)(uintptr_t)address;
  return !status && sanitize ? find_regions(ctx, count, out) : status;
}

static void keep_object(NrStr object, Jit *out) {
  NrStr kept = nr_ll_copy_bytes(object.data, object.size);
  nr_vec_push(&out->data, (void *)kept.data);
  nr_vec_push(&out->objects, kept);
  out->base.parts.objects = out->objects.data;
  out->base.parts.num_objects = out->objects.size;
}

static NrStr bytes_of(LLVMMemoryBufferRef buffer) {
  return (NrStr){LLVMGetBufferStart(buffer), LLVMGetBufferSize(buffer)};
}

static void keep_objects(const NrLlProgram *p, Jit *out) {
  for (size_t i = 0; i < p->num_partitions; i++) keep_object(bytes_of(p->objects[i]), out);
}

/* After linking, what the source has besides the modules. */
static NrStatus keep_source(NrLlProgram *p, Jit *out) {
  NrCodeSource *source = &out->base.source;
  NrLl *last = &p->partitions[p->num_partitions - 1];
  size_t count = p->variables_last ? p->tables.variables.size : 0;
  source->constants = nr_calloc(out->constants.size, sizeof *source->constants);
  source->num_constants = out->constants.size;
  for (size_t i = 0; i < source->num_constants; i++) source->constants[i] = out->constants.data[i];
  source->variables = nr_calloc(count, sizeof *source->variables);
  for (size_t i = 0; i < count; i++) {
    const char *name = nr_ll_symbol(last, NR_LL_VARIABLE, p->tables.variables.data[i]);
    LLVMOrcExecutorAddress address;
    NR_TRY(look_up(p->module->ctx, out, name, &address));
    source->variables[source->num_variables++] = (NrCodeVariable){nr_ll_copy_text(name), (void *)(uintptr_t)address};
  }
  return NR_OK;
}

static NrStatus compile(NrLlProgram *p, NrModule *module, const NrCodegenOptions *options, Jit *out) {
  int64_t begin = nr_now_ns();
  NrStatus status = nr_ll_program_build(p, module, options, NR_LL_TARGET_JIT, true);
  if (status) return status;
  NrBuf needs = {0};
  /* Code for the host CPU needs no check of features. */
  if (!nr_ll_is_host(options)) status = nr_ll_cpu_needs(options, p->partitions[0].tm, module->ctx, &needs);
  LLVMValueRef *pointers = place_constants(&p->partitions[0], out);
  if (!status) status = nr_ll_define_tables(&p->partitions[0], pointers, (NrStr){needs.data, needs.size}, NULL);
  nr_free(pointers);
  nr_buf_deinit(&needs);
  for (size_t i = 0; i < p->num_partitions && !status; i++) status = nr_ll_check(&p->partitions[i]);
  if (options->times) options->times->build = nr_now_ns() - begin;
  if (!status && options->keep_source) nr_ll_program_save(p, &out->base.source);
  if (!status) status = nr_ll_program_compile(p);
  if (!status && options->keep_objects) keep_objects(p, out);
  if (!status && p->variables_last) {
    NrStr object = bytes_of(p->objects[p->num_partitions - 1]);
    out->base.source.definitions = nr_ll_copy_bytes(object.data, object.size);
  }
  begin = nr_now_ns();
  nr_guard_step("linking", false);
  if (!status) status = link_objects(module->ctx, p->objects, p->num_partitions, options->sanitize, out);
  if (!status && options->keep_source) status = keep_source(p, out);
  if (options->times) options->times->link = nr_now_ns() - begin;
  return status;
}

typedef struct Compile {
  NrLlProgram program;
  NrModule *module;
  NrCodegenOptions options;
  NrCodegenTimes times;
  Jit *out;
  NrStatus status;
} Compile;

static void drop_jit(void *user) {
  Jit *jit = user;
  if (jit->jit && !jit->in_llvm) {
    LLVMErrorRef error = LLVMOrcDisposeLLJIT(jit->jit);
    if (error) LLVMConsumeError(error);
  }
  jit->jit = NULL;
  drop_reason(jit);
}

static void run_compile(void *user) {
  Compile *c = user;
  NrHold *program = nr_hold(nr_ll_program_drop);
  program->what = &c->program;
  c->status = compile(&c->program, c->module, &c->options, c->out);
  nr_hold_end(program);
  nr_ll_program_deinit(&c->program);
}

static Jit *new_jit(void) {
  Jit *jit = nr_calloc(1, sizeof *jit);
  jit->hold = nr_hold(drop_jit);
  jit->hold->what = jit;
  return jit;
}

NrStatus nr_ll_jit(NrModule *module, const NrCodegenOptions *options, NrCompiled **out_compiled) {
  Jit *out = new_jit();
  Compile *c = nr_calloc(1, sizeof *c);
  c->module = module;
  c->out = out;
  nr_ll_copy_options(options, &c->options, &c->times);
  nr_ll_apart(module->ctx, run_compile, c);
  NrStatus status = c->status;
  if (options->times) *options->times = c->times;
  if (status) nr_ll_jit_destroy(&out->base);
  else *out_compiled = &out->base;
  nr_ll_free_options(&c->options);
  nr_free(c);
  return status;
}

/* ---- linking again ----------------------------------------------------------------------------------------------- */

typedef struct Link {
  NrContext *ctx;
  const NrCodeParts *parts;
  Jit *out;
  NrStatus status;
} Link;

static void run_link(void *user) {
  Link *l = user;
  Jit *out = l->out;
  size_t count = l->parts->num_objects;
  nr_ll_start();
  for (size_t i = 0; i < l->parts->num_constants; i++) nr_vec_push(&out->constants, l->parts->constants[i]);
  LLVMMemoryBufferRef *objects = nr_calloc(count, sizeof *objects);
  for (size_t i = 0; i < count; i++)
    objects[i] = LLVMCreateMemoryBufferWithMemoryRange(l->parts->objects[i].data, l->parts->objects[i].size, "", false);
  l->status = link_objects(l->ctx, objects, count, NULL, out);
  for (size_t i = 0; i < count; i++)
    if (objects[i]) LLVMDisposeMemoryBuffer(objects[i]);
  nr_free(objects);
}

NrStatus nr_ll_jit_link(NrContext *ctx, const NrCodeParts *parts, NrCompiled **out_compiled) {
  Jit *out = new_jit();
  Link *l = nr_calloc(1, sizeof *l);
  *l = (Link){.ctx = ctx, .parts = parts, .out = out};
  nr_ll_apart(ctx, run_link, l);
  NrStatus status = l->status;
  nr_free(l);
  if (status) nr_ll_jit_destroy(&out->base);
  else *out_compiled = &out->base;
  return status;
}

/* ---- another level ---------------------------------------------------------------------------------------------- */

typedef struct Again {
  NrLlProgram program;
  NrModule *empty;
  const NrCodeSource *source;
  NrCodegenOptions options;
  NrCodegenTimes times;
  Jit *out;
  NrStatus status;
} Again;

static void run_again(void *user) {
  Again *a = user;
  Jit *out = a->out;
  const NrCodeSource *source = a->source;
  NrHold *program = nr_hold(nr_ll_program_drop);
  program->what = &a->program;
  for (size_t i = 0; i < source->num_constants; i++) nr_vec_push(&out->constants, source->constants[i]);
  for (size_t i = 0; i < source->num_variables; i++) nr_vec_push(&out->variables, source->variables[i]);
  out->base.parts.constants = out->constants.data;
  out->base.parts.num_constants = out->constants.size;
  a->status = nr_ll_program_restore(&a->program, source, a->empty, &a->options);
  if (!a->status) a->status = nr_ll_program_compile(&a->program);
  if (!a->status && a->options.keep_objects) keep_objects(&a->program, out);
  if (!a->status && a->options.keep_objects && source->definitions.size) keep_object(source->definitions, out);
  nr_guard_step("linking", false);
  if (!a->status)
    a->status = link_objects(a->empty->ctx, a->program.objects, a->program.num_partitions, NULL, out);
  out->variables.size = 0; /* their names are the source's */
  nr_hold_end(program);
  nr_ll_program_deinit(&a->program);
}

NrStatus nr_ll_jit_again(NrContext *ctx, const NrCodeSource *source, const NrCodegenOptions *options,
                         NrCompiled **out_compiled) {
  Jit *out = new_jit();
  Again *a = nr_calloc(1, sizeof *a);
  a->empty = nr_module_create(ctx, nr_loc_unknown(ctx));
  a->source = source;
  a->out = out;
  nr_ll_copy_options(options, &a->options, &a->times);
  nr_ll_apart(ctx, run_again, a);
  NrStatus status = a->status;
  if (status) nr_ll_jit_destroy(&out->base);
  else *out_compiled = &out->base;
  nr_ll_free_options(&a->options);
  nr_module_destroy(a->empty);
  nr_free(a);
  return status;
}

NoriaEntryFn nr_ll_jit_function(const NrCompiled *compiled, const char *name) {
  const Jit *jit = (const Jit *)compiled;
  NrBuf symbol = {0};
  nr_buf_printf(&symbol, "noria.call.%s", name);
  LLVMOrcExecutorAddress address = 0;
  LLVMErrorRef error = LLVMOrcLLJITLookup(jit->jit, &address, symbol.data);
  if (error) LLVMConsumeError(error);
  nr_buf_deinit(&symbol);
  return error ? NULL : (NoriaEntryFn)(uintptr_t)address;
}

void nr_ll_jit_destroy(NrCompiled *compiled) {
  Jit *jit = (Jit *)compiled;
  nr_hold_end(jit->hold);
  drop_jit(jit);
  nr_compiled_drop_source(compiled);
  for (size_t i = 0; i < jit->data.size; i++) nr_free(jit->data.data[i]);
  nr_vec_deinit(&jit->data);
  nr_vec_deinit(&jit->regions);
  nr_vec_deinit(&jit->constants);
  nr_vec_deinit(&jit->variables);
  nr_vec_deinit(&jit->objects);
  nr_free(jit);
}
