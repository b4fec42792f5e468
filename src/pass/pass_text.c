/* pass_text.c - runs the passes that a text names: "canonicalize,loop-unroll{unroll-factor=4 unroll-up-to-factor},cse".
 *
 * mlir-opt wants passes in the ops that they run on, "builtin.module(func.func(canonicalize,cse))". That is read too,
 * but says nothing: a pass here finds its ops by itself. The whole text is read before anything runs. */
#include "ir/text.h"
#include "pass/pass.h"

typedef struct Call {
  const NrPass *pass;
  NrPassArg *args;
  size_t num_args;
} Call;

typedef struct Reader {
  NrContext *ctx;
  NrArena *arena;
  const char *at;
  size_t depth; /* of parentheses */
  NR_VEC(Call) calls;
} Reader;

static bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '_' || c == '.';
}

static void skip_blanks(Reader *r) {
  while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r') r->at++;
}

static NrStr take_name(Reader *r) {
  const char *begin = r->at;
  while (is_name_char(*r->at)) r->at++;
  return (NrStr){begin, (size_t)(r->at - begin)};
}

static bool take(Reader *r, char c) {
  skip_blanks(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static NrStatus bad_text(Reader *r, const char *wanted) {
  if (!*r->at) return nr_error(r->ctx, NULL, "bad pass pipeline: expected %s at its end", wanted);
  return nr_error(r->ctx, NULL, "bad pass pipeline: expected %s at '%s'", wanted, r->at);
}

static NrStatus unknown_pass(NrContext *ctx, NrStr name) {
  NrNearest nearest = nr_nearest(name);
  for (size_t i = 0; nr_passes[i]; i++) nr_nearest_try(&nearest, nr_str(nr_passes[i]->name));
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++) nr_nearest_try(&nearest, nr_str(alias->name));
  if (nearest.best.size)
    return nr_error(ctx, NULL, "unknown pass '%.*s'" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  return nr_error(ctx, NULL, "unknown pass '%.*s'; --list-passes shows all", NR_STR_ARG(name));
}

/* "name=value"; a value reaches to the next blank or `}`. */
static NrStatus read_arg(Reader *r, Call *call) {
  NrPassArg arg = {take_name(r), {"", 0}};
  if (!arg.name.size) return bad_text(r, "the name of an option or '}'");
  if (*r->at == '=') {
    const char *begin = ++r->at;
    while (*r->at && *r->at != ' ' && *r->at != '}') r->at++;
    arg.value = (NrStr){begin, (size_t)(r->at - begin)};
    if (!arg.value.size) return bad_text(r, "a value");
  }
  NrStatus status = nr_pass_check_arg(r->ctx, call->pass, &arg);
  for (size_t i = 0; i < call->num_args && !status; i++)
    if (nr_str_eq(call->args[i].name, arg.name))
      status = nr_error(r->ctx, NULL, "option '%.*s' of pass '%s' is given twice", NR_STR_ARG(arg.name),
                        call->pass->name);
  if (!status) call->args[call->num_args++] = arg;
  return status;
}

/* "{name=value name=value}" or nothing. */
static NrStatus read_args(Reader *r, Call *call) {
  NrStatus status = NR_OK;
  size_t most = 0; /* none is there twice */
  if (*r->at != '{') return NR_OK;
  r->at++;
  while (call->pass->options && call->pass->options[most].name) most++;
  call->args = NR_NEW_ARRAY(r->arena, NrPassArg, most + 1);
  while (!status && !take(r, '}')) status = read_arg(r, call);
  return status;
}

/* Ops that passes may be said to run on. */
static bool is_anchor(NrStr name) {
  static const char *const names[] = {"builtin.module", "func.func", "any", "module", "func"};
  for (size_t i = 0; i < NR_COUNTOF(names); i++)
    if (nr_str_is(name, names[i])) return true;
  return false;
}

/* A pass, with the ops that are opened in front of it. */
static NrStatus read_call(Reader *r) {
  skip_blanks(r);
  NrStr name = take_name(r);
  for (; take(r, '('); name = take_name(r)) {
    if (!is_anchor(name))
      return nr_error(r->ctx, NULL, "passes run on 'builtin.module', 'func.func' or 'any', not on '%.*s'",
                      NR_STR_ARG(name));
    r->depth++;
    skip_blanks(r);
    if (*r->at == ')') return NR_OK;
  }
  if (!name.size) return bad_text(r, "the name of a pass");
  Call call = {.pass = nr_pass_find(name)};
  if (!call.pass) return unknown_pass(r->ctx, name);
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++)
    if (alias->first && nr_str_is(name, alias->name))
      nr_vec_push(&r->calls, (Call){.pass = nr_pass_find(nr_str(alias->first))});
  NrStatus status = read_args(r, &call);
  nr_vec_push(&r->calls, call);
  return status;
}

static NrStatus read_calls(Reader *r) {
  skip_blanks(r);
  if (!*r->at) return NR_OK;
  NrStatus status;
  do {
    status = read_call(r);
    while (!status && r->depth && take(r, ')')) r->depth--;
  } while (!status && take(r, ','));
  if (status) return status;
  if (r->depth) return bad_text(r, "',' or ')'");
  return *r->at ? bad_text(r, "','") : NR_OK;
}

NrStatus nr_run_passes(NrModule *module, NrStr pipeline, const NrPassOptions *options) {
  NrArena arena;
  nr_arena_init(&arena);
  Reader r = {.ctx = module->ctx, .arena = &arena, .at = nr_str_copy(&arena, pipeline).data};
  NrStatus status = read_calls(&r);
  for (size_t i = 0; i < r.calls.size && !status; i++)
    status = nr_run_pass(module, r.calls.data[i].pass, r.calls.data[i].args, r.calls.data[i].num_args, options);
  nr_vec_deinit(&r.calls);
  nr_arena_deinit(&arena);
  return status;
}
