/* pass.c - the registry of passes, their options, and running one pass. Pipeline texts: pass_text.c. */
#include "pass/core/pass.h"

#include "base/guard.h"
#include "ir/text.h"

#include <errno.h>
#include <stdlib.h>

#define PASS(id) extern const NrPass nr_pass_##id;
#include "pass/core/passes.def"
#undef PASS

static const NrPass *const pass_passes[] = {
#define PASS(id) &nr_pass_##id,
#include "pass/core/passes.def"
#undef PASS
    NULL,
};
/* Written only while libraries are loaded. One table for each folder of src that has passes. */
static const NrPass *const *tables[8];
static size_t num_tables;

void nr_passes_add(const NrPass *const *table) {
  assert(num_tables < NR_COUNTOF(tables));
  tables[num_tables++] = table;
}

NR_PASS_TABLE(pass)

const NrPass *nr_pass_at(size_t i) {
  for (size_t t = 0; t < num_tables; t++)
    for (const NrPass *const *pass = tables[t]; *pass; pass++)
      if (i-- == 0) return *pass;
  return NULL;
}

const NrPassAlias nr_pass_aliases[] = {
#define ALIAS(name, pass) {name, pass, NULL},
#define ALIAS_BEHIND(name, pass, first) {name, pass, first},
#include "pass/core/aliases.def"
#undef ALIAS
#undef ALIAS_BEHIND
    {NULL, NULL, NULL},
};

const NrPass *nr_pass_find(NrStr name) {
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++)
    if (nr_str_is(name, alias->name)) name = nr_str(alias->pass);
  const NrPass *pass;
  for (size_t i = 0; (pass = nr_pass_at(i)); i++)
    if (nr_str_is(name, pass->name)) return pass;
  return NULL;
}

/* ---- options ---- */

static const NrPassOption *find_option(const NrPass *pass, NrStr name) {
  for (const NrPassOption *option = pass->options; option && option->name; option++)
    if (nr_str_is(name, option->name)) return option;
  return NULL;
}

static const NrPassArg *find_arg(const NrPassContext *pass, const char *name) {
  for (size_t i = 0; i < pass->num_args; i++)
    if (nr_str_is(pass->args[i].name, name)) return &pass->args[i];
  return NULL;
}

static bool read_flag(NrStr text, bool *out) {
  *out = text.size == 0 || nr_str_is(text, "true") || nr_str_is(text, "1");
  return *out || nr_str_is(text, "false") || nr_str_is(text, "0");
}

/* Parses "1,-2,3"; false on other text or a number out of the option's range. */
static bool read_ints(const NrPassOption *option, NrStr text, int64_t *out, size_t *out_count) {
  char number[24];
  *out_count = 0;
  for (size_t begin = 0, end; begin <= text.size; begin = end + 1) {
    for (end = begin; end < text.size && text.data[end] != ',';) end++;
    if (end == begin || end - begin >= sizeof number || *out_count == option->count) return false;
    memcpy(number, text.data + begin, end - begin);
    number[end - begin] = 0;
    char *rest;
    errno = 0;
    int64_t value = strtoll(number, &rest, 0);
    if (*rest || errno || value < option->min || value > option->max) return false;
    if (out) out[*out_count] = value;
    ++*out_count;
  }
  return true;
}

static bool read_word(const NrPassOption *option, NrStr text, int64_t *out) {
  for (int64_t i = 0; option->words[i]; i++) {
    if (!nr_str_is(text, option->words[i])) continue;
    if (out) *out = i;
    return true;
  }
  return false;
}

bool nr_pass_takes_text(const NrPass *pass, NrStr option) {
  const NrPassOption *found = find_option(pass, option);
  return found && found->kind == NR_OPTION_PASSES;
}

NrStr nr_pass_passes(const NrPassContext *pass, const char *name) {
  const NrPassArg *arg = find_arg(pass, name);
  return arg ? arg->value : NR_STR("");
}

int64_t nr_pass_int(const NrPassContext *pass, const char *name) {
  const NrPassOption *option = find_option(pass->pass, nr_str(name));
  const NrPassArg *arg = find_arg(pass, name);
  int64_t value = option->fallback;
  size_t count;
  if (arg && option->kind == NR_OPTION_WORD) read_word(option, arg->value, &value);
  else if (arg) read_ints(option, arg->value, &value, &count);
  return value;
}

bool nr_pass_flag(const NrPassContext *pass, const char *name) {
  const NrPassArg *arg = find_arg(pass, name);
  bool value = find_option(pass->pass, nr_str(name))->fallback;
  if (arg) read_flag(arg->value, &value);
  return value;
}

size_t nr_pass_ints(const NrPassContext *pass, const char *name, int64_t *out) {
  const NrPassArg *arg = find_arg(pass, name);
  size_t count = 0;
  if (arg) read_ints(find_option(pass->pass, nr_str(name)), arg->value, out, &count);
  return count;
}

void nr_pass_put_option(NrBuf *out, const NrPassOption *option) {
  const char *types[] = {"flag", "i64", "i64 list", "word", "passes"};
  nr_buf_printf(out, "%s: %s", option->name, types[option->kind]);
  if (option->kind == NR_OPTION_FLAG) nr_buf_puts(out, option->fallback ? " = true" : " = false");
  if (option->kind == NR_OPTION_INT) nr_buf_printf(out, " = %lld", (long long)option->fallback);
  if (option->kind == NR_OPTION_WORD) nr_buf_printf(out, " = %s", option->words[option->fallback]);
  nr_buf_printf(out, " (%s)", option->doc);
}

static NrStatus no_such_option(NrContext *ctx, const NrPass *pass, NrStr name) {
  NrBuf known = {0};
  for (const NrPassOption *option = pass->options; option && option->name; option++) {
    nr_buf_puts(&known, option == pass->options ? "; its options: " : ", ");
    nr_pass_put_option(&known, option);
  }
  if (!known.size) nr_buf_puts(&known, "; it has no options");
  nr_error(ctx, NULL, "pass '%s' has no option '%.*s'%.*s", pass->name, NR_STR_ARG(name), (int)known.size, known.data);
  nr_buf_deinit(&known);
  return NR_ERROR_INVALID;
}

/* Describes the values that the option takes. */
static void put_wanted(NrBuf *out, const NrPassOption *option) {
  if (option->kind == NR_OPTION_FLAG) {
    nr_buf_puts(out, "'true' or 'false'");
    return;
  }
  for (size_t i = 0; option->kind == NR_OPTION_WORD && option->words[i]; i++)
    nr_buf_printf(out, "%s'%s'", !i ? "" : option->words[i + 1] ? ", " : " or ", option->words[i]);
  if (option->kind == NR_OPTION_WORD) return;
  if (option->kind == NR_OPTION_INT) nr_buf_puts(out, "an integer");
  else nr_buf_printf(out, "at most %zu integers with commas between, each", option->count);
  if (option->max == INT64_MAX) nr_buf_printf(out, " of at least %lld", (long long)option->min);
  else nr_buf_printf(out, " from %lld to %lld", (long long)option->min, (long long)option->max);
}

NrStatus nr_pass_check_arg(NrContext *ctx, const NrPass *pass, const NrPassArg *arg) {
  const NrPassOption *option = find_option(pass, arg->name);
  bool flag;
  size_t count;
  if (!option) return no_such_option(ctx, pass, arg->name);
  if (option->kind == NR_OPTION_PASSES) return nr_passes_check(ctx, arg->value);
  bool is_one = option->kind == NR_OPTION_FLAG   ? read_flag(arg->value, &flag)
                : option->kind == NR_OPTION_WORD ? read_word(option, arg->value, NULL)
                                                 : read_ints(option, arg->value, NULL, &count);
  if (is_one) return NR_OK;
  NrBuf wanted = {0};
  put_wanted(&wanted, option);
  nr_error(ctx, NULL, "option '%s' of pass '%s' must be %.*s, not '%.*s'", option->name, pass->name, (int)wanted.size,
           wanted.data, NR_STR_ARG(arg->value));
  nr_buf_deinit(&wanted);
  return NR_ERROR_INVALID;
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

/* Prints the program when `which` is the pass's name or "all". */
static void show(const NrPassOptions *options, const char *which, const char *when, const NrPass *pass,
                 NrModule *module) {
  if (!which || !options->print_to || (strcmp(which, "all") && strcmp(which, pass->name))) return;
  nr_buf_printf(options->print_to, "// %s %s\n", when, pass->name);
  nr_print_module(options->print_to, module, options->print_as);
}

static NrStatus check_roots(NrContext *ctx, const NrPass *pass, NrOp *const *roots, size_t num_roots) {
  for (size_t i = 0; i < num_roots && pass->of_table; i++)
    if (!nr_op_has(roots[i], NR_SYMBOL_TABLE))
      return nr_error(ctx, NULL, "pass '%s' runs on modules, not on '%.*s'", pass->name,
                      NR_STR_ARG(nr_op_name(roots[i])));
  return NR_OK;
}

NrStatus nr_run_pass(NrModule *module, NrOp *const *roots, size_t num_roots, const NrPass *pass, const NrPassArg *args,
                     size_t num_args, const NrPassOptions *options) {
  NR_TRY(check_roots(module->ctx, pass, roots, num_roots));
  NrStatus status = NR_OK;
  NrArena scratch;
  nr_arena_init(&scratch);
  NrPassContext run = {module->ctx, module,   &scratch, pass,
                       args,        num_args, options && options->target ? options->target : nr_target_host(),
                       options ? options->dispatch_graph : NULL,
                       options && options->explain && pass->explains && !strcmp(options->explain, pass->explains)};
  Collect targets = {.name = pass->on};
  for (size_t i = 0; i < num_roots; i++) {
    if (pass->on) nr_walk_post(roots[i], collect_op, &targets);
    else nr_vec_push(&targets.ops, roots[i]);
  }
  if (options) show(options, options->print_before, "before", pass, module);
  int64_t begin = nr_now_ns();
  NrDoing before = nr_guard_step(pass->name, true);
  for (size_t i = 0; i < targets.ops.size && !status; i++) {
    nr_guard_at(targets.ops.data[i]->loc);
    status = pass->run(&run, targets.ops.data[i]);
  }
  nr_guard_done(before);
  if (options && options->times) nr_vec_push(options->times, ((NrPassTime){pass, nr_now_ns() - begin}));
  nr_vec_deinit(&targets.ops);
  nr_arena_deinit(&scratch);
  if (!status && options && options->verify && nr_verify_folded(module->op)) {
    nr_error(module->ctx, module->op->loc, "pass '%s' left the program in a wrong state", pass->name);
    status = NR_ERROR_INTERNAL;
  }
  if (options) show(options, options->print_after, "after", pass, module);
  if (!status && options && options->after) status = options->after(options->user, module, pass->name);
  return status;
}
