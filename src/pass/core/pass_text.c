/* pass_text.c - runs the passes that a text names: "canonicalize,loop-unroll{unroll-factor=4 unroll-up-to-factor},cse".
 *
 * Nested passes, "builtin.module(func.func(canonicalize,cse))", run on the ops of that name directly inside the ops of
 * the enclosing name, as in mlir-opt. The outermost name is the program's module; `any` is every op that is isolated
 * from above. A pass that is not nested runs on the whole program. The whole text is parsed before any pass runs. */
#include "ir/text.h"
#include "pass/core/pass.h"

typedef struct Call {
  const NrPass *pass;
  NrPassArg *args;
  size_t num_args;
  const NrOpInfo *const *anchors; /* outermost first; any_op: any isolated op */
  size_t num_anchors;
} Call;

static const NrOpInfo any_op = {.name = "any"};

typedef struct Reader {
  NrContext *ctx;
  NrArena *arena;
  const char *at;
  NR_VEC(const NrOpInfo *) anchors; /* the open parentheses */
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
  for (size_t i = 0; nr_pass_at(i); i++) nr_nearest_try(&nearest, nr_str(nr_pass_at(i)->name));
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++) nr_nearest_try(&nearest, nr_str(alias->name));
  if (nearest.best.size)
    return nr_error(ctx, NULL, "unknown pass '%.*s'" NR_HINT, NR_STR_ARG(name), NR_HINT_ARG(nearest));
  return nr_error(ctx, NULL, "unknown pass '%.*s'; --list-passes shows all", NR_STR_ARG(name));
}

/* A value ends at the next blank or `}` outside of its own braces and parentheses; braces around the whole value are
 * dropped. */
static NrStr take_value(Reader *r) {
  const char *begin = r->at;
  size_t open = 0;
  for (; *r->at && (open || (*r->at != ' ' && *r->at != '}')); r->at++) {
    open += *r->at == '{' || *r->at == '(';
    open -= open && (*r->at == '}' || *r->at == ')');
  }
  NrStr value = {begin, (size_t)(r->at - begin)};
  if (value.size >= 2 && value.data[0] == '{') value = (NrStr){value.data + 1, value.size - 2};
  return value;
}

/* "name=value" */
static NrStatus read_arg(Reader *r, Call *call) {
  NrPassArg arg = {take_name(r), {"", 0}};
  if (!arg.name.size) return bad_text(r, "the name of an option or '}'");
  if (*r->at == '=') {
    r->at++;
    arg.value = take_value(r);
    if (!arg.value.size && !nr_pass_takes_text(call->pass, arg.name)) return bad_text(r, "a value");
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
  size_t max = 0; /* no option is given twice */
  if (*r->at != '{') return NR_OK;
  r->at++;
  while (call->pass->options && call->pass->options[max].name) max++;
  call->args = NR_NEW_ARRAY(r->arena, NrPassArg, max + 1);
  while (!status && !take(r, '}')) status = read_arg(r, call);
  return status;
}

/* A pass can be nested in ops that are isolated from above. */
static const NrOpInfo *find_anchor(NrStr name) {
  if (nr_str_is(name, "any")) return &any_op;
  const NrOpInfo *info = nr_op_info_find(name, NULL);
  return info && (info->traits & NR_ISOLATED) ? info : NULL;
}

/* A pass that changes symbols runs on symbol tables only; for `any` this is checked when the pass runs. */
static NrStatus check_anchor(Reader *r, const NrPass *pass) {
  const NrOpInfo *on = r->anchors.size ? r->anchors.data[r->anchors.size - 1] : &any_op;
  if (!pass->of_table || on == &any_op || (on->traits & NR_SYMBOL_TABLE)) return NR_OK;
  return nr_error(r->ctx, NULL, "pass '%s' runs on modules, not on '%.*s'", pass->name,
                  NR_STR_ARG(nr_op_info_name(on)));
}

static void add_call(Reader *r, Call call) {
  call.num_anchors = r->anchors.size;
  call.anchors = nr_arena_copy(r->arena, r->anchors.data, r->anchors.size * sizeof *r->anchors.data);
  nr_vec_push(&r->calls, call);
}

/* A pass, with the ops that it is nested in: "func.func(cse". */
static NrStatus read_call(Reader *r) {
  skip_blanks(r);
  NrStr name = take_name(r);
  for (; take(r, '('); name = take_name(r)) {
    const NrOpInfo *anchor = find_anchor(name);
    if (!anchor)
      return nr_error(r->ctx, NULL, "passes run on 'builtin.module', 'func.func' or 'any', not on '%.*s'",
                      NR_STR_ARG(name));
    if (r->anchors.size == NR_MAX_NESTING)
      return nr_error(r->ctx, NULL, "the pass pipeline is nested deeper than %d", NR_MAX_NESTING);
    nr_vec_push(&r->anchors, anchor);
    skip_blanks(r);
    if (*r->at == ')') return NR_OK;
  }
  if (!name.size) return bad_text(r, "the name of a pass");
  Call call = {.pass = nr_pass_find(name)};
  if (!call.pass) return unknown_pass(r->ctx, name);
  for (const NrPassAlias *alias = nr_pass_aliases; alias->name; alias++)
    if (alias->first && nr_str_is(name, alias->name))
      add_call(r, (Call){.pass = nr_pass_find(nr_str(alias->first))});
  NrStatus status = read_args(r, &call);
  if (!status) status = check_anchor(r, call.pass);
  add_call(r, call);
  return status;
}

static NrStatus read_calls(Reader *r) {
  skip_blanks(r);
  if (!*r->at) return NR_OK;
  NrStatus status;
  do {
    status = read_call(r);
    while (!status && r->anchors.size && take(r, ')')) (void)nr_vec_pop(&r->anchors);
  } while (!status && take(r, ','));
  if (status) return status;
  if (r->anchors.size) return bad_text(r, "',' or ')'");
  return *r->at ? bad_text(r, "','") : NR_OK;
}

static void reader_deinit(Reader *r) {
  nr_vec_deinit(&r->calls);
  nr_vec_deinit(&r->anchors);
  nr_arena_deinit(r->arena);
}

NrStatus nr_passes_check(NrContext *ctx, NrStr pipeline) {
  NrArena arena;
  nr_arena_init(&arena);
  Reader r = {.ctx = ctx, .arena = &arena, .at = nr_str_copy(&arena, pipeline).data};
  NrStatus status = read_calls(&r);
  reader_deinit(&r);
  return status;
}

/* ---- running ---- */

typedef NR_VEC(NrOp *) Roots;

static bool is_of(const NrOp *op, const NrOpInfo *anchor) {
  return anchor == &any_op ? nr_op_has(op, NR_ISOLATED) : op->info == anchor;
}

/* Replaces roots by the ops of anchor's name directly inside them. */
static void descend(Roots *roots, const NrOpInfo *anchor) {
  Roots inner = {0};
  for (size_t i = 0; i < roots->size; i++)
    for (uint32_t k = 0; k < roots->data[i]->num_regions; k++)
      for (NrBlock *block = roots->data[i]->regions[k].first; block; block = block->next)
        for (NrOp *op = block->first; op; op = op->next)
          if (is_of(op, anchor)) nr_vec_push(&inner, op);
  nr_vec_deinit(roots);
  *roots = inner;
}

static NrStatus run_call(NrModule *module, NrOp *root, const Call *call, const NrPassOptions *options) {
  Roots roots = {0};
  nr_vec_push(&roots, root);
  for (size_t i = 0; i < call->num_anchors; i++)
    if (i || !is_of(root, call->anchors[0])) descend(&roots, call->anchors[i]);
  NrStatus status = nr_run_pass(module, roots.data, roots.size, call->pass, call->args, call->num_args, options);
  nr_vec_deinit(&roots);
  return status;
}

NrStatus nr_run_passes_on(NrModule *module, NrOp *root, NrStr pipeline, const NrPassOptions *options) {
  NrArena arena;
  nr_arena_init(&arena);
  Reader r = {.ctx = module->ctx, .arena = &arena, .at = nr_str_copy(&arena, pipeline).data};
  NrStatus status = read_calls(&r);
  for (size_t i = 0; i < r.calls.size && !status; i++) status = run_call(module, root, &r.calls.data[i], options);
  reader_deinit(&r);
  return status;
}

NrStatus nr_run_passes(NrModule *module, NrStr pipeline, const NrPassOptions *options) {
  return nr_run_passes_on(module, module->op, pipeline, options);
}
