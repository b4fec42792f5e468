/* pass.c - the registry of passes, pipeline texts, and running. */
#include "pass/pass.h"

#include "ir/text.h"

#include <stdlib.h>
#include <unistd.h>

#define PASS(id) extern const NrPass nr_pass_##id;
#include "pass/passes.def"
#undef PASS

const NrPass *const nr_passes[] = {
#define PASS(id) &nr_pass_##id,
#include "pass/passes.def"
#undef PASS
    NULL,
};

const NrPassAlias nr_pass_aliases[] = {
#define ALIAS(name, pass) {name, pass},
#include "pass/aliases.def"
#undef ALIAS
    {NULL, NULL},
};

const NrPass *nr_pass_find(NrStr name) {
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++)
    if (nr_str_is(name, alias->name)) name = nr_str(alias->pass);
  for (size_t i = 0; nr_passes[i]; i++)
    if (nr_str_is(name, nr_passes[i]->name)) return nr_passes[i];
  return NULL;
}

NrTarget nr_target_host(void) {
  NrTarget target = {.vector_bytes = 16, .registers = 16, .threads = 1};
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")) {
    target.vector_bytes = 64;
    target.registers = 32;
  } else if (__builtin_cpu_supports("avx2")) target.vector_bytes = 32;
#elif defined(__aarch64__)
  target.registers = 32;
#endif
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  if (cores > 0) target.threads = (uint32_t)cores;
  return target;
}

/* ---- options ---- */

static const NrPassArg *find_arg(const NrPassContext *pass, const char *name) {
  for (size_t i = 0; i < pass->num_args; i++)
    if (nr_str_is(pass->args[i].name, name)) return &pass->args[i];
  return NULL;
}

/* The text of an argument is a view into a NUL-terminated copy of the pipeline, so strtoll stops at its delimiter. */
int64_t nr_pass_int(const NrPassContext *pass, const char *name, int64_t otherwise) {
  const NrPassArg *arg = find_arg(pass, name);
  return arg ? strtoll(arg->value.data, NULL, 0) : otherwise;
}

bool nr_pass_flag(const NrPassContext *pass, const char *name) {
  const NrPassArg *arg = find_arg(pass, name);
  return arg && (arg->value.size == 0 || nr_str_is(arg->value, "true") || nr_str_is(arg->value, "1"));
}

bool nr_pass_flag_or(const NrPassContext *pass, const char *name, bool otherwise) {
  return find_arg(pass, name) ? nr_pass_flag(pass, name) : otherwise;
}

size_t nr_pass_ints(const NrPassContext *pass, const char *name, int64_t *out, size_t max) {
  const NrPassArg *arg = find_arg(pass, name);
  size_t count = 0;
  for (size_t i = 0; arg && i < arg->value.size && count < max;) {
    char *end;
    out[count++] = strtoll(arg->value.data + i, &end, 0);
    i = (size_t)(end - arg->value.data);
    while (i < arg->value.size && arg->value.data[i] != '-' && (arg->value.data[i] < '0' || arg->value.data[i] > '9'))
      i++;
  }
  return count;
}

/* ---- running ---- */

typedef struct Collect {
  const char *name;
  NR_VEC(NrOp *) ops;
} Collect;

static bool collect_op(NrOp *op, void *user) {
  Collect *c = user;
  if (nr_str_is(nr_op_name(op), c->name)) nr_vec_push(&c->ops, op);
  return true;
}

NrStatus nr_run_pass(NrModule *module, const NrPass *pass, const NrPassArg *args, size_t num_args,
                     const NrPassOptions *options) {
  NrArena scratch;
  nr_arena_init(&scratch);
  NrTarget host = nr_target_host();
  NrPassContext run = {module->ctx, module,   &scratch,
                       args,        num_args, options && options->target ? options->target : &host};
  Collect targets = {.name = pass->on};
  if (pass->on) nr_walk_post(module->op, collect_op, &targets);
  else nr_vec_push(&targets.ops, module->op);
  NrStatus status = NR_OK;
  for (size_t i = 0; i < targets.ops.size && !status; i++) status = pass->run(&run, targets.ops.data[i]);
  nr_vec_deinit(&targets.ops);
  nr_arena_deinit(&scratch);
  if (!status && options && options->verify && nr_verify(module->op)) {
    nr_error(module->ctx, module->op->loc, "pass '%s' left the program in a wrong state", pass->name);
    status = NR_ERROR_INTERNAL;
  }
  if (options && options->print_after && options->print_to &&
      (!strcmp(options->print_after, "all") || !strcmp(options->print_after, pass->name))) {
    nr_buf_printf(options->print_to, "// after %s\n", pass->name);
    nr_print_module(options->print_to, module, NULL);
  }
  if (!status && options && options->after) status = options->after(options->user, module, pass->name);
  return status;
}

static bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static NrStr take_name(const char **p) {
  const char *begin = *p;
  while (is_name_char(**p)) (*p)++;
  return (NrStr){begin, (size_t)(*p - begin)};
}

/* "{name=value name=value}"; a value reaches to the next blank or `}`. */
static NrStatus take_args(NrContext *ctx, const char **p, NrPassArg *args, size_t max, size_t *count) {
  *count = 0;
  if (**p != '{') return NR_OK;
  for (++*p; **p != '}';) {
    while (**p == ' ') ++*p;
    NrStr name = take_name(p), value = {"", 0};
    if (!name.size || *count == max) return nr_error(ctx, NULL, "bad options in the pass pipeline at '%s'", *p);
    if (**p == '=') {
      const char *begin = ++*p;
      while (**p && **p != ' ' && **p != '}') ++*p;
      value = (NrStr){begin, (size_t)(*p - begin)};
    }
    args[(*count)++] = (NrPassArg){name, value};
    while (**p == ' ') ++*p;
  }
  ++*p;
  return NR_OK;
}

static NrStatus unknown_pass(NrContext *ctx, NrStr name) {
  NrStr best = {0};
  size_t least = 4;
  for (size_t i = 0; nr_passes[i]; i++) {
    size_t d = nr_edit_distance(name, nr_str(nr_passes[i]->name), 3);
    if (d < least) {
      least = d;
      best = nr_str(nr_passes[i]->name);
    }
  }
  if (best.size)
    return nr_error(ctx, NULL, "unknown pass '%.*s'; did you mean '%.*s'?", NR_STR_ARG(name), NR_STR_ARG(best));
  return nr_error(ctx, NULL, "unknown pass '%.*s'; --list-passes shows all", NR_STR_ARG(name));
}

NrStatus nr_run_passes(NrModule *module, NrStr pipeline, const NrPassOptions *options) {
  NrContext *ctx = module->ctx;
  NrArena arena;
  nr_arena_init(&arena);
  const char *p = nr_str_copy(&arena, pipeline).data;
  /* mlir-opt's outer "builtin.module(...)" is accepted. */
  if (nr_str_starts(nr_str(p), "builtin.module(")) p += strlen("builtin.module(");
  NrStatus status = NR_OK;
  while (!status && *p && *p != ')') {
    while (*p == ' ' || *p == ',') p++;
    if (!*p || *p == ')') break;
    NrStr name = take_name(&p);
    NrPassArg args[16];
    size_t num_args;
    const NrPass *pass = nr_pass_find(name);
    if (!name.size) status = nr_error(ctx, NULL, "bad pass pipeline at '%s'", p);
    else if (!pass) status = unknown_pass(ctx, name);
    else if (!(status = take_args(ctx, &p, args, NR_COUNTOF(args), &num_args)))
      status = nr_run_pass(module, pass, args, num_args, options);
  }
  nr_arena_deinit(&arena);
  return status;
}
