/* pass.c - the registry of passes, pipeline texts, and running. */
#include "pass/pass.h"

#include "ir/text.h"

#include <errno.h>
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

/* ---- pipeline texts ---------------------------------------------------------------------------------------------- */

typedef struct Step {
  const NrPass *pass;
  NrPassArg args[16];
  size_t num_args;
} Step;

typedef struct Reader {
  NrContext *ctx;
  const char *p; /* into text that ends with a 0 byte */
  NR_VEC(Step) steps;
} Reader;

static bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static void skip_blanks(Reader *r) {
  while (*r->p == ' ' || *r->p == '\t' || *r->p == '\n' || *r->p == '\r') r->p++;
}

static bool take(Reader *r, char c) {
  skip_blanks(r);
  if (*r->p != c) return false;
  r->p++;
  skip_blanks(r);
  return true;
}

static NrStr take_name(Reader *r) {
  const char *begin = r->p;
  while (is_name_char(*r->p)) r->p++;
  return (NrStr){begin, (size_t)(r->p - begin)};
}

static NrStatus bad_text(Reader *r, const char *wanted) {
  if (!*r->p) return nr_error(r->ctx, NULL, "bad pass pipeline: expected %s at its end", wanted);
  return nr_error(r->ctx, NULL, "bad pass pipeline: expected %s at '%s'", wanted, r->p);
}

/* What stands behind `name: ` in the options of the pass, or NULL. */
static const char *option_type(const NrPass *pass, NrStr name) {
  for (const char *c = pass->options; c && (c = strstr(c, ": ")); c += 2) {
    const char *begin = c;
    while (begin > pass->options && is_name_char(begin[-1])) begin--;
    bool first = begin == pass->options || (begin - pass->options > 2 && begin[-1] == ' ' && begin[-2] == ',');
    if (first && nr_str_eq((NrStr){begin, (size_t)(c - begin)}, name)) return c + 2;
  }
  return NULL;
}

static bool is_flag(NrStr value) {
  return value.size == 0 || nr_str_is(value, "true") || nr_str_is(value, "false") || nr_str_is(value, "1") ||
         nr_str_is(value, "0");
}

/* One number, or with list several with commas between. */
static bool is_number(NrStr value, bool list) {
  const char *c = value.data, *end = c + value.size;
  for (;;) {
    char *stop;
    errno = 0;
    if (c == end || *c == ' ' || *c == '+') return false;
    strtoll(c, &stop, 0);
    if (stop == c || stop > end || errno == ERANGE) return false;
    if (stop == end) return true;
    if (!list || *stop != ',') return false;
    c = stop + 1;
  }
}

static NrStatus check_arg(Reader *r, const Step *step, NrPassArg arg) {
  const char *type = option_type(step->pass, arg.name), *name = step->pass->name;
  if (!type)
    return nr_error(r->ctx, NULL, "pass '%s' has no option '%.*s'%s%s", name, NR_STR_ARG(arg.name),
                    step->pass->options ? "; its options: " : "; it has no options",
                    step->pass->options ? step->pass->options : "");
  for (size_t i = 0; i < step->num_args; i++)
    if (nr_str_eq(step->args[i].name, arg.name))
      return nr_error(r->ctx, NULL, "option '%.*s' of pass '%s' is given twice", NR_STR_ARG(arg.name), name);
  bool flag = nr_str_starts(nr_str(type), "flag") || nr_str_starts(nr_str(type), "bool");
  bool list = nr_str_starts(nr_str(type), "i64 list") || nr_str_starts(nr_str(type), "i64s");
  if (flag ? is_flag(arg.value) : is_number(arg.value, list)) return NR_OK;
  return nr_error(r->ctx, NULL, "option '%.*s' of pass '%s' must be %s, not '%.*s'", NR_STR_ARG(arg.name), name,
                  flag   ? "'true' or 'false'"
                  : list ? "integers with commas between"
                         : "an integer",
                  NR_STR_ARG(arg.value));
}

/* "{name=value name=value}"; a value reaches to the next blank or `}`. */
static NrStatus read_args(Reader *r, Step *step) {
  if (!take(r, '{')) return NR_OK;
  while (!take(r, '}')) {
    NrPassArg arg = {take_name(r), {"", 0}};
    if (!arg.name.size) return bad_text(r, "the name of an option or '}'");
    if (step->num_args == NR_COUNTOF(step->args)) return bad_text(r, "fewer options");
    if (*r->p == '=') {
      const char *begin = ++r->p;
      while (*r->p && *r->p != ' ' && *r->p != '}') r->p++;
      arg.value = (NrStr){begin, (size_t)(r->p - begin)};
    }
    skip_blanks(r);
    NrStatus status = check_arg(r, step, arg);
    if (status) return status;
    step->args[step->num_args++] = arg;
  }
  return NR_OK;
}

static NrStatus unknown_pass(NrContext *ctx, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; nr_passes[i]; i++) nr_nearest_try(&nearest, nr_str(nr_passes[i]->name));
  if (nearest.best.size)
    return nr_error(ctx, NULL, "unknown pass '%.*s'" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  return nr_error(ctx, NULL, "unknown pass '%.*s'; --list-passes shows all", NR_STR_ARG(name));
}

/* Whether passes may be said to run on this op: on modules, functions, or any op. A pass knows itself where it runs. */
static bool is_anchor(NrStr name) {
  static const char *const names[] = {"builtin.module", "func.func", "any", "module", "func"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    if (nr_str_is(name, names[i])) return true;
  return false;
}

/* A,B{x=1},func.func(C,D), up to the end or a closing parenthesis. */
static NrStatus read_steps(Reader *r, size_t depth) {
  do {
    skip_blanks(r);
    Step step = {0};
    NrStr name = take_name(r);
    if (!name.size) return bad_text(r, "the name of a pass");
    if (take(r, '(')) {
      if (!is_anchor(name))
        return nr_error(r->ctx, NULL, "passes run on 'builtin.module', 'func.func' or 'any', not on '%.*s'",
                        NR_STR_ARG(name));
      if (depth == 16) return bad_text(r, "less nesting");
      if (take(r, ')')) continue;
      NrStatus status = read_steps(r, depth + 1);
      if (status) return status;
      if (!take(r, ')')) return bad_text(r, "',' or ')'");
      continue;
    }
    if (!(step.pass = nr_pass_find(name))) return unknown_pass(r->ctx, name);
    NrStatus status = read_args(r, &step);
    if (status) return status;
    nr_vec_push(&r->steps, step);
  } while (take(r, ','));
  return NR_OK;
}

NrStatus nr_run_passes(NrModule *module, NrStr pipeline, const NrPassOptions *options) {
  NrArena arena;
  nr_arena_init(&arena);
  Reader r = {.ctx = module->ctx, .p = nr_str_copy(&arena, pipeline).data};
  skip_blanks(&r);
  NrStatus status = *r.p ? read_steps(&r, 0) : NR_OK;
  if (!status && *r.p) status = bad_text(&r, "','");
  for (size_t i = 0; i < r.steps.size && !status; i++)
    status = nr_run_pass(module, r.steps.data[i].pass, r.steps.data[i].args, r.steps.data[i].num_args, options);
  nr_vec_deinit(&r.steps);
  nr_arena_deinit(&arena);
  return status;
}
